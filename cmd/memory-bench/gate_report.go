package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/gatekeeper/judge"
)

// gateReport is what memory-bench gate found.
type gateReport struct {
	Files   []gateFile     `json:"files"`
	Trigger *triggerReport `json:"trigger,omitempty"`
	Recall  *recallReport  `json:"recall,omitempty"`
	Limits  []verdict      `json:"limits,omitempty"`
}

// gateFile is how the gate did on a file.
type gateFile struct {
	File string `json:"file"`
	judge.Report
}

// The limits of the gate on unseen.jsonl, and on LoCoMo.
const (
	minGateF1      = 0.80 // macro over the five layers, borderline layers left out of the count
	maxFalseShare  = 0.02 // false memories by negative conversations
	minCallsSaved  = 0.60 // extractor calls, against every layer every time
	minTurnsUngate = 0.80 // turns of LoCoMo without a gate call
	minRecallRatio = 0.85 // words of LoCoMo's answers recalled after extract, by those recalled from the turns
)

func checkGate(r *gateReport) (out []verdict) {
	for _, f := range r.Files {
		if !hidden(f.File) {
			continue
		}
		if f.File == unseen { // the others have no layer that is wanted
			out = append(out, atLeast("gate: macro F1, "+f.File, f.All.MacroF1(false), minGateF1))
		}
		out = append(out,
			atMostShare("false memories by negative conversations, "+f.File, f.All.FalseShare(), maxFalseShare),
			atLeast("extractor calls saved, "+f.File, f.All.Saved(), minCallsSaved))
	}
	if r.Recall != nil {
		out = append(out,
			atLeast("turns of LoCoMo without a gate call", r.Recall.Ungated, minTurnsUngate),
			atLeast("words of LoCoMo's answers recalled after extract, by those recalled from the turns", r.Recall.Ratio, minRecallRatio),
			atLeast("extractor calls saved, LoCoMo", r.Recall.Saved, minCallsSaved))
	}
	return out
}

func atMostShare(what string, measured, most float64) verdict {
	return verdict{fmt.Sprintf("%s ≤ %.2f", what, most), fmt.Sprintf("%.3f", measured), measured <= most}
}

func (r *gateReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *gateReport) markdown() string {
	var b strings.Builder
	if len(r.Files) > 0 {
		r.filesMarkdown(&b)
	}
	if r.Trigger != nil {
		r.Trigger.markdown(&b)
	}
	if r.Recall != nil {
		r.Recall.markdown(&b)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

func (r *gateReport) filesMarkdown(b *strings.Builder) {
	b.WriteString("| file | language | layer | wanted | precision | strict | recall | F1 | strict |\n|---|---|---|---:|---:|---:|---:|---:|---:|\n")
	for i := range r.Files {
		r.Files[i].rows(b, func(b *strings.Builder, name, language string, f *judge.Figures) { layerRows(b, name, language, f) })
	}
	b.WriteString("\n| file | language | conversations | negatives | gate opened on | false memories | share | stored | of no wanted layer | words kept | any layer | dates kept | entity right | gate calls | extractor calls | saved |\n" +
		"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for i := range r.Files {
		r.Files[i].rows(b, storedRow)
	}
}

// rows calls row for all conversations of the file and for each language.
func (f *gateFile) rows(b *strings.Builder, row func(b *strings.Builder, name, language string, f *judge.Figures)) {
	row(b, f.File, "all", f.All)
	for _, language := range slices.Sorted(maps.Keys(f.Languages)) {
		row(b, f.File, language, f.Languages[language])
	}
}

func layerRows(b *strings.Builder, name, language string, f *judge.Figures) {
	for _, l := range gatekeeper.Layers {
		c := f.Layers[l]
		fmt.Fprintf(b, "| %s | %s | %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f |\n", name, language, l,
			c.Hit+c.Missed, c.Precision(false), c.Precision(true), c.Recall(), c.F1(false), c.F1(true))
	}
	fmt.Fprintf(b, "| %s | %s | **macro** | | | | | **%.3f** | **%.3f** |\n", name, language, f.MacroF1(false), f.MacroF1(true))
}

func storedRow(b *strings.Builder, name, language string, f *judge.Figures) {
	fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %d | %.3f | %d | %d | %d/%d | %d/%d | %d/%d | %d/%d | %d | %d | %.2f |\n", name, language,
		f.Conversations, f.Negatives, f.GatedNegatives, f.FalseMemories, f.FalseShare(), f.Stored, f.StrayStored,
		f.KeptWords, f.Keeps, f.KeptAnyhow, f.Keeps, f.KeptDates, f.Dates, f.KeptEntites, f.Entities, f.GateCalls, f.ExtractorCalls, f.Saved())
}

// writeCase shows a conversation that was judged wrong.
func writeCase(w io.Writer, c *judge.Case) {
	wrong := len(c.Layers) == 0 && len(c.Answer.Memories) > 0
	if len(c.Missed)+len(c.Wrong)+len(c.Lost) == 0 && !wrong {
		return
	}
	fmt.Fprintf(w, "\n%s %v missed %v wrong %v\n", c.ID, c.Layers, c.Missed, c.Wrong)
	for _, t := range c.Turns {
		fmt.Fprintf(w, "    %s %s: %s\n", t.Role, t.Name, strings.ReplaceAll(t.Content, "\n", " ⏎ "))
	}
	for _, m := range c.Answer.Memories {
		fmt.Fprintf(w, "  + %s · %s · %s · %s | %s %s\n", m.Layer, m.Entity, m.Attribute, m.Value, m.Text, m.Detail)
	}
	for _, k := range c.Lost {
		fmt.Fprintf(w, "  - %s %s %v %s\n", k.Layer, k.Entity, k.Words, k.Date)
	}
	for _, l := range append(c.Missed, c.Wrong...) {
		fmt.Fprintf(w, "  ? %s: %s\n", l, c.Answer.Verdicts[l].Reasoning)
	}
}
