//go:build !windows

package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/coder/hnsw"
)

// measureLibrary is github.com/coder/hnsw itself, with its own settings and
// without the guard of engine coder.
func measureLibrary(vectors, queries [][]float32, truth [][]uint32) (row vectorsRow, err error) {
	row = vectorsRow{Vectors: len(vectors), Engine: engineLibrary, Answers: "itself"}
	defer func() {
		if p := recover(); p != nil {
			row.Recall, row.Note, err = 0, fmt.Sprintf("it panicked: %v", p), nil
		}
	}()
	before := heapBytes()
	begin := time.Now()
	graph := hnsw.NewGraph[uint32]()
	for id, v := range vectors {
		graph.Add(hnsw.MakeNode(uint32(id), v))
	}
	row.BuildSeconds = time.Since(begin).Seconds()
	// It keeps the caller's vectors: they are counted, since somebody must hold them.
	row.BytesPerVector = float64(heapBytes()-before)/float64(len(vectors)) + float64(4*len(vectors[0]))
	return row, row.ask(queries, truth, func(v []float32, k int) ([]uint32, error) {
		found := graph.Search(v, k)
		ids := make([]uint32, len(found))
		for i, node := range found {
			ids[i] = node.Key
		}
		return ids, nil
	})
}

// heapBytes is what the heap holds after a collection.
func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
