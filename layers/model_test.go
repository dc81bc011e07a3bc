package layers_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-memory/layers"
	"mcp-memory/storage/bunt"
)

// model is a memory as simple as can be: all statements in a list, every
// question answered by sorting what was said by its time. It knows open
// statements at distinct times; endings, announcements and keep_both have their
// tables in layers/slot.
type model struct{ statements []*statement }

type statement struct {
	id, slot, value      string // slot: attribute, and object where it holds many
	said                 []time.Time
	forgotten, withdrawn bool
}

type utterance struct {
	at time.Time
	of *statement
}

// said returns what was said of a slot in the order of time, without what was
// withdrawn.
func (m *model) said(slot string) (out []utterance) {
	for _, s := range m.statements {
		if s.slot != slot || s.withdrawn {
			continue
		}
		for _, at := range s.said {
			out = append(out, utterance{at, s})
		}
	}
	slices.SortFunc(out, func(a, b utterance) int { return a.at.Compare(b.at) })
	return out
}

// holds returns the id that holds in a slot at a moment.
func (m *model) holds(slot string, at time.Time) []string {
	var last *statement
	for _, u := range m.said(slot) {
		if !u.at.After(at) {
			last = u.of
		}
	}
	if last == nil || last.forgotten {
		return []string{}
	}
	return []string{last.id}
}

// show draws a slot, one statement a line, for a failure's message.
func (m *model) show(slot string) (out string) {
	for _, s := range m.statements {
		if s.slot != slot {
			continue
		}
		out += fmt.Sprintf("%s %s forgotten=%v withdrawn=%v said", s.id, s.value, s.forgotten, s.withdrawn)
		for _, at := range s.said {
			out += " " + at.Format(time.DateOnly)
		}
		out += "\n"
	}
	return out
}

// same returns the statement that a new one at a time merely repeats.
func (m *model) same(slot, value string, at time.Time) *statement {
	said := m.said(slot)
	i, _ := slices.BinarySearchFunc(said, at, func(u utterance, t time.Time) int { return u.at.Compare(t) })
	for _, j := range []int{i - 1, i} {
		if j >= 0 && j < len(said) && said[j].of.value == value && !said[j].of.forgotten {
			return said[j].of
		}
	}
	return nil
}

// superseded reports whether a statement stands right after another one.
func (m *model) superseded(s *statement) bool {
	said := m.said(s.slot)
	for i := 1; i < len(said); i++ {
		if said[i].of == s && said[i-1].of != s {
			return true
		}
	}
	return false
}

// attributes of the model: gym holds one value, friends one per object.
var modelSlots = []struct {
	attribute string
	many      bool
}{{"gym", false}, {"locker", false}, {"friends", true}}

// machine runs random operations on a memory and its model side by side.
type machine struct {
	t     *rapid.T
	h     *home
	model model
	day   map[string]map[int]bool // days used in a slot: times are distinct
}

func (x *machine) say() {
	slot := rapid.SampledFrom(modelSlots).Draw(x.t, "slot")
	value := rapid.SampledFrom([]string{"Ann", "Bo", "Cy"}).Draw(x.t, "value")
	day := rapid.IntRange(0, 600).Draw(x.t, "day")
	key, canonical := slot.attribute, value
	if slot.many {
		key, canonical = slot.attribute+"/"+value, "+"
	}
	if x.day[key] == nil {
		x.day[key] = map[int]bool{}
	}
	if x.day[key][day] {
		return
	}
	x.day[key][day] = true
	at := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, day)
	before := x.model.holds(key, x.h.clock.Now())
	got := x.h.say(slotted(slot.attribute, value, at.Format(time.RFC3339)))
	if s := x.model.same(key, canonical, at); s != nil {
		s.said = append(s.said, at)
		x.equal("said again", []string{got.Status, got.ID}, []string{layers.StatusReinforced, s.id})
		return
	}
	x.model.statements = append(x.model.statements, &statement{id: got.ID, slot: key, value: canonical, said: []time.Time{at}})
	after, status := x.model.holds(key, x.h.clock.Now()), layers.StatusHistory
	if slices.Contains(after, got.ID) {
		status = layers.StatusStored
	} else {
		before = nil
	}
	x.equal("said", append([]string{got.Status}, got.Supersedes...), append([]string{status}, before...))
}

func (x *machine) pick() *statement {
	if len(x.model.statements) == 0 {
		return nil
	}
	return rapid.SampledFrom(x.model.statements).Draw(x.t, "statement")
}

func (x *machine) forget() {
	s := x.pick()
	if s == nil {
		return
	}
	taken := 1
	if s.forgotten {
		taken = 0
	}
	s.forgotten = true
	x.equal("forgotten", x.h.forget(false, s.id).Forgotten, taken)
}

func (x *machine) undo() {
	s := x.pick()
	if s == nil {
		return
	}
	want, refused := 0, false
	switch {
	case s.forgotten:
		s.forgotten, want = false, 1
	case s.withdrawn:
	case x.model.superseded(s):
		s.withdrawn, want = true, 1
	default:
		refused = true
	}
	out, err := x.h.Forget(x.h.t.Context(), user, layers.ForgetInput{IDs: []string{s.id}, Undo: true})
	bad := (*layers.InvalidError)(nil)
	if err != nil && !errors.As(err, &bad) {
		x.t.Fatalf("undo: %v", err)
	}
	x.equal("undo of "+s.id+" among\n"+x.model.show(s.slot), fmt.Sprint(out.Restored, err != nil), fmt.Sprint(want, refused))
}

func (x *machine) restart() { x.h.restart() }

func (x *machine) crash() { x.h.crash() }

// check compares every slot now and at a few moments, and a record by its id.
func (x *machine) check() {
	slots := map[string]bool{}
	for _, s := range x.model.statements {
		slots[s.slot] = true
	}
	day := rapid.IntRange(0, 600).Draw(x.t, "as of day")
	asOf := time.Date(2024, 1, 1, 9, 0, 0, 0, time.UTC).AddDate(0, 0, day)
	for _, slot := range modelSlots {
		var now, then []string
		for key := range slots {
			if attribute, _, _ := cutSlot(key); attribute == slot.attribute {
				now = append(now, x.model.holds(key, x.h.clock.Now())...)
				then = append(then, x.model.holds(key, asOf)...)
			}
		}
		x.same(slot.attribute, x.h.slot(slot.attribute), now)
		x.same(slot.attribute+" then", x.h.ask(layers.RecallInput{Entity: "user", Attribute: slot.attribute, AsOf: asOf.Format(time.RFC3339)}), then)
	}
	if s := x.pick(); s != nil {
		want := []string{s.id}
		if s.forgotten {
			want = nil
		}
		x.same("by id", x.h.ask(layers.RecallInput{IDs: []string{s.id}}), want)
	}
}

func cutSlot(key string) (attribute, object string, many bool) {
	for i := range key {
		if key[i] == '/' {
			return key[:i], key[i+1:], true
		}
	}
	return key, "", false
}

func (x *machine) same(what string, got, want []string) {
	slices.SortFunc(got, cmp.Compare[string])
	slices.SortFunc(want, cmp.Compare[string])
	if !slices.Equal(got, want) {
		x.t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func (x *machine) equal(what string, got, want any) {
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

// TestMemory_AgreesWithModel runs 500 random operations a seed, with restarts and
// crashes in between. -rapid.checks sets how many seeds.
func TestMemory_AgreesWithModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := openQuick(t)
		defer h.stop()
		x := &machine{t: rt, h: h, day: map[string]map[int]bool{}}
		for range 500 {
			switch n := rapid.IntRange(0, 99).Draw(rt, "operation"); {
			case n < 45:
				x.say()
			case n < 60:
				x.forget()
			case n < 75:
				x.undo()
			case n < 77:
				x.restart()
			case n < 79:
				x.crash()
			default:
				x.check()
			}
			h.pass(time.Second)
		}
		x.check()
	})
}

// openQuick is open without fsync, which this test does not ask about.
func openQuick(t testing.TB) *home {
	h := newHome(t, noon)
	h.opts = layers.Options{Location: time.UTC}
	h.bunt = bunt.Options{Sync: func(*os.File) error { return nil }}
	h.start()
	return h
}
