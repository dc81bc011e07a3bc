package tools_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"

	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
	"mcp-memory/tools"
)

// withMemory is a client of the real memory over a temporary directory.
func withMemory(t *testing.T) *client.Client {
	t.Helper()
	log := slog.New(slog.NewTextHandler(t.Output(), nil))
	return connect(t, tools.NewServer(tools.Options{Ready: tools.Loaded(realMemory(t)), Log: log}))
}

// realMemory is a memory over a temporary directory.
func realMemory(t *testing.T) *layers.Memory {
	t.Helper()
	store, err := bunt.Open(t.Context(), bunt.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	m, err := layers.Open(t.Context(), layers.Options{Store: store, Location: time.UTC})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// structured calls a tool, which must succeed, and checks its answer against
// the output schema.
func structured[T any](t *testing.T, c *client.Client, tool, args string) T {
	t.Helper()
	res := callTool(t, c, tool, args)
	if res.IsError {
		t.Fatalf("%s %s: %s", tool, cutTo(args, 200), textOf(res))
	}
	data, err := json.Marshal(res.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range validate(outputSchema(t, tool), decoded(t, data), "") {
		t.Errorf("%s: %s", tool, problem)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestMemory_IsRememberedReplacedRecalledAndForgotten(t *testing.T) {
	c := withMemory(t)
	old := structured[layers.RememberOutput](t, c, "remember",
		`{"text":"The user lives in Tartu.","entity":"user","attribute":"home city","value":"Tartu","layer":"identity","observed_at":"2024-01-01","detail":{"since":"2020"}}`).Memories[0]
	now := structured[layers.RememberOutput](t, c, "remember",
		`{"memories":[{"text":"用户住在北京。","value":"北京","observed_at":"2024-02-01"}],"entity":"user","attribute":"home city","layer":"identity"}`).Memories[0]
	if len(now.Supersedes) != 1 || now.Supersedes[0] != old.ID {
		t.Errorf("supersedes %v, want %s", now.Supersedes, old.ID)
	}
	found := structured[layers.RecallOutput](t, c, "recall", `{"entity":"user","attribute":"home city","explain":"true"}`)
	if len(found.Matches) != 1 || found.Matches[0].ID != now.ID {
		t.Errorf("recalled %+v, want %s alone", found.Matches, now.ID)
	}
	before := structured[layers.RecallOutput](t, c, "recall", `{"entity":"user","attribute":"home city","as_of":"2024-01-15"}`)
	if len(before.Matches) != 1 || before.Matches[0].Value != "Tartu" {
		t.Errorf("as of January: %+v", before.Matches)
	}
	record, err := read(t, c.ReadResource, "memory://record/"+now.ID)
	if err != nil || !strings.Contains(record.Text, old.ID) {
		t.Errorf("the record's chain lacks %s: %v\n%s", old.ID, err, record.Text)
	}
	gone := structured[layers.ForgetOutput](t, c, "forget", fmt.Sprintf(`{"ids":%q}`, now.ID))
	if gone.Forgotten != 1 || !gone.Receipt.Verified {
		t.Errorf("forget: %+v", gone)
	}
	for _, uri := range []string{"memory://profile", "memory://recent", "memory://timeline/user"} {
		if got, err := read(t, c.ReadResource, uri); err == nil && strings.Contains(got.Text, "北京") {
			t.Errorf("%s shows what was forgotten:\n%s", uri, got.Text)
		}
	}
}

// A client that shows the text of an answer alone gets its reasons, working memory and
// next page from it too.
func TestMemory_TheTextOfARecallIsEnough(t *testing.T) {
	c := withMemory(t)
	for i := range 12 {
		structured[layers.RememberOutput](t, c, "remember", fmt.Sprintf(`{"text":"Kiln %d fires the cups."}`, i))
	}
	structured[layers.RememberOutput](t, c, "remember", `{"text":"step two of four","tier":"working","session_id":"s"}`)
	text := textOf(callTool(t, c, "recall", `{"query":"kiln cups","limit":8,"explain":true,"session_id":"s"}`))
	for _, want := range []string{"[keyword ", "In this session note: step two of four"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q:\n%s", want, text)
		}
	}
	_, cursor, ok := strings.Cut(text, "the same call with cursor ")
	if !ok {
		t.Fatalf("no cursor:\n%s", text)
	}
	next := structured[layers.RecallOutput](t, c, "recall", fmt.Sprintf(`{"query":"kiln cups","limit":8,"explain":true,"session_id":"s","cursor":%q}`, cursor))
	if len(next.Matches) != 4 {
		t.Errorf("the next page has %d matches, want 4", len(next.Matches))
	}
	if text := textOf(callTool(t, c, "recall", `{"query":"zebra","format":"context"}`)); !strings.Contains(text, "Nothing found") {
		t.Errorf("a context of nothing: %q", text)
	}
}

func TestMemory_RefusesBadInputAndStoresNothing(t *testing.T) {
	c := withMemory(t)
	for _, tc := range []struct{ name, tool, args, want string }{
		{"blank text", "remember", `{"text":" \n\t "}`, "text"},
		{"empty text", "remember", `{"text":""}`, "text"},
		{"blank text in a batch", "remember", `{"memories":[{"text":"a"},{"text":"  "}]}`, "memories[1]"},
		{"17 KiB of text", "remember", `{"text":"` + strings.Repeat("x", 17<<10) + `"}`, "text"},
		{"entity of 10 kB", "remember", `{"text":"a","entity":"` + strings.Repeat("x", 10_000) + `","attribute":"b","value":"c"}`, "entity"},
		{"end before its beginning", "remember", `{"text":"a","valid_from":"2024-05-01","valid_to":"2024-04-01"}`, "valid_to"},
		{"no date", "remember", `{"text":"a","observed_at":"sometime in spring"}`, "observed_at"},
		{"33 tags", "remember", `{"text":"a","tags":["` + strings.Join(strings.Split(strings.Repeat("t", 33), ""), `","`) + `"]}`, "tags"},
		{"nothing to forget", "forget", `{}`, "ids"},
		{"unknown id", "forget", `{"ids":["` + idA + `"]}`, idA},
	} {
		t.Run(tc.name, func(t *testing.T) {
			res := callTool(t, c, tc.tool, tc.args)
			if text := textOf(res); !res.IsError || !strings.Contains(text, tc.want) {
				t.Errorf("error %v, text %q, want an error with %q", res.IsError, cutTo(text, 300), tc.want)
			}
		})
	}
	if got := structured[layers.RecallOutput](t, c, "recall", `{}`); len(got.Matches) != 0 {
		t.Errorf("stored: %+v", got.Matches)
	}
}

func TestMemory_PagesFitTheMessage(t *testing.T) {
	c := withMemory(t)
	text := strings.Repeat("The surveyor notes gravel & <clay>. ", 50)
	batch := `{"memories":[` + strings.TrimSuffix(strings.Repeat(`{"text":"`+text+`#"},`, 50), ",") + `]}`
	for i := range 50 {
		batch = strings.Replace(batch, "#", fmt.Sprintf("Borehole %d.", i), 1)
	}
	structured[layers.RememberOutput](t, c, "remember", batch)
	seen, cursor := map[string]bool{}, ""
	for page := 0; page == 0 || cursor != ""; page++ {
		if page > 50 {
			t.Fatal("the pages have no end")
		}
		res := callTool(t, c, "recall", fmt.Sprintf(`{"query":"borehole","limit":100,"cursor":%q}`, cursor))
		if wire, err := json.Marshal(res); err != nil || len(wire) > 60_000 || res.IsError {
			t.Fatalf("page %d has %d bytes, error %v %s", page, len(wire), err, cutTo(textOf(res), 200))
		}
		out := structured[layers.RecallOutput](t, c, "recall", fmt.Sprintf(`{"query":"borehole","limit":100,"cursor":%q}`, cursor))
		for _, m := range out.Matches {
			if seen[m.ID] {
				t.Fatalf("%s is on two pages", m.ID)
			}
			seen[m.ID] = true
		}
		cursor = out.NextCursor
	}
	if len(seen) != 50 {
		t.Errorf("the pages hold %d of 50", len(seen))
	}
}
