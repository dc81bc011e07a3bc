package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcp-memory/internal/files"
	"mcp-memory/vector"
)

// Found is what a check found in a file of vectors.
type Found struct {
	Path     string
	Model    string // "" where the head cannot be read
	Dim      int
	Entries  int   // with a good checksum
	Repeated int   // of these: an id's later one counts
	Damaged  int   // entries with a bad one
	Rest     int64 // bytes of a last entry that is not whole
	Reason   error // why the head, or the file at all, cannot be read; nil: it can
}

// IsNewer reports whether the file is of a format version above this program's.
func (f *Found) IsNewer() bool {
	var newer newerError
	return errors.As(f.Reason, &newer)
}

// Check reads every file of vectors in dir and changes none; a server may append to
// them meanwhile. seen is called with every id that counts and the model it is of.
func Check(ctx context.Context, dir string, seen func(model, id string)) ([]Found, error) {
	paths, err := files.In(dir, prefix+"*"+suffix)
	if err != nil {
		return nil, fmt.Errorf("check vectors: %w", err)
	}
	var all []Found
	for _, path := range paths {
		found, err := check(ctx, path, seen)
		if errors.Is(err, os.ErrNotExist) {
			continue // it was there a moment ago
		}
		if ctx.Err() != nil {
			return all, fmt.Errorf("check %s: %w", filepath.Base(path), ctx.Err())
		}
		if err != nil {
			found.Reason = err
		}
		all = append(all, found)
	}
	return all, nil
}

func check(ctx context.Context, path string, seen func(model, id string)) (found Found, err error) {
	found.Path = path
	opened, err := os.Open(path)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, opened.Close()) }()
	info, err := opened.Stat()
	if err != nil || info.Size() == 0 {
		return found, err
	}
	f := &File{path: path, file: opened}
	if f.head, err = readHeader(io.NewSectionReader(opened, 0, info.Size())); err != nil {
		found.Reason = err
		return found, nil
	}
	found.Model, found.Dim = f.head.model, f.head.dim
	found.Rest = (info.Size() - f.head.size()) % f.head.entrySize()
	f.size = info.Size() - found.Rest
	ids := map[string]struct{}{}
	found.Damaged, err = f.each(ctx, func(id string, _ []byte) error {
		found.Entries++
		if _, again := ids[id]; again {
			found.Repeated++
			return nil
		}
		ids[id] = struct{}{}
		seen(f.head.model, id)
		return nil
	})
	return found, err
}

// Mend rewrites a file of vectors, which nobody may have open, without what keep
// does not accept and what is damaged; one whose head is damaged it removes.
func Mend(ctx context.Context, found Found, keep func(id string) bool) error {
	if found.Model == "" {
		if err := files.Remove(found.Path); err != nil {
			return fmt.Errorf("mend vectors: %w", err)
		}
		return nil
	}
	f, _, err := Open(filepath.Dir(found.Path), found.Model)
	if err != nil {
		return err
	}
	return errors.Join(f.Keep(ctx, keep), f.Close())
}

// FoundGraph is what a check found in a graph's file.
type FoundGraph struct {
	Path    string
	Model   string // whose vectors it is over, and the user's; "" both: nobody's
	User    string
	Vectors int
	Reason  error // why it is of no use; nil: it can be read
}

// CheckGraphs reads every graph in dir to its end and changes none. Their names tell
// of which model and user they are, if it is one of those given.
func CheckGraphs(dir string, models, users []string) ([]FoundGraph, error) {
	paths, err := files.In(dir, graphPrefix+"*"+graphSuffix)
	if err != nil {
		return nil, fmt.Errorf("check graphs: %w", err)
	}
	owners := map[string]FoundGraph{}
	for _, model := range models {
		for _, user := range users {
			path := (&Graphs{Dir: dir, Model: model}).path(user)
			owners[filepath.Base(path)] = FoundGraph{Model: model, User: user}
		}
	}
	var all []FoundGraph
	for _, path := range paths {
		found := owners[filepath.Base(path)]
		found.Path = path
		found.Vectors, found.Reason = checkGraph(path)
		if !errors.Is(found.Reason, os.ErrNotExist) {
			all = append(all, found)
		}
	}
	return all, nil
}

func checkGraph(path string) (vectors int, err error) {
	saved, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	vectors, err = vector.CheckSaved(bufio.NewReaderSize(saved, readAhead))
	return vectors, errors.Join(err, saved.Close())
}

// MendGraphs removes the graphs in dir, which nobody may have open, that cannot be
// read or are of none of the models and users given.
func MendGraphs(dir string, models, users []string) error {
	graphs, err := CheckGraphs(dir, models, users)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		if g.Reason == nil && g.User != "" {
			continue
		}
		if err := removeBehind(g.Path); err != nil {
			return fmt.Errorf("mend graphs: %w", err)
		}
	}
	return nil
}
