package crashtest

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// sector is what a disk writes at once, in bytes.
const sector = 512

// Image is what a crash may have left.
type Image struct {
	Files map[string][]byte
	Done  int // steps that were over before the crash
	At    int // the event that it comes after
}

// image draws a crash.
func (r *Recorder) image(random *rand.Rand) Image {
	at := r.before + random.IntN(len(r.events)-r.before+1)
	c := crash{random: random, lose: loss(random.IntN(int(losses))), contents: map[int][]byte{}, pending: map[int][]event{}, names: map[string]int{}}
	for _, e := range r.events[:at] {
		c.take(e)
	}
	return Image{Files: c.files(), Done: c.marks, At: at}
}

// loss is what becomes of writes that were not synced.
type loss int

const (
	loseNone loss = iota
	loseAll
	loseAfter   // a random one, which is torn
	loseSectors // any, wherever they are
	losses
)

// crash follows the events up to it.
type crash struct {
	random   *rand.Rand
	lose     loss
	contents map[int][]byte  // of inodes, as synced
	pending  map[int][]event // not synced
	names    map[string]int  // as synced
	renames  []event         // not synced
	marks    int
}

func (c *crash) take(e event) {
	switch e.kind {
	case write, truncate:
		c.pending[e.inode] = append(c.pending[e.inode], e)
	case link, unlink:
		c.renames = append(c.renames, e)
	case syncFile:
		for _, p := range c.pending[e.inode] {
			c.contents[e.inode] = apply(c.contents[e.inode], p)
		}
		delete(c.pending, e.inode)
	case syncNames:
		for _, p := range c.renames {
			rename(c.names, p)
		}
		c.renames = nil
	case mark:
		c.marks++
	}
}

// files are those that are there after the crash.
func (c *crash) files() map[string][]byte {
	names := maps.Clone(c.names)
	for _, e := range c.renames[:c.random.IntN(len(c.renames)+1)] {
		rename(names, e)
	}
	files := map[string][]byte{}
	for name, i := range names {
		files[name] = c.after(i)
	}
	return files
}

// after is what is left of an inode's content.
func (c *crash) after(i int) []byte {
	content, pending := append([]byte(nil), c.contents[i]...), c.pending[i]
	switch {
	case c.lose == loseAll || len(pending) == 0:
		return content
	case c.lose == loseAfter:
		n := c.random.IntN(len(pending))
		for _, e := range pending[:n] {
			content = apply(content, e)
		}
		return apply(content, c.torn(pending[n]))
	}
	for _, e := range pending {
		if c.lose == loseSectors {
			content = c.sectors(content, e)
			continue
		}
		content = apply(content, e)
	}
	return content
}

// torn cuts a write short anywhere.
func (c *crash) torn(e event) event {
	if e.kind == write {
		e.data = e.data[:c.random.IntN(len(e.data)+1)]
	}
	return e
}

// sectors applies some sectors of a write. The file may have grown over one that
// was not written: it reads as zeros.
func (c *crash) sectors(content []byte, e event) []byte {
	if e.kind == truncate {
		if c.random.IntN(2) == 0 {
			return content
		}
		return apply(content, e)
	}
	for at := e.off; at < e.off+int64(len(e.data)); {
		end := min((at/sector+1)*sector, e.off+int64(len(e.data)))
		part := event{kind: write, off: at, data: e.data[at-e.off : end-e.off]}
		switch c.random.IntN(3) {
		case 0: // the size grew, the bytes did not come
			part.data = make([]byte, len(part.data))
			content = apply(content, part)
		case 1:
			content = apply(content, part)
		}
		at = end
	}
	return content
}

func apply(content []byte, e event) []byte {
	if e.kind == truncate {
		return content[:min(int64(len(content)), e.off)]
	}
	if grown := e.off + int64(len(e.data)); grown > int64(len(content)) {
		content = append(content, make([]byte, grown-int64(len(content)))...)
	}
	copy(content[e.off:], e.data)
	return content
}

func rename(names map[string]int, e event) {
	if e.kind == unlink {
		delete(names, e.name)
		return
	}
	names[e.name] = e.inode
}

// write makes the image the content of a new directory.
func (i Image) write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, content := range i.Files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}
