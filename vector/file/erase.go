package file

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"mcp-memory/internal/files"
	"mcp-memory/vector"
)

// Dir is all that is kept of vectors in a directory, of every model that ever made
// some there.
type Dir struct {
	Path   string
	Files  []*File // those that are open
	Graphs *Graphs // of the model in use; nil: none is
}

// Erase removes the vectors of the ids that gone accepts from every file and makes
// that durable, and the graphs over them: of the users named, and of those that
// nobody can name any more, not being among all. What [Graphs.Resave] saved of the
// model in use, for the users in resaved, stays. Files that cannot be rewritten are
// named, with the reason.
func (d Dir) Erase(ctx context.Context, gone func(id string) bool, users, resaved, all []string) (unreached []string, err error) {
	if err := d.removeLeftOver(); err != nil {
		unreached = append(unreached, err.Error())
	}
	paths, models, unread, err := d.models()
	unreached = append(unreached, unread...)
	if err != nil {
		return unreached, err
	}
	for _, path := range paths {
		if err := d.eraseVectors(ctx, path, gone); err != nil {
			if ctx.Err() != nil {
				return unreached, ctx.Err()
			}
			unreached = append(unreached, fmt.Sprintf("%s: %v", path, err))
		}
	}
	unreached = append(unreached, d.eraseGraphs(models, users, resaved, all)...)
	return unreached, syncDir(d.Path)
}

// removeLeftOver removes what rewrites left that were interrupted.
func (d Dir) removeLeftOver() error {
	var all error
	for _, pattern := range []string{prefix + "*" + suffix + tempSuffix, graphPrefix + "*" + graphSuffix + tempSuffix} {
		left, err := files.In(d.Path, pattern)
		all = errors.Join(all, err)
		for _, path := range left {
			all = errors.Join(all, files.Remove(path))
		}
	}
	return errors.Join(all, d.removeBehindLinks())
}

// removeBehindLinks is removeLeftOver for files that lie elsewhere.
func (d Dir) removeBehindLinks() (all error) {
	for _, pattern := range []string{prefix + "*" + suffix, graphPrefix + "*" + graphSuffix} {
		found, err := files.In(d.Path, pattern)
		all = errors.Join(all, err)
		for _, path := range found {
			if f := behind(path); f != path {
				all = errors.Join(all, files.Remove(f+tempSuffix))
			}
		}
	}
	return all
}

// models returns the vector files, and the models that they are of. One without a
// good head is nobody's: it is removed. One that cannot be read, or is a later
// version's, is named with the reason.
func (d Dir) models() (paths, models, unread []string, err error) {
	found, err := files.In(d.Path, prefix+"*"+suffix)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, path := range found {
		head, err := headOf(path)
		switch {
		case d.open(path) != nil:
			paths, models = append(paths, path), append(models, d.open(path).model)
		case err == nil && filepath.Base(path) == fileName(head.model):
			paths, models = append(paths, path), append(models, head.model)
		case (err == nil || errors.Is(err, errHeader)) && behind(path) != path:
			err = errors.New("it is a link to what is no file of these vectors: remove both")
		case err == nil || errors.Is(err, errHeader):
			err = files.Remove(path)
		default:
			err = fmt.Errorf("cannot be read: %w", err)
		}
		if err != nil && d.open(path) == nil {
			unread = append(unread, fmt.Sprintf("%s: %v", path, err))
		}
	}
	if d.Graphs != nil {
		models = append(models, d.Graphs.Model)
	}
	return paths, models, unread, nil
}

func headOf(path string) (header, error) {
	file, err := os.Open(path)
	if err != nil {
		return header{}, err
	}
	defer func() { _ = file.Close() }() // only read
	return readHeader(bufio.NewReader(file))
}

// open returns the file that is open at a path, nil for none.
func (d Dir) open(path string) *File {
	i := slices.IndexFunc(d.Files, func(f *File) bool { return f != nil && filepath.Base(f.path) == filepath.Base(path) })
	if i < 0 {
		return nil
	}
	return d.Files[i]
}

// eraseVectors rewrites a file that holds a vector of what is gone, or what cannot
// be read.
func (d Dir) eraseVectors(ctx context.Context, path string, gone func(string) bool) error {
	return d.with(path, func(f *File) error {
		held, err := f.Holds(ctx, gone)
		if err != nil || !held {
			return err
		}
		return f.Keep(ctx, func(id string) bool { return !gone(id) })
	})
}

// with calls fn with the file at a path, opened for it where it is not open.
func (d Dir) with(path string, fn func(*File) error) error {
	if f := d.open(path); f != nil {
		return fn(f)
	}
	head, err := headOf(path)
	if err != nil {
		return err
	}
	f, _, err := Open(d.Path, head.model)
	if err != nil {
		return err
	}
	return errors.Join(fn(f), f.Close())
}

// Holds reports whether the file holds an entry that gone accepts, or one that
// cannot be read and might be such.
func (f *File) Holds(ctx context.Context, gone func(id string) bool) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := false
	lost, err := f.each(ctx, func(id string, _ []byte) error {
		found = found || gone(id)
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("read vectors: %w", err)
	}
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	return found || lost > 0 || info.Size() > f.size, nil
}

// eraseGraphs removes the graphs of users under every model, and those of nobody.
func (d Dir) eraseGraphs(models, users, resaved, all []string) (unreached []string) {
	paths, err := files.In(d.Path, graphPrefix+"*"+graphSuffix)
	if err != nil {
		return []string{err.Error()}
	}
	kept := map[string]bool{}
	for _, model := range models {
		g := Graphs{Dir: d.Path, Model: model}
		for _, user := range all {
			current := d.Graphs != nil && d.Graphs.Model == model && slices.Contains(resaved, user)
			if current || !slices.Contains(users, user) {
				kept[filepath.Base(g.path(user))] = true
			}
		}
	}
	for _, path := range paths {
		if kept[filepath.Base(path)] {
			continue
		}
		if err := removeBehind(path); err != nil {
			unreached = append(unreached, fmt.Sprintf("%s: %v", path, err))
		}
	}
	return unreached
}

// Find reads every file again and names those that hold a vector that gone accepts,
// or a graph that has a place for one of a user's docs.
func (d Dir) Find(ctx context.Context, gone func(id string) bool, docs map[string][]uint32) (left []string, err error) {
	paths, models, left, err := d.models()
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		held := false
		err := d.with(path, func(f *File) (err error) {
			held, err = f.Holds(ctx, gone)
			return err
		})
		if err != nil || held {
			left = append(left, fmt.Sprintf("%s: vectors are left or cannot be read", path))
		}
	}
	for _, model := range models {
		g := Graphs{Dir: d.Path, Model: model}
		for user, of := range docs {
			if held, err := g.holds(user, of); err != nil || held {
				left = append(left, fmt.Sprintf("%s: places are left or cannot be read", g.path(user)))
			}
		}
	}
	slices.Sort(left)
	return slices.Compact(left), ctx.Err()
}

// holds reports whether a user's saved graph has a place for one of the docs.
func (g *Graphs) holds(user string, docs []uint32) (bool, error) {
	saved, err := os.Open(g.path(user))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = saved.Close() }() // only read
	raw, err := io.ReadAll(saved)
	if err != nil {
		return false, err
	}
	ids, err := vector.GraphIDs(raw)
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(docs, func(n uint32) bool { return ids[n] }), nil
}

// Resave saves the graph of a user's index in place of the one that was kept, and
// makes durable that this is gone.
func (g *Graphs) Resave(user string, index vector.Index) error {
	if _, err := g.Save(user, index, true); err != nil {
		return err
	}
	file, err := os.OpenFile(g.path(user), os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(file.Sync(), file.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the index has no graph
	}
	return errors.Join(err, syncDir(filepath.Dir(behind(g.path(user)))))
}
