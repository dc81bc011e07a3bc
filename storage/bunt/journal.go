package bunt

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tidwall/buntdb"

	"mcp-memory/storage"
)

// journal is the file of operations. It knows what was acknowledged: entries,
// and the length of the file that holds them.
//
// A fault makes it read-only. BuntDB is closed then, and the file cut back to
// the acknowledged length, so that a refused operation does not come back.
type journal struct {
	options   Options
	metaValue string
	name      string // of the file: the store's, or the temporary one until that takes its place

	db      *buntdb.DB // nil while there is a fault
	file    *os.File   // a descriptor of our own, to sync and cut
	size    int64      // acknowledged bytes
	live    int64      // those of meta and entries; the rest is dead
	entries []entry    // acknowledged, by number
	fault   error      // wraps storage.ErrReadOnly; nil: writable
	full    bool       // the fault is a full disk, which may pass
}

func newJournal(o Options, metaValue string) *journal {
	return &journal{options: o, metaValue: metaValue, name: fileName}
}

func (j *journal) path() string { return filepath.Join(j.options.Dir, j.name) }

// next returns the number of the next operation.
func (j *journal) next() uint64 {
	if len(j.entries) == 0 {
		return 1
	}
	return j.entries[len(j.entries)-1].seq + 1
}

// open opens a file that was found sound, and reads it. What a killed process
// wrote but did not sync is synced first.
func (j *journal) open() error {
	if err := j.attach(true); err != nil {
		return err
	}
	if err := j.list(); err != nil {
		return errors.Join(err, j.close())
	}
	return nil
}

// attach opens both descriptors. What they hold is known, or listed next.
func (j *journal) attach(sync bool) (err error) {
	if j.file, err = os.OpenFile(j.path(), os.O_RDWR, 0); err != nil {
		return err
	}
	if sync {
		err = j.sync()
	}
	if err != nil {
		return errors.Join(fmt.Errorf("sync %s: %w", j.name, err), j.close())
	}
	if j.db, err = buntdb.Open(j.path()); err != nil {
		return errors.Join(fmt.Errorf("%w: %v", storage.ErrCorrupt, err), j.close())
	}
	err = j.db.SetConfig(buntdb.Config{SyncPolicy: buntdb.Never, AutoShrinkDisabled: true})
	info, failed := j.file.Stat()
	if err := errors.Join(err, failed); err != nil {
		return errors.Join(err, j.close())
	}
	j.size = info.Size()
	return nil
}

// list takes the entries from BuntDB. They share its bytes.
func (j *journal) list() error {
	var entries []entry
	live := commandSize(keyMeta, j.metaValue)
	err := j.db.View(func(tx *buntdb.Tx) error {
		keys, err := tx.Len()
		if err != nil {
			return err
		}
		entries = make([]entry, 0, keys)
		return tx.AscendGreaterOrEqual("", keyPrefix, func(key, value string) bool {
			if seq, ok := parseKey(key); ok {
				entries = append(entries, entry{seq, value})
				live += commandSize(key, value)
			}
			return true
		})
	})
	if err != nil {
		return err
	}
	j.entries, j.live = entries, live
	return nil
}

// append writes e, and returns nil once it is durable. Errors:
// [storage.ErrUnavailable], [storage.ErrReadOnly].
func (j *journal) append(e entry) error {
	if info, err := j.file.Stat(); err == nil && isUnlinked(info) {
		return fmt.Errorf("%w: %s was deleted; what is remembered now would be lost; restart the server", storage.ErrReadOnly, j.path())
	}
	if err := j.set(e); err != nil {
		return j.failWrite(err)
	}
	if err := j.sync(); err != nil {
		return j.fail("sync", err)
	}
	j.count(e)
	return nil
}

// set writes e, durable or not.
func (j *journal) set(e entry) error {
	return update(j.db, func(tx *buntdb.Tx) error {
		_, _, err := tx.Set(opKey(e.seq), e.value, nil)
		return err
	})
}

// count takes e as acknowledged.
func (j *journal) count(e entry) {
	size := commandSize(opKey(e.seq), e.value)
	j.size, j.live = j.size+size, j.live+size
	j.entries = append(j.entries, e)
}

// errPanic says that BuntDB panicked, and may hold its own lock for ever.
var errPanic = errors.New("panic in buntdb")

// update runs fn in a transaction. A panic in fn becomes an error inside the
// transaction, for BuntDB commits when it unwinds; one of BuntDB itself becomes
// errPanic.
func update(db *buntdb.DB, fn func(*buntdb.Tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return db.Update(func(tx *buntdb.Tx) (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic in transaction: %v", p)
			}
		}()
		return fn(tx)
	})
}

func (j *journal) sync() error {
	if j.options.Sync != nil {
		return j.options.Sync(j.file)
	}
	return datasync(j.file)
}

// failWrite is for a write that failed. BuntDB has cut the file back; where it
// could not, the journal cannot be trusted to it any more.
func (j *journal) failWrite(cause error) error {
	info, err := j.file.Stat()
	if err == nil && info.Size() == j.size && !errors.Is(cause, errPanic) {
		return fmt.Errorf("%w: write %s: %w", storage.ErrUnavailable, fileName, cause)
	}
	if errors.Is(cause, errPanic) {
		j.db = nil // to close it could wait for ever
	}
	return j.fail("write", cause)
}

// fail cuts the file back to what was acknowledged and makes the journal
// read-only. After an fsync that failed it is unknown what is on disk, and a
// second fsync would not tell.
func (j *journal) fail(what string, cause error) error {
	cut := j.file.Truncate(j.size)
	if cut == nil {
		cut = j.sync()
	}
	if j.db != nil {
		cut = errors.Join(cut, j.db.Close())
		j.db = nil
	}
	j.full = isFull(cause)
	j.fault = fmt.Errorf("%w: %s %s: %w (restart mcp-memory once the disk is sound)",
		storage.ErrReadOnly, what, fileName, cause)
	if j.full {
		j.fault = fmt.Errorf("%w (%w): %s %s: %w (free some space; the next write tries again)",
			storage.ErrReadOnly, storage.ErrUnavailable, what, fileName, cause)
	}
	j.options.Log.Error("store is read-only", keyError, errors.Join(j.fault, cut))
	return j.fault
}

// lose makes the journal read-only when it is not known which file a restart
// would find, or none can be opened.
func (j *journal) lose(cause error) error {
	cause = errors.Join(cause, j.close())
	j.full = isFull(cause)
	j.fault = fmt.Errorf("%w: rewrite %s: %w (restart mcp-memory once the disk is sound)",
		storage.ErrReadOnly, fileName, cause)
	if j.full {
		j.fault = fmt.Errorf("%w (%w): rewrite %s: %w (free some space; the next write tries again)",
			storage.ErrReadOnly, storage.ErrUnavailable, fileName, cause)
	}
	return j.fault
}

// reattach opens the descriptors of a file again whose entries are known. Where
// that cannot be, the journal is read-only.
func (j *journal) reattach() error {
	if err := j.attach(false); err != nil {
		return j.lose(err)
	}
	return nil
}

// close closes both descriptors; a second close does nothing.
func (j *journal) close() error {
	var err error
	if j.db != nil {
		err = j.db.Close()
		j.db = nil
	}
	if j.file != nil {
		err = errors.Join(err, j.file.Close())
		j.file = nil
	}
	return err
}
