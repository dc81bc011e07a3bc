package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"mcp-memory/vector/embed"
)

// vectorCache keeps the vectors of texts in a file of the user's cache folder, so
// that they are made once. The file is rows of one length, in no order:
//
//	SHA-256 of kind and text (32 bytes) │ the vector (float32, little endian)
//
// It goes by what texts are, not where they come from, and never holds one. A row
// that a kill cut off is dropped.
type vectorCache struct {
	embedder embed.Embedder
	path     string
	progress io.Writer
}

// textKey names a row.
type textKey [sha256.Size]byte

func keyOf(kind embed.Kind, text string) textKey {
	return sha256.Sum256(append([]byte{byte(kind)}, text...))
}

// openVectorCache makes the folder of the cache.
func openVectorCache(e embed.Embedder, progress io.Writer) (*vectorCache, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find the user's cache for vectors: %w", err)
	}
	dir := filepath.Join(cache, "mcp-memory", "bench")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a folder for vectors: %w", err)
	}
	name := strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(e.Model()) + ".vectors"
	return &vectorCache{embedder: e, path: filepath.Join(dir, name), progress: progress}, nil
}

// rowBytes is the length of a row.
func (c *vectorCache) rowBytes() int { return sha256.Size + 4*c.embedder.Dim() }

// embed returns the vectors of texts. Those that are not kept yet are made, and
// kept.
func (c *vectorCache) embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	vectors, places := make([][]float32, len(texts)), make(map[textKey]int, len(texts))
	for i, text := range texts {
		places[keyOf(kind, text)] = i
	}
	if err := c.read(places, vectors); err != nil {
		return nil, err
	}
	var missing []int
	for i, v := range vectors {
		if v == nil {
			missing = append(missing, i)
		}
	}
	return vectors, c.make(ctx, kind, texts, missing, vectors)
}

// read fills in the vectors of the file that have a place.
func (c *vectorCache) read(places map[textKey]int, vectors [][]float32) (err error) {
	file, err := os.Open(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read cached vectors: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	rows, row := bufio.NewReaderSize(file, 1<<20), make([]byte, c.rowBytes())
	for {
		_, err := io.ReadFull(rows, row)
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read cached vectors: %w", err)
		}
		at, wanted := places[textKey(row[:sha256.Size])]
		if !wanted {
			continue
		}
		if vectors[at] = floats(row[sha256.Size:]); !isUnit(vectors[at]) {
			return fmt.Errorf("the vectors cached in %s are damaged: remove the file, they are made again", c.path)
		}
	}
}

// Making many vectors: how many texts a call takes, and after how many one hears
// of it.
const (
	makeBatch = 64
	tellEvery = 100 * makeBatch
)

// make embeds the texts whose vectors are missing and keeps each batch at once.
func (c *vectorCache) make(ctx context.Context, kind embed.Kind, texts []string, missing []int, vectors [][]float32) (err error) {
	if len(missing) == 0 {
		return nil
	}
	file, err := c.openEnd()
	if err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for from := 0; from < len(missing); from += makeBatch {
		if from%tellEvery == 0 {
			fmt.Fprintf(c.progress, "embedding: %d of %d texts\n", from, len(missing))
		}
		batch := missing[from:min(from+makeBatch, len(missing))]
		if err := c.makeBatch(ctx, file, kind, texts, batch, vectors); err != nil {
			return err
		}
	}
	return nil
}

// openEnd opens the file to write behind its last whole row. What another
// measurement writes meanwhile is not written over.
func (c *vectorCache) openEnd() (*os.File, error) {
	file, err := os.OpenFile(c.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		whole := end - end%int64(c.rowBytes())
		err = file.Truncate(whole)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

func (c *vectorCache) makeBatch(ctx context.Context, file io.Writer, kind embed.Kind, texts []string, batch []int, vectors [][]float32) error {
	in := make([]string, len(batch))
	for i, at := range batch {
		in[i] = texts[at]
	}
	made, err := c.embedder.Embed(ctx, kind, in)
	if err != nil {
		return fmt.Errorf("embed texts: %w", err)
	}
	rows := make([]byte, 0, len(batch)*c.rowBytes())
	for i, at := range batch {
		key := keyOf(kind, in[i])
		rows = append(rows, key[:]...)
		for _, x := range made[i] {
			rows = binary.LittleEndian.AppendUint32(rows, math.Float32bits(x))
		}
		vectors[at] = made[i]
	}
	if _, err := file.Write(rows); err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	return nil
}

// floats reads float32, little endian.
func floats(raw []byte) []float32 {
	v := make([]float32, len(raw)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return v
}

// unitError is how far from one the squared length of a vector may lie that went
// through float32.
const unitError = 1e-3

// isUnit reports whether v is of length one; one with a NaN is not.
func isUnit(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Abs(sum-1) <= unitError
}
