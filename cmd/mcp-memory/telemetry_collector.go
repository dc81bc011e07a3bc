package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// collectorClient sends spans to an OTLP collector over HTTP, as the specification
// says (opentelemetry.io/docs/specs/otlp, "OTLP/HTTP"). OpenTelemetry's own client
// does the same, and brings gRPC along, a twentieth of the binary.
type collectorClient struct {
	url     string
	headers map[string]string
	http    *http.Client
	pause   time.Duration   // before the second try; twice that before the next
	most    time.Duration   // all tries together
	ended   context.Context // by Stop
	end     context.CancelFunc
}

var _ otlptrace.Client = (*collectorClient)(nil)

// collectorWait is the longest pause between two tries where the collector names
// none.
const collectorWait = 2 * time.Second

// collectorAnswer is as much as is read of an answer.
const collectorAnswer = 64 << 10

func newCollectorClient(url string, headers map[string]string) *collectorClient {
	c := &collectorClient{url: url, headers: headers, pause: time.Second, most: spanTimeout}
	c.ended, c.end = context.WithCancel(context.Background())
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 30 * time.Second}
	c.http = &http.Client{
		Transport: transport,
		// Spans go where the user said and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return c
}

// Start does nothing: the first spans open a connection.
func (c *collectorClient) Start(context.Context) error { return nil }

// Stop interrupts what is being sent.
func (c *collectorClient) Stop(ctx context.Context) error {
	c.end()
	c.http.CloseIdleConnections()
	return ctx.Err()
}

// UploadTraces sends spans, and again where the collector, or the way to it, may be
// better soon.
func (c *collectorClient) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	// What the specification asks for, an ExportTraceServiceRequest, has the same
	// bytes: both hold the resource spans as field 1 ("TracesData … the main
	// difference between this message and collector protocol is that in this message
	// there will not be any 'control' or 'metadata'", opentelemetry-proto, trace.proto).
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode spans: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.most)
	defer cancel()
	defer context.AfterFunc(c.ended, cancel)()
	for pause := c.pause; ; pause = min(2*pause, collectorWait) {
		after, err := c.post(ctx, body)
		var again *retryError
		if !errors.As(err, &again) || !sleep(ctx, max(after, pause/2+rand.N(pause/2+1))) {
			return err
		}
	}
}

// sleep reports whether there was time to.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) < d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// retryError is one that may pass.
type retryError struct{ err error }

// Error is the error's.
func (e *retryError) Error() string { return e.err.Error() }

// Unwrap returns the error.
func (e *retryError) Unwrap() error { return e.err }

// post makes one try. after is how long the collector wants to be left alone. What it
// says in words stays out of errors, which are logged.
func (c *collectorClient) post(ctx context.Context, body []byte) (after time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("prepare to send spans: %w", err)
	}
	request.Header.Set("User-Agent", "mcp-memory/"+version())
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.http.Do(request)
	if err != nil {
		return 0, &retryError{fmt.Errorf("send spans: %w", err)}
	}
	defer func() { _ = response.Body.Close() }() // read as far as it matters
	answer, _ := io.ReadAll(io.LimitReader(response.Body, collectorAnswer))
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return retryAfter(response.Header.Get("Retry-After"), time.Now()), &retryError{fmt.Errorf("the collector answered %s", response.Status)}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return 0, fmt.Errorf("the collector answered %s", response.Status)
	}
	if n := rejectedSpans(answer); n > 0 && response.Header.Get("Content-Type") == "application/x-protobuf" {
		return 0, fmt.Errorf("the collector rejected %d spans", n)
	}
	return 0, nil
}

// retryAfter reads seconds or a date; 0 where it is neither.
func retryAfter(v string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(v, 10, 16); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// The fields of an ExportTraceServiceResponse that are read.
const (
	partialSuccess    = 1 // message
	partiallyRejected = 1 // its count of spans
)

// rejectedSpans reads how many of the spans a collector did not take.
func rejectedSpans(answer []byte) uint64 {
	var partial []byte
	eachField(answer, func(n protowire.Number, kind protowire.Type, value []byte) {
		if n == partialSuccess && kind == protowire.BytesType {
			partial, _ = protowire.ConsumeBytes(value)
		}
	})
	var rejected uint64
	eachField(partial, func(n protowire.Number, kind protowire.Type, value []byte) {
		if n == partiallyRejected && kind == protowire.VarintType {
			rejected, _ = protowire.ConsumeVarint(value)
		}
	})
	return rejected
}

// eachField calls fn with each field of a message, until its end or what is none.
func eachField(message []byte, fn func(n protowire.Number, kind protowire.Type, value []byte)) {
	for len(message) > 0 {
		n, kind, tag := protowire.ConsumeTag(message)
		if tag < 0 {
			return
		}
		size := protowire.ConsumeFieldValue(n, kind, message[tag:])
		if size < 0 {
			return
		}
		fn(n, kind, message[tag:tag+size])
		message = message[tag+size:]
	}
}

// The variables in which OpenTelemetry has what a collector wants to be told beside
// spans, such as who sends them; the second overrides the first. They are read only
// where our own setting names a collector.
var collectorHeaders = []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"}

// headersOf reads headers as OpenTelemetry writes them: name=value,name=value, with
// percent encoding. What is none is left out; skipped counts it.
func headersOf(v string) (headers map[string]string, skipped int) {
	headers = map[string]string{}
	for part := range strings.SplitSeq(v, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		plain, err := url.PathUnescape(value)
		if !ok || err != nil || !isToken(name) || strings.ContainsAny(plain, "\r\n\x00") {
			skipped++
			continue
		}
		headers[http.CanonicalHeaderKey(name)] = plain
	}
	return headers, skipped
}

// isToken reports whether a header may have the name (RFC 9110, 5.6.2).
func isToken(name string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(marks, r)
	}) < 0
}
