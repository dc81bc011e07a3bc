package slot

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

// What is added to a trail is found, and none of its earlier states changes,
// whichever of them is gone on from.
func TestTrail_KeepsItsEarlierStates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type state struct {
			trail trail[int, int]
			want  map[int]int
		}
		states := []state{{trailOf(map[int]int{1: 1, 2: 2, 3: 3}), map[int]int{1: 1, 2: 2, 3: 3}}, {want: map[int]int{}}}
		for value := range rapid.IntRange(0, 60).Draw(t, "additions") {
			from := states[rapid.IntRange(0, len(states)-1).Draw(t, "from")]
			key := rapid.IntRange(0, 20).Draw(t, "key")
			want := maps.Clone(from.want)
			want[key] = value
			states = append(states, state{from.trail.with(key, value), want})
		}
		for _, s := range states {
			for key := range 21 {
				got, ok := s.trail.get(key)
				want, there := s.want[key]
				if got != want || ok != there {
					t.Fatalf("%d: %d, %v, want %d, %v", key, got, ok, want, there)
				}
			}
		}
	})
}

// A trail of n entries is a row of few maps, and adding them moved few.
func TestTrail_MovesAnEntrySeldom(t *testing.T) {
	const n, most = 1 << 14, 15 // log₂ n, and one
	var of trail[int, int]
	moved := 0
	for i := range n {
		before := len(of.maps)
		of = of.with(i, i)
		if len(of.maps) > most {
			t.Fatalf("%d maps of %d entries", len(of.maps), i+1)
		}
		if len(of.maps) <= before {
			moved += len(of.maps[len(of.maps)-1])
		}
	}
	if moved > n*most {
		t.Errorf("%d moves of %d entries", moved, n)
	}
}
