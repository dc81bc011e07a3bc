package bunt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"mcp-memory/internal/files"
)

// ErrOccupied says that a store is where one was to be restored.
var ErrOccupied = errors.New("the data directory holds a store")

// Restored says what a restore did.
type Restored struct {
	Contents          // of the store as it is now
	Replaced   string `json:"replaced"`    // where the store that was there is kept; "" where none was
	Again      int    `json:"again"`       // records that were forgotten since, and are again
	Tombstones int    `json:"tombstones"`  // of records that came and were forgotten since
	OtherStore bool   `json:"other_store"` // the store that was there had another hash key
}

// Restore makes what a backup holds the store in o.Dir. It verifies the backup
// first, and refuses where a process has the store, or, without replace, where a
// store with operations is there. That one is kept aside, and what was forgotten in
// it stays forgotten: an old backup brings nothing back. A crash leaves the one
// store or the other.
//
// A store's own file that a restore kept aside or somebody copied may be given in
// place of a backup, if it is whole. Errors: [ErrOccupied], [storage.ErrLocked],
// [storage.ErrCorrupt], a newer format version, the file system's.
func Restore(ctx context.Context, o Options, path string, replace bool) (Restored, error) {
	o = o.withDefaults()
	if _, err := verify(ctx, path); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	if err := makeDir(o.Dir); err != nil {
		return Restored{}, fmt.Errorf("restore: %w", err)
	}
	held, err := acquire(ctx, filepath.Join(o.Dir, lockName), o.Wait, o.Clock())
	if err != nil {
		return Restored{}, fmt.Errorf("restore into %s: %w", o.Dir, err)
	}
	r, err := restore(ctx, o, path, replace)
	if err := errors.Join(err, held.release()); err != nil {
		return Restored{}, fmt.Errorf("restore into %s: %w", o.Dir, err)
	}
	return r, nil
}

func restore(ctx context.Context, o Options, path string, replace bool) (Restored, error) {
	if err := checkLink(o.Dir); err != nil {
		return Restored{}, err
	}
	present, err := readCopy(ctx, filepath.Join(o.Dir, fileName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		present = copied{}
	case err != nil:
		return Restored{}, fmt.Errorf("read the store that is there: %w", err)
	case present.occupied() && !replace:
		return Restored{}, fmt.Errorf("%w of %d records; nothing was changed", ErrOccupied, len(present.state.records))
	}
	saved, err := readCopy(ctx, path)
	if err != nil {
		return Restored{}, err
	}
	var r Restored
	since := reapply{backup: saved.state, present: present.state, horizon: o.Clock().Add(-o.Retention)}
	if saved.entries, err = since.apply(saved.entries); err != nil {
		return Restored{}, err
	}
	r.Again, r.Tombstones = since.again, since.tombstones
	r.OtherStore = present.metaValue != "" && string(present.meta.key) != string(saved.meta.key)
	if err := writeStore(o, saved); err != nil {
		return Restored{}, err
	}
	if r.Replaced, err = takePlace(o, present.occupied()); err != nil {
		return Restored{}, err
	}
	r.Contents, err = count(ctx, filepath.Join(o.Dir, fileName))
	return r, err
}

// copied is a file of operations, read and folded.
type copied struct {
	survey
	entries []entry
	state   *state
}

// occupied reports whether the file holds anything but an empty store.
func (c *copied) occupied() bool { return c.kept > 0 || c.size > 0 && c.damaged() }

// readCopy reads what can be read of a file, as opening it would.
func readCopy(ctx context.Context, path string) (c copied, err error) {
	c.state = newState(0, nil)
	file, err := os.Open(path)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return c, err
	}
	c.survey, err = examine(ctx, file, info.Size(), func(cmd command) error {
		seq, _ := parseKey(cmd.key)
		if cmd.del {
			return nil
		}
		if op, err := parse(string(cmd.value)); err == nil {
			c.entries = append(c.entries, entry{seq, op.value})
		}
		return nil
	})
	if err == nil {
		c.state, err = foldAll(c.entries, c.meta.key)
	}
	return c, err
}

// writeStore writes a file of meta and entries beside the store.
func writeStore(o Options, c copied) error {
	value, err := c.meta.value()
	if err != nil {
		return err
	}
	return writeFile(o, tempPath(o.Dir), func(w *bufio.Writer) error { return writeCommands(w, value, c.entries) })
}

// takePlace puts what was written beside the store in its place, and returns where
// the one that was there is kept.
func takePlace(o Options, keep bool) (aside string, err error) {
	if keep {
		if err = dropTwins(o); err == nil {
			aside, err = keepAside(o)
		}
		if err != nil {
			err = fmt.Errorf("keep the store that is there: %w", err)
			return "", errors.Join(err, os.Remove(tempPath(o.Dir)), dropTwins(o))
		}
	}
	if err := install(o, tempPath(o.Dir), filepath.Join(o.Dir, fileName)); err != nil {
		return "", errors.Join(err, dropTwins(o)) // none, if the name was changed already
	}
	return aside, nil
}

// dropTwins takes away second names of the store's file: of restores that ended
// before the store was replaced. They look like a store that was, and grow with the
// one that is there. A list that cannot be written names a file that is gone, which
// is no reason to fail.
func dropTwins(o Options) error {
	store, err := os.Lstat(filepath.Join(o.Dir, fileName))
	if err != nil {
		return nil // no store, no second name of it
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return err
	}
	paths, err := files.In(dir, replacedName+"*")
	for _, path := range paths {
		info, unseen := os.Lstat(path)
		if unseen != nil || !os.SameFile(store, info) {
			continue
		}
		if removed := os.Remove(path); removed != nil {
			err = errors.Join(err, removed)
			continue
		}
		_ = list(o, path, copyDropped)
	}
	return err
}

// keepAside gives the store's file a second name, under which it stays.
func keepAside(o Options) (string, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return "", err
	}
	first := filepath.Join(dir, replacedName+o.Clock().UTC().Format(stampFormat))
	path := first
	for n := 2; isFree(path) != nil; n++ {
		path = fmt.Sprintf("%s-%d", first, n)
	}
	if err := list(o, path, copyBegun); err != nil {
		return "", err
	}
	name := filepath.Join(dir, fileName)
	if os.Link(name, path) != nil { // a file system without links
		if err := copyFile(o, name, path); err != nil {
			return "", err
		}
	}
	if err := syncDir(o, dir); err != nil {
		return "", err
	}
	return path, list(o, path, copyMade)
}

func copyFile(o Options, from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	return writeFile(o, to, func(w *bufio.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
}

// count counts what a file holds.
func count(ctx context.Context, path string) (found Contents, err error) {
	found, err = verify(ctx, path)
	if err != nil {
		return found, fmt.Errorf("read what was restored: %w", err)
	}
	return found, nil
}
