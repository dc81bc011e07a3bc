package bunt

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"mcp-memory/storage"
)

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
