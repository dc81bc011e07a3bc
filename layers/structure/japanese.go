package structure

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// japaneseCode names the language whose clauses end in their predicate, and whose
// speakers leave out who is spoken of.
const japaneseCode = "ja"

// isKana reports whether r is a letter of kana, the mark of length included.
func isKana(r rune) bool {
	return unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// kanaSign returns the form of a sign that Japanese rules know. Han characters stay:
// 台 and 臺 are no one's spelling of each other.
func kanaSign(r rune) string {
	switch {
	case r == '、' || r == '､' || r == ',':
		return "，"
	case r == '％' || r >= '０' && r <= '９' || r >= 'Ａ' && r <= 'Ｚ' || r >= 'ａ' && r <= 'ｚ' || r == '＋' || r == '－' || r == '．':
		return string(r - ('０' - '0'))
	}
	return wide(r)
}

// speechInKana reports whether quoted words are somebody's speech: a title has no
// predicate and no stop.
func speechInKana(quoted string) bool {
	inner := strings.Trim(quoted, `"“”‘’'「」『』`)
	return strings.ContainsAny(inner, "。！？、") || spokenEnd.MatchString(inner)
}

var spokenEnd = lazy.MustCompile(`(?:です|ます|ました|でした|ません|だよ|だね|よ|ね|たい|ない|てる|ている|して|ください)$|^(?:私|僕|俺|うち)[はがの]`)

// clausal reports whether words hold a particle or a predicate of their own, so that
// they are no noun phrase. What is done may stand as a noun: 絵を描くこと.
func (l *language) clausal(s string) bool {
	for _, w := range l.lists["harmless"] {
		s = strings.ReplaceAll(s, w, "物")
	}
	if strings.HasSuffix(s, "いの") { // 辛いの is what is hot
		s = strings.TrimSuffix(s, "の")
	}
	if deed := gerund.FindStringSubmatch(s); deed != nil {
		return strings.ContainsAny(deed[1], "はがも，、") || finiteWithin.MatchString(deed[1])
	}
	return particle.MatchString(s) || finiteWithin.MatchString(s) || attributive.MatchString(s)
}

var (
	gerund       = lazy.MustCompile(`^(.{2,16}[うくぐすつぬぶむる])(?:こと|の)$`)
	particle     = lazy.MustCompile(`[\p{Han}\p{Katakana}ー々〆0-9A-Za-z）)](?:[はがをへにでも])|を|\p{Hiragana}は[\p{Han}\p{Katakana}]|には|では|とは|にも|でも|[とやの]$|^[とやのをはがにもで][\p{Han}\p{Katakana}]`)
	finiteWithin = lazy.MustCompile(`です|ます|ました|でした|ません|から|まで|より|けど|ので|って|という|ように|ながら|ている|ていた|ことが|ことを|して|じゃない|たい$|だけ|[，。！？]`)
	attributive  = lazy.MustCompile(`[っいんしえけべめれせりちきみびぎじ]た[\p{Han}\p{Katakana}]|[んい]だ[\p{Han}\p{Katakana}]|\p{Han}(?:\p{Hiragana})?[うくぐすつぬぶむる][\p{Han}\p{Katakana}]|ない[\p{Han}\p{Katakana}]`)
)

// closing returns the length of the closing word that s ends with, 0 if there is
// none that can be taken off: of 小林さんです it is です, not んです.
func (l *language) closing(s string) int {
	n := l.suffix("tail", s)
	if !l.bound(s, n) {
		return n
	}
	rest, ok := strings.CutPrefix(s[len(s)-n:], "ん")
	if !ok || !l.is("tail", rest) || l.bound(s, len(rest)) {
		return 0
	}
	return len(rest)
}

// bound reports whether a closing word of n bytes belongs to what stands before it:
// the だ of 飲んだ, the し of すし.
func (l *language) bound(s string, n int) bool {
	if l.code != japaneseCode || n == 0 {
		return false
	}
	tail, before := s[len(s)-n:], s[:len(s)-n]
	switch {
	case strings.HasPrefix(tail, "ん"):
		return !explains.MatchString(before)
	case strings.HasSuffix(before, "ん") && (tail == "だ" || tail == "で"):
		return true
	case utf8.RuneCountInString(tail) == 1 && tail != "だ" && tail != "で":
		return !predicateEnd.MatchString(before)
	}
	return false
}

// explains matches what ん of んです stands behind; 飲 of 飲んだ is none.
var explains = lazy.MustCompile(`[るたいうくすつむぶぐだな]$`)

// predicateEnd matches how a predicate ends behind which a particle may stand.
var predicateEnd = lazy.MustCompile(`(?:です|ます|ません|した|った|いた|んだ|いだ|てる|でる|いる|ある|ない|い|だ|き|けど|の|る|う|く|む|ぶ|す)$`)

// isKanaName reports whether s is written like the name of a person: few letters and
// no particle.
func (l *language) isKanaName(s string) bool {
	n := utf8.RuneCountInString(s)
	if n < 1 || n > maxKanaName || l.is("no name", s) || l.is("occupation", s) || l.begins("deictic", s) || l.begins("no name start", s) || l.suffix("no name end", s) > 0 {
		return false
	}
	latin := strings.ContainsFunc(s, func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) })
	if latin {
		return isCapital(s)
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !isKana(r) && !isHan(r) && !strings.ContainsRune("々・ ", r) }) &&
		!l.clausal(s) && (n > 1 || isHan([]rune(s)[0]))
}

// maxKanaName is the longest Japanese name, foreign ones included, in letters.
const maxKanaName = 12

// befalls reports whether a predicate tells what happens: a verb of happening at its
// end, or an occasion that there is.
func (l *language) befalls(predicate string) bool {
	c := l.tailless(&clause{text: predicate, span: make([]text.Span, len(predicate))})
	return l.deeds.MatchString(c.text)
}

// deedPattern returns what befalls looks for: the verbs of the list "deed", and what
// is of the list "occasion".
func (l *language) deedPattern() (*regexp.Regexp, error) {
	var forms []string
	for _, v := range l.lists["deed"] {
		for _, form := range []string{"do", "did"} {
			all, err := conjugate(v, form)
			if err != nil {
				return nil, err
			}
			forms = append(forms, all...)
		}
	}
	return regexp.Compile("(?:" + alternation(forms, "") + ")(?:予定|つもり|こと(?:になった|になりました|にした|にしました|になっている|になっています|になってる|が決まった|が決まりました))?$|" +
		"(?:" + alternation(l.lists["occasion"], "") + ")(?:[がの](?:ある|あります|あった|ありました|入っている|入っています|入ってる|入りました|予約|予定|予約がある|予約があります|予約を入れた|予約を入れました|予約をした|予約をしました|予定が入っています)" +
		"|を予約(?:した|しました|している|しています|してある|してあります|済み)|)$")
}

// japaneseFacets are the facets of Japanese: a job and where it is, when and where
// one was born.
var japaneseFacets = []facet{
	{lazy.MustCompile(`^(.*?)([^はがも、，]+?)(?:で|に)([^はがも、，]+?)として(働いて.+?|勤務して.+?|勤めて.+?)。?$`), "${1}${2}で${4}。", "${1}${3}として${4}。", []string{"employer", "job title", "work city"}},
	{lazy.MustCompile(`^(.*?)([^はがも、，]+?)で([^はがも、，]+?)を(して.+?|やって.+?|務めて.+?)。?$`), "${1}${2}で働いています。", "${1}${3}を${4}。", []string{"employer", "job title", "work city"}},
	{lazy.MustCompile(`^(.*?)(\d{4}年(?:\d{1,2}月\d{1,2}日)?)(?:に)?([^、，]+?)で生まれ(?:ました|た)。?$`), "${1}${2}生まれです。", "${1}${3}で生まれました。", nil},
}

// finite writes a clause that another follows as the end of a sentence: 京都に住んでいて
// as 京都に住んでいます.
func finite(words string) string {
	for _, f := range finiteForms {
		if rest, ok := strings.CutSuffix(words, f[0]); ok && rest != "" {
			return rest + f[1]
		}
	}
	return words
}

// finiteForms are ends of clauses within a sentence, and the same at its end.
var finiteForms = [][2]string{
	{"だったけれど", "だった"}, {"だったけど", "だった"}, {"でしたけど", "でした"}, {"でしたが", "でした"}, {"だったが", "だった"}, {"たけど", "た"}, {"るけど", "る"},
	{"ですけれども", "です"}, {"ますけれども", "ます"}, {"ですけど", "です"}, {"ますけど", "ます"}, {"だけど", "です"}, {"ですが", "です"}, {"ますが", "ます"}, {"ましたが", "ました"},
	{"ですので", "です"}, {"ますので", "ます"}, {"なので", "です"}, {"ですし", "です"}, {"ますし", "ます"}, {"だし", "です"}, {"だが", "です"},
	{"ていて", "ています"}, {"でいて", "でいます"}, {"ており", "ております"}, {"でおり", "でおります"}, {"まして", "ました"},
	{"んで", "んで"}, {"いで", "いで"}, {"であり", "です"}, {"で", "です"},
}

// kanaConjunction is conjunction for Japanese.
var kanaConjunction = lazy.MustCompile(`^[，；。]`)

// unspacedConjunction matches what may part two statements where words have no blanks.
func (l *language) unspacedConjunction() *lazy.Regexp {
	if l.code == japaneseCode {
		return kanaConjunction
	}
	return zhConjunction
}

// leftOut returns the subject of a clause that names none: the speaker, unless what
// was said before is about somebody else.
func (l *language) leftOut(c *clause, in *Input) (out []subject) {
	if l.code != japaneseCode || l.aboutOther(in.before()) {
		return nil
	}
	for _, who := range []string{"me", "me's"} {
		for _, rest := range l.predicates(c) {
			out = append(out, subject{who: who, rest: rest, agrees: true, left: true})
		}
	}
	return out
}

// maxBefore is how many sentences are looked back for who is spoken of.
const maxBefore = 3

// aboutOther reports whether the last who was spoken of in a text is not its speaker:
// 娘がいます is followed by her age.
func (l *language) aboutOther(before string) bool {
	all := text.Sentences(before)
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxBefore; i-- {
		c := l.trim(l.normalise(before, all[i], nil))
		c = c.part(l.skipOpening(c, 0), len(c.text))
		switch who := l.topic(c); {
		case strings.HasPrefix(who, "they"):
			return true
		case who != "":
			return false
		}
		alone := companyOf.ReplaceAllString(c.text, "")
		if l.contains("relation", alone) || l.contains("animal", alone) || l.contains("other", alone) {
			return true
		}
	}
	return false
}

// companyOf matches with whom something is done: 妻と.
var companyOf = lazy.MustCompile(`(?:妻|夫|家族|子供|子ども|娘|息子|両親|母|父|友人|友達|彼女|彼氏|犬|猫|奥さん|旦那)(?:たち)?と(?:一緒に|二人で|三人で)?`)

// topic returns who the subject of a clause is, "" where it has none.
func (l *language) topic(c *clause) (who string) {
	for _, s := range l.subjects {
		if s.match(l, c.text+" ") == nil {
			continue
		}
		if who = s.who; strings.HasPrefix(who, "they") {
			return who
		}
	}
	return who
}

// hangsOnTime matches the particle that a time has behind it: 今年の, 明日は.
var hangsOnTime = lazy.MustCompile(`^(?:には|にも|では|は|も|の|に|で)?[、，]?`)

// broughtIn matches what brings somebody in: 娘がいて, 犬を飼っていて.
var broughtIn = lazy.MustCompile(`が.{0,6}(?:い[てるま]|おり|でき|生まれ)|飼[っう]|と(?:いう|いい|申)|迎え`)
