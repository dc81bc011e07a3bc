package builtin

import (
	"bytes"
	"testing"

	"mcp-memory/vector/embed"
)

func TestReturnable_TakesPagesOfAFileOnly(t *testing.T) {
	if returnable(embeddedBytes()) == nil {
		t.Error("the embedded model's pages are the binary's and cannot be given back")
	}
	if returnable(make([]byte, 1<<20)) != nil {
		t.Error("memory that is there only once would be given back")
	}
	if returnable(embeddedBytes()[:10]) != nil || returnable(nil) != nil {
		t.Error("less than a page would be given back")
	}
}

// What was given back reads the same, and so do the vectors.
func TestGiveBack_LosesNothing(t *testing.T) {
	e, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, sum := embedOne(t, e, embed.Query, "Wo liegt die Rechnung?"), bytes.Clone(e.model.words.section[:1<<20])
	for range 3 {
		giveBack(e.model.pages.table)
		if !bytes.Equal(sum, e.model.words.section[:1<<20]) {
			t.Fatal("the word table has changed")
		}
	}
	for i, x := range embedOne(t, e, embed.Query, "Wo liegt die Rechnung?") {
		if x != before[i] {
			t.Fatalf("number %d is %v, was %v", i, x, before[i])
		}
	}
}
