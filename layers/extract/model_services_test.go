//go:build services

package extract_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
	"mcp-memory/storage"
)

// TestModels_AgainstARealServer runs gate, layers, single call and summary against an
// OpenAI-compatible server once. Start one with
//
//	../shared/services/llm.sh DIR 18371
//	MCP_MEMORY_TEST_LLM=http://127.0.0.1:18371/v1 go test -tags services -run RealServer -v -timeout 60m ./layers/extract
//
// It holds the server's answers to their form, not to their sense: the model there is
// small, and its judgement a coin.
func TestModels_AgainstARealServer(t *testing.T) {
	url := os.Getenv("MCP_MEMORY_TEST_LLM")
	if url == "" {
		t.Skip("MCP_MEMORY_TEST_LLM names no server")
	}
	models, err := llm.NewModels(llm.Config{Default: llm.Endpoint{BaseURL: url, Model: "qwen", Timeout: 20 * time.Minute, MaxTokens: 500}, Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(models.Close)
	in := modelIn("user: I am a beekeeper in Freiburg. From now on answer me in bullet points.", "assistant: Gladly.", "user: Next Tuesday I fly to Lisbon. My sister Ines lives there.")

	t.Run("gate", func(t *testing.T) {
		verdicts, calls, err := gatekeeper.Ask(t.Context(), models.Caller(llm.Gate), gatekeeper.ModelInput{Turns: in.Talk.Turns, Language: "en"})
		logCalls(t, calls)
		if err != nil || len(verdicts) != 5 {
			t.Fatalf("%+v, %v", verdicts, err)
		}
		for _, layer := range gatekeeper.Layers {
			t.Logf("%s: %+v", layer, verdicts[layer])
		}
	})
	for _, layer := range modelLayers {
		t.Run(string(layer), func(t *testing.T) {
			got, calls, err := extract.ByModel(t.Context(), models.Caller(llm.Role(layer)), layer, in)
			logCalls(t, calls)
			if err != nil {
				t.Fatal(err)
			}
			checkResult(t, layer, &in, &got)
		})
	}
	t.Run("single", func(t *testing.T) {
		got, calls, err := extract.SingleByModel(t.Context(), models.Caller(llm.Single), in)
		logCalls(t, calls)
		if err != nil || len(got) != 5 {
			t.Fatalf("%+v, %v", got, err)
		}
		for layer, v := range got {
			checkResult(t, layer, &in, &v.ModelResult)
		}
	})
	t.Run("summary", func(t *testing.T) {
		lines := []llm.Remembered{{ID: "01A", Text: "The user is a beekeeper."}, {ID: "01B", Text: "The user lives in Freiburg."}}
		text, ids, calls, err := llm.Summarise(t.Context(), models.Caller(llm.Summary), llm.SummaryInput{Query: "Who is the user?", Lines: lines})
		logCalls(t, calls)
		t.Logf("%q cites %v: %v", text, ids, err) // a refusal is in order: the caller then renders one without a model
		if (err == nil) != (calls[len(calls)-1].Error == "") {
			t.Errorf("error %v, calls %+v", err, calls)
		}
	})
}

func logCalls(t *testing.T, calls []llm.Call) {
	t.Helper()
	for _, c := range calls {
		t.Logf("%s by %s: %v, %d + %d tokens, %s", c.Role, c.Model, c.Took.Round(time.Millisecond), c.Input, c.Output, c.Error)
		if c.Estimated || c.Input == 0 {
			t.Errorf("the server does not count tokens: %+v", c)
		}
	}
}

// checkResult holds what is kept to what the checks promise.
func checkResult(t *testing.T, layer storage.Layer, in *extract.ModelInput, got *extract.ModelResult) {
	t.Helper()
	for _, m := range got.Memories {
		t.Logf("kept %s: %q (%s · %s · %s) %s %s %s", layer, m.Text, m.Entity, m.Attribute, m.Value, m.Trust, m.Detail, m.Notes)
		if m.Layer != layer || m.Text == "" || m.Entity == "" || m.Importance < 1 || m.Importance > 5 || len(m.Turns) != 1 || in.Talk.Turns[m.Turns[0]].Role != "user" ||
			!slices.Contains([]storage.Trust{storage.UserStated, storage.ThirdParty, storage.Inferred}, m.Trust) {
			t.Errorf("%+v", m)
		}
	}
	for _, d := range got.Drops {
		t.Logf("dropped %s: %q: %s", layer, d.Text, d.Reason)
	}
}
