package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/conversation"
)

var (
	// dangling matches a sentence whose subject is named only by a pronoun.
	dangling = lazy.MustCompile(`(?i)^\W*(?:and |but |so |because |then |yes,? |no,? )*(?:he|she|they|it|this|that|these|those|his|her|their|its)(?:'s|'re|'d|'ll|'ve|\b)|^(?:而且|但|但是|所以|因为|然后|不过)*(?:他|她|它|他们|她们|它们|这个|那个|这是|那是|这样|那样)`)

	// named matches a person or thing that a text names: a relation, or a word with
	// a capital letter inside it.
	named = lazy.MustCompile(`\p{Ll}[,.:;]? \p{Lu}\p{Ll}|(?i:\bmy \w+|\bour \w+|\bthe \w+)`)
	// clauseZh matches a clause after the first that names what it is about: 合同的金额.
	clauseZh = lazy.MustCompile(`[，：；](?:现在|把|所以|但)?[^他她它我你这那其，：；。的]{2,8}的\p{Han}{1,6}(?:是|为|改|由|在|定|现在|必须|要|不|提|降|增|减|追加)`)
)

// alone returns a passage's text as it can be read without the conversation, or
// why that cannot be. A subject that is a pronoun is looked for in what the
// speaker stated before. What goes along with its talk is kept as it was said,
// among its neighbours.
func (e *extraction) alone(p *passage) (text, why string) {
	text = p.text
	if stripped := conversation.WithoutRequest(text); stripped != text {
		text = upperFirst(stripped)
	}
	if p.statement != nil || p.along || !dangling.MatchString(text) {
		return text, ""
	}
	if before := e.before(p); before >= 0 {
		lead := collapse(e.Talk.Sentences[before].Words())
		if len(lead)+len(text) < maxPassage && !dangling.MatchString(lead) {
			p.sentences = append([]int{before}, p.sentences...)
			return strings.TrimRight(lead, " ,，") + joint(lead) + text, ""
		}
	}
	if named.MatchString(text) || clauseZh.MatchString(text) {
		return text, ""
	}
	return "", "says of whom or what only by a pronoun"
}

// before returns the sentence that the speaker stated before the passage in the
// same turn, -1 for none.
func (e *extraction) before(p *passage) int {
	first := p.sentences[0]
	if first == 0 {
		return -1
	}
	s := e.Talk.Sentences[first-1]
	if s.Turn != e.Talk.Sentences[first].Turn || s.Kind != conversation.Stated {
		return -1
	}
	return first - 1
}

// joint is what stands between a sentence and the next: nothing after an end that
// is wide.
func joint(lead string) string {
	if strings.HasSuffix(lead, "。") || strings.HasSuffix(lead, "！") || strings.HasSuffix(lead, "？") {
		return ""
	}
	return " "
}

// joined writes sentences one after the other, and ends those that have no end,
// such as an answer that is said with its question.
func joined(sentences []string) string {
	var b strings.Builder
	for i, s := range sentences {
		b.WriteString(s)
		if i+1 == len(sentences) {
			break
		}
		switch r, _ := utf8.DecodeLastRuneInString(s); {
		case unicode.Is(unicode.Han, r):
			b.WriteString("。")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteString(". ")
		default:
			b.WriteString(joint(s))
		}
	}
	return b.String()
}

func upperFirst(s string) string {
	if s[0] >= 'a' && s[0] <= 'z' {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// reason matches what a sentence gives as the reason of what it says.
var reason = lazy.MustCompile(`(?i)\b(?:because(?: of)?|since i|due to|owing to|on account of)\s+([^.;!?]{3,200})|(?:因为|由于)([^。；！？，]{2,60})`)

// reasonIn returns the reason that a text gives, "" for none.
func reasonIn(text string) string {
	m := reason.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1] + m[2])
}
