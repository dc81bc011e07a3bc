package worth

import (
	_ "embed"
	"fmt"
	"hash/fnv"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"mcp-memory/internal/text"
)

// maxTokens bounds what of a text is looked at: a longer one is a document, of
// which the grams say nothing any more.
const maxTokens = 400

// tokens splits folded text into words, single Han letters, signs, and "0" for
// every number.
func tokens(folded string) []string {
	var out []string
	runes := []rune(folded)
	for i := 0; i < len(runes) && len(out) < maxTokens; {
		r := runes[i]
		end := i + 1
		switch {
		case unicode.Is(unicode.Han, r):
			out = append(out, string(r))
		case unicode.IsDigit(r):
			for end < len(runes) && unicode.IsDigit(runes[end]) {
				end++
			}
			out = append(out, "0")
		case unicode.IsLetter(r):
			for end < len(runes) && inWord(runes[end]) {
				end++
			}
			out = append(out, string(runes[i:end]))
		case strings.ContainsRune(`?!,.:"`, r):
			out = append(out, string(r))
		}
		i = end
	}
	return out
}

func inWord(r rune) bool {
	return r == '\'' || unicode.IsLetter(r) && !unicode.Is(unicode.Han, r) || unicode.IsMark(r)
}

// Grams returns the hashes of the grams of a text, sorted and distinct: of one,
// two and three tokens that follow each other, and of the first and last ones with
// their place.
func Grams(s string) []uint32 {
	t := tokens(text.Fold(s))
	var out []uint32
	add := func(parts ...string) {
		h := fnv.New32a()
		for _, p := range parts {
			h.Write([]byte(p))
			h.Write([]byte{0})
		}
		out = append(out, h.Sum32())
	}
	for i := range t {
		add(t[i])
		if i+1 < len(t) {
			add(t[i : i+2]...)
		}
		if i+2 < len(t) {
			add(t[i : i+3]...)
		}
	}
	if len(t) > 0 {
		add("^", t[0])
		add("$", t[len(t)-1])
	}
	if len(t) > 1 {
		add("^", t[0], t[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// GramValue is the value of each gram of a text that has n of them: so weighed, a
// long text counts no more than a short one.
func GramValue(n int) float64 {
	if n == 0 {
		return 0
	}
	return 1 / math.Sqrt(float64(n))
}

//go:embed cues.txt
var cueFile string

// cue is a line of cues.txt.
type cue struct {
	name  string
	match *regexp.Regexp
}

var cues = sync.OnceValue(func() []cue {
	out, err := parseCues(cueFile)
	if err != nil {
		panic(fmt.Errorf("cues.txt: %w", err))
	}
	return out
})

func parseCues(file string) ([]cue, error) {
	var out []cue
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("line %d: %q has no name", i+1, line)
		}
		match, err := regexp.Compile(expression)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		out = append(out, cue{name, match})
	}
	return out, nil
}

// lengths are the classes of length that texts fall into, each up to so many
// tokens.
var lengths = []int{4, 8, 12, 18, 26, 40}

// CueCount is the number of cues, those of length included.
func CueCount() int { return len(cues()) + len(lengths) + 1 }

// Cues returns the indexes of the cues that a text has.
func Cues(s string) []int {
	folded := text.Fold(s)
	var out []int
	for i, c := range cues() {
		if c.match.MatchString(folded) {
			out = append(out, i)
		}
	}
	n := len(tokens(folded))
	class := 0
	for class < len(lengths) && n > lengths[class] {
		class++
	}
	return append(out, len(cues())+class)
}
