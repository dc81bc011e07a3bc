package main

import (
	"fmt"
	"strings"
)

// embedReport is what memory-bench embed found. Sizes are in bytes.
type embedReport struct {
	Machine       machine      `json:"machine"`
	Engine        string       `json:"engine"` // what the C engine is, or why there is none
	Speed         []speedRow   `json:"speed"`
	Closeness     []closeRow   `json:"closeness,omitempty"`
	Open          quantiles    `json:"open"`
	OpenMin       float64      `json:"open_min_ms"`
	Child         childFigures `json:"child"`
	ModelBytes    int64        `json:"model_bytes"`
	ServerBytes   int64        `json:"server_bytes"`
	ServerEmbeds  bool         `json:"server_embeds"` // the server holds the embedder
	Limits        []verdict    `json:"limits,omitempty"`
	NotApplicable []string     `json:"not_applicable,omitempty"` // limits that this machine cannot tell of
}

func (r *embedReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *embedReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nC engine: %s.\n", r.Machine, r.Engine)
	r.speed(&b)
	r.closeness(&b)
	fmt.Fprintf(&b, "\n| opening, min / p50 of %d | memory before / opened / after %d texts | model file | server |\n|---:|---:|---:|---:|\n", r.Open.N, r.Child.EmbeddedVectors)
	fmt.Fprintf(&b, "| %s / %s | %s / %s / %s | %s | %s |\n", ms(r.OpenMin), ms(r.Open.P50),
		megabytes(r.Child.ResidentBefore), megabytes(r.Child.ResidentOpen), megabytes(r.Child.ResidentTexts), megabytes(r.ModelBytes), megabytes(r.ServerBytes))
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	for _, limit := range r.NotApplicable {
		fmt.Fprintf(&b, "\nNot applicable here: %s\n", limit)
	}
	return b.String()
}

// speed has a row for each length and a column for each contender.
func (r *embedReport) speed(b *strings.Builder) {
	b.WriteString("\nCPU time of one query on one core, least / median of the rounds (least to the C engine's least)\n\n| tokens |")
	for _, t := range r.Speed[0].Times {
		fmt.Fprintf(b, " %s |", t.Name)
	}
	b.WriteString("\n|---:|" + strings.Repeat("---:|", len(r.Speed[0].Times)) + "\n")
	for _, row := range r.Speed {
		fmt.Fprintf(b, "| %d |", row.Tokens)
		for _, t := range row.Times {
			fmt.Fprintf(b, " %s / %s", ms(t.Min), ms(t.Median))
			if t.ToEngine > 0 && t.Name != engineName {
				fmt.Fprintf(b, " (%.2f)", t.ToEngine)
			}
			b.WriteString(" |")
		}
		b.WriteString("\n")
	}
}

func (r *embedReport) closeness(b *strings.Builder) {
	if len(r.Closeness) == 0 {
		return
	}
	b.WriteString("\n| weights | kernels | texts | least cosine to the C engine | of |\n|---|---|---:|---:|---|\n")
	for _, c := range r.Closeness {
		fmt.Fprintf(b, "| %s | %s | %d | %.5f | %s |\n", c.Weights, c.Kernels, c.Texts, c.Cosine, strings.ReplaceAll(c.Worst, "|", `\|`))
	}
}
