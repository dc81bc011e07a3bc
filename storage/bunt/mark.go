package bunt

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"mcp-memory/storage"
)

// markAt is where the lock file has its mark, behind the holder's line.
const markAt = 1024

// mark is what the lock file tells of the store beside it, so that a store that is
// gone is missed even where it left no vectors and no backup, and is still missed
// after the start that began a new one. It is a sign and no truth: one that cannot be
// written or read tells nothing.
type mark struct {
	Created time.Time `json:"created"` // when the store was, which has records
	Lost    string    `json:"lost,omitempty"`
	LostAt  time.Time `json:"lost_at"` // when a start found that the store before it was gone
}

// readMark returns the zero mark where there is none.
func readMark(dir string) (m mark) {
	file, err := os.Open(filepath.Join(dir, lockName))
	if err != nil {
		return mark{}
	}
	defer func() { _ = file.Close() }() // only read
	line, err := bufio.NewReader(io.NewSectionReader(file, markAt, holderMax)).ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &m) != nil {
		return mark{}
	}
	return m
}

// write is called by who has the lock.
func (m mark) write(dir string) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(append(line, '\n'), markAt)
	return errors.Join(err, file.Close())
}

// recall goes on telling of a store that is gone, for as long as what is forgotten
// may come back, and notes it where this start found it.
func (s *Store) recall() {
	now, was := s.options.Clock().UTC(), readMark(s.options.Dir)
	found := s.salvage != nil && s.salvage.Lost != ""
	switch {
	case found:
		was = mark{Created: s.meta.created, Lost: s.salvage.Lost, LostAt: now}
		_ = was.write(s.options.Dir)
	case was.Lost != "" && was.Created.Equal(s.meta.created) && now.Sub(was.LostAt) < s.options.Retention:
		if s.salvage == nil {
			s.salvage = &storage.Salvage{}
		}
		s.salvage.Lost = was.LostAt.Format(time.DateOnly) + ": " + was.Lost
		s.options.Log.Warn("the store was gone some time ago, a new and empty one was begun; mcp-memory restore brings a backup back", keyLost, s.salvage.Lost)
	}
}

// leaveMark notes that there is a store with records.
func (s *Store) leaveMark() {
	if len(s.state.records) == 0 {
		return
	}
	if was := readMark(s.options.Dir); !was.Created.Equal(s.meta.created) {
		_ = mark{Created: s.meta.created}.write(s.options.Dir)
	}
}
