package bunt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

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
	meta      meta
}

// damaged reports whether more than a torn tail is wrong.
func (v *survey) damaged() bool { return v.dropped > 0 || v.metaValue == "" }

// examine scans a file and calls keep, where it is not nil, with every good
// command of an operation. Errors: newerError; keep's; the file's.
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
			if err := v.skip(s, c.offset, errors.Is(err, errTorn)); err != nil {
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

// take judges a command by its key and checksum. Errors: errValue; newerError;
// keep's.
func (v *survey) take(c command, keep func(command) error) error {
	if c.key == keyMeta && !c.del {
		m, err := parseMeta(c.value)
		if err == nil {
			v.meta, v.metaValue = m, string(c.value)
		}
		return err
	}
	if _, ok := parseKey(c.key); !ok {
		return fmt.Errorf("%w: unknown key", errValue)
	}
	if !c.del {
		if _, err := unseal(c.key, c.value); err != nil {
			return err
		}
		v.kept++
	}
	if keep == nil {
		return nil
	}
	return keep(c)
}

// skip goes on after the damage at offset, or ends with a torn tail.
func (v *survey) skip(s *scanner, offset int64, torn bool) error {
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
	v.dropped++
	v.lost += next - offset
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
// there is none. Errors: [storage.ErrCorrupt]; newerError; the file system's.
func repair(ctx context.Context, o Options) (repaired, error) {
	if err := os.Remove(tempPath(o.Dir)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return repaired{}, err
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
		return create(o)
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
		return create(o)
	}
	v, err := examine(ctx, file, info.Size(), nil)
	switch {
	case err != nil:
		return repaired{}, fmt.Errorf("scan %s: %w", fileName, err)
	case v.damaged() && v.kept == 0:
		return repaired{}, fmt.Errorf("%w: nothing in %s can be read as a memory store; it was left as it is (move it away to begin anew)",
			storage.ErrCorrupt, fileName)
	case v.damaged():
		return salvage(ctx, o, file, v)
	}
	r := repaired{meta: v.meta, metaValue: v.metaValue}
	if v.tornAt < v.size {
		r.salvage, err = cutTail(o, file, v)
	}
	return r, err
}

// create writes a new store's file; it is complete from the moment it has its
// name.
func create(o Options) (repaired, error) {
	m, value, err := newMeta(o.Clock())
	if err != nil {
		return repaired{}, err
	}
	err = writeFile(o, tempPath(o.Dir), func(w *bufio.Writer) error { return writeCommands(w, value, nil) })
	return repaired{meta: m, metaValue: value, rewritten: true}, err
}

// cutTail removes a torn last command. Nobody was told that it was stored.
func cutTail(o Options, file *os.File, v survey) (*storage.Salvage, error) {
	if err := file.Truncate(v.tornAt); err != nil {
		return nil, fmt.Errorf("cut torn tail: %w", err)
	}
	if err := syncFile(o, file); err != nil {
		return nil, fmt.Errorf("cut torn tail: %w", err)
	}
	found := &storage.Salvage{Kept: v.kept, Dropped: 1, Bytes: v.size - v.tornAt}
	o.Log.Warn("cut a torn last operation", keyKept, found.Kept, keyBytes, found.Bytes)
	return found, nil
}
