package bunt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mcp-memory/storage"
)

// holder finds who has the store. It asks for a shared lock and gives it back at
// once: a start that meets it tries again.
func (d *Diagnosis) holder(path string) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return
	}
	lock := flock.New(path, flock.SetPermissions(fileMode))
	free, err := lock.TryRLock()
	if err == nil && free {
		err = lock.Unlock()
	}
	switch {
	case err != nil:
		d.fail(path, "it cannot be locked, so that no server can start: "+err.Error(),
			"give it and the directory to the user whose memory it is (chown, chmod 600), or, with no server running, remove it")
	case !free:
		d.Holder = readHolder(path)
	}
}

// writable looks whether a server could write the store's file.
func (d *Diagnosis) writable(path string) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = file.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.fail(path, "no server can write it: "+err.Error(), "give it to the user whose memory it is (chown, chmod 600)")
	}
}

// ours reports whether a name in the data directory is one that mcp-memory gives.
func ours(name string) bool {
	return slices.ContainsFunc([]string{"memory.", "vectors-", "graph-", backupsFolder}, func(start string) bool {
		return strings.HasPrefix(name, start)
	})
}

// files looks at modes, owners and what was left lying about.
func (d *Diagnosis) files(_ context.Context, o Options) error {
	all, err := listFiles(o.Dir)
	if err != nil {
		return err
	}
	for _, f := range all {
		d.mode(f)
		name := filepath.Base(f.path)
		switch {
		case f.leftover() && d.Holder == "":
			d.warn(f.path, "a process that was killed left it", "the next start or --repair removes it")
		case strings.HasPrefix(name, fileName+".damaged-"):
			d.note(f.path, fmt.Sprintf("a damaged store, %d bytes, kept as it was found; mcp-memory never removes it", f.info.Size()),
				"remove it once nothing of it is needed any more")
		}
	}
	return nil
}

// ownFile is a file of ours in the data directory.
type ownFile struct {
	path string
	info fs.FileInfo
}

// listFiles lists the data directory itself, what is ours in it, and its backups.
func listFiles(dir string) ([]ownFile, error) {
	var all []ownFile
	add := func(path string) error {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was there a moment ago
		}
		if err == nil {
			all = append(all, ownFile{path, info})
		}
		return err
	}
	if err := add(dir); err != nil {
		return nil, err
	}
	for folder, wanted := range map[string]func(string) bool{
		dir:                               ours,
		filepath.Join(dir, backupsFolder): func(string) bool { return true },
	} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !wanted(e.Name()) {
				continue
			}
			if err := add(filepath.Join(folder, e.Name())); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(all, func(a, b ownFile) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// backupPatience is how old a half-written backup must be to be a killed one's:
// backups are written without the lock.
const backupPatience = time.Hour

// leftover reports whether nobody needs the file where nobody has the store.
func (f ownFile) leftover() bool {
	if f.info.Mode()&fs.ModeSocket != 0 {
		return true
	}
	if filepath.Base(filepath.Dir(f.path)) == backupsFolder {
		return strings.HasSuffix(f.path, backupTemp) && time.Since(f.info.ModTime()) > backupPatience
	}
	return f.info.Mode().IsRegular() && slices.Contains([]string{".tmp", ".next"}, filepath.Ext(f.path))
}

// loose reports whether others have rights on the file that they should not have.
func (f ownFile) loose() bool {
	special := f.info.Mode()&(fs.ModeSticky|fs.ModeSymlink) != 0
	return f.info.Mode().Perm()&^dirMode != 0 && !special && isOwn(f.info)
}

func (d *Diagnosis) mode(f ownFile) {
	if runtime.GOOS == "windows" { // access is not in the mode there
		return
	}
	if !isOwn(f.info) {
		d.warn(f.path, "it belongs to another user than the one who asks", "give it to the user whose memory it is (chown)")
	}
	if f.loose() {
		d.warn(f.path, fmt.Sprintf("others may use it: its mode is %04o", f.info.Mode().Perm()), "--repair takes that away")
	}
}

const (
	// roomBeside is what must be free beside a second copy of the store, which a
	// compaction writes, in bytes.
	roomBeside = 32 << 20
	// noRoom is from where on, in bytes, a write is about to fail.
	noRoom = 1 << 20
)

// space looks at the disk.
func (d *Diagnosis) space(_ context.Context, o Options) error {
	free, known := freeBytes(o.Dir)
	if !known {
		return nil
	}
	d.Free = free
	need := fileSize(filepath.Join(o.Dir, fileName)) + roomBeside
	switch {
	case free < noRoom:
		d.fail(o.Dir, fmt.Sprintf("the disk is full: %d bytes are free, what is to be remembered may be refused", free), "free some space")
	case free < need:
		d.warn(o.Dir, fmt.Sprintf("the disk is nearly full: %d bytes are free, a compaction may take %d", free, need), "free some space")
	}
	return nil
}

// copies verifies the backups that are listed or lie in the data directory.
func (d *Diagnosis) copies(ctx context.Context, o Options) error {
	lines, bad, err := readList(o.Dir)
	if err != nil {
		return err
	}
	if bad > 0 {
		d.warn(filepath.Join(o.Dir, backupsName), plural(bad, "line", "lines")+" cannot be read: an erase may not reach a backup",
			"see where your backups are")
	}
	paths, err := backupFiles(o.Dir)
	if err != nil {
		return err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, backupTemp) {
			continue // see files
		}
		found, err := verify(ctx, path)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, fs.ErrNotExist) && lines[path].State == copyBegun {
			continue
		}
		away := errors.Is(err, fs.ErrNotExist) && !lines[path].gone(o.Dir)
		d.Backups = append(d.Backups, d.judgeCopy(path, found, err, away))
	}
	return nil
}

func (d *Diagnosis) judgeCopy(path string, found Contents, err error, away bool) Copy {
	aside := strings.HasPrefix(filepath.Base(path), replacedName)
	if err == nil && !found.Sealed && !aside {
		err = notWhole(path, "it has no end")
	}
	c := Copy{Path: path, State: "sound", Contents: found}
	switch {
	case err == nil && aside:
		d.note(path, "a store that a restore replaced", "remove it once nothing of it is needed any more")
	case err == nil:
		if d.Store != nil && !d.Store.Created.Equal(found.Created) {
			d.note(path, fmt.Sprintf("a backup of another store than the one here, begun on %s", found.Created.Format(time.DateOnly)),
				"if that is the memory that should be here, mcp-memory restore brings it back")
		}
	case away:
		c.State = "away"
		d.note(path, "a backup that was made here cannot be reached, for its folder or disk is not there: receipts of erases name it",
			"connect the disk; the next erase reaches it. If it is no more, remove its lines from "+backupsName)
	case errors.Is(err, fs.ErrNotExist):
		c.State = "missing"
		d.note(path, "a backup that was made here was deleted or moved: an erase does not reach it where it is now", "")
	case IsNewer(err):
		c.State = "newer"
		d.warn(path, err.Error(), "")
	case errors.Is(err, storage.ErrCorrupt) && aside:
		c.State = "damaged"
		d.note(path, err.Error(), "it was damaged when it was replaced; remove it once nothing of it is needed any more")
	case errors.Is(err, storage.ErrCorrupt):
		c.State = "damaged"
		d.fail(path, err.Error(), "make a new backup and remove this one")
	default:
		c.State = "unreadable"
		d.warn(path, err.Error(), "")
	}
	return c
}
