package judge

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"mcp-memory/layers/extract"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
)

// Report is what a run measured, over all and by language.
type Report struct {
	All       *Figures            `json:"all"`
	Languages map[string]*Figures `json:"languages"`
}

func (r *Report) total() *Figures {
	if r.All == nil {
		r.All = newFigures()
	}
	return r.All
}

// Figures are the counts of a part of the conversations.
type Figures struct {
	Conversations int                      `json:"conversations"`
	Layers        map[storage.Layer]*Count `json:"layers"`

	Negatives      int `json:"negatives"`       // conversations of which nothing should be kept
	GatedNegatives int `json:"gated_negatives"` // of those, the gate opened for some layer
	FalseMemories  int `json:"false_memories"`  // records stored of them

	Keeps       int `json:"keeps"`        // memories that should come
	KeptWords   int `json:"kept_words"`   // of those, a record of the layer has all the words
	KeptAnyhow  int `json:"kept_anyhow"`  // of those, a record of any layer has
	Dates       int `json:"dates"`        // memories with a date
	KeptDates   int `json:"kept_dates"`   // of those, a record of the layer has it
	Entities    int `json:"entities"`     // kept memories
	KeptEntites int `json:"kept_entites"` // of those, about the right one
	Stored      int `json:"stored"`       // records in all
	StrayStored int `json:"stray_stored"` // of a layer that is not wanted, not even borderline

	GateCalls      int `json:"gate_calls"`      // one a conversation, less those with nothing left for it
	ExtractorCalls int `json:"extractor_calls"` // one for each open layer; "every layer" takes five a conversation
}

// Count is the gate's answer for one layer.
type Count struct {
	Hit        int `json:"hit"`        // open and wanted
	Missed     int `json:"missed"`     // shut and wanted
	Wrong      int `json:"wrong"`      // open, not wanted and not borderline
	Borderline int `json:"borderline"` // open where it is borderline
}

func newFigures() *Figures {
	f := &Figures{Layers: map[storage.Layer]*Count{}}
	for _, l := range gatekeeper.Layers {
		f.Layers[l] = &Count{}
	}
	return f
}

// Precision is the share of right among what was opened: with borderline layers
// as wrong (strict), or left out of the count.
func (c Count) Precision(strict bool) float64 {
	wrong := c.Wrong
	if strict {
		wrong += c.Borderline
	}
	return share(c.Hit, c.Hit+wrong)
}

// Recall is the share of the wanted that was opened.
func (c Count) Recall() float64 { return share(c.Hit, c.Hit+c.Missed) }

// F1 is the harmonic mean of precision and recall.
func (c Count) F1(strict bool) float64 {
	p, r := c.Precision(strict), c.Recall()
	if p+r == 0 {
		return 0
	}
	return 2 * p * r / (p + r)
}

// MacroF1 is the mean F1 of the five layers.
func (f *Figures) MacroF1(strict bool) float64 {
	sum := 0.0
	for _, l := range gatekeeper.Layers {
		sum += f.Layers[l].F1(strict)
	}
	return sum / float64(len(gatekeeper.Layers))
}

// FalseShare is false memories by negative conversations.
func (f *Figures) FalseShare() float64 { return share(f.FalseMemories, f.Negatives) }

// Saved is the share of extractor calls that "every layer every time" makes and
// the gate spares.
func (f *Figures) Saved() float64 {
	return 1 - share(f.ExtractorCalls, f.Conversations*len(gatekeeper.Layers))
}

func share(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

// add counts a conversation.
func (f *Figures) add(c *Case) {
	f.Conversations++
	if c.Answer.GateCalled {
		f.GateCalls++
	}
	for _, layer := range gatekeeper.Layers {
		f.layer(c, layer)
	}
	f.Stored += len(c.Answer.Memories)
	if len(c.Layers) == 0 {
		f.Negatives++
		f.FalseMemories += len(c.Answer.Memories)
		if slices.ContainsFunc(gatekeeper.Layers, func(l storage.Layer) bool { return c.Answer.Verdicts[l].ShouldExtract }) {
			f.GatedNegatives++
		}
	}
	for _, m := range c.Answer.Memories {
		if !slices.Contains(c.Layers, m.Layer) && !slices.Contains(c.Borderline, m.Layer) {
			f.StrayStored++
		}
	}
	for i := range c.Keep {
		f.keep(c, &c.Keep[i])
	}
}

func (f *Figures) layer(c *Case, layer storage.Layer) {
	n := f.Layers[layer]
	open := c.Answer.Verdicts[layer].ShouldExtract
	if open {
		f.ExtractorCalls++
	}
	switch {
	case slices.Contains(c.Layers, layer) && open:
		n.Hit++
	case slices.Contains(c.Layers, layer):
		n.Missed++
	case open && slices.Contains(c.Borderline, layer):
		n.Borderline++
	case open:
		n.Wrong++
	}
}

// keep counts whether a wanted memory was stored, dated and put down to the right
// one.
func (f *Figures) keep(c *Case, k *Keep) {
	f.Keeps++
	if k.Date != "" {
		f.Dates++
	}
	var kept []*extract.Memory
	anyhow := false
	for i := range c.Answer.Memories {
		m := &c.Answer.Memories[i]
		if holds(m, k.Words) {
			anyhow = true
			if m.Layer == k.Layer {
				kept = append(kept, m)
			}
		}
	}
	if anyhow {
		f.KeptAnyhow++
	}
	if len(kept) == 0 {
		return
	}
	f.KeptWords++
	f.Entities++
	if slices.ContainsFunc(kept, func(m *extract.Memory) bool { return sameEntity(m.Entity, k.Entity) }) {
		f.KeptEntites++
	}
	if k.Date != "" && slices.ContainsFunc(kept, func(m *extract.Memory) bool { return dated(m, k.Date) }) {
		f.KeptDates++
	}
}

// holds reports whether a memory's text has all the words, case aside.
func holds(m *extract.Memory, words []string) bool {
	text := strings.ToLower(m.Text)
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, strings.ToLower(w)) })
}

// sameEntity is loose: "my mum" will do for "mum".
func sameEntity(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return a == b || a != "" && b != "user" && a != "user" && (strings.Contains(a, b) || strings.Contains(b, a))
}

// dated reports whether one of a memory's times falls on a date of the labels, in
// the zone of the turn's day: within a day of it in UTC.
func dated(m *extract.Memory, date string) bool {
	var d struct {
		StartsAt time.Time `json:"starts_at"`
		EndsAt   time.Time `json:"ends_at"`
	}
	if len(m.Detail) > 0 {
		if err := json.Unmarshal(m.Detail, &d); err != nil {
			return false
		}
	}
	from, to, ok := dayOf(date)
	if !ok {
		return false
	}
	return slices.ContainsFunc([]time.Time{d.StartsAt, d.EndsAt, m.ValidFrom, m.ValidTo}, func(t time.Time) bool {
		return !t.IsZero() && t.After(from.Add(-zoneSlack)) && t.Before(to.Add(zoneSlack))
	})
}

// zoneSlack is how far a local day may lie from the same day in UTC.
const zoneSlack = 14 * time.Hour

func dayOf(date string) (from, to time.Time, ok bool) {
	if t, err := time.Parse(time.DateOnly, date); err == nil {
		return t, t.AddDate(0, 0, 1), true
	}
	if t, err := time.Parse("2006-01", date); err == nil {
		return t, t.AddDate(0, 1, 0), true
	}
	return from, to, false
}
