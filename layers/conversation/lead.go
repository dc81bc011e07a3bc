package conversation

import (
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

// maxLead bounds what Lead returns, in bytes.
const maxLead = 400

// Lead returns what was said just before a sentence that may tell whom it speaks of:
// what its turn says before it, after what its speaker said in the turn before and
// what he was asked since.
func (t *Talk) Lead(s *Sentence) string {
	if s.Turn >= len(t.Turns) || s.Start > len(t.Turns[s.Turn].Content) {
		return ""
	}
	own := t.Turns[s.Turn].Content[:s.Start]
	if len(own) >= maxLead {
		return tail(own, maxLead)
	}
	lead := t.asked(s.Turn)
	if lead != "" {
		lead += "\n"
	}
	return tail(lead+own, maxLead)
}

// asked returns what a turn may answer or go on from: the question at the end of the
// turn before it if another spoke there, and what the same speaker said before that.
func (t *Talk) asked(turn int) string {
	var said []string
	for i := turn - 1; i >= 0 && i >= turn-2; i-- {
		before := &t.Turns[i]
		if before.Role == t.Turns[turn].Role && before.Name == t.Turns[turn].Name {
			said = append(said, before.Content)
			break
		}
		if q := lastQuestion(before.Content); q != "" {
			said = append(said, q)
		}
	}
	if len(said) == 2 {
		return said[1] + "\n" + said[0]
	}
	return strings.Join(said, "\n")
}

// lastQuestion returns the last sentence of a text if it asks, else "".
func lastQuestion(s string) string {
	all := text.Sentences(s)
	if len(all) == 0 {
		return ""
	}
	last := strings.TrimSpace(s[all[len(all)-1].Start:all[len(all)-1].End])
	if strings.HasSuffix(last, "?") || strings.HasSuffix(last, "？") || strings.HasSuffix(strings.TrimRight(last, "。"), "か") {
		return last
	}
	return ""
}

// tail returns the end of a text, of at most n bytes.
func tail(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return s[at:]
}
