package main

import (
	"fmt"

	"mcp-memory/vector"
)

// The limits of the engines, recall@10 against float32.
const (
	minRecallExact   = 0.99 // what is lost by holding vectors in 16 bits
	minRecallGraph   = 0.97
	minRecallChurned = 0.95
	minRecallLibrary = 0.95 // below, the scan must answer for engine coder
)

// graphPays is from how many vectors on the graph must be quicker than the scan.
const graphPays = 100_000

// checkVectors compares a report with the limits at every size it has.
func checkVectors(r *vectorsReport) (out []verdict) {
	least := []struct {
		engine string
		recall float64
	}{
		{vector.EngineExact, minRecallExact}, {vector.EngineHNSW, minRecallGraph}, {vector.EngineAuto, minRecallGraph},
		{vector.EngineCoder, minRecallLibrary}, {engineChurned, minRecallChurned},
	}
	for _, size := range r.sizes() {
		for _, l := range least {
			row, _ := r.at(size, l.engine)
			out = append(out, atLeast(fmt.Sprintf("%d vectors, recall@10 of %s", size, l.engine), row.Recall, l.recall))
		}
		out = append(out, r.guardVerdict(size))
		if size >= graphPays {
			out = append(out, r.speedVerdict(size))
		}
	}
	return out
}

// guardVerdict is about who answers for engine coder: the library only while it
// finds what there is.
func (r *vectorsReport) guardVerdict(size int) verdict {
	guarded, _ := r.at(size, vector.EngineCoder)
	library, there := r.at(size, engineLibrary)
	measured := "no library here, " + guarded.Answers + " answers"
	if there {
		measured = fmt.Sprintf("%.4f, %s answers", library.Recall, guarded.Answers)
	}
	trusted := there && library.Recall >= minRecallLibrary
	return verdict{
		fmt.Sprintf("%d vectors, the scan answers for coder where its library has recall@10 < %v", size, minRecallLibrary),
		measured, trusted || guarded.Answers == vector.EngineExact,
	}
}

// speedVerdict is about the medians of graph and scan in the same run.
func (r *vectorsReport) speedVerdict(size int) verdict {
	graph, _ := r.at(size, vector.EngineHNSW)
	scan, _ := r.at(size, vector.EngineExact)
	return verdict{
		fmt.Sprintf("%d vectors, p50 of hnsw below the scan's", size),
		fmt.Sprintf("%s, %s", ms(graph.P50), ms(scan.P50)), graph.P50 > 0 && graph.P50 < scan.P50,
	}
}
