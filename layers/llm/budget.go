package llm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Limits bound what one job may cost. A zero field is the default, a negative one
// no limit.
type Limits struct {
	Calls  int           // answers asked for; 200
	Tokens int           // input and output of all calls; 1,000,000
	Time   time.Duration // from the first to the last; 15 min
}

// Defaults of the limits: a document of 50,000 characters, cut in ten windows, takes
// five layers fifty calls and 200,000 tokens, and a model on a laptop's CPU ten
// minutes.
const (
	defaultCalls  = 200
	defaultTokens = 1_000_000
	defaultTime   = 15 * time.Minute
)

// Budget is what is left of a job's limits. It is safe for concurrent use; calls
// that are under way when the tokens run out are not ended.
type Budget struct {
	limits Limits
	end    time.Time // zero: no limit

	mu     sync.Mutex // guards what follows
	calls  int
	tokens int
}

// NewBudget starts a job's budget; its time runs from now.
func NewBudget(limits Limits) *Budget {
	b := &Budget{limits: Limits{
		Calls:  cmp.Or(limits.Calls, defaultCalls),
		Tokens: cmp.Or(limits.Tokens, defaultTokens),
		Time:   cmp.Or(limits.Time, defaultTime),
	}}
	if b.limits.Time > 0 {
		b.end = time.Now().Add(b.limits.Time)
	}
	return b
}

// Caller returns c with the budget over it: a call beyond it is refused with
// ErrBudget, and one under way ends when the time does.
func (b *Budget) Caller(c Caller) Caller { return budgeted{b, c} }

// take counts a call that is about to be made, or says why there may be none.
func (b *Budget) take() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.limits.Calls > 0 && b.calls >= b.limits.Calls:
		return fmt.Errorf("%w: %d calls of %d", ErrBudget, b.calls, b.limits.Calls)
	case b.limits.Tokens > 0 && b.tokens >= b.limits.Tokens:
		return fmt.Errorf("%w: %d tokens of %d", ErrBudget, b.tokens, b.limits.Tokens)
	case !b.end.IsZero() && !time.Now().Before(b.end):
		return b.late()
	}
	b.calls++
	return nil
}

func (b *Budget) late() error {
	return fmt.Errorf("%w: the job's %v are over", ErrBudget, b.limits.Time)
}

func (b *Budget) spend(tokens int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens += tokens
}

type budgeted struct {
	budget *Budget
	caller Caller
}

var _ Caller = budgeted{}

// Model implements Caller.
func (b budgeted) Model() string { return b.caller.Model() }

// Call implements Caller.
func (b budgeted) Call(ctx context.Context, r Request) (Response, error) {
	if err := b.budget.take(); err != nil {
		return Response{}, err
	}
	if !b.budget.end.IsZero() {
		within, cancel := context.WithDeadlineCause(ctx, b.budget.end, ErrBudget)
		defer cancel()
		ctx = within
	}
	answer, err := b.caller.Call(ctx, r)
	if err != nil {
		if errors.Is(context.Cause(ctx), ErrBudget) {
			err = b.budget.late()
		}
		return answer, err
	}
	input, output, _ := counted(r, answer)
	b.budget.spend(input + output)
	return answer, nil
}
