package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestIn_TakesTheFolderAsItIsNamed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[ab]")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"b.vec", "a.vec", "a.vec.tmp"} {
		write(t, filepath.Join(dir, name))
	}
	got, err := In(dir, "*.vec")
	want := []string{filepath.Join(dir, "a.vec"), filepath.Join(dir, "b.vec")}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("In = %v, %v, want %v", got, err, want)
	}
}

func TestIn_OnlyAFolderThatIsNotThereIsEmpty(t *testing.T) {
	dir := t.TempDir()
	if got, err := In(filepath.Join(dir, "none"), "*"); err != nil || len(got) > 0 {
		t.Errorf("In a folder that is not there = %v, %v, want none", got, err)
	}
	file := filepath.Join(dir, "file")
	write(t, file)
	if got, err := In(file, "*"); err == nil {
		t.Errorf("In a file = %v, want an error", got)
	}
	if got, err := In(dir, "["); !errors.Is(err, filepath.ErrBadPattern) {
		t.Errorf("In with a bad pattern = %v, %v, want %v", got, err, filepath.ErrBadPattern)
	}
}

func TestRemove_WhatIsNotThereIsRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "full")
	path := filepath.Join(dir, "file")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path)
	if err := Remove(dir); err == nil {
		t.Error("Remove of a full folder: no error")
	}
	for range 2 {
		if err := Remove(path); err != nil {
			t.Errorf("Remove: %v", err)
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Remove: %v, want %v", err, fs.ErrNotExist)
	}
}

func TestWriteWhole_LeavesNothingHalf(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	for _, content := range []string{"a longer one", "short"} {
		if err := WriteWhole(path, []byte(content)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("the file holds %q, %v, want %q", got, err, content)
		}
	}
	full := filepath.Join(dir, "full")
	if err := os.Mkdir(full, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(full, "x"))
	if err := WriteWhole(full, []byte("a")); err == nil {
		t.Error("WriteWhole over a folder: no error")
	}
	if left, err := In(dir, "*.tmp"); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
