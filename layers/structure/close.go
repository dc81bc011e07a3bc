package structure

import (
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// cues are words beside the value that tell how a statement stands to others.
type cues struct {
	now      bool // now, instead, 改成: takes the place of what was
	too      bool // too, also, 也: stands beside what was
	actually bool // puts something right
	over     bool // any more, 了: has been and is not
	habit    bool // every day, regularly
	again    bool // again, 又: has been, was not, and is
	once     bool // this, the letter: an order for one occasion
}

func (l *language) cues(outside string) cues {
	return cues{
		now:      l.contains("now", outside),
		too:      l.contains("too", outside),
		actually: l.contains("actually", outside),
		over:     l.contains("hint", outside),
		habit:    l.contains("habitual", outside),
		again:    l.contains("again", outside),
		once:     l.contains("once", outside),
	}
}

// suits settles what a statement ends. It reports false where the cues do not
// suit the rule, and where the statement would end what it only adds to: "I use
// Vim too" says nothing against Emacs, but an editor is one.
func (d *draft) suits(l *language, c cues) bool {
	r := d.rule
	if r.has("only-now") && !c.now || r.has("anymore") && !c.over || r.has("standing") && c.once || r.has("habit") && !c.habit || r.has("only-again") && !c.again {
		return false
	}
	if d.Attribute == "" {
		return true
	}
	attribute := slot.Canonical(d.Attribute)
	if c.too && !attribute.Multi && !r.has("sure") && !d.shared() {
		return false
	}
	ends := d.kindsOf(attribute)
	if d.noun != "" && d.Layer == storage.Context { // the logs move to another database, not the rest
		ends = slot.Kinds(attribute, d.Value)
	}
	if attribute.Multi && !r.has("list") && d.isList() && len(ends) > 0 {
		return false // "tea and cake" is no one thing that a later "now" may end
	}
	if closing := r.has("close") || r.has("close-now") && (c.now || c.actually); closing && !c.too {
		d.Closes = ends
	}
	if d.old != "" && !strings.EqualFold(d.old, d.Value) && !d.Ended {
		d.Displaces = append(d.Displaces, Former{Attribute: d.Attribute, Value: d.old})
	}
	if not := d.ruledOut(); not != "" && attribute.Multi {
		d.Displaces = append(d.Displaces, Former{Attribute: d.Attribute, Value: not})
	}
	if d.Attribute == roommates && !r.has("list") && !d.Ended && l.renewed(d) {
		d.Displaces = append(d.Displaces, Former{Attribute: roommates, Loose: true})
	}
	return true
}

// roommates is the one relation that may hold many and mostly holds one: a new one
// takes the place of the only one.
const roommates = "roommates"

// renewed reports whether what stands before the value says that somebody is new.
func (l *language) renewed(d *draft) bool {
	before, _, _ := strings.Cut(d.outside, "\n")
	return l.contains("fresh", before)
}

// ruledOut returns the value that a statement says it is not, "" for none: peanuts of
// "I'm allergic to cashews, not peanuts".
func (d *draft) ruledOut() string {
	if d.Ended || d.Polarity == "-" || d.span.End <= d.s.at.Start || d.span.End > d.s.at.End {
		return ""
	}
	m := notThat.FindStringSubmatch(d.s.in.Text[d.span.End:d.s.at.End])
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// notThat matches what follows the value where another is ruled out.
var notThat = lazy.MustCompile(`(?i)^,? (?:and )?not (?:to )?([\pL][\pL '-]{0,40}?)(?: any ?more)?[.!]*$|^(?:过敏)?，(?:而)?不是(?:对)?(\p{Han}{1,8}?)(?:过敏)?[。！]*$`)

// shared reports whether the same was said of somebody else, so that "too" adds
// another person, and no other value of this one's was said.
func (d *draft) shared() bool {
	shared := false
	for _, o := range d.s.in.others() {
		switch same := slot.Value(o.Value) == slot.Value(d.Value); {
		case o.Attribute != d.Attribute:
		case o.Entity != d.Entity:
			shared = shared || same
		case !same:
			return false
		}
	}
	return shared
}

// after returns the input of what is read next, once something was stated.
func (in *Input) after(st *Statement) *Input {
	out := *in
	out.Others = st.Claims(in.Others)
	return &out
}

// Claims returns claims with that of a statement, if it makes one that holds and was not
// made before.
func (st *Statement) Claims(before []Claim) []Claim {
	if st.Attribute == "" || st.Ended || st.None || st.Polarity != "" {
		return before
	}
	claim := Claim{st.Entity, st.Attribute, st.Value}
	if slices.Contains(before, claim) {
		return before
	}
	return append(slices.Clip(before), claim)
}

// isList reports whether the value names several things.
func (d *draft) isList() bool {
	return strings.Contains(d.Value, " and ") || strings.Contains(d.Value, " or ") || strings.ContainsAny(d.Value, ",、和")
}

// kindsOf returns the kinds that a statement is of: of its attribute, else of
// its value.
func (d *draft) kindsOf(attribute slot.Attribute) []string {
	if kinds := slot.Kinds(attribute, d.Value); len(kinds) > 0 {
		return kinds
	}
	return slot.Kinds(likes(), d.Value)
}

// object takes what is done with a thing off the thing: 喝普洱 is a liking of
// 普洱. The value keeps the verb where only that tells its kind.
func (d *draft) object(l *language) {
	n := l.prefix("consume", d.Value)
	thing := strings.TrimSpace(d.Value[n:])
	if d.rule.layer != storage.Preference || n == 0 || thing == "" {
		return
	}
	attribute := slot.Canonical(d.Attribute)
	if slices.Equal(slot.Kinds(attribute, thing), slot.Kinds(attribute, d.Value)) {
		d.Value = thing
		return
	}
	d.Object = thing
}
