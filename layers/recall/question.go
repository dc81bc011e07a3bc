package recall

import (
	"slices"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/storage"
)

// Question is what a query asks for.
type Question struct {
	Terms  []string // what is looked up
	Folded string   // the whole query, for identical texts and names

	Speaker   string          // the one speaker that is named; "" if none or several are
	BySpeaker bool            // what the speaker said is asked for, whatever it was
	Me        bool            // the user asks about himself, and no speaker is named
	When      bool            // a time is asked for
	Who       bool            // a name is asked for
	Latest    bool            // the newest is asked for
	Spans     []Span          // times that are named
	Layers    []storage.Layer // kinds that are named

	words map[string]bool // all terms, as a set
}

// Span is a stretch of time that a query names, [From, To).
type Span struct {
	From, To time.Time
	Coarse   bool // said as a month, a season or a year
	sharp    bool // "before 2023": nothing beside it is near
	open     bool // "from May": an "until" behind it ends the same span
}

// Speakers are the people who speak in the sessions of a store.
type Speakers interface {
	// Named returns the speakers whose names have one of the terms.
	Named(terms []string) []string
	// NameOnly reports whether a term is part of a speaker's name and of no
	// entity's: then it says who speaks, not what about.
	NameOnly(term string) bool
}

// Understand reads a query. ref is the moment it is asked at, in the location
// whose days count; years are those that the records fall in, for dates without
// one. Dates and the names of speakers are taken out of the terms, since they
// act as factors; if nothing were left, everything stays.
func Understand(query string, ref time.Time, years []int, speakers Speakers) Question {
	found := dates.Query(query, ref, years)
	q := Question{
		Folded: text.Fold(query),
		When:   asksWhen.MatchString(query), Who: asksWho.MatchString(query),
		Latest: asksLatest.MatchString(query),
		Spans:  spansOf(found), Layers: layersOf(query),
	}
	all := text.QueryTerms(query)
	q.words = Set(all)
	named := speakers.Named(all)
	if len(named) == 1 {
		q.Speaker = named[0]
	}
	q.Me = len(named) == 0 && asksMe.MatchString(query)
	rest := query
	if len(q.Spans) > 0 {
		rest = calendar.ReplaceAllString(query, " ")
	}
	for _, t := range text.QueryTerms(rest) {
		if !speakers.NameOnly(t) {
			q.Terms = append(q.Terms, t)
		}
	}
	q.BySpeaker = q.Speaker != "" && onlyAsks(q.Terms)
	if len(q.Terms) == 0 && len(q.Spans) == 0 {
		q.Terms = all
	}
	return q
}

// onlyAsks reports whether terms say nothing but that something was said.
func onlyAsks(terms []string) bool {
	for _, t := range terms {
		if !slices.Contains([]string{"say", "tell", "talk", "mention", "speak", "说", "过"}, t) {
			return false
		}
	}
	return true
}

// calendar finds the words of a date that act as a span alone. What else was
// said of it stays among the terms, since turns say it too: summer, weekend,
// Saturday, last week.
var calendar = func() *lazy.Regexp {
	const month = `(?:January|February|March|April|May|June|July|August|September|October|November|December)`
	return lazy.MustCompile(month + `\s+\d{1,2}(?:st|nd|rd|th)?\b(?:,?\s+\d{4}\b)?` +
		`|\b\d{1,2}(?:st|nd|rd|th)?\s+(?:of\s+)?` + month + `(?:,?\s+\d{4}\b)?` +
		`|` + month + `,?\s+\d{4}\b|\b[Ii]n ` + month + `\b|\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b` +
		`|(?:\d{4}|[一二三四五六七八九〇零]{4})年(?:\d{1,2}月(?:\d{1,2}[日号])?)?|\d{1,2}月(?:\d{1,2}[日号]|份)?`)
}()

func spansOf(found []dates.Found) []Span {
	var out []Span
	for _, f := range found {
		if f.Range.From.IsZero() || f.Range.To.IsZero() || f.Duration || f.Recurring {
			continue
		}
		s := spanOf(f.Range)
		if f.Role == dates.Until && slices.ContainsFunc(out, func(o Span) bool { return o.open }) {
			out = closed(out, s.To)
			continue
		}
		s.open = f.Role == dates.From
		out = append(out, s.side(f.Role))
	}
	return out
}

// side stretches a span to the side that its role names: since and from go on,
// until and by begin anywhere, before ends where the time begins, after begins
// where it ends.
func (s Span) side(role dates.Role) Span {
	switch role {
	case dates.Since:
		s.To = endOfTime
	case dates.Until, dates.By:
		s.From = time.Time{}
	case dates.Before:
		s.From, s.To = time.Time{}, s.From
	case dates.After:
		s.From, s.To = s.To, endOfTime
	default:
		return s
	}
	s.sharp = true
	return s
}

// endOfTime is later than anything that is remembered.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// closed ends the open span that an "until" belongs to: the latest that begins
// before it. The others are the same words read with another year, and go.
func closed(spans []Span, to time.Time) []Span {
	best := -1
	for i, s := range spans {
		if s.open && s.From.Before(to) && (best < 0 || s.From.After(spans[best].From)) {
			best = i
		}
	}
	var out []Span
	for i, s := range spans {
		if i == best {
			s.To, s.open = to, false
		}
		if !s.open {
			out = append(out, s)
		}
	}
	return out
}

// spanOf widens what was said in months or more to whole ones: "early January"
// is said of all that January holds.
func spanOf(r dates.Range) Span {
	s := Span{From: r.From, To: r.To, Coarse: r.Unit >= dates.Month || r.To.Sub(r.From) > 8*24*time.Hour}
	if s.Coarse {
		y, m, _ := r.From.Date()
		s.From = time.Date(y, m, 1, 0, 0, 0, 0, r.From.Location())
		y, m, d := r.To.Date()
		if d > 1 {
			m++
		}
		s.To = time.Date(y, m, 1, 0, 0, 0, 0, r.To.Location())
	}
	return s
}

// Questions for a time, a name, and about oneself, in English and Chinese.
var (
	asksWhen   = lazy.MustCompile(`(?i)^\s*when\b|what (?:date|day|month|year|time)\b|how long ago|which (?:year|month|day)|什么时候|何时|几点|几号|哪[一]?[天年月日]|多久以前`)
	asksWho    = lazy.MustCompile(`(?i)\b(?:who|where|which|whose)\b|what (?:is|was|are|were) the names?|name of|called|what (?:book|movie|game|song|band|city|country|state|place)|谁|哪[里儿个位]|什么地方|叫什么|名字`)
	asksLatest = lazy.MustCompile(`(?i)\b(?:latest|newest|most recent(?:ly)?|last entry|last time|current(?:ly)?|these days|right now|nowadays)\b|最新|最近|最后一次|上一次|目前|现在|当前`)
	asksMe     = lazy.MustCompile(`\b(?:I|my|me|mine)\b|我`)
)

// layerCues are words by which a query names a kind of memory.
var layerCues = []struct {
	layer storage.Layer
	cue   *lazy.Regexp
}{
	{storage.Preference, lazy.MustCompile(`(?i)\b(?:prefer\w*|favou?rite\w*|likes?|loves?|hates?|dislikes?|preferences?)\b|喜欢|偏好|更爱|讨厌|最爱`)},
	{storage.Activity, lazy.MustCompile(`(?i)\b(?:plans?|planned|planning|schedule\w*|upcoming|appointments?|meetings?|trips?)\b|计划|安排|日程|打算|行程`)},
	{storage.Experience, lazy.MustCompile(`(?i)\b(?:lessons?|learn(?:ed|t)|mistakes?|experiences?)\b|教训|经验|学到`)},
	{storage.Identity, lazy.MustCompile(`(?i)\bwho am i\b|\bmy (?:name|job|family|birthday|address)\b|我是谁|我叫|我的(?:名字|工作|职业|家人|生日)`)},
}

func layersOf(query string) []storage.Layer {
	var out []storage.Layer
	for _, c := range layerCues {
		if c.cue.MatchString(query) {
			out = append(out, c.layer)
		}
	}
	return out
}

// The factors of a candidate, tuned on LoCoMo's conversations 0–4 alone.
const (
	factorSpeaker  = 1.2  // said by the one who is named, or by the user about himself
	factorQuestion = 0.85 // a short question answers nothing
	factorTime     = 1.4  // holds a time when one is asked for
	factorName     = 1.1  // holds a name when one is asked for
	factorLayer    = 1.1  // is of the kind that is named
	factorLatest   = 0.25 // more for the newest candidate than for the oldest
)

// Facts are what factors ask of a document.
type Facts struct {
	Traits  Trait
	Speaker string
	User    bool // role user
	Layer   storage.Layer
}

// Factor is by how much a document's nature fits the question.
func (q *Question) Factor(f *Facts) (factor, layer float64) {
	factor = 1
	if q.Speaker != "" && f.Speaker == q.Speaker || q.Me && f.User {
		factor *= factorSpeaker
	}
	if f.Traits&ShortQuestion != 0 {
		factor *= factorQuestion
	}
	if q.When && f.Traits&HasTime != 0 {
		factor *= factorTime
	}
	if q.Who && f.Traits&HasName != 0 {
		factor *= factorName
	}
	for _, l := range q.Layers {
		if l == f.Layer {
			return factor * factorLayer, 1
		}
	}
	return factor, 0
}

// Recent raises candidates by their place between the oldest and the newest,
// when the latest is what is asked for. Else recency has no say: it cost on every
// set it was tried on.
func (q *Question) Recent(cs []*Candidate) {
	if !q.Latest || len(cs) == 0 {
		return
	}
	low, high := cs[0].Said, cs[0].Said
	for _, c := range cs {
		low, high = min(low, c.Said), max(high, c.Said)
	}
	for _, c := range cs {
		c.Factor *= 1 + factorLatest*float64(c.Said-low)/float64(max(high-low, 1))
	}
}

// Near is how well a moment fits the times that a query names: 1 inside, a half
// shortly after (7 days, 10 behind a month or more) or before (3 days), 0 else.
// People speak of things when they are over, or about to come.
func (q *Question) Near(t time.Time) float64 {
	best := 0.0
	for _, s := range q.Spans {
		after := 7
		if s.Coarse {
			after = 10
		}
		switch {
		case !t.Before(s.From) && t.Before(s.To):
			return 1
		case s.sharp:
		case !t.Before(s.To) && t.Before(s.To.AddDate(0, 0, after)), t.Before(s.From) && !t.Before(s.From.AddDate(0, 0, -3)):
			best = 0.5
		}
	}
	return best
}
