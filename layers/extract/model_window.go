package extract

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/layers/llm"
)

// excerpt is a turn, or a part of a long one, as a model is shown it.
type excerpt struct {
	turn    int // its index
	text    string
	context bool // shown for the others' sake only
}

// window is a piece of a conversation that goes into one prompt.
type window []excerpt

const (
	// windowTokens bounds a piece: with instructions and an answer it fits a small
	// model's context of 8,192 tokens for most answers.
	windowTokens = 4000
	// contextTokens bounds what is shown of a turn for the sake of the next.
	contextTokens = 200
	// leastWindow is not cut in halves any more.
	leastWindow = 400
)

// windowsOf cuts a conversation into pieces.
func windowsOf(in *ModelInput) []window {
	var all []window
	var now window
	size := 0
	for _, e := range excerpts(in) {
		n := llm.CountTokens(e.text)
		if size > 0 && size+n > windowTokens {
			all, now, size = append(all, now), lead(in, e), 0
		}
		now = append(now, e)
		size += n
	}
	if len(now) > 0 {
		all = append(all, now)
	}
	return slices.DeleteFunc(all, window.onlyContext)
}

func (w window) onlyContext() bool {
	return !slices.ContainsFunc(w, func(e excerpt) bool { return !e.context })
}

// excerpts are the turns to show: those picked, in parts where they are long, and the
// one before each.
func excerpts(in *ModelInput) []excerpt {
	var all []excerpt
	last := -1
	for _, i := range picked(in) {
		if i > 0 && i-1 > last {
			all = append(all, contextOf(in, i-1))
		}
		for _, part := range parts(in.Talk.Turns[i].Content, windowTokens) {
			all = append(all, excerpt{turn: i, text: part})
		}
		last = i
	}
	return all
}

// picked are the indexes to extract from, those that exist, in order, once.
func picked(in *ModelInput) []int {
	var all []int
	for i := range in.Talk.Turns {
		blank := strings.TrimSpace(in.Talk.Turns[i].Content) == ""
		if !blank && (in.Pick == nil || slices.Contains(in.Pick, i)) {
			all = append(all, i)
		}
	}
	return all
}

func contextOf(in *ModelInput, i int) excerpt {
	text := in.Talk.Turns[i].Content
	if all := parts(text, contextTokens); len(all) > 1 {
		text = "… " + all[len(all)-1]
	}
	return excerpt{turn: i, text: text, context: true}
}

// lead begins a new piece: with the turn before, unless it goes on in a turn's middle.
func lead(in *ModelInput, next excerpt) window {
	if next.context || next.turn == 0 {
		return nil
	}
	return window{contextOf(in, next.turn-1)}
}

// halves are the two halves of a piece, or nil where it is small.
func (w window) halves() []window {
	size := 0
	for _, e := range w {
		size += llm.CountTokens(e.text)
	}
	if size <= leastWindow {
		return nil
	}
	var first, second window
	sum := 0
	for _, e := range w {
		n := llm.CountTokens(e.text)
		switch {
		case e.context && sum < size/2, sum+n <= size/2:
			first = append(first, e)
		case sum >= size/2:
			second = append(second, e)
		default: // the middle lies in this one
			cut := parts(e.text, max(size/2-sum, 1))
			first = append(first, excerpt{e.turn, cut[0], e.context})
			second = append(second, excerpt{e.turn, strings.TrimPrefix(e.text, cut[0]), e.context})
		}
		sum += n
	}
	return slices.DeleteFunc([]window{first, second}, window.onlyContext)
}

// breaks are where a long text is best cut, the best first.
var breaks = []string{"\n\n", "\n", "。", "！", "？", ". ", "! ", "? ", " "}

// parts cuts a text into pieces of about so many tokens at most, at the borders of
// paragraphs, sentences or words.
func parts(text string, tokens int) []string {
	var all []string
	for llm.CountTokens(text) > tokens {
		n := fitting(text, tokens)
		n = lastBreak(text, n)
		all = append(all, text[:n])
		text = text[n:]
	}
	if text != "" || len(all) == 0 {
		all = append(all, text)
	}
	return all
}

// fitting is how many bytes of a text take so many tokens, at least one character.
func fitting(text string, tokens int) int {
	quarters := 4 * tokens
	for i, r := range text {
		if r >= '\u2e80' {
			quarters -= 4
		} else {
			quarters--
		}
		if quarters < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// lastBreak is the end of the last break in the second half of the first n bytes,
// else n.
func lastBreak(text string, n int) int {
	half := n / 2
	for half > 0 && !utf8.RuneStart(text[half]) {
		half--
	}
	for _, b := range breaks {
		if i := strings.LastIndex(text[half:n], b); i >= 0 {
			return half + i + len(b)
		}
	}
	return n
}

// saidAt is when a turn was said; zero where nobody knows.
func (in *ModelInput) saidAt(turn int) time.Time {
	if t := in.Talk.Turns[turn].Time; !t.IsZero() {
		return t
	}
	return in.ObservedAt
}
