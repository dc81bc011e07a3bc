package bunt

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/storage"
)

// ErrOccupied says that a store is where one was to be restored.
var ErrOccupied = errors.New("the data directory holds a store")

// Restored says what a restore did.
type Restored struct {
	Contents          // of the store as it is now
	Replaced   string `json:"replaced"`    // where the store that was there is kept; "" where none was
	Again      int    `json:"again"`       // records that were forgotten since, and are again
	Tombstones int    `json:"tombstones"`  // of records that came and were forgotten since
	OtherStore bool   `json:"other_store"` // the store that was there had another hash key
}

// Restore makes what a backup holds the store in o.Dir. It verifies the backup
// first, and refuses where a process has the store, or, without replace, where a
// store with operations is there. That one is kept aside, and what was forgotten in
// it stays forgotten: an old backup brings nothing back. A crash leaves the one
// store or the other.
//
// A store's own file that a restore kept aside or somebody copied may be given in
// place of a backup, if it is whole. Errors: [ErrOccupied], [storage.ErrLocked],
// [storage.ErrCorrupt], a newer format version, the file system's.
func Restore(ctx context.Context, o Options, path string, replace bool) (Restored, error) {
	o = o.withDefaults()
	if _, err := verify(ctx, path); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if err := makeDir(o.Dir); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	held, err := acquire(ctx, filepath.Join(o.Dir, lockName), o.Wait, o.Clock())
	if err != nil {
		return Restored{}, fmt.Errorf("restore into %s: %w", o.Dir, err)
	}
	r, err := restore(ctx, o, path, replace)
	if err := errors.Join(err, held.release()); err != nil {
		return Restored{}, fmt.Errorf("restore into %s: %w", o.Dir, err)
	}
	return r, nil
}

func restore(ctx context.Context, o Options, path string, replace bool) (Restored, error) {
	if err := checkLink(o.Dir); err != nil {
		return Restored{}, err
	}
	present, err := readCopy(ctx, filepath.Join(o.Dir, fileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		present = copied{}
	case err != nil:
		return Restored{}, fmt.Errorf("read the store that is there: %w", err)
	case present.occupied() && !replace:
		return Restored{}, fmt.Errorf("%w of %d records; nothing was changed", ErrOccupied, len(present.state.records))
	}
	saved, err := readCopy(ctx, path)
	if err != nil {
		return Restored{}, err
	}
	var r Restored
	since := reapply{backup: saved.state, present: present.state, horizon: o.Clock().Add(-o.Retention)}
	if saved.entries, err = since.apply(saved.entries); err != nil {
		return Restored{}, err
	}
	r.Again, r.Tombstones = since.again, since.tombstones
	r.OtherStore = present.metaValue != "" && string(present.meta.key) != string(saved.meta.key)
	if present.occupied() {
		if r.Replaced, err = keepAside(o); err != nil {
			return Restored{}, fmt.Errorf("keep the store that is there: %w", err)
		}
	}
	if err := writeStore(o, saved); err != nil {
		return Restored{}, err
	}
	r.Contents, err = count(ctx, filepath.Join(o.Dir, fileName))
	return r, err
}

// copied is a file of operations, read and folded.
type copied struct {
	survey
	entries []entry
	state   *state
}

// occupied reports whether the file holds anything but an empty store.
func (c *copied) occupied() bool { return c.kept > 0 || c.size > 0 && c.damaged() }

// readCopy reads what can be read of a file, as opening it would.
func readCopy(ctx context.Context, path string) (c copied, err error) {
	c.state = newState(0, nil)
	file, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return c, err
	}
	c.survey, err = examine(ctx, file, info.Size(), func(cmd command) error {
		seq, _ := parseKey(cmd.key)
		if cmd.del {
			return nil
		}
		if op, err := parse(string(cmd.value)); err == nil {
			c.entries = append(c.entries, entry{seq, op.value})
		}
		return nil
	})
	if err == nil {
		c.state, err = foldAll(c.entries, c.meta.key)
	}
	return c, err
}

// writeStore puts a file of meta and entries in the store's place.
func writeStore(o Options, c copied) error {
	value, err := c.meta.value()
	if err != nil {
		return err
	}
	err = writeFile(o, tempPath(o.Dir), func(w *bufio.Writer) error { return writeCommands(w, value, c.entries) })
	if err != nil {
		return err
	}
	return install(o, tempPath(o.Dir), filepath.Join(o.Dir, fileName))
}

// keepAside gives the store's file a second name, under which it stays.
func keepAside(o Options) (string, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", err
	}
	first := filepath.Join(dir, replacedName+o.Clock().UTC().Format(stampFormat))
	path := first
	for n := 2; isFree(path) != nil; n++ {
		path = fmt.Sprintf("%s-%d", first, n)
	}
	if err := list(o, path, copyBegun); err != nil {
		return "", err
	}
	name := filepath.Join(dir, fileName)
	if os.Link(name, path) != nil { // a file system without links
		if err := copyFile(o, name, path); err != nil {
			return "", err
		}
	}
	if err := syncDir(o, dir); err != nil {
		return "", err
	}
	return path, list(o, path, copyMade)
}

func copyFile(o Options, from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return writeFile(o, to, func(w *bufio.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}

// count counts what a file holds.
func count(ctx context.Context, path string) (found Contents, err error) {
	found, err = verify(ctx, path)
	if err != nil {
		return found, fmt.Errorf("read what was restored: %w", err)
	}
	return found, nil
}

// reapply brings what was forgotten since a backup was made into it.
type reapply struct {
	backup, present *state
	horizon         time.Time // before which retention is over
	again           int       // records of the backup
	tombstones      int       // others
}

// apply returns the backup's entries as they are to be restored.
func (s *reapply) apply(entries []entry) ([]entry, error) {
	if s.present == nil {
		return entries, nil
	}
	groups, gone := s.compare()
	entries, err := s.purge(entries, gone)
	if err != nil {
		return nil, err
	}
	seq := uint64(0)
	if len(entries) > 0 {
		seq = entries[len(entries)-1].seq
	}
	for _, g := range groups {
		for _, op := range g.operations() {
			seq++
			value, err := encode(opKey(seq), op.Op, op.records)
			if err != nil {
				return nil, fmt.Errorf("forget again: %w", err)
			}
			entries = append(entries, entry{seq, value})
		}
	}
	return entries, nil
}

// compare finds what is forgotten in the present store and not in the backup, by
// the forget that took it, and what of the backup lost its content since.
func (s *reapply) compare() (groups []*forgetting, gone []string) {
	index := map[userKey]*forgetting{}
	for _, r := range s.present.records {
		if r.fate == nil || r.fate.forgotten.IsZero() {
			continue
		}
		e, err := r.entry()
		if err != nil {
			continue // nothing is known of it that could be kept
		}
		saved, known := s.backup.find(e.ID)
		if known && r.isPurged() && !saved.isPurged() {
			gone = append(gone, e.ID)
		}
		if known && saved.fate != nil && !saved.fate.forgotten.IsZero() {
			if r.isPurged() && !saved.isPurged() {
				s.again++
			}
			continue
		}
		key := userKey{e.User, e.Receipt}
		if index[key] == nil {
			index[key] = &forgetting{user: e.User, receipt: e.Receipt, at: e.ForgottenAt}
			index[key].takeAlong(s.present.receipts[key])
			groups = append(groups, index[key])
		}
		index[key].take(e, known)
		if known {
			s.again++
		} else {
			s.tombstones++
		}
	}
	return groups, gone
}

// purge takes the content of records out of entries.
func (s *reapply) purge(entries []entry, gone []string) ([]entry, error) {
	if len(gone) == 0 {
		return entries, nil
	}
	for _, id := range gone {
		s.backup.change(id, func(f *fate) { f.purged = true })
	}
	p := s.backup.purger(s.horizon, s.horizon, true)
	kept := make([]entry, 0, len(entries))
	for i, e := range entries {
		edited, empty, err := p.one(e)
		if err == nil && edited.value != e.value {
			edited, err = withoutEcho(edited)
		}
		if err != nil {
			return nil, fmt.Errorf("operation %d: %w", e.seq, err)
		}
		if newest := i == len(entries)-1; newest || !empty {
			kept = append(kept, edited)
		}
	}
	return kept, nil
}

// withoutEcho takes out of an operation what repeats the words of its records: the
// answer to the call, and the finished job that found them.
func withoutEcho(e entry) (entry, error) {
	op, records, err := decodeLines(e.value)
	if err != nil {
		return e, err
	}
	op.Answer, op.Answers = nil, nil
	op.Jobs = slices.DeleteFunc(op.Jobs, func(j storage.Job) bool { return !j.Open })
	e.value, err = encodeLines(opKey(e.seq), op, records)
	return e, err
}

// forgetting is what one forget took.
type forgetting struct {
	user, receipt string
	erase         *storage.Erase // nil: a soft forget
	jobs          []storage.Job  // that an erase rewrote
	answers       []storage.Answer
	at            time.Time
	tombs         []storage.Tombstone
	strangers     []storage.Entry // that the backup does not know
}

// takeAlong takes what an erase did beside its records. It is open again from then
// on: the next start finishes it.
func (g *forgetting) takeAlong(r receipt) {
	if !r.erase {
		return
	}
	g.erase = &storage.Erase{}
	for _, value := range r.values {
		op, _, err := decode(value)
		if err != nil {
			continue // nothing can be known of it
		}
		g.erase.Turns = append(g.erase.Turns, op.Forget.Erase.Turns...)
		g.jobs, g.answers = append(g.jobs, op.Jobs...), append(g.answers, op.Answers...)
	}
}

func (g *forgetting) take(e storage.Entry, known bool) {
	if e.Tombstone == nil {
		e.Tombstone = &storage.Tombstone{ID: e.ID}
	}
	g.tombs = append(g.tombs, *e.Tombstone)
	if !known {
		g.strangers = append(g.strangers, e)
	}
}

// written is an operation with its records.
type written struct {
	storage.Op
	records []recordLine
}

// strangersPerOperation keeps operations far below their limit.
const strangersPerOperation = 1000

// operations forgets again. Of what the backup does not know only the tombstone
// and what an order needs comes with it.
func (g *forgetting) operations() []written {
	var ops []written
	for rest := g.strangers; len(rest) > 0; {
		n := min(len(rest), strangersPerOperation)
		op := written{Op: storage.Op{User: g.user, At: g.at}}
		for _, e := range rest[:n] {
			op.records = append(op.records, recordLine{Purged: true, Record: remains(e.Record, "")})
			for _, again := range e.Reinforced {
				again.Source, again.Tags = storage.Source{}, nil
				op.Reinforce = append(op.Reinforce, again)
			}
			if !e.WithdrawnAt.IsZero() {
				op.Withdraw = append(op.Withdraw, e.ID)
			}
		}
		ops, rest = append(ops, op), rest[n:]
	}
	for i, tombs := range g.tombChunks() {
		forget := storage.Op{User: g.user, At: g.at, Forget: &storage.Forget{Receipt: g.receipt, Records: tombs, More: i > 0}}
		if g.erase != nil {
			forget.Forget.Erase = &storage.Erase{}
		}
		if i == 0 {
			forget.Jobs, forget.Answers, forget.Forget.Erase = g.jobs, g.answers, g.erase
		}
		ops = append(ops, written{Op: forget})
	}
	return ops
}

// tombBytes is about how many bytes of tombstones one operation takes.
const tombBytes = 2 << 20

// tombChunks divides tombstones so that an operation holds them; there is one chunk
// at least.
func (g *forgetting) tombChunks() (chunks [][]storage.Tombstone) {
	from, size := 0, 0
	for i := range g.tombs {
		raw, err := json.Marshal(g.tombs[i])
		if size += len(raw); err == nil && size > tombBytes && i > from {
			chunks, from, size = append(chunks, g.tombs[from:i]), i, len(raw)
		}
	}
	return append(chunks, g.tombs[from:])
}
