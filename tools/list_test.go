package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

var update = flag.Bool("update", false, "write the golden files anew")

// listed returns tools/list as it is on the wire.
func listed(t testing.TB) []byte {
	t.Helper()
	srv := serve(&fake{})
	data, err := json.Marshal(srv.HandleMessage(t.Context(), []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

type listedTool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  mcp.ToolAnnotation
}

func listedTools(t testing.TB) []listedTool {
	t.Helper()
	var m struct{ Result struct{ Tools []listedTool } }
	if err := json.Unmarshal(listed(t), &m); err != nil {
		t.Fatal(err)
	}
	return m.Result.Tools
}

func TestToolsList_StaysAsItIs(t *testing.T) {
	for _, tool := range listedTools(t) {
		got, err := json.MarshalIndent(tool, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", tool.Name+".golden")
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s differs from %s; go test -update ./tools writes it anew", tool.Name, path)
		}
	}
}

func TestToolsList_IsSmall(t *testing.T) {
	if n := len(listed(t)); n >= 20_000 {
		t.Errorf("tools/list has %d bytes", n)
	}
	seen := 0 // by a model
	for _, tool := range listedTools(t) {
		seen += len(tool.Name) + len(tool.Description) + len(tool.InputSchema)
	}
	if seen >= 9_000 {
		t.Errorf("names, descriptions and input schemas have %d bytes", seen)
	}
	t.Logf("tools/list %d bytes, of which a model sees %d", len(listed(t)), seen)
}

func TestToolsList_TellsWhatEachToolMayDo(t *testing.T) {
	type hints struct{ readOnly, destructive, idempotent, openWorld bool }
	want := map[string]hints{"remember": {}, "recall": {readOnly: true, idempotent: true}, "extract": {}, "forget": {destructive: true, idempotent: true}}
	got := map[string]hints{}
	for _, tool := range listedTools(t) {
		a := tool.Annotations
		if a.ReadOnlyHint == nil || a.DestructiveHint == nil || a.IdempotentHint == nil || a.OpenWorldHint == nil {
			t.Fatalf("%s leaves a hint open: %+v", tool.Name, a)
		}
		got[tool.Name] = hints{*a.ReadOnlyHint, *a.DestructiveHint, *a.IdempotentHint, *a.OpenWorldHint}
		if tool.Title == "" || a.Title == "" || tool.Description == "" {
			t.Errorf("%s has no title or description", tool.Name)
		}
	}
	if len(got) != len(want) {
		t.Errorf("tools %v, want %v", got, want)
	}
	for name, w := range want {
		if got[name] != w {
			t.Errorf("%s: hints %+v, want %+v", name, got[name], w)
		}
	}
}

func TestSchemas_AreFlat(t *testing.T) {
	for _, tool := range listedTools(t) {
		for kind, raw := range map[string]json.RawMessage{"input": tool.InputSchema, "output": tool.OutputSchema} {
			var s map[string]any
			if err := json.Unmarshal(raw, &s); err != nil {
				t.Fatal(err)
			}
			lintSchema(t, tool.Name+" "+kind, s, true)
		}
	}
}

func lintSchema(t *testing.T, at string, s map[string]any, root bool) {
	t.Helper()
	for _, key := range []string{"$ref", "$defs", "anyOf", "oneOf", "allOf", "definitions"} {
		if _, ok := s[key]; ok {
			t.Errorf("%s holds %s", at, key)
		}
	}
	kind, ok := s["type"].(string)
	if !ok || root && kind != "object" {
		t.Errorf("%s: type is %v", at, s["type"])
	}
	props, _ := s["properties"].(map[string]any)
	if kind == "object" && props == nil {
		t.Errorf("%s: no properties", at)
	}
	if root {
		if _, ok := s["required"].([]any); !ok {
			t.Errorf("%s: required is %v", at, s["required"])
		}
	}
	items, _ := s["items"].(map[string]any)
	if kind == "array" && items == nil {
		t.Errorf("%s: no items", at)
	}
	if strings.HasSuffix(at, ".detail") && s["additionalProperties"] != true {
		t.Errorf("%s is not open", at)
	}
	for name, p := range props {
		lintSchema(t, at+"."+name, p.(map[string]any), false)
	}
	if items != nil {
		lintSchema(t, at+"[]", items, false)
	}
}

func TestInstructions_AreShort(t *testing.T) {
	got := initialized(t).Instructions
	if n := len(strings.Fields(got)); n == 0 || n >= 150 {
		t.Errorf("instructions have %d words", n)
	}
	for _, tool := range []string{"remember", "recall", "extract", "forget"} {
		if !strings.Contains(got, tool) {
			t.Errorf("instructions do not name %s", tool)
		}
	}
}

func initialized(t *testing.T) mcp.InitializeResult {
	t.Helper()
	data, err := json.Marshal(serve(&fake{}).HandleMessage(t.Context(),
		[]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)))
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Result mcp.InitializeResult }
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	return m.Result
}

// The lists of values stand in the schemas as well as in the code: they must
// not drift apart.
func TestSchemas_NameTheValuesOfTheCode(t *testing.T) {
	var known []string
	for _, l := range storage.Layers {
		known = append(known, string(l))
	}
	for _, tool := range listedTools(t) {
		var s struct {
			Properties map[string]struct {
				Enum  []string
				Items struct {
					Enum       []string
					Properties map[string]struct{ Enum []string }
				}
			}
		}
		if err := json.Unmarshal(tool.InputSchema, &s); err != nil {
			t.Fatal(err)
		}
		for _, enum := range [][]string{s.Properties["layer"].Enum, s.Properties["layers"].Items.Enum, s.Properties["memories"].Items.Properties["layer"].Enum} {
			want := known
			if tool.Name == "extract" { // fact is for remember
				want = known[:len(known)-1]
			}
			if enum != nil && !slices.Equal(enum, want) {
				t.Errorf("%s: layers %v, want %v", tool.Name, enum, want)
			}
		}
		if got, want := s.Properties["on_conflict"].Enum, []string{layers.OnConflictSupersede, layers.OnConflictKeepBoth, layers.OnConflictReject}; got != nil && !slices.Equal(got, want) {
			t.Errorf("on_conflict %v, want %v", got, want)
		}
		if got, want := s.Properties["format"].Enum, []string{layers.FormatItems, layers.FormatContext, layers.FormatSummary}; got != nil && !slices.Equal(got, want) {
			t.Errorf("format %v, want %v", got, want)
		}
	}
}
