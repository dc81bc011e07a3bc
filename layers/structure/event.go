package structure

import (
	"strings"
	"time"

	"mcp-memory/internal/dates"
	"mcp-memory/storage"
)

// eventRule names events in explanations.
var eventRule = &rule{name: "event", layer: storage.Activity}

// event returns what a sentence tells that happens, or happened, at a time: a
// subject, something done, and a time that was said.
func (l *language) event(s *sentence) *draft {
	if len(s.times) == 0 || l.begins("subordinate", s.whole.text) {
		return nil
	}
	start, end, ok := s.eventTime()
	c := s.bare
	if !ok || len(c.text) == 0 || (&check{l: l, c: c}).size(stretch{0, len(c.text)}) > maxEvent {
		return nil
	}
	c = l.trim(c.part(l.skipOpening(c, 0), len(c.text)))
	for _, sub := range l.subjectsOf(c, s.in) {
		who := strings.TrimSuffix(sub.who, "'s")
		if !l.happens(sub.who, sub.rest.text) {
			continue
		}
		d := &draft{rule: eventRule, s: s, Statement: Statement{
			Entity: sub.entity, Layer: storage.Activity, Category: "event", Reason: s.reason,
			Confidence: confidence, Rule: eventRule.name, StartsAt: start, EndsAt: end, Status: Completed,
		}}
		if who != "they" || l.code == japaneseCode && strings.HasSuffix(sub.who, "'s") { // 友人の結婚式 is where the speaker goes
			d.Entity = s.in.speaker()
		}
		if start.After(s.in.ObservedAt) {
			d.Category, d.Status = "plan", Planned
		}
		return d
	}
	return nil
}

// eventTime returns the one time of a sentence, or the stretch from one to
// another; end is zero where none was said. ok is false if there is no such time.
func (s *sentence) eventTime() (start, end time.Time, ok bool) {
	var found []moment
	for _, m := range s.times {
		now := m.Range.From.Sub(s.in.ObservedAt).Abs() < atOnce && m.Relative && m.Range.Unit < dates.Day
		if !m.Range.IsZero() && !m.Recurring && !s.lasting(m) && !now {
			found = append(found, m)
		}
	}
	switch {
	case len(found) == 1 && (found[0].Role == dates.At || found[0].Role == dates.By):
		return found[0].Range.From, time.Time{}, true
	case len(found) == 2 && found[0].Role == dates.From && found[1].Role == dates.Until:
		return found[0].Range.From, found[1].Range.To, true
	}
	return start, end, false
}

// lasting reports whether a time is a stretch that is going on ("this year"):
// nothing happens in it at a time.
func (s *sentence) lasting(m moment) bool {
	now := s.in.ObservedAt
	return m.Range.Unit > dates.Day && !m.Range.From.After(now) && m.Range.To.After(now)
}

// maxEvent is the longest clause that tells an event, in words, or in signs
// where words have no blanks: longer ones tell a story.
const maxEvent = 22

// atOnce is how near a time is too near for a plan ("in ten minutes").
const atOnce = 3 * time.Hour

// maxOccasion is the longest way to name an occasion, in bytes ("final exam in
// chemistry is").
const maxOccasion = 40

// happens reports whether a predicate tells an event rather than a state.
func (l *language) happens(who, predicate string) bool {
	if strings.HasSuffix(who, "'s") {
		return l.contains("occasion", predicate) && len(predicate) < maxOccasion
	}
	if l.begins("state", predicate) {
		return false
	}
	first, _, _ := strings.Cut(predicate, " ")
	if l.code == japaneseCode {
		return l.befalls(predicate)
	}
	return l.begins("deed", predicate) || l.spaced && strings.HasSuffix(first, "ed") && len(first) > len("seed")
}
