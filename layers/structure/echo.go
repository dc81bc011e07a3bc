package structure

import (
	"strings"

	"mcp-memory/internal/lazy"
)

// echoes are sentences and clauses that say of one more person what was just said of
// another: "So do I", "and my sister does too", 我也是. Groups: who, and the verb that
// stands for what was said.
var echoes = map[bool][]*lazy.Regexp{
	true: {
		lazy.MustCompile(`(?i)^(?:(?:and|but|oh|yes|yeah|ha|well)[, ]+)*so (?P<verb>do|does|am|is|are|have|has) (?P<who>` + echoWho + `)$`),
		lazy.MustCompile(`(?i)^(?:(?:and|but|oh|yes|yeah|ha|well)[, ]+)*(?P<who>` + echoWho + `) (?P<verb>do|does|am|is|are|have|has),? (?:too|as well|the same)$`),
		lazy.MustCompile(`(?i)^(?:(?:and|oh|yes|yeah|ha|well)[, ]+)*(?P<who>me|my [a-z]+),? (?:too|as well)$`),
		lazy.MustCompile(`(?i)^(?:(?:and|oh|yes|yeah|ha|well)[, ]+)*same (?:here|with (?P<who>me)|for me|goes for me)$`),
	},
	false: {
		lazy.MustCompile(`^(?:[对嗯哈是啊的]+[，,])?(?P<who>我|` + echoWhoZh + `)(?:也是|也一样|也是一样|同样|也同样如此|也是如此|也是这样)(?:的|啊|呀|呢|哦)?$`),
		lazy.MustCompile(`^(?P<who>我)[和跟与](?:他|她|你|ta)一样的?$`),
	},
}

const (
	echoWho   = `i|(?:my|our) [a-z]+(?: (?-i:\p{Lu}\p{Ll}+))?|(?-i:\p{Lu}\p{Ll}+)`
	echoWhoZh = `(?:我|我的|我们家|我家)?\p{Han}{1,4}`
)

// be matches a form of "to be", which "so am I" takes up.
var be = lazy.MustCompile(`(?i)\b(?:am|is|are)\b|'(?:s|m|re)\b`)

// Echo returns what a sentence says that only says the same of one more person as the
// statement of the sentence before it, and false if it is none. Its words stand alone
// together with that sentence's.
//
//	"My brother works at Acme."  +  "So do I."  ──>  user · employer · Acme
func Echo(in, before Input) (Part, bool) {
	l := languageOf(before.Text)
	if l == nil || len(in.Text)+len(before.Text) > maxText {
		return Part{}, false
	}
	t, ok := l.echoOf(in.Text)
	if !ok {
		return Part{}, false
	}
	st, ok := l.alone(&before, before.Text)
	if !ok || Parts(before) != nil {
		return Part{}, false
	}
	return l.echo(&in, t, &st, before.Text)
}

// taken is what an echo takes up a statement with: who, and the verb.
type taken struct{ who, verb string }

// echoOf reads a sentence or clause as an echo.
func (l *language) echoOf(words string) (taken, bool) {
	s := strings.Trim(strings.TrimSpace(words), edges)
	for _, re := range echoes[l.spaced] {
		if m := re.FindStringSubmatch(s); m != nil {
			return taken{groupOf(re, m, "who"), strings.ToLower(groupOf(re, m, "verb"))}, true
		}
	}
	return taken{}, false
}

// echo returns what an echo says of a statement that some words made.
func (l *language) echo(in *Input, t taken, st *Statement, words string) (Part, bool) {
	if t.verb != "" && (t.verb == "am" || t.verb == "is" || t.verb == "are") != be.MatchString(words) {
		return Part{}, false
	}
	who, ok := l.someone(in, t.who)
	if !ok || who == st.Entity || st.Ended || st.None || own[st.Attribute] || !st.ValidFrom.IsZero() || !st.ValidTo.IsZero() {
		return Part{}, false
	}
	same := *st
	same.Entity, same.Reason, same.Closes, same.Displaces = who, "", nil, nil
	return Part{same, strings.TrimSpace(words) + l.gap("") + strings.TrimSpace(in.Text)}, true
}

// own are attributes that two people do not share in so many words: "My name is Ann.
// Me too" says nothing.
var own = map[string]bool{"name": true, "birthday": true, "phone": true, "email": true, "wife": true, "husband": true, "partner": true, "children": true}

// someone returns the entity that words name.
func (l *language) someone(in *Input, who string) (string, bool) {
	switch strings.ToLower(who) {
	case "", "i", "me", "我":
		return in.speaker(), true
	}
	one := *in
	if one.Text = who + "住在巴黎。"; l.spaced {
		one.Text = who + " lives in Paris."
	}
	st, ok := parse(one)
	return st.Entity, ok && st.Attribute == "home city" && st.Entity != in.speaker() // "my company" is not the speaker
}

// echoed takes a sentence apart that ends in an echo: 我哥在腾讯工作，我也是.
func (l *language) echoed(in *Input, s *sentence) []Part {
	cuts := l.cuts(s.whole)
	if len(cuts) < 2 {
		return nil
	}
	last := cuts[len(cuts)-1]
	t, ok := l.echoOf(in.Text[last.Start:last.End])
	if !ok {
		return nil
	}
	head, tail := *in, *in
	head.Text, tail.Text = l.sentenceOf(in.Text[s.at.Start:cuts[len(cuts)-2].End]), in.Text[last.Start:last.End]
	st, ok := l.alone(&head, head.Text)
	if !ok {
		return nil
	}
	part, ok := l.echo(&tail, t, &st, head.Text)
	if !ok {
		return nil
	}
	part.Text = strings.TrimSpace(in.Text[s.at.Start:s.at.End])
	return []Part{{st, head.Text}, part}
}
