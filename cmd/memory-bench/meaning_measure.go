package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"mcp-memory/layers"
	"mcp-memory/vector/embed"
)

// Sizes of stores: those where a pair's record stands among others (the whole set
// is the second), and those where nothing is asked for.
const (
	pairStore  = 12
	pairStores = 5 // a pair is asked about in so many of them
)

// floorStores are those that are asked what they cannot answer: small ones hold few
// records of pairs, so there are more of them.
var floorStores = []struct{ size, stores int }{{3, 12}, {10, 8}, {50, 4}}

// meaningRun is a measurement under way. Every store is a user's.
type meaningRun struct {
	meaningSet
	*diary
	names  map[string]string // record id → text
	stores int
	report meaningReport
}

// measureMeaning remembers the set in stores of several sizes and asks.
func measureMeaning(ctx context.Context, e embed.Embedder) (report meaningReport, err error) {
	r := &meaningRun{names: map[string]string{}}
	if r.meaningSet, err = readMeanings(); err != nil {
		return report, err
	}
	dir, err := os.MkdirTemp("", "memory-bench-")
	if err != nil {
		return report, fmt.Errorf("make a folder for the stores: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if r.diary, err = openDiary(ctx, dir, time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), e); err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	r.report.Model, r.report.Records = e.Model(), len(r.records)
	if err := r.pairsAmong(ctx, pairStore, pairStores); err != nil {
		return report, err
	}
	if err := r.pairsAmong(ctx, len(r.records), 1); err != nil {
		return report, err
	}
	for _, s := range floorStores {
		if err := r.floors(ctx, s.size, s.stores); err != nil {
			return report, err
		}
	}
	return r.report, nil
}

// store remembers records for a user of its own and makes their vectors.
func (r *meaningRun) store(ctx context.Context, places []int) (user string, err error) {
	r.stores++
	user = fmt.Sprintf("store-%d", r.stores)
	memories := make([]layers.Memorandum, len(places))
	for i, p := range places {
		memories[i].Text = r.records[p]
	}
	written, err := r.write(ctx, user, memories)
	if err != nil {
		return "", err
	}
	for i, w := range written {
		r.names[w.ID] = r.records[places[i]]
	}
	return user, r.Settle(ctx)
}

// pairsAmong asks every pair's question in stores of that size.
func (r *meaningRun) pairsAmong(ctx context.Context, size, stores int) error {
	rows := map[string]*pairRow{}
	for _, kind := range []string{paraphrase, language} {
		rows[kind] = &pairRow{Kind: kind, Size: size}
	}
	whole := ""
	for _, p := range r.pairs {
		for turn := range stores {
			user := whole
			if user == "" {
				var err error
				if user, err = r.store(ctx, r.around(p.record, size, turn)); err != nil {
					return err
				}
			}
			if size == len(r.records) { // one store for all pairs
				whole = user
			}
			if err := r.pair(ctx, user, &p, rows[p.kind]); err != nil {
				return err
			}
		}
	}
	r.report.Pairs = append(r.report.Pairs, *rows[paraphrase], *rows[language])
	return nil
}

// pair asks for one record with min_score 0.
func (r *meaningRun) pair(ctx context.Context, user string, p *meaningPair, row *pairRow) error {
	open := 0.0
	found, err := r.ranked(ctx, user, p.query, &open, sessionsShown, r.names)
	if err != nil {
		return err
	}
	row.Questions++
	switch at := slices.IndexFunc(found, func(h hit) bool { return h.ID == r.records[p.record] }); {
	case at == 0:
		row.First++
		row.AmongFive++
	case at > 0:
		row.AmongFive++
		fallthrough
	default:
		first := ""
		if len(found) > 0 {
			first = found[0].ID
		}
		r.report.Others = append(r.report.Others, pairMiss{row.Size, p.query, r.records[p.record], first, at + 1})
	}
	return nil
}

// floors asks some stores of a size what they cannot answer, and what they can,
// with the default floor.
func (r *meaningRun) floors(ctx context.Context, size, stores int) error {
	halves := []*smallFloor{{Size: size, Half: "chosen on"}, {Size: size, Half: "reported"}}
	for turn := range stores {
		places := r.around(turn*size, size, turn)
		user, err := r.store(ctx, places)
		if err != nil {
			return err
		}
		for i, q := range r.unrelated {
			shown, err := r.ranked(ctx, user, q, nil, 1, r.names)
			if err != nil {
				return err
			}
			halves[i%2].Unrelated++
			halves[i%2].Answered += len(shown)
		}
		for i, p := range r.pairs {
			if !slices.Contains(places, p.record) {
				continue
			}
			shown, err := r.ranked(ctx, user, p.query, nil, sessionsShown, r.names)
			if err != nil {
				return err
			}
			halves[i%2].Real++
			if slices.ContainsFunc(shown, func(h hit) bool { return h.ID == r.records[p.record] }) {
				halves[i%2].Found++
			}
		}
	}
	r.report.Floors = append(r.report.Floors, *halves[0], *halves[1])
	return nil
}
