package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// Workload says what is done to a store while it is recorded.
type Workload struct {
	Seed  uint64
	Steps int
	// Extra, where it is not nil, is one more step that may be drawn, like an erase: it
	// changes the store as a whole or not at all (one of several durable changes is as
	// many steps). Its error ends the recording. Records that have lost their content
	// after a step must be in no file of a later image.
	Extra func(ctx context.Context, s *bunt.Store, now time.Time, random *rand.Rand) error
	// Faults lets some syncs fail as on a full disk.
	Faults bool

	// skip, where it is not nil, says which syncs do nothing.
	skip func(name string, isDir bool) bool
}

// User is the tenant of a workload's records.
const User = "ann"

// start is when a workload begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Tape is what a workload did to its files, and the state of the store after every
// step.
type Tape struct {
	recorder *Recorder
	states   []string  // fingerprints; the first is that of before
	refused  []refusal // operations that were not acknowledged and may be there
	gone     []gone    // what must be in no file any more
	Ended    time.Time // by the workload's clock
}

// refusal is the state in which an operation that was refused would be there.
type refusal struct {
	step  int // after so many
	state string
}

// gone is a word whose record had lost its content after a step.
type gone struct {
	step int
	word string
}

// run is a workload under way.
type run struct {
	Workload
	dir      string
	random   *rand.Rand
	recorder *Recorder
	store    *bunt.Store
	tape     *Tape
	now      time.Time
	named    int
	ids      []string
	words    map[string]string // of records that have their content
	failing  bool
}

// Record runs the workload on the store in dir, from what it holds.
func (w Workload) Record(ctx context.Context, dir string, from time.Time) (*Tape, error) {
	if from.IsZero() {
		from = start
	}
	recorder, err := NewRecorder(dir)
	if err != nil {
		return nil, err
	}
	r := &run{Workload: w, dir: dir, random: rand.New(rand.NewPCG(w.Seed, 1)), recorder: recorder, now: from,
		tape: &Tape{recorder: recorder}, words: map[string]string{}}
	before, err := fingerprint(ctx, recorder.Files())
	if err != nil {
		return nil, err
	}
	r.tape.states = []string{before}
	if err := r.steps(ctx); err != nil {
		return nil, fmt.Errorf("seed %d: %w", w.Seed, err)
	}
	r.tape.Ended = r.now
	return r.tape, nil
}

func (r *run) steps(ctx context.Context) (err error) {
	if err := r.open(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.store.Close()) }()
	for range r.Steps {
		if err := r.done(ctx); err != nil { // of the step before
			return err
		}
		if err := r.step(ctx); err != nil {
			return err
		}
	}
	return r.done(ctx)
}

// done ends a step.
func (r *run) done(ctx context.Context) error {
	if err := r.recorder.Mark(); err != nil {
		return err
	}
	state, err := fingerprint(ctx, r.recorder.Files())
	r.tape.states = append(r.tape.states, state)
	for id, word := range r.words {
		if e, getErr := r.store.Get(ctx, id); getErr == nil && e.Purged {
			r.tape.gone = append(r.tape.gone, gone{step: len(r.tape.states) - 1, word: word})
			delete(r.words, id)
		}
	}
	return err
}

func (r *run) open(ctx context.Context) (err error) {
	r.store, err = bunt.Open(ctx, bunt.Options{Dir: r.dir, Clock: func() time.Time { return r.now }, Sync: r.sync})
	return err
}

// sync syncs, or fails once.
func (r *run) sync(file *os.File) error {
	info, err := file.Stat()
	switch {
	case err != nil:
		return err
	case r.failing && !info.IsDir():
		return errors.Join(syscall.ENOSPC, r.refuse())
	case r.skip != nil && r.skip(filepath.Base(file.Name()), info.IsDir()):
		return r.recorder.Observe()
	}
	return r.recorder.Sync(file)
}

// refuse notes the state in which an operation that is not acknowledged may be
// found after a crash.
func (r *run) refuse() error {
	r.failing = false
	if err := r.recorder.Observe(); err != nil {
		return err
	}
	state, err := fingerprint(context.Background(), r.recorder.Files())
	r.tape.refused = append(r.tape.refused, refusal{step: len(r.tape.states) - 1, state: state})
	return err
}

// step does one thing to the store.
func (r *run) step(ctx context.Context) error {
	r.now = r.now.Add(time.Second)
	switch n := r.random.IntN(100); {
	case n < 4:
		return errors.Join(r.store.Close(), r.open(ctx))
	case n < 12: // what was forgotten is due by now
		r.now = r.now.Add(31 * 24 * time.Hour)
		return r.store.Compact(ctx)
	case n < 24 && r.Extra != nil:
		return r.Extra(ctx, r.store, r.now, r.random)
	case n < 30 && r.Faults:
		r.failing = true
		defer func() { r.failing = false }()
		if err := r.store.Apply(ctx, r.operation()); !errors.Is(err, storage.ErrUnavailable) {
			return fmt.Errorf("apply on a full disk: %w", err)
		}
		return nil
	}
	return r.store.Apply(ctx, r.operation())
}

// name returns a name that was not used before.
func (r *run) name(prefix string) string {
	r.named++
	return fmt.Sprintf("%s%d.%d", prefix, r.Seed, r.named)
}

// operation draws one that a store takes.
func (r *run) operation() storage.Op {
	op := storage.Op{User: User, At: r.now}
	known := r.known()
	for range r.random.IntN(3) {
		op.Put = append(op.Put, r.record())
	}
	for _, id := range r.some(known) {
		op.Reinforce = append(op.Reinforce, storage.Reinforcement{ID: id, ObservedAt: r.now, RecordedAt: r.now, Trust: storage.Imported})
	}
	op.Withdraw = r.some(known)
	if ids := r.some(known); len(ids) > 0 {
		op.Forget = &storage.Forget{Receipt: r.name("F")}
		for _, id := range ids {
			op.Forget.Records = append(op.Forget.Records, storage.Tombstone{ID: id, TextHash: "h"})
		}
	}
	op.Restore = r.some(known)
	if r.random.IntN(3) == 0 {
		op.Answer = &storage.Answer{Key: answerKeys[r.random.IntN(len(answerKeys))], Body: []byte(r.name("answer")), At: r.now}
	}
	r.talk(&op)
	return op
}

// known are the records that still have their content.
func (r *run) known() (ids []string) {
	for _, id := range r.ids {
		if e, err := r.store.Get(context.Background(), id); err == nil && !e.Purged && !e.Erased {
			ids = append(ids, id)
		}
	}
	return ids
}

// some draws up to two of ids, mostly none.
func (r *run) some(ids []string) (some []string) {
	if len(ids) == 0 || r.random.IntN(3) > 0 {
		return nil
	}
	for range 1 + r.random.IntN(2) {
		some = append(some, ids[r.random.IntN(len(ids))])
	}
	return some
}

// record draws one of few bytes or many sectors.
func (r *run) record() storage.Record {
	id, word := r.name("R"), r.name("W")+" "
	r.ids = append(r.ids, id)
	r.words[id] = word
	size := 10 << r.random.IntN(10)
	return storage.Record{ID: id, User: User, Layer: storage.Fact, Tier: storage.Semantic, Text: strings.Repeat(word, size/len(word)+1),
		Importance: 3, Confidence: 0.5, ObservedAt: r.now, RecordedAt: r.now, Trust: storage.UserStated}
}

const session = "s"

// talk adds turns, marks, a job and what was seen.
func (r *run) talk(op *storage.Op) {
	if r.random.IntN(3) > 0 {
		return
	}
	next, unread := int64(1), int64(1)
	_ = r.store.Sessions(context.Background(), func(s storage.Session) error { // a closed store would fail the step itself
		next, unread = s.Next, s.Unread
		return nil
	})
	for n := range int64(1 + r.random.IntN(3)) {
		op.Hear = append(op.Hear, storage.Turn{Session: session, Seq: next + n, Text: r.name("turn"), Heard: r.now})
	}
	if r.random.IntN(2) == 0 {
		op.Read = []storage.Reading{{Session: session, Unread: unread + 1, Keep: max(1, next-2)}}
	}
	job := jobs[r.random.IntN(len(jobs))]
	op.Jobs = []storage.Job{{ID: job, Open: r.random.IntN(2) == 0, Body: []byte(r.name("job"))}}
	op.Seen = []string{seen[r.random.IntN(len(seen))]}
}

var (
	answerKeys = []string{"k1", "k2", "k3"}
	jobs       = []string{"J1", "J2", "J3"}
	seen       = []string{"h1", "h2", "h3", "h4", "h5", "h6"}
)
