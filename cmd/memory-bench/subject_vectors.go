package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// How much is timed while the server makes vectors: a recall there waits for
// those of its user, two seconds at most.
const (
	busyRemembers = 20
	busyRecalls   = 3
)

// Waiting for vectors: how often the server is asked how many are pending, and
// after how many answers one hears of it.
const (
	pollEvery = 500 * time.Millisecond
	tellPolls = 60
)

// embedAll times some calls while the vectors of the corpus are made, then waits
// until all are. begin is when loading began. Without an embedder it does nothing.
func (s *subject) embedAll(ctx context.Context, begin time.Time) error {
	if s.options.words {
		return nil
	}
	var err error
	if s.row.BusyRemember, err = s.timeBusy(ctx, busyRemembers, s.rememberNext); err != nil {
		return err
	}
	if s.row.BusyRecall, err = s.timeBusy(ctx, busyRecalls, s.recall); err != nil {
		return err
	}
	at, err := s.embedded(ctx)
	if err != nil {
		return err
	}
	if at.Vectors == 0 {
		return fmt.Errorf("the server has no vector of %d memories (embedder %q): is it one without an embedder?", s.row.Size, at.Embedder)
	}
	s.row.EmbedSeconds = time.Since(begin).Seconds()
	s.row.Vectors, s.embedder = at.Vectors, at.Embedder
	return nil
}

// timeBusy times a call up to n times, as long as vectors are pending.
func (s *subject) timeBusy(ctx context.Context, n int, call func(context.Context) (time.Duration, error)) (quantiles, error) {
	var samples []time.Duration
	for range n {
		at, err := s.server.stats(ctx)
		if err != nil {
			return quantiles{}, err
		}
		if at.Pending == 0 {
			break
		}
		took, err := call(ctx)
		if err != nil {
			return quantiles{}, err
		}
		samples = append(samples, took)
	}
	return summarize(samples), nil
}

// rememberNext stores the next memory alone.
func (s *subject) rememberNext(ctx context.Context) (time.Duration, error) {
	return s.remember(ctx, s.corpus.next(), 1)
}

// embedded waits until every memory has its vector. Without an embedder there is
// nothing to wait for.
func (s *subject) embedded(ctx context.Context) (at serverStats, err error) {
	return s.until(ctx, func(at serverStats) bool { return at.Pending == 0 })
}

// settle waits until that is so, and the engine that is to answer does.
func (s *subject) settle(ctx context.Context) (at serverStats, err error) {
	return s.until(ctx, func(at serverStats) bool { return at.Pending == 0 && at.Note == "" })
}

func (s *subject) until(ctx context.Context, done func(serverStats) bool) (at serverStats, err error) {
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for n := 1; ; n++ {
		at, err = s.server.stats(ctx)
		switch {
		case err != nil && strings.Contains(err.Error(), stillLoading):
		case err != nil:
			return at, err
		case at.EmbedderError != "":
			return at, fmt.Errorf("the server cannot embed: %s", at.EmbedderError)
		case done(at):
			return at, nil
		case n%tellPolls == 0 && at.Pending > 0:
			fmt.Fprintf(s.progress, " (%d vectors pending)", at.Pending)
		case n%tellPolls == 0:
			fmt.Fprintf(s.progress, " (%s)", at.Note)
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return at, ctx.Err()
		}
	}
}
