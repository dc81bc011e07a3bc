package builtin

import (
	"context"
	"runtime"
	"sync"

	"mcp-memory/vector/embed"
)

// turns shares the processors out, so that a query, for which somebody waits, is
// never held up by passages, of which there may be thousands:
//
//   - Passages get a part of the processors only (a number of slots), whoever
//     embeds them.
//   - Before every layer a passage's pass steps aside for the queries under way.
//     It waits for as many to end as it found, not until none is left, so that a
//     stream of queries cannot stop it for good.
type turns struct {
	passages chan struct{} // holds one token for each slot in use
	queries  chan struct{}

	mu    sync.Mutex    // guards the rest
	open  int           // calls with queries under way, those that wait for a slot too
	ended uint64        // such calls that have ended, ever
	next  chan struct{} // closed when the next one ends
}

// newTurns allows so many passes of passages at once, and one pass of queries for
// each processor.
func newTurns(passages int) *turns {
	return &turns{
		passages: make(chan struct{}, passages),
		queries:  make(chan struct{}, runtime.GOMAXPROCS(0)),
		next:     make(chan struct{}),
	}
}

// slots returns the slots for a kind of text.
func (t *turns) slots(kind embed.Kind) chan struct{} {
	if kind == embed.Query {
		return t.queries
	}
	return t.passages
}

// enter counts a call for texts of a kind in; leave counts it out.
func (t *turns) enter(kind embed.Kind) (leave func()) {
	if kind != embed.Query {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open++
	return t.leave
}

// leave counts a query out and wakes those that stepped aside.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open--
	t.ended++
	close(t.next)
	t.next = make(chan struct{})
}

// take waits for a slot; release gives it back.
func (t *turns) take(ctx context.Context, kind embed.Kind) (release func(), err error) {
	slots := t.slots(kind)
	select {
	case slots <- struct{}{}:
		return func() { <-slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// step is what work of a kind does between two short pieces: passages let queries
// go first, and either ends where ctx has.
func (t *turns) step(ctx context.Context, kind embed.Kind) error {
	if kind != embed.Query {
		if err := t.stepAside(ctx); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// stepAside waits until as many calls with queries have ended as are under way
// now.
func (t *turns) stepAside(ctx context.Context) error {
	// On a single processor the goroutine of a query may not have come so far
	// as to be counted; this lets it.
	runtime.Gosched()
	t.mu.Lock()
	enough := t.ended + uint64(t.open)
	t.mu.Unlock()
	for {
		t.mu.Lock()
		ended, next := t.ended, t.next
		t.mu.Unlock()
		if ended >= enough {
			return nil
		}
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
