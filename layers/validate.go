package layers

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/text"
	"mcp-memory/layers/slot"
	"mcp-memory/storage"
)

// Limits of a record, in bytes unless said otherwise. What is over them is
// refused, never cut.
const (
	maxText      = 16 << 10
	maxField     = 4 << 10
	maxTags      = 32 // number
	maxTag       = 128
	maxRecord    = 32 << 10
	maxBatch     = 100 // memories of a call
	maxDetailLvl = 32  // levels of nesting
)

const (
	defaultImportance = 4
	defaultConfidence = 0.8
)

// personal is the reserved project name of what belongs to no project.
const personal = "personal"

// asProject names a record's project as a caller would.
func asProject(name string) *string {
	name = cmp.Or(name, personal)
	return &name
}

var (
	categories = []string{"fact", "preference", "goal", "plan", "event", "skill", "relationship"}
	roles      = []string{"user", "assistant", "system", "tool"}
	statuses   = []string{"planned", "ongoing", "completed", "cancelled", "on_hold"}

	identityTypes = []string{"professional", "personal", "demographic"}
)

// draft turns a memorandum into a record without id, user and recorded time, or
// says what is wrong with it. prefix is "" or "memories[i].".
func (m *Memory) draft(in *Memorandum, prefix string, now time.Time) (storage.Record, error) {
	v := &validator{prefix: prefix, loc: m.opts.Location, now: now}
	r := storage.Record{
		Text:  v.text("text", in.Text),
		Layer: storage.Layer(v.oneOf("layer", string(in.Layer), layerNames(), string(storage.Fact))),
		Tier:  v.tier(in.Tier),

		Entity:     v.field("entity", in.Entity),
		Attribute:  v.field("attribute", in.Attribute),
		Value:      v.field("value", in.Value),
		Category:   v.oneOf("category", in.Category, categories, ""),
		Reason:     v.field("reason", in.Reason),
		Importance: v.integer("importance", in.Importance, 1, 5, defaultImportance),
		Confidence: v.number("confidence", in.Confidence, 0, 1, defaultConfidence),
		ObservedAt: v.time("observed_at", in.ObservedAt),
		ValidFrom:  v.time("valid_from", in.ValidFrom),
		ValidTo:    v.time("valid_to", in.ValidTo),
		Project:    m.projectOf(v.optional("project", in.Project)),
		Source: storage.Source{
			ID: v.field("source_id", in.SourceID), Session: v.field("session_id", in.SessionID),
			Speaker: v.field("speaker", in.Speaker), Role: v.oneOf("role", in.Role, roles, ""),
			Quote: v.field("quote", in.Quote),
		},
		Trust: storage.UserStated,
		Tags:  v.tags(in.Tags),
	}
	r.Detail = v.detail(in.Detail, r.Layer)
	if in.Role != "" && in.Role != "user" {
		r.Trust = storage.Assistant
	}
	if r.Tier == storage.Working {
		v.working(&r)
	}
	v.slot(&r, m.userNames)
	v.order(&r)
	v.size(&r)
	r.Language = text.Language(r.Text)
	return r, v.err
}

// projectOf resolves a project argument of remember: absent is the setting's,
// "personal" is none.
func (m *Memory) projectOf(p *string) string {
	switch {
	case p == nil:
		return norm.NFC.String(m.opts.Project)
	case *p == personal:
		return ""
	}
	return *p
}

// validator checks fields one after another and keeps the first complaint.
type validator struct {
	prefix string
	loc    *time.Location
	now    time.Time
	err    error
}

func (v *validator) fail(field, format string, args ...any) {
	if v.err == nil {
		v.err = invalid(v.prefix+field, format, args...)
	}
}

// str checks what holds for every string: its bytes and its length.
func (v *validator) str(name, s string, limit int) string {
	switch {
	case !utf8.ValidString(s):
		v.fail(name, "is not valid UTF-8; give it in that encoding")
	case strings.ContainsRune(s, 0):
		v.fail(name, "holds a NUL character; leave it out")
	case len(s) > limit:
		v.fail(name, "has %s bytes; the limit is %s", thousands(len(s)), thousands(limit))
	}
	return s
}

func (v *validator) field(name, s string) string {
	return strings.TrimSpace(v.str(name, s, maxField))
}

// optional is the name of a project. It is composed, as tags are: file systems and
// keyboards write é as one letter or as two, and nobody sees which.
func (v *validator) optional(name string, s *string) *string {
	if s == nil {
		return nil
	}
	t := norm.NFC.String(v.field(name, *s))
	return &t
}

func (v *validator) text(name, s string) string {
	if !strings.ContainsFunc(s, visible) {
		v.fail(name, "is blank; give the sentence to remember")
	}
	return v.str(name, s, maxText)
}

// visible reports whether a character shows anything: a text of zero-width or
// control characters counts as blank.
func visible(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u2800', '\u3164', '\uffa0': // letters and a symbol that are blank
		return false
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsPunct(r) || unicode.IsSymbol(r)
}

func (v *validator) oneOf(name, s string, valid []string, absent string) string {
	switch {
	case s == "":
		return absent
	case !slices.Contains(valid, s):
		v.fail(name, "%s is not one of %s", quoted(s), strings.Join(valid, ", "))
	}
	return s
}

func (v *validator) tier(t storage.Tier) storage.Tier {
	switch t {
	case "":
		return storage.Semantic
	case storage.Working, storage.Episodic, storage.Semantic:
		return t
	default:
		v.fail("tier", "%s is not one of working, episodic, semantic", quoted(string(t)))
	}
	return t
}

// working checks what goes into a session's working memory.
func (v *validator) working(r *storage.Record) {
	switch {
	case r.Source.Session == "":
		v.fail("session_id", "is missing: tier working is the step state of a session; give that session's id")
	case r.Entity != "" || r.Attribute != "" || r.Value != "":
		v.fail("entity", "does not go with tier working, which has no slots; leave entity, attribute and value out")
	}
}

func (v *validator) integer(name string, n *int, low, high, absent int) int {
	switch {
	case n == nil:
		return absent
	case *n < low || *n > high:
		v.fail(name, "%d is out of range; give %d to %d", *n, low, high)
	}
	return *n
}

func (v *validator) number(name string, x *float64, low, high, absent float64) float64 {
	switch {
	case x == nil:
		return absent
	case math.IsNaN(*x) || *x < low || *x > high:
		v.fail(name, "%v is out of range; give %v to %v", *x, low, high)
	}
	return *x
}

func (v *validator) time(name, s string) time.Time {
	t, err := parseTime(v.prefix+name, s, v.loc)
	if err != nil && v.err == nil {
		v.err = err
	}
	return t
}

func (v *validator) tags(tags []string) []string {
	if len(tags) > maxTags {
		v.fail("tags", "there are %d; the limit is %d", len(tags), maxTags)
		return nil
	}
	var out []string
	for i, t := range tags {
		name := fmt.Sprintf("tags[%d]", i)
		t = norm.NFC.String(strings.TrimSpace(v.str(name, t, maxTag)))
		if t == "" {
			v.fail(name, "is blank; give a word, or leave it out")
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// namesNothing is said of a name of which nothing is left when it is made canonical.
const namesNothing = "%s names nothing; give a name with letters or digits"

// slot checks that entity, attribute and value make a statement or none.
func (v *validator) slot(r *storage.Record, userNames []string) {
	if r.Tier == storage.Episodic {
		for _, f := range []struct{ name, given string }{{"entity", r.Entity}, {"attribute", r.Attribute}, {"value", r.Value}} {
			if f.given != "" {
				v.fail(f.name, "does not go with tier episodic, which keeps words as they were said; leave it out, or use tier semantic")
			}
		}
		return
	}
	switch {
	case r.Attribute != "" && r.Entity == "":
		v.fail("entity", "is missing beside attribute; say whom or what it is about (\"user\" for the user)")
	case r.Attribute != "" && r.Value == "":
		v.fail("value", "is missing beside attribute; give the value (\"none\" if there is none any more)")
	case r.Attribute == "" && r.Value != "":
		v.fail("attribute", "is missing beside value; name what the value is of, for example \"home city\"")
	}
	if r.Entity != "" {
		display, key := slot.Entity(r.Entity, userNames...)
		if key == "" {
			v.fail("entity", namesNothing, quoted(r.Entity))
		}
		r.Entity = display
	}
	if r.Attribute == "" {
		return
	}
	attr := slot.Canonical(r.Attribute)
	if attr.Name == "" {
		v.fail("attribute", namesNothing, quoted(r.Attribute))
	}
	if attr.Negative { // the name says the polarity, so the given one is shown
		r.Attribute = strings.Join(strings.Fields(r.Attribute), " ")
	} else {
		r.Attribute = attr.Name
	}
	if slot.Value(r.Value) == "" {
		v.fail("value", "%s says nothing; give letters or digits", quoted(r.Value))
	}
}

// past checks that something was said by now, as far as clocks differ.
func (v *validator) past(field string, at time.Time) {
	if ahead(at, v.now) {
		v.fail(field, "%s lies in the future; it is when something was said (valid_from is for what will be true later)", formatTime(at))
	}
}

// ahead reports whether a time lies too far ahead of our clock to be one at which
// something was said.
func ahead(at, now time.Time) bool { return at.After(now.Add(clockSkew)) }

// order checks the times against each other and the clock.
func (v *validator) order(r *storage.Record) {
	v.past("observed_at", r.ObservedAt)
	if !r.ValidFrom.IsZero() && !r.ValidTo.IsZero() && !r.ValidTo.After(r.ValidFrom) {
		v.fail("valid_to", "%s is not after valid_from %s", formatTime(r.ValidTo), formatTime(r.ValidFrom))
	}
}

// size checks what the caller gave as a whole; a field's own limit lets one be
// large, not all.
func (v *validator) size(r *storage.Record) {
	n := len(r.Detail)
	for _, s := range append([]string{r.Text, r.Project, r.Entity, r.Attribute, r.Value, r.Reason,
		r.Source.ID, r.Source.Session, r.Source.Speaker, r.Source.Quote}, r.Tags...) {
		n += len(s)
	}
	if n > maxRecord {
		v.fail("text", "and the other fields together have %s bytes; the limit of a memory is %s", thousands(n), thousands(maxRecord))
	}
	other := *r // an answer gives a text in pieces, but the other fields whole
	other.Text = ""
	if n, err := jsonSize(&other); err != nil || n > maxRecord {
		v.fail("detail", "and the other fields beside text take %s bytes as JSON, where <, > and control characters take six each; the limit is %s", thousands(n), thousands(maxRecord))
	}
}

func layerNames() []string {
	out := make([]string, len(storage.Layers))
	for i, l := range storage.Layers {
		out[i] = string(l)
	}
	return out
}
