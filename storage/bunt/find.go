package bunt

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"mcp-memory/storage"
)

// finder reads files again for what is left of a payload.
type finder struct {
	payload storage.Payload
	ids     map[string]bool
	values  map[string]bool
	any     *matcher // words, values and ids: what they are not in needs no closer look
	raw     *matcher // what no damaged stretch may hold
	words   *matcher
	short   map[string]bool // words that are too short for a matcher: they tell where they are all of a text
	found   storage.Finding
}

func newFinder(p storage.Payload) *finder {
	f := &finder{payload: p, ids: map[string]bool{}, values: map[string]bool{}, short: map[string]bool{}, words: newMatcher(p.Words...)}
	f.any = newMatcher(slices.Concat(p.Words, p.Values, p.IDs, wholeFields(p))...)
	f.raw = newMatcher(taints([]storage.Payload{p})...)
	for _, id := range p.IDs {
		f.ids[id] = true
	}
	for _, v := range p.Values {
		f.values[v] = true
	}
	for _, w := range p.Words {
		if len(w) < shortMatch {
			f.short[w] = true
		}
	}
	return f
}

// wholeFields are the words and values of a few bytes as JSON shows them where they
// are all of a field.
func wholeFields(p storage.Payload) (fields []string) {
	for _, w := range slices.Concat(p.Words, p.Values) {
		if len(w) < shortMatch {
			fields = append(fields, `:"`+escape(w, false)+`"`)
		}
	}
	return fields
}

// Find reads the new file, what salvages kept, the backups and every file that is
// not known, and reports what they hold of a payload.
func (e *erasure) Find(ctx context.Context, p storage.Payload) (storage.Finding, error) {
	f := newFinder(p)
	f.found.Files, f.found.Gone = slices.Clone(e.unreached), slices.Clone(e.gone)
	own, err := readSide(ctx, e.next.path(), false)
	if err != nil {
		return f.found, fmt.Errorf("read what was rewritten: %w", err)
	}
	if err := f.own(own); err != nil {
		return f.found, fmt.Errorf("read what was rewritten: %w", err)
	}
	if err := f.beside(ctx, e.store); err != nil {
		return f.found, err
	}
	slices.Sort(f.found.Related)
	f.found.Related = slices.Compact(f.found.Related)
	return f.found, nil
}

// own looks at the store's own file: it must be whole.
func (f *finder) own(c *sideFile) error {
	for _, p := range c.pieces {
		if p.length > 0 {
			return errors.New("it is damaged")
		}
		if err := f.operation(p.value); err != nil {
			return err
		}
	}
	return nil
}

// beside looks at the other files. Where one cannot be read that is found.
func (f *finder) beside(ctx context.Context, s *Store) error {
	files, _ := s.copies()
	for _, c := range files {
		if err := f.copy(ctx, c, s); err != nil && !errors.Is(err, errGone) {
			f.name(c.path, err)
		}
	}
	others, err := s.others()
	if err != nil {
		return err
	}
	for _, path := range others {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.name(path, err)
		} else if f.words.in(raw) {
			f.name(path, errors.New("holds some of it; it is no file of this program"))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// name names a file, once.
func (f *finder) name(path string, why error) {
	for _, named := range f.found.Files {
		if len(named) > len(path) && named[:len(path)+1] == path+":" {
			return
		}
	}
	f.found.Files = append(f.found.Files, unreachedFile(path, why))
}

// copy looks at a salvage's file or a backup.
func (f *finder) copy(ctx context.Context, of sideFile, s *Store) error {
	c, err := of.open(ctx, s.options.Dir)
	if c == nil || err != nil {
		return err
	}
	_ = c.check(s.meta.key) // whose it is; what is wrong with it the erase says
	return f.search(c)
}

// search looks at what can be read of a copy, and at the bytes of what cannot. An
// error where it holds some.
func (f *finder) search(c *sideFile) error {
	before := f.found
	for _, p := range c.pieces {
		if p.length == 0 {
			if err := f.copied(p.value, c.alien); err != nil {
				return err
			}
			continue
		}
		raw, err := readStretch(c.path, p)
		if err != nil {
			return err
		}
		if w, is := wholeOf(f.payload); f.raw.in(raw) || is && !c.alien && w.stretch(raw) {
			return fmt.Errorf("a damaged stretch %w", errHeld)
		}
	}
	if f.found.Store && !before.Store || f.found.Working && !before.Working || f.found.Jobs && !before.Jobs {
		f.found.Store, f.found.Working, f.found.Jobs = before.Store, before.Working, before.Jobs
		return errHeld
	}
	return nil
}

// errHeld says that a file has some of a payload.
var errHeld = errors.New("holds some of it")

// copied looks at one operation of a copy, which may hold what the store let go of. All
// that a user said to this store is not what he said to another.
func (f *finder) copied(value string, alien bool) error {
	if err := f.operation(value); err != nil || !f.mayHold(value) {
		return err
	}
	head, records, err := decodeLines(value)
	if err != nil || head.User != f.payload.User {
		return err
	}
	for i := range head.Hear {
		f.found.Working = f.found.Working || f.turn(&head.Op, &head.Hear[i])
	}
	for i := range head.Jobs {
		f.found.Jobs = f.found.Jobs || f.job(&head.Op, &head.Jobs[i])
	}
	if w, is := wholeOf(f.payload); is && !alien && w.concerns(&head.Op) {
		f.found.Store = f.found.Store || w.holds(&head.Op, records)
	}
	return nil
}

// mayHold reports whether an operation of a copy needs a closer look.
func (f *finder) mayHold(value string) bool {
	if f.any.in([]byte(value)) {
		return true
	}
	if f.payload.All || f.payload.Of != nil {
		return true
	}
	talks := strings.Contains(value, `"hear":[`) || strings.Contains(value, `"jobs":[`)
	return talks && (f.payload.Turn != nil || f.payload.Job != nil)
}

// until reports whether an operation came before the erase: what was said later stays.
func (f *finder) until(op *storage.Op) bool { return !op.At.After(f.payload.At) }

// turn reports whether a copy's turn is to go.
func (f *finder) turn(op *storage.Op, t *storage.Turn) bool {
	return f.holds(t.Text) || f.payload.Turn != nil && f.until(op) && f.payload.Turn(t)
}

// job reports whether a copy's job is to go.
func (f *finder) job(op *storage.Op, j *storage.Job) bool {
	return f.holds(string(j.Body)) || f.payload.Job != nil && f.until(op) && f.payload.Job(j.Body)
}

// operation looks at one operation of the payload's user. What others said is
// their own.
func (f *finder) operation(value string) error {
	if !f.any.in([]byte(value)) {
		return nil
	}
	head, records, err := decodeLines(value)
	if err != nil || head.User != f.payload.User {
		return err
	}
	for i := range records {
		f.record(&records[i])
	}
	for _, r := range head.Reinforce {
		f.source(r.ID, r.Source, r.Tags)
	}
	for _, a := range head.Again {
		f.source(a.ID, a.Source, a.Tags)
	}
	if head.Forget != nil && f.holds(head.Forget.Reason) {
		f.found.Store = true
	}
	if head.Answer != nil && f.holds(string(head.Answer.Body), head.Answer.Key) {
		f.found.Store = true
	}
	for _, a := range head.Answers {
		f.found.Store = f.found.Store || f.holds(string(a.Body), a.Key)
	}
	for _, t := range head.Hear {
		f.found.Working = f.found.Working || f.holds(t.Text)
	}
	for _, j := range head.Jobs {
		f.found.Jobs = f.found.Jobs || f.holds(string(j.Body))
	}
	return nil
}

func (f *finder) holds(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return f.words.in([]byte(s)) || f.short[s] })
}

// record looks at a record: one of the payload must be purged, another that holds
// its words is related.
func (f *finder) record(r *recordLine) {
	switch {
	case f.ids[r.ID]:
		left := remains(r.Record, "")
		f.found.Store = f.found.Store || !r.Purged || left.Entity != r.Entity || r.Text+r.Value+r.Source.Quote+r.Reason != ""
	case f.values[r.Value] || f.holds(r.Text, r.Reason, r.Source.Quote, r.Source.ID, string(r.Detail)):
		f.found.Related = append(f.found.Related, r.ID)
	}
}

// source looks at a reinforcement of a record.
func (f *finder) source(id string, s storage.Source, tags []string) {
	switch {
	case f.ids[id]:
		f.found.Store = f.found.Store || len(tags) > 0 || s.ID+s.Quote+s.Session+s.Speaker+s.Role != "" || len(s.MessageIDs) > 0
	case f.holds(s.Quote, s.ID):
		f.found.Related = append(f.found.Related, id)
	}
}
