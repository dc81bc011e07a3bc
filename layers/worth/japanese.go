package worth

import (
	"strings"
	"unicode"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// japanese reports whether a text is Japanese, of which the classifier of words has learned nothing: what it
// sees there is what kanji mean in Chinese, and names and numbers.
func japanese(s string) bool { return strings.ContainsFunc(s, isKana) }

func isKana(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }

// Of Japanese the classifier counts only where it is sure, and of sentences alone:
// what the structurer reads and what sure_ja.txt matches tells the rest.
const (
	sureOfJapanese = 0.8
	doubtful       = 0.3 // the share of a lower score that is left
)

// doubted lowers what the classifier thinks of a unit of Japanese.
func (u *unit) doubted(z Scores) Scores {
	if !japanese(u.text) {
		return z
	}
	for i := range z {
		if u.sentence < 0 || z[i] < sureOfJapanese {
			z[i] *= doubtful
		}
	}
	return z
}

// The limits of what is told by meaning alone where no rule reads a sentence of
// Japanese: of its likeliest layer, of any further one, and of
// any layer. With them nothing is kept of what holds nothing in seen_ja.jsonl and
// seen_ja_2.jsonl of ../gatekeeper/testdata, where words have told what supposes, asks
// or plays.
const (
	unreadGate    = 0.35
	unreadFurther = 0.6
	unreadLimit   = 0.7
)

// unread lifts the scores of a unit of Japanese that no rule reads, and of which
// words alone tell nothing, where its meaning does.
func (j *Judgement) unread(u unit, scores Scores, vector []float32) Scores {
	if len(vector) == 0 || !japanese(u.text) || j.open(scores) || passing(u.text) {
		return scores
	}
	z := foreign().score(japaneseCode, vector)
	best, top := z.Best()
	if top < unreadGate || z.Any() < unreadLimit {
		return scores
	}
	for i, layer := range Layers {
		if layer == best || z[i] >= unreadFurther {
			scores[i] = max(z[i], j.Limits.Any, j.Limits.Gate[i])
		}
	}
	j.meant(u, z)
	return scores
}

const japaneseCode = "ja"

// open reports whether scores reach the limits of a record.
func (j *Judgement) open(s Scores) bool {
	if s.Any() < j.Limits.Any {
		return false
	}
	for i := range s {
		if s[i] >= j.Limits.Gate[i] {
			return true
		}
	}
	return false
}

// passing reports whether a sentence is of the moment, of many or of nobody known, as
// sure_ja.txt has it.
func passing(s string) bool { return plainJapanese().but.MatchString(text.Fold(s)) }

// due matches a day until which something has to be done: no event is at it.
var due = lazy.MustCompile(`まで(?:に|の)?.{0,30}(?:ないと|なきゃ|なければ|なくちゃ|必要|提出|終わら|仕上げ|完成)`)
