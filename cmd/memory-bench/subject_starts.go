package main

import (
	"context"
	"strings"
	"time"
)

// timeReads times starts, each up to its first answers, then recalls on the server
// started last, which stays open.
func (s *subject) timeReads(ctx context.Context) error {
	var all starts
	for range s.options.starts {
		if err := s.stop(); err != nil {
			return err
		}
		began := time.Now()
		if err := s.start(ctx); err != nil {
			return err
		}
		all.initialized = append(all.initialized, s.server.ready)
		if err := s.firstAnswers(ctx, began, &all); err != nil {
			return err
		}
	}
	all.sumUp(&s.row)
	return s.timeRecalls(ctx)
}

// starts are how long some starts took, from the spawn, and for how long the server
// kept processors busy until then.
type starts struct {
	initialized []time.Duration
	words       moments // to the first answer, whatever found it
	vectors     moments // to the first that vectors had a part in
}

// moments are times since the spawn.
type moments struct {
	wall, processor []time.Duration
}

func (m *moments) note(s *subject, began time.Time) error {
	wall := time.Since(began)
	processor, err := cpuOf(s.server.pid())
	m.wall, m.processor = append(m.wall, wall), append(m.processor, processor)
	return err
}

func (a *starts) sumUp(r *row) {
	r.Initialize = summarize(a.initialized)
	r.FirstRecall, r.FirstRecallCPU = summarize(a.words.wall), summarize(a.words.processor)
	r.FirstVector, r.FirstVectorCPU = summarize(a.vectors.wall), summarize(a.vectors.processor)
}

// firstAnswers recalls until the server has its memory, and then, where it has
// vectors, until they take part.
func (s *subject) firstAnswers(ctx context.Context, began time.Time, all *starts) error {
	answered := false
	for {
		vectors, err := s.recallExplained(ctx)
		switch {
		case err != nil && strings.Contains(err.Error(), stillLoading):
			continue
		case err != nil:
			return err
		}
		if !answered {
			if err := all.words.note(s, began); err != nil {
				return err
			}
			answered = true
		}
		if s.options.words {
			return nil
		}
		if vectors {
			return all.vectors.note(s, began)
		}
	}
}

// stillLoading is what a call is answered that came long before the memory was
// loaded: a server of many memories on a busy machine.
const stillLoading = "still being loaded"

// recallExplained asks the next question and reports whether vectors had a part in
// the answer.
func (s *subject) recallExplained(ctx context.Context) (vectors bool, err error) {
	q := s.question()
	q.Explain = true
	var answer recallAnswer
	if _, err := s.server.call(ctx, "recall", q, &answer); err != nil {
		return false, err
	}
	return answer.byVectors(), nil
}

// byVectors reports whether vectors had a part in what was found.
func (a *recallAnswer) byVectors() bool {
	for _, m := range a.Matches {
		if m.Signals["vector"] > 0 {
			return true
		}
	}
	return false
}
