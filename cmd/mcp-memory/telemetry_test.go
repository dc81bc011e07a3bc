package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
)

// collector takes spans over OTLP/HTTP.
type collector struct {
	*httptest.Server
	mu     sync.Mutex
	raw    [][]byte
	spans  map[string]*tracepb.Span // by name
	answer int                      // status; 0: 200
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{spans: map[string]*tracepb.Span{}}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s of %s: %v", r.Method, r.URL, r.Header.Get("Content-Type"), err)
		}
		c.take(t, raw)
		if c.answer != 0 {
			w.WriteHeader(c.answer)
		}
	}))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(t *testing.T, raw []byte) {
	var request coltrace.ExportTraceServiceRequest
	if err := proto.Unmarshal(raw, &request); err != nil {
		t.Errorf("decode spans: %v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raw = append(c.raw, raw)
	for _, resource := range request.ResourceSpans {
		if got := words(resource.Resource.Attributes)["service.name"]; got != "mcp-memory" {
			t.Errorf("service.name is %q", got)
		}
		for _, scope := range resource.ScopeSpans {
			for _, span := range scope.Spans {
				c.spans[span.Name+" "+words(span.Attributes)["mcp_memory.role"]] = span
			}
		}
	}
}

// words are attributes by name, as text.
func words(attributes []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			out[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			out[a.Key] = fmt.Sprint(v.BoolValue)
		}
	}
	return out
}

// modelServer lets identity through and refuses to extract it.
func modelServer(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		content := "I'm sorry, but I can't help with that."
		if body.Model == "gate" {
			content = `{"activity":{"should_extract":false,"reasoning":"no"},"context":{"should_extract":false,"reasoning":"no"},"experience":{"should_extract":false,"reasoning":"no"},` +
				`"identity":{"should_extract":true,"reasoning":"lanolin again"},"preference":{"should_extract":false,"reasoning":"no"}}`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": body.Model + "-2026", "usage": map[string]int{"prompt_tokens": 70, "completion_tokens": 7}, "choices": []any{
			map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}},
		}})
	}))
	t.Cleanup(srv.Close)
	return srv
}

const told = "I'm allergic to lanolin."

// extractTold extracts with models and an endpoint, and closes the memory. Spans have
// half a second to be sent then; a collector that takes them has them before.
func extractTold(t *testing.T, endpoint, modelURL string) layers.ExtractOutput {
	t.Helper()
	return extractLogged(t, endpoint, modelURL, true, io.Discard)
}

func extractLogged(t *testing.T, endpoint, modelURL string, takes bool, log io.Writer) layers.ExtractOutput {
	t.Helper()
	otlp, err := parseOTLP(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	set := settings{
		Dir: t.TempDir(), User: "default", Location: time.UTC, UpcomingDays: 7, Embedding: embedding{Embedder: embedderOff}, VectorEngine: "auto", OTLPEndpoint: otlp,
		Extraction: extraction{On: modelURL != "", Config: llm.Config{
			Default: llm.Endpoint{BaseURL: modelURL}, Gate: llm.Endpoint{Model: "gate"}, Layers: llm.Endpoint{Model: "layer"},
		}},
	}
	mem, err := openMemory(t.Context(), set, forServing, nil, slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	content, _ := json.Marshal(told) // a string
	out, err := mem.Extract(t.Context(), "default", layers.ExtractInput{Messages: []layers.Message{{Role: "user", Content: content}}})
	if err != nil {
		t.Fatal(err)
	}
	if takes && mem.telemetry != nil {
		if err := mem.telemetry.provider.ForceFlush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := mem.close(); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTelemetry_SpansOfAJobWithModels(t *testing.T) {
	c := newCollector(t)
	out := extractTold(t, c.URL, modelServer(t).URL)
	job := c.spans["extract "]
	if job == nil || hex.EncodeToString(job.TraceId) != out.TraceID || len(job.ParentSpanId) > 0 {
		t.Fatalf("spans %v; job %v, want trace %s", c.spans, job, out.TraceID)
	}
	if got := words(job.Attributes); got["mcp_memory.job.id"] != out.JobID || got["mcp_memory.job.status"] != out.Status || got["mcp_memory.job.model_calls"] != "2" {
		t.Errorf("the job's attributes are %v", got)
	}
	for name, parent := range map[string]string{"gate ": "extract ", "layer identity ": "extract ", "chat gate-2026 gate": "gate ", "chat layer-2026 identity": "layer identity "} {
		span := c.spans[name]
		if span == nil {
			t.Errorf("there is no span %q", name)
			continue
		}
		if of := c.spans[parent]; !bytes.Equal(span.ParentSpanId, of.SpanId) || !bytes.Equal(span.TraceId, job.TraceId) {
			t.Errorf("%s does not lie in %s", name, parent)
		}
		if span.StartTimeUnixNano < job.StartTimeUnixNano || span.EndTimeUnixNano > job.EndTimeUnixNano || span.EndTimeUnixNano < span.StartTimeUnixNano {
			t.Errorf("%s lasts from %d to %d, the job from %d to %d", name, span.StartTimeUnixNano, span.EndTimeUnixNano, job.StartTimeUnixNano, job.EndTimeUnixNano)
		}
	}
	if len(c.spans) != 5 {
		t.Errorf("%d spans: %v", len(c.spans), c.spans)
	}
}

func TestTelemetry_CallsAreInTheWordsOfGenAI(t *testing.T) {
	c := newCollector(t)
	extractTold(t, c.URL+"/v1/traces", modelServer(t).URL)
	call := c.spans["chat gate-2026 gate"]
	if call == nil || call.Kind != tracepb.Span_SPAN_KIND_CLIENT {
		t.Fatalf("spans %v", c.spans)
	}
	for name, want := range map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai", "gen_ai.request.model": "gate", "gen_ai.response.model": "gate-2026",
		"gen_ai.usage.input_tokens": "70", "gen_ai.usage.output_tokens": "7", "gen_ai.output.type": "json", "error.type": "",
	} {
		if got := words(call.Attributes)[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	failed := c.spans["chat layer-2026 identity"]
	if got := words(failed.Attributes)["error.type"]; got != "refused" || failed.Status.Code != tracepb.Status_STATUS_CODE_ERROR {
		t.Errorf("a refusal has error.type %q and status %v", got, failed.Status)
	}
	for _, raw := range c.raw {
		if strings.Contains(string(raw), "lanolin") || strings.Contains(string(raw), "sorry") {
			t.Error("a span holds what was said")
		}
	}
}

func TestTelemetry_AJobByRulesHasNoCalls(t *testing.T) {
	c := newCollector(t)
	out := extractTold(t, c.URL, "")
	if got := words(c.spans["gate "].GetAttributes())["mcp_memory.outcome"]; got != layers.GateRules || out.Counts.Stored != 1 {
		t.Errorf("gate by %q, %d stored", got, out.Counts.Stored)
	}
	for name := range c.spans {
		if strings.HasPrefix(name, "chat") {
			t.Errorf("there is a span %q", name)
		}
	}
}

// sharedLog is a log that a test reads while what hangs may still write to it.
type sharedLog struct {
	mu  sync.Mutex
	log bytes.Buffer
}

func (l *sharedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(p)
}

func (l *sharedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// A collector that hangs until everything is over, and one that is not there, hold
// nothing up; neither does one that refuses.
func TestTelemetry_ACollectorThatFailsHoldsNothingUp(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	defer close(release)
	refusing := newCollector(t)
	refusing.answer = http.StatusForbidden
	for name, endpoint := range map[string]string{"hanging": hanging.URL, "gone": "http://127.0.0.1:1", "refusing": refusing.URL} {
		var log sharedLog
		if out := extractLogged(t, endpoint, "", false, &log); out.Status != layers.JobComplete || out.Counts.Stored != 1 {
			t.Errorf("%s: %s, %d stored", name, out.Status, out.Counts.Stored)
		}
		if !strings.Contains(log.String(), "not sent") || strings.Contains(log.String(), "lanolin") {
			t.Errorf("%s: the log says\n%s", name, log.String())
		}
	}
}

// The environment of other programs is not consent.
func TestTelemetry_OnlyOurSettingSendsAnything(t *testing.T) {
	c := newCollector(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.URL+"/v1/traces")
	extractTold(t, "", "")
	if len(c.spans) > 0 {
		t.Errorf("%d spans were sent", len(c.spans))
	}
	own := newCollector(t)
	extractTold(t, own.URL, "")
	if len(c.spans) > 0 || len(own.spans) == 0 {
		t.Errorf("%d spans went to the environment's endpoint, %d to ours", len(c.spans), len(own.spans))
	}
}

func TestParseOTLP(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "http://127.0.0.1:4318": "http://127.0.0.1:4318/v1/traces", "https://otel.example/base/": "https://otel.example/base/v1/traces",
		"http://h:4318/v1/traces": "http://h:4318/v1/traces",
	} {
		if got, err := parseOTLP(given); err != nil || got != want {
			t.Errorf("parseOTLP(%q) = %q, %v; want %q", given, got, err, want)
		}
	}
	for _, given := range []string{"127.0.0.1:4318", "grpc://h:4317", "http://", "http://h/?a=b", "::"} {
		if got, err := parseOTLP(given); err == nil {
			t.Errorf("parseOTLP(%q) = %q, want an error", given, got)
		}
	}
}
