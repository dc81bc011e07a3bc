// Package crashtest finds out what a crash may leave of a store's files, and
// whether that opens as it should.
//
//	Workload ── random operations ──> bunt.Store ── fsync hook ──> Recorder ──> tape of writes, renames, syncs
//	tape ── crash at a random place ──> Image: what was synced, and any part of what was not ──> bunt.Open ──> Report
//
// A recorder sees the files whenever the store makes something durable, and
// derives what was written since: every write of a store is followed by a sync
// before anything depends on it, or it is a bug that images bring to light. What
// the disk may do with what was not synced is drawn at random: keep it, lose it,
// tear it anywhere, or keep some sectors and zero others; names that were not
// synced are kept up to a random one.
//
// The package is for tests and memory-bench.
package crashtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// kind of an event.
type kind int

const (
	write    kind = iota
	truncate      // to off
	link          // an inode gets a name, which another may have had
	unlink
	syncFile
	syncNames
	mark // what was asked for is done, or refused
)

// event is one thing that happened to the files.
type event struct {
	kind  kind
	inode int
	name  string
	off   int64
	data  []byte
}

// Recorder records what happens to the files of one directory.
type Recorder struct {
	dir string

	mu     sync.Mutex // guards what follows
	events []event
	before int            // events that only tell what was there at first
	names  map[string]int // name → inode
	inodes []inode
}

type inode struct {
	info    os.FileInfo
	content []byte
}

// NewRecorder records the files in dir from now on; those that are there are
// durable.
func NewRecorder(dir string) (*Recorder, error) {
	r := &Recorder{dir: dir, names: map[string]int{}}
	if err := r.observe(); err != nil {
		return nil, err
	}
	for i := range r.inodes {
		r.events = append(r.events, event{kind: syncFile, inode: i})
	}
	r.events = append(r.events, event{kind: syncNames})
	r.before = len(r.events)
	return r, nil
}

// Sync is bunt.Options.Sync. The machine is not really made to sync.
func (r *Recorder) Sync(file *os.File) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.observe(); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if info.IsDir() {
		if filepath.Clean(file.Name()) == filepath.Clean(r.dir) {
			r.events = append(r.events, event{kind: syncNames})
		}
		return nil
	}
	for i := range r.inodes {
		if os.SameFile(r.inodes[i].info, info) && r.named(i) {
			r.events = append(r.events, event{kind: syncFile, inode: i})
		}
	}
	return nil
}

// Observe records what was written and was not synced.
func (r *Recorder) Observe() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.observe()
}

// Mark records that a step is over.
func (r *Recorder) Mark() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.observe()
	r.events = append(r.events, event{kind: mark})
	return err
}

// Files returns the files as they are.
func (r *Recorder) Files() map[string][]byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	files := map[string][]byte{}
	for name, i := range r.names {
		files[name] = r.inodes[i].content
	}
	return files
}

func (r *Recorder) named(i int) bool {
	for _, n := range r.names {
		if n == i {
			return true
		}
	}
	return false
}

// observe records what happened to the files since it was called last.
func (r *Recorder) observe() error {
	now, err := r.look()
	if err != nil {
		return err
	}
	for name, i := range now {
		if err := r.compare(name, i); err != nil {
			return err
		}
	}
	for name, i := range now { // a rename is seen as the new name; the old one goes after it
		if was, known := r.names[name]; !known || was != i {
			r.events = append(r.events, event{kind: link, inode: i, name: name})
		}
	}
	for name := range r.names {
		if _, there := now[name]; !there {
			r.events = append(r.events, event{kind: unlink, name: name})
		}
	}
	r.names = now
	return nil
}

// look finds the inodes behind the names. The lock's file holds nothing.
func (r *Recorder) look() (map[string]int, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return nil, err
	}
	now := map[string]int{}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".lock") {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, os.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
			continue
		}
		if err != nil {
			return nil, err
		}
		now[e.Name()] = r.inodeOf(info)
	}
	return now, nil
}

func (r *Recorder) inodeOf(info os.FileInfo) int {
	for i := range r.inodes {
		if r.named(i) && os.SameFile(r.inodes[i].info, info) {
			return i
		}
	}
	r.inodes = append(r.inodes, inode{info: info})
	return len(r.inodes) - 1
}

// compare records what was written to a file, or cut off it.
func (r *Recorder) compare(name string, i int) error {
	content, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	old := r.inodes[i].content
	same := commonPrefix(old, content)
	if same < len(old) {
		r.events = append(r.events, event{kind: truncate, inode: i, off: int64(same)})
	}
	if same < len(content) {
		r.events = append(r.events, event{kind: write, inode: i, off: int64(same), data: bytes.Clone(content[same:])})
	}
	r.inodes[i].content = content
	return nil
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
