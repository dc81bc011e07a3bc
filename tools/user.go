package tools

import (
	"context"

	"mcp-memory/layers"
)

type userKey struct{}

// WithUser returns a context whose calls are about user's memory. Transports
// set it from a token or a setting; no tool argument can.
func WithUser(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

// UserFrom returns the user of the context, or [layers.DefaultUser].
func UserFrom(ctx context.Context) string {
	if user, ok := ctx.Value(userKey{}).(string); ok && user != "" {
		return user
	}
	return layers.DefaultUser
}
