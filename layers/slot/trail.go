package slot

import (
	"maps"
	"slices"
)

// trail is a map to which entries are added while its earlier states stay as they
// were: n additions take O(n log n), a look-up O(log n). The zero trail is empty.
//
// It is a row of maps, each more than twice as long as what follows it, so that
// an entry moves into a longer map only log n times.
type trail[K comparable, V any] struct {
	maps []map[K]V // none is changed any more; later ones override
}

// trailOf takes a map over.
func trailOf[K comparable, V any](m map[K]V) trail[K, V] { return trail[K, V]{[]map[K]V{m}} }

func (t trail[K, V]) get(key K) (value V, ok bool) {
	for _, m := range slices.Backward(t.maps) {
		if value, ok = m[key]; ok {
			return value, true
		}
	}
	return value, false
}

// with returns the trail with one more entry.
func (t trail[K, V]) with(key K, value V) trail[K, V] {
	last, n := map[K]V{key: value}, len(t.maps)
	for ; n > 0 && len(t.maps[n-1]) <= 2*len(last); n-- {
		joined := make(map[K]V, len(t.maps[n-1])+len(last))
		maps.Copy(joined, t.maps[n-1])
		maps.Copy(joined, last)
		last = joined
	}
	return trail[K, V]{append(slices.Clip(t.maps[:n]), last)}
}
