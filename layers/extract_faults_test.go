package layers_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/layers/llm"
)

// loom is what every layer's model finds in weaver, unless something ails it.
const (
	weaver = "I am a weaver, I like the loom, I warped it for the fair on May 2 and learned to oil it first."
	loom   = `{"memories":[{"text":"The user, in %s, is a weaver.","quote":"I am a weaver","importance":4}]}`
)

// layered is a server in which each layer has a model of its own name, that of
// identity at an endpoint of its own if one is given. handle answers those it wants to
// and reports whether it did.
func layered(t testing.TB, h *home, identity llm.Endpoint, handle func(model string, w http.ResponseWriter, r *http.Request) bool) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Model string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		if !handle(body.Model, w, r) {
			answer(w, fmt.Sprintf(loom, body.Model))
		}
	}))
	t.Cleanup(srv.Close)
	c := llm.Config{Default: llm.Endpoint{BaseURL: srv.URL + "/v1", Timeout: time.Minute}, Roles: map[llm.Role]llm.Endpoint{}}
	for _, role := range llm.Roles {
		c.Roles[role] = llm.Endpoint{Model: string(role)}
	}
	identity.Model = "identity"
	c.Roles[llm.Identity] = identity
	m, err := llm.NewModels(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	h.opts.Models = m
	h.restart()
}

// Whatever ails the model of one layer, that layer says so, or gets by, and the
// other four are stored.
func TestExtract_EveryFaultOfOneLayersModel(t *testing.T) {
	raw := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	says := func(content string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { answer(w, content) }
	}
	good := fmt.Sprintf(loom, "identity")
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		wait   time.Duration // for an answer; 0: as long as for others
		gone   bool          // nothing listens at the address
		works  bool
	}{
		"429":            {handle: raw(429, "application/json", `{"error":{"message":"slow down"}}`)},
		"500":            {handle: raw(500, "text/plain", "boom")},
		"HTML 502":       {handle: raw(502, "text/html", "<html><body>Bad Gateway</body></html>")},
		"error in a 200": {handle: raw(200, "application/json", `{"error":{"message":"no such model"}}`)},
		"prose":          {handle: says("The user seems to be a weaver, how nice!")},
		"refusal":        {handle: says("I'm sorry, but I can't help with that.")},
		"refusal within": {handle: says(`{"memories":[{"text":"I'm sorry, but I cannot assist with that request.","quote":"I am a weaver"}]}`), works: true},
		"cut answer": {handle: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"{\"memories\":[{`))
		}},
		"hang":        {handle: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, wait: 300 * time.Millisecond},
		"dead server": {gone: true},
		"fenced":      {handle: says("Here it is:\n```json\n" + good + "\n```\nAnything else?"), works: true},
		"thinking":    {handle: says("<think>Is it {\"memories\":[]}? No.</think>" + good), works: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, identity := open(t), llm.Endpoint{Timeout: c.wait}
			if c.gone {
				identity.BaseURL = "http://127.0.0.1:1/v1" // a port that was let go might be another test's next
			}
			layered(t, h, identity, func(model string, w http.ResponseWriter, r *http.Request) bool {
				if model != "identity" {
					return false
				}
				c.handle(w, r)
				return true
			})
			out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(weaver), Force: true})
			got := out.Layers["identity"]
			if c.works && (got.Status != layers.LayerExtracted || out.Status != layers.JobComplete || out.Counts.Errors != 0) {
				t.Errorf("job %s, identity %+v, want it extracted", out.Status, got)
			}
			if !c.works && (got.Status != layers.LayerError || got.Error == "" || out.Status != layers.JobPartial || out.Counts.Errors != 1) {
				t.Errorf("job %s, identity %+v, %d errors, want its error alone", out.Status, got, out.Counts.Errors)
			}
			for _, other := range []string{"activity", "context", "experience", "preference"} {
				if o := out.Layers[other]; o.Status != layers.LayerExtracted || len(o.Memories) != 1 {
					t.Errorf("%s %+v, want one memory", other, o)
				}
			}
			for _, text := range h.texts() {
				if !strings.Contains(text, "is a weaver") {
					t.Errorf("stored %q", text)
				}
			}
		})
	}
}

// All five layers are asked at the same time: each answer waits for the other four
// requests.
// The same message in two calls at once is asked about twice, and adds what it says once.
func TestExtract_TheSameMessageInTwoCallsAtOnceAddsOnce(t *testing.T) {
	h := open(t)
	h.say(layers.Memorandum{Text: "The user is allergic to lanolin.", Entity: "user", Attribute: "allergies", Value: "lanolin", SourceID: "before", ObservedAt: "2026-01-01T00:00:00Z"})
	var both sync.WaitGroup
	both.Add(2)
	layered(t, h, llm.Endpoint{}, func(layer string, w http.ResponseWriter, r *http.Request) bool {
		if layer != "identity" {
			nothing(w, r)
			return true
		}
		both.Done()
		both.Wait() // each was asked before either has ended
		answer(w, `{"memories":[{"text":"The user is allergic to lanolin.","entity":"user","attribute":"allergies","value":"lanolin","quote":"I'm allergic to lanolin"}]}`)
		return true
	})
	var ends sync.WaitGroup
	outs := make([]layers.ExtractOutput, 2)
	for i := range outs {
		ends.Go(func() {
			var err error
			if outs[i], err = h.Extract(t.Context(), user, layers.ExtractInput{SourceID: "s", Messages: turns(allergic)}); err != nil {
				t.Error(err)
			}
		})
	}
	ends.Wait()
	if a, b := outs[0].Counts, outs[1].Counts; a.Stored+b.Stored != 0 || a.Reinforced+b.Reinforced != 1 || a.Dropped+b.Dropped != 1 {
		t.Errorf("counts %+v and %+v; want one reinforcement and one drop", a, b)
	}
}

func TestExtract_LayersAreAskedInParallel(t *testing.T) {
	h := open(t)
	var all sync.WaitGroup
	all.Add(5)
	layered(t, h, llm.Endpoint{}, func(_ string, _ http.ResponseWriter, r *http.Request) bool {
		all.Done()
		together := make(chan struct{})
		go func() { all.Wait(); close(together) }()
		select {
		case <-together:
		case <-r.Context().Done(): // the timeout of a call that waits alone
			t.Error("a layer was asked only after another had answered")
		}
		return false
	})
	out := h.extracts(layers.ExtractInput{SourceID: "s", Messages: turns(weaver), Force: true})
	if out.Status != layers.JobComplete || out.Counts.ModelCalls != 5 {
		t.Errorf("job %s, %d calls", out.Status, out.Counts.ModelCalls)
	}
}

// What a job of five layers takes, in units of what its slowest layer does: 1 if
// asking them in parallel costs nothing, 5 if they wait for each other.
func BenchmarkExtract_FiveLayers(b *testing.B) {
	const delay = 300 * time.Millisecond
	h := open(b)
	layered(b, h, llm.Endpoint{}, func(string, http.ResponseWriter, *http.Request) bool {
		time.Sleep(delay)
		return false
	})
	for i := 0; b.Loop(); i++ {
		h.extracts(layers.ExtractInput{SourceID: fmt.Sprint("s", i), Messages: turns(weaver), Force: true})
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/delay.Seconds(), "slowest")
}
