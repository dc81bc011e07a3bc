package worth

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mcp-memory/internal/text"
	"mcp-memory/storage"
)

//go:embed sure.txt
var sureFile string

//go:embed sure_ja.txt
var sureFileJa string

// sureProbability is what a plain statement is worth: above every limit.
const sureProbability = 0.995

// plainly are the expressions of sure.txt, one for each of Layers, and what
// unmakes them.
type plainly struct {
	layers [len(Layers)]*regexp.Regexp
	but    *regexp.Regexp
}

var (
	plainWords    = sync.OnceValue(func() plainly { return mustSure("sure.txt", sureFile, sureForm{fold: text.Simplified, lead: sureLead}) })
	plainJapanese = sync.OnceValue(func() plainly { return mustSure("sure_ja.txt", sureFileJa, sureForm{fold: text.Simplified}) })
)

// plain returns the expressions that a text is held against.
func plain(s string) plainly {
	if japanese(s) {
		return plainJapanese()
	}
	return plainWords()
}

func mustSure(name, file string, form sureForm) plainly {
	p, err := parseSure(file, form)
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return p
}

// sureForm is how the expressions of a file are read.
type sureForm struct {
	fold       func(string) string // writes an expression as what it is held against
	defined    []string            // names and what they stand for from the first line on
	lead       string              // stands before the expressions of a layer
	begin, end string              // of a word: before those that unmake, and after all
}

// sureLead is what may stand before a plain statement.
const sureLead = `^(?:[\p{So}\p{Sk}\x{200d}\x{fe0f}]+ *|(?:and|but|also|please|well|so|oh|yes|yeah|ok|okay|hi|hey|hello|btw|actually|by the way|in general|sure|pls|remember|remember that|记住|请|对了|另外|还有|其实|嗯|好)[ ,:，。]+|请)*`

// parseSure reads "layer: expression" lines. What "{name}: expression" names is put for
// {name} in the lines after it.
func parseSure(file string, form sureForm) (p plainly, err error) {
	lines, defined := map[string][]string{}, slices.Clone(form.defined)
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, ok := strings.Cut(line, ": ")
		expression = strings.NewReplacer(defined...).Replace(form.fold(expression))
		if _, err := regexp.Compile(expression); err != nil {
			return p, fmt.Errorf("line %d: %w", i+1, err)
		}
		switch {
		case ok && strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}"):
			defined = append(defined, name, "(?:"+expression+")")
		case ok && (name == "but" || slices.Contains(Layers[:], storage.Layer(name))):
			lines[name] = append(lines[name], expression)
		default:
			return p, fmt.Errorf("line %d: %q does not begin with a layer", i+1, line)
		}
	}
	for i, layer := range Layers {
		if all := lines[string(layer)]; len(all) > 0 {
			p.layers[i] = regexp.MustCompile(form.lead + "(?:" + strings.Join(all, "|") + ")" + form.end)
		}
	}
	p.but = regexp.MustCompile(form.begin + "(?:" + strings.Join(lines["but"], "|") + ")" + form.end)
	return p, nil
}

// raise lifts the scores of the layers that a sentence says plainly.
func (p plainly) raise(s string, z Scores) Scores {
	folded := text.Fold(s)
	if p.but.MatchString(folded) {
		return z
	}
	for i, match := range p.layers {
		if match != nil && match.MatchString(folded) {
			z[i] = max(z[i], sureProbability)
		}
	}
	return z
}

// Plain are the layers that a sentence says so plainly that it needs no weighing.
func Plain(s string) (out []storage.Layer) {
	p := plain(s)
	z := p.raise(s, Scores{})
	for i := range z {
		if z[i] > 0 {
			out = append(out, Layers[i])
		}
	}
	return out
}
