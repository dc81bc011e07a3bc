package bunt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// damagedGlob names the files that a salvage kept.
const damagedGlob = fileName + ".damaged-*"

// sideFile is another file with the store's operations: what a salvage kept, or a
// backup.
type sideFile struct {
	path   string
	backup bool   // it begins with the store's own meta; a whole one ends with a seal
	line   listed // of the list of backups; none: it is not listed
	size   int64
	meta   string // the command's value; empty where it is damaged
	pieces []piece
	end    *ending // of a backup
	sum    string  // SHA-256 of all bytes before the end, hex
	alien  bool    // a backup of another store, as check found
}

// piece is a part of a file: a good operation, or a stretch that cannot be read.
type piece struct {
	entry
	offset, length int64 // of a stretch; length 0: an operation
}

// errGone says that a copy was deleted, or moved to where nobody knows.
var errGone = errors.New("it is not there any more")

// open reads a copy; nil where it was never finished. Error: errGone.
func (c sideFile) open(ctx context.Context, dir string) (*sideFile, error) {
	read, err := readSide(ctx, c.path, c.backup)
	switch missing := errors.Is(err, os.ErrNotExist); {
	case missing && c.line.State == copyBegun:
		return nil, nil
	case missing && c.line.Path != "" && c.line.gone(dir):
		return nil, errGone
	case err != nil:
		return nil, err
	}
	// Behind a link the file itself is written anew, not the link replaced.
	read.path, err = filepath.EvalSymlinks(c.path)
	return read, err
}

// readSide reads a file as a salvage would.
func readSide(ctx context.Context, path string, backup bool) (*sideFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	c := &sideFile{path: path, backup: backup, size: info.Size()}
	return c, c.read(ctx, file)
}

// read takes the file apart.
func (c *sideFile) read(ctx context.Context, file *os.File) error {
	s, at := newScanner(file, c.size), int64(0)
	for at < c.size {
		if err := ctx.Err(); err != nil {
			return err
		}
		cmd, err := s.next()
		if err == nil && c.take(file, cmd) {
			at = s.offset
			continue
		}
		if err != nil && !errors.Is(err, errTorn) && !errors.Is(err, errDamaged) {
			return err
		}
		next, err := s.resync(at + 1)
		if err != nil {
			return err
		}
		c.pieces = append(c.pieces, piece{offset: at, length: next - at})
		at = next
		s.seek(at)
	}
	return nil
}

// take keeps a command if it is a good one.
func (c *sideFile) take(file *os.File, cmd command) bool {
	seq, isOp := parseKey(cmd.key)
	switch {
	case cmd.del:
		return false
	case cmd.key == keyMeta:
		if _, err := parseMeta(cmd.value); err != nil {
			return false
		}
		c.meta = string(cmd.value)
		return true
	case cmd.key == keyEnd && c.backup:
		end, err := parseEnd(cmd.value)
		if err != nil {
			return false
		}
		if c.sum, err = sumBefore(file, cmd.offset); err != nil {
			return false
		}
		c.end = &end
		return true
	case !isOp:
		return false
	}
	if _, err := unseal(cmd.key, cmd.value); err != nil {
		return false
	}
	if _, err := parse(string(cmd.value)); err != nil {
		return false
	}
	c.pieces = append(c.pieces, piece{entry: entry{seq, string(cmd.value)}})
	return true
}

// check refuses a backup that is not whole, or is another store's.
func (c *sideFile) check(key []byte) error {
	if !c.backup {
		return nil
	}
	m, err := parseMeta([]byte(c.meta))
	switch {
	case err != nil:
		return errors.New("is no backup of a memory store")
	case !bytes.Equal(m.key, key):
		c.alien = true
		return errors.New("is a backup of another store")
	case slices.ContainsFunc(c.pieces, func(p piece) bool { return p.length > 0 }):
		return errors.New("is damaged: it cannot be sealed again")
	case c.end != nil && (c.end.Sum != c.sum || c.end.Ops != len(c.pieces)):
		return errors.New("is not what was sealed: it cannot be sealed again")
	}
	return nil
}

func (c *sideFile) entries() []entry {
	out := make([]entry, 0, len(c.pieces))
	for _, p := range c.pieces {
		if p.length == 0 {
			out = append(out, p.entry)
		}
	}
	return out
}

// write puts the pieces in the file's place. A backup is sealed anew.
func (c *sideFile) write(o Options) error {
	old, err := os.Open(c.path)
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }() // only read
	if c.end != nil {
		return writeEnded(o, c.path, func(w io.Writer) (int, error) { return len(c.pieces), c.writeTo(w, old) })
	}
	if err := writeFile(o, c.path+backupTemp, func(w *bufio.Writer) error { return c.writeTo(w, old) }); err != nil {
		return err
	}
	return install(o, c.path+backupTemp, c.path)
}

func (c *sideFile) writeTo(w io.Writer, old *os.File) error {
	if m, err := parseMeta([]byte(c.meta)); err == nil {
		value, err := m.value() // in this version: it holds erases
		if err == nil {
			err = writeCommand(w, keyMeta, value)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range c.pieces {
		var err error
		if p.length > 0 {
			_, err = io.Copy(w, io.NewSectionReader(old, p.offset, p.length))
		} else {
			err = writeCommand(w, opKey(p.seq), p.value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unreachedFile says why a file was not reached.
func unreachedFile(path string, why error) string { return fmt.Sprintf("%s: %v", path, why) }
