package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
	"mcp-memory/tools"
)

const (
	beekeeper   = `{"messages":[{"id":"m1","role":"user","content":"I am a beekeeper in Freiburg. From now on answer me in bullet points."}],"source_id":"s"}`
	letThrough  = `{"activity":{"should_extract":false,"reasoning":"no"},"context":{"should_extract":false,"reasoning":"no"},"experience":{"should_extract":false,"reasoning":"no"},"identity":{"should_extract":true,"reasoning":"yes"},"preference":{"should_extract":true,"reasoning":"yes"}}`
	occupied    = "Here it is:\n```json\n" + `{"memories":[{"text":"The user is a beekeeper in Freiburg.","importance":4,"confidence":0.9,"entity":"user","attribute":"occupation","value":"beekeeper","quote":"I am a beekeeper in Freiburg."}]}` + "\n```"
	pointed     = `{"memories":[{"text":"The user wants answers in bullet points.","importance":4,"confidence":0.9,"entity":"user","attribute":"answer style","value":"bullet points","quote":"answer me in bullet points"}]}`
	gatekeepers = "You are the gatekeeper"
)

// clientModel is the model of a client, as mcp-go's client asks it.
type clientModel struct {
	mu    sync.Mutex
	asked []mcp.CreateMessageRequest
}

func (m *clientModel) CreateMessage(_ context.Context, req mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, req)
	text := pointed
	switch {
	case strings.HasPrefix(req.SystemPrompt, gatekeepers):
		text = letThrough
	case strings.Contains(req.SystemPrompt, "identity"):
		text = occupied
	}
	return &mcp.CreateMessageResult{
		SamplingMessage: mcp.SamplingMessage{Role: mcp.RoleAssistant, Content: mcp.NewTextContent(text)}, Model: "house-model", StopReason: "endTurn",
	}, nil
}

func samplingOptions(t *testing.T) tools.Options {
	return tools.Options{Ready: tools.Loaded(realMemory(t)), Sampling: true, SamplingWait: time.Minute}
}

// overPipes connects mcp-go's client by a pair of pipes.
func overPipes(t *testing.T, opts tools.Options, model client.SamplingHandler) *client.Client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- tools.Serve(context.WithoutCancel(t.Context()), tools.NewServer(opts), inR, outW, tools.Lines{})
		_ = outW.Close()
	}()
	var options []client.ClientOption
	if model != nil {
		options = append(options, client.WithSamplingHandler(model))
	}
	c := client.NewClient(transport.NewIO(outR, inW, io.NopCloser(strings.NewReader(""))), options...)
	t.Cleanup(func() { _ = c.Close(); <-ended })
	if err := c.Start(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	req := mcp.InitializeRequest{}
	req.Params.ProtocolVersion, req.Params.ClientInfo = "2025-11-25", mcp.Implementation{Name: "test", Version: "1"}
	if _, err := c.Initialize(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSampling_TheClientsModelDecidesAndExtracts(t *testing.T) {
	m := &clientModel{}
	c := overPipes(t, samplingOptions(t), m)
	out := structured[layers.ExtractOutput](t, c, "extract", beekeeper)
	if out.Gate.Mode != layers.GateSampling || out.Gate.Model != "house-model" || out.Status != layers.JobComplete {
		t.Errorf("gate %s by %s, status %s", out.Gate.Mode, out.Gate.Model, out.Status)
	}
	if out.Counts.Stored != 2 || out.Counts.ModelCalls != 3 || out.Layers["identity"].Model != "house-model" {
		t.Errorf("counts %+v, layers %+v", out.Counts, out.Layers)
	}
	if len(m.asked) != 3 {
		t.Fatalf("the client was asked %d times", len(m.asked))
	}
	for _, req := range m.asked {
		if req.SystemPrompt == "" || req.MaxTokens <= 0 || req.IncludeContext != "none" || len(req.Messages) != 1 {
			t.Errorf("asked with %+v", req)
		}
	}
	job, err := read(t, c.ReadResource, "memory://job/"+out.JobID)
	if err != nil || strings.Count(job.Text, `"model": "house-model"`) != 6 || strings.Count(job.Text, out.TraceID) != 4 {
		t.Errorf("%v, the job is\n%s", err, job.Text)
	}
	again := structured[layers.ExtractOutput](t, c, "extract", beekeeper)
	if again.Counts.Stored != 0 || len(m.asked) != 3 {
		t.Errorf("sent again: counts %+v, asked %d times", again.Counts, len(m.asked))
	}
}

func TestSampling_RulesWhereTheClientCannotBeAsked(t *testing.T) {
	for name, tc := range map[string]struct {
		c    *client.Client
		args string
		want string
	}{
		"a client that offers none":   {overPipes(t, samplingOptions(t), nil), beekeeper, "by rules: the client offers no sampling"},
		"a client that does not wait": {overPipes(t, samplingOptions(t), &clientModel{}), strings.Replace(beekeeper, "{", `{"wait":false,`, 1), "by rules: the client's model is asked only with wait"},
	} {
		out := structured[layers.ExtractOutput](t, tc.c, "extract", tc.args)
		out = structured[layers.ExtractOutput](t, tc.c, "extract", `{"wait":true,"job_id":"`+out.JobID+`"}`)
		if out.Gate.Mode != layers.GateRules || out.Status != layers.JobComplete || !strings.Contains(out.Gate.Layers["identity"].Reasoning, tc.want) {
			t.Errorf("%s: gate %+v, %s", name, out.Gate, out.Status)
		}
	}
}

const initializeSampling = `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"sampling":{}},"clientInfo":{"name":"t","version":"1"}}}`

// heard is any message of the server.
type heard struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct{ StructuredContent layers.ExtractOutput }
}

func (w *wire) hear() (h heard) {
	w.t.Helper()
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		w.t.Fatalf("read a message: %v", err)
	}
	if err := json.Unmarshal(line, &h); err != nil {
		w.t.Fatalf("%s: %v", cutTo(string(line), 200), err)
	}
	return h
}

// A person who says no is asked once; what the client says about it is not repeated.
func TestSampling_ANoIsTheModelsFailure(t *testing.T) {
	var log bytes.Buffer
	opts := samplingOptions(t)
	opts.Log = slog.New(slog.NewTextHandler(&log, nil))
	w := openWire(t, tools.NewServer(opts))
	w.send(initializeSampling)
	w.hear()
	w.send(toolCall(7, "extract", beekeeper))
	asked := w.hear()
	if asked.Method != "sampling/createMessage" || !strings.Contains(string(asked.Params), "beekeeper") {
		t.Fatalf("asked %+v", asked)
	}
	w.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"error":{"code":-1,"message":"I keep my beekeeper secrets"}}`)
	got := w.hear()
	out := got.Result.StructuredContent
	if string(got.ID) != "7" || out.Gate.Mode != layers.GateFailedOpen || out.Status != layers.JobFailed || out.Counts.Errors != 5 {
		t.Errorf("%+v", got)
	}
	for name, layer := range out.Layers {
		if !strings.Contains(layer.Error, "not asked again") || strings.Contains(layer.Error, "secrets") {
			t.Errorf("%s: %q", name, layer.Error)
		}
	}
	if strings.Contains(log.String(), "beekeeper") {
		t.Errorf("the log holds what was said:\n%s", log.String())
	}
	// Nothing counts as read: the same again asks again, and now it is allowed.
	w.send(toolCall(8, "extract", beekeeper))
	for range 3 {
		asked := w.hear()
		text := pointed
		switch p := string(asked.Params); {
		case strings.Contains(p, gatekeepers):
			text = letThrough
		case strings.Contains(p, "identity"):
			text = occupied
		}
		raw, _ := json.Marshal(text)
		w.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"role":"assistant","model":"m","content":[{"type":"text","text":` + string(raw) + `}]}}`)
	}
	if out := w.hear().Result.StructuredContent; out.Status != layers.JobComplete || out.Counts.Stored != 2 {
		t.Errorf("allowed: %s, %+v", out.Status, out.Counts)
	}
}

// A client that never answers costs one wait, is told that it is over, and may still
// answer: the session lives.
func TestSampling_SilenceEndsWithTheWait(t *testing.T) {
	opts := samplingOptions(t)
	opts.SamplingWait = 20 * time.Millisecond
	w := openWire(t, tools.NewServer(opts))
	w.send(initializeSampling)
	w.hear()
	w.send(toolCall(7, "extract", beekeeper))
	asked, cancelled, got := w.hear(), w.hear(), w.hear()
	if cancelled.Method != "notifications/cancelled" || !strings.Contains(string(cancelled.Params), `"requestId":`+string(asked.ID)) {
		t.Errorf("after %s came %+v", asked.ID, cancelled)
	}
	if out := got.Result.StructuredContent; out.Gate.Mode != layers.GateFailedOpen || out.Status != layers.JobFailed {
		t.Errorf("%+v", out)
	}
	w.send(`{"jsonrpc":"2.0","id":` + string(asked.ID) + `,"result":{"role":"assistant","model":"m","content":{"type":"text","text":"late"}}}`)
	w.send(`{"jsonrpc":"2.0","id":"p","method":"ping"}`)
	if got := w.hear(); string(got.ID) != `"p"` {
		t.Errorf("ping got %+v", got)
	}
}

func TestSampling_NotInTheNewProtocol(t *testing.T) {
	w := openWire(t, tools.NewServer(samplingOptions(t)))
	w.send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"extract","arguments":` + beekeeper + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"sampling":{}}}}}`)
	out := w.hear().Result.StructuredContent
	if out.Gate.Mode != layers.GateRules || !strings.Contains(out.Gate.Layers["identity"].Reasoning, "by rules: this version of the protocol has no sampling") {
		t.Errorf("%+v", out.Gate)
	}
}

// A call that is cancelled takes its question back.
func TestSampling_ACancelledCallAsksNoMore(t *testing.T) {
	m := realMemory(t)
	w := openWire(t, tools.NewServer(tools.Options{Ready: tools.Loaded(m), Sampling: true, SamplingWait: time.Hour}))
	w.send(initializeSampling)
	w.hear()
	w.send(toolCall(7, "extract", beekeeper))
	asked := w.hear()
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
	for range 2 { // the question's end, and whatever mcp-go answers to a cancelled call
		if h := w.hear(); h.Method == "notifications/cancelled" && strings.Contains(string(h.Params), `"requestId":`+string(asked.ID)) {
			return
		}
	}
	t.Error("the client's question was not taken back")
}

// A client that calls its model by no name, or by one without end, gets its answer.
func TestSampling_AnyNameOfAModel(t *testing.T) {
	for name, want := range map[string]string{"": "the client's model", strings.Repeat("m\n", 40_000): strings.TrimSuffix(strings.Repeat("m ", 99), " ") + "…"} {
		w := openWire(t, tools.NewServer(samplingOptions(t)))
		w.send(initializeSampling)
		w.hear()
		w.send(toolCall(7, "extract", strings.Replace(beekeeper, "{", `{"layers":["identity"],`, 1)))
		for {
			h := w.hear()
			if h.Method == "" {
				if got := h.Result.StructuredContent; got.Status != layers.JobComplete || got.Gate.Model != want {
					t.Errorf("status %s, model %q, want %q", got.Status, got.Gate.Model, want)
				}
				break
			}
			text := letThrough
			if !strings.Contains(string(h.Params), gatekeepers) {
				text = occupied
			}
			answer, _ := json.Marshal(map[string]any{"role": "assistant", "model": name, "content": map[string]string{"type": "text", "text": text}})
			w.send(`{"jsonrpc":"2.0","id":` + string(h.ID) + `,"result":` + string(answer) + `}`)
		}
	}
}
