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

// salvage keeps a copy of a damaged file and rewrites its good operations, those
// that wanted accepts. It may be interrupted anywhere: the damaged file has its
// name until the new one takes it.
func salvage(ctx context.Context, o Options, file *os.File, v survey, wanted func(command) bool) (repaired, error) {
	original, err := keepOriginal(o, file)
	if err != nil {
		return repaired{}, fmt.Errorf("keep the damaged file: %w", err)
	}
	r := repaired{meta: v.meta, metaValue: v.metaValue, rewritten: true}
	if r.metaValue == "" {
		if r.meta, r.metaValue, err = newMeta(o.Clock()); err != nil {
			return repaired{}, err
		}
		o.Log.Warn("the hash key was lost: what was forgotten before is no longer recognised")
	}
	err = writeFile(o, tempPath(o.Dir), func(w *bufio.Writer) error {
		if err := writeCommand(w, keyMeta, r.metaValue); err != nil {
			return err
		}
		_, err := examine(ctx, file, v.size, func(c command) error {
			if !wanted(c) {
				return nil
			}
			_, err := io.Copy(w, io.NewSectionReader(file, c.offset, c.length))
			return err
		})
		return err
	})
	if err != nil {
		return repaired{}, fmt.Errorf("salvage: %w", err)
	}
	r.salvage = report(v, original)
	o.Log.Warn("salvaged a damaged store", keyKept, r.salvage.Kept, keyDropped, r.salvage.Dropped,
		keyBytes, r.salvage.Bytes, keyOriginal, original)
	return r, nil
}

// report counts a torn tail and a missing meta as stretches too.
func report(v survey, original string) *storage.Salvage {
	found := &storage.Salvage{Kept: v.kept, Dropped: v.dropped, Bytes: v.lost + v.size - v.tornAt, Original: original}
	if v.tornAt < v.size {
		found.Dropped++
	}
	if found.Dropped == 0 {
		found.Dropped = 1
	}
	return found
}

// keepOriginal copies file to a name of its own and returns that.
func keepOriginal(o Options, file *os.File) (string, error) {
	copied, err := createDamaged(o)
	if err != nil {
		return "", err
	}
	info, err := file.Stat()
	if err == nil {
		_, err = io.Copy(copied, io.NewSectionReader(file, 0, info.Size()))
	}
	if err == nil {
		err = syncFile(o, copied)
	}
	if err := errors.Join(err, copied.Close()); err != nil {
		return "", errors.Join(err, os.Remove(copied.Name()))
	}
	return copied.Name(), syncDir(o, o.Dir)
}

// createDamaged creates memory.db.damaged-<now>; a number is added where that
// exists.
func createDamaged(o Options) (*os.File, error) {
	first := filepath.Join(o.Dir, fileName+".damaged-"+o.Clock().UTC().Format("20060102T150405Z"))
	name := first
	for n := 2; ; n++ {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_RDWR, fileMode)
		if !errors.Is(err, os.ErrExist) {
			return file, err
		}
		name = fmt.Sprintf("%s-%d", first, n)
	}
}
