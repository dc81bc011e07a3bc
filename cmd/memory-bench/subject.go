package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// subject is a store of one size under measurement.
type subject struct {
	options  latencyOptions
	dir      string
	corpus   *corpus
	progress io.Writer
	server   *child             // nil while stopped
	embedder string             // the server's
	service  *embeddingsService // of stand-ins; nil: the server has an embedder of its own, or none
	address  string             // of the service that the store's vectors came from; empty: any
	standIns string             // what the service makes
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
			ID      string             `json:"id"`
			Signals map[string]float64 `json:"signals"` // where the question asked for them
		} `json:"matches"`
	}
)

// load stores the corpus in batches and waits for its vectors. Where that was cut
// short before, it goes on from there.
func (s *subject) load(ctx context.Context) error {
	if err := s.start(ctx); err != nil {
		return err
	}
	partly, err := s.catchUp(ctx)
	if err != nil {
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
	if partly { // nobody knows how long all took
		s.row.LoadSeconds, s.row.EmbedSeconds = 0, 0
	}
	return nil
}

// catchUp makes the memories of the corpus that the store has, and reports whether it
// has any: no two of them are the same, and each call stored all of its own or none.
func (s *subject) catchUp(ctx context.Context) (partly bool, err error) {
	at, err := s.until(ctx, func(serverStats) bool { return true })
	if err != nil || at.Records == 0 {
		return false, err
	}
	fmt.Fprintf(s.progress, " from %d on", at.Records)
	for s.corpus.made < at.Records {
		s.corpus.next()
	}
	return true, nil
}

// ripen waits until the store's graph is built, if it gets one, and stops the
// server: every later start finds the store so.
func (s *subject) ripen(ctx context.Context) error {
	if s.server == nil {
		if err := s.start(ctx); err != nil {
			return err
		}
	}
	begin := time.Now()
	if _, err := s.settle(ctx); err != nil {
		return err
	}
	s.row.GraphSeconds = time.Since(begin).Seconds()
	if err := s.stop(); err != nil {
		return err
	}
	var err error
	s.row.FileBytes, err = fileBytes(s.dir)
	return err
}

// ripe reports whether a store that is kept has all that ripen waits for.
func (s *subject) ripe() bool { return s.row.FileBytes != 0 }

// tellStored is after how many memories one hears of it.
const tellStored = 50_000

// loadBatches stores what the corpus has yet to make, one call after the other: the
// server drafts and writes one at a time anyway, and so what it has is always a
// beginning of the corpus.
func (s *subject) loadBatches(ctx context.Context) error {
	for s.corpus.made < s.row.Size {
		memories := make([]memory, min(batch, s.row.Size-s.corpus.made))
		for i := range memories {
			memories[i] = s.corpus.next()
		}
		if _, err := s.remember(ctx, map[string]any{"memories": memories}, len(memories)); err != nil {
			return err
		}
		if s.corpus.made%tellStored == 0 {
			fmt.Fprintf(s.progress, " (%d stored)", s.corpus.made)
		}
	}
	return nil
}

func (s *subject) timeRecalls(ctx context.Context) error {
	at, err := s.settle(ctx)
	if err != nil {
		return err
	}
	before, err := residentOf(s.server.pid())
	if err != nil {
		return err
	}
	s.row.Answered = 0 // those of the starts are not among the recalls timed
	wall, processor, err := s.recallMany(ctx, s.options.recalls)
	if err != nil {
		return err
	}
	after, err := residentOf(s.server.pid())
	s.row.Recall, s.row.RecallCPU, s.row.Engine = summarize(wall), summarize(processor), at.Engine
	s.row.ResidentLoaded, s.row.ResidentRecalls = before.Now, after.Now
	return err
}

// recallMany recalls n times, one after the other, and returns how long each took,
// and for how long the server kept processors busy.
func (s *subject) recallMany(ctx context.Context, n int) (wall, processor []time.Duration, err error) {
	for range n {
		before, err := cpuOf(s.server.pid())
		if err != nil {
			return nil, nil, err
		}
		took, err := s.recall(ctx)
		if err != nil {
			return nil, nil, err
		}
		after, err := cpuOf(s.server.pid())
		if err != nil {
			return nil, nil, err
		}
		wall, processor = append(wall, took), append(processor, after-before)
	}
	return wall, processor, nil
}

// recall asks the next question, counts it if anything was found and returns
// how long it took.
func (s *subject) recall(ctx context.Context) (time.Duration, error) {
	var answer recallAnswer
	took, err := s.server.call(ctx, "recall", s.question(), &answer)
	if len(answer.Matches) > 0 {
		s.row.Answered++
	}
	return took, err
}

// question is the next one. With an embedder no query comes twice.
func (s *subject) question() question {
	if s.options.words {
		return s.corpus.ask()
	}
	return s.corpus.askNew()
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
	s.server, err = startChild(ctx, childOptions{
		exe: s.options.server, dir: s.dir, log: "warn", embedder: s.options.embedder(), env: s.environment(), stderr: os.Stderr,
	})
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
