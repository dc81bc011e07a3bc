package dates

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// A file of rules/ has sections, each under a line [name]. A line that begins
// with # and a space is a comment.
//
//	[fold]         個=个                 letters compared as others
//	[<classes>]    day days = day        words of classes (several may share a section)
//	[rules]        pattern => verb …     cores and what they mean (meaning.go)
//	[clock]        pattern => clock pm   hours and halves of the day (clock.go)
//	[before] [after] [joint]             role words; joint: "to" after a From
//	[part before] [part after]           "end of", 底
//	[cues]         pattern => past       what shows the tense of a sentence (tense.go)
//	[not before]   上: 早 晚             no expression begins with 上 after 早
//	[not after]    后: 端                none ends in 后 before 端; # is any figure
//
// All files make up one book; classes are shared by name.

//go:embed rules/*.txt
var ruleFiles embed.FS

// A book is all rules, ready to match. It is not changed after load.
type book struct {
	folds   map[string]string
	words   map[string]vocabulary // by class
	classes map[string]class

	core, clocks, before, after, joint trie
	partBefore, partAfter, cues        trie

	notBefore, notAfter map[string]map[string]bool
}

// A rule is the right side of a line: what its pattern means.
type rule struct {
	order int // in which it was read: earlier wins among equals
	verb  verb
	role  Role
	edge  edge
	cue   cue

	unit Unit   // 0: the one captured
	by   int    // how many units on
	how  string // a word that the verb knows
	half string // the half of the day that is meant: am, pm, noon, night

	asked    bool // in a statement only with a role word or a part
	led      bool // in a question too
	question bool // in questions only
	part     bool // only with "end of" or the like
	capital  bool // only with an upper-case letter
	bare     bool // not before a number
	notPast  bool // not in a sentence about the past
}

// shared is the book of all files. An error in a file of ours is a bug that the
// first test finds, so it panics.
var shared = sync.OnceValue(func() *book {
	b, err := load()
	if err != nil {
		panic(err)
	}
	return b
})

func load() (*book, error) {
	b := &book{folds: map[string]string{}, words: map[string]vocabulary{},
		notBefore: map[string]map[string]bool{}, notAfter: map[string]map[string]bool{}}
	b.classes = b.builtin()
	files, err := ruleFiles.ReadDir("rules")
	if err != nil {
		return nil, fmt.Errorf("list rules: %w", err)
	}
	order := 0
	for _, f := range files {
		text, err := ruleFiles.ReadFile("rules/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read rules: %w", err)
		}
		section := ""
		for n, line := range strings.Split(string(text), "\n") {
			order++
			if section, err = b.line(section, strings.TrimSpace(line), order); err != nil {
				return nil, fmt.Errorf("read rules/%s:%d: %w", f.Name(), n+1, err)
			}
		}
	}
	return b, nil
}

// line reads one line and gives the section that the next one is in.
func (b *book) line(section, line string, order int) (string, error) {
	if line == "" || strings.HasPrefix(line, "# ") {
		return section, nil
	}
	if left, right, ok := strings.Cut(line, "=>"); ok {
		return section, b.rule(section, strings.TrimSpace(left), strings.Fields(right), order)
	}
	if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
		return line[1 : len(line)-1], nil
	}
	switch section {
	case "fold":
		return section, b.addFolds(line)
	case "not before":
		return section, addGuard(b.notBefore, line)
	case "not after":
		return section, addGuard(b.notAfter, line)
	}
	return section, b.addWords(strings.Fields(section), line)
}

func (b *book) addFolds(line string) error {
	for _, pair := range strings.Fields(line) {
		from, to, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("no = in %q", pair)
		}
		b.folds[from] = to
	}
	return nil
}

func addGuard(guards map[string]map[string]bool, line string) error {
	key, list, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("no colon in %q", line)
	}
	if guards[key] == nil {
		guards[key] = map[string]bool{}
	}
	for _, neighbour := range strings.Fields(list) {
		guards[key][neighbour] = true
	}
	return nil
}

func (b *book) addWords(classes []string, line string) error {
	list, meaning, ok := strings.Cut(line, " = ")
	if !ok || len(classes) == 0 {
		return fmt.Errorf("line %q is of no section", line)
	}
	value, err := wordValue(meaning)
	if err != nil {
		return err
	}
	for _, name := range classes {
		if b.words[name] == nil {
			b.words[name] = vocabulary{}
		}
		if b.classes[name] == nil {
			b.classes[name] = b.words[name].class
		}
		for _, w := range strings.Fields(list) {
			b.words[name][w] = value
		}
	}
	return nil
}

// wordValue reads a number, or a unit with its factor ("week*2").
func wordValue(s string) (int, error) {
	if n, err := strconv.Atoi(s); err == nil {
		return n, nil
	}
	name, times, _ := strings.Cut(s, "*")
	unit, ok := unitNamed(name)
	if !ok {
		return 0, fmt.Errorf("%q is no number and no unit", s)
	}
	factor := 1
	if times != "" {
		var err error
		if factor, err = strconv.Atoi(times); err != nil {
			return 0, fmt.Errorf("read factor of %q: %w", s, err)
		}
	}
	return int(unit)*unitScale + factor, nil
}

// unitScale sets the unit apart from its factor in the value of a word.
const unitScale = 100

func unitNamed(name string) (Unit, bool) {
	for u, n := range unitNames {
		if u > 0 && n == name {
			return Unit(u), true
		}
	}
	return 0, false
}
