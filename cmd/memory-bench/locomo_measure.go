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
)

// locomoOptions say what is measured.
type locomoOptions struct {
	data, golden string // golden may be empty: then nothing is compared
	nonsense     []string
}

// locomoRun is a measurement under way.
type locomoRun struct {
	golden                  map[goldenKey][]hit
	nonsense                []string
	unfloored, usual, plain ranker
	report                  locomoReport
}

// measureLocomo asks every question of every conversation, each in a store of
// its own, and tells progress.
func measureLocomo(ctx context.Context, o locomoOptions, progress io.Writer) (report locomoReport, err error) {
	talks, err := readTalks(o.data)
	if err != nil {
		return report, err
	}
	run := &locomoRun{
		nonsense: o.nonsense, unfloored: ranker{name: "recall, min_score 0"}, usual: ranker{name: "recall, default floor"}, plain: ranker{name: "plain BM25"},
	}
	if o.golden != "" {
		if run.golden, err = readGolden(o.golden); err != nil {
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
	run.report.Rankers = []rankerReport{run.unfloored.report(), run.usual.report(), run.plain.report()}
	return run.report, nil
}

// talk measures one conversation.
func (r *locomoRun) talk(ctx context.Context, number int, t *talk, dir string) (err error) {
	if len(t.Sittings) == 0 {
		return nil
	}
	d, err := openDiary(ctx, dir, t.Sittings[0].At)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	names, err := d.writeTurns(ctx, t)
	if err != nil {
		return err
	}
	d.now = t.Sittings[len(t.Sittings)-1].At.Add(nextDay)
	r.report.Conversations++
	r.report.Turns += t.turns()
	r.report.Questions += len(t.Probes)
	a := asking{locomoRun: r, diary: d, talk: t, number: number, names: names, okapi: newOkapi(t)}
	for i := range t.Probes {
		if err := a.probe(ctx, &t.Probes[i]); err != nil {
			return err
		}
	}
	return a.nonsense(ctx)
}

// writeTurns remembers a talk as it went on: turns of sessions, in the episodic
// tier. It returns the turns' ids by those of their records.
func (d *diary) writeTurns(ctx context.Context, t *talk) (map[string]string, error) {
	names := map[string]string{}
	for _, s := range t.Sittings {
		d.now = s.At.Add(afterwards)
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
	talk   *talk
	number int
	names  map[string]string
	okapi  *okapi
}

// probe asks one question in every way.
func (a *asking) probe(ctx context.Context, p *probe) error {
	open := 0.0
	all, err := a.diary.ranked(ctx, a.talk.ID, p.Question, &open, sessionDepth, a.names)
	if err != nil {
		return err
	}
	shown, err := a.diary.ranked(ctx, a.talk.ID, p.Question, nil, sessionDepth, a.names)
	if err != nil {
		return err
	}
	a.unfloored.judge(a.number, p, all)
	a.usual.judge(a.number, p, shown)
	a.plain.judge(a.number, p, a.okapi.ranked(p.Question, sessionDepth))
	if p.Category != adversarial {
		a.report.Floor.answerable(holds(all, p.Evidence), holds(shown, p.Evidence), len(shown) == 0)
	}
	if want, ok := a.golden[goldenKey{a.talk.ID, p.Index}]; ok {
		a.report.Golden.compare(a.talk, p, all[:min(len(all), depth)], want)
	}
	return nil
}

// nonsense asks what nothing in a talk is about.
func (a *asking) nonsense(ctx context.Context) error {
	for _, query := range a.locomoRun.nonsense {
		shown, err := a.diary.ranked(ctx, a.talk.ID, query, nil, 1, a.names)
		if err != nil {
			return err
		}
		a.report.Floor.Nonsense++
		if len(shown) > 0 {
			a.report.Floor.NonsenseAnswered++
		}
	}
	return nil
}

// holds reports whether any of the truth is among the first ten.
func holds(ranked []hit, truth map[string]bool) bool {
	return slices.ContainsFunc(ranked[:min(len(ranked), depth)], func(h hit) bool { return truth[h.ID] })
}
