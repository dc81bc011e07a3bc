package vector

import (
	"slices"
	"strings"
	"testing"
)

// clustered are vectors of which some are much nearer than others, as engines
// like it best.
func clustered(n, dim int) [][]float32 {
	centres, spread := draw(n/50, dim, 21), draw(n, dim, 22)
	for i, v := range spread {
		out := make([]float32, dim)
		for j := range out {
			out[j] = centres[i%len(centres)][j] + .5*v[j]
		}
		spread[i] = out
	}
	return spread
}

// TestCoder_FallsBackToTheScan with the library as it is.
func TestCoder_FallsBackToTheScan(t *testing.T) {
	c, err := newCoder(64)
	if err != nil {
		t.Fatal(err)
	}
	for id, v := range clustered(1500, 64) {
		if err := c.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
	}
	s := c.Stats()
	if s.Answers != EngineExact || s.Recall >= trustedRecall || s.Recall < 0 || !strings.Contains(s.Note, "recall@10") || !strings.Contains(s.Note, "the scan answers") {
		t.Errorf("stats %+v", s)
	}
	if c.now != nil || c.next != nil {
		t.Error("the library is kept though it is not used")
	}
}

// faultless is a library that finds the nearest, panics at a given call, and
// counts.
type faultless struct {
	set     *Set
	panicAt int
	calls   int
	adds    int
}

func (f *faultless) call() {
	if f.calls++; f.calls == f.panicAt {
		panic("nil elevator")
	}
}

func (f *faultless) add(key uint32, v []float32) {
	f.call()
	f.adds++
	if _, found := f.set.slots[key]; found {
		panic("node not added")
	}
	if err := f.set.Add(key, v); err != nil {
		panic(err)
	}
}

func (f *faultless) search(v []float32, k int) []uint32 {
	f.call()
	hits, err := f.set.search(v, k, nil)
	if err != nil {
		panic(err)
	}
	keys := []uint32{1 << 30} // one that was never given
	for _, h := range slices.Backward(hits) {
		keys = append(keys, h.ID, h.ID)
	}
	return keys
}

// withLibrary is a Coder over faultless libraries; made lists them.
func withLibrary(dim, panicAt int) (c *Coder, made *[]*faultless) {
	made = new([]*faultless)
	c = openLibrary(must(NewSet(dim)), func() library {
		f := &faultless{set: must(NewSet(dim)), panicAt: panicAt}
		*made = append(*made, f)
		return f
	})
	return c, made
}

// TestCoder_UsesALibraryThatIsRight, through removals, replacements and the
// filling of new libraries.
func TestCoder_UsesALibraryThatIsRight(t *testing.T) {
	vectors := draw(1200, 8, 23)
	c, made := withLibrary(8, 0)
	exact, _ := NewExact(8)
	step := func(id uint32, v []float32) {
		for _, index := range []Index{c, exact} {
			if err := index.Add(id, v); err != nil {
				t.Fatal(err)
			}
			if id%3 == 0 {
				index.Remove(id / 2)
			}
		}
	}
	for i, v := range vectors {
		step(uint32(i%700), v)
		if i%20 == 0 {
			a, _ := exact.Search(v, 10, nil)
			b, err := c.Search(v, 10, nil)
			if err != nil || !slices.Equal(a, b) {
				t.Fatalf("after %d: %v, want %v; %v", i, b, a, err)
			}
		}
	}
	if s := c.Stats(); s.Answers != EngineCoder || s.Recall < trustedRecall || s.Note != "" || s.Vectors != exact.Len() {
		t.Errorf("stats %+v", s)
	}
	if len(*made) < 2 {
		t.Errorf("%d libraries made: no new one for %d removals", len(*made), len(vectors)/3)
	}
	if c.now.dead > 2*len(c.now.keys) {
		t.Errorf("%d dead of %d", c.now.dead, len(c.now.owner))
	}
}

// TestCoder_SurvivesPanics at any call of the library.
func TestCoder_SurvivesPanics(t *testing.T) {
	vectors := draw(150, 8, 24)
	for panicAt := 1; panicAt < 400; panicAt += 7 {
		c, _ := withLibrary(8, panicAt)
		for id, v := range vectors {
			if err := c.Add(uint32(id), v); err != nil {
				t.Fatal(err)
			}
			if id%2 == 0 {
				c.Remove(uint32(id))
			}
			hits, err := c.Search(v, 3, nil)
			if err != nil || len(hits) != min(3, c.Len()) {
				t.Fatalf("panic at call %d: %d hits of %d vectors, %v", panicAt, len(hits), c.Len(), err)
			}
		}
	}
}

func TestCoder_FiltersByTheScan(t *testing.T) {
	c, made := withLibrary(8, 0)
	for id, v := range draw(200, 8, 25) {
		if err := c.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
	}
	before := (*made)[0].calls
	hits, err := c.Search(draw(1, 8, 26)[0], 10, func(id uint32) bool { return id >= 190 })
	if err != nil || len(hits) != 10 || (*made)[0].calls != before {
		t.Errorf("%d hits, %v, %d calls to the library", len(hits), err, (*made)[0].calls-before)
	}
}

func TestCoder_WithoutALibrary(t *testing.T) {
	c := openLibrary(must(NewSet(8)), nil)
	for id, v := range draw(100, 8, 27) {
		if err := c.Add(uint32(id), v); err != nil {
			t.Fatal(err)
		}
		c.Remove(uint32(id / 2))
	}
	hits, err := c.Search(draw(1, 8, 28)[0], 5, nil)
	if s := c.Stats(); err != nil || len(hits) != 5 || s.Answers != EngineExact || s.Recall != -1 || !strings.Contains(s.Note, "does not build") {
		t.Errorf("%d hits, %v, %+v", len(hits), err, s)
	}
}

// newCoder returns an empty index of vectors of dim numbers.
func newCoder(dim int) (*Coder, error) {
	set, err := NewSet(dim)
	if err != nil {
		return nil, err
	}
	return openCoder(set), nil
}
