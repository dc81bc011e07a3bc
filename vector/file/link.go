package file

import (
	"io/fs"
	"os"
	"path/filepath"

	"mcp-memory/internal/files"
)

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

// removeBehind removes a file, and where it is a link first what that leads to.
func removeBehind(path string) error {
	if real := behind(path); real != path {
		if err := files.Remove(real); err != nil {
			return err
		}
	}
	return files.Remove(path)
}
