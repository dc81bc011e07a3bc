package conversation

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// answers looks at how a user's turn answers the turn before: a short answer gets
// its question, and an agreement makes the other's guess about the user his own
// word. from is the turn's first sentence.
func (r *reader) answers(i, from int) {
	sentences := r.talk.Sentences
	talk, last := r.last(i)
	if last < 0 || from >= len(sentences) || r.playing {
		return
	}
	before := talk.Of(last)
	if len(before) == 0 || before[0].Speaker == sentences[from].Speaker {
		return
	}
	if r.consent(&talk.Turns[last], before, from) {
		return
	}
	t := r.tongue(sentences[from].Text)
	if t.is("agree", sentences[from].Text) {
		if i > 0 {
			r.agreed(i-1, sentences[from].Speaker)
		}
		return
	}
	question := asked(before)
	if !strings.HasSuffix(question, "?") && !strings.HasSuffix(question, "？") && !asksZh(question) {
		r.followsUp(i, from)
		return
	}
	if from+1 < len(sentences) && takesUp(&sentences[from], talk.Turns[last].Content) { // "Acme? No, Globex."
		from++
		t = r.tongue(sentences[from].Text)
	}
	if s := &sentences[from]; s.Kind == Stated && t.isFragment(s.Text) {
		s.Prompted = question
		s.Said = r.reply(question, strings.TrimRight(s.Text, " .!。！"))
		r.inquired(s, question)
	}
}

// asked is the question that a turn ends with: that before a guess at its answer ("Where
// do you work? Acme?").
func asked(turn []Sentence) string {
	last := turn[len(turn)-1].Text
	if len(turn) > 1 && guessed.MatchString(last) && isForm(turn[len(turn)-2].Text) {
		return turn[len(turn)-2].Text
	}
	return last
}

// guessed matches a guess of a few words.
var guessed = lazy.MustCompile(`^(?:(?i:is it|at|in|maybe|perhaps|at) )*\p{Lu}[^,.;!?\s]*(?: [^,.;!?\s]+){0,3}\?$|^[^，。？ ]{1,10}[？?]$|^[^、。？ ]{1,12}(?:ですか)?[？?]$`)

// takesUp reports whether a sentence only repeats, as a question, words of what was
// asked.
func takesUp(s *Sentence, asked string) bool {
	words := strings.Trim(s.Text, edges)
	return s.Kind == Asked && guessed.MatchString(strings.TrimSpace(s.Text)) && words != "" && strings.Contains(asked, words)
}

// denial matches what an answer denies before it says how it is, and how it says that.
var denial = lazy.MustCompile(`(?i)^(?:(?:no|nope|nah|actually|sorry|wrong)\b[,.;:!–— -]*)+(?:(?:it'?s )?not [^,.;!?]{1,30}[,.;!–—-]+ *(?:but )?)?(?:it's |it is |i'm |they're |at |in |with |for )*` +
	`|^(?:it'?s )?(?:not|no longer) [^,.;!?]{1,30}[,.;!–—-]+ *(?:but )?(?:it's |in |at )?` +
	`|^(?:不是的?|不对|不|没有|错了)[，,。！ ]+(?:不是[^，。,]{1,10}[，,。]+)?(?:而?是|应该是)?(?:在|叫)?` +
	`|^不是[^，。,]{1,10}[，,。 ]+(?:而?是|应该是)?(?:在|叫)?` +
	`|^(?:いいえ|いえ|いや|違います|違う)[、。， ]+(?:[^、。]{1,12}(?:じゃなくて|ではなくて)、?)?`)

// nowhere matches an answer that says that there is none.
var nowhere = lazy.MustCompile(`(?i)^(?:nowhere|none|nothing|nobody|neither|not|no|never|any|un\w+|retired|thanks?|idea|just|still|really|please|because|since|but|what|why|that|this|they|we|he|she|you|i|i'm|i've|my|don't|do)\b|^(?:没|无|不|我|你|他|她|这|那|什么|哪|就|真)|^(?:ない|なし|いません)`)

// reply says what an answer says to its question; one that denies what was guessed
// without saying how it is says no more than itself.
func (r *reader) reply(question, answer string) string {
	head := denial.FindString(answer)
	if head == "" {
		return answered(question, answer)
	}
	rest := strings.TrimSpace(answer[len(head):])
	switch guess, ok := ownWord(question); {
	case rest == "" || nowhere.MatchString(rest):
		return ""
	case isForm(question):
		return answered(question, rest)
	case ok && r.amended != nil:
		mark := ", no wait, "
		if script(guess) != "en" {
			mark = "，不对，"
		}
		if said, ok := r.amended(strings.TrimRight(guess, " .。") + mark + rest); ok {
			return said
		}
	}
	return answered(question, answer)
}

// isForm reports whether an answer to a question makes a sentence with it.
func isForm(question string) bool {
	return slices.ContainsFunc(answerForms, func(f answerForm) bool { return f.question.MatchString(question) })
}

// A turn that goes on with a question is a scrap of so many words.
const (
	scrapWords = 3
	scrapRunes = 6
)

// followsUp makes a scrap that comes after a question and its answer a question of
// its own: "What is the plural of octopus?", "Octopuses.", "and platypus".
func (r *reader) followsUp(i, from int) {
	s := &r.talk.Sentences[from]
	if i < 2 || len(r.talk.Sentences) > from+1 || s.Kind != Stated || !r.tongue(s.Text).isScrap(s.Text) || !r.onlyAsks(i-2) {
		return
	}
	s.Kind, s.Why = Asked, whyQuestion
}

// onlyAsks reports whether a turn asks and states nothing.
func (r *reader) onlyAsks(turn int) bool {
	asks := false
	for _, s := range r.talk.Of(turn) {
		if s.Kind == Stated {
			return false
		}
		asks = asks || s.Kind == Asked
	}
	return asks
}

func (t tongue) isScrap(s string) bool {
	if t.has("first", s) {
		return false
	}
	if script(s) == "en" {
		return len(strings.Fields(s)) <= scrapWords
	}
	return utf8.RuneCountInString(s) <= scrapRunes
}

// asksZh reports whether a sentence of Chinese or Japanese asks without a question mark.
func asksZh(s string) bool {
	t := tongueOf(s)
	return t.code != "en" && t.has("asking", s) && !t.has("unasked", s)
}

// An answer is a fragment up to so many words: a longer one says what it is about.
const (
	fragmentWords = 7
	fragmentRunes = 14
)

func (t tongue) isFragment(s string) bool {
	switch {
	case t.code != "en" && t.spaced():
		return len(strings.Fields(s)) <= fragmentWords && !t.has("first", s)
	case script(s) == "en":
		return len(strings.Fields(s)) <= fragmentWords && !subject.MatchString(s)
	}
	return utf8.RuneCountInString(s) <= fragmentRunes && !strings.ContainsAny(s, "我咱俺私僕")
}

// subject matches what begins like a whole sentence of the first person.
var subject = lazy.MustCompile(`(?i)^\W*(?:i|i'm|i’m|we|we're|my|our)\b`)

// answerForm tells how a question's answer is said in one sentence.
type answerForm struct {
	question *lazy.Regexp
	answer   string // $1 of the question, %s the answer
}

var answerForms = []answerForm{
	{lazy.MustCompile(`(?i)\bwhere (?:do you live|are you (?:based|living|located)|in the world are you)`), "I live in %s"},
	{lazy.MustCompile(`(?i)\bwhat(?:'s| is|’s) your name\b|\bmay i (?:ask|have) your name`), "My name is %s"},
	{lazy.MustCompile(`(?i)\bwhat (?:should|can|may|shall) i call you`), "Call me %s"},
	{lazy.MustCompile(`(?i)\bwhat do you do\b(?: for (?:a living|work))?|\bwhat(?:'s| is|’s) your (?:job|occupation|profession)`), "I work as %s"},
	{lazy.MustCompile(`(?i)\bhow old are you`), "My age is %s"},
	{lazy.MustCompile(`(?i)\bwhen(?:'s| is|’s) your birthday`), "My birthday is %s"},
	{lazy.MustCompile(`(?i)\bwhat(?:'s| is|’s| are) your (favou?rite [\w ]{2,30}?)\s*\?`), "My $1 is %s"},
	{lazy.MustCompile(`(?i)\bwho(?:'s| is|’s) your (favou?rite [\w ]{2,30}?)\s*\?`), "My $1 is %s"},
	{lazy.MustCompile(`(?i)\bwhere do you work\b|\bwho do you work for\b`), "I work at %s"},
	{lazy.MustCompile(`(?i)\bwhat are you allergic to|\bany (?:food )?allergies\b`), "I am allergic to %s"},
	{lazy.MustCompile(`(?i)\bwhere are you from\b`), "I am from %s"},
	{lazy.MustCompile(`(?:您|你)(?:现在)?(?:住|居住)(?:在)?(?:哪|什么)`), "我住在%s"},
	{lazy.MustCompile(`(?:您|你)(?:叫|姓)什么|(?:您|你)的名字|怎么称呼|贵姓`), "我叫%s"},
	{lazy.MustCompile(`(?:您|你)(?:是)?(?:做|从事)(?:什么|啥|哪)|(?:您|你)的(?:职业|工作)是`), "我的工作是%s"},
	{lazy.MustCompile(`(?:您|你)(?:今年)?(?:多大|几岁)`), "我的年龄是%s"},
	{lazy.MustCompile(`(?:您|你)(?:的)?生日是`), "我的生日是%s"},
	{lazy.MustCompile(`(?:您|你)(最喜欢的[\p{Han}]{1,8}?)(?:是|有)`), "我${1}是%s"},
	{lazy.MustCompile(`(?:您|你)(?:是)?(?:哪里|哪儿|什么地方)人|(?:您|你)来自哪`), "我来自%s"},
	{lazy.MustCompile(`(?:您|你)(?:现在)?在(?:哪里|哪儿|哪|哪家公司|什么公司|哪个公司)(?:工作|上班)`), "我在%s工作"},
	{lazy.MustCompile(`(?:您|你)对什么过敏`), "我对%s过敏"},
	{lazy.MustCompile(`どこに(?:住んで|お住まい)|お住まいはどこ|どちらにお住まい`), "%sに住んでいます"},
	{lazy.MustCompile(`どこで(?:働いて|お勤め)|(?:お勤め先|勤務先|会社)は(?:どこ|どちら|何)`), "%sで働いています"},
	{lazy.MustCompile(`(?:お名前|名前)は(?:何|なん)`), "名前は%sです"},
	{lazy.MustCompile(`(?:您|你)(?:平时|一般)?喜欢(?:吃|喝|看|听|玩)?(?:什么|哪)`), "我喜欢%s"},
}

// copulaJa matches the end of an answer that says no more than that it is so.
var copulaJa = lazy.MustCompile(`(?:です|だ)(?:よ|ね)*$`)

// unfit matches an answer that tells no name or place that was asked for: "From home."
var unfit = lazy.MustCompile(`(?i)^(?:nowhere|none|nothing|nobody|neither|not|never|no idea|from|in my|on my|depends|because)\b|^(?:fine|good|great|ok|okay|sure|yes|no)\W*$`)

// answered says an answer with its question: as one sentence where the question
// is of a known form, else one after the other.
func answered(question, answer string) string {
	for _, f := range answerForms {
		m := f.question.FindStringSubmatchIndex(question)
		if m == nil {
			continue
		}
		form := string(f.question.ExpandString(nil, f.answer, question, m))
		answer = strings.TrimRight(answer, " .。!！")
		if script(question) == "ja" {
			answer = copulaJa.ReplaceAllString(answer, "")
		}
		before, after, _ := strings.Cut(form, "%s")
		if answer := goingOn(before, answer); !unfit.MatchString(answer) {
			return before + answer + after
		}
		break
	}
	return question + " " + answer
}

// pointing matches what an answer begins with and a sentence of its own does without.
var pointing = lazy.MustCompile(`(?i)^(?:(?:it|that)(?:['’]s| is) |就?是)`)

// goingOn is an answer as it goes on after words: without what these say already, as
// "In Rauma" after "I live in ", or 在昆明 after 我住在.
func goingOn(before, answer string) string {
	answer = strings.TrimPrefix(answer, pointing.FindString(answer))
	for i, r := range before {
		word := i == 0 || r >= utf8.RuneSelf || before[i-1] == ' '
		if said := before[i:]; word && len(said) < len(answer) && strings.EqualFold(answer[:len(said)], said) {
			return answer[len(said):]
		}
	}
	return answer
}

// agreed makes the guesses about the user in a turn the user's own word.
func (r *reader) agreed(turn int, speaker string) {
	for k := range r.talk.Sentences {
		s := &r.talk.Sentences[k]
		if s.Turn != turn || s.Kind != Claimed {
			continue
		}
		said, ok := ownWord(s.Text)
		if last := k+1 == len(r.talk.Sentences) || r.talk.Sentences[k+1].Turn != turn; !ok && last {
			said, ok = affirmed(s.Text)
		}
		if ok {
			s.Kind, s.Why, s.Speaker, s.Said = Stated, "", speaker, said
		}
	}
}

// guess matches a sentence that says of the one spoken to what he is, has or
// likes; offer matches what only sounds like that.
var (
	guess = lazy.MustCompile(`(?i)^(?:so|and|ah|oh|then|i see|i (?:guess|think|believe|assume|take it|understand|gather|remember)(?: that)?)?[,:]?\s*(?:you(?:'re|’re| are| live| work| like| love| hate| prefer| have| own| speak| play| grew up| were born| moved| study| teach| always| usually| never| don't| do not)|your (?:name|job|birthday|wife|husband|partner|son|daughter|dog|cat|favou?rite \w+|home|company|boss|mother|father|mum|dad|kids?|children)\b)`)
	offer = lazy.MustCompile(`(?i)\b(?:can|could|should|would|will|want|need|might|may|try|if|welcome|right|correct|able|going to|looking|asking|ready|wrong|trying)\b`)
	tag   = lazy.MustCompile(`(?i)[,\s]+(?:right|correct|yes|is that right|is that correct|don't you|aren't you|no)\s*\?*$`)

	guessZh = lazy.MustCompile(`^(?:所以|那么|那|也就是说|我猜|我想|看来|原来)?[，,]?(?:您|你)(?:是|住|在|喜欢|爱|讨厌|有|会|不|叫|来自|的|对|从|做|养|家)`)
	offerZh = lazy.MustCompile(`可以|应该|需要|想要|要不要|如果|建议|不妨|试试|请`)
	tagZh   = lazy.MustCompile(`(?:，|,)?(?:对吗|对吧|是吗|是吧|是不是|没错吧|吧|吗)?[？?。]*$`)
)

// ownWord turns a guess about the user into his own words: "You live in Porto,
// right?" into "I live in Porto".
func ownWord(s string) (string, bool) {
	if script(s) != "en" {
		if !guessZh.MatchString(s) || offerZh.MatchString(s) {
			return "", false
		}
		return strings.NewReplacer("您", "我", "你", "我").Replace(tagZh.ReplaceAllString(s, "")), true
	}
	core := tag.ReplaceAllString(strings.TrimRight(s, ". "), "")
	if !guess.MatchString(s) || offer.MatchString(core) {
		return "", false
	}
	return turned(strings.TrimRight(core, "?!. ")), true
}

// askedOfYou matches a question of yes or no about the one spoken to.
var askedOfYou = lazy.MustCompile(`(?i)^(?:so|and|ah|oh|then)?[, ]*(are|do|have|were) you (.{2,80}?)(?: then)?\?+$`)

// whim matches what a yes says for the moment only.
var whim = lazy.MustCompile(`(?i)\b(?:sure|okay|ok|happy|done|there|still|here|free|available|serious|kidding|satisfied|familiar|mean|know|remember|see|agree|mind|think|find|plan|now|today|tonight|tomorrow|it|this|that|these|those|me)\b`)

// affirmed turns a question of yes or no into what a yes says: "Are you vegetarian?"
// into "I am vegetarian".
func affirmed(s string) (string, bool) {
	m := askedOfYou.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || offer.MatchString(m[2]) || whim.MatchString(m[2]) {
		return "", false
	}
	verb := map[string]string{"are": "I am ", "do": "I ", "have": "I have ", "were": "I was "}[strings.ToLower(m[1])]
	return verb + inFirstPerson(m[2]), true
}

var (
	leadIn  = lazy.MustCompile(`(?i)^(?:so|and|ah|oh|then|i see|i (?:guess|think|believe|assume|take it|understand|gather|remember)(?: that)?)[,:]?\s+`)
	persons = lazy.MustCompile(`(?i)\byou(?:'re|’re| are)\b|\byou were\b|\byou(?:'ve|’ve)\b|\byourself\b|\byours\b|\byour\b|\byou\b`)
	turns   = map[string]string{
		"you're": "I'm", "you’re": "I'm", "you are": "I am", "you were": "I was", "you've": "I've", "you’ve": "I've",
		"yourself": "myself", "yours": "mine", "your": "my", "you": "I",
	}
)

// turned puts the second person into the first and the first letter in upper case.
func turned(s string) string {
	s = inFirstPerson(leadIn.ReplaceAllString(s, ""))
	r, size := utf8.DecodeRuneInString(s)
	return strings.ToUpper(string(r)) + s[size:]
}

// inFirstPerson puts the second person into the first.
func inFirstPerson(s string) string {
	return persons.ReplaceAllStringFunc(s, func(p string) string { return turns[strings.ToLower(p)] })
}
