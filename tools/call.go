package tools

import (
	"context"

	"mcp-memory/layers"
)

type callKey struct{}

// withCall returns a context whose call can be told from all others, so that
// one that is sent again, because nobody knows whether it was answered, does
// nothing twice.
func withCall(ctx context.Context, call layers.Call) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// callFrom returns the call of the context; the zero one where it has none.
func callFrom(ctx context.Context) layers.Call {
	call, _ := ctx.Value(callKey{}).(layers.Call)
	return call
}
