package bunt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

func tempPath(dir string) string { return filepath.Join(dir, tempName) }

// makeDir creates the data directory, and takes what others may do in it away
// from one that is ours already, and from the files in it.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, dirMode); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), fileName) {
			continue
		}
		if err := tighten(filepath.Join(dir, e.Name()), fileMode); err != nil {
			return err
		}
	}
	return tighten(dir, dirMode)
}

// tighten gives path the mode if others have rights on it and it is ours. A
// directory with the sticky bit (/tmp) is everybody's on purpose.
func tighten(path string, mode fs.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	special := info.Mode()&(fs.ModeSticky|fs.ModeSymlink) != 0
	if info.Mode().Perm()&^dirMode == 0 || special || !isOwn(info) {
		return nil
	}
	return os.Chmod(path, mode)
}

// writeFile writes a new file and makes its content durable. On an error
// nothing is left of it.
func writeFile(o Options, path string, fill func(*bufio.Writer) error) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(file, 1<<16)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = syncFile(o, file)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", filepath.Base(path), err), os.Remove(path))
	}
	return nil
}

// install gives what was written at temp the name path, durably.
func install(o Options, temp, path string) error {
	if err := os.Rename(temp, path); err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return syncDir(o, filepath.Dir(path))
}

// syncFile makes all of a file durable, metadata too.
func syncFile(o Options, file *os.File) error {
	if o.Sync != nil {
		return o.Sync(file)
	}
	return file.Sync()
}

// syncDir makes what was created, renamed or removed in dir durable.
func syncDir(o Options, dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	sync := syncDirectory
	if o.Sync != nil {
		sync = o.Sync
	}
	return errors.Join(sync(d), d.Close())
}

// writeCommands writes meta and entries as BuntDB does.
func writeCommands(w io.Writer, metaValue string, entries []entry) error {
	if err := writeCommand(w, keyMeta, metaValue); err != nil {
		return err
	}
	for _, e := range entries {
		if err := writeCommand(w, opKey(e.seq), e.value); err != nil {
			return err
		}
	}
	return nil
}

func writeCommand(w io.Writer, key, value string) error {
	_, err := fmt.Fprintf(w, "%s$%d\r\n%s\r\n$%d\r\n%s\r\n", setMarker, len(key), key, len(value), value)
	return err
}

// commandSize returns how many bytes writeCommand writes.
func commandSize(key, value string) int64 {
	const fixed = len(setMarker) + 2*len("$\r\n\r\n")
	digits := len(strconv.Itoa(len(key))) + len(strconv.Itoa(len(value)))
	return int64(fixed + digits + len(key) + len(value))
}
