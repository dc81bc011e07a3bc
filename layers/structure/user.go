package structure

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/text"
)

// firstPerson returns a sentence about the user as if he said it himself, and
// whether it is one: clients write "The user lives in Oslo" or 用户住在青岛. What
// was changed still knows the words it comes from, so values stay as written.
func (l *language) firstPerson(c *clause, in *Input) (*clause, bool) {
	switch {
	case l.code == japaneseCode:
		return c, false // the subjects of rules/ja.txt know the user
	case !l.spaced:
		return userInChinese(c, in)
	}
	r := &retelling{l: l, w: writer{c: &clause{from: c.from}}, words: wordsOf(c)}
	about := false
	for r.at < len(r.words) {
		if n := r.subject(in); n == 0 || !r.predicate(n) {
			r.copy()
			continue
		}
		about = true
	}
	if !about {
		return c, false
	}
	return r.w.done(), true
}

// retelling writes the words of an English sentence anew.
type retelling struct {
	l     *language
	w     writer
	words []*clause
	at    int  // the next word
	his   bool // the user is the subject: "his" is "my"
}

func wordsOf(c *clause) []*clause {
	var out []*clause
	start := 0
	for i := 0; i <= len(c.text); i++ {
		if i < len(c.text) && c.text[i] != ' ' {
			continue
		}
		if i > start {
			out = append(out, c.part(start, i))
		}
		start = i + 1
	}
	return out
}

// put writes a word in place of some.
func (r *retelling) put(word string, from ...*clause) {
	first, last := from[0].span[0], from[len(from)-1]
	r.w.blank(first.Start)
	r.w.put(word, text.Span{Start: first.Start, End: last.span[len(last.span)-1].End})
}

// copy writes the next word as it is.
func (r *retelling) copy() {
	word := r.words[r.at]
	r.at++
	switch strings.ToLower(word.text) {
	case "his", "her", "their":
		if r.his {
			r.put("my", word)
			return
		}
	}
	r.w.blank(word.span[0].Start)
	r.w.b.WriteString(word.text)
	r.w.c.span = append(r.w.c.span, word.span...)
}

// subject returns how many words name the user where a clause may begin, 0 if
// none do.
func (r *retelling) subject(in *Input) int {
	if r.at > 0 {
		before := r.words[r.at-1].text
		if !strings.ContainsAny(before[len(before)-1:], ",;:-.!(") && !slices.Contains(leads, strings.ToLower(before)) {
			return 0
		}
	}
	if r.starts("the user") || r.starts("this user") {
		return 2
	}
	if r.starts("user") {
		return 1
	}
	for _, name := range in.UserNames {
		if r.starts(name) {
			return len(strings.Fields(name))
		}
	}
	return 0
}

// leads are words after which a clause begins.
var leads = []string{"that", "and", "but", "because", "so", "now", "currently", "also", "since", "recently", "as", "then"}

func (r *retelling) starts(phrase string) bool {
	words := strings.Fields(phrase)
	if len(words) == 0 || r.at+len(words) >= len(r.words) {
		return false
	}
	for i, w := range words {
		if !strings.EqualFold(r.words[r.at+i].text, w) {
			return false
		}
	}
	return true
}

// predicate writes a subject of n words and its verb in the first person, and
// reports whether a verb, or what is the subject's, follows.
func (r *retelling) predicate(n int) bool {
	who, rest := r.words[r.at:r.at+n], r.words[r.at+n:]
	if rest[0].text == "'s" {
		r.possessive(who, rest)
		return true
	}
	adverbs := 0
	for adverbs < len(rest) && r.adverb(rest[adverbs:]) {
		adverbs++
	}
	if adverbs == len(rest) {
		return false
	}
	verb, ok := r.verb(rest[adverbs].text)
	if !ok {
		return false
	}
	r.put("I", who...)
	r.his = true
	r.at += n
	for range adverbs {
		r.copy()
	}
	r.put(verb, rest[adverbs])
	r.at++
	return true
}

// possessive writes "my" for "the user's", and "I 'm" where that is short for
// "the user is".
func (r *retelling) possessive(who, rest []*clause) {
	r.at += len(who) + 1
	if len(rest) > 1 && slices.Contains(complements, strings.ToLower(rest[1].text)) {
		r.put("I", who...)
		r.put("'m", rest[0])
		r.his = true
		return
	}
	if len(rest) > 1 && (rest[1].text == "got" || rest[1].text == "been") {
		r.put("I", who...)
		r.put("'ve", rest[0])
		r.his = true
		return
	}
	r.put("my", append(slices.Clone(who), rest[0])...)
}

// complements follow "is" and no possessive.
var complements = []string{"a", "an", "not", "in", "from", "at", "allergic", "vegan", "vegetarian", "married", "based", "no", "now", "currently"}

// adverb reports whether words begin with one that stands before a verb.
func (r *retelling) adverb(rest []*clause) bool {
	word := strings.ToLower(rest[0].text)
	switch word {
	case "and", "do", "does", "be", "been", "both", "all", "most", "here":
		return false
	case "no":
		return len(rest) > 1 && strings.EqualFold(rest[1].text, "longer")
	case "longer", "never", "not", "n't", ",":
		return true
	}
	return r.l.is("adverb", word) || strings.HasSuffix(word, "ly")
}

// verb returns the first person of a verb, and false for what is none.
func (r *retelling) verb(s string) (string, bool) {
	word := strings.ToLower(s)
	switch word {
	case "is":
		return "am", true
	case "has":
		return "have", true
	case "was", "'ve", "'ll":
		return word, true
	}
	if r.l.is("third", word) || strings.HasSuffix(word, "ed") {
		return s, true
	}
	return bareVerb(word)
}

// bareVerb takes the ending of the third person off a verb.
func bareVerb(word string) (string, bool) {
	stem, ok := strings.CutSuffix(word, "s")
	if !ok || len(stem) < 2 || strings.HasSuffix(stem, "s") || strings.HasSuffix(stem, "'") {
		return "", false
	}
	if base, ok := strings.CutSuffix(stem, "ie"); ok {
		if len(base) == 1 {
			return stem, true // dies, lies
		}
		return base + "y", true
	}
	base, ok := strings.CutSuffix(stem, "e")
	for _, ending := range []string{"ss", "sh", "ch", "x", "zz", "o"} {
		if ok && strings.HasSuffix(base, ending) && base != "sho" {
			return base, true
		}
	}
	return stem, true
}

// userInChinese is firstPerson for a language that does not bend its verbs.
func userInChinese(c *clause, in *Input) (*clause, bool) {
	w := &writer{c: &clause{from: c.from}}
	about := false
	for i := 0; i < len(c.text); {
		if n := userNamed(c.text, i, in); n > 0 {
			w.put("我", text.Span{Start: c.span[i].Start, End: c.span[i+n-1].End})
			i += n
			about = true
			i += retell(w, c, i)
			continue
		}
		_, size := utf8.DecodeRuneInString(c.text[i:])
		w.b.WriteString(c.text[i : i+size])
		w.c.span = append(w.c.span, c.span[i:i+size]...)
		i += size
	}
	if !about {
		return c, false
	}
	return w.done(), true
}

// retell writes the word at i that is said of a user but not of oneself the way
// one says it, and returns its length, 0 if there is none.
func retell(w *writer, c *clause, i int) int {
	for _, word := range saidOfUsers {
		rest, ok := strings.CutPrefix(c.text[i:], word.from)
		if !ok || word.noun != beginsWith(rest, noVerb) {
			continue
		}
		w.put(word.to, text.Span{Start: c.span[i].Start, End: c.span[i+len(word.from)-1].End})
		return len(word.from)
	}
	return 0
}

// saidOfUsers are words that no rule knows, for nobody says them of himself.
var saidOfUsers = []struct {
	from, to string
	noun     bool // only where what follows makes a noun of it
}{{"偏好", "更喜欢", false}, {"姓名", "名字", true}}

// noVerb follows a noun, not a verb.
var noVerb = []string{"是", "为", "：", "的", "叫", "设置", "，"}

// userNamed returns how many bytes at i name the user where a clause may begin.
func userNamed(s string, i int, in *Input) int {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	if i > 0 && !strings.ContainsRune("，；：。、（", before) {
		return 0
	}
	for _, name := range append([]string{"该用户", "这位用户", "本用户", "用户"}, in.UserNames...) {
		rest, ok := strings.CutPrefix(s[i:], name)
		if ok && rest != "" && utf8.RuneCountInString(name) > 1 && !beginsWith(rest, notUser) {
			return len(name)
		}
	}
	return 0
}

// notUser is what makes another word of 用户 (用户名, 用户体验), or ends it as a
// mere mention.
var notUser = []string{
	"名是", "名为", "名：", "名称", "数", "体验", "端", "量", "群", "画像", "界面", "认证", "登录", "服务", "表", "们", "组", "信息",
	"管理", "中心", "需求", "反馈", "研究", "增长", "协议", "权限", "模块", "系统", "接口", "：", "，", "。", "子", "儿", "路",
}

func beginsWith(s string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(s, w) })
}

// byUser returns the input as if the user said it.
func (in *Input) byUser() *Input {
	out := *in
	out.Speaker = ""
	return &out
}
