package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/layers"
	"mcp-memory/layers/gatekeeper"
)

//go:embed extract.input.json
var extractInput []byte

//go:embed extract.output.json
var extractOutput []byte

func extractTool(reaches bool) tool {
	return tool{
		name:  "extract",
		title: "Extract",
		description: "Read a conversation and remember what is worth it, by layer, with a reason for what is kept and what is not. " +
			"Quotes, questions, code, play and what the assistant claims are not remembered.",
		input:     extractInput,
		output:    extractOutput,
		openWorld: reaches,
		run:       extract,
	}
}

func extract(ctx context.Context, c call) (*mcp.CallToolResult, error) {
	in := extractCall(c.args)
	in.Sampler, in.NoSampler = c.sampling.of(ctx)
	in.Call = callFrom(ctx)
	m, err := c.memory(ctx)
	if err != nil {
		return nil, err
	}
	out, err := m.Extract(ctx, c.user, in)
	if err != nil {
		return nil, err
	}
	out = fitExtract(out)
	return result(out, renderExtract(out), countExtract(out))
}

func extractCall(a arguments) layers.ExtractInput {
	in := layers.ExtractInput{
		Text: a.text("text"), Source: a.text("source"), SourceID: a.text("source_id"), SessionID: a.text("session_id"),
		Flush: a.flag("flush"), Layers: a.texts("layers"), Force: a.flag("force"), Language: a.text("language"),
		Project: a.word("project"), ObservedAt: a.text("observed_at"), DryRun: a.flag("dry_run"),
		Wait: optional[bool](a, "wait"), JobID: a.text("job_id"),
	}
	for _, m := range a.objects("messages") {
		in.Messages = append(in.Messages, layers.Message{
			ID: m.text("id"), Role: m.text("role"), Name: m.text("name"), Content: content(m), Time: m.text("time"),
		})
	}
	return in
}

// content is a message's, as JSON: text, or parts.
func content(m arguments) json.RawMessage {
	if parts := m.open("content"); parts != nil {
		return parts
	}
	raw, err := json.Marshal(m.text("content"))
	if err != nil { // a string
		return nil
	}
	return raw
}

// fitExtract makes an answer fit the output schema and a message.
func fitExtract(out layers.ExtractOutput) layers.ExtractOutput {
	shown := make(map[string]layers.LayerOutput, len(gatekeeper.Layers))
	for _, l := range gatekeeper.Layers {
		of := out.Layers[string(l)]
		of.Memories = list(of.Memories)
		if of.Status == "" {
			of.Status = layers.LayerSkipped
		}
		shown[string(l)] = of
	}
	verdicts := make(map[string]gatekeeper.Verdict, len(gatekeeper.Layers))
	for _, l := range gatekeeper.Layers {
		verdicts[string(l)] = out.Gate.Layers[string(l)]
	}
	out.Layers, out.Gate.Layers, out.Dropped = shown, verdicts, list(out.Dropped)
	for _, n := range cuts {
		if jsonSize(out) <= maxStructure {
			break
		}
		out = shortExtract(out, n)
	}
	return out
}

// shortExtract cuts every text to n bytes of JSON and every list to n/4.
func shortExtract(out layers.ExtractOutput, n int) layers.ExtractOutput {
	dropped := make([]layers.Dropped, 0, len(out.Dropped))
	for _, d := range first(out.Dropped, n/4) {
		dropped = append(dropped, layers.Dropped{Text: cutJSON(d.Text, n), Reason: cutJSON(d.Reason, n)})
	}
	out.Dropped = dropped
	for name, of := range out.Layers {
		texts := make([]string, 0, len(of.Memories))
		for _, text := range first(of.Memories, n/4) {
			texts = append(texts, cutJSON(text, n))
		}
		of.Memories, of.Error = texts, cutJSON(of.Error, n)
		out.Layers[name] = of
	}
	return out
}

// renderExtract shows what the gate decided and what became of each layer.
func renderExtract(out layers.ExtractOutput) string {
	t := newRendering(maxText)
	t.line("%s", countExtract(out))
	t.line("%s: %s. Gate: %s.", jobName(out), out.Status, out.Gate.Mode)
	for _, l := range gatekeeper.Layers {
		of, verdict := out.Layers[string(l)], out.Gate.Layers[string(l)]
		line := fmt.Sprintf("- %s: %s", l, of.Status)
		if n := len(of.Memories); n > 0 {
			line += fmt.Sprintf(", %s", strings.Join(first(of.Memories, 5), ", ")) + andMore(n-5)
		}
		switch {
		case of.Error != "":
			line += "; " + oneLine(of.Error, 200)
		case verdict.Reasoning != "":
			line += "; " + oneLine(verdict.Reasoning, 160)
		}
		t.line("%s", line)
	}
	for i, d := range out.Dropped {
		if !t.line("- not kept: %s (%s)", oneLine(d.Text, 100), oneLine(d.Reason, 160)) {
			t.end("... and %d more", len(out.Dropped)-i)
			break
		}
	}
	return t.String()
}

// jobName names the job that a call began; a dry run, and a turn of a stream that woke
// no gate, leave none.
func jobName(out layers.ExtractOutput) string {
	if out.JobID == "" {
		return "No job"
	}
	return "Job " + out.JobID
}

// countExtract is the answer in one line.
func countExtract(out layers.ExtractOutput) string {
	c := out.Counts
	text := fmt.Sprintf("%d stored (%d superseded something), %d reinforced, %d not kept.", c.Stored, c.Superseded, c.Reinforced, c.Dropped)
	if c.Unread > 0 {
		text += fmt.Sprintf(" Unread turns: %d.", c.Unread)
	}
	if c.Errors > 0 {
		text += fmt.Sprintf(" Failed layers: %d", c.Errors)
		if out.JobID != "" {
			text += "; job_id with force runs them again"
		}
		text += "."
	}
	return text
}
