package keyword_test

import (
	"fmt"

	"mcp-memory/storage/keyword"
)

func Example() {
	x := keyword.New()
	x.Add(1, []string{"green", "tea"})
	x.Add(2, []string{"black", "tea"})
	x.Add(3, []string{"coffee"})

	idf := x.IDF("tea")
	for doc, tf := range x.Postings("tea") {
		fmt.Printf("%d %.3f\n", doc, idf*keyword.Weight(tf, x.Length(doc)))
	}
	// Output:
	// 1 0.247
	// 2 0.247
}
