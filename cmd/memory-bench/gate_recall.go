package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers"
	"mcp-memory/layers/gatekeeper"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// recallReport is what extract leaves of LoCoMo: the turns are streamed to it one
// by one, and then the questions are asked of what it made, and of the turns as
// they were said.
type recallReport struct {
	Conversations  int     `json:"conversations"`
	Turns          int     `json:"turns"`
	GateCalls      int     `json:"gate_calls"`
	Ungated        float64 `json:"ungated"` // share of the turns without a gate call
	ExtractorCalls int     `json:"extractor_calls"`
	Saved          float64 `json:"saved"`      // of the extractor calls of every layer at every gate call
	SavedTurns     float64 `json:"saved_turn"` // of those of every layer at every turn
	Records        int     `json:"records"`
	PerTurn        float64 `json:"per_turn"` // records by turns
	Evidence       int     `json:"evidence"` // turns that answer a question
	Kept           int     `json:"kept"`     // of those, a record rests on
	Questions      int     `json:"questions"`

	Answers []answersRow `json:"answers"` // by category, and of all
	Ratio   float64      `json:"ratio"`   // of the texts' words, over all questions
}

// answersRow is the mean share of a gold answer's words that recall shows.
type answersRow struct {
	Of        string   `json:"of"`
	Questions int      `json:"questions"` // whose answer has words that count
	Extracted recalled `json:"extracted"` // of what extract made
	Verbatim  recalled `json:"verbatim"`  // of the turns themselves
}

// recallRun is a measurement under way.
type recallRun struct {
	embedder embed.Embedder // nil: words alone
	dir      string
	report   recallReport
	rows     [categories]answersRow // of categories 1 to 4, and last of all
}

// measureRecall extracts the talks, and asks.
func measureRecall(ctx context.Context, talks []talk, e embed.Embedder, progress io.Writer) (report *recallReport, err error) {
	run := recallRun{embedder: e}
	if run.dir, err = os.MkdirTemp("", "memory-bench-"); err != nil {
		return nil, fmt.Errorf("make a folder for the stores: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(run.dir)) }()
	for i := range talks {
		fmt.Fprintf(progress, "%s: %d turns are extracted\n", talks[i].ID, talks[i].turns())
		if err := run.talk(ctx, &talks[i]); err != nil {
			return nil, fmt.Errorf("measure conversation %s: %w", talks[i].ID, err)
		}
	}
	return run.finish(), nil
}

// chosenTalks reads the talks at the places, all where there are none.
func chosenTalks(path string, places []int) ([]talk, error) {
	talks, err := readTalks(path)
	if err != nil || len(places) == 0 {
		return talks, err
	}
	var out []talk
	for _, n := range places {
		if n < 0 || n >= len(talks) {
			return nil, fmt.Errorf("--conversations has %d: %s has %d, counted from 0", n, path, len(talks))
		}
		out = append(out, talks[n])
	}
	return out, nil
}

// finish makes means and shares of what was summed up.
func (r *recallRun) finish() *recallReport {
	f := &r.report
	f.Ungated = 1 - ratio(f.GateCalls, f.Turns)
	f.Saved = 1 - ratio(f.ExtractorCalls, f.GateCalls*len(gatekeeper.Layers))
	f.SavedTurns = 1 - ratio(f.ExtractorCalls, f.Turns*len(gatekeeper.Layers))
	f.PerTurn = ratio(f.Records, f.Turns)
	for i, row := range r.rows {
		if row.Of = rowAnswerable; i < adversarial-1 {
			row.Of = categoryName(i + 1)
		}
		if row.Questions > 0 {
			row.Extracted.by(row.Questions)
			row.Verbatim.by(row.Questions)
		}
		f.Answers = append(f.Answers, row)
	}
	if all := f.Answers[len(f.Answers)-1]; all.Verbatim.Texts > 0 {
		f.Ratio = all.Extracted.Texts / all.Verbatim.Texts
	}
	return f
}

// talk extracts one conversation, keeps its turns beside that, and asks.
func (r *recallRun) talk(ctx context.Context, t *talk) (err error) {
	if len(t.Sittings) == 0 {
		return nil
	}
	extracted, err := openDiary(ctx, filepath.Join(r.dir, t.ID+"-extracted"), t.Sittings[0].At, r.embedder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, extracted.close()) }()
	if err := r.extract(ctx, extracted, t); err != nil {
		return err
	}
	if err := r.countKept(ctx, extracted, t); err != nil {
		return err
	}
	verbatim, err := openDiary(ctx, filepath.Join(r.dir, t.ID+"-verbatim"), t.Sittings[0].At, r.embedder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, verbatim.close()) }()
	if _, err := verbatim.writeTurns(ctx, t); err != nil {
		return err
	}
	for _, d := range []*diary{extracted, verbatim} {
		d.set(t.Sittings[len(t.Sittings)-1].At.Add(nextDay))
		if err := d.Settle(ctx); err != nil {
			return err
		}
	}
	r.report.Conversations++
	for i := range t.Probes {
		if err := r.ask(ctx, extracted, verbatim, t.ID, &t.Probes[i]); err != nil {
			return err
		}
	}
	return nil
}

// extract streams a talk turn by turn. The end of a sitting is a flush, as five
// idle minutes would be one.
func (r *recallRun) extract(ctx context.Context, d *diary, t *talk) error {
	for i := range t.Sittings {
		s := &t.Sittings[i]
		in := layers.ExtractInput{SessionID: s.name(t.ID)}
		for n, turn := range s.turns() {
			content, err := json.Marshal(turn.Content)
			if err != nil {
				return fmt.Errorf("hand over %s: %w", turn.ID, err)
			}
			d.set(s.said(n))
			in.Messages = []layers.Message{{ID: turn.ID, Role: turn.Role, Name: turn.Name, Content: content, Time: turn.Time.Format(time.RFC3339)}}
			if err := r.event(ctx, d, t.ID, in); err != nil {
				return fmt.Errorf("extract %s: %w", turn.ID, err)
			}
		}
		if err := r.event(ctx, d, t.ID, layers.ExtractInput{SessionID: in.SessionID, Flush: true}); err != nil {
			return fmt.Errorf("extract the end of session %d: %w", s.Number, err)
		}
	}
	return nil
}

// countKept counts the turns of a talk that answer a question, and those of them that
// a record of it rests on.
func (r *recallRun) countKept(ctx context.Context, d *diary, t *talk) error {
	from := map[string]bool{}
	err := d.store.Scan(ctx, func(e storage.Entry) error {
		if e.Live() {
			enterAll(from, e.Source.MessageIDs)
		}
		return nil
	})
	if err != nil {
		return err
	}
	evidence := map[string]bool{}
	for i := range t.Probes {
		maps.Copy(evidence, t.Probes[i].Evidence)
	}
	for i := range t.Sittings {
		for _, u := range t.Sittings[i].Utterances {
			if !evidence[u.ID] {
				continue
			}
			r.report.Evidence++
			if from[u.ID] {
				r.report.Kept++
			}
		}
	}
	return nil
}

// event is a call of extract, which may or may not be one for the gate.
func (r *recallRun) event(ctx context.Context, d *diary, user string, in layers.ExtractInput) error {
	out, err := d.Extract(ctx, user, in)
	if err != nil {
		return err
	}
	r.report.Turns += len(in.Messages)
	r.report.Records += out.Counts.Stored
	if out.Gate.Mode == layers.GateNone {
		return nil
	}
	r.report.GateCalls++
	for _, l := range out.Layers {
		if l.Status != layers.LayerSkipped {
			r.report.ExtractorCalls++
		}
	}
	return nil
}

// ask looks for the words of an answer in what either memory recalls.
func (r *recallRun) ask(ctx context.Context, extracted, verbatim *diary, user string, p *probe) error {
	words := text.Terms(p.Answer)
	if p.Category == adversarial || len(words) == 0 {
		return nil
	}
	a, err := extracted.shows(ctx, user, p.Question, words)
	if err != nil {
		return err
	}
	b, err := verbatim.shows(ctx, user, p.Question, words)
	if err != nil {
		return err
	}
	r.report.Questions++
	for _, row := range []*answersRow{&r.rows[p.Category-1], &r.rows[categories-1]} {
		row.Questions++
		row.Extracted.add(a)
		row.Verbatim.add(b)
	}
	return nil
}

func (r *recallReport) markdown(b *strings.Builder) {
	b.WriteString("\n| LoCoMo, streamed to extract: conversations | turns | gate calls | turns without one | extractor calls | saved of every layer a gate call | a turn | records | a turn | answering turns | of which kept |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	fmt.Fprintf(b, "| %d | %d | %d | %.3f | %d | %.3f | %.3f | %d | %.3f | %d | %d |\n",
		r.Conversations, r.Turns, r.GateCalls, r.Ungated, r.ExtractorCalls, r.Saved, r.SavedTurns, r.Records, r.PerTurn, r.Evidence, r.Kept)
	b.WriteString("\nShare of the answers' words that ten matches hold: in their texts (with their times, values, quotes and details)\n\n" +
		"| category | questions | after extract | of the turns | ratio |\n|---|---:|---:|---:|---:|\n")
	for _, row := range r.Answers {
		by := 0.0
		if row.Verbatim.Texts > 0 {
			by = row.Extracted.Texts / row.Verbatim.Texts
		}
		fmt.Fprintf(b, "| %s | %d | %.3f (%.3f) | %.3f (%.3f) | %.3f |\n", row.Of, row.Questions,
			row.Extracted.Texts, row.Extracted.Matches, row.Verbatim.Texts, row.Verbatim.Matches, by)
	}
}
