package bunt

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mcp-memory/internal/files"
	"mcp-memory/storage"
)

// lostNote says of a store's file that is missing or empty that a store was there
// before; nil where nothing tells so. mcp-memory itself leaves no empty file: a new
// one has its name only once it is complete.
func lostNote(dir string, empty bool) *storage.Salvage {
	signs := storeSigns(dir)
	switch {
	case empty && len(signs) > 0:
		return &storage.Salvage{Lost: fmt.Sprintf("%s was empty, though a store was there: %s", fileName, strings.Join(signs, ", "))}
	case empty:
		return &storage.Salvage{Lost: fileName + " was empty, which mcp-memory never leaves it"}
	case len(signs) > 0:
		return &storage.Salvage{Lost: fmt.Sprintf("%s was not there, though a store was: %s", fileName, strings.Join(signs, ", "))}
	}
	return nil
}

// storeSigns are files that are only where a store is or was. A lock file without a
// mark is not: a process may have been killed before it made the store.
func storeSigns(dir string) (signs []string) {
	add := func(folder, pattern string) {
		found, _ := files.In(folder, pattern) // a folder that cannot be read tells nothing
		for _, path := range found {
			name, err := filepath.Rel(dir, path)
			if err == nil {
				signs = append(signs, filepath.ToSlash(name))
			}
		}
	}
	for _, pattern := range []string{"vectors-*.vec", "graph-*.hnsw", damagedGlob, replacedName + "*", nextName} {
		add(dir, pattern)
	}
	add(filepath.Join(dir, backupsFolder), "*"+backupSuffix)
	if !readMark(dir).Created.IsZero() {
		signs = append(signs, lockName+" (memories were stored)")
	}
	lines, _, _ := readList(dir) // one that cannot be read tells nothing
	for _, l := range lines {
		if l.State == copyMade {
			signs = append(signs, backupsName)
			break
		}
	}
	slices.Sort(signs)
	if more := len(signs) - maxShown; more > 0 {
		signs = append(signs[:maxShown], fmt.Sprintf("%d more", more))
	}
	return signs
}

// checkLink refuses a store's file that is a symbolic link, also one to nothing: then
// the disk with the store is not there. Error: [storage.LinkError].
func checkLink(dir string) error {
	path := filepath.Join(dir, fileName)
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return nil // what is wrong the next look tells
	}
	target, err := os.Readlink(path)
	if err != nil {
		return err
	}
	_, err = os.Stat(path)
	return storage.LinkError{Name: fileName, Target: target, Dangling: errors.Is(err, fs.ErrNotExist)}
}

// keepNext keeps a rewrite that was broken off where the store's file is not there:
// it may be the only copy.
func keepNext(o Options) error {
	next := filepath.Join(o.Dir, nextName)
	if _, err := os.Lstat(filepath.Join(o.Dir, fileName)); !errors.Is(err, fs.ErrNotExist) || fileSize(next) == 0 {
		return nil
	}
	kept, err := createDamaged(o)
	if err != nil {
		return err
	}
	if err := kept.Close(); err != nil { // Windows renames over no open file
		return err
	}
	return os.Rename(next, kept.Name())
}
