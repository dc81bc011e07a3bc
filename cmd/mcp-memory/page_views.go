package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-memory/layers"
)

// record prints a record's fields, those that are there, and its slot's history.
func (p page) record(view layers.RecordView) error {
	m := view.Record
	var t table
	for _, f := range [][2]string{
		{"id", m.ID}, {"text", oneLine(m.Text)}, {"state", state(m)},
		{"layer", nonEmpty(", ", m.Layer, m.Tier, m.Category)}, {"about", slot(m.Entity, m.Attribute, m.Value)},
		{"reason", oneLine(m.Reason)}, {"project", oneLine(m.Project)}, {"tags", oneLine(strings.Join(m.Tags, ", "))},
		{"importance", fmt.Sprintf("%d of 5, confidence %.2f", m.Importance, m.Confidence)},
		{"said", p.time(m.ObservedAt)}, {"true from", p.time(m.ValidFrom)}, {"true until", p.time(m.ValidTo)},
		{"trust", strings.ReplaceAll(m.Trust, "_", " ")}, {"source", source(m.Source)}, {"detail", detail(m)},
		{"replaced by", m.SupersededBy}, {"said again", repeated(m.Reinforced)},
	} {
		if f[1] != "" {
			t.add(cell{f[0], p.dim}, cell{text: f[1]})
		}
	}
	if err := t.print(p.out); err != nil || len(view.Chain) < 2 {
		return err
	}
	if err := p.line(""); err != nil {
		return err
	}
	return p.statements(slot(m.Entity, m.Attribute, ""), view.Chain)
}

func source(s layers.MatchSource) string {
	quote := ""
	if s.Quote != "" {
		quote = "“" + oneLine(s.Quote) + "”"
	}
	return nonEmpty(", ", oneLine(s.ID), oneLine(s.Session), oneLine(s.Speaker), s.Role, quote)
}

func detail(m layers.Match) string {
	if raw := string(m.Detail); raw != "{}" {
		return oneLine(raw)
	}
	return ""
}

func repeated(n int) string {
	if n == 0 {
		return ""
	}
	return count(n, "time")
}

// timeline prints the history of each of an entity's slots.
func (p page) timeline(view layers.TimelineView) error {
	if len(view.Attributes) == 0 {
		return p.line("%s", p.yellow("nothing is remembered about "+oneLine(view.Entity)))
	}
	for _, a := range view.Attributes {
		title := slot(view.Entity, a.Attribute, "")
		if a.Project != "" {
			title += " (project " + oneLine(a.Project) + ")"
		}
		if err := p.statements(title, a.Statements); err != nil {
			return err
		}
	}
	return nil
}

// statements prints a slot's statements, the oldest first.
func (p page) statements(title string, statements []layers.Match) error {
	if title != "" {
		if err := p.line("%s", p.bold(title)); err != nil {
			return err
		}
	}
	var t table
	for _, m := range statements {
		what := cell{text: oneLine(m.Text), paint: p.dim}
		if state(m) == "" {
			what.paint = p.green
		}
		t.add(cell{text: "  " + p.time(m.ObservedAt)}, cell{m.ID, p.dim}, cell{text: nonEmpty("", state(m))}, what)
	}
	return t.print(p.out)
}

// stats prints the counts, a line each.
func (p page) stats(s layers.StatsView) error {
	var t table
	add := func(name, value string) { t.add(cell{name, p.dim}, cell{text: value}) }
	add("records", fmt.Sprintf("%d (%d current, %d history), %d forgotten", s.Records, s.Current, s.History, s.Forgotten))
	for _, layer := range slices.Sorted(maps.Keys(s.ByLayer)) {
		add("  "+layer, fmt.Sprint(s.ByLayer[layer]))
	}
	add("users", fmt.Sprint(s.Users))
	add("folder", s.Dir)
	add("file", fmt.Sprintf("%.1f KiB", float64(s.FileBytes)/1024))
	add("embedder", nonEmpty(s.EmbedderError, s.Embedder))
	if s.VectorEngine != "" {
		add("vectors", fmt.Sprintf("%d, %d pending, searched by %s", s.Embedded, s.VectorsPending, s.VectorEngine))
	}
	if s.VectorNote != "" {
		add("", s.VectorNote)
	}
	add("version", s.Version)
	if s.Role == layers.RoleAttached {
		add("owned by", fmt.Sprintf("process %d", s.OwnerPID))
	}
	if len(s.Differ) > 0 {
		add("differ", strings.Join(s.Differ, ", ")+" (the owner's count)")
	}
	if r := s.Salvage; r != nil && r.Lost != "" {
		add("lost", r.Lost+"; a new one was begun")
	} else if r != nil {
		add("salvaged", fmt.Sprintf("%d operations kept, %d damaged stretches (%d bytes) left out; the original is %s", r.Kept, r.Dropped, r.Bytes, r.Original))
	}
	return t.print(p.out)
}
