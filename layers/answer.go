package layers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/internal/text"
	"mcp-memory/layers/recall"
)

// Budgets of an answer in bytes of JSON. A result message may have 60,000; what
// they leave is for the text rendering and the frame.
const (
	matchesBudget = 40_000
	contextBudget = 9_000
	lineText      = 1_000 // bytes of a text in a rendering
)

// answer turns candidates into a page.
func (m *Memory) answer(ctx context.Context, sp *space, q *question, found []*recall.Candidate) (RecallOutput, error) {
	out := RecallOutput{Matches: []Match{}, Working: []WorkingTurn{}, Candidates: max(len(found), q.total)}
	var err error
	if out.Upcoming, err = sp.upcoming(q, m.opts.UpcomingDays); err != nil {
		return out, err
	}
	all := len(found)
	switch {
	case q.Folded == "" || (q.in.MinScore == nil && (len(q.only) > 0 || q.filter.exact())):
	case q.in.MinScore == nil:
		found = recall.Above(found, sp.words.Len())
	default:
		found = slices.DeleteFunc(found, func(c *recall.Candidate) bool { return c.Score < q.floor })
	}
	out.BelowThreshold = all - len(found)
	if q.in.SessionID != "" {
		if out.Working, err = m.working(sp, q); err != nil {
			return out, err
		}
	}
	if err := m.page(ctx, sp, q, sp.ordered(q, found), &out); err != nil {
		return out, err
	}
	m.render(q, &out)
	out.Note = note(q, sp, &out)
	return out, nil
}

// page fills the matches from the cursor on, up to the limit and the budget.
func (m *Memory) page(ctx context.Context, sp *space, q *question, found []*recall.Candidate, out *RecallOutput) error {
	first, piece := q.start(found)
	beside, err := jsonSize([]any{out.Working, out.Upcoming})
	if err != nil {
		return err
	}
	budget := max(matchesBudget-beside, matchesBudget/2)
	for i := first; i < len(found); i++ {
		if len(out.Matches) == q.limit {
			out.NextCursor = q.token(out.Matches, first, 0, m.present())
			return nil
		}
		match, whole, err := sp.match(ctx, q, found[i])
		if err != nil {
			return err
		}
		if piece > 0 {
			match.Text, match.Truncated = whole[min(piece, len(whole)):], true
		}
		size, err := jsonSize(match)
		switch {
		case err != nil:
			return err
		case size > budget && len(out.Matches) > 0:
			out.NextCursor = q.token(out.Matches, first, 0, m.present())
			return nil
		case size > budget: // one record alone is over the budget: give it in pieces
			n, err := fit(&match, budget)
			if err != nil {
				return err
			}
			out.Matches = append(out.Matches, match)
			out.NextCursor = q.token(out.Matches, first, piece+n, m.present())
			return nil
		}
		out.Matches = append(out.Matches, match)
		budget, piece = budget-size, 0
	}
	return nil
}

// jsonSize is how many bytes of a message v takes, with <, > and & escaped as the
// wire has them.
func jsonSize(v any) (int, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return 0, fmt.Errorf("encode a match: %w", err)
	}
	return len(b) + 1, nil
}

// fit cuts a match's text so that its JSON has at most budget bytes, and returns
// how much of the text is left. JSON may write a byte as six.
func fit(match *Match, budget int) (int, error) {
	full := match.Text
	low, high := 1, len(full)
	for low < high {
		mid := (low + high + 1) / 2
		match.Text = text.Prefix(full, mid)
		size, err := jsonSize(match)
		if err != nil {
			return 0, err
		}
		if size <= budget {
			low = mid
		} else {
			high = mid - 1
		}
	}
	match.Text, match.Truncated = text.Prefix(full, low), true
	if match.Text == "" { // not even a character fits beside the other fields
		_, size := utf8.DecodeRuneInString(full)
		match.Text = full[:size]
	}
	return len(match.Text), nil
}

// render fills the context where it is asked for, by format or budget, or where
// there is no query.
func (m *Memory) render(q *question, out *RecallOutput) {
	q.rendered = len(out.Matches)
	if q.in.MaxTokens == nil && q.in.Query != "" && q.in.Format != FormatContext && q.in.Format != FormatSummary {
		return
	}
	lines := make([]recall.Line, len(out.Matches))
	for i, match := range out.Matches {
		lines[i] = line(&match, m.opts.Location)
	}
	tokens := 0
	if q.in.MaxTokens != nil {
		tokens = *q.in.MaxTokens
	}
	for n := len(lines); n > 0; n = n * 3 / 4 { // an answer's size has its own limit
		used := 0
		if q.in.Format == FormatSummary {
			out.Context, used = recall.Summary(lines[:n], tokens)
		} else {
			out.Context, used = recall.Context(lines[:n], tokens)
		}
		if size, err := jsonSize(out.Context); err == nil && size <= contextBudget {
			q.rendered = used
			return
		}
	}
	out.Context = ""
}

// line is a match as renderings show it.
func line(match *Match, loc *time.Location) recall.Line {
	l := recall.Line{ID: match.ID, Text: cut(match.Text, lineText), Layer: match.Layer, Entity: match.Entity}
	if src := &match.Source; src.Quote != "" { // as extract's have it
		l.Turn = strings.Join([]string{match.ObservedAt, src.ID, src.Session, src.Speaker}, "\x00")
	}
	when := match.ObservedAt
	if match.ValidFrom != "" {
		when = match.ValidFrom
	}
	if t, err := time.Parse(time.RFC3339Nano, when); err == nil {
		l.Date = t.In(loc).Format(time.DateOnly)
	}
	return l
}

// note says in words what the numbers mean: nothing found, found but below the
// threshold, or what was left out.
func note(q *question, sp *space, out *RecallOutput) string {
	var notes []string
	switch {
	case len(out.Matches) > 0:
	case len(q.in.IDs) > 0 && len(q.only) == 0:
	case !sp.anyLive():
		notes = append(notes, "nothing is remembered yet")
	case out.BelowThreshold > 0:
		notes = append(notes, belowNote(q, out))
	case len(q.cursor.Shown) > 0:
		notes = append(notes, "no more matches")
	default:
		notes = append(notes, "nothing that is remembered matches")
	}
	if q.missing > 0 {
		notes = append(notes, fmt.Sprintf("%d of the ids left out: unknown, forgotten or not yours", q.missing))
	}
	if q.rendered < len(out.Matches) {
		notes = append(notes, fmt.Sprintf("context has room for %d of the %d matches", q.rendered, len(out.Matches)))
	}
	if q.worded != "" {
		notes = append(notes, q.worded)
	}
	if out.NextCursor != "" {
		notes = append(notes, MoreNote)
	}
	return strings.Join(notes, "; ")
}

// MoreNote ends the note of an answer that has a next page.
const MoreNote = "there is more: call again with cursor"

// belowNote says that something was found and how to see it.
func belowNote(q *question, out *RecallOutput) string {
	if q.in.MinScore == nil {
		return fmt.Sprintf("%d found, too unlike the query to be shown; min_score 0 shows them", out.BelowThreshold)
	}
	return fmt.Sprintf("%d found, all below min_score %v", out.BelowThreshold, q.floor)
}
