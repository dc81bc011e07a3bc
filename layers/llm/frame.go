package llm

import (
	"fmt"
	"strings"
)

// Data frames what is to be read and not obeyed. Tags within, that could end the
// frame or begin another, are broken by a character that is not seen.
func Data(tag, body string) string {
	return "<" + tag + ">\n" + unframed(body) + "\n</" + tag + ">"
}

// frameTags are the frames that prompts use.
var frameTags = []string{"conversation", "memories", "identities", "existing", "related", "previous_answer"}

var unframe = newUnframe()

func newUnframe() *strings.Replacer {
	var pairs []string
	for _, tag := range frameTags {
		pairs = append(pairs, "<"+tag, "<\u200b"+tag, "</"+tag, "<\u200b/"+tag)
	}
	return strings.NewReplacer(pairs...)
}

// unframed keeps a text from ending or beginning a frame.
func unframed(s string) string { return unframe.Replace(s) }

// Utterance is one turn as prompts show it.
type Utterance struct {
	N    int    // its number, by which an answer may name it
	Who  string // "user", "user (Anna)", "assistant"
	When string // "" where it is not known
	Text string
}

// String is one line; further lines of the text are indented, so that no text can
// look like another turn.
func (u Utterance) String() string {
	when := ""
	if u.When != "" {
		when = ", " + u.When
	}
	text := strings.Join(strings.FieldsFunc(u.Text, func(r rune) bool { return r == '\n' || r == '\r' }), "\n    ")
	return fmt.Sprintf("[%d] %s%s: %s", u.N, u.Who, when, text)
}
