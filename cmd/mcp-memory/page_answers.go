package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mcp-memory/layers"
)

// remembered prints one line for each memory, and below it what else happened.
func (p page) remembered(out layers.RememberOutput) error {
	var t table
	for _, m := range out.Memories {
		what := slot(m.Entity, m.Attribute, m.Value)
		if m.Attribute == "" {
			what = oneLine(m.Text)
		}
		t.add(cell{m.Status, p.green}, cell{m.ID, p.dim}, cell{text: what})
		if len(m.Supersedes) > 0 {
			t.add(cell{text: "  replaces"}, cell{strings.Join(m.Supersedes, " "), p.dim})
		}
		if len(m.Redacted) > 0 {
			t.add(cell{text: "  redacted"}, cell{text: strings.Join(m.Redacted, ", ")})
		}
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	told := map[string]bool{} // what holds of many is said once
	for _, m := range out.Memories {
		if told[m.Note] {
			continue
		}
		told[m.Note] = true
		note := strings.ReplaceAll(m.Note, layers.UndoCall(m.ID), "run mcp-memory undo "+m.ID)
		if err := p.note(note); err != nil {
			return err
		}
	}
	return nil
}

// note prints a remark of the memory; nothing where there is none.
func (p page) note(note string) error {
	if note == "" {
		return nil
	}
	return p.line("%s", p.dim("note: "+printable(note)))
}

// recalled prints every hit with what it is about, when it was said and, if
// explained, why it is there; or the context to paste, where that was asked.
func (p page) recalled(out layers.RecallOutput, toPaste bool) error {
	if toPaste && out.Context != "" {
		if err := p.line("%s", strings.TrimRight(printable(out.Context), "\n")); err != nil {
			return err
		}
		if err := p.session(out.Working); err != nil {
			return err
		}
		return p.tail(out)
	}
	for i, m := range out.Matches {
		if err := p.hit(i+1, m); err != nil {
			return err
		}
	}
	if err := p.session(out.Working); err != nil {
		return err
	}
	for _, u := range out.Upcoming {
		if err := p.line("%s %s  %s", p.cyan("upcoming"), p.time(u.StartsAt), oneLine(u.Text)); err != nil {
			return err
		}
	}
	return p.tail(out)
}

// session prints the last turns of the session that was named, and its notes.
func (p page) session(turns []layers.WorkingTurn) error {
	for _, w := range turns {
		who := cmp.Or(w.Speaker, w.Role, "note")
		if err := p.line("%s %s  %s: %s", p.cyan("in this session"), p.time(w.Time), oneLine(who), oneLine(w.Text)); err != nil {
			return err
		}
	}
	return nil
}

func (p page) hit(n int, m layers.Match) error {
	about := nonEmpty(" · ", m.Layer, slot(m.Entity, m.Attribute, m.Value), "said "+p.time(m.ObservedAt), state(m))
	score := "" // without a query nothing is scored
	if m.Score > 0 {
		score = p.green(fmt.Sprintf("  %.2f", m.Score))
	}
	if err := p.line("%2d  %s%s", n, p.bold(oneLine(m.Text)), score); err != nil {
		return err
	}
	if err := p.line("    %s", p.dim(about+" · "+m.ID)); err != nil {
		return err
	}
	if len(m.Signals) == 0 {
		return nil
	}
	return p.line("    %s", p.cyan("why: "+signals(m.Signals)))
}

// signals shows what a score is made of, by name.
func signals(given map[string]float64) string {
	var words []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		words = append(words, fmt.Sprintf("%s %.2f", name, given[name]))
	}
	return strings.Join(words, " · ")
}

// tail says what was left out and how to go on, and tells "nothing found" from
// "found, but too weak".
func (p page) tail(out layers.RecallOutput) error {
	summary := ""
	switch {
	case len(out.Matches) == 0 && out.BelowThreshold > 0:
		summary = fmt.Sprintf("nothing close enough: %s below the threshold", count(out.BelowThreshold, "candidate"))
	case len(out.Matches) == 0:
		summary = "nothing found"
	case out.BelowThreshold > 0:
		summary = fmt.Sprintf("%s below the threshold", count(out.BelowThreshold, "candidate"))
	}
	if summary != "" {
		if err := p.line("%s", p.yellow(summary)); err != nil {
			return err
		}
	}
	if out.NextCursor == "" {
		return p.note(out.Note)
	}
	note := strings.TrimSuffix(strings.TrimSuffix(out.Note, layers.MoreNote), "; ")
	if err := p.note(note); err != nil {
		return err
	}
	return p.line("%s", p.dim("more with --cursor "+out.NextCursor))
}

// listed prints a line for each record: id, when it was said, layer, text.
func (p page) listed(out layers.RecallOutput) error {
	var t table
	for _, m := range out.Matches {
		what := oneLine(m.Text)
		if s := state(m); s != "" {
			what += " (" + s + ")"
		}
		t.add(cell{m.ID, p.dim}, cell{text: p.time(m.ObservedAt)}, cell{m.Layer, p.cyan}, cell{text: what})
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	if err := p.session(out.Working); err != nil {
		return err
	}
	return p.tail(out)
}

// forgotten prints what went, or would go.
func (p page) forgotten(out layers.ForgetOutput) error {
	var t table
	for _, m := range out.Matched {
		t.add(cell{m.ID, p.dim}, cell{text: oneLine(m.Text)})
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	if more := out.MatchedCount - len(out.Matched); more > 0 {
		if err := p.line("… and %s more", count(more, "record")); err != nil {
			return err
		}
	}
	if len(out.Related) > 0 {
		if err := p.line("%s", p.dim("others that say the same: "+strings.Join(out.Related, " "))); err != nil {
			return err
		}
	}
	return p.outcome(out)
}

// outcome says what was done. The answer's own note is for clients: it speaks
// of tools and tokens.
func (p page) outcome(out layers.ForgetOutput) error {
	switch {
	case out.Forgotten > 0 && out.Mode == layers.ModeErase && out.Receipt.Verified:
		if _, gone, some := strings.Cut(out.Note, layers.GoneNote); some {
			if err := p.note(layers.GoneNote + gone); err != nil {
				return err
			}
		}
		return p.line("%s; in no file any more (receipt %s)", p.green("erased "+count(out.Forgotten, "record")), out.Receipt.ID)
	case out.Forgotten > 0 && out.Mode == layers.ModeErase:
		return p.line("%s; %s (receipt %s)", p.yellow("erased "+count(out.Forgotten, "record")+", but not everywhere"), oneLine(out.Note), out.Receipt.ID)
	case out.Forgotten > 0:
		return p.line("%s; until %s this brings it back: mcp-memory undo %s",
			p.green("forgot "+count(out.Forgotten, "record")), p.time(out.UndoUntil), out.Receipt.ID)
	case out.MatchedCount == 0:
		return p.line("%s", p.yellow("nothing matches"))
	}
	return p.line("%s would go", count(out.MatchedCount, "record"))
}

// undone prints what an undo brought back or took back.
func (p page) undone(out layers.ForgetOutput) error {
	var t table
	for _, m := range out.Matched {
		t.add(cell{m.ID, p.dim}, cell{text: oneLine(m.Text)})
	}
	if err := t.print(p.out); err != nil {
		return err
	}
	done := p.yellow("nothing changed")
	if out.Restored > 0 {
		done = p.green("undone for " + count(out.Restored, "record"))
	}
	if err := p.line("%s", done); err != nil {
		return err
	}
	return p.note(out.Note)
}
