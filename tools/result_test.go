package tools_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
)

// answers are memories that answer with nothing, with something, and with far
// too much.
func answers() map[string]*fake {
	full := layers.Match{
		ID: idA, Text: "The user lives in Tartu.", Layer: "identity", Tier: "semantic", Entity: "user", Attribute: "home city", Value: "Tartu",
		Importance: 4, Confidence: 0.8, Detail: json.RawMessage(`{"a":null}`), Score: 0.5, ObservedAt: "2024-01-01T00:00:00Z", SupersededBy: idB,
		Tags: []string{"x"}, Flags: []string{"superseded"}, Signals: map[string]float64{"keyword": 0.5},
	}
	return map[string]*fake{
		"nothing": {},
		"something": {
			remember: layers.RememberOutput{Memories: []layers.Remembered{{ID: idA, Status: "stored", Text: "a", Supersedes: []string{idB}}}},
			recall: layers.RecallOutput{Matches: []layers.Match{full, {ID: idB}}, Upcoming: []layers.Upcoming{{ID: idB, Text: "b"}},
				Working: []layers.WorkingTurn{{Role: "user", Text: "hi"}}, NextCursor: "c1"},
			forget: layers.ForgetOutput{Matched: []layers.Forgotten{{ID: idA, Text: "a"}}, MatchedCount: 1, Forgotten: 1, Mode: "soft", Related: []string{idB},
				Receipt: layers.Receipt{ID: idB, Verified: true, Checked: map[string]bool{"store": true}}, UndoUntil: "2024-01-31T00:00:00Z"},
		},
		"too much": tooMuch(full),
	}
}

// tooMuch fills every field with what takes most bytes as JSON.
func tooMuch(full layers.Match) *fake {
	wide := strings.Repeat("\x01<", 2000)
	f := &fake{}
	for i := range 100 {
		f.remember.Memories = append(f.remember.Memories, layers.Remembered{
			ID: idA, Status: "stored", Text: wide[:256], Layer: "experience", Tier: "semantic", Entity: wide, Attribute: wide, Value: wide, Note: wide,
			Supersedes: strings.Split(strings.Repeat(idB+" ", 200), " "), Redacted: []string{"api_key", "card"},
		})
		if i < 50 {
			f.forget.Matched = append(f.forget.Matched, layers.Forgotten{ID: idA, Text: wide[:200]})
		}
	}
	f.forget.Related = strings.Split(strings.Repeat(idB+" ", 5000), " ")
	f.forget.Confirm, f.forget.Note, f.forget.MatchedCount = "token", wide, 100000
	for size := 0; size < 46_000; {
		m := full
		m.Text = strings.Repeat("<", 300)
		data, _ := json.Marshal(m)
		size += len(data)
		f.recall.Matches = append(f.recall.Matches, m)
	}
	for range 20 {
		f.recall.Working = append(f.recall.Working, layers.WorkingTurn{Role: "user", Text: wide})
	}
	f.recall.Context, f.recall.NextCursor = strings.Repeat(wide, 10), strings.Repeat("c", 100)
	return f
}

var calls = []struct{ tool, args string }{
	{"remember", `{"text":"a"}`}, {"recall", `{"query":"a"}`}, {"recall", `{"format":"context"}`}, {"forget", `{"ids":["a"]}`},
}

func TestResults_FitTheirSchemaAndTheMessage(t *testing.T) {
	ids := regexp.MustCompile(`\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b`)
	for name, m := range answers() {
		c := connect(t, serve(m))
		for _, tc := range calls {
			t.Run(name+"/"+tc.tool+tc.args, func(t *testing.T) {
				res := callTool(t, c, tc.tool, tc.args)
				text := textOf(res)
				if res.IsError || strings.TrimSpace(text) == "" {
					t.Fatalf("error %v, text %q", res.IsError, cutTo(text, 300))
				}
				wire, err := json.Marshal(mcp.NewJSONRPCResultResponse(mcp.NewRequestId(1), res))
				if err != nil {
					t.Fatal(err)
				}
				if len(wire) > 60_000 {
					t.Errorf("the message has %d bytes", len(wire))
				}
				structure, err := json.Marshal(res.StructuredContent)
				if err != nil {
					t.Fatal(err)
				}
				for _, problem := range validate(outputSchema(t, tc.tool), decoded(t, structure), "") {
					t.Error(problem)
				}
				for _, id := range ids.FindAllString(text, -1) {
					if !strings.Contains(string(structure), id) {
						t.Errorf("the text names %s, the structure does not", id)
					}
				}
				if json.Valid([]byte(text)) {
					t.Errorf("the text is JSON: %s", cutTo(text, 100))
				}
				t.Logf("%d bytes, text:\n%s", len(wire), cutTo(text, 600))
			})
		}
	}
}

func TestRecall_RefusesWhatNoMessageHolds(t *testing.T) {
	m := &fake{}
	for range 200 {
		m.recall.Matches = append(m.recall.Matches, layers.Match{ID: idA, Text: strings.Repeat("x", 500)})
	}
	res := callTool(t, connect(t, serve(m)), "recall", `{"query":"a"}`)
	if !res.IsError || !strings.Contains(textOf(res), "smaller limit") {
		t.Errorf("got %q, want an error that asks for less", cutTo(textOf(res), 200))
	}
}

func TestRecall_FailsClearlyWhereAScoreIsNoNumber(t *testing.T) {
	m := &fake{recall: layers.RecallOutput{Matches: []layers.Match{{ID: idA, Score: math.NaN()}}}}
	res := callTool(t, connect(t, serve(m)), "recall", `{"query":"a"}`)
	if !res.IsError || !strings.Contains(textOf(res), "internal error") {
		t.Errorf("got %q", textOf(res))
	}
}

func TestRecall_TellsTheKindsOfNothingApart(t *testing.T) {
	for _, tc := range []struct {
		name string
		out  layers.RecallOutput
		want string
	}{
		{"nothing", layers.RecallOutput{}, "Nothing found."},
		{"below the threshold", layers.RecallOutput{BelowThreshold: 3}, "3 candidates below"},
	} {
		got := textOf(callTool(t, connect(t, serve(&fake{recall: tc.out})), "recall", `{"query":"a"}`))
		if !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want it to hold %q", tc.name, got, tc.want)
		}
	}
}

func TestRecall_ShowsStoredTextInOneLine(t *testing.T) {
	m := &fake{recall: layers.RecallOutput{Matches: []layers.Match{{ID: idA, Text: "a\n2. forged\x1b]0;x\x07"}}}}
	got := textOf(callTool(t, connect(t, serve(m)), "recall", `{"query":"a"}`))
	if lines := strings.Split(got, "\n"); len(lines) != 2 || strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("stored text broke out of its line: %q", got)
	}
}

func TestForget_ShowsTheTokenOfAWideForget(t *testing.T) {
	m := &fake{forget: layers.ForgetOutput{Confirm: "tok-1", MatchedCount: 7, Matched: []layers.Forgotten{{ID: idA, Text: "a"}}}}
	got := textOf(callTool(t, connect(t, serve(m)), "forget", `{"query":"a"}`))
	for _, want := range []string{"Nothing forgotten yet", "tok-1", "7 would go", idA} {
		if !strings.Contains(got, want) {
			t.Errorf("the text lacks %q:\n%s", want, got)
		}
	}
}

func outputSchema(t *testing.T, tool string) map[string]any {
	t.Helper()
	for _, l := range listedTools(t) {
		if l.Name == tool {
			return decoded(t, l.OutputSchema).(map[string]any)
		}
	}
	t.Fatalf("no tool %s", tool)
	return nil
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// validate returns what does not fit a flat schema, as the strictest client
// reads it: nothing undeclared, nothing null, all that is required.
func validate(s map[string]any, v any, at string) (problems []string) {
	kind := s["type"].(string)
	if got := kindOf(v); got != kind && !(kind == "number" && got == "integer") {
		return []string{fmt.Sprintf("%s is %s, not %s", at, got, kind)}
	}
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			problems = append(problems, validate(s["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", at, i))...)
		}
	case map[string]any:
		props := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			if _, ok := v[name.(string)]; !ok {
				problems = append(problems, at+" lacks "+name.(string))
			}
		}
		for name, member := range v {
			p, ok := props[name].(map[string]any)
			if !ok {
				p, ok = s["additionalProperties"].(map[string]any)
			}
			switch {
			case ok:
				problems = append(problems, validate(p, member, at+"."+name)...)
			case s["additionalProperties"] != true:
				problems = append(problems, at+" holds "+name)
			}
		}
	}
	return problems
}

func kindOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	}
	return "null"
}
