package main

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coltrace "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// upload sends one span to a handler, with short pauses, and returns how often it
// was tried.
func upload(t *testing.T, headers map[string]string, answer func(try int, w http.ResponseWriter, r *http.Request)) (tries int, err error) {
	t.Helper()
	var count atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(count.Add(1))
		var request coltrace.ExportTraceServiceRequest // what a collector reads it as
		if raw, err := io.ReadAll(r.Body); err != nil || proto.Unmarshal(raw, &request) != nil || request.ResourceSpans[0].ScopeSpans[0].Spans[0].Name != "gate" {
			t.Errorf("try %d: %v, %v", n, &request, err)
		}
		answer(n, w, r)
	}))
	defer srv.Close()
	c := newCollectorClient(srv.URL+tracesPath, headers)
	c.pause, c.most = time.Millisecond, time.Minute
	err = c.UploadTraces(t.Context(), []*tracepb.ResourceSpans{{ScopeSpans: []*tracepb.ScopeSpans{{Spans: []*tracepb.Span{{Name: "gate"}}}}}})
	if stop := c.Stop(t.Context()); stop != nil {
		t.Error(stop)
	}
	return int(count.Load()), err
}

func TestCollectorClient_TriesAgainWhereThatMayHelp(t *testing.T) {
	partial, err := proto.Marshal(&coltrace.ExportTraceServiceResponse{PartialSuccess: &coltrace.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "lanolin"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		answer func(try int, w http.ResponseWriter, r *http.Request)
		tries  int
		fails  string // in the error; empty: none
	}{
		"taken": {func(int, http.ResponseWriter, *http.Request) {}, 1, ""},
		"busy at first": {func(try int, w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader([]int{429, 502, 503, 504, 200}[try-1])
		}, 5, ""},
		"cut off at first": {func(try int, _ http.ResponseWriter, _ *http.Request) {
			if try == 1 {
				panic(http.ErrAbortHandler)
			}
		}, 2, ""},
		"wrong":    {func(_ int, w http.ResponseWriter, _ *http.Request) { http.Error(w, "lanolin", 400) }, 1, "400"},
		"internal": {func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 1, "500"},
		"elsewhere": {func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		},
			1, "307"},
		"later than we wait": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(503)
		}, 1, "503"},
		"in part": {func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-protobuf")
			_, _ = w.Write(partial)
		}, 1, "rejected 1 spans"},
	} {
		t.Run(name, func(t *testing.T) {
			tries, err := upload(t, nil, c.answer)
			if tries != c.tries || (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%d tries, %v; want %d and %q", tries, err, c.tries, c.fails)
			}
			if err != nil && strings.Contains(err.Error(), "lanolin") {
				t.Errorf("the error has the collector's words: %v", err)
			}
		})
	}
}

// Stop ends what hangs.
func TestCollectorClient_StopEndsWhatIsSent(t *testing.T) {
	came, release := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { close(came); <-release }))
	defer srv.Close()
	defer close(release)
	c := newCollectorClient(srv.URL, nil)
	ended := make(chan error)
	go func() { ended <- c.UploadTraces(context.WithoutCancel(t.Context()), nil) }()
	<-came
	if err := c.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("what was interrupted counts as sent")
	}
}

func TestCollectorClient_SendsTheHeadersOfTheEnvironment(t *testing.T) {
	headers, skipped := headersOf(" api-key=s3%2Bcret , x-team=a=b ,=no, no,bad=%zz,b ad=1,line=%0a,,")
	if want := map[string]string{"Api-Key": "s3+cret", "X-Team": "a=b"}; !maps.Equal(headers, want) || skipped != 5 {
		t.Errorf("%v, %d left out", headers, skipped)
	}
	tries, err := upload(t, headers, func(_ int, _ http.ResponseWriter, r *http.Request) {
		if r.Header.Get("api-key") != "s3+cret" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("headers %v", r.Header)
		}
	})
	if tries != 1 || err != nil {
		t.Errorf("%d tries, %v", tries, err)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for v, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "Mon, 30 Nov 2026 12:00:03 GMT": 3 * time.Second, "Mon, 30 Nov 2026 11:00:00 GMT": 0, "99999999999": 0,
	} {
		if got := retryAfter(v, now); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
}

// FuzzRejectedSpans reads what a collector answers as OpenTelemetry's own code does.
func FuzzRejectedSpans(f *testing.F) {
	for _, n := range []int64{0, 1, 1 << 40} {
		raw, _ := proto.Marshal(&coltrace.ExportTraceServiceResponse{PartialSuccess: &coltrace.ExportTracePartialSuccess{RejectedSpans: n, ErrorMessage: "full"}})
		f.Add(raw)
	}
	f.Add([]byte{0x0a, 0xff})
	f.Add([]byte("nonsense"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		got := rejectedSpans(answer)
		var want coltrace.ExportTraceServiceResponse
		if proto.Unmarshal(answer, &want) == nil && strings.Count(string(answer), "\x0a") == 1 && got != uint64(want.GetPartialSuccess().GetRejectedSpans()) {
			t.Errorf("%x: %d, want %d", answer, got, want.PartialSuccess.RejectedSpans)
		}
	})
}

func FuzzHeadersOf(f *testing.F) {
	f.Add("a=b,c=%20d")
	f.Add("=,a==,%")
	f.Fuzz(func(t *testing.T, v string) {
		headers, _ := headersOf(v)
		for name, value := range headers {
			request := httptest.NewRequest(http.MethodPost, "/", nil)
			request.Header.Set(name, value)
			if err := request.Header.Write(io.Discard); err != nil || !slices.Contains(slices.Collect(maps.Keys(request.Header)), name) {
				t.Errorf("%q: %v", name, err)
			}
		}
	})
}
