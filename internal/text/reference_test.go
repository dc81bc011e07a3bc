package text_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/text"
)

// testdata/reference.jsonl is what the Python reference of the retrieval recipe
// (its function tok, with snowballstemmer 3.1.1) makes of sentences written for
// this test.
func TestTerms_AgreeWithTheReferenceOnProse(t *testing.T) {
	file, err := os.Open("testdata/reference.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	seen := 0
	for ; lines.Scan(); seen++ {
		var golden struct {
			Text  string   `json:"text"`
			Terms []string `json:"terms"`
		}
		if err := json.Unmarshal(lines.Bytes(), &golden); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(golden.Terms, text.Terms(golden.Text)); diff != "" {
			t.Errorf("%s\n%s", golden.Text, diff)
		}
	}
	if lines.Err() != nil || seen < 100 {
		t.Fatalf("read %d sentences: %v", seen, lines.Err())
	}
}
