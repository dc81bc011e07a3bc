package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// kept is what a file beside a filled store says of it, so that a later
// measurement need not fill one again: <size>.json beside the folder <size>.
type kept struct {
	Seed     uint64 `json:"seed"`
	Words    bool   `json:"words"`
	Made     int    `json:"made"` // memories of the corpus that may be in the store
	Embedder string `json:"embedder"`
	Row      row    `json:"row"` // as loading left it
}

// open takes a store that was kept, or loads one.
func (s *subject) open(ctx context.Context) error {
	if s.options.stores == "" {
		return s.load(ctx)
	}
	found, err := s.reuse()
	if err != nil {
		return err
	}
	if !found {
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	return s.keep()
}

func (s *subject) keptPath() string { return s.dir + ".json" }

// reuse takes up a store that was kept, if there is one.
func (s *subject) reuse() (bool, error) {
	raw, err := os.ReadFile(s.keptPath())
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(s.dir); err == nil {
			return false, fmt.Errorf("%s is a store that was not filled to the end: remove it, it is filled again", s.dir)
		}
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read what is kept: %w", err)
	}
	var was kept
	if err := json.Unmarshal(raw, &was); err != nil {
		return false, fmt.Errorf("read what is kept in %s: %w", s.keptPath(), err)
	}
	if was.Seed != s.options.seed || was.Words != s.options.words || was.Row.Size != s.row.Size {
		return false, fmt.Errorf("%s was filled with seed %d, words alone %v, %d memories: measure it with these, or name another --stores",
			s.dir, was.Seed, was.Words, was.Row.Size)
	}
	for s.corpus.made < was.Made {
		s.corpus.next()
	}
	s.row, s.embedder = was.Row, was.Embedder
	return true, nil
}

// keep notes what is in the store, and before they are said the memories that
// are about to be timed: should this end early, none is said twice.
func (s *subject) keep() error {
	raw, err := json.Marshal(kept{s.options.seed, s.options.words, s.corpus.made + s.options.remembers, s.embedder, s.row})
	if err == nil {
		err = os.WriteFile(s.keptPath(), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note what is kept: %w", err)
	}
	return nil
}
