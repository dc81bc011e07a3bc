package vector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// saved is a small index with twins and removals, and its graph as saved.
func saved(t testing.TB, n int) (*HNSW, []byte) {
	t.Helper()
	h := newTestHNSW(t, 8)
	for id, v := range draw(n, 8, 9) {
		if err := h.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
	}
	for id := 0; id < n; id += 3 {
		h.Remove(uint32(id))
	}
	var out bytes.Buffer
	if n, err := h.WriteTo(&out); err != nil || n != int64(out.Len()) {
		t.Fatalf("saved %d bytes, %v; %d written", n, err, out.Len())
	}
	return h, out.Bytes()
}

// copySet is a set of the same vectors in another order of slots.
func copySet(t testing.TB, s *Set) *Set {
	t.Helper()
	out, err := NewSet(s.dim)
	if err != nil {
		t.Fatal(err)
	}
	ids := slices.Clone(s.ids)
	rand.New(rand.NewPCG(5, 5)).Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	v := make([]float32, s.dim)
	for _, id := range ids {
		s.Vector(id, v)
		if err := out.Add(id, v); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// TestReadHNSW_AnswersAndGrowsTheSame: a restored index gives the same answers,
// also after the same changes, whatever slots its vectors are in.
func TestReadHNSW_AnswersAndGrowsTheSame(t *testing.T) {
	h, file := saved(t, 900)
	restored, err := ReadHNSW(bytes.NewReader(file), copySet(t, h.set))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, restored.graph)
	queries := draw(100, 8, 10)
	same := func(when string) {
		t.Helper()
		for _, q := range queries {
			a, _ := h.Search(q, 10, nil)
			b, err := restored.Search(q, 10, nil)
			if err != nil || !slices.Equal(a, b) {
				t.Fatalf("%s: %v, restored %v, %v", when, a, b, err)
			}
		}
	}
	same("at once")
	for i, v := range draw(300, 8, 11) {
		for _, index := range []*HNSW{h, restored} {
			index.Remove(uint32(2 * i))
			if err := index.Add(uint32(5000+i), v); err != nil {
				t.Fatal(err)
			}
		}
	}
	same("after changes")
}

func TestReadHNSW_Empty(t *testing.T) {
	var out bytes.Buffer
	if _, err := newTestHNSW(t, 8).WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	set, _ := NewSet(8)
	h, err := ReadHNSW(&out, set)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Add(1, draw(1, 8, 1)[0]); err != nil || h.Len() != 1 {
		t.Errorf("%v; %d vectors", err, h.Len())
	}
}

// TestReadHNSW_RefusesDamage: any byte changed, any part missing, more behind.
func TestReadHNSW_RefusesDamage(t *testing.T) {
	h, file := saved(t, 60)
	refuse := func(what string, at int, damaged []byte) {
		t.Helper()
		if _, err := ReadHNSW(bytes.NewReader(damaged), h.set); !errors.Is(err, ErrGraph) {
			t.Errorf("%s at %d: %v", what, at, err)
		}
	}
	for i := range file {
		damaged := slices.Clone(file)
		damaged[i] ^= 1 << (i % 8)
		refuse("a bit changed", i, damaged)
		refuse("cut", i, file[:i])
	}
	refuse("a byte more", len(file), append(slices.Clone(file), 0))
	refuse("twice", len(file), slices.Concat(file, file))
}

// TestReadHNSW_RefusesOtherVectors: a set that is not the one the graph is of.
func TestReadHNSW_RefusesOtherVectors(t *testing.T) {
	h, file := saved(t, 60)
	another := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	wrong := map[string]func(*Set){
		"want 39":        func(s *Set) { s.Remove(1) },
		"want 41":        func(s *Set) { _ = s.Add(777, another) },
		"is another":     func(s *Set) { _ = s.Add(1, another) },
		"no vector 1":    func(s *Set) { s.Remove(1); _ = s.Add(777, another) },
		"dimension is 8": func(s *Set) { *s = *wider(t, s) },
	}
	for want, change := range wrong {
		set := copySet(t, h.set)
		change(set)
		if _, err := ReadHNSW(bytes.NewReader(file), set); !errors.Is(err, ErrGraph) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one with %q", err, want)
		}
	}
	if _, err := ReadHNSW(bytes.NewReader(file), h.set); err != nil {
		t.Errorf("refused also over its own: %v", err)
	}
}

// wider is a set of the same ids with vectors of one number more.
func wider(t *testing.T, s *Set) *Set {
	t.Helper()
	out := must(NewSet(s.dim + 1))
	for _, id := range s.ids {
		if err := out.Add(id, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func must(s *Set, err error) *Set {
	if err != nil {
		panic(err)
	}
	return s
}

func TestReopen(t *testing.T) {
	h, file := saved(t, 60)
	for engine, want := range map[string]error{EngineHNSW: nil, EngineAuto: nil, EngineExact: ErrGraph, EngineCoder: ErrGraph} {
		index, err := Reopen(engine, copySet(t, h.set), bytes.NewReader(file))
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", engine, err, want)
		}
		if err == nil && index.Len() != h.Len() {
			t.Errorf("%s: %d vectors, want %d", engine, index.Len(), h.Len())
		}
	}
	auto, err := Reopen(EngineAuto, copySet(t, h.set), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := auto.(Saver).WriteTo(&bytes.Buffer{}); !errors.Is(err, ErrNoGraph) {
		t.Errorf("auto keeps a graph over %d vectors: %v", auto.Len(), err)
	}
}

// FuzzReadHNSW: with a right checksum the bytes reach the decoder. It must never
// panic, and what it takes must be a graph that can be searched and changed.
func FuzzReadHNSW(f *testing.F) {
	h, file := saved(f, 40)
	f.Add(file[:len(file)-crc32.Size])
	f.Add([]byte(graphMagic))
	v := []float32{1, 0, 0, 0, 0, 0, 0, 1}
	f.Fuzz(func(t *testing.T, body []byte) {
		sealed := binary.LittleEndian.AppendUint32(slices.Clone(body), crc32.Checksum(body, castagnoli))
		restored, err := ReadHNSW(bytes.NewReader(sealed), copySet(t, h.set))
		if err != nil {
			if !errors.Is(err, ErrGraph) {
				t.Fatal(err)
			}
			return
		}
		if hits, err := restored.Search(v, 5, nil); err != nil || len(hits) != 5 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		for id := range uint32(40) {
			restored.Remove(id)
		}
		if restored.graph.nodes != 0 || restored.Len() != 0 {
			t.Fatalf("%d nodes of %d vectors left", restored.graph.nodes, restored.Len())
		}
	})
}

// failing is a disk that is full after some bytes.
type failing struct{ room int }

var errFull = errors.New("disk full")

func (f failing) Write(p []byte) (int, error) { return min(f.room, len(p)), errFull }

func TestWriteTo_SaysWhatFailed(t *testing.T) {
	h, _ := saved(t, 60)
	if n, err := h.WriteTo(failing{room: 10}); n != 10 || !errors.Is(err, errFull) {
		t.Errorf("%d bytes, %v; want 10, %v", n, err, errFull)
	}
}

func TestReadHNSW_DoesNotReadWithoutEnd(t *testing.T) {
	h, _ := saved(t, 60)
	endless := &counting{}
	if _, err := ReadHNSW(endless, h.set); !errors.Is(err, ErrGraph) || endless.n > math.MaxUint16*4 {
		t.Errorf("%v after %d bytes", err, endless.n)
	}
}

// counting gives zeros and counts them.
type counting struct{ n int }

func (c *counting) Read(p []byte) (int, error) {
	clear(p)
	c.n += len(p)
	return len(p), nil
}
