package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// inDir lists the files of a folder whose names match a pattern; none where there is
// no folder. filepath.Glob would read the folder's own name as a pattern too, and
// take a folder that cannot be read for an empty one.
func inDir(dir, pattern string) (paths []string, err error) {
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

// behind is the file that path names: where it is a symbolic link, to a larger disk,
// what that leads to. That is written anew then, and not the link replaced, which
// would leave the old bytes where they are.
func behind(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path // it leads nowhere
}

// removeIfThere removes a file, or the link that has the name.
func removeIfThere(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// removeBehind removes a file, and where it is a link first what that leads to.
func removeBehind(path string) error {
	if real := behind(path); real != path {
		if err := removeIfThere(real); err != nil {
			return err
		}
	}
	return removeIfThere(path)
}
