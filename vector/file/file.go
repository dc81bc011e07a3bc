// Package file keeps vectors on disk, so that a restart need not make them
// again: one file for each model, appended to, every entry checksummed. Bytes
// are in ../FORMAT.md.
//
// What it holds is derived. A lost or damaged file costs the time to embed what
// it held, nothing else; so nothing is fsync'ed but a rewritten file, and what
// cannot be read is left out and made again.
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
	"sync"

	"mcp-memory/internal/files"
)

// File is the vectors of one model. It is safe for concurrent use within one
// process; who opens it keeps other processes away.
type File struct {
	path  string
	model string

	mu   sync.Mutex // guards all below
	file *os.File
	head header // dim 0: nothing was written yet
	size int64  // up to which entries are whole
}

// suffix ends the names of vector files.
const suffix = ".vec"

const (
	prefix                 = "vectors-"
	tempSuffix             = ".tmp"
	fileMode   fs.FileMode = 0o600
	readAhead              = 1 << 20 // bytes read or written at once
)

// Open opens the file in dir that holds the vectors of model, or the place where
// the first [File.Append] will make it. A file that is damaged at its head is
// emptied: replaced reports that.
func Open(dir, model string) (f *File, replaced bool, err error) {
	if model == "" || len(model) > maxModel {
		return nil, false, fmt.Errorf("open vectors: the model's name has %d bytes; 1 to %d are wanted", len(model), maxModel)
	}
	f = &File{path: filepath.Join(dir, fileName(model)), model: model}
	if err := files.Remove(behind(f.path) + tempSuffix); err != nil {
		return nil, false, fmt.Errorf("open vectors: %w", err)
	}
	if f.file, err = os.OpenFile(f.path, os.O_RDWR|os.O_CREATE, fileMode); err != nil {
		return nil, false, fmt.Errorf("open vectors: %w", err)
	}
	if replaced, err = f.start(); err != nil {
		return nil, false, errors.Join(fmt.Errorf("open vectors: %w", err), f.file.Close())
	}
	return f, replaced, nil
}

// start reads the head, and empties a file whose head is not ours.
func (f *File) start() (replaced bool, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return false, err
	}
	if info.Mode().Perm()&^fileMode != 0 { // copied or unpacked by others than us
		_ = f.file.Chmod(fileMode) // where it cannot be, the folder's mode still holds
	}
	if info.Size() == 0 {
		return false, nil
	}
	head, err := readHeader(io.NewSectionReader(f.file, 0, info.Size()))
	if err == nil && head.model == f.model {
		f.head = head
		whole := (info.Size() - head.size()) / head.entrySize()
		f.size = head.size() + whole*head.entrySize()
		return false, nil
	}
	if err != nil && !errors.Is(err, errHeader) {
		return false, err
	}
	return true, f.file.Truncate(0)
}

// Dim is the length of the vectors, 0 as long as there are none.
func (f *File) Dim() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.head.dim
}

// Each calls fn with every vector in the order they were appended; an id may
// come more than once, the last counts. v is fn's only until it returns. lost is
// the number of entries that could not be read. An error of fn, or of ctx, ends it.
func (f *File) Each(ctx context.Context, fn func(id string, v []float32) error) (lost int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	v := make([]float32, f.head.dim)
	lost, err = f.each(ctx, func(id string, raw []byte) error {
		decodeVector(v, raw[keySize:])
		return fn(id, v)
	})
	if err != nil {
		return lost, fmt.Errorf("read vectors: %w", err)
	}
	return lost, nil
}

// each calls fn with every entry whose checksum is right.
func (f *File) each(ctx context.Context, fn func(id string, raw []byte) error) (lost int, err error) {
	if f.head.dim == 0 {
		return 0, nil
	}
	from := f.head.size()
	r := bufio.NewReaderSize(io.NewSectionReader(f.file, from, f.size-from), readAhead)
	raw := make([]byte, f.head.entrySize())
	for at := from; at < f.size; at += int64(len(raw)) {
		if _, err := io.ReadFull(r, raw); err != nil {
			return lost, err
		}
		id, ok := f.head.decodeEntry(raw)
		if !ok {
			lost++
			continue
		}
		if err := errors.Join(ctx.Err(), fn(id, raw)); err != nil {
			return lost, err
		}
	}
	return lost, nil
}

// Append writes vectors under ids, in one write. It rounds every v to the
// numbers that the file holds, so that what its caller goes on to use is what a
// restart will read. On an error the file is as it was.
func (f *File) Append(ids []string, vs [][]float32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.append(ids, vs); err != nil {
		return fmt.Errorf("write vectors: %w", err)
	}
	return nil
}

func (f *File) append(ids []string, vs [][]float32) error {
	if len(ids) != len(vs) {
		return fmt.Errorf("%d ids for %d vectors", len(ids), len(vs))
	}
	if len(vs) == 0 {
		return nil
	}
	head, at := f.head, f.size
	var out []byte
	if head.dim == 0 {
		head = newHeader(f.model, len(vs[0]))
		out, at = head.encode(), 0
	}
	for i, v := range vs {
		var err error
		if out, err = head.appendEntry(out, ids[i], v); err != nil {
			return err
		}
	}
	if _, err := f.file.WriteAt(out, at); err != nil {
		return errors.Join(err, f.file.Truncate(at))
	}
	f.head, f.size = head, at+int64(len(out))
	return nil
}

// Keep rewrites the file without the entries whose id keep does not accept,
// without repeats and without what cannot be read, and makes it durable. Where
// none is left, the next may be of another length. On an error the file is as it
// was.
func (f *File) Keep(ctx context.Context, keep func(id string) bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.head.dim == 0 {
		return nil
	}
	if err := f.rewrite(ctx, keep); err != nil {
		return errors.Join(fmt.Errorf("rewrite vectors: %w", err), files.Remove(behind(f.path)+tempSuffix))
	}
	return nil
}

func (f *File) rewrite(ctx context.Context, keep func(id string) bool) error {
	last := map[string]int{} // place of the entry that counts
	n := 0
	_, err := f.each(ctx, func(id string, _ []byte) error {
		if keep(id) {
			last[id] = n
		}
		n++
		return nil
	})
	if err != nil {
		return err
	}
	temp, err := os.OpenFile(behind(f.path)+tempSuffix, os.O_RDWR|os.O_CREATE|os.O_TRUNC, fileMode)
	if err != nil {
		return err
	}
	if len(last) == 0 {
		return f.swap(temp, header{}, 0)
	}
	if err := f.copyTo(ctx, temp, last); err != nil {
		return errors.Join(err, temp.Close())
	}
	return f.swap(temp, f.head, f.head.size()+int64(len(last))*f.head.entrySize())
}

// copyTo writes the head and the entries at the places in last.
func (f *File) copyTo(ctx context.Context, temp *os.File, last map[string]int) error {
	w := bufio.NewWriterSize(temp, readAhead)
	if _, err := w.Write(f.head.encode()); err != nil {
		return err
	}
	n := 0
	_, err := f.each(ctx, func(id string, raw []byte) error {
		at, wanted := last[id]
		n++
		if !wanted || at != n-1 {
			return nil
		}
		_, err := w.Write(raw)
		return err
	})
	return errors.Join(err, w.Flush(), temp.Sync())
}

// swap makes temp the file, of that head and size.
func (f *File) swap(temp *os.File, head header, size int64) error {
	real := behind(f.path)
	if err := os.Rename(real+tempSuffix, real); err != nil {
		return errors.Join(err, temp.Close())
	}
	old := f.file
	f.file, f.head, f.size = temp, head, size
	return errors.Join(old.Close(), syncDir(filepath.Dir(real)))
}

// Close closes the file.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.file.Close()
}
