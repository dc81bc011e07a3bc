package file_test

import (
	"os"
	"path/filepath"
	"testing"

	"mcp-memory/vector/file"
)

func TestProvide(t *testing.T) {
	from := t.TempDir()
	f, _, err := file.Open(from, "m")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append([]string{"one"}, [][]float32{{1, 2}}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	raw := onlyFile(t, from)

	t.Run("where there is none", func(t *testing.T) {
		dir := t.TempDir()
		if err := file.Provide(dir, "m", raw); err != nil {
			t.Fatal(err)
		}
		if n := vectorsIn(t, dir, "m"); n != 1 {
			t.Errorf("%d vectors, want the provided one", n)
		}
	})
	t.Run("not of another model", func(t *testing.T) {
		dir := t.TempDir()
		if err := file.Provide(dir, "other", raw); err != nil {
			t.Fatal(err)
		}
		if n := vectorsIn(t, dir, "other"); n != 0 {
			t.Errorf("%d vectors of another model", n)
		}
	})
	t.Run("not over what is there", func(t *testing.T) {
		dir := t.TempDir()
		own, _, err := file.Open(dir, "m")
		if err != nil {
			t.Fatal(err)
		}
		if err := own.Append([]string{"a", "b"}, [][]float32{{1, 2}, {3, 4}}); err != nil {
			t.Fatal(err)
		}
		if err := own.Close(); err != nil {
			t.Fatal(err)
		}
		if err := file.Provide(dir, "m", raw); err != nil {
			t.Fatal(err)
		}
		if n := vectorsIn(t, dir, "m"); n != 2 {
			t.Errorf("%d vectors, want the 2 that were there", n)
		}
	})
	t.Run("not what is no vector file", func(t *testing.T) {
		if err := file.Provide(t.TempDir(), "m", []byte("no vectors")); err == nil {
			t.Error("no error")
		}
	})
	t.Run("not where it cannot be written", func(t *testing.T) {
		if err := file.Provide(filepath.Join(t.TempDir(), "absent"), "m", raw); err == nil {
			t.Error("no error")
		}
	})
}

// onlyFile reads the one file of a folder.
func onlyFile(t *testing.T, dir string) []byte {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%d files in %s, %v", len(entries), dir, err)
	}
	raw, err := os.ReadFile(filepath.Join(dir, entries[0].Name()))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func vectorsIn(t *testing.T, dir, model string) (n int) {
	t.Helper()
	f, replaced, err := file.Open(dir, model)
	if err != nil || replaced {
		t.Fatal(err, replaced)
	}
	defer f.Close()
	if _, err := f.Each(t.Context(), func(string, []float32) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}
