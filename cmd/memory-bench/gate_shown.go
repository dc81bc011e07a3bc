package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers"
)

// recalled are shares of the words of an answer: in the texts of the matches, and
// in all that a match tells beside its text too (times, value, quote, detail).
type recalled struct {
	Texts   float64 `json:"texts"`
	Matches float64 `json:"matches"`
}

func (r *recalled) add(o recalled) { r.Texts, r.Matches = r.Texts+o.Texts, r.Matches+o.Matches }

func (r *recalled) by(questions int) {
	r.Texts, r.Matches = r.Texts/float64(questions), r.Matches/float64(questions)
}

// shows recalls ten matches and returns the share of the words among them.
func (d *diary) shows(ctx context.Context, user, query string, words []string) (recalled, error) {
	n := depth
	answer, err := d.Recall(ctx, user, layers.RecallInput{Query: query, Limit: &n})
	if err != nil {
		return recalled{}, fmt.Errorf("recall %q: %w", query, err)
	}
	texts, beside := map[string]bool{}, map[string]bool{}
	for i := range answer.Matches {
		m := &answer.Matches[i]
		enter(texts, m.Text)
		for _, s := range append(days(m), m.Value, m.Source.Quote, string(m.Detail)) {
			enter(beside, s)
		}
	}
	out := recalled{}
	for _, w := range words {
		switch {
		case texts[w]:
			out.add(recalled{1, 1})
		case beside[w]:
			out.add(recalled{0, 1})
		}
	}
	out.by(len(words))
	return out, nil
}

func enter(set map[string]bool, s string) { enterAll(set, text.Terms(s)) }

func enterAll(set map[string]bool, all []string) {
	for _, one := range all {
		set[one] = true
	}
}

// days writes the times of a match as answers have them: "7 May 2023".
func days(m *layers.Match) (out []string) {
	var detail struct {
		StartsAt string `json:"starts_at"`
		EndsAt   string `json:"ends_at"`
	}
	_ = json.Unmarshal(m.Detail, &detail) // a detail without times has none
	for _, given := range []string{m.ObservedAt, m.ValidFrom, detail.StartsAt, detail.EndsAt} {
		if at, err := time.Parse(time.RFC3339, given); err == nil {
			out = append(out, at.Format("2 January 2006"))
		}
	}
	return out
}
