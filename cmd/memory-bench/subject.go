package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// subject is a store of one size under measurement.
type subject struct {
	options  latencyOptions
	dir      string
	corpus   *corpus
	progress io.Writer
	server   *child // nil while stopped
	embedder string // the server's
	row      row
	writes   []time.Duration
}

// rememberAnswer and recallAnswer are what is read of the tools' answers.
type (
	rememberAnswer struct {
		Memories []struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		} `json:"memories"`
	}
	recallAnswer struct {
		Matches []struct {
			ID string `json:"id"`
		} `json:"matches"`
	}
)

// load stores the corpus in batches, waits for its vectors, then stops the
// server.
func (s *subject) load(ctx context.Context) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	begin := time.Now()
	if err := s.loadBatches(ctx); err != nil {
		return err
	}
	s.row.LoadSeconds = time.Since(begin).Seconds()
	if err := s.embedAll(ctx, begin); err != nil {
		return err
	}
	if err := s.stop(); err != nil {
		return err
	}
	var err error
	s.row.FileBytes, err = fileBytes(s.dir)
	return err
}

func (s *subject) loadBatches(ctx context.Context) error {
	for s.corpus.made < s.row.Size {
		memories := make([]memory, min(batch, s.row.Size-s.corpus.made))
		for i := range memories {
			memories[i] = s.corpus.next()
		}
		if _, err := s.remember(ctx, map[string]any{"memories": memories}, len(memories)); err != nil {
			return err
		}
	}
	return nil
}

// timeReads times starts, each up to its first recall, then recalls on the
// server started last, which stays open.
func (s *subject) timeReads(ctx context.Context) error {
	var initialized, loaded []time.Duration
	for range s.options.starts {
		if err := s.stop(); err != nil {
			return err
		}
		begin := time.Now()
		if err := s.start(ctx); err != nil {
			return err
		}
		initialized = append(initialized, s.server.ready)
		if err := s.recallFirst(ctx); err != nil {
			return err
		}
		loaded = append(loaded, time.Since(begin))
	}
	s.row.Initialize, s.row.FirstRecall = summarize(initialized), summarize(loaded)
	return s.timeRecalls(ctx)
}

// stillLoading is what a call is answered that came long before the memory was
// loaded: a server of many memories on a busy machine.
const stillLoading = "still being loaded"

// recallFirst recalls as soon as the server has its memory.
func (s *subject) recallFirst(ctx context.Context) error {
	for {
		_, err := s.recall(ctx)
		if err == nil || !strings.Contains(err.Error(), stillLoading) {
			return err
		}
	}
}

func (s *subject) timeRecalls(ctx context.Context) error {
	if _, err := s.settle(ctx); err != nil {
		return err
	}
	before, err := residentOf(s.server.pid())
	if err != nil {
		return err
	}
	var samples []time.Duration
	s.row.Answered = 0 // those of the starts are not among the recalls timed
	for range s.options.recalls {
		took, err := s.recall(ctx)
		if err != nil {
			return err
		}
		samples = append(samples, took)
	}
	after, err := residentOf(s.server.pid())
	s.row.Recall = summarize(samples)
	s.row.ResidentLoaded, s.row.ResidentRecalls = before.Now, after.Now
	return err
}

// recall asks the next question, counts it if anything was found and returns
// how long it took. With an embedder no query comes twice.
func (s *subject) recall(ctx context.Context) (time.Duration, error) {
	ask := s.corpus.askNew
	if s.options.words {
		ask = s.corpus.ask
	}
	var answer recallAnswer
	took, err := s.server.call(ctx, "recall", ask(), &answer)
	if len(answer.Matches) > 0 {
		s.row.Answered++
	}
	return took, err
}

// rememberOne stores the next memory alone and notes how long that took.
func (s *subject) rememberOne(ctx context.Context) error {
	took, err := s.rememberNext(ctx)
	s.writes = append(s.writes, took)
	return err
}

// remember stores want memories; an answer about fewer is an error, since then
// less was measured than is claimed.
func (s *subject) remember(ctx context.Context, args any, want int) (time.Duration, error) {
	var answer rememberAnswer
	took, err := s.server.call(ctx, "remember", args, &answer)
	if err != nil {
		return 0, err
	}
	if len(answer.Memories) != want {
		return 0, fmt.Errorf("remember answered %d memories, not the %d it was given", len(answer.Memories), want)
	}
	return took, nil
}

// finish completes the row once all was measured.
func (s *subject) finish() error {
	at, err := residentOf(s.server.pid())
	s.row.Remember, s.row.ResidentPeak = summarize(s.writes), at.Peak
	return err
}

func (s *subject) start(ctx context.Context) (err error) {
	s.server, err = startChild(ctx, childOptions{exe: s.options.server, dir: s.dir, log: "warn", embedder: s.options.embedder(), stderr: os.Stderr})
	return err
}

// stop stops the server; when it is stopped already it does nothing.
func (s *subject) stop() error {
	if s.server == nil {
		return nil
	}
	err := s.server.stop()
	s.server = nil
	return err
}
