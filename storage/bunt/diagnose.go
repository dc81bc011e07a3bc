package bunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"mcp-memory/storage"
)

// Diagnosis is what is found of a store without opening it.
type Diagnosis struct {
	Findings []Finding
	Store    *Contents // nil where there is none that can be read
	Holder   string    // who has the store; "" nobody
	Backups  []Copy
	Free     int64 // bytes of the disk that are free; -1: unknown

	census *census
}

// Copy is a backup, or a store that a restore kept aside.
type Copy struct {
	Path  string `json:"path"`
	State string `json:"state"` // sound, damaged, newer, missing, away (its folder is not there), unreadable
	Contents
}

// Record tells whose record an id is and whether it has its content. A store that
// cannot be read knows none.
func (d *Diagnosis) Record(id string) (user string, content, known bool) {
	if d.census == nil {
		return "", false, false
	}
	return d.census.record(id)
}

// Users returns the tenants that have records.
func (d *Diagnosis) Users() []string {
	if d.census == nil {
		return nil
	}
	return d.census.names
}

// Diagnose looks at the store in o.Dir, its copies and what lies about, and changes
// nothing. It takes no lock and reads by descriptors of its own, so that a server
// goes on beside it; of the records it keeps the ids alone in memory. Error: the
// directory cannot be read at all. What is wrong with the store is a finding.
func Diagnose(ctx context.Context, o Options) (Diagnosis, error) {
	o = o.withDefaults()
	d := Diagnosis{Free: -1}
	if info, err := os.Lstat(o.Dir); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(o.Dir); errors.Is(err, fs.ErrNotExist) {
			d.fail(o.Dir, "the data directory is a link to what is not there, so that no server can start", "connect the disk that it is on, or remove the link")
			return d, nil
		}
	}
	if _, err := os.ReadDir(o.Dir); errors.Is(err, fs.ErrNotExist) {
		d.note(o.Dir, "there is no data directory yet: nothing was ever remembered here", "")
		return d, nil
	} else if err != nil {
		return d, fmt.Errorf("diagnose: %w", err)
	}
	d.holder(filepath.Join(o.Dir, lockName))
	for _, look := range []func(context.Context, Options) error{d.store, d.files, d.space, d.copies} {
		if err := look(ctx, o); err != nil {
			return d, fmt.Errorf("diagnose %s: %w", o.Dir, err)
		}
	}
	return d, nil
}

func (d *Diagnosis) add(severity Severity, path, text, advice string) {
	d.Findings = append(d.Findings, Finding{severity, path, text, advice})
}

func (d *Diagnosis) note(path, text, advice string) { d.add(Note, path, text, advice) }
func (d *Diagnosis) warn(path, text, advice string) { d.add(Warning, path, text, advice) }
func (d *Diagnosis) fail(path, text, advice string) { d.add(Error, path, text, advice) }

const repairAdvice = "mcp-memory doctor --repair, with no server running, keeps the original and saves the rest"

// store reads the store's file.
func (d *Diagnosis) store(ctx context.Context, o Options) error {
	path := filepath.Join(o.Dir, fileName)
	linked := checkLink(o.Dir)
	if linked != nil {
		d.fail(path, "no server starts on it: "+linked.Error(), "")
	}
	v, c, err := survey{}, newCensus(), error(nil)
	err = lookAgain(ctx, func() error {
		v, c, err = scanStore(ctx, o.Dir)
		if err == nil && (v.damaged() || v.tornAt < v.size) {
			return errPassing // it may be a write that was seen half done
		}
		return err
	})
	switch {
	case errors.Is(err, storage.ErrNotFound):
		if linked == nil {
			d.gone(lostNote(o.Dir, false), path)
		}
		return nil
	case IsNewer(err):
		d.fail(path, err.Error(), "")
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil && !errors.Is(err, errPassing):
		d.fail(path, "it cannot be read: "+err.Error(), "look after the disk and restore a backup")
		return nil
	}
	d.judge(path, &v, c)
	d.writable(path)
	return nil
}

// gone tells of a store that was there before, or that none was.
func (d *Diagnosis) gone(lost *storage.Salvage, path string) {
	if lost == nil {
		d.note(path, "there is no store yet", "")
		return
	}
	d.fail(path, lost.Lost, "put the file back, or restore a backup (mcp-memory restore), with no server running; the next start begins a new store")
}

// errPassing says that a look may have met a write half done.
var errPassing = fmt.Errorf("%w: looked at beside a write", storage.ErrCorrupt)

// scanStore reads a store's file from end to end.
func scanStore(ctx context.Context, dir string) (v survey, c *census, err error) {
	c = newCensus()
	file, size, err := openStore(dir)
	if err != nil {
		return v, c, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	v, err = examine(ctx, file, size, c.add)
	return v, c, err
}

// judge turns what a scan found into findings.
func (d *Diagnosis) judge(path string, v *survey, c *census) {
	if v.size == 0 {
		d.gone(lostNote(filepath.Dir(path), true), path)
		return
	}
	if v.foreign() {
		d.fail(path, fmt.Sprintf("nothing in its %d bytes can be read as a memory store", v.size),
			"move it away and restore a backup; mcp-memory leaves it as it is")
		return
	}
	d.census = c
	found := c.contents(v)
	d.Store = &found
	if len(v.stretches) > 0 {
		d.fail(path, fmt.Sprintf("%s, %d bytes in all, are no operations: %s", plural(v.dropped, "stretch", "stretches"),
			v.lost, shown(v.stretches)), repairAdvice)
	}
	if v.metaValue == "" {
		d.fail(path, "what the store knows of itself is gone, the key of its hashes with it: what was forgotten would no longer be recognised",
			"restore a backup if you have one; "+repairAdvice)
	}
	if v.tornAt < v.size {
		d.warn(path, fmt.Sprintf("the last %d bytes are an operation that was not written to its end; nobody was told that it was stored",
			v.size-v.tornAt), "the next start cuts it off, and so does --repair")
	}
	if v.end != nil {
		d.note(path, "it is a backup that was put in the store's place; the next start goes on with it", "")
	}
	d.judgeFold(path, c)
}

func (d *Diagnosis) judgeFold(path string, c *census) {
	if len(c.open) > 0 && d.Holder == "" {
		d.warn(path, plural(len(c.open), "erase was", "erases were")+" begun and not finished: what they take is forgotten, but its bytes are still there",
			"the next server finishes them before it answers")
	}
	if len(c.halfway) > 0 && d.Holder == "" {
		d.warn(path, plural(len(c.halfway), "forget was", "forgets were")+" begun and not finished: some of what they take is still remembered",
			"the next server finishes them before it answers")
	}
	if len(c.broken) > 0 {
		d.fail(path, fmt.Sprintf("%s cannot be read though their checksums are right, the first is number %d: no server starts on it",
			plural(len(c.broken), "operation", "operations"), c.broken[0].Operation), repairAdvice)
	}
	if c.repeated > 0 {
		d.warn(path, plural(c.repeated, "operation or record stands", "operations or records stand")+" twice or were deleted, which mcp-memory never writes",
			repairAdvice)
	}
	if c.unknowns > 0 {
		d.note(path, fmt.Sprintf("%s to records that are not there, as after an earlier damage: %s",
			plural(c.unknowns, "operation refers", "operations refer"), strings.Join(c.unknown[:min(len(c.unknown), 5)], ", ")),
			"the records may be in a backup or a memory.db.damaged-… file")
	}
}

// plural says "1 stretch", "2 stretches".
func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// maxShown is how many stretches a text shows.
const maxShown = 5

func shown(stretches []Stretch) string {
	var words []string
	for _, s := range stretches[:min(len(stretches), maxShown)] {
		words = append(words, s.String())
	}
	if more := len(stretches) - maxShown; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// String says "bytes 120 to 380 (operation 7)".
func (s Stretch) String() string {
	text := fmt.Sprintf("bytes %d to %d", s.From, s.To-1)
	if s.Operation > 0 {
		text += fmt.Sprintf(" (operation %d)", s.Operation)
	}
	return text
}
