package bunt

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"mcp-memory/storage"
)

// talk is the part of the fold that holds conversations under way: what was
// heard, the jobs that read it, and the messages that were read.
type talk struct {
	sessions map[userKey]*session
	jobs     map[userKey]job
	done     map[string]*doneJobs // of a user
	seen     map[userKey]struct{}
	order    int // of the next new job
}

// session is one conversation. It is replaced as a whole when it changes, so that
// what a reader got stays as it was.
type session struct {
	turns        []turn // ascending; those before both marks are dropped
	unread, keep int64
	next         int64
}

// turn is a turn's place and its JSON.
type turn struct {
	session string
	seq     int64
	json    string
}

// job is a job as it was stored last.
type job struct {
	jobPart
	at    time.Time // of the operation
	order int       // of the job's first
}

// jobPart is a job in an operation.
type jobPart struct {
	id   string
	open bool
	done bool
	json string
}

// doneJobs are a user's jobs of which nothing can be run again, in the order they
// were done. One that another of its id replaced since is passed over.
type doneJobs struct {
	queue []doneJob
	count int // of those that were not replaced
}

type doneJob struct {
	key userKey
	at  time.Time
}

func newTalk() talk {
	return talk{sessions: map[userKey]*session{}, jobs: map[userKey]job{}, done: map[string]*doneJobs{}, seen: map[userKey]struct{}{}}
}

// parseTalk reads what an operation says about conversations. line is its head.
func (op *operation) parseTalk(line string, head *foldLine) error {
	op.read, op.seen = head.Read, head.Seen
	for _, raw := range head.Hear {
		var t struct {
			Session string `json:"session"`
			Seq     int64  `json:"seq"`
		}
		if err := json.Unmarshal(raw, &t); err != nil {
			return fmt.Errorf("%w: turn: %v", errValue, err)
		}
		op.hear = append(op.hear, turn{session: t.Session, seq: t.Seq, json: string(raw)})
	}
	for _, raw := range head.Jobs {
		var j struct {
			ID   string `json:"id"`
			Open bool   `json:"open"`
			Done bool   `json:"done"`
		}
		if err := json.Unmarshal(raw, &j); err != nil {
			return fmt.Errorf("%w: job: %v", errValue, err)
		}
		op.jobs = append(op.jobs, jobPart{id: j.ID, open: j.Open, done: j.Done && !j.Open, json: string(raw)})
	}
	return nil
}

// fold applies one operation, and returns how many bytes of earlier ones it made
// useless. key is that of keyed hashes.
func (t *talk) fold(op operation, key []byte) (garbage int64) {
	if len(op.turns) > 0 {
		garbage += t.erase(op, key)
	}
	for _, h := range op.hear {
		t.change(userKey{op.user, h.session}, func(s *session) { s.hear(h) })
	}
	for _, r := range op.read {
		t.change(userKey{op.user, r.Session}, func(s *session) { garbage += s.read(r) })
	}
	for _, p := range op.jobs {
		garbage += t.job(userKey{op.user, p.id}, op.at, p)
	}
	for _, hash := range op.seen {
		t.seen[userKey{op.user, hash}] = struct{}{}
	}
	return garbage
}

// job keeps a job, and lets the oldest go of those that are done where they are too
// many. It returns the bytes that are of no use since.
func (t *talk) job(key userKey, at time.Time, p jobPart) (garbage int64) {
	done := t.done[key.user]
	if done == nil {
		done = &doneJobs{}
		t.done[key.user] = done
	}
	order := t.order
	if old, known := t.jobs[key]; known {
		order = old.order
		garbage += int64(len(old.json))
		if old.done {
			done.count--
		}
	} else {
		t.order++
	}
	t.jobs[key] = job{jobPart: p, at: at, order: order}
	if p.done {
		done.queue, done.count = append(done.queue, doneJob{key, at}), done.count+1
	}
	for done.count > storage.DoneJobs {
		first := done.queue[0]
		done.queue = done.queue[1:]
		if j, known := t.jobs[first.key]; known && j.done && j.at.Equal(first.at) {
			garbage += int64(len(j.json)) + commandOverhead
			delete(t.jobs, first.key)
			done.count--
		}
	}
	return garbage
}

// erase takes the turns out that an erase takes along.
func (t *talk) erase(op operation, key []byte) (garbage int64) {
	gone := make(map[string]bool, len(op.turns))
	for _, hash := range op.turns {
		gone[hash] = true
	}
	for at, old := range t.sessions {
		if at.user != op.user {
			continue
		}
		left := *old
		left.turns = slices.DeleteFunc(slices.Clone(old.turns), func(h turn) bool {
			return gone[hash(key, domainTurn, storage.TurnWord(h.session, h.seq))]
		})
		if n := len(old.turns) - len(left.turns); n > 0 {
			t.sessions[at] = &left
			garbage += int64(n)
		}
	}
	return garbage
}

// domainTurn is the domain of turns' keyed hashes.
const domainTurn = "turn"

func (t *talk) change(key userKey, edit func(*session)) {
	changed := session{next: 1, unread: 1, keep: 1}
	if old := t.sessions[key]; old != nil {
		changed = *old
	}
	edit(&changed)
	t.sessions[key] = &changed
}

// hear adds a turn. One that is out of order is left out: a salvage may have lost
// what was between.
func (s *session) hear(t turn) {
	if t.seq < s.next {
		return
	}
	s.next = t.seq + 1
	s.turns = append(slices.Clip(s.turns), t)
}

// read moves the marks, and returns the bytes of the turns that are before both
// since.
func (s *session) read(r storage.Reading) (garbage int64) {
	s.unread, s.keep = max(s.unread, r.Unread), max(s.keep, r.Keep)
	s.next = max(s.next, s.unread, s.keep, r.Next)
	gone := min(s.unread, s.keep)
	from, _ := slices.BinarySearchFunc(s.turns, gone, func(t turn, seq int64) int { return cmp.Compare(t.seq, seq) })
	for _, t := range s.turns[:from] {
		garbage += int64(len(t.json)) + commandOverhead
	}
	s.turns = s.turns[from:]
	return garbage
}

// check says whether turns and jobs of op fit. Error: [storage.ErrConflict].
func (t *talk) check(op storage.Op) error {
	next := map[string]int64{}
	for _, h := range op.Hear {
		want, known := next[h.Session]
		if !known {
			want = 1
			if s := t.sessions[userKey{op.User, h.Session}]; s != nil {
				want = s.next
			}
		}
		if h.Session == "" || h.Seq != want {
			return fmt.Errorf("%w: hear turn %d of session %q: its next turn is %d", storage.ErrConflict, h.Seq, h.Session, want)
		}
		next[h.Session] = want + 1
	}
	for _, r := range op.Read {
		if r.Session == "" {
			return fmt.Errorf("%w: read of a session without a name", storage.ErrConflict)
		}
	}
	for _, j := range op.Jobs {
		if j.ID == "" {
			return fmt.Errorf("%w: job without id", storage.ErrConflict)
		}
	}
	return nil
}

// Sessions calls fn for every session, in no order, until fn returns an error,
// which it returns. It shows the store as it was when Sessions was called.
func (s *Store) Sessions(ctx context.Context, fn func(storage.Session) error) error {
	s.mu.RLock()
	sessions, closed := maps.Clone(s.state.talk.sessions), s.closed
	s.mu.RUnlock()
	if closed {
		return fmt.Errorf("sessions: %w", storage.ErrClosed)
	}
	for key, kept := range sessions {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		out := storage.Session{User: key.user, ID: key.key, Unread: kept.unread, Keep: kept.keep, Next: kept.next}
		for _, t := range kept.turns {
			var turn storage.Turn
			if err := json.Unmarshal([]byte(t.json), &turn); err != nil {
				return fmt.Errorf("%w: turn %d of a session: %v", storage.ErrCorrupt, t.seq, err)
			}
			out.Turns = append(out.Turns, turn)
		}
		if err := fn(out); err != nil {
			return err
		}
	}
	return nil
}

// Jobs calls fn for every job that is open, or was finished within the retention,
// in the order they were first stored, until fn returns an error, which it
// returns.
func (s *Store) Jobs(ctx context.Context, fn func(user string, job storage.Job) error) error {
	s.mu.RLock()
	jobs, closed := maps.Clone(s.state.talk.jobs), s.closed
	s.mu.RUnlock()
	if closed {
		return fmt.Errorf("jobs: %w", storage.ErrClosed)
	}
	keys := slices.SortedFunc(maps.Keys(jobs), func(a, b userKey) int { return cmp.Compare(jobs[a].order, jobs[b].order) })
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("jobs: %w", err)
		}
		if jobs[key].expired(s.horizon()) {
			continue
		}
		j, err := jobs[key].decode()
		if err != nil {
			return err
		}
		if err := fn(key.user, j); err != nil {
			return err
		}
	}
	return nil
}

// Job returns user's job with the id. Errors: [storage.ErrNotFound],
// [storage.ErrClosed].
func (s *Store) Job(ctx context.Context, user, id string) (storage.Job, error) {
	if err := ctx.Err(); err != nil {
		return storage.Job{}, fmt.Errorf("job %s: %w", id, err)
	}
	s.mu.RLock()
	kept, known := s.state.talk.jobs[userKey{user, id}]
	closed := s.closed
	s.mu.RUnlock()
	switch {
	case closed:
		return storage.Job{}, fmt.Errorf("job %s: %w", id, storage.ErrClosed)
	case !known || kept.expired(s.horizon()):
		return storage.Job{}, fmt.Errorf("job %s: %w", id, storage.ErrNotFound)
	}
	return kept.decode()
}

// Seen reports whether one of user's operations held the hash.
func (s *Store) Seen(user, hash string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, seen := s.state.talk.seen[userKey{user, hash}]
	return seen
}

func (j job) expired(horizon time.Time) bool { return !j.open && !j.at.After(horizon) }

func (j job) decode() (storage.Job, error) {
	var out storage.Job
	if err := json.Unmarshal([]byte(j.json), &out); err != nil {
		return storage.Job{}, fmt.Errorf("%w: job %s: %v", storage.ErrCorrupt, j.id, err)
	}
	return out, nil
}

// talkConcerns reports whether op holds turns that are gone, marks that others
// passed, or jobs that were replaced or have expired.
func (p *purger) talkConcerns(op *operation) bool {
	return slices.ContainsFunc(op.hear, func(t turn) bool { return p.heardGone(op.user, t.session, t.seq) }) ||
		slices.ContainsFunc(op.read, func(r storage.Reading) bool { return p.passed(op.user, r) }) ||
		slices.ContainsFunc(op.jobs, func(j jobPart) bool { return p.jobGone(op.user, op.at, j.id) })
}

// stripTalk takes what talkConcerns finds out of op.
func (p *purger) stripTalk(op *storage.Op) {
	op.Hear = slices.DeleteFunc(op.Hear, func(t storage.Turn) bool { return p.heardGone(op.User, t.Session, t.Seq) })
	op.Read = slices.DeleteFunc(op.Read, func(r storage.Reading) bool { return p.passed(op.User, r) })
	op.Jobs = slices.DeleteFunc(op.Jobs, func(j storage.Job) bool { return p.jobGone(op.User, op.At, j.ID) })
}

// heardGone reports whether a turn is neither unread nor in working memory, or was
// erased.
func (p *purger) heardGone(user, name string, seq int64) bool {
	s := p.sessions[userKey{user, name}]
	if s == nil {
		return false
	}
	_, there := slices.BinarySearchFunc(s.turns, seq, func(t turn, seq int64) int { return cmp.Compare(t.seq, seq) })
	return !there && seq < s.next
}

// passed reports whether a session's marks are beyond those of r: a later reading
// says all that r says.
func (p *purger) passed(user string, r storage.Reading) bool {
	s := p.sessions[userKey{user, r.Session}]
	return s != nil && r.Unread < s.unread && r.Keep < s.keep && r.Next <= max(s.unread, s.keep)
}

// jobGone reports whether a job was replaced, has expired, or was done before too many
// others.
func (p *purger) jobGone(user string, at time.Time, id string) bool {
	j, known := p.jobs[userKey{user, id}]
	return !known || at.Before(j.at) || j.expired(p.horizon)
}
