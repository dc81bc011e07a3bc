package builtin_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin"
	"mcp-memory/vector/embed/builtin/kernel"
)

func Example() {
	e, err := builtin.New(builtin.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	passages, err := e.Embed(ctx, embed.Passage, []string{
		"The cat sleeps on the sofa all day.",
		"用户对花生过敏。", // the user is allergic to peanuts
	})
	if err != nil {
		log.Fatal(err)
	}
	queries, err := e.Embed(ctx, embed.Query, []string{"What must I not eat?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("numbers in a vector:", e.Dim())
	fmt.Println("the allergy is nearer:", cosine(queries[0], passages[1]) > cosine(queries[0], passages[0]))
	// Output:
	// numbers in a vector: 384
	// the allergy is nearer: true
}

func cosine(a, b []float32) (sum float32) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestNew_NamesModelAndKernel(t *testing.T) {
	for _, set := range kernel.All() {
		e, err := builtin.New(builtin.Options{Kernel: set.Name})
		if err != nil {
			t.Fatal(err)
		}
		if e.Kernel() != set.Name {
			t.Errorf("kernel %s, want %s", e.Kernel(), set.Name)
		}
		if want := "e5-small-q4w3/1"; e.Model() != want {
			t.Errorf("model %s, want %s: another name makes all stored vectors stale", e.Model(), want)
		}
	}
}

func TestNew_RefusesWrongOptions(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte("not a model"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opts builtin.Options
		says []string
	}{
		"unknown kernel": {builtin.Options{Kernel: "gpu"}, []string{`"gpu"`, "go"}},
		"negative":       {builtin.Options{Parallel: -1}, []string{"parallel is -1", "0"}},
		"no such file":   {builtin.Options{File: filepath.Join(dir, "none")}, []string{"none", "no such file", "mkmodel"}},
		"a folder":       {builtin.Options{File: dir}, []string{dir, "not a regular file", "mkmodel"}},
		"a foreign file": {builtin.Options{File: text}, []string{text, "mkmodel"}},
	} {
		e, err := builtin.New(c.opts)
		if err == nil {
			t.Errorf("%s: opened %s", name, e.Model())
			continue
		}
		for _, part := range c.says {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: error %q does not say %q", name, err, part)
			}
		}
	}
}

// The embedded model, read from a file, is the same model; a damaged one is
// refused.
func TestNew_ReadsAndChecksFile(t *testing.T) {
	data, err := os.ReadFile("e5-small.model")
	if err != nil {
		t.Fatal(err)
	}
	e, err := builtin.New(builtin.Options{File: "e5-small.model"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Embed(t.Context(), embed.Query, []string{"tea"}); err != nil {
		t.Fatal(err)
	}
	data[len(data)/2] ^= 1
	path := filepath.Join(t.TempDir(), "damaged.model")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := builtin.New(builtin.Options{File: path}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("one bit flipped: error %v, want one that names %s", err, path)
	}
}
