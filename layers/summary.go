package layers

import (
	"context"
	"strings"
	"time"

	"mcp-memory/layers/llm"
)

// summarise lets a model sum up the matches, where one is set; it may cite no id but
// theirs. Where that fails the extractive summary stays, and the note says so.
func (m *Memory) summarise(ctx context.Context, q *question, out *RecallOutput) {
	c := m.opts.Models.Caller(llm.Summary)
	if c == nil || q.in.Format != FormatSummary || len(out.Matches) == 0 {
		return
	}
	in := llm.SummaryInput{Query: q.in.Query}
	if q.in.MaxTokens != nil {
		in.MaxTokens = *q.in.MaxTokens
	}
	for i := range out.Matches {
		match := &out.Matches[i]
		in.Lines = append(in.Lines, llm.Remembered{ID: match.ID, Text: match.Text, Date: line(match, m.opts.Location).Date})
	}
	t := Trace{Work: WorkSummary, Start: time.Now()}
	t.ID, _ = newTrace() // without one it is no less a summary
	in.Trace = t.ID
	text, _, calls, err := llm.Summarise(ctx, llm.NewBudget(llm.Limits{}).Caller(c), in)
	m.tally.asked(len(calls))
	t.End, t.Calls = time.Now(), calls
	m.trace(&t)
	switch {
	case err != nil:
		m.log.Warn("a summary by the model was not used", "error", err)
		out.Note = strings.TrimPrefix(out.Note+"; the model gave no summary that can be used: this one is made of the memories' own words", "; ")
	case text != "" && len(text) <= contextBudget:
		out.Context = text
	}
}
