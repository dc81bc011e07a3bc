package bunt

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/storage"
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

// erase takes out what the erases say, and stretches that taints holds some of. It
// reports whether anything changed.
func (c *sideFile) erase(ctx context.Context, intents []storage.Op, key []byte, taints func([]byte) bool) (changed bool, err error) {
	entries := c.entries()
	added, err := missing(entries, intents, key)
	if err != nil {
		return false, err
	}
	st, err := foldAll(slices.Concat(entries, added), key)
	if err != nil {
		return false, err
	}
	p := st.purger(time.Time{}, time.Time{}, true) // nothing goes but what is erased
	if err := p.without(intents); err != nil {
		return false, err
	}
	kept := c.pieces[:0:0]
	for _, piece := range c.pieces {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		left, same, err := c.erasePiece(piece, p, taints)
		if err != nil {
			return false, err
		}
		changed = changed || !same
		if left != nil {
			kept = append(kept, *left)
		}
	}
	if !changed && !touches(st, added) {
		return false, nil
	}
	for _, e := range added {
		kept = append(kept, piece{entry: e})
	}
	c.pieces = kept
	return true, nil
}

// without takes the records of erases as gone, also those whose own operation
// cannot be read: others tell of them too.
func (p *purger) without(intents []storage.Op) error {
	for _, op := range intents {
		for _, t := range op.Forget.Records {
			tombstone, err := json.Marshal(t)
			if err != nil {
				return err
			}
			p.gone[t.ID] = &fate{tombstone: string(tombstone)}
		}
	}
	return nil
}

// erasePiece returns what is left of a piece, nil for nothing, and whether that is
// the piece as it was.
func (c *sideFile) erasePiece(of piece, p *purger, taints func([]byte) bool) (left *piece, same bool, err error) {
	if of.length > 0 {
		raw, err := readStretch(c.path, of)
		if err != nil {
			return nil, false, err
		}
		if taints(raw) {
			return nil, false, nil
		}
		return &of, true, nil
	}
	edited, _, err := p.one(of.entry)
	if err != nil {
		return nil, false, err
	}
	return &piece{entry: edited}, edited == of.entry, nil
}

func readStretch(path string, of piece) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	raw := make([]byte, of.length)
	_, err = file.ReadAt(raw, of.offset)
	return raw, err
}

// missing are the erases that entries do not hold, as operations that follow them.
func missing(entries []entry, intents []storage.Op, key []byte) ([]entry, error) {
	st, err := foldAll(entries, key)
	if err != nil {
		return nil, err
	}
	next := uint64(1)
	for _, e := range entries {
		next = max(next, e.seq+1)
	}
	var out []entry
	parts := map[userKey]int{}
	for _, op := range intents {
		receipt := userKey{op.User, op.Forget.Receipt}
		if parts[receipt]++; parts[receipt] <= len(st.receipts[receipt].values) {
			continue
		}
		value, err := encode(opKey(next), op, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{next, value})
		next++
	}
	return out, nil
}

// touches reports whether a state knows any of the records of erases.
func touches(st *state, intents []entry) bool {
	for _, e := range intents {
		op, err := parse(e.value)
		if err == nil && slices.ContainsFunc(op.forget, func(t part) bool { _, known := st.index[t.id]; return known }) {
			return true
		}
	}
	return false
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
