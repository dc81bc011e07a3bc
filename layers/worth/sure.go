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

// sureProbability is what a plain statement is worth: above every limit.
const sureProbability = 0.995

// plainly are the expressions of sure.txt, one for each of Layers, and what
// unmakes them.
type plainly struct {
	layers [len(Layers)]*regexp.Regexp
	but    *regexp.Regexp
}

var plain = sync.OnceValue(func() plainly {
	p, err := parseSure(sureFile)
	if err != nil {
		panic(fmt.Errorf("sure.txt: %w", err))
	}
	return p
})

// sureLead is what may stand before a plain statement.
const sureLead = `^(?:(?:and|but|also|please|well|so|oh|yes|yeah|ok|okay|hi|hey|hello|btw|actually|by the way|in general|sure|pls|remember|remember that|记住|请|对了|另外|还有|其实|嗯|好)[ ,:，。]+|请)*`

func parseSure(file string) (p plainly, err error) {
	lines := map[string][]string{}
	for i, line := range strings.Split(file, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, expression, ok := strings.Cut(line, ": ")
		if !ok || name != "but" && !slices.Contains(Layers[:], storage.Layer(name)) {
			return p, fmt.Errorf("line %d: %q does not begin with a layer", i+1, line)
		}
		expression = text.Simplified(expression) // as what it is held against
		if _, err := regexp.Compile(expression); err != nil {
			return p, fmt.Errorf("line %d: %w", i+1, err)
		}
		lines[name] = append(lines[name], expression)
	}
	for i, layer := range Layers {
		if all := lines[string(layer)]; len(all) > 0 {
			p.layers[i] = regexp.MustCompile(sureLead + "(?:" + strings.Join(all, "|") + ")")
		}
	}
	p.but = regexp.MustCompile(strings.Join(lines["but"], "|"))
	return p, nil
}

// raise lifts the scores of the layers that a sentence says plainly.
func (p *plainly) raise(s string, z Scores) Scores {
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
	p := plain()
	z := p.raise(s, Scores{})
	for i := range z {
		if z[i] > 0 {
			out = append(out, Layers[i])
		}
	}
	return out
}
