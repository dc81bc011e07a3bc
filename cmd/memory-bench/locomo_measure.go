package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// locomoOptions say what is measured.
type locomoOptions struct {
	data, golden string // golden may be empty: then nothing is compared
	nonsense     []string
	embedder     embed.Embedder // nil: words alone
}

// locomoRun is a measurement under way.
type locomoRun struct {
	locomoOptions
	rankings map[goldenKey][]hit // the golden ones
	recall   judged
	words    judged // the same without vectors, where there is an embedder
	plain    ranker
	dense    ranker
	report   locomoReport
}

// judged is one memory under judgement: all it finds, and what it shows.
type judged struct {
	unfloored, usual ranker
	floor            floorFigures
}

func newJudged(name string) judged {
	return judged{unfloored: ranker{name: name + ", min_score 0"}, usual: ranker{name: name + ", default floor"}}
}

// measureLocomo asks every question of every conversation, each in a store of
// its own, and tells progress.
func measureLocomo(ctx context.Context, o locomoOptions, progress io.Writer) (report locomoReport, err error) {
	talks, err := readTalks(o.data)
	if err != nil {
		return report, err
	}
	run := &locomoRun{
		locomoOptions: o, recall: newJudged("recall"), words: newJudged("words alone"),
		plain: ranker{name: "plain BM25"}, dense: ranker{name: "vectors alone"},
	}
	if o.golden != "" {
		if run.rankings, err = readGolden(o.golden); err != nil {
			return report, err
		}
	}
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return report, fmt.Errorf("make a folder for the stores: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	for i := range talks {
		fmt.Fprintf(progress, "%s: %d turns, %d questions\n", talks[i].ID, talks[i].turns(), len(talks[i].Probes))
		if err := run.talk(ctx, i, &talks[i], filepath.Join(dir, talks[i].ID)); err != nil {
			return report, fmt.Errorf("measure conversation %s: %w", talks[i].ID, err)
		}
	}
	run.finish()
	return run.report, nil
}

// finish puts the figures together.
func (r *locomoRun) finish() {
	r.report.Floor = r.recall.floor
	r.report.Rankers = []rankerReport{r.recall.unfloored.report(), r.recall.usual.report(), r.plain.report()}
	if r.embedder != nil {
		r.report.Model, r.report.WordsFloor = r.embedder.Model(), &r.words.floor
		r.report.Rankers = append(r.report.Rankers, r.dense.report(), r.words.unfloored.report(), r.words.usual.report())
	}
}

// talk measures one conversation.
func (r *locomoRun) talk(ctx context.Context, number int, t *talk, dir string) (err error) {
	if len(t.Sittings) == 0 {
		return nil
	}
	d, err := openDiary(ctx, dir, t.Sittings[0].At, r.embedder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	names, err := d.writeTurns(ctx, t)
	if err != nil {
		return err
	}
	d.set(t.Sittings[len(t.Sittings)-1].At.Add(nextDay))
	r.report.Conversations++
	r.report.Turns += t.turns()
	r.report.Questions += len(t.Probes)
	a := asking{locomoRun: r, diary: d, talk: t, number: number, names: names, okapi: newOkapi(t)}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.embed(ctx); err != nil {
		return err
	}
	for i := range t.Probes {
		if err := a.probe(ctx, &t.Probes[i]); err != nil {
			return err
		}
	}
	return a.unanswerable(ctx)
}

// writeTurns remembers a talk as it went on: turns of sessions, in the episodic
// tier. It returns the turns' ids by those of their records.
func (d *diary) writeTurns(ctx context.Context, t *talk) (map[string]string, error) {
	names := map[string]string{}
	for _, s := range t.Sittings {
		d.set(s.At.Add(afterwards))
		memories := make([]layers.Memorandum, len(s.Utterances))
		for i, u := range s.Utterances {
			memories[i] = layers.Memorandum{
				Text: u.Text, Tier: storage.Episodic, SessionID: s.name(t.ID), Speaker: u.Speaker, ObservedAt: s.said(i).Format(time.RFC3339),
			}
		}
		written, err := d.write(ctx, t.ID, memories)
		if err != nil {
			return nil, err
		}
		for i, w := range written {
			names[w.ID] = s.Utterances[i].ID
		}
	}
	return names, nil
}

// asking is the part of a measurement that asks about one talk.
type asking struct {
	*locomoRun
	diary  *diary
	worded *diary // without vectors; nil without an embedder
	talk   *talk
	number int
	names  map[string]string
	okapi  *okapi
	near   *dense
}

// embed makes the vectors of a talk, if there is an embedder.
func (a *asking) embed(ctx context.Context) (err error) {
	if a.embedder == nil {
		return nil
	}
	if a.worded, err = a.diary.wordsAlone(ctx); err != nil {
		return err
	}
	if a.near, err = newDense(ctx, a.embedder, a.talk); err != nil {
		return err
	}
	return a.diary.Settle(ctx)
}

// close ends the memory without vectors.
func (a *asking) close() error {
	if a.worded == nil {
		return nil
	}
	return a.worded.Close()
}

// probe asks one question in every way.
func (a *asking) probe(ctx context.Context, p *probe) error {
	words, err := a.judge(ctx, &a.recall, a.diary, p)
	if err == nil && a.worded != nil {
		words, err = a.judge(ctx, &a.words, a.worded, p)
	}
	if err != nil {
		return err
	}
	a.plain.judge(a.number, p, a.okapi.ranked(p.Question, sessionDepth))
	if want, ok := a.rankings[goldenKey{a.talk.ID, p.Index}]; ok {
		a.report.Golden.compare(a.talk, p, words[:min(len(words), depth)], want)
	}
	if a.near == nil {
		return nil
	}
	near, err := a.near.ranked(ctx, p.Question, sessionDepth)
	if err != nil {
		return err
	}
	a.dense.judge(a.number, p, near)
	return nil
}

// judge asks a memory one question, and returns all it finds.
func (a *asking) judge(ctx context.Context, j *judged, d *diary, p *probe) ([]hit, error) {
	open := 0.0
	all, err := d.ranked(ctx, a.talk.ID, p.Question, &open, sessionDepth, a.names)
	if err != nil {
		return nil, err
	}
	shown, err := d.ranked(ctx, a.talk.ID, p.Question, nil, sessionDepth, a.names)
	if err != nil {
		return nil, err
	}
	j.unfloored.judge(a.number, p, all)
	j.usual.judge(a.number, p, shown)
	if p.Category != adversarial {
		j.floor.answerable(holds(all, p.Evidence), holds(shown, p.Evidence), len(shown) == 0)
	}
	return all, nil
}

// unanswerable asks what nothing in a talk is about.
func (a *asking) unanswerable(ctx context.Context) error {
	for _, query := range a.nonsense {
		if err := a.judgeNonsense(ctx, &a.recall, a.diary, query); err != nil {
			return err
		}
		if a.worded == nil {
			continue
		}
		if err := a.judgeNonsense(ctx, &a.words, a.worded, query); err != nil {
			return err
		}
	}
	return nil
}

func (a *asking) judgeNonsense(ctx context.Context, j *judged, d *diary, query string) error {
	shown, err := d.ranked(ctx, a.talk.ID, query, nil, 1, a.names)
	if err != nil {
		return err
	}
	j.floor.Nonsense++
	if len(shown) > 0 {
		j.floor.NonsenseAnswered++
	}
	return nil
}

// holds reports whether any of the truth is among the first ten.
func holds(ranked []hit, truth map[string]bool) bool {
	return slices.ContainsFunc(ranked[:min(len(ranked), depth)], func(h hit) bool { return truth[h.ID] })
}
