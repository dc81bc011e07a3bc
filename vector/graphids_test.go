package vector

import (
	"bytes"
	"testing"
)

// FuzzGraphIDs: no bytes make it panic, and of a saved graph it names what is in it.
func FuzzGraphIDs(f *testing.F) {
	set, err := NewSet(2)
	if err != nil {
		f.Fatal(err)
	}
	for id := range uint32(60) {
		if err := set.Add(id*3, []float32{float32(id%50) + 1, 1}); err != nil {
			f.Fatal(err)
		}
	}
	index, err := Open(EngineHNSW, set)
	if err != nil {
		f.Fatal(err)
	}
	var saved bytes.Buffer
	if _, err := index.(Saver).WriteTo(&saved); err != nil {
		f.Fatal(err)
	}
	ids, err := GraphIDs(saved.Bytes())
	if err != nil || len(ids) != 60 || !ids[0] || !ids[177] || ids[1] {
		f.Fatalf("%d ids, %v", len(ids), err)
	}
	f.Add(saved.Bytes())
	f.Add(saved.Bytes()[:saved.Len()/2])
	f.Fuzz(func(t *testing.T, saved []byte) {
		ids, err := GraphIDs(saved)
		if err == nil && len(ids) > len(saved)/13 {
			t.Fatalf("%d ids in %d bytes", len(ids), len(saved))
		}
	})
}
