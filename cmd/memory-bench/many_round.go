package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// manyRound is what became of one round.
type manyRound struct {
	Wanted     int     `json:"wanted"`  // memories
	Missing    int     `json:"missing"` // of them, in the end
	Twice      int     `json:"twice"`   // stored more than once
	Refused    int     `json:"refused"` // calls of survivors that got an error
	Odd        int     `json:"odd"`     // answers of survivors that are not those of a first call
	Owners     int     `json:"owners"`  // in the end
	KilledAt   int     `json:"killed_at"`
	TakeOverMS float64 `json:"take_over_ms"` // from the kill to the answer that a client with nothing in flight gets
}

// What a limit of time gets before it counts as not held: on a busy machine one round
// may not show it.
const (
	moreTakeOvers = 6 // rounds more
	frozenTries   = 3
)

// measureMany runs the rounds, and then freezes an owner.
func measureMany(ctx context.Context, o manyOptions, progress io.Writer) (r manyReport, err error) {
	dir, exe, remove, err := scratch(ctx, o.server)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	o.server = exe
	rng := rand.New(rand.NewPCG(o.seed, 0))
	for i := 0; i < o.rounds || o.check && i < o.rounds+moreTakeOvers && r.takenOver() > maxTakeOver; i++ {
		m := &many{options: o, dir: filepath.Join(dir, fmt.Sprint(i)), killAt: int64(1 + rng.IntN(o.processes*o.remembers*3/4)), progress: progress}
		m.Wanted, m.KilledAt = o.processes*o.remembers, int(m.killAt)
		if err := m.play(ctx); err != nil {
			return r, fmt.Errorf("round %d: %w", i+1, err)
		}
		fmt.Fprintf(progress, "round %d of %d: %+v\n", i+1, o.rounds, m.manyRound)
		r.Rounds = append(r.Rounds, m.manyRound)
	}
	for try := range frozenTries {
		r.Frozen, err = measureFrozen(ctx, o, filepath.Join(dir, fmt.Sprint("frozen", try)), progress)
		if err != nil || !o.check || r.Frozen.ErrorMS <= maxFrozenError {
			break
		}
	}
	return r, err
}

// many is a round under way.
type many struct {
	manyRound
	options  manyOptions
	dir      string
	killAt   int64 // answers until the owner is killed
	progress io.Writer
	children []*child
	owner    int    // its place in children
	idle     *child // one more process, whose client waits for the kill

	probe sync.WaitGroup // the call that is made when the owner is killed

	mu    sync.Mutex // guards what follows, and the counts
	acked int64
	again []string // texts that the owner's client got no answer for
}

func (m *many) play(ctx context.Context) (err error) {
	defer func() {
		for i, c := range m.children {
			if stopped := c.stop(); i != m.owner {
				err = errors.Join(err, stopped)
			}
		}
	}()
	if err := m.start(ctx); err != nil {
		return err
	}
	if err := m.findOwner(ctx); err != nil {
		return err
	}
	var all sync.WaitGroup
	for i, c := range m.children[:m.options.processes] {
		for j := range m.options.remembers {
			all.Go(func() { m.remember(ctx, i, c, fmt.Sprintf("Process %d wrote sentence %d.", i, j)) })
		}
	}
	all.Wait()
	m.probe.Wait()
	if err := m.retry(ctx); err != nil {
		return err
	}
	return m.count(ctx)
}

func (m *many) childOptions() childOptions {
	return childOptions{exe: m.options.server, dir: m.dir, log: "error", embedder: m.options.embedder, stderr: os.Stderr}
}

// start starts all processes at once.
func (m *many) start(ctx context.Context) error {
	m.owner = -1
	children, failed := make([]*child, m.options.processes), make([]error, m.options.processes)
	var starting sync.WaitGroup
	for i := range children {
		starting.Go(func() { children[i], failed[i] = startChild(ctx, m.childOptions()) })
	}
	starting.Wait()
	for _, c := range children {
		if c != nil {
			m.children = append(m.children, c)
		}
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	c, err := startChild(ctx, m.childOptions())
	if err != nil {
		return err
	}
	m.idle, m.children = c, append(m.children, c)
	return nil
}

func (m *many) findOwner(ctx context.Context) error {
	s, err := m.children[0].stats(ctx)
	if err != nil {
		return err
	}
	for i, c := range m.children {
		if c.pid() == s.OwnerPID {
			m.owner = i
			return nil
		}
	}
	return fmt.Errorf("the owner is said to be process %d, which is none of ours", s.OwnerPID)
}

// remembered is what is read of an answer.
type rememberedMany struct {
	Memories []struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Text   string `json:"text"`
	} `json:"memories"`
}

// remember sends one call, and kills the owner when its time has come. Only the
// owner's client will have to send calls again itself, so only it uses keys.
func (m *many) remember(ctx context.Context, i int, c *child, text string) {
	args := map[string]any{"text": text, "tier": "episodic"}
	if i == m.owner {
		args["idempotency_key"] = text
	}
	var out rememberedMany
	_, err := c.call(ctx, "remember", args, &out)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && i == m.owner:
		m.again = append(m.again, text)
		return
	case err != nil:
		m.Refused++
		fmt.Fprintln(m.progress, err)
		return
	case len(out.Memories) != 1 || out.Memories[0].Status != "stored" || out.Memories[0].Text != text:
		m.Odd++
		fmt.Fprintf(m.progress, "an odd answer: %+v\n", out)
	}
	if m.acked++; m.acked == m.killAt {
		if err := m.children[m.owner].cmd.Process.Kill(); err != nil {
			fmt.Fprintln(m.progress, "kill the owner:", err)
		}
		m.probe.Go(func() { m.takeOver(ctx) })
	}
}

// takeOver asks through a survivor once the owner is killed.
func (m *many) takeOver(ctx context.Context) {
	begin := time.Now()
	_, err := m.idle.stats(ctx)
	took := float64(time.Since(begin).Microseconds()) / 1000
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.TakeOverMS = took; err != nil {
		m.Refused++
		fmt.Fprintln(m.progress, err)
	}
}

func (m *many) survivor() *child { return m.children[(m.owner+1)%m.options.processes] }

// retry is the client of the owner that was killed: it starts a server again and
// sends again what was not answered.
func (m *many) retry(ctx context.Context) error {
	c, err := startChild(ctx, m.childOptions())
	if err != nil {
		return err
	}
	m.children = append(m.children, c)
	for _, text := range m.again {
		var out rememberedMany
		if _, err := c.call(ctx, "remember", map[string]any{"text": text, "tier": "episodic", "idempotency_key": text}, &out); err != nil {
			return err
		}
	}
	return nil
}

// count looks at what is there in the end, and at who owns it.
func (m *many) count(ctx context.Context) error {
	all, err := m.survivor().recallAll(ctx, map[string]any{"limit": 100, "tiers": []string{"episodic"}})
	if err != nil {
		return err
	}
	there := map[string]int{}
	for _, match := range all {
		there[match.Text]++
	}
	m.Missing = m.Wanted - len(there)
	for _, n := range there {
		if n > 1 {
			m.Twice++
		}
	}
	for i, c := range m.children {
		if i == m.owner {
			continue
		}
		s, err := c.stats(ctx)
		if err != nil {
			return err
		}
		if s.Role == "owner" {
			m.Owners++
		}
	}
	return nil
}
