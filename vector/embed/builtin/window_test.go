package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestCut_LosesOneSpaceOnly(t *testing.T) {
	word := strings.Repeat("x", 99)
	long := strings.TrimSpace(strings.Repeat(word+" ", 1000))
	var stretches []string
	for rest := long; rest != ""; {
		var stretch string
		stretch, rest = cut(rest)
		if len(stretch) > stretchBytes {
			t.Fatalf("a stretch has %d bytes, want %d at most", len(stretch), stretchBytes)
		}
		stretches = append(stretches, stretch)
	}
	if got := strings.Join(stretches, " "); got != long {
		t.Fatalf("%d stretches joined by spaces are not the text", len(stretches))
	}
	if len(stretches) != 4 {
		t.Errorf("%d bytes in %d stretches, want 4", len(long), len(stretches))
	}
}

func TestCut_Edges(t *testing.T) {
	full := strings.Repeat("x", stretchBytes)
	for name, c := range map[string]struct{ text, stretch, rest string }{
		"empty":                 {"", "", ""},
		"fits":                  {full, full, ""},
		"no space":              {full + "y", full, "y"},
		"space at the end":      {full + " ", full, " "},
		"space, then more":      {full + " y", full, "y"},
		"two spaces":            {full[1:] + "  y", full[1:], " y"},
		"between characters":    {full[1:] + "é", full[1:], "é"},
		"only continuations":    {strings.Repeat("\x80", stretchBytes+9), strings.Repeat("\x80", stretchBytes-4), strings.Repeat("\x80", 13)},
		"space too far forward": {"a " + full, "a " + full[2:], "xx"},
		"spaces at the end":     {full[1:] + "  ", full[1:], " "},
	} {
		stretch, rest := cut(c.text)
		if stretch != c.stretch || rest != c.rest {
			t.Errorf("%s: cut into %d and %d bytes, want %d and %d", name, len(stretch), len(rest), len(c.stretch), len(c.rest))
		}
	}
}

func TestPack(t *testing.T) {
	for name, c := range map[string]struct {
		tokens  []int // of each window, with <s> and </s>
		workers int
		want    []int // windows of each pass
	}{
		"one":                      {[]int{10}, 4, []int{1}},
		"short ones together":      {[]int{10, 10, 10, 10}, 1, []int{4}},
		"too little to spread":     {[]int{8, 8, 8, 8}, 4, []int{4}},
		"spread":                   {[]int{20, 20, 20, 20}, 2, []int{2, 2}},
		"not below the least":      {[]int{16, 16, 16, 16}, 4, []int{2, 2}},
		"a full pass":              {[]int{32, 32, 32, 32, 2}, 1, []int{2, 2, 1}},
		"windows are never shared": {[]int{50, 50, 50}, 1, []int{1, 1, 1}},
		"longer than a pass":       {[]int{2, passTokens + 1, 2}, 1, []int{1, 1, 1}},
	} {
		var windows []window
		for i, n := range c.tokens {
			windows = append(windows, window{text: i, ids: make([]int32, n-2)})
		}
		var got []int
		var order []int
		for _, pass := range pack(windows, c.workers) {
			got = append(got, len(pass))
			for _, w := range pass {
				order = append(order, w.text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: passes of %v windows, want %v", name, got, c.want)
		}
		if len(order) != len(windows) || !slices.IsSorted(order) {
			t.Errorf("%s: windows in the order %v", name, order)
		}
	}
}

func TestJoin_WeighsWindowsByTheirTokens(t *testing.T) {
	got, ok := join([]window{
		{ids: make([]int32, 3), mean: []float32{1, 0}},
		{ids: make([]int32, 4), mean: []float32{0, 1}},
	})
	if !ok || !slices.Equal(got, []float32{.6, .8}) {
		t.Errorf("got %v, %v, want [0.6 0.8]", got, ok)
	}
}

func TestJoin_RefusesWhatHasNoLength(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, mean := range [][]float32{{0, 0}, {inf, 0}, {inf - inf, 1}} {
		if got, ok := join([]window{{mean: mean}}); ok {
			t.Errorf("the mean %v became the vector %v", mean, got)
		}
	}
}
