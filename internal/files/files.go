// Package files does with folders and files what the standard library does nearly:
// where one is not there, that is an answer and no error, and a small one is written
// whole or not at all.
package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// In lists the files of a folder whose names match a pattern; none where there is no
// folder. filepath.Glob would read the folder's own name as a pattern too, and take a
// folder that cannot be read for an empty one.
func In(dir, pattern string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		matches, bad := filepath.Match(pattern, e.Name())
		if matches {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
		err = errors.Join(err, bad)
	}
	return paths, err
}

// Remove removes a file, or the link that has the name, if it is there.
func Remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteWhole writes a file (0600) beside its name and renames it, so that no reader
// sees half of it. It does not outlast a power loss.
func WriteWhole(path string, content []byte) error {
	temp := path + ".tmp"
	err := os.WriteFile(temp, content, 0o600)
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, Remove(temp))
	}
	return nil
}
