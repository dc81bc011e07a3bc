package file

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"mcp-memory/internal/files"
)

// Provide writes raw, a whole vector file that came with the program, into dir as
// the file of model, unless dir has one. Nothing is written where raw holds another
// model's vectors, as when another file of weights is set.
func Provide(dir, model string, raw []byte) error {
	head, err := readHeader(bytes.NewReader(raw))
	if err != nil {
		return fmt.Errorf("provide vectors: %w", err)
	}
	path := filepath.Join(dir, fileName(model))
	if head.model != model || isThere(path) {
		return nil
	}
	// Whole or not at all: a torn file would be read as one with fewer vectors.
	if err := files.WriteWhole(path, raw); err != nil {
		return fmt.Errorf("provide vectors: %w", err)
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}
