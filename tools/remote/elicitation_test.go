package remote_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/tools/remote"
)

// says is a user who answers every question in one way.
type says mcp.ElicitationResponseAction

func (s says) Elicit(context.Context, mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{Action: mcp.ElicitationResponseAction(s)}}, nil
}

// Over streamable HTTP the question comes on the call's own stream, so that no other
// need be open; SSE carries none.
func TestElicitation_OverHTTP(t *testing.T) {
	for _, tc := range []struct {
		kind   string
		answer says
		want   string
	}{
		{remote.HTTP, "accept", `"forgotten":1,`},
		{listeningHTTP, "accept", `"forgotten":1,`},
		{remote.HTTP, "decline", "said no"},
		{remote.SSE, "accept", "show them to the user"},
	} {
		r := start(t, remote.Options{Tokens: twoUsers()})
		c := r.dial(t, tc.kind, aliceToken, client.WithElicitationHandler(tc.answer))
		call(t, c, "remember", map[string]any{"text": "The raft holds six."})
		if _, text := call(t, c, "forget", map[string]any{"query": "raft"}); !strings.Contains(text, tc.want) {
			t.Errorf("%s, %s: %s", tc.kind, tc.answer, text)
		}
	}
}
