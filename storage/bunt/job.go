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
	kept, err := lookUp(ctx, s, func(st *state) (job, bool) {
		j, known := st.talk.jobs[userKey{user, id}]
		return j, known && !j.expired(s.horizon())
	})
	if err != nil {
		return storage.Job{}, fmt.Errorf("job %s: %w", id, err)
	}
	return kept.decode()
}

func (j job) expired(horizon time.Time) bool { return !j.open && !j.at.After(horizon) }

func (j job) decode() (storage.Job, error) {
	var out storage.Job
	if err := json.Unmarshal([]byte(j.json), &out); err != nil {
		return storage.Job{}, fmt.Errorf("%w: job %s: %v", storage.ErrCorrupt, j.id, err)
	}
	return out, nil
}
