package llm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/layers/llm"
)

func TestBudget_EndsAtItsCalls(t *testing.T) {
	caller := texts("x")
	b := llm.NewBudget(llm.Limits{Calls: 2})
	for i, want := range []error{nil, nil, llm.ErrBudget, llm.ErrBudget} {
		if _, err := b.Caller(caller).Call(t.Context(), llm.Request{}); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i, err, want)
		}
	}
	if calls, tokens := b.Spent(); calls != 2 || tokens != 30 || len(caller.asked) != 2 {
		t.Errorf("%d calls, %d tokens, %d asked", calls, tokens, len(caller.asked))
	}
}

func TestBudget_EndsAtItsTokens(t *testing.T) {
	b := llm.NewBudget(llm.Limits{Tokens: 20, Calls: -1})
	for i, want := range []error{nil, nil, llm.ErrBudget} { // 15 tokens each
		if _, err := b.Caller(texts("x")).Call(t.Context(), llm.Request{}); !errors.Is(err, want) {
			t.Errorf("call %d: %v, want %v", i, err, want)
		}
	}
}

// hanging answers when its context ends.
type hanging struct{}

func (hanging) Model() string { return "hanging" }

func (hanging) Call(ctx context.Context, _ llm.Request) (llm.Response, error) {
	<-ctx.Done()
	return llm.Response{}, ctx.Err()
}

func TestBudget_EndsAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := llm.NewBudget(llm.Limits{Time: time.Minute})
		start := time.Now()
		_, err := b.Caller(hanging{}).Call(t.Context(), llm.Request{})
		if !errors.Is(err, llm.ErrBudget) || errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		if _, err := b.Caller(texts("x")).Call(t.Context(), llm.Request{}); !errors.Is(err, llm.ErrBudget) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestBudget_LeavesTheCallersOwnEndAlone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.NewBudget(llm.Limits{}).Caller(hanging{}).Call(ctx, llm.Request{})
	if !errors.Is(err, context.Canceled) || errors.Is(err, llm.ErrBudget) {
		t.Error(err)
	}
}
