package embed_test

import (
	"context"
	"fmt"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/embedtest"
)

// A cache stands before any embedder; embedtest.Words takes the place of a model
// here.
func ExampleCached() {
	cache := embed.Cached(embedtest.Words(64), 8<<20)
	vectors, err := cache.Embed(context.Background(), embed.Passage, []string{"I drink green tea", "I drink black tea", "the train is late"})
	if err != nil {
		fmt.Println(err)
		return
	}
	dot := func(a, b []float32) (sum float32) {
		for i := range a {
			sum += a[i] * b[i]
		}
		return sum
	}
	fmt.Println(dot(vectors[0], vectors[1]) > dot(vectors[0], vectors[2]))
	cache.Clear() // when something is to be forgotten
	// Output: true
}
