package remote_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/tools/remote"
)

// gateAlone is a client's model that lets no layer through.
type gateAlone struct{}

func (gateAlone) CreateMessage(context.Context, mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	const none = `{"should_extract":false,"reasoning":"the client's model says so"}`
	text := fmt.Sprintf(`{"activity":%[1]s,"context":%[1]s,"experience":%[1]s,"identity":%[1]s,"preference":%[1]s}`, none)
	return &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(text)}, Model: "house-model"}, nil
}

// Over streamable HTTP the client can be asked as long as it listens; where it does
// not, and over SSE, the rules decide and say why.
func TestSampling_OverHTTP(t *testing.T) {
	r := start(t, remote.Options{Tokens: twoUsers()})
	extract := func(c *client.Client, n int) string {
		_, text := call(t, c, "extract", map[string]any{"text": fmt.Sprintf("I live in house number %d.", n)})
		return text
	}
	asked := 1000 // each time another house: what was read before asks nobody
	for kind, why := range map[string]string{remote.HTTP: "the client does not listen for requests", remote.SSE: "this transport carries no sampling"} {
		c := r.dial(t, kind, aliceToken, client.WithSamplingHandler(gateAlone{}))
		asked++
		if text := extract(c, asked); !strings.Contains(text, `"mode":"rules"`) || !strings.Contains(text, "by rules: "+why) {
			t.Errorf("%s: %s", kind, text)
		}
	}
	c := r.dial(t, listeningHTTP, bobToken, client.WithSamplingHandler(gateAlone{}))
	for n := 1; ; n++ { // the client opens its stream after initialize has returned
		text := extract(c, n)
		if strings.Contains(text, `"mode":"sampling"`) && strings.Contains(text, "house-model") && strings.Contains(text, "the client's model says so") {
			return
		}
		if !strings.Contains(text, "does not listen") || n == 1000 {
			t.Fatalf("call %d: %s", n, text)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
