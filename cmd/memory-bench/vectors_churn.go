package main

import (
	"fmt"
	"slices"
	"time"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// searcher returns the numbers of the k vectors it finds nearest to v.
type searcher func(v []float32, k int) ([]uint32, error)

// measureChurn is engine hnsw after every second vector was removed and added
// again: what is left of the graph's quality, and what the changes cost.
func measureChurn(vectors, queries [][]float32, truth [][]uint32) (row vectorsRow, err error) {
	index, err := vector.New(vector.EngineHNSW, len(vectors[0]))
	if err != nil {
		return row, err
	}
	for id, v := range vectors {
		if err := index.Add(uint32(id), v); err != nil {
			return row, err
		}
	}
	row = vectorsRow{Vectors: len(vectors), Engine: engineChurned, Answers: vector.EngineHNSW}
	begin := time.Now()
	for id := 0; id < len(vectors); id += 2 {
		if !index.Remove(uint32(id)) {
			return row, fmt.Errorf("vector %d was added, but is not there to be removed", id)
		}
	}
	for id := 0; id < len(vectors); id += 2 {
		if err := index.Add(uint32(id), vectors[id]); err != nil {
			return row, err
		}
	}
	row.BuildSeconds = time.Since(begin).Seconds()
	return row, row.ask(queries, truth, func(v []float32, k int) ([]uint32, error) {
		hits, err := index.Search(v, k, nil)
		ids := make([]uint32, len(hits))
		for i, h := range hits {
			ids[i] = h.ID
		}
		return ids, err
	})
}

// ask searches once for every query and notes recall and times.
func (r *vectorsRow) ask(queries [][]float32, truth [][]uint32, search searcher) error {
	took, right, wanted := make([]time.Duration, len(queries)), 0, 0
	for i, q := range queries {
		begin := time.Now()
		ids, err := search(q, vectortest.K)
		took[i] = time.Since(begin)
		if err != nil {
			return fmt.Errorf("search by %s: %w", r.Engine, err)
		}
		wanted += len(truth[i])
		for _, id := range truth[i] {
			if slices.Contains(ids, id) {
				right++
			}
		}
	}
	times := summarize(took)
	r.Recall, r.P50, r.P95 = ratio(right, wanted), times.P50, times.P95
	return nil
}
