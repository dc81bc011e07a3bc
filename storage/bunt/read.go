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

// Get returns the entry with the id, whatever its state. Errors:
// [storage.ErrNotFound], [storage.ErrClosed].
func (s *Store) Get(ctx context.Context, id string) (storage.Entry, error) {
	r, err := lookUp(ctx, s, func(st *state) (record, bool) { return st.find(id) })
	if err != nil {
		return storage.Entry{}, fmt.Errorf("get %s: %w", id, err)
	}
	return r.entry()
}

// lookUp returns what choose finds in the state. Errors: [storage.ErrNotFound],
// [storage.ErrClosed], the context's.
func lookUp[T any](ctx context.Context, s *Store, choose func(*state) (T, bool)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return none, storage.ErrClosed
	}
	found, known := choose(s.state)
	if !known {
		return none, storage.ErrNotFound
	}
	return found, nil
}

// Scan calls fn for every entry in the order they were recorded, until fn
// returns an error, which it returns. It shows the store as it was when Scan
// was called and holds no lock meanwhile: fn may call the store, Apply too.
func (s *Store) Scan(ctx context.Context, fn func(storage.Entry) error) error {
	records, err := s.snapshot()
	if err != nil {
		return fmt.Errorf("scan: %w", err)
	}
	for _, r := range records {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		e, err := r.entry()
		if err != nil {
			return fmt.Errorf("scan: %w", err)
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// snapshot copies 40 bytes a record: 4 MB for 100,000.
func (s *Store) snapshot() ([]record, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return nil, storage.ErrClosed
	}
	return slices.Clone(s.state.records), nil
}

// Answer returns what was answered to user's idempotency key, unless its
// operation is as old as Options.Retention, or [storage.BriefLife] where the
// answer is brief. Errors: [storage.ErrNotFound], [storage.ErrClosed].
func (s *Store) Answer(ctx context.Context, user, key string) (storage.Answer, error) {
	kept, err := lookUp(ctx, s, func(st *state) (string, bool) {
		a, known := st.answers[userKey{user, answerKey(st.key, key, false)}]
		if !known {
			a, known = st.answers[userKey{user, key}]
			known = known && a.brief
		}
		return a.json, known && !s.over(a)
	})
	if err != nil {
		return storage.Answer{}, fmt.Errorf("answer: %w", err)
	}
	var out storage.Answer
	if err := json.Unmarshal([]byte(kept), &out); err != nil {
		return storage.Answer{}, fmt.Errorf("%w: answer: %v", storage.ErrCorrupt, err)
	}
	out.Key = key
	return out, nil
}

// Answers calls fn for every answer of user's that Answer returns, in no order, with
// its key as it is kept ([storage.Answer]), until fn returns an error, which it returns.
func (s *Store) Answers(ctx context.Context, user string, fn func(storage.Answer) error) error {
	horizon := s.horizon()
	s.mu.RLock()
	closed := s.closed
	var kept []string
	for key, a := range s.state.answers {
		if key.user == user && a.at.After(horizon) {
			kept = append(kept, a.json)
		}
	}
	s.mu.RUnlock()
	if closed {
		return fmt.Errorf("answers: %w", storage.ErrClosed)
	}
	for _, raw := range kept {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("answers: %w", err)
		}
		var a storage.Answer
		if err := json.Unmarshal([]byte(raw), &a); err != nil {
			return fmt.Errorf("%w: answer: %v", storage.ErrCorrupt, err)
		}
		if err := fn(a); err != nil {
			return err
		}
	}
	return nil
}

// Receipt returns the ids that user's forget with that receipt took, restored
// or purged ones too. Errors: [storage.ErrNotFound], [storage.ErrClosed].
func (s *Store) Receipt(ctx context.Context, user, id string) ([]string, error) {
	r, err := lookUp(ctx, s, func(st *state) (receipt, bool) {
		r, known := st.receipts[userKey{user, id}]
		return r, known
	})
	var out storage.Receipt
	if err == nil {
		out, err = r.decode(id)
	}
	if err != nil {
		return nil, fmt.Errorf("receipt %s: %w", id, err)
	}
	return out.IDs, nil
}

func forgottenIDs(f *storage.Forget) []string {
	ids := make([]string, len(f.Records))
	for i, t := range f.Records {
		ids[i] = t.ID
	}
	return ids
}

// Receipts calls fn for every receipt of every user in the order of time, until fn
// returns an error, which it returns. It shows the store as it was when Receipts
// was called.
func (s *Store) Receipts(ctx context.Context, fn func(user string, r storage.Receipt) error) error {
	s.mu.RLock()
	st, closed := s.state, s.closed
	receipts := maps.Clone(s.state.receipts)
	s.mu.RUnlock()
	if closed {
		return fmt.Errorf("receipts: %w", storage.ErrClosed)
	}
	keys := slices.SortedFunc(maps.Keys(receipts), func(a, b userKey) int {
		return cmp.Or(receipts[a].at.Compare(receipts[b].at), cmp.Compare(a.user, b.user), cmp.Compare(a.key, b.key))
	})
	for _, key := range keys {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("receipts: %w", err)
		}
		out, err := receipts[key].decode(key.key)
		if err != nil {
			return fmt.Errorf("receipt %s: %w", key.key, err)
		}
		out.Restored = s.restored(st, &out)
		if err := fn(key.user, out); err != nil {
			return err
		}
	}
	return nil
}

// restored counts the records of a receipt that are not forgotten.
func (s *Store) restored(st *state, r *storage.Receipt) (n int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, id := range r.IDs {
		if kept, known := st.find(id); known && (kept.fate == nil || kept.fate.forgotten.IsZero()) {
			n++
		}
	}
	return n
}

// joined is what several operations announced.
func joined(before, more *storage.Ahead) *storage.Ahead {
	out := *more
	if before != nil {
		out.IDs = slices.Concat(before.IDs, more.IDs)
	}
	return &out
}

// decode puts a receipt together from its operations. Error: [storage.ErrCorrupt].
func (r receipt) decode(id string) (storage.Receipt, error) {
	out := storage.Receipt{ID: id, At: r.at, Erase: r.erase}
	for _, value := range r.values {
		op, _, err := decode(value)
		if err != nil {
			return out, fmt.Errorf("%w: %v", storage.ErrCorrupt, err)
		}
		out.IDs, out.Reason = append(out.IDs, forgottenIDs(op.Forget)...), op.Forget.Reason
		if e := op.Forget.Erase; e != nil && (e.All || e.SourceHash != "") {
			out.All, out.SourceHash = e.All, e.SourceHash
		}
		if ahead := op.Forget.Ahead; r.open && ahead != nil {
			out.Ahead = joined(out.Ahead, ahead)
		}
	}
	if r.ended == "" {
		return out, nil
	}
	out.Ended, out.EndedAt = &storage.Erased{}, r.endedAt
	if err := json.Unmarshal([]byte(r.ended), out.Ended); err != nil {
		return out, fmt.Errorf("%w: how an erase ended: %v", storage.ErrCorrupt, err)
	}
	return out, nil
}
