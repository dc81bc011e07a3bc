package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// How a sentence gives something of a common work a budget: "the budget of the
// canteen is 46,000 euros", 食堂的预算追加到52万元. What stands before a colon only
// leads up to it.
var (
	budgetOf = lazy.MustCompile(`(?i)^(?:(?:ok|okay|so|and|but|then|well|also|now|update|note)\b[, ]*)*(?:the|our) (?:new |current |total |overall |whole |agreed )*budget (?:of|for) (?:the |our )?([\p{L}' -]{3,30}?) ` + amountVerb + amount)
	budgetIs = lazy.MustCompile(`(?i)^(?:(?:ok|okay|so|and|but|then|well|also|now|update|note)\b[, ]*)*(?:the|our) ([\p{L} -]{3,30}?)(?:'s|’s)? budget ` + amountVerb + amount)
	budgetZh = lazy.MustCompile(`^(?:那|好的?|所以|对了|另外|，)*([^的，。：；我你他她它这那其]{2,8})的(?:总)?预算(?:现在|目前|已经|又|就)*(?:是|为|定为|定在|改为|改成|变成|加到|追加到|增加到|提高到|提到|涨到|降到|减到|压到)(?:了)?((?:约|大约)?[\d.,]+[千万亿]?(?:\d*千)?(?:元|块|欧元|美元)?|[一二两三四五六七八九十百千万]{2,8}(?:元|块|欧元|美元)?)(?:了)?`)

	amountVerb = `(?:is|are|stays at|was raised to|was cut to|has been raised to|has been cut to|went up to|goes up to|is raised to|is cut to|rises to) (?:now )?`
	amount     = `((?:about )?[€$£¥]?\d[\d.,]*\d?(?:k\b| thousand\b| million\b)?(?: (?:euros?|dollars|pounds|francs|eur|usd|gbp|chf)\b)?)`
)

// manyBudgets are words for what there are many of: which one is meant is not sure.
var manyBudgets = lazy.MustCompile(`(?i)^(?:it|this|that|these|them|thing|one|rest|other|new|next|last|whole|total|overall|current|week|month|year|day|trip|event)s?$|^(?:这|那|每|下|上|剩下|新|总|整体|大概|活动)`)

// budget is what a sentence says of something's budget.
type budget struct {
	of, value string
	clause    string // that says it, as a sentence
	rest      string // what else the sentence says, as another; "" for nothing
}

// budgetIn reads a budget out of a sentence.
func budgetIn(s string) (b budget, ok bool) {
	if cut := strings.LastIndexAny(s, ":："); cut >= 0 {
		_, size := utf8.DecodeRuneInString(s[cut:])
		s = s[cut+size:]
	}
	s = strings.TrimSpace(s)
	for _, re := range []*lazy.Regexp{budgetOf, budgetIs, budgetZh} {
		m := re.FindStringSubmatchIndex(s)
		if m == nil {
			continue
		}
		b = budget{of: strings.ToLower(strings.TrimSpace(s[m[2]:m[3]])), value: strings.TrimRight(s[m[4]:m[5]], ".,")}
		end := m[4] + len(b.value)
		b.clause = upperFirst(s[:end]) + stop(s)
		b.rest, ok = goesOn(s[end:])
		return b, ok && !manyBudgets.MatchString(b.of) && len(strings.Fields(b.of)) <= 3
	}
	return b, false
}

// stop is the full stop of a text's script.
func stop(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return "。"
	}
	return "."
}

var andThen = lazy.MustCompile(`^(?i:,? and |; ?|, )((?:we|i|it is|the|our) .+)|^(?:，|；)((?:而且|并且)?.*\p{Han}.+)`)

// goesOn takes what follows a budget for a statement of its own, which it must be if
// it is anything: "46,000 euros, including tax" is not the budget that was read.
func goesOn(after string) (rest string, ok bool) {
	if strings.Trim(after, " .。!！了") == "" {
		return "", true
	}
	m := andThen.FindStringSubmatch(after)
	if m == nil {
		return "", false
	}
	rest = strings.TrimSpace(m[1] + m[2])
	if dangling.MatchString(rest) || hedged.MatchString(rest) {
		return "", false
	}
	return upperFirst(rest), true
}

// hedged matches what a clause takes back of the amount before it, or adds to it.
var hedged = lazy.MustCompile(`(?i)\b(?:including|excluding|without|plus|before|not counting|if|unless|but|maybe|though)\b|含|另算|不算|如果|可能|最多|左右|之内|以内|包括|不包|每|其中|比`)

// budget makes the records of a sentence that gives something a budget, so that a
// later one takes the place of that alone, and not of what else was said with it.
func (e *extraction) budget(turn, i int) (storage.Layer, bool) {
	s := &e.Talk.Sentences[i]
	sure := e.Sentences[i].Settled || e.Sentences[i].Scores.Any() >= e.options.Any
	if s.Open || !sure || !e.extracted(storage.Context) {
		return "", false
	}
	b, ok := budgetIn(collapse(conversation.WithoutRequest(s.Words())))
	if !ok {
		return "", false
	}
	p := e.passage(turn, []int{i})
	p.text, p.score = b.clause, budgetConfidence
	p.statement = &structure.Statement{
		Entity: b.of, Attribute: "budget", Value: b.value,
		Layer: storage.Context, Category: "fact", Confidence: budgetConfidence,
	}
	e.state(turn, i, storage.Context, p)
	if b.rest != "" && e.wants(storage.Context) {
		p := e.passage(turn, []int{i})
		p.text = b.rest
		e.put(storage.Context, p)
	}
	e.apart[i] = true
	return storage.Context, true
}

// budgetConfidence is how sure the budget of a thing is that is named by one word.
const budgetConfidence = 0.85
