package tools_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

func TestCalls_RefuseBadArgumentsAndStoreNothing(t *testing.T) {
	m := &fake{}
	c := connect(t, serve(m))
	for _, tc := range []struct {
		name, tool, args string
		want             []string
	}{
		{"no text at all", "remember", `{}`, []string{"text", "memories"}},
		{"text and memories", "remember", `{"text":"a","memories":[{"text":"b"}]}`, []string{"text and memories"}},
		{"empty memories", "remember", `{"memories":[]}`, []string{"memories is empty"}},
		{"101 memories", "remember", `{"memories":[` + strings.TrimSuffix(strings.Repeat(`{"text":"a"},`, 101), ",") + `]}`, []string{"memories", "101", "at most 100"}},
		{"null memory", "remember", `{"memories":[{"text":"a"},null]}`, []string{"memories[1]", "null"}},
		{"memory of the wrong type", "remember", `{"memories":[7]}`, []string{"memories[0]", "number 7", "object"}},
		{"unknown argument", "remember", `{"text":"a","colour":"green"}`, []string{"colour", "text", "valid_from"}},
		{"near miss", "recall", `{"querry":"a"}`, []string{`"querry" (did you mean query?)`}},
		{"singular", "forget", `{"id":"x"}`, []string{`"id" (did you mean ids?)`, "ids, query"}},
		{"user is no argument", "recall", `{"query":"x","user":"bob"}`, []string{"recall has no argument", `"user"`}},
		{"unknown in a memory", "remember", `{"memories":[{"text":"a"},{"text":"b","txt":"c"}]}`, []string{"memories[1]", "txt", "entity"}},
		{"wrong type of text", "remember", `{"text":7}`, []string{"text is the number 7", "a string"}},
		{"wrong type of tags", "remember", `{"text":"a","tags":{"a":1}}`, []string{"tags is an object", "array"}},
		{"wrong type in tags", "remember", `{"text":"a","tags":["b",1]}`, []string{"tags[1]"}},
		{"wrong type of detail", "remember", `{"text":"a","detail":"b"}`, []string{"detail", "object"}},
		{"wrong type of a flag", "recall", `{"explain":"maybe"}`, []string{"explain", "true or false"}},
		{"arguments are no object", "recall", `["x"]`, []string{"recall is an array"}},
		{"negative limit", "recall", `{"limit":-1}`, []string{"limit is the number -1", "from 1 to 100"}},
		{"limit of 0", "recall", `{"limit":0}`, []string{"limit", "from 1 to 100"}},
		{"limit of a billion", "recall", `{"limit":1000000000}`, []string{"limit", "1000000000"}},
		{"broken limit", "recall", `{"limit":2.5}`, []string{"limit", "whole number"}},
		{"limit that is no number", "recall", `{"limit":"NaN"}`, []string{"limit", `"NaN"`}},
		{"infinite score", "recall", `{"min_score":"Inf"}`, []string{"min_score"}},
		{"score over 1", "recall", `{"min_score":1.01}`, []string{"min_score", "from 0 to 1"}},
		{"importance of 0", "remember", `{"text":"a","importance":0}`, []string{"importance", "from 1 to 5"}},
		{"importance of 6", "remember", `{"memories":[{"text":"a","importance":"6"}]}`, []string{"memories[0].importance", "from 1 to 5"}},
		{"confidence over 1", "remember", `{"text":"a","confidence":1.1}`, []string{"confidence", "1.1"}},
		{"unknown layer", "recall", `{"layers":["identities"]}`, []string{"layers[0]", `"identities"`, "identity"}},
		{"unknown layer in a memory", "remember", `{"memories":[{"text":"a","layer":"memory"}]}`, []string{"memories[0].layer", "preference"}},
		{"unknown conflict rule", "remember", `{"text":"a","on_conflict":"overwrite"}`, []string{"on_conflict", "keep_both"}},
		{"101 ids", "recall", `{"ids":[` + strings.TrimSuffix(strings.Repeat(`"x",`, 101), ",") + `]}`, []string{"ids", "at most 100"}},
		{"an unknown mode", "forget", `{"mode":"shred"}`, []string{"mode", "shred"}},
		{"working tiers", "recall", `{"tiers":["working"]}`, []string{"working", "episodic, semantic"}},
		{"a layer that is none", "extract", `{"text":"a","layers":["identities"]}`, []string{"layers[0]", "identity"}},
		{"an unknown argument", "extract", `{"text":"a","layer":"identity"}`, []string{"layer", "layers"}},
		{"a message that is none", "extract", `{"messages":["hello"]}`, []string{"messages[0]"}},
		{"a member of no interface", "extract", `{"messages":[{"content":"a","mood":"fine"}]}`, []string{"messages[0]", "mood", "content"}},
		{"an unknown role", "extract", `{"messages":[{"role":"wizard","content":"a"}]}`, []string{"messages[0].role", "wizard", "assistant"}},
		{"NUL in a part", "extract", `{"messages":[{"content":[{"type":"text","text":"a\u0000b"}]}]}`, []string{"messages[0].content", "NUL"}},
		{"content that is a number", "extract", `{"messages":[{"content":5}]}`, []string{"messages[0].content"}},
		{"NUL", "remember", `{"text":"a\u0000b"}`, []string{"text", "NUL"}},
		{"NUL in detail", "remember", `{"text":"a","detail":{"x":["\u0000"]}}`, []string{"detail.x[0]", "NUL"}},
		{"half a surrogate pair", "remember", `{"memories":[{"text":"a","value":"\ud83d"}]}`, []string{"memories[0].value", "Unicode"}},
		{"the wrong half first", "remember", `{"text":"\ude00\ud83d"}`, []string{"text", "Unicode"}},
		{"bad UTF-8", "remember", "{\"text\":\"a\xff\"}", []string{"text", "Unicode"}},
		{"deep JSON", "remember", `{"text":"a","detail":` + strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40) + `}`, []string{"nested too deeply", "32"}},
		{"deep JSON in a string", "remember", `{"text":"a","detail":"` + strings.Repeat(`{\"a\":`, 40) + `1` + strings.Repeat(`}`, 40) + `"}`, []string{"detail", "nested too deeply"}},
		{"broken JSON in a string", "remember", `{"text":"a","detail":"{\"a\":"}`, []string{"detail", "JSON"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := callTool(t, c, tc.tool, tc.args)
			text := textOf(res)
			if !res.IsError {
				t.Fatalf("no error: %s", text)
			}
			for _, want := range tc.want {
				if !strings.Contains(text, want) {
					t.Errorf("the error lacks %q:\n%s", want, text)
				}
			}
			if lines := strings.Count(text, "\n") + 1; lines != 2 {
				t.Errorf("the error has %d lines, not one for what was wrong and one for what is right:\n%s", lines, text)
			}
		})
	}
	if n := len(m.remembered) + len(m.recalled) + len(m.forgotten); n != 0 {
		t.Errorf("%d bad calls reached the memory", n)
	}
}

func TestCalls_ExplainFailuresWithoutInternals(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		want string
	}{
		{"a caller's mistake goes out as it is", &layers.InvalidError{Field: "valid_to", Problem: "is before valid_from"}, "valid_to: is before valid_from"},
		{"held store", fmt.Errorf("open /secret/path: %w", storage.ErrLocked), "another process"},
		{"read-only store", fmt.Errorf("apply: %w", storage.ErrReadOnly), "takes no writes"},
		{"full disk", fmt.Errorf("apply: %w", storage.ErrUnavailable), "disk"},
		{"newer store", fmt.Errorf("open: %w", storage.NewerError{Found: 9, Reads: 2}), "format version 9, this program reads up to 2"},
		{"damaged store", fmt.Errorf("apply: %w", storage.ErrCorrupt), "damaged"},
		{"stopping", storage.ErrClosed, "stopping"},
		{"too large", storage.ErrTooLarge, "split"},
		{"unknown id", storage.ErrNotFound, "no memory has that id"},
		{"anything else", errors.New("/secret/path: oh no"), "internal error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := callTool(t, connect(t, serve(&fake{err: tc.err})), "remember", `{"text":"a"}`)
			text := textOf(res)
			if !res.IsError || !strings.Contains(text, tc.want) {
				t.Errorf("got %q, want an error with %q", text, tc.want)
			}
			if strings.Contains(text, "/secret/path") {
				t.Errorf("internals in %q", text)
			}
		})
	}
}
