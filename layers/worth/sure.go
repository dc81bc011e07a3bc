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
	plainWords    = sync.OnceValue(func() plainly { return mustSure("sure.txt", sureFile, sureLead) })
	plainJapanese = sync.OnceValue(func() plainly { return mustSure("sure_ja.txt", sureFileJa, "") })
)

// plain returns the expressions that a text is held against.
func plain(s string) plainly {
	if japanese(s) {
		return plainJapanese()
	}
	return plainWords()
}

func mustSure(name, file, lead string) plainly {
	p, err := parseSure(file, lead)
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return p
}

// sureLead is what may stand before a plain statement.
const sureLead = `^(?:(?:and|but|also|please|well|so|oh|yes|yeah|ok|okay|hi|hey|hello|btw|actually|by the way|in general|sure|pls|remember|remember that|记住|请|对了|另外|还有|其实|嗯|好)[ ,:，。]+|请)*`

// parseSure reads "layer: expression" lines. What "define name: expression" names is
// put for {name} in the lines after it.
func parseSure(file, lead string) (p plainly, err error) {
	lines := map[string][]string{}
	var defined []string
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, ok := strings.Cut(line, ": ")
		expression = text.Simplified(expression) // as what it is held against
		expression = strings.NewReplacer(defined...).Replace(expression)
		if word, isDefine := strings.CutPrefix(name, "define "); ok && isDefine {
			defined = append(defined, "{"+word+"}", expression)
			continue
		}
		if !ok || name != "but" && !slices.Contains(Layers[:], storage.Layer(name)) {
			return p, fmt.Errorf("line %d: %q does not begin with a layer", i+1, line)
		}
		if _, err := regexp.Compile(expression); err != nil {
			return p, fmt.Errorf("line %d: %w", i+1, err)
		}
		lines[name] = append(lines[name], expression)
	}
	for i, layer := range Layers {
		if all := lines[string(layer)]; len(all) > 0 {
			p.layers[i] = regexp.MustCompile(lead + "(?:" + strings.Join(all, "|") + ")")
		}
	}
	p.but = regexp.MustCompile(strings.Join(lines["but"], "|"))
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
