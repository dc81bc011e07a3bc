package layers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
)

// idleEvent is how long after the last turn was heard what is unread is read.
const idleEvent = 5 * time.Minute

// heardTurn is a turn in a job.
type heardTurn struct {
	ID      string    `json:"id,omitempty"`
	Role    string    `json:"role"`
	Name    string    `json:"name,omitempty"`
	Content string    `json:"content"`
	Time    time.Time `json:"time"`
	Assumed bool      `json:"assumed,omitempty"`
}

func heardTurns(turns []conversation.Turn) []heardTurn {
	out := make([]heardTurn, len(turns))
	for i, t := range turns {
		out[i] = heardTurn(t)
	}
	return out
}

// talk is a session under way: its working memory and what waits to be read. It
// is what the store holds, kept in memory.
type talk struct {
	turns        []storage.Turn // ascending; those of working memory, and those unread
	unread, keep int64
	next         int64
}

// talkKey names a session of a user.
type talkKey struct{ user, session string }

// loadTalks reads the sessions under way.
func (m *Memory) loadTalks(ctx context.Context) error {
	err := m.opts.Store.Sessions(ctx, func(s storage.Session) error {
		m.talks[talkKey{s.User, s.ID}] = &talk{turns: s.Turns, unread: s.Unread, keep: s.Keep, next: s.Next}
		return nil
	})
	if err != nil {
		return fmt.Errorf("load sessions: %w", err)
	}
	return nil
}

// stream adds turns to a session, and reads all that is unread if there is an
// event.
func (m *Memory) stream(ctx context.Context, t *task) (ExtractOutput, error) {
	fresh := m.unseen(t)
	if t.DryRun {
		return m.streamDry(ctx, t, fresh)
	}
	if len(fresh) == 0 && !t.Flush {
		if out, ok, err := m.sentAgain(ctx, t); ok || err != nil {
			return out, err
		}
	}
	event, heard, err := m.hear(ctx, t, fresh)
	if err != nil {
		return ExtractOutput{}, err
	}
	if event == "" {
		if t.idle = "no event yet; the turns wait"; len(t.turns) > 0 && heard == 0 {
			t.idle = "every message was heard before"
		}
		out := t.output(JobComplete)
		out.JobID, out.TraceID = "", "" // no job began: an id could not be asked for
		out.Counts.Unread = m.unreadTurns(t)
		out.Counts.CallsSaved = heard
		m.tally.waited(heard)
		return out, nil
	}
	return m.begin(ctx, t) // it takes what is unread when it runs
}

// streamDry shows what an event now would extract.
func (m *Memory) streamDry(ctx context.Context, t *task, fresh []conversation.Turn) (ExtractOutput, error) {
	waiting, _ := m.takeUnread(t)
	t.turns = append(waiting, fresh...)
	return m.begin(ctx, t)
}

// hear makes turns durable: in working memory, and in the queue of what is
// unread. It returns why the gate wakes, "" where it does not, and how many turns
// are new.
func (m *Memory) hear(ctx context.Context, t *task, fresh []conversation.Turn) (event string, heard int, err error) {
	m.write.Lock()
	defer m.write.Unlock()
	key := talkKey{t.User, t.Session}
	before := m.talkNow(key)
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(turn conversation.Turn) bool { return m.waits(t, &before, &turn) })
	op := storage.Op{User: t.User, At: m.nextRecorded()}
	for _, turn := range fresh {
		op.Hear = append(op.Hear, storage.Turn{
			Session: t.Session, Seq: before.next + int64(len(op.Hear)), ID: turn.ID, Source: t.SourceID, Role: turn.Role,
			Speaker: turn.Name, Text: turn.Content, Time: turn.Time, Heard: op.At,
		})
	}
	if len(op.Hear) > 0 {
		op.Read = []storage.Reading{{Session: t.Session, Keep: before.keepAfter(len(op.Hear), m.opts.WorkingTurns)}}
		if err := m.apply(ctx, op); err != nil {
			return "", 0, fmt.Errorf("keep the turns: %w", err)
		}
	}
	return m.event(t, &before, fresh, op.At), len(fresh), nil
}

// waits reports whether a turn is in the session's queue already: a call that is
// sent again adds nothing.
func (m *Memory) waits(t *task, of *talk, turn *conversation.Turn) bool {
	hash := m.messageHash(t, turn)
	return slices.ContainsFunc(of.turns, func(have storage.Turn) bool {
		if have.Note || have.Source != t.SourceID {
			return false
		}
		other := spokenTurn(have)
		return m.messageHash(t, &other) == hash
	})
}

// keepAfter is where working memory begins once n turns more were heard.
func (k *talk) keepAfter(n, most int) int64 { return max(k.keep, k.next+int64(n)-int64(most)) }

// event says why the gate wakes: something telling was said, enough is unread, it
// has been quiet for long, or the caller asks. "" where it does not.
func (m *Memory) event(t *task, before *talk, fresh []conversation.Turn, now time.Time) string {
	waiting := before.waiting()
	if reason, ok := conversation.Event(fresh); ok {
		return reason
	}
	switch {
	case corrects(fresh):
		return "puts something right"
	case ownsToJest(fresh):
		return "owns to a joke"
	case len(waiting)+len(fresh) == 0:
		if t.Flush || t.Force {
			return "asked for"
		}
		return ""
	case t.Flush:
		return "flush"
	case t.Force:
		return "force"
	case len(waiting)+len(fresh) >= m.opts.TriggerTurns:
		return fmt.Sprintf("%d unread turns", len(waiting)+len(fresh))
	case len(waiting) > 0 && now.Sub(waiting[len(waiting)-1].Heard) >= idleEvent:
		return "turns were unread for long"
	}
	return ""
}

// firstUnread is where in turns what is unread begins.
func (k *talk) firstUnread() int {
	at, _ := slices.BinarySearchFunc(k.turns, k.unread, func(t storage.Turn, seq int64) int { return cmp.Compare(t.Seq, seq) })
	return at
}

// waiting returns what is unread.
func (k *talk) waiting() []storage.Turn { return withoutNotes(k.turns[k.firstUnread():]) }

// behind returns what was read already, so far as it is known.
func (k *talk) behind() []conversation.Turn {
	return spokenTurns(withoutNotes(k.turns[:k.firstUnread()]))
}

func withoutNotes(turns []storage.Turn) []storage.Turn {
	return slices.DeleteFunc(slices.Clone(turns), func(t storage.Turn) bool { return t.Note })
}

// talkNow is a copy of a session as it stands; an empty one where there is none.
func (m *Memory) talkNow(key talkKey) talk {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if k := m.talks[key]; k != nil {
		return *k
	}
	return talk{unread: 1, keep: 1, next: 1}
}

func (m *Memory) unreadTurns(t *task) int {
	k := m.talkNow(talkKey{t.User, t.Session})
	return len(k.waiting())
}

// spokenTurn is a turn of a session as it was said.
func spokenTurn(h storage.Turn) conversation.Turn {
	return conversation.Turn{ID: h.ID, Role: h.Role, Name: h.Speaker, Content: h.Text, Time: h.Time}
}

func spokenTurns(heard []storage.Turn) (out []conversation.Turn) {
	for _, h := range heard {
		out = append(out, spokenTurn(h))
	}
	return out
}

// heardBefore is how many turns before those that are read are shown to the reader:
// what the first of them may answer.
const heardBefore = 4

// takeBefore returns the last turns of a session that were read already.
func (m *Memory) takeBefore(t *task) []conversation.Turn {
	k := m.talkNow(talkKey{t.User, t.Session})
	out := k.behind()
	return out[max(0, len(out)-heardBefore):]
}

// takeUnread returns what is unread, and up to where a task that reads it reads.
func (m *Memory) takeUnread(t *task) ([]conversation.Turn, int64) {
	k := m.talkNow(talkKey{t.User, t.Session})
	return spokenTurns(k.waiting()), k.next
}

// applyTalk enters what an operation says about sessions. The caller holds mu for
// writing.
func (m *Memory) applyTalk(op *storage.Op) {
	if op.Forget != nil && op.Forget.Erase != nil {
		m.dropTurns(op)
	}
	for _, h := range op.Hear {
		k := m.talkOf(talkKey{op.User, h.Session})
		k.turns, k.next = append(slices.Clip(k.turns), h), h.Seq+1
	}
	for _, r := range op.Read {
		k := m.talkOf(talkKey{op.User, r.Session})
		k.unread, k.keep = max(k.unread, r.Unread), max(k.keep, r.Keep)
		k.next = max(k.next, k.unread, k.keep, r.Next)
		gone := min(k.unread, k.keep)
		from, _ := slices.BinarySearchFunc(k.turns, gone, func(t storage.Turn, seq int64) int { return cmp.Compare(t.Seq, seq) })
		k.turns = k.turns[from:]
	}
}

// dropTurns takes out the turns that an erase takes along. The caller holds mu for
// writing.
func (m *Memory) dropTurns(op *storage.Op) {
	if len(op.Forget.Erase.Turns) == 0 {
		return
	}
	gone := map[string]bool{}
	for _, hash := range op.Forget.Erase.Turns {
		gone[hash] = true
	}
	for key, k := range m.talks {
		if key.user != op.User {
			continue
		}
		k.turns = slices.DeleteFunc(slices.Clone(k.turns), func(h storage.Turn) bool {
			return gone[m.opts.Store.Hash("turn", storage.TurnWord(h.Session, h.Seq))]
		})
	}
}

func (m *Memory) talkOf(key talkKey) *talk {
	k := m.talks[key]
	if k == nil {
		k = &talk{unread: 1, keep: 1, next: 1}
		m.talks[key] = k
	}
	return k
}

// noteDown puts step state of a caller into a session's working memory: it is
// shown there, never extracted, and leaves with the session's turns. The caller
// holds mu.
func (m *Memory) noteDown(op *storage.Op, r *storage.Record) {
	k := m.talks[talkKey{op.User, r.Source.Session}]
	if k == nil {
		k = &talk{unread: 1, keep: 1, next: 1}
	}
	added := 0
	for _, h := range op.Hear {
		if h.Session == r.Source.Session {
			added++
		}
	}
	op.Hear = append(op.Hear, storage.Turn{
		Session: r.Source.Session, Seq: k.next + int64(added), ID: r.ID, Source: r.Source.ID, Role: r.Source.Role, Speaker: r.Source.Speaker,
		Text: r.Text, Time: r.ObservedAt, Heard: r.RecordedAt, Note: true,
	})
	op.Read = append(op.Read, storage.Reading{Session: r.Source.Session, Keep: k.keepAfter(added+1, m.opts.WorkingTurns)})
}

// workingNote is the answer's note for what went into working memory.
const workingNote = "in this session's working memory: recall gives it with session_id, until as many turns came after it as that holds"

// Defaults of a stream.
const (
	workingTurns = 20
	triggerTurns = 8
)

// working returns the last turns of a session, oldest first: those that extract
// heard, notes, and what was remembered turn by turn.
func (m *Memory) working(sp *space, q *question) ([]WorkingTurn, error) {
	type placed struct {
		WorkingTurn
		at int64
	}
	var turns []placed
	add := func(role, speaker, text string, said time.Time, recorded int64) {
		turns = append(turns, placed{WorkingTurn{Role: role, Speaker: cut(speaker, shownSpeaker), Text: cut(text, shownText), Time: formatTime(said)}, recorded})
	}
	if k := m.talks[talkKey{q.user, q.in.SessionID}]; k != nil {
		for _, h := range k.turns {
			if at := micros(h.Heard); h.Seq >= k.keep && (q.view.knownAt == 0 || at <= q.view.knownAt) {
				add(h.Role, h.Speaker, h.Text, h.Time, at)
			}
		}
	}
	if s := sp.sessions[q.in.SessionID]; s != nil {
		for n := len(s.docs) - 1; n >= 0 && n >= len(s.docs)-5*m.opts.WorkingTurns; n-- {
			d := &sp.docs[s.docs[n]]
			if d.tier != storage.Episodic || !d.live() || (q.view.knownAt != 0 && d.recorded() > q.view.knownAt) {
				continue
			}
			e, err := sp.entry(s.docs[n])
			if err != nil {
				return nil, fmt.Errorf("read a turn: %w", err)
			}
			if e.Source.Quote == "" && len(e.Source.MessageIDs) == 0 { // else it was extracted from a turn
				add(e.Source.Role, e.Source.Speaker, e.Text, e.ObservedAt, d.recorded())
			}
		}
	}
	slices.SortStableFunc(turns, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	out := []WorkingTurn{}
	for _, t := range turns[max(0, len(turns)-m.opts.WorkingTurns):] {
		out = append(out, t.WorkingTurn)
	}
	return out, nil
}

// idlePoll is how often sessions are looked at for turns that were unread for long.
const idlePoll = 30 * time.Second

// watchIdle reads sessions that fell silent with turns unread, also those that an
// earlier process left.
func (m *Memory) watchIdle(ctx context.Context) {
	tick := time.NewTicker(idlePoll)
	defer tick.Stop()
	for {
		for _, t := range m.idle() {
			m.log.Info("a session fell silent; its turns are read", "job", t.ID)
			m.jobs.claim(t.ID)
			m.jobs.run(m, t)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// idle returns tasks that read the sessions whose last turn is old and unread.
func (m *Memory) idle() (tasks []*task) {
	m.mu.RLock()
	silent := map[talkKey]storage.Turn{}
	for key, k := range m.talks {
		waiting := k.waiting()
		if n := len(waiting); n > 0 && m.opts.Clock().Sub(waiting[n-1].Heard) >= idleEvent {
			silent[key] = waiting[n-1]
		}
	}
	m.mu.RUnlock()
	for key, last := range silent {
		id, err := m.taskID()
		if err != nil {
			continue
		}
		trace, err := newTrace()
		if err != nil {
			continue
		}
		tasks = append(tasks, &task{
			ID: id, Trace: trace, User: key.user, Session: key.session, Source: defaultSource, SourceID: last.Source,
			Layers: gatekeeper.Layers, Project: m.projectOf(nil), Begun: m.now(), taken: m.now(), byRules: m.unattended(),
		})
	}
	return tasks
}

// tally counts what the gate did and did not, since the start.
type tally struct {
	models, saved atomic.Int64
}

// asked counts calls of models, waited turns that woke no gate.
func (t *tally) asked(n int)  { t.models.Add(int64(n)) }
func (t *tally) waited(n int) { t.saved.Add(int64(n)) }
