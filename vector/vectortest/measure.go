package vectortest

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"mcp-memory/vector"
)

// K is how many neighbours are asked for.
const K = 10

// Figures is what one engine does on one set of vectors.
type Figures struct {
	Engine  string
	Vectors int
	Recall  float64 // share of the K nearest by float32 that are among the K found
	P50     time.Duration
	P95     time.Duration // of a search
	Build   time.Duration // all vectors added, one by one; a graph behind them ready
	Bytes   int64         // the heap grew by
	Stats   vector.Stats
}

// Measure adds vectors, numbered from 0, to an engine of [vector.New] and asks it
// the queries. truth is what [Truth] gives for them.
func Measure(engine string, vectors, queries [][]float32, truth [][]uint32) (Figures, error) {
	if len(vectors) == 0 || len(queries) == 0 || len(truth) != len(queries) {
		return Figures{}, fmt.Errorf("measure %s: %d vectors, %d queries, %d answers: want some, and as many answers as queries",
			engine, len(vectors), len(queries), len(truth))
	}
	before := heap()
	start := time.Now()
	index, err := fill(engine, vectors)
	if err != nil {
		return Figures{}, fmt.Errorf("measure %s: %w", engine, err)
	}
	f := Figures{Engine: engine, Vectors: len(vectors), Build: time.Since(start), Bytes: heap() - before}
	err = f.ask(index, queries, truth)
	if r, ok := index.(vector.Reporter); ok {
		f.Stats = r.Stats()
	}
	if c, ok := index.(io.Closer); ok {
		err = errors.Join(err, c.Close())
	}
	return f, err
}

// fill adds all vectors and waits for a graph that is built behind them.
func fill(engine string, vectors [][]float32) (vector.Index, error) {
	index, err := vector.New(engine, len(vectors[0]))
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		if err := index.Add(uint32(i), v); err != nil {
			return nil, err
		}
	}
	if w, ok := index.(interface{ Wait() }); ok {
		w.Wait()
	}
	return index, nil
}

// ask searches once for every query.
func (f *Figures) ask(index vector.Index, queries [][]float32, truth [][]uint32) error {
	took := make([]time.Duration, len(queries))
	found := 0
	for i, q := range queries {
		start := time.Now()
		hits, err := index.Search(q, K, nil)
		took[i] = time.Since(start)
		if err != nil {
			return err
		}
		for _, h := range hits {
			if slices.Contains(truth[i], h.ID) {
				found++
			}
		}
	}
	slices.Sort(took)
	f.P50, f.P95 = took[len(took)/2], took[len(took)*95/100]
	f.Recall = float64(found) / float64(min(K, f.Vectors)*len(queries))
	return nil
}

// heap is what is in use after a collection.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Truth is the K nearest of every query by the dot products of the numbers as
// given, ties by number: what an engine's recall is measured against.
func Truth(vectors, queries [][]float32) [][]uint32 {
	out := make([][]uint32, len(queries))
	for i, q := range queries {
		out[i] = nearest(vectors, q)
	}
	return out
}

// nearest keeps the K best so far in order; most vectors fail at the last.
func nearest(vectors [][]float32, q []float32) []uint32 {
	ids, dots := make([]uint32, 0, K+1), make([]float64, 0, K+1)
	for id, v := range vectors {
		d := dot(q, v)
		if len(ids) == K && d <= dots[K-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(dots, d, func(e, d float64) int {
			if e >= d {
				return -1 // equal ones stay before: they have the lesser number
			}
			return 1
		})
		ids, dots = slices.Insert(ids, at, uint32(id)), slices.Insert(dots, at, d)
		ids, dots = ids[:min(K, len(ids))], dots[:min(K, len(dots))]
	}
	return ids
}

func dot(a, b []float32) float64 {
	var x, y float64 // two sums, so that one need not wait for the other
	for len(a) >= 2 && len(b) >= 2 {
		x += float64(a[0]) * float64(b[0])
		y += float64(a[1]) * float64(b[1])
		a, b = a[2:], b[2:]
	}
	for i := range a {
		x += float64(a[i]) * float64(b[i])
	}
	return x + y
}
