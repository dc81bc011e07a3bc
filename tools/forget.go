package tools

import (
	"context"
	_ "embed"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
)

//go:embed forget.input.json
var forgetInput []byte

//go:embed forget.output.json
var forgetOutput []byte

func forgetTool() tool {
	return tool{
		name:  "forget",
		title: "Forget",
		description: "Take memories out of recall, or undo that. Give ids, or selectors that narrow each other. " +
			"Ids, or entity with attribute, act at once; anything wider first answers what would go and a confirm token, and the same call with it runs.",
		input:       forgetInput,
		output:      forgetOutput,
		destructive: true,
		idempotent:  true,
		asksFirst:   true,
		run:         forget,
	}
}

func forget(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	in := forgetCall(c.args)
	in.Call = callFrom(ctx)
	m, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	out, err := m.Forget(ctx, c.user, in)
	if err != nil {
		return nil, err
	}
	return forgetResult(out)
}

// forgetResult is an answer of forget, made to fit the output schema and a message.
func forgetResult(out layers.ForgetOutput) (*mcp.CallToolResult, error) {
	out.Matched, out.Related = list(out.Matched), list(out.Related)
	if out.Receipt.Checked == nil {
		out.Receipt.Checked = map[string]bool{}
	}
	out.Receipt.Unreached = list(out.Receipt.Unreached)
	text := renderForgotten(out)
	for _, n := range cuts {
		if jsonSize(out) <= maxStructure {
			break
		}
		out = shortForgotten(out, n)
	}
	return result(out, text, forgetHeadline(out))
}

func forgetCall(a arguments) layers.ForgetInput {
	return layers.ForgetInput{
		IDs:       a.texts("ids"),
		Query:     a.text("query"),
		Entity:    a.text("entity"),
		Attribute: a.text("attribute"),
		Tags:      a.texts("tags"),
		SourceID:  a.text("source_id"),
		Layers:    a.texts("layers"),
		Before:    a.text("before"),
		Project:   a.word("project"),
		All:       a.flag("all"),
		Mode:      orElse(a.text("mode"), "soft"),
		DryRun:    a.flag("dry_run"),
		Confirm:   a.text("confirm"),
		Undo:      a.flag("undo"),
		Reason:    a.text("reason"),
	}
}

// renderForgotten says what went or would go, and how to go on or back.
func renderForgotten(out layers.ForgetOutput) string {
	t := newRendering(maxText - 1200) // what end needs
	t.line("%s", forgetHeadline(out))
	for i, m := range out.Matched {
		if !t.line("- %s %s", bracketed(m.ID), oneLine(m.Text, 120)) {
			t.end("... and %d more", out.MatchedCount-i)
			break
		}
	}
	if n := len(out.Related); n > 0 {
		t.end("Others say the same: %s%s", bracketed(out.Related[0]), andMore(n-1))
	}
	if out.Receipt.ID != "" {
		t.end("Receipt %s%s", bracketed(out.Receipt.ID), undoNote(out))
	}
	if out.Note != "" {
		t.end("Note: %s", oneLine(out.Note, 300))
	}
	return t.String()
}

func undoNote(out layers.ForgetOutput) string {
	if out.UndoUntil == "" {
		return ""
	}
	return "; until " + out.UndoUntil + " undo: true with these ids or the receipt's brings them back"
}

// forgetHeadline is the answer in one line.
func forgetHeadline(out layers.ForgetOutput) string {
	switch {
	case out.Restored > 0:
		return fmt.Sprintf("%d brought back or taken back.", out.Restored)
	case out.Forgotten > 0 && out.Mode == layers.ModeErase && out.Receipt.Verified:
		return fmt.Sprintf("%d erased, and found in no file any more.", out.Forgotten)
	case out.Forgotten > 0 && out.Mode == layers.ModeErase:
		return fmt.Sprintf("%d erased, but not everywhere: see checked and unreached.", out.Forgotten)
	case out.Forgotten > 0:
		return fmt.Sprintf("%d forgotten.", out.Forgotten)
	case out.Confirm != "":
		return fmt.Sprintf("Nothing forgotten yet; %d would go. The same call with confirm: %q runs it.", out.MatchedCount, oneLine(out.Confirm, 200))
	case out.MatchedCount > 0:
		return fmt.Sprintf("Nothing changed; %d match.", out.MatchedCount)
	}
	return "Nothing changed; nothing matches."
}

// shortForgotten cuts every text to n bytes of JSON and related to n/8 ids.
func shortForgotten(out layers.ForgetOutput, n int) layers.ForgetOutput {
	matched := make([]layers.Forgotten, len(out.Matched))
	for i, m := range out.Matched {
		m.Text = cutJSON(m.Text, n)
		matched[i] = m
	}
	out.Matched, out.Related, out.Note = matched, first(out.Related, n/8), cutJSON(out.Note, n)
	out.Receipt.Unreached = first(out.Receipt.Unreached, n/8)
	return out
}
