package structure

import (
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// togethers are sentences that say one thing of the speaker and of another person:
// "My wife and I both work at Siemens", 我和同事都在腾讯上班. Groups: who the other is, and
// what is said of both.
var togethers = map[string][]*lazy.Regexp{
	"en": {
		lazy.MustCompile(`(?i)^(?:both )?(?P<who>` + togetherWho + `) and (?:i|me)(?: both| all| each)? (?P<what>.+)$`),
		lazy.MustCompile(`(?i)^(?:both )?(?:i|me) and (?P<who>` + togetherWho + `)(?: both| all| each)? (?P<what>.+)$`),
	},
	"zh": {
		lazy.MustCompile(`^(?:我|俺|咱)(?:和|跟|与|同)(?P<who>我?的?` + togetherWhoZh + `?)(?:俩|两个人?|两人|二人|们)?(?:现在)?(?:都|也都|全都|均)(?P<what>.+)$`),
		lazy.MustCompile(`^(?P<who>我?的?` + togetherWhoZh + `?)(?:和|跟|与)我(?:俩|两个人?|两人|二人)?(?:现在)?(?:都|也都|全都|均)(?P<what>.+)$`),
	},
	japaneseCode: {
		lazy.MustCompile(`^(?:私|僕|俺|わたし|うち)と(?P<who>` + togetherWhoJa + `)は、?(?:(?:二人|2人|両方|どちら)とも|ともに|共に|どちらも|みんな|一緒に)?、?(?P<what>.+)$`),
		lazy.MustCompile(`^(?P<who>` + togetherWhoJa + `)と(?:私|僕|俺|わたし|うち)は、?(?:(?:二人|2人|両方|どちら)とも|ともに|共に|どちらも|みんな|一緒に)?、?(?P<what>.+)$`),
		lazy.MustCompile(`^(?P<who>` + togetherWhoJa + `)も(?:私|僕|俺|わたし|うち)も、?(?P<what>.+)$`),
		lazy.MustCompile(`^(?:私|僕|俺|わたし|うち)も(?P<who>` + togetherWhoJa + `)も、?(?P<what>.+)$`),
	},
}

const (
	togetherWho   = `(?:my|our) [a-z]+(?:-[a-z]+)?(?: (?-i:\p{Lu}\p{Ll}+))?|(?-i:\p{Lu}\p{Ll}+)`
	togetherWhoZh = `(?:\p{Han}{1,5}|[A-Z][a-z]+)`
	togetherWhoJa = `[^、。はがもをに ]{1,8}`
)

// together takes a sentence apart that says one thing of the speaker and of another:
// the speaker's part comes first, the other's where he is one person who can be named.
func (l *language) together(in *Input) []Part {
	s := strings.Trim(strings.TrimSpace(in.Text), edges)
	for _, re := range togethers[l.code] {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		who, what := groupOf(re, m, "who"), groupOf(re, m, "what")
		mine, ok := l.says(in, l.speaking(""), what)
		if !ok || mine.Entity != in.speaker() || own[mine.Attribute] || mine.Ended || mine.None {
			return nil
		}
		out := []Part{mine}
		if other, ok := l.says(in, l.speaking(who), what); ok && !plural.MatchString(who) && other.Attribute == mine.Attribute && other.Value == mine.Value && other.Entity != mine.Entity && other.Entity != project {
			out = append(out, other)
		}
		return out
	}
	return nil
}

// togetherIn is together for a text of one sentence that is to be taken at its word.
func togetherIn(in *Input) []Part {
	l := languageOf(in.Text)
	if l == nil || len(in.Text) > maxText || !l.sincere(in.Text) || l.asks(in.Text) || len(text.Sentences(in.Text)) != 1 {
		return nil
	}
	return l.together(in)
}

// plural matches others of whom there are several.
var plural = lazy.MustCompile(`(?i)[^s]s$|^(?:my|our) (?:family|team|parents|friends|kids|children)$|们$|家人|父母|爸妈|同事们|両親|家族|同僚たち`)

// speaking is how words speak of somebody; "": of the speaker.
func (l *language) speaking(who string) string {
	switch {
	case who == "" && l.code == japaneseCode:
		return "私は"
	case who == "":
		return l.self()
	case l.code == japaneseCode:
		return who + "は"
	case !l.spaced && !strings.HasPrefix(who, "我") && l.begins("relation", who):
		return "我" + who
	}
	return who
}

// says returns what is said of both as said of one, with its words.
func (l *language) says(in *Input, who, what string) (Part, bool) {
	if l.spaced {
		verb, rest, _ := strings.Cut(eachOf.ReplaceAllString(what, "$1 "), " ")
		who, what = upperFirst(who)+" ", strings.TrimSpace(agreeing(strings.ToLower(verb), who != "I")+" "+rest)
	}
	words := l.sentenceOf(who + what)
	st, ok := l.alone(in, words)
	return Part{st, words}, ok
}

// eachOf matches a word behind the verb that says that it is of both.
var eachOf = lazy.MustCompile(`(?i)^(are|were|have) (?:both|all|each) `)

// agreeing is the form of a verb of many that goes with one.
func agreeing(verb string, third bool) string {
	switch {
	case verb == "are" && third:
		return "is"
	case verb == "are":
		return "am"
	case verb == "were":
		return "was"
	case !third || strings.HasSuffix(verb, "ed") || verb == "can" || verb == "grew" || verb == "went" || verb == "used":
		return verb
	case verb == "have":
		return "has"
	case strings.HasSuffix(verb, "y") && !strings.HasSuffix(verb, "ay") && !strings.HasSuffix(verb, "oy"):
		return strings.TrimSuffix(verb, "y") + "ies"
	case strings.HasSuffix(verb, "ch") || strings.HasSuffix(verb, "sh") || strings.HasSuffix(verb, "s") || strings.HasSuffix(verb, "o"):
		return verb + "es"
	}
	return verb + "s"
}
