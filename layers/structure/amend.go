package structure

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// Amended returns a text as its speaker put it right while he said it, and whether he
// did: "I live in Bonn, no wait, Köln." is "I live in Köln." A text whose slip cannot
// be told apart from what it should be stays as it is, and [Parse] abstains on it.
func Amended(words string) (string, bool) {
	in, a := amend(Input{Text: words})
	return in.Text, a == mended
}

// amendment is what became of the slips that a text owns to.
type amendment uint8

const (
	unslipped amendment = iota // it owns to none
	mended                     // what should have been said stands in their place
	muddled                    // that is not sure: nothing it says is
)

// maxSlips is how often in one sentence somebody puts himself right.
const maxSlips = 4

// amend puts right what a text puts right in the same sentence.
//
//	"on Tuesday – sorry, Wednesday at five"
//	    left      marker      right           right takes the place of what it is like in left
func amend(in Input) (Input, amendment) {
	l := languageOf(in.Text)
	if l == nil || len(in.Text) > maxText || !l.marker().MatchString(in.Text) {
		return in, unslipped
	}
	var b strings.Builder
	verdict := unslipped
	for _, at := range text.Sentences(in.Text) {
		words := in.Text[at.Start:at.End]
		now, a := l.amendSentence(&in, words)
		verdict = max(verdict, a)
		if b.Len() > 0 && l.spaced {
			b.WriteByte(' ')
		}
		b.WriteString(now)
	}
	if verdict == mended {
		in.Text = b.String()
	}
	return in, verdict
}

func (l *language) amendSentence(in *Input, words string) (string, amendment) {
	verdict := unslipped
	if l.asks(words) {
		return words, verdict
	}
	from := 0
	for range maxSlips {
		at := l.slip(words, from)
		if at == nil {
			break
		}
		left, right, tail := words[:at.Start], words[at.End:], ""
		if next := l.slip(right, 0); next != nil {
			right, tail = right[:next.Start], right[next.Start:]
		}
		now, ok := l.mend(in, left, right)
		if strings.Contains(words[at.Start:at.End], "(") {
			now = strings.Replace(now, ")", "", 1)
		}
		switch {
		case ok:
			words, verdict, from = now+tail, mended, 0
		case l.leaves(words[at.Start:at.End], left, right):
			from = at.End
		default:
			return words, muddled
		}
	}
	return words, verdict
}

// slip returns where a sentence owns to a slip, from a place on: what comes before and
// after it says something. nil: nowhere.
func (l *language) slip(s string, from int) *text.Span {
	at := l.marker().FindStringIndex(s[from:])
	if at == nil {
		return nil
	}
	found := text.Span{Start: from + at[0], End: from + at[1]}
	if interjected.MatchString(s[:found.Start]) || strings.Trim(s[found.End:], edges) == "" {
		return nil
	}
	return &found
}

// leaves reports whether words that may own to a slip leave standing what was said
// before them: what follows is a remark, or goes on.
func (l *language) leaves(marker, left, right string) bool {
	rest := strings.Trim(right, edges)
	sure := certainSlip.MatchString(marker)
	if goesOn.MatchString(rest) || adds.MatchString(rest) || !sure && remark.MatchString(strings.ToLower(rest)) {
		return true
	}
	if old := denied.FindStringSubmatch(rest); old != nil { // "Köln, sorry, not Bonn"
		return !strings.Contains(left, strings.Trim(old[1]+old[2], around))
	}
	limit, size := weakRunes, utf8.RuneCountInString(rest)
	if l.spaced {
		limit, size = weakWords, len(strings.Fields(rest))
	}
	if l.spaced && isCapital(rest) && rest != "I" && !strings.HasPrefix(rest, "I ") { // a name, whatever is said of it
		size = len(strings.Fields(rest[:pauseEnds(rest)[0]]))
	}
	if sure {
		limit *= 2
	}
	return size > limit
}

// What follows a marker of so many words is no more than what should have been said;
// after one that is nothing else, of twice as many.
const (
	weakWords = 3
	weakRunes = 7
)

// mend puts what comes after a slip into the place of what it is of.
func (l *language) mend(in *Input, left, right string) (string, bool) {
	_, whole := l.alone(in, left)
	right = strings.TrimSpace(right)
	if m := l.leads().FindString(right); len(m) < len(right) {
		right = right[len(m):]
	}
	for _, end := range pauseEnds(right) {
		now, rest := right[:end], right[end:]
		stop := now[len(strings.TrimRight(now, edges)):]
		now = strings.TrimRight(now, edges)
		if now == "" || goesOn.MatchString(now) || adds.MatchString(now) || remark.MatchString(strings.ToLower(now)) && l.anchoredIn(in, left, now) == "" {
			continue
		}
		out, ok := l.replacing(in, left, now, rest)
		if bare, at := strings.CutPrefix(now, "在"); !ok && at && bare != "" { // 不对，是在上海
			out, ok = l.replacing(in, left, bare, rest)
		}
		if !ok {
			continue
		}
		if after := strings.TrimLeft(rest, ",，、"); !whole || l.spaced && (l.agrees(strings.TrimSpace(after)) || goesWith.MatchString(after)) {
			rest = after
		}
		return upperFirst(out + stop + rest), true
	}
	return "", false
}

// pauseEnds are where what should have been said may end: at the first pause in the
// words, or at their end.
func pauseEnds(s string) []int {
	if at := pauseIn.FindStringIndex(s); at != nil && at[0] > 0 {
		return []int{at[0], len(s)}
	}
	return []int{len(s)}
}

// replacing returns a text with new words in the place of those that they put right.
// rest is what comes after them.
func (l *language) replacing(in *Input, left, now, rest string) (string, bool) {
	left = strings.TrimRight(left, edges)
	for _, try := range []func(*Input, string, string) string{l.alikeIn, l.anchoredIn, l.valueIn, l.swappedIn, l.namedIn, l.nounIn} {
		out := try(in, left, now)
		if out != "" && out != left && (l.sameSlot(in, left, out) || rest != "" && l.sameSlot(in, left, out+rest)) {
			return out, true
		}
	}
	return "", false
}

// sameSlot reports whether a text says of the same thing what another says, where that
// says anything by itself.
func (l *language) sameSlot(in *Input, before, after string) bool {
	was, ok := l.alone(in, before)
	if !ok {
		return true
	}
	now, ok := l.alone(in, after)
	return ok && was.Attribute == now.Attribute && (was.Entity == now.Entity || was.Value == now.Value)
}

// valueIn replaces the value of what is stated.
func (l *language) valueIn(in *Input, left, now string) string {
	before := *in
	before.Text = left
	c := Correction{New: now}
	if l.code == japaneseCode {
		c.New = strings.TrimSuffix(now, endOfJa.FindString(now))
	}
	part, ok := c.Apply(before)
	if !ok {
		return ""
	}
	if strings.HasSuffix(part.Text, c.New) {
		return part.Text + now[len(c.New):]
	}
	return part.Text
}

// swappedIn is valueIn for a value whose kind shows by what comes after it alone: "Go for
// backend work".
func (l *language) swappedIn(in *Input, left, now string) string {
	st, ok := l.alone(in, left)
	if !ok || st.None || strings.Count(left, st.Value) != 1 || !l.alike(st.Value, now) {
		return ""
	}
	return strings.Replace(left, st.Value, now, 1)
}

// alikeIn replaces the last number, weekday or month by one of its kind.
func (l *language) alikeIn(_ *Input, left, now string) string {
	for _, kind := range kindsOfTime {
		loc := kind.FindStringIndex(now)
		if loc == nil || loc[0] > 0 {
			continue
		}
		more := now[loc[1]:]
		if l.spaced && more != "" && !strings.HasPrefix(more, " ") {
			continue
		}
		if !l.spaced && more != "" && l.code != japaneseCode {
			continue
		}
		all := kind.FindAllStringIndex(left, -1)
		if len(all) == 0 {
			continue
		}
		last := all[len(all)-1]
		if more == "" || endOfJa.FindString(more) == more { // it says no more: what stood behind it stays
			return left[:last[0]] + now[:loc[1]] + left[last[1]:]
		}
		if last[1] == len(left) {
			return left[:last[0]] + now
		}
	}
	return ""
}

// anchoredIn replaces from where a word stands that the new words begin with: "with my
// sister, no, with my cousin".
func (l *language) anchoredIn(_ *Input, left, now string) string {
	anchor := l.firstWord(now)
	if anchor == "" {
		return ""
	}
	low, key := strings.ToLower(left), strings.ToLower(anchor)
	if len(low) != len(left) {
		return ""
	}
	for at := strings.LastIndex(low, key); at >= 0; at = strings.LastIndex(low[:at], key) {
		if !l.spaced || wordAt(low, at, len(key)) {
			return left[:at] + now
		}
	}
	return ""
}

// firstWord is the first word of some, where blanks part words; else its first two
// letters, or one that begins a statement.
func (l *language) firstWord(s string) string {
	if l.spaced {
		word, rest, _ := strings.Cut(s, " ")
		if rest == "" {
			return ""
		}
		return word
	}
	runes := []rune(s)
	switch {
	case len(runes) > 2 && strings.ContainsRune("我在私僕", runes[0]):
		return string(runes[:1])
	case len(runes) > 3:
		return string(runes[:2])
	}
	return ""
}

// wordAt reports whether a stretch of a text is a word, or several.
func wordAt(s string, at, size int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at+size:])
	letter := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return !letter(before) && !letter(after)
}

// namedIn replaces the name that ends a text by another.
func (l *language) namedIn(_ *Input, left, now string) string {
	if !l.spaced || !isCapital(now) {
		return ""
	}
	at := nameAtEnd.FindStringIndex(left)
	if at == nil || at[0] == 0 {
		return ""
	}
	return left[:at[0]] + now
}

// nounIn replaces the last noun before a particle that is still to come: 東京、いや、大阪に.
func (l *language) nounIn(in *Input, left, now string) string {
	if l.code != japaneseCode {
		return ""
	}
	if _, whole := l.alone(in, left); whole {
		return ""
	}
	at := strings.LastIndexAny(left, "はがをにでもとのへ、，")
	if at < 0 {
		return now
	}
	_, size := utf8.DecodeRuneInString(left[at:])
	if at+size == len(left) {
		return ""
	}
	return left[:at+size] + now
}

func upperFirst(s string) string {
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return strings.ToUpper(s[:1]) + s[1:]
	}
	return s
}

// marker matches what owns to a slip within a sentence, with the pauses around it.
func (l *language) marker() *lazy.Regexp {
	switch {
	case l.spaced:
		return markerEn
	case l.code == japaneseCode:
		return markerJa
	}
	return markerZh
}

// leads matches what may stand before the new words.
func (l *language) leads() *lazy.Regexp {
	switch {
	case l.spaced:
		return leadsEn
	case l.code == japaneseCode:
		return leadsJa
	}
	return leadsZh
}

// Words of the markers: a hesitation alone owns to nothing.
const (
	hesitates = `(?:oh|uh|um|er|erm|ah|hm+|ugh|well|haha|lol|actually|rather|and|but|or)`
	owns      = `(?:no|nope|sorry|wait|oops|whoops|hang on|hold on|my bad|my mistake|scratch that|strike that|correction|typo|i mean|i meant(?: to say)?|or rather|make (?:that|it)|that's wrong|i misspoke|let me correct (?:that|myself)|er|erm|uh|um)`
	pauseEn   = `\s*[,;:.!…–—-]+\s*`
)

var (
	markerEn = lazy.MustCompile(`(?i)(?:\s*(?:[,;…]|\.{2,}|\s-+|[–—]|-{2,})\s*|\s+\()` +
		`(?:(?:` + hesitates + `|no|sorry|wait|oops)(?:` + pauseEn + `|\s+))*(?:` +
		`(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? actually|actually,? no|oops|whoops|my bad|my mistake|(?:scratch|strike) that|correction|typo|i mean|i meant(?: to say)?|or rather|make (?:that|it)|that's wrong|i misspoke|let me correct (?:that|myself))(?:` + pauseEn + `|\s+)` +
		`|(?:no|nope|sorry|wait|hang on|hold on|er|erm|uh|um)` + pauseEn +
		`)(?:(?:` + hesitates + `|` + owns + `)(?:` + pauseEn + `|\s+))*`)
	markerZh = lazy.MustCompile(`[，,；;、—…–-]+\s*(?:(?:哦|啊|噢|呃|额|嗯|哎呀?|等等|等一下|等下|不+|抱歉|不好意思|对不起)[，,、…！! ]*)*(?:` +
		`(?:不对|不對|我?(?:刚才|刚刚)?(?:说|說|打|写|寫|记|記|搞|弄)(?:错|錯)字?了?|更正(?:一下)?|纠正(?:一下)?|口误|口誤|哦不|啊不|噢不|喔不|不不+)(?:了|啦)?(?:[，,。：:、！!… ]+|(?:应该|其实)?是)` +
		`|(?:不是不是|不是|不|等等|抱歉|不好意思|对不起|(?i:sorry|oops|no wait|wait no|no|wait|i mean))[，,。：:、！!… ]+` +
		`|我是说|我是說|我是想说|我的意思是|我指的是|准确(?:地|的|来)?说|确切(?:地|的|来)?说|应该说)(?:[，,：:、。！!… ]|不对|不是，|不，|我是说|应该说|等等，)*`)
	markerJa = lazy.MustCompile(`[、。，,…―—–-]+\s*(?:(?:あ|あっ|ああ|えっと|ええと|ちょっと待って|待って)[、，,… ]*)*(?:` +
		`(?:いや|いえ|いいえ|違う|違った|違います|違いました|じゃない|ごめん(?:なさい)?|すみません|すいません|失礼(?:しました)?|(?i:sorry|no wait|no)|(?:言い|書き|打ち)?間違え(?:ました|た)|(?:言い|書き|打ち)?間違い(?:です|でした)|訂正(?:します|です)?|もとい)[、。，,：:！!… ]+|(?:じゃなくて|ではなくて|でなくて|というか|ていうか|っていうか|もとい|正しくは)[、，, ]*)` +
		`(?:(?:いや|いえ|違う|違った|違います|すみません|ごめん(?:なさい)?|訂正(?:します)?)[、。，, ]+|正しくは[、，, ]*)*`)

	leadsEn = lazy.MustCompile(`(?i)^(?:(?:i (?:meant|mean)(?: to say)?|it'?s|it is|that's|make (?:that|it)|it should be|actually|in fact|rather|not [^,;.]{1,30}(?:[,;.]| but)) )+`)
	leadsZh = lazy.MustCompile(`^(?:应该|应当|其实|准确(?:地|来)?说|我想说的)?(?:是|叫|应为)|^(?:应该|其实)|^不是[^，,。]{1,12}[，,](?:而)?是`)
	leadsJa = lazy.MustCompile(`^(?:正しくは|本当は|実は)[、，, ]*`)

	// interjected matches what says nothing that could be put right.
	interjected = lazy.MustCompile(`(?i)^(?:(?:oh|ah|no|nope|yes|yeah|ok|okay|well|so|hm+|um|uh|er|hey|hi|sorry|wait|oops|whoops|actually|but|and|then|right|please|wow|haha|lol|i mean|i meant|my bad|my mistake|hang on|hold on)|[哦啊噢呃额嗯喂哎呀好的对是不那了]|不对|不对不对|说错了|抱歉|不好意思|对不起|等等|等一下|其实|应该|あ|あっ|ああ|えっと|ええと|いや|いえ|いいえ|すみません|すいません|ごめん(?:なさい)?|待って|違う|違います|失礼(?:しました)?|はい|うん|[\pP\pS\s])*$`)

	// certainSlip matches what cannot be anything else.
	certainSlip = lazy.MustCompile(`(?i)\b(?:no,? wait|wait,? no|no,? sorry|sorry,? no|no,? actually|actually,? no|(?:scratch|strike) that|correction|typo|i meant|or rather|make that|i misspoke|my mistake)\b|不对|不對|[错錯]|更正|纠正|口误|口誤|哦不|啊不|不不|我是[说說]|我的意思|間違|訂正|違|じゃなくて|ではなくて|もとい|正しくは`)

	// goesOn matches what begins a clause of its own rather than what should have been
	// said, or insists on what was.
	goesOn = lazy.MustCompile(`(?i)^(?:really|seriously|honestly|truly|thanks?|thank you|please|but|and|so|then|let|do|don't|can|could|would|is|are|was|it|this|that|there|they|you|we|he|she|i (?:don't|do not|can't|didn't|am|was|have|had|just|know|think|really)|i'm|i've|problem|worries|doubt|kidding|joke|joking)\b|^(?:真的|谢谢|没事|开玩笑|不过|但|所以|然后|你|他|她|我(?:不|没|也|还)|这|那|可能|也许)|^(?:本当|ありがとう|冗談|でも|だから)`)
	// adds matches what stands beside what was said, or is more of it.
	adds        = lazy.MustCompile(`(?i)^(?:and|also|plus) |\b(?:too|as well|also|either)\W*$|^(?:还有|还|也|以及|加上|外加|和|另外)|^(?:あと|それと|大好き|大嫌い|とても|すごく|かなり|めっちゃ)|^[^、。]{1,12}も`)
	denied      = lazy.MustCompile(`^(?i:not) (\p{Lu}.+)$|^不是(.+)$`)
	pauseIn     = lazy.MustCompile(`[,;，；、]|\s(?:and|but|so|because|where|which|with|for|at|in|on|as|from|since|until)\s|\s[–—-]+\s`)
	goesWith    = lazy.MustCompile(`(?i)^\s*(?:for|at|in|on|from|since|until|by|near)\s`)
	nameAtEnd   = lazy.MustCompile(`(?:\p{Lu}[\p{L}\p{N}'’.&-]*\s)*\p{Lu}[\p{L}\p{N}'’.&-]*$`)
	endOfJa     = lazy.MustCompile(endJa[:len(endJa)-1] + `?[。]?$`)
	kindsOfTime = []*lazy.Regexp{
		lazy.MustCompile(`(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b`),
		lazy.MustCompile(`(?i)\b(?:january|february|march|april|may|june|july|august|september|october|november|december) \d{1,2}(?:st|nd|rd|th)?\b`),
		lazy.MustCompile(`(?i)\b(?:january|february|march|april|june|july|august|september|october|november|december)\b`),
		lazy.MustCompile(`(?i)\b\d{1,2}(?::\d\d)? ?(?:am|pm)\b|\b\d{1,2}:\d\d\b`),
		lazy.MustCompile(`(?i)\b\d+(?:st|nd|rd|th)\b`),
		lazy.MustCompile(`\b\d+(?:[.,]\d+)?\b`),
		lazy.MustCompile(`(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b`),
		lazy.MustCompile(`(?:上上|下下|上|下|这|本)个?(?:周|星期|礼拜)[一二三四五六日天]`),
		lazy.MustCompile(`(?:周|星期|礼拜|週)[一二三四五六日天]`),
		lazy.MustCompile(`今天|明天|后天|大后天|昨天|今晚|明晚`),
		lazy.MustCompile(`(?:今週|来週|再来週)の[月火水木金土日]曜日?`),
		lazy.MustCompile(`[月火水木金土日]曜日?`),
		lazy.MustCompile(`[0-9一二三四五六七八九十]+月[0-9一二三四五六七八九十]+[号日號]`),
		lazy.MustCompile(`[0-9一二三四五六七八九十]+[号號日]`),
		lazy.MustCompile(`[0-9一二三四五六七八九十]+月`),
		lazy.MustCompile(`[0-9一二三四五六七八九十]+[点點時时](?:半|[0-9一二三四五六七八九十]+分)?`),
		lazy.MustCompile(`[0-9一二三四五六七八九十百]+[岁歳歲才]`),
		lazy.MustCompile(`[0-9一二三四五六七八九十百]+年`),
		lazy.MustCompile(`[0-9一二三四五六七八九十百千万两]+[个只条口位名人匹台杯次]?`),
	}
)
