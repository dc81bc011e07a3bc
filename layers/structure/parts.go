package structure

import (
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/layers/slot"
)

// Part is one of the statements of a sentence, and words that say it alone.
type Part struct {
	Statement
	Text string
}

// maxParts is the most clauses that a sentence is taken apart into, and the most
// statements: one with more of them lists something else.
const maxParts = 6

// Parts takes a sentence that states several things apart, each in words that
// stand alone. It returns nil where the sentence states one thing, or where one
// of its clauses is not understood: then its words would get lost.
//
//	"I'm a nurse and live in Utrecht."  ──>  "I'm a nurse." · "I live in Utrecht."
//	我女儿叫朵朵，今年五岁。               ──>  我女儿叫朵朵。 · 我女儿今年五岁。
//	"I have two kids, Mia and Leo."     ──>  children · Mia, children · Leo
func Parts(in Input) []Part {
	in, slips := amend(in)
	l := languageOf(in.Text)
	sentences := text.Sentences(in.Text)
	if l == nil || slips == muddled || len(in.Text) > maxText || len(sentences) != 1 || !l.sincere(in.Text) || l.asks(in.Text) {
		return nil
	}
	s := l.sentence(&in, sentences[0])
	if s.reason != "" || len(s.whole.text) == 0 || l.begins("subordinate", s.whole.text) {
		return nil
	}
	if out := l.together(&in); len(out) > 1 {
		return out
	}
	if out := l.echoed(&in, s); out != nil {
		return out
	}
	var out []Part
	for _, piece := range l.pieces(&in, s) {
		for _, words := range l.facets(&in, piece) {
			found := l.itemised(&in, words)
			if len(found) == 0 {
				return nil
			}
			for i := range found {
				in = *in.after(&found[i].Statement)
			}
			out = append(out, found...)
		}
	}
	if len(out) < 2 || len(out) > maxParts || contradict(out) {
		return nil
	}
	return out
}

// contradict reports whether parts give one slot several values: an ending and
// what follows it are one statement, two cities are none.
func contradict(parts []Part) bool {
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			same := a.Entity == b.Entity && a.Attribute == b.Attribute
			if same && (!slot.Canonical(a.Attribute).Multi || strings.EqualFold(a.Value, b.Value)) {
				return true
			}
		}
	}
	return false
}

// apart reports whether parts state different things, so that a record of one
// slot would take the others along when it ends.
func apart(parts []Part) bool {
	for i, a := range parts {
		for _, b := range parts[i+1:] {
			taste := a.Layer == b.Layer && a.Category == preference && b.Category == preference
			if a.Entity != b.Entity || a.Attribute != b.Attribute && !taste && !sides[[2]string{a.Attribute, b.Attribute}] {
				return true
			}
		}
	}
	return false
}

// alone parses words that are to say one thing.
func (l *language) alone(in *Input, words string) (Statement, bool) {
	one := *in
	one.Text = words
	st, ok := parse(one)
	return st, ok && st.Attribute != ""
}

// pieces returns the clauses of a sentence as sentences of their own. What is
// none by itself stays with the clause before it.
func (l *language) pieces(in *Input, s *sentence) []string {
	cuts := l.cuts(s.whole)
	if len(cuts) > maxParts {
		return nil
	}
	head := l.heading(s)
	var out []string
	start := cuts[0]
	last := in.Text[start.Start:start.End]
	for _, at := range cuts[1:] {
		known := in
		if l.contains("too", in.Text[at.Start:at.End]) {
			if st, ok := l.alone(in, l.sentenceOf(last)); ok {
				known = in.after(&st)
			}
		}
		words, ok := l.standing(known, s, at, head, in.Text[start.Start:at.Start])
		if !ok || !l.ends(in, last, in.Text[start.End:at.End]) {
			last += in.Text[min(start.End, at.Start):at.End]
			start.End = at.End
			continue
		}
		out = append(out, l.sentenceOf(last))
		in, last, start = known, words, at
	}
	return append(out, l.sentenceOf(last))
}

// ends reports whether a statement ends before what follows it: a pet is not
// named by its kind where its name comes next (养了一条柯基，名字叫豆包).
func (l *language) ends(in *Input, words, next string) bool {
	st, ok := l.alone(in, l.sentenceOf(words))
	if !ok {
		return false
	}
	both, ok := l.alone(in, l.sentenceOf(words+next))
	return !ok || both.Attribute != st.Attribute || both.Value == st.Value || !strings.Contains(next, both.Value)
}

// conjunction matches what may part two statements.
var conjunction = lazy.MustCompile(`(?i)^(?:(?: ?[,;]| ?-)? (?:and|but|while|plus) (?:also )?| ?[,;] )`)

// zhConjunction is conjunction for Chinese.
var zhConjunction = lazy.MustCompile(`^(?:[，；。]?(?:而且|并且|同时)|[，；。])`)

// cuts returns the stretches of the text between what may part statements.
func (l *language) cuts(c *clause) []text.Span {
	var out []text.Span
	begin := 0
	add := func(end int) {
		begin, end := l.inner(c, begin, end)
		if begin < end {
			out = append(out, text.Span{Start: c.span[begin].Start, End: c.span[end-1].End})
		}
	}
	for i, r := range c.text {
		switch {
		case i < begin:
		case !l.spaced:
			if n := len(l.unspacedConjunction().FindString(c.text[i:])); n > 0 {
				add(i)
				begin = i + n
			}
		case strings.ContainsRune(" ,;:-", r):
			if n := len(conjunction.FindString(c.text[i:])); n > 0 {
				add(i)
				begin = i + n
			}
		}
	}
	add(len(c.text))
	if len(out) == 0 {
		out = []text.Span{{Start: c.span[0].Start, End: c.span[len(c.span)-1].End}}
	}
	return out
}

// heading is how a sentence begins: what its further clauses may leave out.
type heading struct {
	words string // in the text
	who   string // me, we, they
}

// heading returns the subject of a sentence, its longest reading; none: no words.
func (l *language) heading(s *sentence) (h heading) {
	in := l.reading(s, s.whole, s.at.Start, s.at.End)
	if in == nil {
		return h
	}
	begin := in.c.span[0].Start
	for _, sub := range in.subjects {
		who, owned := strings.CutSuffix(sub.who, "'s")
		words := strings.TrimSpace(s.in.Text[begin:sub.rest.span[0].Start])
		switch {
		case owned && who == "me" && h.words == "":
			h = heading{l.self(), "me"}
		case owned || who == "they" && !sub.agrees:
		case h.who != "they" && who == "they", h.who == who && len(words) > len(h.words), h.words == "":
			if l.suffix("adverb", words) == 0 {
				h = heading{words, who}
			}
		}
	}
	return h
}

// self is how a speaker names himself.
func (l *language) self() string {
	switch {
	case l.spaced:
		return "I"
	case l.code == japaneseCode:
		return "" // who is spoken of is left out
	}
	return "我"
}

// auxiliary matches what would hold for a further clause without a subject too:
// "I used to live in Kyiv and work at Initech" says not where one works.
var auxiliary = lazy.MustCompile(`(?i)\b(?:used to|will|would|can|could|should|might|may|must|not|never|no|longer|had|stopped|quit)\b|n't|'(?:ll|d)\b|\bto (?-i:[a-z])|以前|之前|过去|曾|从前|原来|小时候|当年|[想要会将]|打算|准备|计划|不再|希望`)

// pronouns stand for the subject of the clause before.
var pronouns = lazy.MustCompile(`(?i)^(?:he|she|他|她)('s)?\b?`)

// standing returns a further clause as words that stand alone, and whether they
// state something. What it leaves out is taken from the heading.
func (l *language) standing(in *Input, s *sentence, at text.Span, head heading, before string) (string, bool) {
	words := in.Text[at.Start:at.End]
	c := s.whole.within(at.Start, at.End)
	if c == nil {
		return "", false
	}
	if skip := l.skipOpening(c, 0); skip > 0 && skip < len(c.text) {
		words = in.Text[c.span[skip].Start:at.End]
	}
	var tries []string
	r := l.reading(s, s.whole, at.Start, at.End)
	pronoun := pronouns.FindString(words)
	had := possession.FindString(before)
	switch {
	case l.code == japaneseCode && r != nil && len(r.subjects) > 0 && !r.subjects[0].left:
		tries = []string{words}
	case l.spaced && had != "" && another.MatchString(words):
		tries = []string{had + " " + words}
	case l.code == "zh" && l.begins("relation", words):
		if head.who != "they" || child.MatchString(words) && family.MatchString(head.words) {
			tries = []string{l.self() + words}
		}
	case pronoun != "" && head.who == "they":
		tries = []string{head.words + l.gap(pronoun) + words[len(strings.TrimSuffix(pronoun, "'s")):]}
	case pronoun != "":
	case r != nil && len(r.subjects) > 0 && l.owns(r):
		tries = []string{words}
	case l.introduces(head.who, before):
	case head.words != "" && !auxiliary.MatchString(before):
		tries = []string{head.words + l.gap("") + words}
		if head.who != "they" {
			tries = append(tries, words)
		}
	case head.who != "they":
		tries = []string{words}
	}
	for _, words := range tries {
		if _, ok := l.alone(in, l.sentenceOf(words)); ok {
			return words, true
		}
	}
	return "", false
}

var (
	possession = lazy.MustCompile(`(?i)^.*?\b(?:have|has|got|own|owns)\b`)
	another    = lazy.MustCompile(`(?i)^(?:an?|one|two|three|four) `)
	// The children of a child of mine are not meant, and those of my wife are mine.
	child  = lazy.MustCompile(`^(?:[大小]?(?:女儿|儿子)|闺女|[老][大二三]|二宝|大宝)`)
	family = lazy.MustCompile(`(?:女儿|儿子|闺女|老婆|妻子|太太|媳妇|爱人|老公|丈夫)$`)
)

// introduces reports whether Chinese words bring in somebody whom the next clause
// may be about without saying so: 我有个女儿，今年五岁 tells her age.
func (l *language) introduces(who, before string) bool {
	bringsIn := strings.ContainsAny(before, "有养生叫")
	if l.code == japaneseCode {
		bringsIn = broughtIn.MatchString(before)
	}
	return !l.spaced && !strings.HasPrefix(who, "they") && bringsIn &&
		(l.contains("relation", before) || l.contains("animal", before))
}

// owns reports whether a clause has a subject of its own: in English one that its
// verb agrees with.
func (l *language) owns(r *reading) bool {
	return slices.ContainsFunc(r.subjects, func(s subject) bool { return !s.left && (s.agrees || !strings.HasPrefix(s.who, "they")) })
}

// gap is what stands between a subject and its predicate.
func (l *language) gap(pronoun string) string {
	if !l.spaced || pronoun != "" {
		return ""
	}
	return " "
}

// sentenceOf writes words as a sentence.
func (l *language) sentenceOf(words string) string {
	words = strings.Trim(words, edges)
	if words == "" {
		return ""
	}
	switch {
	case l.code == japaneseCode:
		return finite(words) + "。"
	case !l.spaced:
		return words + "。"
	}
	if words[0] >= 'a' && words[0] <= 'z' {
		words = strings.ToUpper(words[:1]) + words[1:]
	}
	return words + "."
}
