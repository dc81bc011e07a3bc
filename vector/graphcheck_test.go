package vector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// savedGraph is a graph over n vectors, as it is saved.
func savedGraph(t testing.TB, n int) []byte {
	t.Helper()
	h, err := newHNSW(8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		v := make([]float32, 8)
		v[i%8], v[(i/8)%8] = 1, float32(i+1)
		if err := h.Add(uint32(i), v); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if _, err := h.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCheckSaved_ReadsAWholeGraphInAnyPieces(t *testing.T) {
	saved := savedGraph(t, 2000) // more than one block
	for name, read := range map[string]func() (int, error){
		"at once":     func() (int, error) { return CheckSaved(bytes.NewReader(saved)) },
		"byte a time": func() (int, error) { return CheckSaved(iotest.OneByteReader(bytes.NewReader(saved))) },
		"halves":      func() (int, error) { return CheckSaved(iotest.HalfReader(bytes.NewReader(saved))) },
	} {
		if n, err := read(); n != 2000 || err != nil {
			t.Errorf("%s: %d vectors, %v; want 2000", name, n, err)
		}
	}
}

func TestCheckSaved_NoticesEveryChange(t *testing.T) {
	saved := savedGraph(t, 20)
	for i := range saved {
		changed := slices.Clone(saved)
		changed[i] ^= 1 << (i % 8)
		if _, err := CheckSaved(bytes.NewReader(changed)); !errors.Is(err, ErrGraph) {
			t.Fatalf("byte %d changed: error %v, want %v", i, err, ErrGraph)
		}
		if _, err := CheckSaved(bytes.NewReader(saved[:i])); !errors.Is(err, ErrGraph) {
			t.Fatalf("cut at %d: error %v, want %v", i, err, ErrGraph)
		}
	}
}

func TestSavedGraph_OfANewerVersionIsRefusedNamingBoth(t *testing.T) {
	saved := savedGraph(t, 20)
	saved[len(graphMagic)-1] = 7
	body := len(saved) - crc32.Size
	binary.LittleEndian.PutUint32(saved[body:], crc32.Checksum(saved[:body], castagnoli))
	set, err := NewSet(8)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if err := set.Add(uint32(i), []float32{1, 0, 0, 0, 0, 0, 0, float32(i)}); err != nil {
			t.Fatal(err)
		}
	}
	_, checkErr := CheckSaved(bytes.NewReader(saved))
	_, readErr := ReadHNSW(bytes.NewReader(saved), set)
	for name, err := range map[string]error{"check": checkErr, "read": readErr} {
		if !errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), "format version 7, this program reads up to 1") {
			t.Errorf("%s: error %v, want one that names both versions", name, err)
		}
	}
}

func FuzzCheckSaved(f *testing.F) {
	saved := savedGraph(f, 20)
	f.Add(saved)
	f.Add(saved[:len(saved)-3])
	f.Add([]byte(graphMagic))
	f.Fuzz(func(t *testing.T, saved []byte) {
		n, err := CheckSaved(bytes.NewReader(saved))
		slow, slowErr := CheckSaved(iotest.OneByteReader(bytes.NewReader(saved)))
		if n != slow || (err == nil) != (slowErr == nil) || err != nil && !errors.Is(err, ErrGraph) {
			t.Errorf("%d, %v at once; %d, %v in bytes", n, err, slow, slowErr)
		}
	})
}
