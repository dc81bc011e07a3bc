package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
)

//go:embed recall.input.json
var recallInput []byte

//go:embed recall.output.json
var recallOutput []byte

func recallTool() tool {
	return tool{
		name:  "recall",
		title: "Recall",
		description: "Find what was remembered: by question or words, by property (entity and attribute), by time, or by id. " +
			"Gives what holds now, unless as_of, known_at or include_superseded ask for history.",
		input:      recallInput,
		output:     recallOutput,
		readOnly:   true,
		idempotent: true,
		run:        recall,
	}
}

func recall(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	in := recallCall(c.args)
	m, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	out, err := m.Recall(ctx, c.user, in)
	if err != nil {
		return nil, err
	}
	fillMatches(out.Matches)
	out.Matches, out.Working, out.Upcoming = list(out.Matches), list(out.Working), list(out.Upcoming)
	out = fitRecall(out)
	summary := fmt.Sprintf("%d found.", len(out.Matches))
	if out.Context != "" && (in.Format == layers.FormatContext || in.Format == layers.FormatSummary) {
		return result(out, cutJSON(out.Context, maxText), summary)
	}
	return result(out, renderRecall(out), summary)
}

func recallCall(a arguments) layers.RecallInput {
	return layers.RecallInput{
		Query:             a.text("query"),
		Limit:             optional[int](a, "limit"),
		Layers:            a.texts("layers"),
		Tiers:             a.texts("tiers"),
		Entity:            a.text("entity"),
		Attribute:         a.text("attribute"),
		Tags:              a.texts("tags"),
		Project:           a.word("project"),
		Since:             a.text("since"),
		Until:             a.text("until"),
		AsOf:              a.text("as_of"),
		KnownAt:           a.text("known_at"),
		IncludeSuperseded: a.flag("include_superseded"),
		SessionID:         a.text("session_id"),
		IDs:               a.texts("ids"),
		MinScore:          optional[float64](a, "min_score"),
		MaxTokens:         optional[int](a, "max_tokens"),
		Format:            a.text("format"),
		Explain:           a.flag("explain"),
		Cursor:            a.text("cursor"),
	}
}

// fillMatch makes a match fit the output schema, which knows no null.
func fillMatch(m *layers.Match) {
	m.Tags, m.Flags = list(m.Tags), list(m.Flags)
	if len(m.Detail) == 0 || string(m.Detail) == "null" {
		m.Detail = json.RawMessage("{}")
	}
	if m.Signals == nil {
		m.Signals = map[string]float64{}
	}
}

// fitRecall cuts what stands beside the matches to the room they leave. The
// matches themselves are paged by the memory, which alone can make a cursor.
func fitRecall(out layers.RecallOutput) layers.RecallOutput {
	for _, n := range cuts {
		if jsonSize(out)-jsonSize(out.Context) <= maxStructure {
			break
		}
		working := make([]layers.WorkingTurn, len(out.Working))
		for i, w := range out.Working {
			w.Text = cutJSON(w.Text, n)
			working[i] = w
		}
		out.Working, out.Upcoming, out.Note = working, first(out.Upcoming, n/8), cutJSON(out.Note, n)
	}
	room := maxStructure - (jsonSize(out) - jsonSize(out.Context))
	if jsonSize(out.Context) > room {
		out.Context = cutJSON(out.Context, max(room-100, 0))
		out.Note = strings.TrimPrefix(out.Note+" The context was cut to fit the message.", " ")
	}
	return out
}

// renderRecall shows the matches in a line each, then what the session said last and
// what is coming up.
func renderRecall(out layers.RecallOutput) string {
	more := moreNote(out.NextCursor)
	t := newRendering(maxText - 700 - len(more)) // what end needs
	if len(out.Matches) == 0 {
		t.line("%s", nothingFound(out))
	}
	for i, m := range out.Matches {
		if !t.line("%d. %s %s%s", i+1, bracketed(m.ID), oneLine(m.Text, 300), matchNote(m)) {
			t.end("... and %d more matches", len(out.Matches)-i)
			break
		}
	}
	for i, w := range out.Working {
		if !t.line("In this session %s: %s", orElse(oneLine(w.Speaker, 60), orElse(w.Role, "note")), oneLine(w.Text, 200)) {
			t.end("... and %d later ones in working", len(out.Working)-i)
			break
		}
	}
	for i, u := range out.Upcoming {
		if !t.line("Coming up %s: %s %s", u.StartsAt, oneLine(u.Text, 160), bracketed(u.ID)) {
			t.end("... and %d more coming up", len(out.Upcoming)-i)
			break
		}
	}
	if out.Note != "" && len(out.Matches) > 0 {
		t.end("Note: %s", oneLine(out.Note, 300))
	}
	if more != "" {
		t.end("%s", more)
	}
	return t.String()
}

// maxCursor is how long a cursor is shown in the text: one that is cut is good for
// nothing.
const maxCursor = 2000

// moreNote says how the next page is asked for; "" where there is none.
func moreNote(cursor string) string {
	switch {
	case cursor == "":
		return ""
	case len(cursor) > maxCursor:
		return "There is more: the same call with this answer's next_cursor as cursor"
	}
	return "There is more: the same call with cursor " + cursor
}

// nothingFound tells the two kinds of nothing apart.
func nothingFound(out layers.RecallOutput) string {
	text := "Nothing found."
	if out.BelowThreshold > 0 {
		text = fmt.Sprintf("Nothing above the threshold; %d candidates below it (min_score 0 shows them).", out.BelowThreshold)
	}
	if out.Note != "" {
		text += " " + oneLine(out.Note, 300)
	}
	return text
}

// matchNote is what a reader must know beside the text.
func matchNote(m layers.Match) string {
	parts := []string{m.Layer}
	if m.Project != "" {
		parts = append(parts, "project "+oneLine(m.Project, 60))
	}
	if day, _, ok := strings.Cut(m.ObservedAt, "T"); ok {
		parts = append(parts, day)
	}
	if m.SupersededBy != "" {
		parts = append(parts, "replaced by "+bracketed(m.SupersededBy))
	}
	parts = append(parts, m.Flags...)
	return slotNote(m.Entity, m.Attribute, m.Value) + " (" + strings.Join(parts, ", ") + ")" + signalNote(m.Signals)
}

// signalNote says why a match was found; "" where that was not asked.
func signalNote(signals map[string]float64) string {
	var parts []string
	for _, name := range []string{"vector", "keyword", "slot", "time", "type", "window"} {
		if x := signals[name]; x != 0 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, x))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " [" + strings.Join(parts, ", ") + "]"
}
