package extract

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/llm"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// turnView is a turn as quotes are looked up in it.
type turnView struct {
	folded    string
	sentences []sentenceView
	speaker   string // "user", or a name
}

type sentenceView struct {
	folded string
	kind   conversation.Kind
	why    string
}

// theUser is the entity and the speaker that the user is.
const theUser = "user"

func turnViews(in *ModelInput) []turnView {
	views := make([]turnView, len(in.Talk.Turns))
	several := countPeople(in) > 1
	for i, t := range in.Talk.Turns {
		views[i] = turnView{folded: text.Fold(t.Content), speaker: theUser}
		if several {
			views[i].speaker = speakerOf(in, t.Name)
		}
	}
	for _, s := range in.Talk.Sentences {
		if s.Turn < 0 || s.Turn >= len(views) {
			continue
		}
		v := &views[s.Turn]
		v.sentences = append(v.sentences, sentenceView{text.Fold(s.Text), s.Kind, s.Why})
		if s.Speaker != "" {
			v.speaker = s.Speaker
		}
	}
	return views
}

// speakerOf is who speaks under a name where several people do.
func speakerOf(in *ModelInput, name string) string {
	display, key := slot.Entity(name, in.UserNames...)
	if key == "" || key == theUser {
		return theUser
	}
	return display
}

// countPeople counts the names that speak with the role user, none being one.
func countPeople(in *ModelInput) int {
	names := map[string]bool{}
	for _, t := range in.Talk.Turns {
		if isPerson(t.Role) {
			_, key := slot.Entity(t.Name, in.UserNames...)
			names[key] = true
		}
	}
	return len(names)
}

// isPerson reports whether what a role says may be remembered.
func isPerson(role string) bool { return role == "user" || role == "" }

// origin finds the turn that a memory rests on: the one that holds its quote. A quote
// that no turn holds is left out, and the memory is taken for inferred where turns speak
// of what it says.
func (c *modelCheck) origin(m *candidate) string {
	quote := m.word("quote")
	if turn, ok := c.find(m, quote); ok {
		m.Quote = text.Shorten(quote, maxModelQuote)
		return c.quoted(m, turn, text.Fold(quote))
	}
	return c.inferred(m, quote)
}

// find returns the turn that holds a quote: the one the model names, else a person's,
// the latest first; else any.
func (c *modelCheck) find(m *candidate, quote string) (turn int, ok bool) {
	quote = strings.TrimFunc(text.Fold(quote), isQuoteMark)
	if !hasWord(quote) {
		return 0, false
	}
	shown := m.window.turns()
	if turn, ok := m.turn(); ok && slices.Contains(shown, turn) && stands(quote, c.turns[turn].folded) {
		return turn, true
	}
	best := -1
	for _, turn := range shown {
		if !stands(quote, c.turns[turn].folded) {
			continue
		}
		if best < 0 || c.mayStand(m, turn) || !c.mayStand(m, best) {
			best = turn
		}
	}
	return best, best >= 0
}

func isQuoteMark(r rune) bool { return strings.ContainsRune("\"'“”‘’「」『』«»…. ", r) }

// turn is the turn that the model names.
func (m *candidate) turn() (int, bool) {
	x, ok := llm.AsNumber(m.fields["turn"])
	if !ok || x < 0 || x > math.MaxInt32 || x != math.Trunc(x) {
		return 0, false
	}
	return int(x), true
}

// turns are the indexes of the turns that a piece shows, each once.
func (w window) turns() []int {
	var all []int
	for _, e := range w {
		if !slices.Contains(all, e.turn) {
			all = append(all, e.turn)
		}
	}
	return all
}

// mayStand reports whether a memory may rest on a turn: a person's, that is not shown
// for the sake of others only.
func (c *modelCheck) mayStand(m *candidate, turn int) bool {
	return isPerson(c.in.Talk.Turns[turn].Role) && !m.window.isContext(turn)
}

func (w window) isContext(turn int) bool {
	return !slices.ContainsFunc(w, func(e excerpt) bool { return e.turn == turn && !e.context })
}

// quoted takes a turn for the memory's origin, unless what is quoted is no statement.
func (c *modelCheck) quoted(m *candidate, turn int, quote string) string {
	role := c.in.Talk.Turns[turn].Role
	switch {
	case !isPerson(role):
		return fmt.Sprintf("rests on what the role %q said, not on a person's word", role)
	case m.window.isContext(turn):
		return "rests on a turn that is not to be extracted from"
	}
	if reason := c.turns[turn].veto(strings.TrimFunc(quote, isQuoteMark)); reason != "" {
		return reason
	}
	m.Turns, m.Speaker = []int{turn}, c.turns[turn].speaker
	return ""
}

// vetoed are the kinds of sentence that nothing is taken from, whatever a model makes
// of them. About the others (a question may tell something) the model decides.
var vetoed = map[conversation.Kind]string{
	conversation.Quoted:       "its words are quoted from another",
	conversation.Code:         "its words are code or a log",
	conversation.Fiction:      "its words are play or an example",
	conversation.Recalled:     "its words are memories that came back",
	conversation.Claimed:      "its words are no person's",
	conversation.Confidential: "it was asked not to be remembered",
}

// veto says why a quote is no statement: where all the sentences that hold it, or that
// it holds, are of such a kind.
func (v *turnView) veto(quote string) (reason string) {
	for _, s := range v.sentences {
		if s.folded == "" || !strings.Contains(s.folded, quote) && !strings.Contains(quote, s.folded) {
			continue
		}
		why, no := vetoed[s.kind]
		if !no {
			return ""
		}
		if reason = why; s.why != "" {
			reason += ": " + s.why
		}
	}
	return reason
}

// named is the turn of a memory without a quote: the one the model names, else the
// last that may stand.
func (c *modelCheck) named(m *candidate) (turn int, ok bool) {
	shown := m.window.turns()
	if turn, ok := m.turn(); ok && slices.Contains(shown, turn) {
		return turn, c.mayStand(m, turn)
	}
	for _, turn := range slices.Backward(shown) {
		if c.mayStand(m, turn) {
			return turn, true
		}
	}
	return 0, false
}

// entity is whom a memory is about: as the model says, else the speaker.
func (c *modelCheck) entity(m *candidate, given string) string {
	if given == "" || strings.EqualFold(given, "speaker") {
		return m.Speaker
	}
	if !hasWord(given) {
		return ""
	}
	display, _ := slot.Entity(given, c.in.UserNames...)
	return display
}

// firstPerson finds that a speaker speaks of himself.
var firstPerson = lazy.MustCompile(`(?i)\b(?:i|i'm|i've|i'd|my|me|mine|myself)\b|[我俺咱]|私|僕`)

// Subjects that do not say who, at a text's start. Some can be replaced by the entity;
// the vague ones could be anything.
var (
	pronounEn = lazy.MustCompile(`^(?:He|She) `)
	ownerEn   = lazy.MustCompile(`^(?:His|Her) `)
	pronounZh = lazy.MustCompile(`^[他她]`)
	vagueEn   = lazy.MustCompile(`^(?:They|It|This|That|These|Those|Their|Its) `)
	vagueZh   = lazy.MustCompile(`^(?:他们|她们|他們|她們|它们?|它們)`)
)

// subject sees to it that the text says whom it is about, that what another says of
// himself is not put down to the user, and on whose word it rests.
func (c *modelCheck) subject(m *candidate) string {
	if m.Speaker != theUser && m.Entity == theUser && firstPerson.MatchString(m.Quote) {
		return fmt.Sprintf("puts down to the user what %s says of himself", m.Speaker)
	}
	if reason := m.standAlone(); reason != "" {
		return reason
	}
	if m.Trust == "" {
		m.Trust = storage.ThirdParty
		if m.Speaker == theUser && m.Entity == theUser {
			m.Trust = storage.UserStated
		}
	}
	return ""
}

// standAlone puts the entity's name in the place of a pronoun that begins the text.
func (m *candidate) standAlone() string {
	en, zh := m.Entity, m.Entity
	if m.Entity == theUser {
		en, zh = "The user", "用户"
	}
	switch {
	case vagueEn.MatchString(m.Text), vagueZh.MatchString(m.Text):
		return "does not stand alone: it begins with a pronoun"
	case pronounEn.MatchString(m.Text):
		m.Text = pronounEn.ReplaceAllLiteralString(m.Text, en+" ")
	case ownerEn.MatchString(m.Text):
		m.Text = ownerEn.ReplaceAllLiteralString(m.Text, en+"'s ")
	case pronounZh.MatchString(m.Text):
		m.Text = pronounZh.ReplaceAllLiteralString(m.Text, zh)
	}
	return ""
}
