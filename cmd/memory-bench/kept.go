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
	StandIns string `json:"stand_ins,omitempty"` // where its vectors were served, if they are stand-ins
	Filling  bool   `json:"filling,omitempty"`   // loading has not ended: the store has a beginning of the corpus
	Row      row    `json:"row"`                 // as loading left it
}

// open takes a store that was kept, or loads one.
func (s *subject) open(ctx context.Context) error {
	found, err := s.reuse()
	if err != nil {
		return err
	}
	if err := s.serveStandIns(ctx); err != nil {
		return err
	}
	if !found {
		if err := s.keepAs(kept{Filling: true, Row: row{Size: s.row.Size}}); err != nil {
			return err
		}
		if err := s.load(ctx); err != nil {
			return err
		}
	}
	if !s.ripe() {
		if err := s.keep(); err != nil { // the longest part is done
			return err
		}
		if err := s.ripen(ctx); err != nil {
			return err
		}
	}
	return s.keep()
}

func (s *subject) keptPath() string { return s.dir + ".json" }

// reuse takes up a store that was kept, and reports whether there is one that is
// filled.
func (s *subject) reuse() (bool, error) {
	if s.options.stores == "" {
		return false, nil
	}
	raw, err := os.ReadFile(s.keptPath())
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Stat(s.dir); err == nil {
			return false, fmt.Errorf("%s is a store without the file that says what it was filled with, %s: remove it, it is filled again", s.dir, s.keptPath())
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
	if was.Seed != s.options.seed || was.Words != s.options.words || (was.StandIns != "") != s.options.standIns || was.Row.Size != s.row.Size {
		return false, fmt.Errorf("%s was filled with seed %d, words alone %v, stand-ins %v, %d memories: measure it with these, or name another --stores",
			s.dir, was.Seed, was.Words, was.StandIns != "", was.Row.Size)
	}
	for s.corpus.made < was.Made {
		s.corpus.next()
	}
	s.row, s.embedder, s.address = was.Row, was.Embedder, was.StandIns
	return !was.Filling, nil
}

// keep notes what is in the store, and before they are said the memories that
// are about to be timed: should this end early, none is said twice.
func (s *subject) keep() error {
	return s.keepAs(kept{Made: s.corpus.made + s.options.remembers, Embedder: s.embedder, Row: s.row})
}

// keepAs notes that, with the options.
func (s *subject) keepAs(k kept) error {
	if s.options.stores == "" {
		return nil
	}
	k.Seed, k.Words, k.StandIns = s.options.seed, s.options.words, s.address
	raw, err := json.Marshal(k)
	if err == nil {
		err = os.WriteFile(s.keptPath(), raw, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note what is kept: %w", err)
	}
	return nil
}
