package conversation

import (
	"strings"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// Reasons for people.
const (
	whySecret   = "asked not to be kept"
	whyPlay     = "said in a game of roles"
	whyInvented = "belongs to an invented text"
	whyDraft    = "about a text that is being written"
	whySupposed = "supposed, not said to be so"
	whyJoke     = "a joke or irony"
	whyExample  = "an example"
	whyHearsay  = "what others say"
	whyTask     = "a text to be worked on"
	whyForward  = "another's words, passed on"
	whyLetter   = "a letter, not said of oneself here"
	whyQuestion = "a question or request"
	whyKeep     = "asks to keep what was said before it"
	whySocial   = "a courtesy"
	whyPassing  = "a passing state"
)

// turnReading is what a user's turn as a whole says about its parts.
type turnReading struct {
	tongue
	content string
	all     Kind   // of all its prose, where that is one; else Stated
	why     string // of all
	quotes  bool   // whatever stands in quotes is quoted, a title too
	foreign int    // from this byte on it is text to be worked on; -1: none
	head    int    // where what heads that text begins; -1: nowhere
	back    bool   // after such a text he speaks himself again
	dreams  bool   // what comes next belongs to a dream that is being told
}

// begin reads a user's turn as a whole and moves the reader's state on.
func (r *reader) begin(content string) *turnReading {
	w := &turnReading{tongue: r.tongue(content), content: content, foreign: -1, head: -1}
	switch prose := withoutQuoted(content); {
	case w.has("secret", prose) && !w.has("unsecret", prose):
		w.all, w.why = Confidential, whySecret
	case r.plays(w, prose):
		w.all, w.why = Fiction, whyPlay
	case w.has("creative", prose) && !w.has("lasting", prose):
		w.all, w.why = Fiction, whyInvented
		r.drafting = true
	case r.drafts(w, prose):
		w.all, w.why = Asked, whyDraft
	case w.jests(prose):
		w.all, w.why = Fiction, whyJoke
	default:
		w.marks(content)
	}
	return w
}

// plays reports whether a turn belongs to a game of roles.
func (r *reader) plays(w *turnReading, prose string) bool {
	if r.playing && w.has("stop", prose) {
		r.playing = false
	} else if !r.playing && w.has("play", prose) {
		r.playing = true
	}
	return r.playing
}

// drafts reports whether a turn speaks of a text that is being invented: it
// follows a request for one and says nothing of the speaker himself.
func (r *reader) drafts(w *turnReading, prose string) bool {
	if r.drafting && w.has("first", prose) {
		r.drafting = false
	}
	return r.drafting
}

// jests reports whether a turn takes back what it says: "just kidding" at its end.
func (w *turnReading) jests(prose string) bool {
	return w.has("kidding", prose)
}

// marks finds where a text that is not the speaker's own begins.
func (w *turnReading) marks(content string) {
	switch {
	case w.find("forward", content) >= 0:
		w.foreign, w.why = w.find("forward", content), whyForward
	case w.heads(content):
		w.quotes, w.why = true, whyTask
	case w.find("letter", content) >= 0:
		w.foreign, w.why = w.find("letter", content), whyLetter
	case w.has("task", content) && !w.begins("noting", content):
		w.quotes = true
		w.foreign, w.why = w.after("task", content), whyTask
	}
}

// heads finds the head of a text that was pasted with it, and reports whether one is
// there.
func (w *turnReading) heads(content string) bool {
	at := w.span("headed", content)
	if at == nil || strings.Trim(content[at.End:], edges) == "" {
		return false
	}
	head := at.Start + len(content[at.Start:]) - len(strings.TrimLeft(content[at.Start:], edges))
	if ended(content[:at.End]) && spokenOf.MatchString(content[at.Start:at.End]) {
		return false
	}
	if lead := content[strings.LastIndexAny(content[:head], ".!?\n")+1 : head]; ownWork.MatchString(lead) && !asksHelp.MatchString(lead) {
		return false
	}
	w.foreign, w.head = at.End, head
	return true
}

// ended reports whether words end as a sentence does.
func ended(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return strings.ContainsRune(".!?。！？", r)
}

// spokenOf matches a sentence that speaks of a text that does not follow: when it is to be
// read, or who sent it.
var spokenOf = lazy.MustCompile(`(?i)\b(?:today|tonight|tomorrow|yesterday|later|soon|so far|ever|(?:this|next|last) (?:week|weekend|month|year|semester|term)|of the (?:day|week|month|year)|you (?:sent|wrote|gave|made|found|shared)|when you|before|after|by (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|今天|明天|今晚|晚上|周末|下周|这周|待会|回头|明日|今夜|後で|あとで|来週`)

// ownWork matches what stands before a work that the speaker does himself: "I have to
// check my homework"; asksHelp what makes of it one that he asks for.
var (
	ownWork  = lazy.MustCompile(`(?i)\b(?:i|we|i'll|we'll|i'm|we're|he|she|they|my|to)\b`)
	asksHelp = lazy.MustCompile(`(?i)\byou\b|\bplease\b|\b(?:want|need|like|love|appreciate|get)\b|\bhelp\b`)
)

// after returns where the text begins that a task names: after its colon, unless
// quotes follow, which show themselves where it ends. -1: nowhere.
func (w *turnReading) after(name, content string) int {
	start := w.find(name, content)
	if start < 0 {
		return -1
	}
	colon := strings.IndexAny(content[start:], ":：")
	if below := w.below(start, content); below >= 0 && (colon < 0 || below < start+colon) || colon < 0 {
		return below
	}
	rest := content[start+colon:]
	_, size := utf8.DecodeRuneInString(rest)
	if body := strings.TrimLeft(rest[size:], " \t"); body == "" || strings.ContainsRune("\"“‘「『'«„", firstRune(body)) {
		return -1
	}
	return start + colon + size
}

// below returns where the lines begin that stand below a task of Japanese, which takes
// no colon. -1: nowhere.
func (w *turnReading) below(start int, content string) int {
	line := strings.IndexByte(content[start:], '\n')
	if w.code != "ja" || line < 0 || strings.TrimSpace(content[start+line:]) == "" {
		return -1
	}
	return start + line
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// withoutQuoted returns a content with blanks for what stands in quotes and in
// quoted lines, whose words say nothing about the turn.
func withoutQuoted(content string) string {
	blank := func(s string) string { return strings.Repeat(" ", len(s)) }
	content = quotation.ReplaceAllStringFunc(content, func(q string) string {
		if speech(q) {
			return blank(q)
		}
		return q
	})
	lines := strings.Split(content, "\n")
	for i, line := range lines {
		if kind, _ := lineKind(line); kind != Stated {
			lines[i] = blank(line)
		}
	}
	return strings.Join(lines, "\n")
}

// block reads a block of prose of the turn.
func (w *turnReading) block(b block) []piece {
	var out []piece
	for _, p := range sentences(w.content, b.start, b.end) {
		switch {
		case w.all != Stated:
			p.kind, p.why = w.all, w.why
			out = append(out, p)
		case w.foreign >= 0 && p.end > w.foreign && !w.resumes(p):
			out = append(out, w.split(p)...)
		case p.start <= w.head && w.head < p.end && !w.has("first", w.content[p.start:w.head]):
			p.kind, p.why = Asked, whyQuestion
			out = append(out, p)
		default:
			out = append(out, w.dreamt(p, w.inTongue(w.content[p.start:p.end]).sentence(p))...)
		}
	}
	return out
}

// resumes reports whether a speaker goes on in his own words after a text that was to be
// worked on: "By the way, …" in a paragraph of its own.
func (w *turnReading) resumes(p piece) bool {
	before := strings.TrimRight(w.content[:p.start], " \t")
	apart := strings.HasSuffix(before, "\n") || p.start >= w.foreign && len(before) <= w.foreign && ended(before) // "Here's my draft. By the way, …"
	if w.back = w.back || p.start >= w.foreign && apart && w.begins("awake", w.content[p.start:p.end]); w.back {
		w.quotes = false
	}
	return w.back
}

// dreamt takes what a sentence states for the tale of a dream where one is being told:
// "I had a weird dream. I was prime minister."
func (w *turnReading) dreamt(p piece, parts []piece) []piece {
	s := w.content[p.start:p.end]
	if w.dreams && w.begins("awake", s) {
		w.dreams = false
	}
	for i := range parts {
		if w.dreams && parts[i].kind == Stated {
			parts[i].kind, parts[i].why = Fiction, whySupposed
		}
	}
	w.dreams = w.dreams || w.has("dream", s)
	return parts
}

// split is a sentence of which the end, or all, is not the speaker's own.
func (w *turnReading) split(p piece) []piece {
	var out []piece
	if p.start < w.foreign {
		for _, own := range appendPiece(nil, w.content, piece{start: p.start, end: w.foreign}) {
			own.kind, own.why = Asked, whyQuestion
			out = append(out, own)
		}
	}
	return appendPiece(out, w.content, piece{max(p.start, w.foreign), p.end, Quoted, w.why})
}

// sentence judges a sentence; a question that also states something comes in
// parts.
func (w *turnReading) sentence(p piece) []piece {
	if p.kind != Stated {
		return []piece{p}
	}
	s := w.content[p.start:p.end]
	if w.quotes {
		if s = unquoted(s); w.code == "ja" && quotation.FindString(s) == s {
			p.kind, p.why = Quoted, whyTask
			return []piece{p}
		}
	}
	if w.begins("told", s) {
		p.end -= len(s) - len(strings.TrimSuffix(strings.TrimRight(s, "?？ "), "吗"))
		s = w.content[p.start:p.end]
	}
	if p.kind, p.why = w.kind(s); p.kind != Asked || p.why == whyKeep {
		return []piece{p}
	}
	if parts := w.stating(p); parts != nil {
		return parts
	}
	return []piece{p}
}

// unquoted returns a sentence less what stands in quotes.
func unquoted(s string) string {
	if out := quotation.ReplaceAllString(s, " "); strings.TrimSpace(out) != "" {
		return out
	}
	return s
}

// kind judges a sentence by its own words.
func (w *turnReading) kind(s string) (Kind, string) {
	switch {
	case w.has("supposed", s) || w.begins("suppose", s):
		return Fiction, whySupposed
	case w.has("joke", s):
		return Fiction, whyJoke
	case w.has("hearsay", s):
		return Quoted, whyHearsay
	case w.has("invented", s) || w.begins("example", s):
		return Fiction, whyExample
	case w.is("social", s) || w.is("agree", s) || w.is("deny", s) && short(s):
		return Social, whySocial
	case w.is("passing", s):
		return Transient, whyPassing
	case AsksToKeepBefore(s):
		return Asked, whyKeep
	case w.asks(s):
		return Asked, whyQuestion
	}
	return Stated, ""
}

// asks reports whether a sentence asks, or requests a thing without wishing it
// for always. "Let's go with Postgres" only looks like a request.
func (w *turnReading) asks(s string) bool {
	if w.begins("told", s) { // "Can you remember that I hate olives?"
		return false
	}
	if end := strings.TrimRight(s, " \"'”’)）"); strings.HasSuffix(end, "?") || strings.HasSuffix(end, "？") {
		return !w.has("forever", s)
	}
	return w.requests(s) && !w.settles(s)
}

// byTheWay matches what announces a remark and asks for nothing, though "say" stands
// in it.
var byTheWay = lazy.MustCompile(`^(?:对了|哦|还有|另外|[，, ])*(?:顺便|顺带|先|补充|多)(?:再)?(?:说|提|讲|补充)(?:一下|一句|一嘴|下)[，,：: ]+`)

// requests reports whether a sentence without a question mark asks for something.
func (w *turnReading) requests(s string) bool {
	s = byTheWay.ReplaceAllString(s, "")
	if w.begins("question", s) && w.spaced() {
		return true
	}
	if w.has("asking", s) && !w.has("unasked", s) {
		return true
	}
	return w.begins("request", s) && !w.has("standing", s)
}

// stating takes a sentence that asks apart and returns its parts, asked and
// stated, or nil where it only asks.
func (w *turnReading) stating(p piece) []piece {
	parts := clauses(w.content, p.start, p.end)
	asked, stated := false, false
	for i := range parts {
		c := w.content[parts[i].start:parts[i].end]
		last := i == len(parts)-1
		switch {
		case stated && w.begins("wish", c): // "I'm dyslexic, so could you use short paragraphs?"
		case last && strings.ContainsAny(w.content[parts[i].start:p.end], "?？") || w.clauseAsks(c, asked):
			asked = true
			parts[i].kind, parts[i].why = Asked, whyQuestion
		case w.says(c):
			stated = true
		}
	}
	if !stated {
		return nil
	}
	return merged(parts)
}

// clauseAsks reports whether a clause belongs to the question: it asks itself, or
// comes after the question and speaks neither of the speaker nor of whom it named.
func (w *turnReading) clauseAsks(c string, asked bool) bool {
	return w.asks(c) || w.begins("question", c) && w.code != "zh" || asked && !w.has("first", c) && !w.has("standing", c) && !w.begins("other", c)
}

// Words that a clause must have to say anything by itself.
const (
	clauseWords = 3
	clauseRunes = 3
)

// says reports whether a clause that does not ask says something by itself.
func (w *turnReading) says(c string) bool {
	switch {
	case w.is("social", c) || w.is("passing", c):
		return false
	case w.spaced():
		n := len(strings.Fields(c))
		return n >= clauseWords || n == clauseWords-1 && w.begins("first", c)
	}
	return utf8.RuneCountInString(c) >= clauseRunes
}

// merged joins neighbours of one kind, with what stands between them.
func merged(parts []piece) []piece {
	var out []piece
	for _, p := range parts {
		if n := len(out); n > 0 && out[n-1].kind == p.kind {
			out[n-1].end = p.end
			continue
		}
		out = append(out, p)
	}
	return out
}

// shortWords bounds an answer of yes or no with a few words after it.
const shortWords = 3

func short(s string) bool {
	if script(s) == "en" {
		return len(strings.Fields(s)) <= shortWords
	}
	return utf8.RuneCountInString(s) <= 2*shortWords
}
