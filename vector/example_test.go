package vector_test

import (
	"bytes"
	"fmt"

	"mcp-memory/vector"
)

func Example() {
	index, err := vector.New(vector.EngineExact, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	for id, v := range map[uint32][]float32{1: {1, 0, 0}, 2: {3, 4, 0}, 3: {0, 0, 2}} {
		if err := index.Add(id, v); err != nil {
			fmt.Println(err)
		}
	}
	hits, err := index.Search([]float32{1, 0, 0}, 2, func(id uint32) bool { return id != 1 })
	for _, h := range hits {
		fmt.Printf("%d %.2f\n", h.ID, h.Cosine)
	}
	fmt.Println(err, index.Add(4, []float32{1, 0}))
	// Output:
	// 2 0.60
	// 3 0.00
	// <nil> vector 4: wrong dimension: 2 numbers, want 3
}

// A graph is saved apart from the vectors and put over them again.
func ExampleReopen() {
	vectors := map[uint32][]float32{1: {1, 0, 0}, 2: {3, 4, 0}, 3: {0, 0, 2}}
	fill := func() *vector.Set {
		set, _ := vector.NewSet(3)
		for id, v := range vectors {
			if err := set.Add(id, v); err != nil {
				fmt.Println(err)
			}
		}
		return set
	}
	index, _ := vector.Open(vector.EngineHNSW, fill())
	var file bytes.Buffer
	if _, err := index.(vector.Saver).WriteTo(&file); err != nil {
		fmt.Println(err)
	}
	again, err := vector.Reopen(vector.EngineHNSW, fill(), bytes.NewReader(file.Bytes()))
	fmt.Println(again.Len(), err)

	delete(vectors, 2)
	_, err = vector.Reopen(vector.EngineHNSW, fill(), bytes.NewReader(file.Bytes()))
	fmt.Println(err)
	// Output:
	// 3 <nil>
	// saved graph does not fit: number of vectors is 3, want 2
}
