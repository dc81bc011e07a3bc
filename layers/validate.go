package layers

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
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
		v.fail(name, "is not valid UTF-8")
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
		v.fail("session_id", "is missing: tier working is the step state of a session")
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
			v.fail(name, "is blank")
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

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
			v.fail("entity", "%s names nothing", quoted(r.Entity))
		}
		r.Entity = display
	}
	if r.Attribute == "" {
		return
	}
	attr := slot.Canonical(r.Attribute)
	if attr.Name == "" {
		v.fail("attribute", "%s names nothing", quoted(r.Attribute))
	}
	if attr.Negative { // the name says the polarity, so the given one is shown
		r.Attribute = strings.Join(strings.Fields(r.Attribute), " ")
	} else {
		r.Attribute = attr.Name
	}
	if slot.Value(r.Value) == "" {
		v.fail("value", "%s says nothing", quoted(r.Value))
	}
}

// order checks the times against each other and the clock.
func (v *validator) order(r *storage.Record) {
	if limit := v.now.Add(clockSkew); r.ObservedAt.After(limit) {
		v.fail("observed_at", "%s lies in the future; it is when something was said (valid_from is for what will be true later)", formatTime(r.ObservedAt))
	}
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

// detail checks a detail object and writes its times in UTC.
func (v *validator) detail(raw json.RawMessage, layer storage.Layer) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var d map[string]any
	if err := dec.Decode(&d); err != nil {
		v.fail("detail", "is not a JSON object")
		return nil
	}
	v.nested("detail", d, 1)
	if v.err != nil || len(withoutNulls(d).(map[string]any)) == 0 {
		return nil
	}
	v.detailTimes(d)
	for _, name := range []string{"impact", "urgency", "strength", "confidence"} {
		v.unit(d, name)
	}
	if s, ok := d["status"].(string); ok && layer == storage.Activity {
		v.oneOf("detail.status", s, statuses, "")
	}
	if s, ok := d["type"].(string); ok && layer == storage.Identity {
		v.oneOf("detail.type", s, identityTypes, "")
	}
	out, err := marshal(d)
	if err != nil {
		v.fail("detail", "is not a JSON object")
	}
	return out
}

// withoutNulls takes what is null, and so absent, out of a decoded JSON value.
func withoutNulls(x any) any {
	switch x := x.(type) {
	case []any:
		x = slices.DeleteFunc(x, func(y any) bool { return y == nil })
		for i := range x {
			x[i] = withoutNulls(x[i])
		}
		return x
	case map[string]any:
		for k, y := range x {
			if y == nil {
				delete(x, k)
				continue
			}
			x[k] = withoutNulls(y)
		}
	}
	return x
}

// nested checks every string and the depth of a decoded JSON value.
func (v *validator) nested(name string, x any, level int) {
	if level > maxDetailLvl {
		v.fail("detail", "is nested deeper than %d levels", maxDetailLvl)
		return
	}
	switch x := x.(type) {
	case string:
		v.str(name, x, maxField)
	case []any:
		for i, y := range x {
			v.nested(name+"["+strconv.Itoa(i)+"]", y, level+1)
		}
	case map[string]any:
		for _, k := range sortedKeys(x) {
			v.str(name, k, maxField)
			v.nested(name+"."+k, x[k], level+1)
		}
	}
}

// detailTimes writes an event's times in UTC. Where they have no zone it is the one
// that the detail names beside them.
func (v *validator) detailTimes(d map[string]any) {
	set := v.loc
	defer func() { v.loc = set }()
	if name, _ := d["timezone"].(string); name != "" && name != time.Local.String() {
		if zone, err := time.LoadLocation(name); err == nil { // else words such as "Rome's"
			v.loc = zone
		}
	}
	starts, ends := v.detailTime(d, "starts_at"), v.detailTime(d, "ends_at")
	if !starts.IsZero() && !ends.IsZero() && ends.Before(starts) {
		v.fail("detail.ends_at", "%s is before starts_at %s", formatTime(ends), formatTime(starts))
	}
}

func (v *validator) detailTime(d map[string]any, name string) time.Time {
	given, present := d[name]
	s, ok := given.(string)
	if present && !ok {
		v.fail("detail."+name, "is not a time; give RFC 3339 such as 2024-05-01T09:30:00Z")
	}
	t := v.time("detail."+name, s)
	if !t.IsZero() {
		d[name] = formatTime(t)
	}
	return t
}

// unit checks a share of a detail. "0.5" counts as 0.5, as in other arguments.
func (v *validator) unit(d map[string]any, name string) {
	var x float64
	var err error
	switch given := d[name].(type) {
	case nil:
		return
	case json.Number:
		x, err = given.Float64()
	case string:
		x, err = strconv.ParseFloat(strings.TrimSpace(given), 64)
		d[name] = x
	default:
		err = strconv.ErrSyntax
	}
	switch {
	case errors.Is(err, strconv.ErrSyntax):
		v.fail("detail."+name, "is not a number; give 0 to 1")
	case err != nil || !(x >= 0 && x <= 1):
		v.fail("detail."+name, "%v is out of range; give 0 to 1", d[name])
	}
}

func layerNames() []string {
	out := make([]string, len(storage.Layers))
	for i, l := range storage.Layers {
		out[i] = string(l)
	}
	return out
}
