package tools

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/layers"
)

func TestDecodeArguments_TakesWhatClientsSend(t *testing.T) {
	for _, tc := range []struct {
		name, tool, in string
		want           arguments
	}{
		{"nothing", "recall", ``, arguments{}},
		{"null", "recall", `null`, arguments{}},
		{"plain", "recall", `{"query":"x","limit":5,"explain":true,"min_score":0.5,"layers":["identity"]}`,
			arguments{"query": "x", "limit": 5, "explain": true, "min_score": 0.5, "layers": []string{"identity"}}},
		{"all as strings", "recall", `{"limit":" 5 ","explain":"True","min_score":"0.5","layers":"[\"identity\"]"}`,
			arguments{"limit": 5, "explain": true, "min_score": 0.5, "layers": []string{"identity"}}},
		{"whole numbers written as broken ones", "recall", `{"limit":5.0,"max_tokens":"4e2"}`, arguments{"limit": 5, "max_tokens": 400}},
		{"nulls are absent", "recall", `{"query":null,"limit":null,"layers":null,"explain":null,"format":null}`, arguments{}},
		{"empty strings are absent where only some values are valid", "recall", `{"limit":"","layers":"","explain":"","format":"","query":""}`, arguments{"query": ""}},
		{"empty arrays are absent", "recall", `{"layers":[],"ids":"[]"}`, arguments{}},
		{"a lone string is an array of one", "recall", `{"layers":"identity","tags":"a, b"}`, arguments{"layers": []string{"identity"}, "tags": []string{"a, b"}}},
		{"a lone string in brackets that is no JSON", "recall", `{"tags":"[\"x\"]"}`, arguments{"tags": []string{"x"}}},
		{"arguments as a JSON text", "recall", `"{\"query\":\"x\"}"`, arguments{"query": "x"}},
		{"memories as a JSON text", "remember", `{"memories":"[{\"text\":\"a\",\"importance\":\"4\"}]"}`,
			arguments{"memories": []arguments{{"text": "a", "importance": 4}}}},
		{"a memory as a JSON text", "remember", `{"memories":["{\"text\":\"a\"}"]}`, arguments{"memories": []arguments{{"text": "a"}}}},
		{"detail keeps its numbers and loses its nulls", "remember", `{"text":"a","detail":{"n":12345678901234567890.10,"x":null,"b":["<"]}}`,
			arguments{"text": "a", "detail": json.RawMessage(`{"b":["<"],"n":12345678901234567890.10}`)}},
		{"detail as a JSON text", "remember", `{"text":"a","detail":"{\"k\":{\"x\":1}}"}`,
			arguments{"text": "a", "detail": json.RawMessage(`{"k":{"x":1}}`)}},
		{"a whole surrogate pair", "remember", `{"text":"\ud83d\ude00"}`, arguments{"text": "😀"}},
		{"a replacement character as such", "remember", `{"text":"a�b"}`, arguments{"text": "a�b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := decodeArguments(schemaOf(t, tc.tool), tc.tool, []byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestRememberCall_TakesFieldsBesideMemoriesAsDefaults(t *testing.T) {
	args, err := decodeArguments(schemaOf(t, "remember"), "remember",
		[]byte(`{"memories":[{"text":"a"},{"text":"b","layer":"identity","importance":1}],"layer":"fact","importance":5,"tags":["x"],"text":"","project":"","on_conflict":"reject"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := rememberCall(args)
	if err != nil {
		t.Fatal(err)
	}
	five, one := 5, 1
	want := layers.RememberInput{Batch: true, OnConflict: "reject", Memories: []layers.Memorandum{
		{Text: "a", Layer: "fact", Importance: &five, Tags: []string{"x"}},
		{Text: "b", Layer: "identity", Importance: &one, Tags: []string{"x"}},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRememberCall_FieldsDescribeTheText(t *testing.T) {
	args, err := decodeArguments(schemaOf(t, "remember"), "remember",
		[]byte(`{"text":"a","layer":"identity","tier":"semantic","entity":"e","attribute":"at","value":"v","category":"c","reason":"r","tags":["t"],"importance":2,"confidence":0.5,`+
			`"observed_at":"1","valid_from":"2","valid_to":"3","project":"p","source_id":"s","session_id":"se","speaker":"sp","role":"tool","quote":"q","detail":{"d":1},"idempotency_key":"k"}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := rememberCall(args)
	if err != nil {
		t.Fatal(err)
	}
	two, half, project := 2, 0.5, "p"
	want := layers.RememberInput{IdempotencyKey: "k", Memories: []layers.Memorandum{{
		Text: "a", Layer: "identity", Tier: "semantic", Entity: "e", Attribute: "at", Value: "v", Category: "c", Reason: "r",
		Tags: []string{"t"}, Importance: &two, Confidence: &half, ObservedAt: "1", ValidFrom: "2", ValidTo: "3", Project: &project,
		SourceID: "s", SessionID: "se", Speaker: "sp", Role: "tool", Quote: "q", Detail: json.RawMessage(`{"d":1}`),
	}}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestRecallCall_PassesEveryArgument(t *testing.T) {
	args, err := decodeArguments(schemaOf(t, "recall"), "recall",
		[]byte(`{"query":"q","limit":3,"layers":["fact"],"tiers":["episodic"],"entity":"e","attribute":"a","tags":["t"],"project":"p","since":"1","until":"2","as_of":"3","known_at":"4",`+
			`"include_superseded":true,"session_id":"s","ids":["i"],"min_score":0,"max_tokens":9,"format":"context","explain":true,"cursor":"c"}`))
	if err != nil {
		t.Fatal(err)
	}
	three, nine, zero, project := 3, 9, 0.0, "p"
	want := layers.RecallInput{
		Query: "q", Limit: &three, Layers: []string{"fact"}, Tiers: []string{"episodic"}, Entity: "e", Attribute: "a", Tags: []string{"t"}, Project: &project,
		Since: "1", Until: "2", AsOf: "3", KnownAt: "4", IncludeSuperseded: true, SessionID: "s", IDs: []string{"i"}, MinScore: &zero, MaxTokens: &nine,
		Format: "context", Explain: true, Cursor: "c",
	}
	if d := cmp.Diff(want, recallCall(args)); d != "" {
		t.Error(d)
	}
}

func TestForgetCall_PassesEveryArgument(t *testing.T) {
	args, err := decodeArguments(schemaOf(t, "forget"), "forget",
		[]byte(`{"ids":["i"],"query":"q","entity":"e","attribute":"a","tags":["t"],"source_id":"s","layers":["fact"],"before":"b","project":"p","all":true,"dry_run":true,"confirm":"c","undo":true,"reason":"r"}`))
	if err != nil {
		t.Fatal(err)
	}
	project := "p"
	want := layers.ForgetInput{
		IDs: []string{"i"}, Query: "q", Entity: "e", Attribute: "a", Tags: []string{"t"}, SourceID: "s", Layers: []string{"fact"}, Before: "b", Project: &project,
		All: true, Mode: "soft", DryRun: true, Confirm: "c", Undo: true, Reason: "r",
	}
	if d := cmp.Diff(want, forgetCall(args)); d != "" {
		t.Error(d)
	}
}

func TestClosest_SuggestsOnlyWhatIsNear(t *testing.T) {
	for _, tc := range []struct{ wrong, want string }{
		{"txt", "text"}, {"Text", "text"}, {"memory", "memories"}, {"colour", ""}, {"valid-from", "valid_from"}, {"session", "session_id"}, {"", ""}, {"标签", ""},
	} {
		if got := closest(tc.wrong, []string{"text", "valid_from", "session_id", "memories"}); got != tc.want {
			t.Errorf("closest(%q) = %q, want %q", tc.wrong, got, tc.want)
		}
	}
}

func schemaOf(t testing.TB, name string) *schema {
	t.Helper()
	for _, tool := range toolset(false) {
		if tool.name == name {
			return mustSchema(tool.input)
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// FuzzDecodeArguments holds that any bytes either are refused in two lines or
// give values that fit the schema, and that nothing panics on the way.
func FuzzDecodeArguments(f *testing.F) {
	for _, seed := range []string{
		`{"query":"x","limit":"5"}`, `{"memories":[{"text":"a","detail":{"k":[1,null]}}]}`, `{"memories":"[{\"text\":\"\\ud83d\"}]"}`,
		`{"text":"a\u0000"}`, "{\"text\":\"\xff\"}", `{"limit":1e400}`, `"{}"`, `[[[[`, `{"detail":"{"}`, `{"min_score":"-0"}`, `{"tags":"[1"}`,
	} {
		f.Add([]byte(seed))
	}
	tools := toolset(false)
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, tool := range tools {
			s := mustSchema(tool.input)
			args, err := decodeArguments(s, tool.name, raw)
			if err != nil {
				if strings.Count(err.Error(), "\n") != 1 {
					t.Errorf("the error is not two lines: %q", err)
				}
				continue
			}
			checkFits(t, s, args, tool.name)
			if tool.name == "remember" {
				_, _ = rememberCall(args)
			}
		}
	})
}

func checkFits(t *testing.T, s *schema, v any, at string) {
	t.Helper()
	switch v := v.(type) {
	case arguments:
		for name, member := range v {
			if s.Properties.of[name] == nil {
				t.Fatalf("%s holds %q, which is not in the schema", at, name)
			}
			checkFits(t, s.Properties.of[name], member, at+"."+name)
		}
	case []arguments:
		if s.MaxItems > 0 && len(v) > s.MaxItems || len(v) < s.MinItems {
			t.Errorf("%s has %d items", at, len(v))
		}
		for _, item := range v {
			checkFits(t, s.Items, item, at)
		}
	case []string:
		if s.MaxItems > 0 && len(v) > s.MaxItems || len(v) == 0 {
			t.Errorf("%s has %d items", at, len(v))
		}
		for _, item := range v {
			checkFits(t, s.Items, item, at)
		}
	case int:
		if s.Type != "integer" || !s.holds(float64(v)) {
			t.Errorf("%s = %d is out of range", at, v)
		}
	case float64:
		if s.Type != "number" || !s.holds(v) || math.IsNaN(v) {
			t.Errorf("%s = %g is out of range", at, v)
		}
	case bool:
		if s.Type != "boolean" {
			t.Errorf("%s is a boolean", at)
		}
	case string:
		if s.Type != "string" || !utf8.ValidString(v) || strings.ContainsRune(v, 0) {
			t.Errorf("%s = %q is no clean string", at, v)
		}
		if len(s.Enum) > 0 && !strings.Contains(" "+strings.Join(s.Enum, " ")+" ", " "+v+" ") {
			t.Errorf("%s = %q is not in the enum", at, v)
		}
	case json.RawMessage:
		if s.Type != "object" || !json.Valid(v) || v[0] != '{' {
			t.Errorf("%s = %s is no object", at, v)
		}
	default:
		t.Errorf("%s has type %T", at, v)
	}
}
