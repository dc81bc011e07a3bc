package tools

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
	"mcp-memory/storage"
)

//go:embed remember.input.json
var rememberInput []byte

//go:embed remember.output.json
var rememberOutput []byte

func rememberTool() tool {
	return tool{
		name:  "remember",
		title: "Remember",
		description: "Store what should be known in later conversations: one text, or several memories. " +
			"It is on disk when this answers. With entity, attribute and value a newer statement replaces the older one, which stays as history and can be brought back.",
		input:  rememberInput,
		output: rememberOutput,
		run:    remember,
	}
}

func remember(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	in, err := rememberCall(c.args)
	if err != nil {
		return nil, err
	}
	m, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	in.Call = callFrom(ctx)
	out, err := m.Remember(ctx, c.user, in)
	if err != nil {
		return nil, err
	}
	for i := range out.Memories {
		r := &out.Memories[i]
		r.Supersedes, r.Redacted = list(r.Supersedes), list(r.Redacted)
	}
	out.Memories = list(out.Memories)
	text := renderRemembered(out)
	// It is stored: whatever its size, the answer must say so.
	for _, n := range cuts {
		if jsonSize(out) <= maxStructure {
			break
		}
		out = shortRemembered(out, n)
	}
	return result(out, text, countStatuses(out.Memories))
}

// rememberCall builds the input: text with its fields, or memories with the
// fields beside them as defaults.
func rememberCall(a arguments) (layers.RememberInput, error) {
	in := layers.RememberInput{OnConflict: a.text("on_conflict"), IdempotencyKey: a.text("idempotency_key")}
	memories := a.objects("memories")
	switch {
	case memories != nil && a.text("text") != "":
		return in, bad("text and memories are both given", "give one text, or put each text into memories")
	case memories == nil && !a.has("text"):
		return in, bad("text is missing", "give text, or memories: [{\"text\": ...}, ...]")
	case memories == nil:
		in.Memories = []layers.Memorandum{memorandum(a)}
		return in, nil
	}
	in.Batch = true
	for _, m := range memories {
		for name, v := range a {
			if name != "text" && !m.has(name) {
				m[name] = v
			}
		}
		in.Memories = append(in.Memories, memorandum(m))
	}
	return in, nil
}

func memorandum(a arguments) layers.Memorandum {
	return layers.Memorandum{
		Text:       a.text("text"),
		Layer:      a.layer("layer"),
		Tier:       storage.Tier(a.text("tier")),
		Entity:     a.text("entity"),
		Attribute:  a.text("attribute"),
		Value:      a.text("value"),
		Category:   a.text("category"),
		Reason:     a.text("reason"),
		Tags:       a.texts("tags"),
		Importance: optional[int](a, "importance"),
		Confidence: optional[float64](a, "confidence"),
		ObservedAt: a.text("observed_at"),
		ValidFrom:  a.text("valid_from"),
		ValidTo:    a.text("valid_to"),
		Project:    a.word("project"),
		SourceID:   a.text("source_id"),
		SessionID:  a.text("session_id"),
		Speaker:    a.text("speaker"),
		Role:       a.text("role"),
		Quote:      a.text("quote"),
		Detail:     a.open("detail"),
	}
}

// renderRemembered shows each memory in a line with what became of it.
func renderRemembered(out layers.RememberOutput) string {
	t := newRendering(maxText)
	t.line("%s", countStatuses(out.Memories))
	for i, r := range out.Memories {
		line := fmt.Sprintf("- %s %s: %s", r.Status, bracketed(r.ID), oneLine(r.Text, 160)+slotNote(r.Entity, r.Attribute, r.Value))
		if n := len(r.Supersedes); n > 0 {
			line += fmt.Sprintf("; replaces %s%s", bracketed(r.Supersedes[0]), andMore(n-1))
		}
		if r.Note != "" {
			line += "; " + oneLine(r.Note, 200)
		}
		if !t.line("%s", line) {
			t.end("... and %d more", len(out.Memories)-i)
			break
		}
	}
	return t.String()
}

// countStatuses is the answer in one line, such as "2 stored, 1 reinforced".
func countStatuses(memories []layers.Remembered) string {
	counts := map[string]int{}
	for _, r := range memories {
		counts[r.Status]++
	}
	text := ""
	for _, status := range []string{layers.StatusStored, layers.StatusReinforced, layers.StatusHistory, layers.StatusDuplicate, layers.StatusRejected} {
		if n := counts[status]; n > 0 {
			text += fmt.Sprintf(", %d %s", n, status)
		}
	}
	if text == "" {
		return "Nothing was stored."
	}
	return text[len(", "):]
}

// shortRemembered cuts every text to n bytes of JSON and every list to n/8.
func shortRemembered(out layers.RememberOutput, n int) layers.RememberOutput {
	short := make([]layers.Remembered, len(out.Memories))
	for i, r := range out.Memories {
		r.Text, r.Entity, r.Attribute = cutJSON(r.Text, n), cutJSON(r.Entity, n), cutJSON(r.Attribute, n)
		r.Value, r.Note = cutJSON(r.Value, n), cutJSON(r.Note, n)
		r.Supersedes, r.Redacted = first(r.Supersedes, n/8), first(r.Redacted, n/8)
		short[i] = r
	}
	return layers.RememberOutput{Memories: short}
}
