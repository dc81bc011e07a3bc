package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"mcp-memory/layers/recall"
	"mcp-memory/vector/embed"
)

// seedMeasure runs the schemes through the scenarios.
type seedMeasure struct {
	seedOptions
	embedder embed.Embedder
	model    *askedModel // nil: none
	progress io.Writer
}

func (m *seedMeasure) run(ctx context.Context) (r seedReport, err error) {
	r.Recent, r.Top, r.Tokens, r.Embedder = m.recent, m.top, m.tokens, m.embedder.Model()
	if m.model != nil {
		r.Model = m.model.name
	}
	for _, scenario := range m.scenarios {
		for _, language := range m.languages {
			rows, err := m.scenario(ctx, scenario, language)
			if err != nil {
				return r, fmt.Errorf("scenario %s in %s: %w", scenario, language, err)
			}
			r.Rows = append(r.Rows, rows...)
		}
	}
	return r, nil
}

// scenario runs every scheme through a scenario.
func (m *seedMeasure) scenario(ctx context.Context, name, language string) (rows []seedRow, err error) {
	lines, err := readScenario(seedFiles, name, language)
	if err != nil {
		return nil, err
	}
	schemes, ours, err := m.schemes(ctx, lines[0].At)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ours.close()) }()
	for _, s := range schemes {
		row := seedRow{Scenario: name, Language: language, Scheme: s.name}
		if err := m.play(ctx, s.scheme, lines, language, &row); err != nil {
			return nil, fmt.Errorf("scheme %s: %w", s.name, err)
		}
		rows = append(rows, row.finish())
	}
	return rows, nil
}

// namedScheme is a scheme and what it is called.
type namedScheme struct {
	name string
	scheme
}

func (m *seedMeasure) schemes(ctx context.Context, at time.Time) ([]namedScheme, *layered, error) {
	summarise := central(m.embedder)
	if m.model != nil {
		summarise = m.model.summarise
	}
	a, err := newWindowed(m.seedOptions, m.embedder, nil)
	if err != nil {
		return nil, nil, err
	}
	b, err := newWindowed(m.seedOptions, m.embedder, summarise)
	if err != nil {
		return nil, nil, err
	}
	c, err := newLayered(ctx, m.seedOptions, at, m.embedder)
	if err != nil {
		return nil, nil, err
	}
	return []namedScheme{{"A", a}, {"B", b}, {"C", c}}, c, nil
}

// betweenTurns is how far apart the turns of a sitting are.
const betweenTurns = 40 * time.Second

// play takes a scheme through the lines of a scenario.
func (m *seedMeasure) play(ctx context.Context, s scheme, lines []seedLine, language string, row *seedRow) error {
	var now time.Time
	for i := range lines {
		l := &lines[i]
		var err error
		now = now.Add(betweenTurns)
		switch {
		case l.Session != "":
			now = l.At
			err = s.begin(ctx, l.Session, now)
		case l.Document != "":
			var paragraphs []string
			if paragraphs, err = readDocument(l.Document, language, m.data); err == nil {
				row.Turns += len(paragraphs)
				err = s.read(ctx, paragraphs, now)
			}
		case l.Ask != "":
			err = m.ask(ctx, s, l, row)
		default:
			row.Turns++
			err = s.hear(ctx, turnOf(l, now))
		}
		if err != nil {
			return err
		}
	}
	calls := s.calls()
	row.Calls, row.WouldCall = calls.made, calls.would
	return nil
}

func turnOf(l *seedLine, at time.Time) spoken {
	if l.User != "" {
		return spoken{roleUser, l.User, at}
	}
	return spoken{roleAssistant, l.Assistant, at}
}

// ask counts a question.
func (m *seedMeasure) ask(ctx context.Context, s scheme, l *seedLine, row *seedRow) error {
	given, err := s.give(ctx, l.Ask)
	if err != nil {
		return err
	}
	all, err := s.holds(ctx)
	if err != nil {
		return err
	}
	if l.answered(all) {
		row.Kept++
	}
	row.Questions++
	row.tokens += recall.Tokens(given)
	switch {
	case l.answered(given):
		row.Answered++
	case m.verbose:
		fmt.Fprintf(m.progress, "%s %s %s: %s (%v)\n%s\n", row.Scenario, row.Language, row.Scheme, l.Ask, l.Wants, given)
	}
	if l.outdated(given) {
		row.Outdated++
	}
	if m.model == nil {
		return nil
	}
	answer, err := m.model.answer(ctx, given, l.Ask)
	if err != nil {
		return err
	}
	if l.answered(answer) {
		row.ModelAnswered++
	}
	return nil
}
