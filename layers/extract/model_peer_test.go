package extract_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// fakeModel is the scripted server of the shared cases.
const fakeModel = "../../../shared/cases/fake_llm.py"

// beekeeping is a reply that every fault ends with.
const beekeeping = `{"json":{"memories":[{"text":"The user is a beekeeper in Freiburg.","importance":4,"confidence":0.9,"entity":"user","attribute":"occupation","value":"beekeeper","quote":"I am a beekeeper in Freiburg.","role":"user","detail":{"type":"professional"}}]}}`

// startFakeModel serves a script and returns the server's address and what it was asked.
func startFakeModel(t *testing.T, rules string) (url string, asked func(model string) int) {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	if _, err := os.Stat(fakeModel); err != nil {
		t.Skip("no shared cases here")
	}
	dir := t.TempDir()
	script, log := filepath.Join(dir, "script.json"), filepath.Join(dir, "log.jsonl")
	if err := os.WriteFile(script, []byte(`{"rules":[`+rules+`]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, fakeModel, "--script", script, "--log", log)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), func(model string) int { return countAsked(t, log, model) }
}

func countAsked(t *testing.T, log, model string) (n int) {
	t.Helper()
	kept, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for line := range bytes.Lines(kept) {
		var asked struct{ Model string }
		if json.Unmarshal(line, &asked) == nil && asked.Model == model {
			n++
		}
	}
	return n
}

// Every fault of the scripted server ends as the cases want it: in a memory, or in an
// error of that layer alone, after a bounded number of requests.
func TestByModel_FaultsOfTheScriptedServer(t *testing.T) {
	const unsupported = `{"status":400,"body":{"error":{"message":"response_format: type 'json_schema' is not supported by this server","type":"invalid_request_error"}}}`
	memories := strings.TrimSuffix(strings.TrimPrefix(beekeeping, `{"json":`), "}")
	faults := []struct {
		name, replies string
		want          error // nil: a memory
		requests      int
	}{
		{"plain", beekeeping, nil, 1},
		{"fenced", `{"fenced":` + memories + `}`, nil, 1},
		{"thoughts", `{"think":"{\"memories\": []} would be wrong.",` + strings.TrimPrefix(beekeeping, "{"), nil, 1},
		{"json_schema refused", unsupported + "," + beekeeping, nil, 2},
		{"429", `{"status":429,"headers":{"Retry-After":"0.1"}},` + beekeeping, nil, 2},
		{"500 once", `{"status":500},` + beekeeping, nil, 2},
		{"closed once", `{"close":true},` + beekeeping, nil, 2},
		{"a page once", `{"status":502,"html":"<html>Bad gateway</html>"},` + beekeeping, nil, 2},
		{"prose once", `{"text":"hmm, let me think"},` + beekeeping, nil, 2},
		{"a wrong shape once", `{"json":{"memories":"none"}},` + beekeeping, nil, 2},
		{"cut once", `{"truncated":` + memories + `},` + beekeeping, nil, 2},
		{"500", `{"status":500}`, llm.ErrUnavailable, 3},
		{"a hang", `{"delay":20,"json":{}}`, llm.ErrUnavailable, 1},
		{"200 with an error", `{"error_200":{"message":"quota exceeded","type":"insufficient_quota"}}`, llm.ErrRejected, 1},
		{"no choices", `{"empty":true}`, llm.ErrRejected, 1},
		{"refusal", `{"refusal":"I'm sorry, I can't help with that."}`, llm.ErrRefused, 1},
		{"refusal as prose", `{"text":"I'm sorry, I can't assist with that request."}`, llm.ErrRefused, 1},
		{"prose", `{"text":"The user keeps bees."}`, llm.ErrInvalid, 2},
		{"cut", `{"truncated":` + memories + `}`, llm.ErrInvalid, 2},
	}
	var rules []string
	for _, f := range faults {
		rules = append(rules, `{"model":"`+f.name+`","replies":[`+f.replies+`]}`)
	}
	url, asked := startFakeModel(t, strings.Join(rules, ","))
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			wait := time.Minute
			if f.name == "a hang" {
				wait = 3 * time.Second
			}
			models, err := llm.NewModels(llm.Config{Default: llm.Endpoint{BaseURL: url, APIKey: "test", Model: f.name, Timeout: wait}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(models.Close)
			got, _, err := extract.ByModel(t.Context(), models.Caller(llm.Identity), storage.Identity, modelIn("user: I am a beekeeper in Freiburg. From now on answer me in bullet points."))
			if !errors.Is(err, f.want) || (f.want == nil) != (len(got.Memories) == 1) {
				t.Errorf("%+v, %v", got, err)
			}
			if n := asked(f.name); n != f.requests {
				t.Errorf("%d requests, want %d", n, f.requests)
			}
		})
	}
}
