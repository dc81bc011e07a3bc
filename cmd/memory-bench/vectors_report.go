package main

import (
	"fmt"
	"strings"
)

// vectorsReport is what memory-bench vectors found.
type vectorsReport struct {
	Machine    machine      `json:"machine"`
	Embeddings string       `json:"embeddings"` // where they come from
	Queries    int          `json:"queries"`
	Rows       []vectorsRow `json:"rows"`
	Limits     []verdict    `json:"limits,omitempty"`
}

// Names of rows that are no engine of package vector.
const (
	engineChurned = "hnsw, half removed and added again"
	engineLibrary = "github.com/coder/hnsw, unguarded"
)

// vectorsRow is one engine at one size.
type vectorsRow struct {
	Vectors        int     `json:"vectors"`
	Engine         string  `json:"engine"`
	Recall         float64 `json:"recall"` // recall@10 against the float32 vectors
	P50            float64 `json:"p50_ms"` // of a search for 10
	P95            float64 `json:"p95_ms"`
	BuildSeconds   float64 `json:"build_s"`          // all vectors added one by one; for churn the changes alone
	BytesPerVector float64 `json:"bytes_per_vector"` // 0: not measured
	Answers        string  `json:"answers"`          // the engine that answered
	Note           string  `json:"note,omitempty"`
}

// at is the row of an engine at a size.
func (r *vectorsReport) at(size int, engine string) (out vectorsRow, ok bool) {
	for _, row := range r.Rows {
		if row.Vectors == size && row.Engine == engine {
			return row, true
		}
	}
	return out, false
}

// sizes are those of the report, ascending.
func (r *vectorsReport) sizes() (out []int) {
	for _, row := range r.Rows {
		if len(out) == 0 || out[len(out)-1] != row.Vectors {
			out = append(out, row.Vectors)
		}
	}
	return out
}

func (r *vectorsReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as one table, and under it what engines had to say.
func (r *vectorsReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s; %d queries.\n\n", r.Machine, r.Embeddings, r.Queries)
	b.WriteString("| vectors | engine | recall@10 | p50 / p95 | build | bytes a vector | answered by |\n|---:|---|---:|---:|---:|---:|---|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %d | %s | %.4f | %s / %s | %.1f s | %s | %s |\n",
			row.Vectors, row.Engine, row.Recall, ms(row.P50), ms(row.P95), row.BuildSeconds, row.bytes(), row.Answers)
	}
	for _, row := range r.Rows {
		if row.Note != "" {
			fmt.Fprintf(&b, "\n%d, %s: %s\n", row.Vectors, row.Engine, row.Note)
		}
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

func (r *vectorsRow) bytes() string {
	if r.BytesPerVector == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", r.BytesPerVector)
}
