package main

import (
	"fmt"
	"strings"
)

// maxSTSLoss is how far below the full model ours may be, and the full model
// below its published figure, in points of Spearman's correlation ×100.
const maxSTSLoss = 0.3

// publishedSTS are the figures of multilingual-e5-small in 4 bits, as measured
// of the wheel's file before ours was made. They hold the full model to the truth: against
// a broken one, ours would pass.
var publishedSTS = map[string]float64{"en": 84.0, "zh": 78.3, "ja": 73.5, "de": 79.0, "fr": 78.8, "es": 80.2, "ru": 77.2}

// stsReport is what memory-bench sts found.
type stsReport struct {
	Model     string    `json:"model"`
	FullModel string    `json:"full_model"`
	Rows      []stsRow  `json:"rows"`
	Limits    []verdict `json:"limits,omitempty"`
}

// stsRow is one language: Spearman's correlation ×100 of cosines with people's
// scores.
type stsRow struct {
	Language string  `json:"language"`
	Pairs    int     `json:"pairs"`
	Ours     float64 `json:"ours"`
	Full     float64 `json:"full"`
}

// checkSTS compares every language with the limits.
func checkSTS(r *stsReport) (out []verdict) {
	for _, row := range r.Rows {
		out = append(out, verdict{
			fmt.Sprintf("%s: below the full model ≤ %v", row.Language, maxSTSLoss),
			fmt.Sprintf("%.2f", row.Full-row.Ours), row.Full-row.Ours <= maxSTSLoss,
		})
		if published, ok := publishedSTS[row.Language]; ok {
			out = append(out, verdict{
				fmt.Sprintf("%s: full model ≥ %.1f − %v", row.Language, published, maxSTSLoss),
				fmt.Sprintf("%.2f", row.Full), row.Full >= published-maxSTSLoss,
			})
		}
	}
	return out
}

func (r *stsReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *stsReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "STS-B test sets, Spearman ×100 of cosines and people's scores.\nOurs: %s. Full: %s.\n\n", r.Model, r.FullModel)
	b.WriteString("| | pairs | ours | full | ours − full |\n|---|---:|---:|---:|---:|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %d | %.2f | %.2f | %+.2f |\n", row.Language, row.Pairs, row.Ours, row.Full, row.Ours-row.Full)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
