package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// playedModel is a model server that opens every layer, finds an identity, and
// declines to look for experiences.
func playedModel(t *testing.T) *httptest.Server {
	t.Helper()
	verdicts := map[string]any{}
	for _, l := range modelLayers() {
		verdicts[l] = map[string]any{"should_extract": true, "reasoning": "yes"}
	}
	opened, err := json.Marshal(verdicts)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if strings.HasSuffix(r.URL.Path, "/embeddings") {
			var body struct{ Input []string }
			_ = json.Unmarshal(raw, &body) // what is none has no vectors
			data := []any{}
			for i := range body.Input {
				data = append(data, map[string]any{"index": i, "embedding": []float64{1, float64(i), 2}})
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
			return
		}
		content := `{"memories":[]}`
		switch sent := string(raw); {
		case strings.Contains(sent, `"verdicts"`):
			content = string(opened)
		case strings.Contains(sent, `"summary"`):
			content = `{"sentences":[{"text":"A nurse in Freiburg.","lines":[1]}]}`
		case strings.Contains(sent, "key_learning"):
			content = "I'm sorry, but I can't help with that."
		case strings.Contains(sent, "demographic") && strings.Contains(sent, "Freiburg"):
			content = `{"memories":[{"text":"The user is a nurse in Freiburg.","entity":"user","attribute":"occupation","value":"nurse","turn":1,"quote":"I am a nurse in Freiburg"}]}`
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "played", "usage": map[string]int{"prompt_tokens": 9, "completion_tokens": 4}, "choices": []any{
			map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": content}},
		}})
	}))
	t.Cleanup(srv.Close)
	return srv
}

// TestModel_TellsOfEveryCall runs the built server against models that answer, and
// decline.
func TestModel_TellsOfEveryCall(t *testing.T) {
	exe := buildTestServer(t)
	var out, log bytes.Buffer
	args := []string{"model", "--server", exe, "--base-url", playedModel(t).URL + "/v1", "--model", "m", "--embed-model", "e", "--check", "--json"}
	err := run(t.Context(), args, &out, &log)
	var r modelReport
	if wrong := json.Unmarshal(out.Bytes(), &r); wrong != nil {
		t.Fatalf("%v, %v\n%s", err, wrong, log.String())
	}
	if !errors.Is(err, errLimits) { // experience was declined
		t.Errorf("run = %v, want %v", err, errLimits)
	}
	for _, v := range r.Limits {
		if v.Holds == strings.Contains(v.Limit, "experience") {
			t.Errorf("%+v", v)
		}
	}
	if len(r.Jobs) != 2 || r.Jobs[0].Gate != "model" || r.Jobs[1].Gate != "forced" || r.Jobs[0].Status != "partial" || r.Jobs[0].Counts.Stored != 1 {
		t.Errorf("jobs %+v", r.Jobs)
	}
	if calls, answered := r.of("gate"); calls != 1 || answered != 1 {
		t.Errorf("%d calls of the gate, %d answered", calls, answered)
	}
	if calls, answered := r.of("experience"); calls != 2 || answered != 0 {
		t.Errorf("%d calls for experience, %d answered", calls, answered)
	}
	for _, c := range r.Calls {
		if c.Model != "played" || c.Input != 9 || c.Output != 4 {
			t.Errorf("call %+v", c)
		}
	}
	if r.Summary.Calls != 1 || r.Summary.Note != "" || r.Embedding.Embedder == "" || r.Embedding.Vectors < 3 {
		t.Errorf("summary %+v, embedding %+v", r.Summary, r.Embedding)
	}
	if md := r.markdown(); !strings.Contains(md, "| choir | experience | played |") || !strings.Contains(md, "model declined") {
		t.Errorf("the tables do not say what failed:\n%s", md)
	}
}

func TestModel_NeedsAServerAndAModel(t *testing.T) {
	for _, args := range [][]string{{"model"}, {"model", "--base-url", "http://127.0.0.1:1"}, {"model", "--model", "m"}} {
		if err := run(t.Context(), args, &bytes.Buffer{}, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), "--base-url and --model") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
