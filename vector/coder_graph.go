//go:build !windows

package vector

import "github.com/coder/hnsw"

// coderGraph is the library itself.
type coderGraph struct{ graph *hnsw.Graph[uint32] }

// coderLibrary makes empty ones, with its own settings: none of them helps.
func coderLibrary() func() library {
	return func() library { return coderGraph{hnsw.NewGraph[uint32]()} }
}

func (g coderGraph) add(key uint32, v []float32) { g.graph.Add(hnsw.MakeNode(key, v)) }

func (g coderGraph) search(v []float32, k int) []uint32 {
	found := g.graph.Search(v, k)
	keys := make([]uint32, len(found))
	for i, node := range found {
		keys[i] = node.Key
	}
	return keys
}
