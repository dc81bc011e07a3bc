package vector_test

import (
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// The least recall@10 against float32 that each engine must reach on 4,000
// vectors shaped like e5-small's; coder's is that of the scan it falls back to.
var recallFloors = map[string]float64{
	vector.EngineExact: .999,
	vector.EngineHNSW:  .985,
	vector.EngineCoder: .999,
	vector.EngineAuto:  .999,
}

func TestIndex_Recall(t *testing.T) {
	vectors, queries := vectortest.Synthetic(4000, 100, 384, 7)
	truth := vectortest.Truth(vectors, queries)
	for _, name := range vector.Engines() {
		f, err := vectortest.Measure(name, vectors, queries, truth)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: recall@%d %.4f, %d bytes a vector, %+v", name, vectortest.K, f.Recall, f.Bytes/int64(f.Vectors), f.Stats)
		if f.Recall < recallFloors[name] {
			t.Errorf("%s: recall %.4f, want %.3f", name, f.Recall, recallFloors[name])
		}
		if f.Stats.Engine != name || f.Stats.Vectors != len(vectors) {
			t.Errorf("%s: stats %+v", name, f.Stats)
		}
	}
}

// TestHNSW_RecallAfterChurn: half of all vectors taken out and added again.
func TestHNSW_RecallAfterChurn(t *testing.T) {
	vectors, queries := vectortest.Synthetic(3000, 60, 384, 8)
	truth := vectortest.Truth(vectors, queries)
	index := open(t, vector.EngineHNSW, 384)
	for id, v := range vectors {
		add(t, index, uint32(id), v)
	}
	for id := 0; id < len(vectors); id += 2 {
		index.Remove(uint32(id))
	}
	for id := 0; id < len(vectors); id += 2 {
		add(t, index, uint32(id), vectors[id])
	}
	right := 0
	for i, q := range queries {
		found := ids(search(t, index, q, vectortest.K, nil))
		for _, id := range truth[i] {
			for _, f := range found {
				if f == id {
					right++
				}
			}
		}
	}
	if recall := float64(right) / float64(vectortest.K*len(queries)); recall < .98 {
		t.Errorf("recall %.4f after churn, want .98", recall)
	}
}
