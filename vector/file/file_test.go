package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const testModel = "test-model/1"

func open(t *testing.T, dir, model string) *File {
	t.Helper()
	f, replaced, err := Open(dir, model)
	if err != nil || replaced {
		t.Fatalf("Open = replaced %v, %v", replaced, err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
	})
	return f
}

// vectors returns n vectors of a seed.
func vectors(n, dim int, seed uint64) [][]float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([][]float32, n)
	for i := range out {
		out[i] = make([]float32, dim)
		for j := range out[i] {
			out[i][j] = r.Float32()*2 - 1
		}
	}
	return out
}

func names(from, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("01JTESTTESTTESTTESTTEST%03d", from+i)
	}
	return out
}

// content reads all, the last of each id.
func content(t *testing.T, f *File) (map[string][]float32, int) {
	t.Helper()
	got := map[string][]float32{}
	lost, err := f.Each(context.Background(), func(id string, v []float32) error {
		got[id] = append([]float32(nil), v...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, lost
}

func TestFile_ReadsWhatWasAppended(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	if f.Dim() != 0 {
		t.Errorf("Dim before the first = %d, want 0", f.Dim())
	}
	want := map[string][]float32{}
	for round := range 3 {
		ids, vs := names(round*5, 7), vectors(7, 24, uint64(round)) // two overlap with the next
		if err := f.Append(ids, vs); err != nil {
			t.Fatal(err)
		}
		for i, id := range ids {
			want[id] = vs[i] // rounded by Append
		}
	}
	if got, lost := content(t, f); lost != 0 || !cmp.Equal(got, want) {
		t.Errorf("lost %d: %s", lost, cmp.Diff(want, got))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, testModel)
	if got, lost := content(t, again); lost != 0 || again.Dim() != 24 || !cmp.Equal(got, want) {
		t.Errorf("after reopening: dim %d, lost %d: %s", again.Dim(), lost, cmp.Diff(want, got))
	}
}

func TestFile_KeepsModelsApart(t *testing.T) {
	dir := t.TempDir()
	a, b := open(t, dir, "a"), open(t, dir, "b")
	if err := errors.Join(a.Append([]string{"x"}, vectors(1, 8, 1)), b.Append([]string{"y"}, vectors(1, 4, 2))); err != nil {
		t.Fatal(err)
	}
	got, _ := content(t, a)
	if _, ok := got["x"]; len(got) != 1 || !ok || a.Dim() != 8 || b.Dim() != 4 {
		t.Errorf("a holds %v with dims %d, %d", got, a.Dim(), b.Dim())
	}
}

func TestFile_RefusesWhatDoesNotFit(t *testing.T) {
	f := open(t, t.TempDir(), testModel)
	if err := f.Append([]string{"x"}, vectors(1, 8, 1)); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(f.path)
	nan := []float32{0, 0, 0, 0, 0, 0, 0, float32(1e30)} // no float16
	for name, call := range map[string]func() error{
		"dimension":   func() error { return f.Append([]string{"y"}, vectors(1, 9, 1)) },
		"not finite":  func() error { return f.Append([]string{"y"}, [][]float32{nan}) },
		"empty id":    func() error { return f.Append([]string{""}, vectors(1, 8, 1)) },
		"long id":     func() error { return f.Append([]string{strings.Repeat("i", 32)}, vectors(1, 8, 1)) },
		"ids missing": func() error { return f.Append(nil, vectors(1, 8, 1)) },
		"second bad":  func() error { return f.Append([]string{"y", ""}, vectors(2, 8, 1)) },
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if after, _ := os.ReadFile(f.path); !bytes.Equal(before, after) {
		t.Error("a refused append changed the file")
	}
	if _, _, err := Open(t.TempDir(), ""); err == nil {
		t.Error("a model without a name was opened")
	}
}

// Cutting the file anywhere, or damaging any byte, loses the entries that were
// hit and no other, and the file goes on being usable.
func TestFile_SurvivesDamageAnywhere(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	ids, vs := names(0, 4), vectors(4, 3, 1)
	if err := f.Append(ids, vs); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(f.path)
	if err != nil {
		t.Fatal(err)
	}
	head, entry := f.head.size(), f.head.entrySize()
	for at := range int64(len(whole)) {
		damaged := bytes.Clone(whole)
		damaged[at] ^= 0x41
		got, replaced := reopen(t, damaged)
		wantLeft := 3
		if at < head {
			wantLeft = 0
		}
		if len(got) != wantLeft || replaced != (at < head) {
			t.Fatalf("byte %d damaged: %d vectors, replaced %v", at, len(got), replaced)
		}
		cut, _ := reopen(t, whole[:at])
		if want := max(0, (at-head)/entry); int64(len(cut)) != want {
			t.Fatalf("cut at %d: %d vectors, want %d", at, len(cut), want)
		}
	}
}

// reopen opens a file of these bytes, appends one vector, and returns what was
// there before.
func reopen(t *testing.T, raw []byte) (map[string][]float32, bool) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName(testModel)), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	f, replaced, err := Open(dir, testModel)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	before, _ := content(t, f)
	if err := f.Append([]string{"new"}, vectors(1, 3, 9)); err != nil {
		t.Fatal(err)
	}
	after, _ := content(t, f)
	if len(after) != len(before)+1 {
		t.Fatalf("%d vectors and one appended are %d", len(before), len(after))
	}
	return before, replaced
}

func TestFile_KeepRemovesForGood(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	ids, vs := names(0, 6), vectors(6, 16, 1)
	if err := errors.Join(f.Append(ids, vs), f.Append(ids[:2], vs[2:4])); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(context.Background(), func(id string) bool { return id != ids[1] }); err != nil {
		t.Fatal(err)
	}
	bytesNow, _ := os.ReadFile(f.path)
	if bytes.Contains(bytesNow, []byte(ids[1])) {
		t.Error("the file still holds the id that was not kept")
	}
	got, _ := content(t, f)
	if len(got) != 5 || !cmp.Equal(got[ids[0]], vs[2]) {
		t.Errorf("kept %d vectors; %s holds %v, want the last one appended", len(got), ids[0], got[ids[0]])
	}
	if want := f.head.size() + 5*f.head.entrySize(); int64(len(bytesNow)) != want {
		t.Errorf("the file has %d bytes, want %d", len(bytesNow), want)
	}
	if err := f.Append(ids[1:2], vs[:1]); err != nil { // it goes on
		t.Fatal(err)
	}
	if got, _ := content(t, f); len(got) != 6 {
		t.Errorf("%d vectors after one more", len(got))
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"+tempSuffix))
	if len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// What is left of no vector takes those of another length.
func TestFile_KeepOfNoneEmptiesTheFile(t *testing.T) {
	dir := t.TempDir()
	f := open(t, dir, testModel)
	if err := f.Append(names(0, 3), vectors(3, 16, 1)); err != nil {
		t.Fatal(err)
	}
	if err := f.Keep(context.Background(), func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(f.path); len(raw) != 0 || err != nil || f.Dim() != 0 {
		t.Errorf("the file has %d bytes and vectors of %d numbers, %v", len(raw), f.Dim(), err)
	}
	if err := f.Append(names(0, 2), vectors(2, 8, 2)); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, testModel)
	if got, lost := content(t, again); len(got) != 2 || lost != 0 || again.Dim() != 8 {
		t.Errorf("%d vectors of %d numbers, %d lost; want 2 of 8", len(got), again.Dim(), lost)
	}
}

func TestFile_KeepThatFailsChangesNothing(t *testing.T) {
	f := open(t, t.TempDir(), testModel)
	ids, vs := names(0, 3), vectors(3, 16, 1)
	if err := f.Append(ids, vs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := f.Keep(ctx, func(string) bool { return true }); !errors.Is(err, context.Canceled) {
		t.Errorf("Keep after cancel = %v", err)
	}
	if got, lost := content(t, f); len(got) != 3 || lost != 0 {
		t.Errorf("%d vectors, %d lost", len(got), lost)
	}
}

func TestOpen_NobodyElseMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are POSIX's")
	}
	f := open(t, t.TempDir(), testModel)
	if err := f.Append([]string{"x"}, vectors(1, 8, 1)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(f.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	// Unpacked from an archive with the modes of everybody's files.
	if err := os.Chmod(f.path, 0o644); err != nil {
		t.Fatal(err)
	}
	open(t, filepath.Dir(f.path), testModel)
	if info, err := os.Stat(f.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode after a second open %v, %v", info.Mode(), err)
	}
}

func FuzzOpen(f *testing.F) {
	h := newHeader(testModel, 3)
	whole := h.encode()
	for i, id := range names(0, 3) {
		whole, _ = h.appendEntry(whole, id, vectors(1, 3, uint64(i))[0])
	}
	f.Add(whole)
	f.Add(whole[:h.size()+7])
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, content []byte) {
		before, replaced := reopen(t, content)
		if replaced && len(before) != 0 {
			t.Errorf("an emptied file holds %d vectors", len(before))
		}
	})
}
