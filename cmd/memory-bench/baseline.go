package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// baselineBlock is what a baseline write appends: one page, more than a
// memory's operation.
const baselineBlock = 4096

// baseline is the least that durability costs on this disk: appending one
// block to a plain file and flushing it. A remember cannot be faster.
type baseline struct {
	file  *os.File
	block [baselineBlock]byte
}

// openBaseline creates the file in dir.
func openBaseline(dir string) (*baseline, error) {
	f, err := os.Create(filepath.Join(dir, "baseline"))
	if err != nil {
		return nil, fmt.Errorf("create the baseline's file: %w", err)
	}
	return &baseline{file: f}, nil
}

// once writes and flushes one block and returns how long that took.
func (b *baseline) once() (time.Duration, error) {
	begin := time.Now()
	if _, err := b.file.Write(b.block[:]); err != nil {
		return 0, fmt.Errorf("baseline write: %w", err)
	}
	if err := flush(b.file); err != nil {
		return 0, fmt.Errorf("baseline flush: %w", err)
	}
	return time.Since(begin), nil
}

func (b *baseline) close() error { return b.file.Close() }
