package bunt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/storage"
)

const (
	// looks is how often a file is looked at anew that a server changes under us,
	// and lookPause how long that is waited for.
	looks     = 5
	lookPause = 50 * time.Millisecond

	stampFormat = "20060102T150405Z"
)

// errMoved says that the file became another one, or shorter, while it was read.
var errMoved = errors.New("the store changed while it was read")

// Backup writes all that the store in o.Dir holds into one new file, with a seal
// that tells a whole one, and returns its absolute path. It takes no lock and
// disturbs no server: the file only grows, and a rewrite leaves the old one to who
// has it open. What was acknowledged before the call is in it; an operation that is
// being written is in it as a whole or not at all. An empty path, or a folder's,
// gets a name with the time, the empty one in the folder backups of o.Dir.
//
// The backup is listed in o.Dir, so that erasing reaches it. Errors:
// [storage.ErrCorrupt] for a store that is damaged, [storage.ErrNotFound] where
// there is none, [storage.ErrUnavailable] where it keeps changing, [fs.ErrExist].
func Backup(ctx context.Context, o Options, path string) (string, Contents, error) {
	o = o.withDefaults()
	path, err := backupPath(o, path)
	if err != nil {
		return "", Contents{}, fmt.Errorf("backup: %w", err)
	}
	found, err := backup(ctx, o, path)
	if err != nil {
		return "", Contents{}, fmt.Errorf("backup: %w", err)
	}
	return path, found, nil
}

// backupPath completes the name of a backup and makes sure that it is free.
func backupPath(o Options, path string) (string, error) {
	if _, err := os.Stat(filepath.Join(o.Dir, fileName)); err != nil {
		return "", noStore(o.Dir, err)
	}
	folder := path == ""
	if folder {
		path = filepath.Join(o.Dir, backupsFolder)
		if err := os.MkdirAll(path, dirMode); err != nil {
			return "", err
		}
	} else if info, err := os.Stat(path); err == nil {
		folder = info.IsDir()
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if own, err := filepath.Abs(o.Dir); err != nil || path == own || !folder && filepath.Dir(path) == own {
		return "", errors.Join(err, fmt.Errorf("%s is the folder of the store's own files; name another place, or none for %s in it",
			own, backupsFolder))
	}
	if !folder {
		return path, isFree(path)
	}
	first := filepath.Join(path, "memory-"+o.Clock().UTC().Format(stampFormat))
	path = first + backupSuffix
	for n := 2; isFree(path) != nil; n++ {
		path = fmt.Sprintf("%s-%d%s", first, n, backupSuffix)
	}
	return path, nil
}

// noStore turns a missing file into an error that says what is missing.
func noStore(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no %s in %s", storage.ErrNotFound, fileName, dir)
	}
	return err
}

// isFree refuses a name that is taken: a backup replaces nothing.
func isFree(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w; name another file", path, fs.ErrExist)
	}
	info, err := os.Stat(filepath.Dir(path))
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no folder", filepath.Dir(path))
	}
	return err
}

// backup lists path and writes it, anew where the store changed meanwhile.
func backup(ctx context.Context, o Options, path string) (Contents, error) {
	if err := reserve(path); err != nil {
		return Contents{}, err
	}
	if err := list(o, path, copyBegun); err != nil {
		return Contents{}, errors.Join(err, os.Remove(path+backupTemp))
	}
	var found Contents
	err := lookAgain(ctx, func() (err error) {
		found, err = copyStore(ctx, o, path)
		return err
	})
	if err != nil {
		return Contents{}, errors.Join(err, list(o, path, copyDropped))
	}
	return found, list(o, path, copyMade)
}

// reserve makes sure that no other process writes the backup of that name.
func reserve(path string) error {
	temp, err := os.OpenFile(path+backupTemp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%w: another backup of that name is being written, or was broken off (then remove it)", err)
	}
	if err != nil {
		return err
	}
	return temp.Close()
}

// lookAgain calls look until the store holds still for it. A damage may be a write
// that was seen half done, so that it counts only if it is still there.
func lookAgain(ctx context.Context, look func() error) error {
	for n := 1; ; n++ {
		err := look()
		passing := errors.Is(err, errMoved) || errors.Is(err, storage.ErrCorrupt) || errors.Is(err, io.ErrUnexpectedEOF)
		if !passing || n == looks {
			if errors.Is(err, errMoved) {
				return fmt.Errorf("%w: %w %d times; try again", storage.ErrUnavailable, err, n)
			}
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookPause):
		}
	}
}

// copyStore writes path from the store's file as it is now.
func copyStore(ctx context.Context, o Options, path string) (found Contents, err error) {
	src, size, err := openStore(o.Dir)
	if err != nil {
		return Contents{}, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	var v survey
	c := newCensus()
	err = writeEnded(o, path, func(w io.Writer) (int, error) {
		if v, err = copyOperations(ctx, src, size, c, w); err != nil {
			return 0, err
		}
		return v.kept, errors.Join(v.usable(), c.whole(fileName), v.still(o.Dir, src))
	})
	if err != nil {
		return Contents{}, hint(err)
	}
	// Erasing rewrites the store first and its copies then: a copy of the old file
	// is there in time, or it is not kept.
	if err := v.still(o.Dir, src); err != nil {
		return Contents{}, errors.Join(err, os.Remove(path), syncDir(o, filepath.Dir(path)))
	}
	found = c.contents(&v)
	found.Bytes, found.Sealed = fileSize(path), true
	return found, nil
}

// hint says what helps against a damaged store.
func hint(err error) error {
	if errors.Is(err, storage.ErrCorrupt) {
		return fmt.Errorf("%w (see mcp-memory doctor)", err)
	}
	return err
}

// openStore opens the store's file for reading. Its size is what is looked at: what
// comes later is for the next look.
func openStore(dir string) (*os.File, int64, error) {
	file, err := os.Open(filepath.Join(dir, fileName))
	if err != nil {
		return nil, 0, noStore(dir, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// copyOperations writes the good commands of src to w, meta first.
func copyOperations(ctx context.Context, src io.ReaderAt, size int64, c *census, w io.Writer) (survey, error) {
	head, err := newScanner(src, size).next()
	if err == nil && head.key == keyMeta {
		_, err = io.Copy(w, io.NewSectionReader(src, head.offset, head.length))
	}
	if err != nil && !errors.Is(err, errTorn) && !errors.Is(err, errDamaged) && !errors.Is(err, io.EOF) {
		return survey{}, err // what is damaged the scan will tell
	}
	block := make([]byte, 1<<16)
	return examine(ctx, src, size, func(cmd command) error {
		if err := c.add(cmd); err != nil {
			return err
		}
		_, err := io.CopyBuffer(w, io.NewSectionReader(src, cmd.offset, cmd.length), block)
		return err
	})
}

// usable refuses a store from which a backup would lack something. A torn last
// operation lacks nothing: nobody was told that it was stored.
func (v *survey) usable() error {
	torn := *v
	torn.tornAt = torn.size
	return torn.whole(fileName)
}

// still refuses a file that is no longer the store's, or from which the last
// operation was cut again: its write was refused.
func (v *survey) still(dir string, src *os.File) error {
	now, err := os.Stat(filepath.Join(dir, fileName))
	if err != nil {
		return fmt.Errorf("%w: %v", errMoved, err)
	}
	was, err := src.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, was) || now.Size() < v.last.end() {
		return errMoved
	}
	if v.kept == 0 {
		return nil
	}
	s := newScanner(src, v.last.end())
	s.seek(v.last.offset)
	c, err := s.next()
	if err != nil || !bytes.HasPrefix(c.value, slices.Concat([]byte(frame), v.lastSum[:])) {
		return errMoved
	}
	return nil
}

// fileSize is a file's size; 0 where it cannot be told.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
