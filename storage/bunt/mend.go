package bunt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"mcp-memory/storage"
)

// Mended says what a repair did and what was lost.
type Mended struct {
	Salvage    *storage.Salvage `json:"salvage"`    // nil: the store's file was left as it was
	Lost       []Stretch        `json:"lost"`       // of the original, that were no operations
	Operations []uint64         `json:"operations"` // numbers of those that were lost and whose number is known
	Records    []string         `json:"records"`    // ids that stand in what was lost, or that later operations refer to
	Receipts   []string         `json:"receipts"`   // of forgets that were lost: what they took is remembered again
	Tightened  []string         `json:"tightened"`  // files that others could use
	Removed    []string         `json:"removed"`    // leftovers
}

// Repair salvages what can be read of a damaged store into a new file and keeps the
// original beside it, says exactly what was lost, takes the rights of others away
// and removes leftovers. A sound store's file it does not touch. Errors:
// [storage.ErrLocked] while a process has the store; [storage.ErrCorrupt] where
// nothing can be read; a newer format version; the file system's. Derived, where it
// is not nil, is called with the store still held, to look after files that are
// derived from it.
func Repair(ctx context.Context, o Options, derived func(*Diagnosis) error) (m Mended, err error) {
	o = o.withDefaults()
	if _, err := os.Stat(o.Dir); err != nil {
		return m, fmt.Errorf("repair: %w", err)
	}
	held, err := acquire(ctx, filepath.Join(o.Dir, lockName), o.Wait, o.Clock())
	if err != nil {
		return m, fmt.Errorf("repair %s: %w", o.Dir, err)
	}
	d := Diagnosis{}
	if err = m.store(ctx, o, &d); err == nil {
		err = m.files(o)
	}
	if err == nil && derived != nil {
		err = derived(&d)
	}
	if err := errors.Join(err, held.release()); err != nil {
		return m, fmt.Errorf("repair %s: %w", o.Dir, err)
	}
	return m, nil
}

// store mends the store's file, where it needs it.
func (m *Mended) store(ctx context.Context, o Options, d *Diagnosis) error {
	if err := checkLink(o.Dir); err != nil {
		return err
	}
	v, c, err := scanStore(ctx, o.Dir)
	if errors.Is(err, storage.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	d.census = c
	if c.sound() {
		if m.Salvage, err = mendAsOpening(ctx, o, v); err != nil || m.Salvage == nil {
			return err
		}
	} else if m.Salvage, err = mendStrictly(ctx, o, v, c); err != nil {
		return err
	}
	return m.losses(v, c)
}

// mendAsOpening does what a start would. A sound file stays as it is.
func mendAsOpening(ctx context.Context, o Options, v survey) (*storage.Salvage, error) {
	if v.size == 0 || !v.damaged() && v.tornAt == v.size && v.end == nil {
		return nil, nil
	}
	r, err := repair(ctx, o)
	return r.salvage, err
}

// mendStrictly also leaves out what has a good checksum and can be read by nobody,
// and what was overwritten or deleted.
func mendStrictly(ctx context.Context, o Options, v survey, c *census) (*storage.Salvage, error) {
	file, err := os.Open(filepath.Join(o.Dir, fileName))
	if err != nil {
		return nil, err
	}
	r, err := salvage(ctx, o, file, v, c.counts)
	if err := errors.Join(err, file.Close()); err != nil { // Windows renames over no open file
		return nil, err
	}
	r.salvage.Kept = len(c.at) - len(c.broken)
	return r.salvage, install(o, tempPath(o.Dir), filepath.Join(o.Dir, fileName))
}

// losses lists what the original held that the new file does not.
func (m *Mended) losses(v survey, c *census) error {
	m.Lost = slices.Concat(v.stretches, c.broken)
	if v.tornAt < v.size {
		m.Lost = append(m.Lost, Stretch{From: v.tornAt, To: v.size})
	}
	for _, s := range m.Lost {
		if s.Operation > 0 {
			m.Operations = append(m.Operations, s.Operation)
		}
	}
	m.Records = slices.Clone(c.unknown)
	if m.Salvage.Original == "" { // the tail was cut off in place: it was never acknowledged
		return nil
	}
	return m.readLost(c)
}

var (
	lostRecord  = regexp.MustCompile(`"id":"([0-9A-Za-z._-]{1,64})"`)
	lostReceipt = regexp.MustCompile(`"receipt":"([0-9A-Za-z._-]{1,64})"`)
)

// maxLost is how much of one stretch is looked through, in bytes: an operation
// is no longer.
const maxLost = maxValue + 1<<10

// readLost finds the ids that can still be read in what was lost.
func (m *Mended) readLost(c *census) (err error) {
	file, err := os.Open(m.Salvage.Original)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for _, s := range m.Lost {
		raw, err := io.ReadAll(io.NewSectionReader(file, s.From, min(s.To-s.From, maxLost)))
		if err != nil {
			return err
		}
		for _, found := range lostRecord.FindAllSubmatch(raw, -1) {
			if _, _, known := c.record(string(found[1])); !known {
				m.Records = append(m.Records, string(found[1]))
			}
		}
		for _, found := range lostReceipt.FindAllSubmatch(raw, -1) {
			m.Receipts = append(m.Receipts, string(found[1]))
		}
	}
	slices.Sort(m.Records)
	m.Records = slices.Compact(m.Records)
	return nil
}

// files takes others' rights away and removes what nobody needs.
func (m *Mended) files(o Options) error {
	all, err := listFiles(o.Dir)
	if err != nil {
		return err
	}
	for _, f := range all {
		if filepath.Base(f.path) == nextName && fileSize(filepath.Join(o.Dir, fileName)) == 0 {
			continue // it may be all that is left
		}
		if f.leftover() {
			if err := os.Remove(f.path); err != nil {
				return err
			}
			m.Removed = append(m.Removed, f.path)
			continue
		}
		if !f.loose() {
			continue
		}
		mode := fileMode
		if f.info.IsDir() {
			mode = dirMode
		}
		if err := os.Chmod(f.path, mode); err != nil {
			return err
		}
		m.Tightened = append(m.Tightened, f.path)
	}
	return nil
}
