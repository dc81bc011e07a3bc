package bunt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mcp-memory/internal/files"
	"mcp-memory/storage"
)

// survey is what a scan of a file found.
type survey struct {
	size      int64
	kept      int   // operations
	dropped   int   // damaged stretches
	lost      int64 // their bytes
	tornAt    int64 // where a torn last command begins; size where none does
	metaValue string
	metaAt    int64
	meta      meta
	last      place     // of the last good operation
	lastSum   [8]byte   // its checksum, as it stands there
	stretches []Stretch // the first damaged ones
	end       *ending   // of a backup; nil where the last good command is none
	endAt     place
}

// place is where a command lies.
type place struct{ offset, length int64 }

func (p place) end() int64 { return p.offset + p.length }

// Stretch is a run of bytes that are no good commands.
type Stretch struct {
	From      int64  `json:"from"`                // byte
	To        int64  `json:"to"`                  // byte after it
	Operation uint64 `json:"operation,omitempty"` // whose number can still be read there; 0: none
}

// maxStretches is how many of a file are told apart.
const maxStretches = 1000

// damaged reports whether more than a torn tail is wrong.
func (v *survey) damaged() bool { return v.dropped > 0 || v.metaValue == "" }

// foreign reports whether nothing in the file is ours. A store that a crash hit in
// its first operation has its meta.
func (v *survey) foreign() bool { return v.kept == 0 && v.metaValue == "" }

// examine scans a file and calls keep, where it is not nil, with every good
// command of an operation. Errors: [storage.NewerError]; keep's;
// the file's.
func examine(ctx context.Context, src io.ReaderAt, size int64, keep func(command) error) (survey, error) {
	v := survey{size: size, tornAt: size}
	s := newScanner(src, size)
	for {
		c, err := s.next()
		if err == nil {
			err = v.take(c, keep)
		}
		switch {
		case errors.Is(err, io.EOF):
			return v, nil
		case errors.Is(err, errTorn), errors.Is(err, errDamaged), errors.Is(err, errValue):
			if err := v.skip(s, c, errors.Is(err, errTorn)); err != nil {
				return v, err
			}
		case err != nil:
			return v, err
		}
		if err := ctx.Err(); err != nil {
			return v, err
		}
	}
}

// take judges a command by its key and checksum. Errors: errValue;
// [storage.NewerError]; keep's.
func (v *survey) take(c command, keep func(command) error) error {
	at := place{c.offset, c.length}
	switch {
	case c.key == keyMeta && !c.del:
		m, err := parseMeta(c.value)
		if err == nil {
			v.meta, v.metaValue, v.metaAt = m, string(c.value), c.offset
		}
		return err
	case c.key == keyEnd && !c.del:
		return v.takeEnd(c, at)
	}
	if _, ok := parseKey(c.key); !ok {
		return fmt.Errorf("%w: unknown key", errValue)
	}
	if !c.del {
		if _, err := unseal(c.key, c.value); err != nil {
			return err
		}
		v.kept++
		v.last = at
		copy(v.lastSum[:], c.value[len(frame):])
	}
	v.dropEnd()
	if keep == nil {
		return nil
	}
	return keep(c)
}

// takeEnd notes the end of a backup. Error: errValue.
func (v *survey) takeEnd(c command, at place) error {
	e, err := parseEnd(c.value)
	if err != nil {
		return err
	}
	v.dropEnd()
	v.end, v.endAt = &e, at
	return nil
}

// dropEnd counts an end that something follows as damage.
func (v *survey) dropEnd() {
	if v.end == nil {
		return
	}
	v.damage(Stretch{From: v.endAt.offset, To: v.endAt.end()})
	v.end = nil
}

func (v *survey) damage(s Stretch) {
	v.dropped++
	v.lost += s.To - s.From
	if len(v.stretches) < maxStretches {
		v.stretches = append(v.stretches, s)
	}
}

// skip goes on after the damage that begins with c, or ends with a torn tail.
func (v *survey) skip(s *scanner, c command, torn bool) error {
	offset := c.offset
	next, err := s.resync(offset + 1)
	if err != nil {
		return err
	}
	if torn && next == v.size {
		if torn, err = s.torn(offset); err != nil {
			return err
		}
		if torn {
			v.tornAt = offset
			s.seek(v.size)
			return nil
		}
	}
	seq, _ := parseKey(c.key)
	v.damage(Stretch{From: offset, To: next, Operation: seq})
	s.seek(next)
	return nil
}

// repaired is what repair leaves behind.
type repaired struct {
	meta      meta
	metaValue string
	salvage   *storage.Salvage // nil: nothing was wrong
	rewritten bool             // the temporary file is to take the file's place
}

// repair makes the file in o.Dir one that BuntDB may open, creating it where
// there is none. Errors: [storage.ErrCorrupt]; [storage.NewerError];
// the file system's.
func repair(ctx context.Context, o Options) (repaired, error) {
	if err := errors.Join(checkLink(o.Dir), keepNext(o), dropTwins(o)); err != nil {
		return repaired{}, err
	}
	for _, name := range []string{tempName, nextName} {
		if err := files.Remove(filepath.Join(o.Dir, name)); err != nil {
			return repaired{}, err
		}
	}
	r, err := inspect(ctx, o)
	if err == nil && r.rewritten {
		err = os.Rename(tempPath(o.Dir), filepath.Join(o.Dir, fileName))
	}
	if err != nil {
		return repaired{}, err
	}
	// Always: a process may have been killed between its rename and this.
	return r, syncDir(o, o.Dir)
}

// inspect repairs what can be repaired in place, and rewrites the rest. It has
// closed the file when it returns: Windows renames over no open one.
func inspect(ctx context.Context, o Options) (repaired, error) {
	file, err := os.OpenFile(filepath.Join(o.Dir, fileName), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return create(o, lostNote(o.Dir, false))
	}
	if err != nil {
		return repaired{}, err
	}
	r, err := repairFile(ctx, o, file)
	return r, errors.Join(err, file.Close())
}

func repairFile(ctx context.Context, o Options, file *os.File) (repaired, error) {
	info, err := file.Stat()
	if err != nil {
		return repaired{}, err
	}
	if info.Size() == 0 {
		return create(o, lostNote(o.Dir, true))
	}
	v, err := examine(ctx, file, info.Size(), nil)
	switch {
	case err != nil:
		return repaired{}, fmt.Errorf("scan %s: %w", fileName, err)
	case v.foreign():
		return repaired{}, fmt.Errorf("%w: nothing in %s can be read as a memory store; it was left as it is (move it away to begin anew)",
			storage.ErrCorrupt, fileName)
	case v.damaged():
		return salvage(ctx, o, file, v, func(command) bool { return true })
	}
	r := repaired{meta: v.meta, metaValue: v.metaValue}
	if v.tornAt < v.size {
		if r.salvage, err = cutTail(o, file, v); err != nil {
			return r, err
		}
	}
	if v.end != nil { // somebody put a backup in the store's place by hand
		err = cut(o, file, v.endAt.offset)
	}
	return r, err
}

// create writes a new store's file; it is complete from the moment it has its
// name. lost says that a store was there before; nil: none was.
func create(o Options, lost *storage.Salvage) (repaired, error) {
	if lost != nil {
		o.Log.Warn("the store is gone, a new and empty one is begun; mcp-memory restore brings a backup back", keyLost, lost.Lost)
	}
	m, value, err := newMeta(o.Clock())
	if err != nil {
		return repaired{}, err
	}
	err = writeFile(o, tempPath(o.Dir), func(w *bufio.Writer) error { return writeCommands(w, value, nil) })
	return repaired{meta: m, metaValue: value, salvage: lost, rewritten: true}, err
}

// cutTail removes a torn last command. Nobody was told that it was stored.
func cutTail(o Options, file *os.File, v survey) (*storage.Salvage, error) {
	if err := cut(o, file, v.tornAt); err != nil {
		return nil, fmt.Errorf("cut torn tail: %w", err)
	}
	found := &storage.Salvage{Kept: v.kept, Dropped: 1, Bytes: v.size - v.tornAt}
	o.Log.Warn("cut a torn last operation", keyKept, found.Kept, keyBytes, found.Bytes)
	return found, nil
}

// cut ends file at size, durably.
func cut(o Options, file *os.File, size int64) error {
	if err := file.Truncate(size); err != nil {
		return err
	}
	return syncFile(o, file)
}
