package bunt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"mcp-memory/internal/files"
)

const (
	backupsName   = "backups.jsonl"
	backupsFolder = "backups"
	backupSuffix  = ".mcpmem"
	backupTemp    = ".tmp"
	replacedName  = fileName + ".replaced-"
)

// States of a copy in the list. A path's last one counts.
const (
	copyBegun   = "begun"   // it may be there
	copyMade    = "made"    // it is, unless somebody moved it
	copyDropped = "dropped" // it is not
)

// listed is a line of backups.jsonl: what became of a copy of the store. The
// list is what erasing goes by, so a copy is on it before its first byte is on
// disk. Lines are only ever appended.
type listed struct {
	At time.Time `json:"at"`
	// Disk tells a folder whose disk is not there from one in which the file is not:
	// diskHere, or the disk's id. Empty: unknown.
	Disk  string `json:"disk,omitempty"`
	Path  string `json:"path"`
	State string `json:"state"`
}

// diskHere says that a copy was made on the data directory's own disk.
const diskHere = "here"

// diskFor is the Disk of a copy at path.
func diskFor(dir, path string) string {
	disk := diskID(filepath.Dir(path))
	if disk != "" && disk == diskID(dir) {
		return diskHere
	}
	return disk
}

// gone reports whether a copy that is not where it was made was deleted or moved:
// its folder is there, on the disk on which it was. Else the disk may come back, and
// the copy with it. Lines of older programs name no disk: there an empty folder may
// be one on which nothing is mounted.
func (l listed) gone(dir string) bool {
	folder := filepath.Dir(l.Path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return false
	}
	if own, err := filepath.Abs(dir); err == nil && (folder == own || folder == filepath.Join(own, backupsFolder)) {
		return true
	}
	if l.Disk != "" {
		return l.Disk == diskFor(dir, l.Path)
	}
	entries, err := os.ReadDir(folder)
	return err == nil && len(entries) > 0
}

// list appends a line for the copy at path, durably. Lines of several processes
// do not mix: each is one write to a file opened for appending.
func list(o Options, path, state string) error {
	line, err := json.Marshal(listed{At: o.Clock().UTC().Truncate(time.Second), Path: path, State: state, Disk: diskFor(o.Dir, path)})
	if err != nil {
		return fmt.Errorf("list %s: %w", path, err)
	}
	name := filepath.Join(o.Dir, backupsName)
	file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR|os.O_APPEND, fileMode)
	if err != nil {
		return fmt.Errorf("list %s: %w", path, err)
	}
	_, err = file.Write(append(afterTorn(file), append(line, '\n')...))
	if err == nil {
		err = syncFile(o, file)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("list %s in %s: %w", path, backupsName, err)
	}
	return syncDir(o, o.Dir)
}

// afterTorn is what goes before a line: a newline where a crash tore the last.
func afterTorn(file *os.File) []byte {
	info, err := file.Stat()
	if err != nil || info.Size() == 0 {
		return nil
	}
	var last [1]byte
	if _, err := file.ReadAt(last[:], info.Size()-1); err == nil && last[0] == '\n' {
		return nil
	}
	return []byte("\n")
}

// readList returns the last line of every path, and how many could not be read.
func readList(dir string) (last map[string]listed, bad int, err error) {
	last = map[string]listed{}
	content, err := os.ReadFile(filepath.Join(dir, backupsName))
	if errors.Is(err, fs.ErrNotExist) {
		return last, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	bad = parseList(content, last)
	return last, bad, nil
}

// parseList notes the last line of every path, and returns how many lines cannot be
// read.
func parseList(content []byte, last map[string]listed) (bad int) {
	for line := range bytes.Lines(content) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var l listed
		if err := json.Unmarshal(line, &l); err != nil || !filepath.IsAbs(l.Path) {
			bad++
			continue
		}
		last[l.Path] = l
	}
	return bad
}

// backupFiles returns where copies of the store in dir are or may be: those that
// are listed and were not dropped, and those that lie where we put them. A path
// may name nothing any more.
func backupFiles(dir string) ([]string, error) {
	lines, _, err := readList(dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", backupsName, err)
	}
	var paths []string
	for path, line := range lines {
		if line.State != copyDropped {
			paths = append(paths, path)
		}
		if line.State == copyBegun { // a process may have been killed while it wrote
			paths = append(paths, path+backupTemp)
		}
	}
	found, err := ownCopies(dir)
	if err != nil {
		return nil, err
	}
	paths = append(paths, found...)
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// ownCopies lists the copies that lie in the data directory.
func ownCopies(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	var paths []string
	backups := filepath.Join(dir, backupsFolder)
	for _, ours := range []struct{ folder, pattern string }{
		{dir, replacedName + "*"},
		{backups, "*" + backupSuffix},
		{backups, "*" + backupSuffix + backupTemp},
	} {
		found, err := files.In(ours.folder, ours.pattern)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}
