package tools

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/layers/llm"
)

const (
	defaultSamplingWait = 30 * time.Second
	// samplingTokens bounds an answer whose asker sets no limit: the protocol wants one.
	samplingTokens = 4096
	// samplingModel stands for the client's model until it has named itself.
	samplingModel = "the client's model"
)

// sampling asks clients' models, over the sessions in which they call.
type sampling struct{ wait time.Duration }

// of returns who asks the model of the client that calls, or why nobody does.
func (s *sampling) of(ctx context.Context) (c llm.Caller, why string) {
	if s == nil {
		return nil, ""
	}
	session := server.ClientSessionFromContext(ctx)
	asks, can := session.(server.SessionWithSampling)
	who, known := session.(server.SessionWithClientInfo)
	switch {
	case mcp.IsModernProtocol(server.RequestProtocolVersion(ctx)):
		return nil, "this version of the protocol has no sampling"
	case !can:
		return nil, "this transport carries no sampling"
	case !known || who.GetClientCapabilities().Sampling == nil:
		return nil, "the client offers no sampling"
	case deaf(ctx):
		return nil, "the client does not listen for requests (GET /mcp)"
	}
	return &sampler{sampling: s, session: asks, gone: ctx.Done()}, ""
}

type deafKey struct{}

// WithoutListener says of a call that its client has no stream open on which it could
// be asked anything.
func WithoutListener(ctx context.Context) context.Context {
	return context.WithValue(ctx, deafKey{}, true)
}

func deaf(ctx context.Context) bool {
	is, _ := ctx.Value(deafKey{}).(bool)
	return is
}

// sampler asks the model of one client for as long as one call of it lasts.
type sampler struct {
	*sampling
	session server.SessionWithSampling
	gone    <-chan struct{}        // closed when the call has ended
	model   atomic.Pointer[string] // as the client named it last
	refused atomic.Pointer[error]  // why it is not asked any more
}

var _ llm.Caller = (*sampler)(nil)

// Model implements [llm.Caller].
func (s *sampler) Model() string {
	if name := s.model.Load(); name != nil {
		return *name
	}
	return samplingModel
}

// Call implements [llm.Caller]. Where a person has said no, or nobody answered in
// time, the client is not asked again in the same call of extract: it would be
// another dialogue to be dismissed, or another half a minute.
func (s *sampler) Call(ctx context.Context, r llm.Request) (llm.Response, error) {
	if err := s.refused.Load(); err != nil {
		return llm.Response{}, fmt.Errorf("not asked again: %w", *err)
	}
	within, stop := context.WithTimeout(ctx, s.wait)
	defer stop()
	watched := make(chan struct{})
	defer close(watched)
	go func() {
		select {
		case <-s.gone:
			stop()
		case <-watched:
		}
	}()
	result, err := s.session.RequestSampling(within, samplingRequest(&r))
	if err != nil {
		return llm.Response{}, s.failed(ctx, err)
	}
	answer := samplingResponse(result)
	s.model.Store(&answer.Model)
	return answer, nil
}

// samplingRequest is r as the protocol has it. The prompts say the shape of the
// answer, since no schema can be given.
func samplingRequest(r *llm.Request) mcp.CreateMessageRequest {
	tokens := r.MaxTokens
	if tokens <= 0 {
		tokens = samplingTokens
	}
	return mcp.CreateMessageRequest{CreateMessageParams: mcp.CreateMessageParams{
		Messages:       []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(r.Prompt)}},
		SystemPrompt:   r.System,
		IncludeContext: "none",
		MaxTokens:      tokens,
	}}
}

// maxModelName bounds what a client calls its model, in bytes.
const maxModelName = 200

func samplingResponse(result *mcp.CreateMessageResult) llm.Response {
	name := cmp.Or(oneLine(result.Model, maxModelName), samplingModel)
	return llm.Response{Text: samplingText(result.Content), Truncated: result.StopReason == "maxTokens", Model: name}
}

// samplingText is what is text in an answer.
func samplingText(content any) string {
	switch c := content.(type) {
	case mcp.TextContent:
		return c.Text
	case *mcp.TextContent:
		return c.Text
	case []mcp.Content:
		var parts []string
		for _, part := range c {
			parts = append(parts, samplingText(part))
		}
		return strings.Join(parts, "")
	}
	return ""
}

// Codes of a client's no after which it is not asked again.
const (
	codeRejected = -1 // by its user, as the protocol's examples have it
	codeUnknown  = mcp.METHOD_NOT_FOUND
)

// failed gives an error its kind. What the client said about it stays out.
func (s *sampler) failed(ctx context.Context, err error) error {
	var no *responseError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.over(), errors.Is(err, errSpokenOut):
		return fmt.Errorf("%w: the call that it was asked for has ended", llm.ErrUnavailable)
	case errors.Is(err, context.DeadlineExceeded):
		return s.giveUp(fmt.Errorf("%w: the client gave no answer within %v", llm.ErrUnavailable, s.wait))
	case errors.As(err, &no) && (no.code == codeRejected || no.code == codeUnknown):
		return s.giveUp(fmt.Errorf("%w: %v", llm.ErrRejected, no))
	case errors.As(err, &no):
		return fmt.Errorf("%w: %v", llm.ErrRejected, no)
	}
	return fmt.Errorf("%w: sampling failed", llm.ErrRejected)
}

func (s *sampler) giveUp(err error) error {
	s.refused.Store(&err)
	return err
}

func (s *sampler) over() bool {
	select {
	case <-s.gone:
		return true
	default:
		return false
	}
}
