package layers

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// erasure is an erase that was decided:
//
//	intent: forgotten from here on ── files without the content ── search ── receipt
//	(durable, one operation)          (shared with other erases)            (with the new file)
type erasure struct {
	user, receipt string
	asked         string // the selectors it was asked for with; "" after a restart
	docs          []uint32
	payload       storage.Payload
	result        storage.Erased
	related       []string
	done          chan error // gets one, once the receipt is durable or cannot be
	err           error      // why it cannot be yet
}

// eraseIntent builds the operation from which on the records are forgotten for
// good, with what goes along: turns that they were made of or that hold their
// words, and jobs and answers without those. The caller holds write and mu.
func (m *Memory) eraseIntent(ctx context.Context, sp *space, op *storage.Op, found []uint32, sel *selection) (*erasure, error) {
	e := &erasure{user: op.User, receipt: op.Forget.Receipt, asked: sel.asked(), docs: found, done: make(chan error, 1)}
	t := newTraces(sp)
	t.all = sel.in.All
	if whole := sel.wholeSource(); whole != "" {
		t.whole = func(source string) bool { return source == whole }
	}
	for _, n := range found {
		entry, err := sp.entry(n)
		if err != nil {
			return nil, fmt.Errorf("read a record: %w", err)
		}
		t.add(&entry)
	}
	t.settle()
	if err := sp.eraseRecords(op.Forget, found); err != nil {
		return nil, err
	}
	op.Forget.Erase = &storage.Erase{All: t.all}
	if whole := sel.wholeSource(); whole != "" {
		op.Forget.Erase.SourceHash = m.opts.Store.Hash("source", whole)
	}
	if err := m.eraseTalk(ctx, op, t); err != nil {
		return nil, err
	}
	e.payload = t.payload(op.User, op.At)
	return e, nil
}

// eraseRecords fills a forget that is for good.
func (sp *space) eraseRecords(f *storage.Forget, found []uint32) error {
	for _, n := range found {
		tomb, err := sp.tombstone(n)
		if err != nil {
			return err
		}
		if project := sp.docs[n].project; project != "" {
			tomb.ProjectHash = sp.store.Hash("project", project)
		}
		f.Records = append(f.Records, tomb)
	}
	return nil
}

// eraseTalk adds to an erase what turns, jobs and answers hold of its records.
func (m *Memory) eraseTalk(ctx context.Context, op *storage.Op, t *traces) error {
	m.wipes.note(m.jobs, op, t)
	m.eraseTurns(op.User, op, t)
	if err := m.eraseJobs(ctx, op.User, op, t); err != nil {
		return err
	}
	return m.eraseAnswers(ctx, op.User, op, t)
}

// holdsMore reports whether there is something of a user that is no record: turns, or
// what only copies of the store hold.
func (m *Memory) holdsMore(ctx context.Context, user string) bool {
	if m.holdsTalk(user) {
		return true
	}
	beside, ok := m.opts.Store.(interface {
		HeldBeside(ctx context.Context, user string) bool
	})
	return ok && beside.HeldBeside(ctx, user)
}

// holdsTalk reports whether turns of a user are kept.
func (m *Memory) holdsTalk(user string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for key, k := range m.talks {
		if key.user == user && len(k.turns) > 0 {
			return true
		}
	}
	return false
}

// eraseTurns names the turns that go along. Where a session's newest turn does, its
// numbering goes on all the same, and what was not read yet counts as seen.
func (m *Memory) eraseTurns(user string, op *storage.Op, t *traces) {
	for key, k := range m.talks {
		if key.user != user {
			continue
		}
		last := false
		for i := range k.turns {
			h := &k.turns[i]
			if last = t.turn(h); !last {
				continue
			}
			op.Forget.Erase.Turns = append(op.Forget.Erase.Turns, m.opts.Store.Hash("turn", storage.TurnWord(h.Session, h.Seq)))
			if !h.Note && h.Seq >= k.unread {
				said := conversation.Turn{ID: h.ID, Role: h.Role, Name: h.Speaker, Content: h.Text, Time: h.Time}
				op.Seen = append(op.Seen, m.messageHash(&task{SourceID: h.Source, Session: key.session}, &said))
			}
		}
		if last {
			op.Read = append(op.Read, storage.Reading{Session: key.session, Next: k.next})
		}
	}
	slices.SortFunc(op.Read, func(a, b storage.Reading) int { return strings.Compare(a.Session, b.Session) })
}

// eraseJobs rewrites the jobs that hold words of the records.
func (m *Memory) eraseJobs(ctx context.Context, user string, op *storage.Op, t *traces) error {
	return m.opts.Store.Jobs(ctx, func(owner string, j storage.Job) error {
		if owner != user {
			return nil
		}
		var body jobBody
		if err := json.Unmarshal(j.Body, &body); err != nil {
			body = jobBody{View: JobView{Job: JobInfo{ID: j.ID}, Output: ExtractOutput{Status: JobFailed}}} // nobody can read it
		} else if !t.job(&body) {
			return nil
		}
		b, err := marshal(body)
		if err != nil {
			return fmt.Errorf("erase in job %s: %w", j.ID, err)
		}
		op.Jobs = append(op.Jobs, storage.Job{ID: j.ID, Open: j.Open && body.Task != nil, Done: body.Task == nil, Body: b})
		return nil
	})
}

// eraseAnswers takes the words out of kept answers. A retry is still known by its
// key and is answered without them.
func (m *Memory) eraseAnswers(ctx context.Context, user string, op *storage.Op, t *traces) error {
	return m.opts.Store.Answers(ctx, user, func(a storage.Answer) error {
		var out keyedAnswer
		if err := json.Unmarshal(a.Body, &out); err != nil || len(out.Memories) == 0 {
			return nil // the id of a job or a receipt: it holds no words
		}
		changed := false
		for i := range out.Memories {
			r := &out.Memories[i]
			if !t.ids[r.ID] && !t.holds(r.Text) {
				continue
			}
			changed = true
			r.Text, r.Entity, r.Attribute, r.Value, r.Note = "", "", "", "", ""
		}
		if !changed {
			return nil
		}
		body, err := marshal(out)
		if err != nil {
			return fmt.Errorf("erase in an answer: %w", err)
		}
		if a.Hash != "" && !strings.HasPrefix(a.Hash, keyedCall) {
			a.Hash = m.callHash(a.Hash)
		}
		op.Answers = append(op.Answers, storage.Answer{Key: a.Key, Hash: a.Hash, Body: body, At: a.At, Brief: a.Brief})
		return nil
	})
}

// traces are what erased records may have left elsewhere.
type traces struct {
	sp       *space
	all      bool                     // everything goes, also what no record was made of
	whole    func(source string) bool // likewise of such a source; nil: of none
	ids      map[string]bool
	words    wordSet         // whole texts and quotes, folded
	values   wordSet         // values, folded: they tell only beside a source or session
	names    names           // of records without a value: likewise
	named    []string        // of which names are made once all records are known
	messages map[string]bool // source and message id
	sources  map[string]bool
	sessions map[string]bool
	texts    []string // whole texts and quotes as they are
	plain    []string // values as they are
}

func newTraces(sp *space) *traces {
	return &traces{
		sp: sp, ids: map[string]bool{}, words: wordSet{}, values: wordSet{}, names: names{},
		messages: map[string]bool{}, sources: map[string]bool{}, sessions: map[string]bool{},
	}
}

func (t *traces) add(e *storage.Entry) {
	t.ids[e.ID] = true
	t.say(t.words, e.Text, &t.texts)
	t.say(t.values, e.Value, &t.plain)
	if len(strings.Fields(e.Value)) != 1 { // of one word it tells by itself
		t.named = append(t.named, namesIn(cmp.Or(e.Value, e.Text))...)
	}
	t.source(&e.Source)
	for i := range e.Reinforced {
		t.source(&e.Reinforced[i].Source)
	}
}

func (t *traces) say(to wordSet, s string, raw *[]string) {
	if s = strings.TrimSpace(s); s != "" {
		to.add(text.Fold(s))
		*raw = append(*raw, s)
	}
}

func (t *traces) source(s *storage.Source) {
	t.say(t.words, s.Quote, &t.texts)
	for _, id := range s.MessageIDs {
		t.messages[s.ID+"\x00"+s.Session+"\x00"+id] = true
	}
	if s.ID != "" {
		t.sources[s.ID] = true
	}
	if s.Session != "" {
		t.sessions[s.Session] = true
	}
}

// holds reports whether a text holds a whole text or quote of a record.
func (t *traces) holds(s string) bool { return t.all || t.words.in(text.Fold(s)) }

// echoes is holds for what is of the same source or session: there a value tells
// too, or a name where there is none, and a word of a few bytes that stands by itself.
func (t *traces) echoes(s string, near bool) bool {
	if t.all {
		return true
	}
	folded := text.Fold(s)
	return t.words.in(folded) || near && (t.values.in(folded) || t.values.alone(folded) || t.words.alone(folded) || t.names.of(s))
}

// isWhole reports whether all of a source goes.
func (t *traces) isWhole(source string) bool { return t.whole != nil && t.whole(source) }

// turn reports whether a turn is one that a record was made of, or holds its words.
func (t *traces) turn(h *storage.Turn) bool {
	if t.isWhole(h.Source) || h.ID != "" && t.messages[h.Source+"\x00"+h.Session+"\x00"+h.ID] {
		return true
	}
	return t.echoes(h.Text, t.sessions[h.Session] || h.Source != "" && t.sources[h.Source])
}

// job takes the words, and a source's name, out of a job and reports whether it held
// any.
func (t *traces) job(b *jobBody) (changed bool) {
	changed = t.jobWords(b)
	return t.jobSource(&b.View.Job) || changed
}

// copiedJob reports whether a job, as a copy of the store holds it, has some of the
// words. What nobody can read may have.
func (t *traces) copiedJob(raw []byte) bool {
	var body jobBody
	return json.Unmarshal(raw, &body) != nil || t.jobWords(&body)
}

// jobWords takes the words out of a job and reports whether it held any.
func (t *traces) jobWords(b *jobBody) (changed bool) {
	info, out := &b.View.Job, &b.View.Output
	near := t.sources[info.SourceID] || t.sessions[info.Session]
	for _, l := range out.Layers {
		near = near || slices.ContainsFunc(l.Memories, func(id string) bool { return t.ids[id] })
	}
	whole := t.isWhole(info.SourceID)
	blank := func(s *string) {
		if *s != "" && (whole || t.echoes(*s, near)) {
			*s, changed = "", true
		}
	}
	for i := range out.Dropped {
		blank(&out.Dropped[i].Text)
		blank(&out.Dropped[i].Reason)
	}
	for name, v := range out.Gate.Layers {
		blank(&v.Reasoning)
		out.Gate.Layers[name] = v
	}
	for name, l := range out.Layers {
		blank(&l.Error)
		out.Layers[name] = l
	}
	for i := range b.View.Calls {
		blank(&b.View.Calls[i].Error)
	}
	return t.jobTurns(b, near) || changed
}

// jobTurns takes turns out of a job that waits to read them.
func (t *traces) jobTurns(b *jobBody, near bool) bool {
	if b.Task == nil {
		return false
	}
	before := len(b.Task.Turns)
	b.Task.Turns = slices.DeleteFunc(b.Task.Turns, func(h heardTurn) bool {
		return t.isWhole(b.Task.SourceID) || t.messages[b.Task.SourceID+"\x00"+b.Task.Session+"\x00"+h.ID] && h.ID != "" || t.echoes(h.Content, near)
	})
	return len(b.Task.Turns) < before
}

// jobSource takes the name of a source out of a finished job that nothing else is
// from.
func (t *traces) jobSource(info *JobInfo) bool {
	if info.SourceID == "" || !t.sources[info.SourceID] || info.Ended == "" {
		return false
	}
	for _, n := range t.sp.sources[info.SourceID] {
		if d := &t.sp.docs[n]; !t.ids[d.id] && !d.forgotten() {
			return false
		}
	}
	info.SourceID = ""
	return true
}

// payload is what is to be found in no file after the erase of that time.
func (t *traces) payload(user string, at time.Time) storage.Payload {
	p := storage.Payload{User: user, At: at, All: t.all, Of: t.whole, Turn: t.turn, Job: t.copiedJob}
	for id := range t.ids {
		p.IDs = append(p.IDs, id)
	}
	slices.Sort(p.IDs)
	p.Words = slices.Compact(slices.Sorted(slices.Values(t.texts)))
	p.Values = slices.Compact(slices.Sorted(slices.Values(t.plain)))
	rare := map[string]bool{}
	for _, s := range slices.Concat(p.Words, p.Values) {
		for _, term := range strings.FieldsFunc(s, isBreak) {
			if len(term) >= rareBytes && !rare[term] {
				rare[term] = true
				p.Terms = append(p.Terms, term)
			}
		}
	}
	return p
}

// rareBytes is from which length on a word alone tells what a damaged stretch of a
// file was about.
const rareBytes = 6

func isBreak(r rune) bool { return r <= ' ' || strings.ContainsRune(`.,;:!?()[]{}<>"'/\|`, r) }
