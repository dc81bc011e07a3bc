package main

import (
	"context"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
)

// telemetry sends what a memory tells of its work to an OTLP collector, as spans in
// the words of OpenTelemetry's conventions for generative AI: a span for the job,
// its gate and its layers, and below these one for each call of a model. They are
// made when the job is over, of times that were noted, so that a collector which is
// slow or gone holds nothing up; what it does not take is lost, with a warning.
// Spans hold ids, counts, times and models' names.
type telemetry struct {
	provider *sdktrace.TracerProvider
	tracer   trace.Tracer
	log      *slog.Logger
}

// Bounds of what is sent.
const (
	spanQueue   = 2048                   // spans that wait; more are dropped
	spanTimeout = 5 * time.Second        // one try, retries included
	spanFlush   = 500 * time.Millisecond // at the end, within closeWait's two seconds
)

// tracesPath is where a collector takes spans.
const tracesPath = "/v1/traces"

// openTelemetry prepares to send to an endpoint; it reaches for none yet. Nil
// where there is no endpoint.
func openTelemetry(endpoint string, log *slog.Logger) (*telemetry, error) {
	if endpoint == "" {
		return nil, nil
	}
	headers := map[string]string{}
	for _, name := range collectorHeaders {
		given, skipped := headersOf(os.Getenv(name))
		if skipped > 0 {
			log.Warn("what is no header is left out; they look like name=value,name=value", "variable", name, "left_out", skipped)
		}
		maps.Copy(headers, given)
	}
	exporter, err := otlptrace.New(context.Background(), newCollectorClient(endpoint, headers))
	if err != nil {
		return nil, fmt.Errorf("prepare to send spans: %w", err)
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(&loggedExporter{exporter, log}, sdktrace.WithMaxQueueSize(spanQueue), sdktrace.WithExportTimeout(spanTimeout)),
		sdktrace.WithSampler(sdktrace.AlwaysSample()),
		sdktrace.WithIDGenerator(traceIDs{}),
		sdktrace.WithResource(resource.NewSchemaless(semconv.ServiceName("mcp-memory"), semconv.ServiceVersion(version()))),
	)
	return &telemetry{provider: provider, tracer: provider.Tracer("mcp-memory/layers"), log: log}, nil
}

// parseOTLP reads the address of a collector: with or without the path of traces.
func parseOTLP(v string) (string, error) {
	if v == "" {
		return "", nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the address of a collector, like http://127.0.0.1:4318", v)
	}
	if !strings.HasSuffix(u.Path, tracesPath) {
		u.Path = strings.TrimSuffix(u.Path, "/") + tracesPath
	}
	return u.String(), nil
}

// close sends what waits, for half a second at most.
func (t *telemetry) close() {
	if t == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), spanFlush)
	defer stop()
	if err := t.provider.Shutdown(ctx); err != nil { // a collector that is gone is no failure of the memory's
		t.log.Warn("the last spans were not sent", keyError, err)
	}
}

// options adds to those of a memory.
func (t *telemetry) options(o *layers.Options) {
	if t != nil {
		o.Traced = t.take
	}
}

// take makes the spans of one piece of work.
func (t *telemetry) take(of layers.Trace) {
	ctx, root := t.start(context.WithValue(context.Background(), traceKey{}, of.ID), of.Work, of.Start, trace.SpanKindInternal, workAttributes(&of)...)
	gate := t.step(ctx, "gate", of.Gate)
	under := map[llm.Role]context.Context{llm.Gate: gate}
	for _, l := range slices.Sorted(maps.Keys(of.Layers)) {
		under[llm.Role(l)] = t.step(ctx, "layer "+string(l), of.Layers[l])
	}
	for i := range of.Calls {
		parent, ok := under[of.Calls[i].Role]
		if !ok {
			parent = ctx
		}
		t.call(parent, &of.Calls[i], provider(&of))
	}
	if of.Status == layers.JobFailed {
		root.SetStatus(codes.Error, "")
	}
	root.End(trace.WithTimestamp(of.End))
}

// workAttributes are those of a job, or of a summary, which has no job.
func workAttributes(of *layers.Trace) []attribute.KeyValue {
	if of.Work != layers.WorkExtract {
		return nil
	}
	return []attribute.KeyValue{
		attribute.String("mcp_memory.job.id", of.Job), attribute.String("mcp_memory.job.status", of.Status),
		attribute.Bool("mcp_memory.job.dry_run", of.DryRun), attribute.Int("mcp_memory.job.turns", of.Turns),
		attribute.Int("mcp_memory.job.stored", of.Counts.Stored), attribute.Int("mcp_memory.job.dropped", of.Counts.Dropped),
		attribute.Int("mcp_memory.job.errors", of.Counts.Errors), attribute.Int("mcp_memory.job.model_calls", of.Counts.ModelCalls),
	}
}

// step makes the span of a gate or a layer, and returns what its calls lie in. A step
// that was not taken has none.
func (t *telemetry) step(ctx context.Context, name string, s layers.Step) context.Context {
	if s.Start.IsZero() {
		return ctx
	}
	attributes := []attribute.KeyValue{attribute.String("mcp_memory.outcome", s.Outcome)}
	if s.Model != "" {
		attributes = append(attributes, semconv.GenAIRequestModel(s.Model))
	}
	in, span := t.start(ctx, name, s.Start, trace.SpanKindInternal, attributes...)
	if s.Outcome == layers.LayerError || s.Outcome == layers.GateFailedOpen {
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(s.End))
	return in
}

// provider is who answers, as far as it is known: a server that speaks OpenAI's
// interface, or the client by MCP sampling.
func provider(of *layers.Trace) attribute.KeyValue {
	if of.Sampled {
		return semconv.GenAIProviderNameKey.String("mcp.sampling")
	}
	return semconv.GenAIProviderNameOpenAI
}

// call makes the span of a model's call.
func (t *telemetry) call(ctx context.Context, c *llm.Call, by attribute.KeyValue) {
	_, span := t.start(ctx, "chat "+c.Model, c.Start, trace.SpanKindClient,
		semconv.GenAIOperationNameChat, by, semconv.GenAIRequestModel(c.Asked), semconv.GenAIResponseModel(c.Model),
		semconv.GenAIUsageInputTokens(c.Input), semconv.GenAIUsageOutputTokens(c.Output), semconv.GenAIOutputTypeJSON,
		attribute.String("mcp_memory.role", string(c.Role)), attribute.String("mcp_memory.prompt", c.Prompt),
		attribute.Bool("mcp_memory.repair", c.Repair), attribute.Bool("mcp_memory.tokens_estimated", c.Estimated))
	if kind := c.Failure(); kind != "" {
		span.SetAttributes(semconv.ErrorTypeKey.String(kind))
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(c.Start.Add(c.Took)))
}

func (t *telemetry) start(ctx context.Context, name string, at time.Time, kind trace.SpanKind, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
	return t.tracer.Start(ctx, name, trace.WithTimestamp(at), trace.WithSpanKind(kind), trace.WithAttributes(attributes...))
}

// traceKey is where a context holds the trace id of the work.
type traceKey struct{}

// traceIDs gives a trace the id that its job has.
type traceIDs struct{}

var _ sdktrace.IDGenerator = traceIDs{}

// NewIDs implements sdktrace.IDGenerator.
func (g traceIDs) NewIDs(ctx context.Context) (id trace.TraceID, span trace.SpanID) {
	known, _ := ctx.Value(traceKey{}).(string)
	if raw, err := hex.DecodeString(known); err == nil && len(raw) == len(id) {
		copy(id[:], raw)
	}
	for !id.IsValid() {
		for i := range id {
			id[i] = byte(rand.Uint32())
		}
	}
	return id, g.NewSpanID(ctx, id)
}

// NewSpanID implements sdktrace.IDGenerator.
func (traceIDs) NewSpanID(context.Context, trace.TraceID) (id trace.SpanID) {
	for !id.IsValid() {
		for i := range id {
			id[i] = byte(rand.Uint32())
		}
	}
	return id
}

// loggedExporter warns in our log where spans are lost, in place of OpenTelemetry's
// global handler.
type loggedExporter struct {
	*otlptrace.Exporter
	log *slog.Logger
}

// ExportSpans implements sdktrace.SpanExporter.
func (e *loggedExporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if err := e.Exporter.ExportSpans(ctx, spans); err != nil {
		e.log.Warn("spans were not sent and are lost", "spans", len(spans), keyError, err)
	}
	return nil
}
