package bunt

import (
	"encoding/json"
	"fmt"
	"slices"

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

func newTalk() talk {
	return talk{sessions: map[userKey]*session{}, jobs: map[userKey]job{}, done: map[string]*doneJobs{}, seen: map[userKey]struct{}{}}
}

// parseTalk reads what an operation says about conversations. Error: errValue.
func (op *operation) parseTalk(head *foldLine) error {
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

// erase takes the turns out that an erase takes along. It returns their bytes.
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
			if !gone[hash(key, domainTurn, storage.TurnWord(h.session, h.seq))] {
				return false
			}
			garbage += int64(len(h.json)) + commandOverhead
			return true
		})
		if len(left.turns) < len(old.turns) {
			t.sessions[at] = &left
		}
	}
	return garbage
}

// domainTurn is the domain of turns' keyed hashes.
const domainTurn = "turn"

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

// Seen reports whether one of user's operations held the hash.
func (s *Store) Seen(user, hash string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, seen := s.state.talk.seen[userKey{user, hash}]
	return seen
}
