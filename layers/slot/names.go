package slot

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// known are the names of each attribute and of each noun, by canonical name.
var known = sync.OnceValue(func() map[string][]string {
	t, out := tables(), map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(t.attributes)) {
		if a := t.attributes[name]; name != a.Name {
			out[a.Name] = append(out[a.Name], name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.nouns)) {
		out["* "+t.nouns[name]] = append(out["* "+t.nouns[name]], name)
	}
	return out
})

// Names returns the words, English, Chinese and Japanese, by which people speak of an
// attribute: its canonical name, then the others that attributes.txt has,
// sorted. Of "favourite X" and "preferred X" it gives the names of X, and taste
// is true: they are meant where a liking is spoken of too.
func Names(attribute string) (names []string, taste bool) {
	for _, prefix := range []string{"favourite ", "preferred "} {
		if noun, ok := strings.CutPrefix(attribute, prefix); ok {
			return append([]string{noun}, slices.DeleteFunc(slices.Clone(known()["* "+noun]), func(s string) bool { return s == noun })...), true
		}
	}
	return append([]string{attribute}, known()[attribute]...), false
}
