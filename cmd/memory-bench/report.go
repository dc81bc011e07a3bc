package main

import (
	"fmt"
	"slices"
	"strings"
)

// report is what memory-bench latency found.
type report struct {
	Machine  machine   `json:"machine"`
	Embedder string    `json:"embedder,omitempty"`  // the server's; empty: words alone
	StandIns string    `json:"stand_ins,omitempty"` // what its vectors are, where they are not a model's
	Baseline quantiles `json:"baseline"`            // write of 4 KB and flush, in the same minutes as the remembers
	Rows     []row     `json:"rows"`
	Limits   []verdict `json:"limits,omitempty"`
}

// row is what was measured at one size. Memory and files are in bytes; memory
// is 0 where the platform does not tell.
type row struct {
	Size            int       `json:"size"`
	LoadSeconds     float64   `json:"load_s"` // 0: loading was cut short once, and went on later
	FileBytes       int64     `json:"file_bytes"`
	Initialize      quantiles `json:"initialize"`                // from the spawn
	FirstRecall     quantiles `json:"first_recall"`              // from the spawn: the store is loaded then
	FirstRecallCPU  quantiles `json:"first_recall_cpu,omitzero"` // processor time of the server until then; nothing where the platform does not tell
	Remember        quantiles `json:"remember"`                  // of a single memory, durable
	Recall          quantiles `json:"recall"`                    // with an embedder, that of the query included
	RecallCPU       quantiles `json:"recall_cpu,omitzero"`       // processor time of the server: whatever else the machine does is not in it
	Answered        int       `json:"answered"`                  // recalls that found something
	ResidentLoaded  int64     `json:"resident_loaded_bytes"`
	ResidentRecalls int64     `json:"resident_recalls_bytes"`
	ResidentPeak    int64     `json:"resident_peak_bytes"` // since the last start, remembers included

	// With an embedder.
	Vectors        int       `json:"vectors,omitempty"`       // there after loading: of every memory one
	Engine         string    `json:"vector_engine,omitempty"` // that answered the recalls timed: exact is the scan, hnsw the graph
	FirstVector    quantiles `json:"first_vector,omitzero"`   // from the spawn to the first recall in which vectors had a part
	FirstVectorCPU quantiles `json:"first_vector_cpu,omitzero"`
	GraphSeconds   float64   `json:"graph_s,omitempty"`      // from there until the engine answered that was asked for
	EmbedSeconds   float64   `json:"embed_s,omitempty"`      // from the first memory to the last vector
	BusyRemember   quantiles `json:"busy_remember,omitzero"` // of a single memory, while vectors are made
	BusyRecall     quantiles `json:"busy_recall,omitzero"`   // likewise: it waits for them, 2 s at most
}

// at is the row of a size.
func (r report) at(size int) (row, bool) {
	for _, row := range r.Rows {
		if row.Size == size {
			return row, true
		}
	}
	return row{}, false
}

func (r report) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Machine)
	if r.Embedder != "" {
		fmt.Fprintf(&b, "Embedder: %s.\n", r.Embedder)
	}
	if r.StandIns != "" {
		fmt.Fprintf(&b, "Vectors: %s; only queries are embedded by the model itself.\n", r.StandIns)
	}
	b.WriteString("\n")
	b.WriteString("| stored | files | initialize p50 / max | first recall p50 | remember p50 / p95 | write + fdatasync p50 / p95 | recall p50 / p95 | memory loaded / after recalls / peak |\n")
	b.WriteString("|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %d | %s | %s / %s | %s | %s / %s | %s / %s | %s / %s | %s / %s / %s |\n",
			row.Size, megabytes(row.FileBytes), ms(row.Initialize.P50), ms(row.Initialize.Max), ms(row.FirstRecall.P50),
			ms(row.Remember.P50), ms(row.Remember.P95), ms(r.Baseline.P50), ms(r.Baseline.P95), ms(row.Recall.P50), ms(row.Recall.P95),
			megabytes(row.ResidentLoaded), megabytes(row.ResidentRecalls), megabytes(row.ResidentPeak))
	}
	if slices.ContainsFunc(r.Rows, row.processorKnown) {
		r.processor(&b)
	}
	if r.Embedder != "" {
		r.embedding(&b)
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

// processorKnown reports whether the platform tells processor times.
func (r row) processorKnown() bool { return r.RecallCPU.Max > 0 }

// processor is the table of what the server itself had to do, beside how long that
// took: on a machine that is busy with other things the two are far apart.
func (r report) processor(b *strings.Builder) {
	b.WriteString("\n| stored | recall p50 / p95 / max | its processor time | first recall p50 | processor time until then | first by vectors | processor time until then |\n")
	b.WriteString("|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(b, "| %d | %s | %s | %s | %s | %s | %s |\n", row.Size, row.Recall.three(), row.RecallCPU.three(),
			row.FirstRecall.middle(), row.FirstRecallCPU.middle(), row.FirstVector.middle(), row.FirstVectorCPU.middle())
	}
}

func (q quantiles) three() string {
	return fmt.Sprintf("%s / %s / %s", ms(q.P50), ms(q.P95), ms(q.Max))
}

// middle renders the median, or a dash where nothing was measured.
func (q quantiles) middle() string {
	if q.P50 == 0 {
		return "–"
	}
	return ms(q.P50)
}

// embedding is the table of what is there with an embedder only.
func (r report) embedding(b *strings.Builder) {
	b.WriteString("\n| stored | vectors | searched by | stored after | vectors after | graph after that | while they are made: remember p50 / max | recall p50 / max |\n")
	b.WriteString("|---:|---:|---|---:|---:|---:|---:|---:|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(b, "| %d | %d | %s | %s | %s | %s | %s | %s |\n",
			row.Size, row.Vectors, row.Engine, seconds(row.LoadSeconds), seconds(row.EmbedSeconds), seconds(row.GraphSeconds), row.BusyRemember.busy(), row.BusyRecall.busy())
	}
}

// seconds renders seconds, or a dash where they are unknown.
func seconds(s float64) string {
	if s == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", s)
}

// busy renders few samples.
func (q quantiles) busy() string {
	if q.N == 0 {
		return "–"
	}
	return fmt.Sprintf("%s / %s (%d)", ms(q.P50), ms(q.Max), q.N)
}

// ms renders milliseconds with about three digits.
func ms(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f ms", v)
	case v >= 10:
		return fmt.Sprintf("%.1f ms", v)
	}
	return fmt.Sprintf("%.2f ms", v)
}

// megabytes renders bytes in units of 10⁶, or a dash where they are unknown.
func megabytes(bytes int64) string {
	if bytes == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
}
