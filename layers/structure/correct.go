package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/slot"
)

// Correction is what a sentence puts right of one said before: "Sorry, I meant
// Lyon, not Paris".
type Correction struct {
	New string
	Old string // what it was taken for; "" where that is not said

	// Plain says that the words alone do not tell a correction from an answer or a
	// remark ("Actually, it's blue"): only what was said just before makes it one.
	Plain bool
	// Terse says that they are no more than a value, beside what it is not or a word
	// for a slip: they are of what was said last, or of nothing.
	Terse bool
	// Bare says that nothing in the words owns to a slip: "It's Lyon, not Lille".
	Bare bool
}

// Words of the expressions: what owns to a slip, and what only may.
const (
	slip    = `(?:no|oh|sorry|oops|whoops|wait|hang on|hold on|correction|my mistake|my bad|i misspoke|i mistyped|i was wrong|i made a mistake|that's wrong|scratch that|strike that|typo|i mean|i meant)`
	turns   = `(?:actually|well|in fact|on second thought)`
	again   = `(?:no,? wait|wait,? no|no,? actually|actually,? no|no,? sorry|sorry,? no|correction|scratch that|strike that|typo|(?:my mistake|my bad|i misspoke|i mistyped) ?[:-])` // before a name or a number, which takes the place of what was said
	whose   = `(?:(?:my|his|her|its|their|our|the) [a-z]+(?: [a-z]+)? (?:is|was|are|should be)|it's|it is|that's) `
	slipZh  = `(?:不对|说错了?|打错字?了?|写错了?|记错了?|弄错了?|搞错了?|更正一?下?|纠正一?下?|口误|当我没说|哦不|啊不|不好意思|抱歉|对不起)`
	wrote   = `(?:我?(?:刚才|刚刚)?(?:说错|打错|写错|记错|弄错|搞错)字?了?|更正一?下?|纠正一?下?|口误)`
	slipJa  = `(?:あ|あっ|いや|いえ|いいえ|すみません|すいません|ごめん|ごめんなさい|失礼|失礼しました|申し訳ありません|(?:言い|書き|打ち)?間違え(?:ました|た|てました|ていました)|(?:言い|書き|打ち)?間違い(?:です|でした)|勘違い(?:でした|です|してました|していました)|訂正(?:します|です|させてください)?|違(?:います|いました|った|う)|誤字(?:です|でした))`
	wroteJa = `(?:(?:言い|書き|打ち)?間違え(?:ました|た|てました|ていました)|(?:言い|書き|打ち)?間違い(?:です|でした)|勘違い(?:でした|です|してました|していました)|訂正(?:します|です|させてください)?|違いました|違った|誤字(?:です|でした))`
	notJa   = `(?:じゃなくて|ではなくて|じゃなく|ではなく|でなく)`
	endJa   = `(?:の(?:間違い|誤り|ほう|方))?(?:です|でした|だ|だった|だよ|だね|ですね|ですよ)?`
)

// corrections are how something said before is put right. Groups: new, old; plain
// is one of "turns", which a slip may stand in for.
var corrections = []*lazy.Regexp{
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|` + turns + `)[,;:.! -]+)*(?:i meant|i mean|make (?:that|it)|it should (?:be|say|have been)) (?:to say )?(?P<new>[^,;]+?)(?:[,;]? (?:and )?not (?P<old>[^,;]+?))?$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|(?P<plain>` + turns + `))[,;:.! -]+)+(?:it's|it is|that's|that is|it was|that was|they're|they are) (?P<new>[^,;]+?)(?:[,;]? (?:and )?not (?P<old>[^,;]+?))?$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|` + turns + `)[,;:.! -]+)+(?:` + whose + `)?(?P<new>[^,;]+?), not (?P<old>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?P<bare>it's|it is|that's|it was) (?P<new>[^,;]+?), not (?P<old>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|` + turns + `)[,;:.! -]+)*i said (?P<old>[^,;]+?),? but (?:i )?(?:meant|mean|it's|it is) (?P<new>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `)[,;:.! -]+)*(?P<plain>` + again + `)[,;:.! -]*(?P<new>(?-i:\p{Lu}|[0-9])[^,;]*?)$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|` + turns + `)[,;:.! -]+)*not (?P<old>[^,;]+?)(?: ?[,;.!]|[ -]+but)[ -]+(?:but |rather )?(?:i meant |it's |it is )?(?P<new>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?:(?:` + slip + `|` + turns + `)[,;:.! -]+)*i (?:didn't|did not|don't|do not) mean (?P<old>[^,;]+?)(?: ?[,;.!]|[ -]+but)[ -]+(?:but )?(?:i (?:meant|mean)|it's|it is) (?P<new>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?P<bare>(?:his|her|its|their|my) name (?:is|was)) (?P<new>[^,;]+?), not (?P<old>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?P<terse>(?P<new>(?-i:\p{Lu}|[0-9])[^,;]*?)),? not (?P<old>[^,;]+?)$`),
	lazy.MustCompile(`(?i)^(?P<terse>(?P<new>[^,;]+?)), i (?:meant|mean)$`),
	lazy.MustCompile(`^(?:我?` + slipZh + `[了]?[，。！、： ]+)+(?:我是说|我指的是|我的意思是|我想说的是|应该是|应为|其实是|应该叫|是叫|是|叫)(?P<new>[^，。]+?)(?:，(?:而)?不是(?P<old>[^，。]+?))?$`),
	lazy.MustCompile(`^(?:(?:刚才|刚刚|之前|前面|上面)我?|我(?:刚才|刚刚|之前|前面|上面)?)说的?(?:是)?(?P<old>[^，。]+?)(?:，)?(?:其实|应该|其实应该)是(?P<new>[^，。]+?)$`),
	lazy.MustCompile(`^(?:我是说|我指的是|我的意思是|我说的是|(?P<bare>是))(?P<new>[^，。]+?)，(?:而)?不是(?P<old>[^，。]+?)$`),
	lazy.MustCompile(`^(?:我?` + slipZh + `[了]?[，。！、： ]+)*(?:我?(?:说的)?)不是(?P<old>[^，。]+?)[，。！]+(?:而)?(?:应该|我说的)?是(?P<new>[^，。]+?)$`),
	lazy.MustCompile(`^(?P<terse>` + wrote + `)[，。！、： ]+(?P<new>[^，。！、：]+?)$`),
	lazy.MustCompile(`^(?P<terse>不对|哦不|啊不)[，。！、： ]+(?P<new>[0-9一二三四五六七八九十百两]+[^，。]{0,4}?)$`),
	lazy.MustCompile(`^(?P<terse>(?:哦|啊|噢|呃)?不是?)，(?:应该)?是(?P<new>[^，。]+?)$`),
	lazy.MustCompile(`^(?:` + slipJa + `[，。！ ]+)+(?:正しくは|本当は)?，?(?P<old>[^，。]+?)` + notJa + `，?(?P<new>[^，。]+?)` + endJa + `$`),
	lazy.MustCompile(`^(?P<bare>(?:正しくは|本当は)?)，?(?P<old>[^，。]+?)` + notJa + `，?(?P<new>[^，。]+?)` + endJa + `$`),
	lazy.MustCompile(`^(?P<old>[^，。]+?)は(?P<new>[^，。]+?)の(?:間違い|誤り)(?:です|でした|だ|だった)$`),
	lazy.MustCompile(`^(?:` + slipJa + `[，。！ ]+)*(?P<terse>` + wroteJa + `[，。！ ]+|正しくは，?)(?P<new>[^，。]+?)` + endJa + `$`),
	lazy.MustCompile(`^(?P<plain>其实|实际上)(?:应该)?是(?P<new>[^，。]+?)(?:，(?:而)?不是(?P<old>[^，。]+?))?$`),
}

// CorrectionOf returns what a text puts right, and false if it is not worded as
// putting something right.
func CorrectionOf(in string) (Correction, bool) {
	l := languageOf(in)
	if l == nil || len(in) > maxText || l.asks(in) {
		return Correction{}, false
	}
	if now := starred(in); now != "" {
		return Correction{New: now, Terse: true}, true
	}
	s := strings.Trim(l.normalise(in, text.Span{End: len(in)}, nil).plain(l), edges)
	for _, re := range corrections {
		m := re.FindStringSubmatch(s)
		if m == nil {
			continue
		}
		group := func(name string) string { return strings.Trim(groupOf(re, m, name), around) }
		c := Correction{New: group("new"), Old: group("old")}
		c.Bare, c.Terse = group("bare") != "", group("terse") != ""
		c.Plain = group("plain") != "" && c.Old == ""
		return c, c.New != ""
	}
	return Correction{}, false
}

// groupOf returns a named group of a match, "" where the expression has none.
func groupOf(re *lazy.Regexp, match []string, name string) string {
	if i := re.SubexpIndex(name); i >= 0 {
		return match[i]
	}
	return ""
}

// star matches how chats put a word right: "*Globex", "Globex*".
var star = lazy.MustCompile(`^\*([\p{L}\p{N}][^*\n]{0,39})$|^([\p{L}\p{N}][^*\n]{0,39})\*$`)

// played matches what is done rather than said, and what no capital letter marks as a
// name: "*sighs".
var played = lazy.MustCompile(`^\*?\p{Ll}|(?i)^\*?(?:sigh|laugh|shrug|nod|cough|gasp|hug|smile|grin|wave|wink|cry|cries|blush|yawn|facepalm|sob|giggle|chuckle|groan|kiss)(?:e?s|ing)?\b`)

// starred returns the few words that a star puts right, "" for none.
func starred(s string) string {
	m := star.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || len(strings.Fields(m[0])) > 3 || played.MatchString(m[0]) {
		return ""
	}
	return strings.Trim(m[1]+m[2], edges)
}

// OfLast reports whether a correction is of what was said last or of nothing: one
// that names what was wrong may reach back.
func (c *Correction) OfLast() bool { return c.Old == "" || c.Terse }

// Unasked reports whether a correction is none where somebody asked something before
// it: it may be the answer.
func (c *Correction) Unasked() bool { return c.Plain || c.Terse }

// Rights reports whether words put right those before them, or, where these are not
// known, are worded so.
func Rights(words, before string) bool {
	c, ok := CorrectionOf(words)
	if !ok || before == "" {
		return ok && !remark.MatchString(c.New)
	}
	_, ok = c.Apply(Input{Text: before})
	return ok
}

// plain returns a clause's text with its English endings joined again.
func (c *clause) plain(l *language) string {
	if !l.spaced {
		return c.text
	}
	return rejoined.Replace(c.text)
}

var rejoined = strings.NewReplacer(" n't", "n't", " 'm", "'m", " 're", "'re", " 've", "'ve", " 'll", "'ll", " 'd", "'d", " 's", "'s", " ,", ",", " ;", ";", " :", ":")

// Apply puts a statement right that was said in the text of in: it returns what
// that should have said, in words that stand alone. It reports false where the new
// value would not be one of the same slot, or the old one is not what was said.
//
//	"I live in Paris."  +  Lyon, not Paris  ──>  "I live in Lyon."
func (c *Correction) Apply(in Input) (Part, bool) {
	l := languageOf(in.Text)
	if l == nil {
		return Part{}, false
	}
	st, ok := l.alone(&in, in.Text)
	if !ok || st.None || strings.Count(in.Text, st.Value) != 1 || c.Old != "" && slot.Value(c.Old) != slot.Value(st.Value) {
		return Part{}, false
	}
	if c.Old == "" && !l.alike(st.Value, c.New) {
		return Part{}, false
	}
	now, words, ok := l.replaced(&in, &st, c.New)
	if !ok || now.Entity != st.Entity || now.Attribute != st.Attribute || now.Polarity != st.Polarity || now.Rule != st.Rule ||
		!strings.HasPrefix(strings.ToLower(c.New), strings.ToLower(now.Value)) || slot.Value(now.Value) == slot.Value(st.Value) {
		return Part{}, false
	}
	return Part{now, words}, true
}

// replaced parses a text with another value in place of its own. A unit that both
// name stands there once: 三十五岁 and 三十六岁.
func (l *language) replaced(in *Input, st *Statement, value string) (Statement, string, bool) {
	before, after, _ := strings.Cut(in.Text, st.Value)
	for at := range after {
		if at > 0 && len(after[:at]) < len(value) && strings.HasSuffix(value, after[:at]) && !l.spaced {
			value = strings.TrimSuffix(value, after[:at])
			break
		}
	}
	words := before + value + after
	now, ok := l.alone(in, words)
	return now, words, ok && strings.EqualFold(now.Value, value)
}

// maxNewWords is how much longer than the old value a new one may be, in words.
const maxNewWords = 2

// alike reports whether a value can stand in for another as far as it is written:
// a name for a name, a number for a number, and no remark ("it's fine").
func (l *language) alike(old, now string) bool {
	if digits(old) != digits(now) || remark.MatchString(now) {
		return false
	}
	if !l.spaced {
		return utf8.RuneCountInString(now) <= utf8.RuneCountInString(old)+maxNewWords
	}
	return isCapital(old) == isCapital(now) && len(strings.Fields(now)) <= len(strings.Fields(old))+maxNewWords
}

func digits(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// remark matches what one says of anything, which is no value.
var remark = lazy.MustCompile(`^(?:(?:really|very|so|quite|pretty|too|not|all|just|only|still|also|even|getting|going|a bit|a little) )*(?:private|personal|confidential|secret|fine|ok|okay|true|false|right|wrong|great|good|bad|better|best|worse|nice|late|early|cold|hot|warm|hard|easy|difficult|complicated|simple|funny|fun|weird|strange|odd|interesting|boring|important|urgent|nothing|something|everything|enough|over|done|here|there|possible|impossible|cool|beautiful|lovely|awful|terrible|amazing|awesome|sad|expensive|cheap|old|new|big|small|raining|snowing|sunny|mild|me|you|us|him|her|them|mine|yours)\b|^\w+ing\b|^(?:because|since|why|how|what|when|where|who|that|if|my|your|a|the|an) |^(?:这|那|我|你|他|她|因为|为什么|怎么|什么|真|很|有点|误会|开玩笑|的)`)

// selfContained reports whether words state something without what was said before.
func selfContained(in *Input, words string) bool {
	l := languageOf(words)
	if l == nil {
		return false
	}
	_, ok := l.alone(in, words)
	return ok
}

// corrected puts right what a text says of itself: "My favourite colour is green.
// Actually, it's blue." It returns the text without the slip.
func corrected(in Input) (Input, bool) {
	sentences := conversation.Sentences(in.Text)
	if len(sentences) < 2 || len(sentences) > maxSentences {
		return in, false
	}
	var kept []string
	changed := false
	for i, at := range sentences {
		words := strings.TrimSpace(in.Text[at.Start:at.End])
		if c, ok := CorrectionOf(words); ok && i > 0 && !selfContained(&in, words) {
			before := in
			before.Text = kept[len(kept)-1]
			if part, ok := c.Apply(before); ok {
				kept[len(kept)-1], changed = part.Text, true
				continue
			}
		}
		kept = append(kept, words)
	}
	in.Text = strings.Join(kept, " ")
	return in, changed
}
