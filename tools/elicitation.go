package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers"
)

// defaultElicitationWait is how long a user has to answer: the call waits meanwhile,
// and a confirm token lets them take their time.
const defaultElicitationWait = 10 * time.Second

// Sizes of a question.
const (
	askedTexts = 3   // of those that would go
	askedText  = 120 // bytes of each
)

// silencePeriod is how long a session whose user gave no answer is not asked again:
// nobody may be there, or the client may not show questions, and each costs its wait.
const silencePeriod = 10 * time.Minute

// elicitation asks the users of clients that offer it whether a wide forget may run.
type elicitation struct {
	wait time.Duration

	mu     sync.Mutex           // guards silent
	silent map[string]time.Time // sessions that gave no answer, and when
}

// gaveNoAnswer notes a session's silence.
func (e *elicitation) gaveNoAnswer(session string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	maps.DeleteFunc(e.silent, func(_ string, at time.Time) bool { return time.Since(at) >= silencePeriod })
	if e.silent == nil {
		e.silent = map[string]time.Time{}
	}
	e.silent[session] = time.Now()
}

// isSilent reports whether a session gave no answer lately.
func (e *elicitation) isSilent(session string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	at, ok := e.silent[session]
	return ok && time.Since(at) < silencePeriod
}

// of returns who asks the user of the client that calls; nil where nobody can, or gave
// no answer lately.
func (e *elicitation) of(ctx context.Context) server.SessionWithElicitation {
	session := server.ClientSessionFromContext(ctx)
	asks, can := session.(server.SessionWithElicitation)
	who, known := session.(server.SessionWithClientInfo)
	if !can || !known || mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)) || !showsForms(who.GetClientCapabilities().Elicitation) || e.isSilent(asks.SessionID()) {
		return nil
	}
	return asks
}

// showsForms reports whether a client asks its user in its own window. One that names
// no mode does: the other came later.
func showsForms(c *mcp.ElicitationCapability) bool {
	return c != nil && (c.Form != nil || c.URL == nil)
}

// consented puts the user's word in the place of a confirm token: where a forget answers
// with what would go, and the client can ask its user, the same call runs once they have
// said yes. Whatever else they say, and where they say nothing, nothing runs.
func (f *face) consented(next server.ToolHandlerFunc) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := next(ctx, req)
		shown, wide := wideForget(res)
		if err != nil || !wide {
			return res, err
		}
		asks := f.elicitation.of(ctx)
		if asks == nil {
			return res, nil
		}
		answer := f.elicitation.ask(ctx, asks, question(shown))
		f.log.Info("the user was asked whether a wide forget may run", "records", shown.MatchedCount, "mode", shown.Mode, "answer", answer)
		if answer == mcp.ElicitationResponseActionAccept {
			return next(ctx, confirmed(req, shown.Confirm))
		}
		shown.Note = notRun(answer, f.elicitation.wait)
		return forgetResult(shown)
	}
}

// wideForget is the answer of a forget that wants to be confirmed.
func wideForget(res *mcp.CallToolResult) (out layers.ForgetOutput, wide bool) {
	if res == nil || res.IsError {
		return out, false
	}
	raw, err := json.Marshal(res.StructuredContent) // of a call that was passed on it is a map
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return out, false
	}
	return out, out.Confirm != "" && out.Forgotten == 0
}

// confirmed is the same call with a confirm token.
func confirmed(req mcp.CallToolRequest, token string) mcp.CallToolRequest {
	args := map[string]json.RawMessage{}
	if raw, err := argumentsOf(req.Params.Name, req); err == nil {
		_ = json.Unmarshal(raw, &args) // they were decoded before
	}
	args["confirm"], _ = json.Marshal(token) // a string
	req.Params.RawArguments, _ = json.Marshal(args)
	req.Params.Arguments = nil
	return req
}

// unanswered stands for an answer that did not come.
const unanswered mcp.ElicitationResponseAction = "none"

// ask puts a question to the user, who may say yes or no to it.
func (e *elicitation) ask(ctx context.Context, asks server.SessionWithElicitation, text string) mcp.ElicitationResponseAction {
	within, stop := context.WithTimeout(ctx, e.wait)
	defer stop()
	res, err := asks.RequestElicitation(within, mcp.ElicitationRequest{Params: mcp.ElicitationParams{
		Message:         text,
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}})
	switch {
	case err != nil && errors.Is(within.Err(), context.DeadlineExceeded):
		e.gaveNoAnswer(asks.SessionID())
		return unanswered
	case err == nil && (res.Action == mcp.ElicitationResponseActionAccept || res.Action == mcp.ElicitationResponseActionDecline):
		return res.Action
	}
	return mcp.ElicitationResponseActionCancel // for any other word too: it is a client's, and answers are logged
}

// question says what would go, so that a user can tell whether it is what they meant.
func question(out layers.ForgetOutput) string {
	var b strings.Builder
	count := fmt.Sprintf("%d memories", out.MatchedCount)
	switch out.MatchedCount {
	case 0: // an erase of all that has not become memories yet
		count = "what was said and not yet remembered"
	case 1:
		count = "1 memory"
	}
	if out.Mode == layers.ModeErase {
		fmt.Fprintf(&b, "Erase %s from every file? This cannot be undone.", count)
	} else {
		fmt.Fprintf(&b, "Forget %s? This can be undone for 30 days.", count)
	}
	for _, m := range first(out.Matched, askedTexts) {
		if text := oneLine(m.Text, askedText); text != "" { // what was forgotten before shows no text
			fmt.Fprintf(&b, "\n- %s", text)
		}
	}
	if n := out.MatchedCount - askedTexts; n > 0 {
		fmt.Fprintf(&b, "\n... and %d more", n)
	}
	return b.String()
}

// notRun tells a model that the user was asked and what follows from it.
func notRun(answer mcp.ElicitationResponseAction, wait time.Duration) string {
	switch answer {
	case mcp.ElicitationResponseActionDecline:
		return "the user was asked and said no; nothing was forgotten: use this confirm token only if they come back to it themselves"
	case unanswered:
		return fmt.Sprintf("the user was asked and gave no answer within %v; nothing was forgotten yet: show them what would go, then call again with the same selectors and this confirm token within 10 minutes", wait)
	}
	return "the user was asked and gave no answer; nothing was forgotten yet: show them what would go, and call again with the same selectors and this confirm token only if they agree"
}
