// Package bunt keeps a memory store in one BuntDB file.
//
// One operation is one key, checksummed, in a file that only ever grows until
// it is compacted; the state is the pure fold of the operations, held in
// memory. storage/FORMAT.md draws the bytes and says what survives which
// failure. BuntDB itself does the appending and the loading; locking,
// fsync, validation, salvage and compaction are done here, because BuntDB does
// them not, or not safely.
//
// The package does not serve several processes: the second Open of a directory
// is refused with [storage.ErrLocked]. What several processes share is the
// [Hold], which tells them which one is to open it.
package bunt

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"mcp-memory/storage"
)

const (
	fileName = "memory.db"
	tempName = fileName + ".tmp"  // written at once, as at a start
	nextName = fileName + ".next" // written while calls go on
	lockName = fileName + ".lock"

	defaultWait      = 2 * time.Second
	defaultRetention = 30 * 24 * time.Hour
	sweepEvery       = 24 * time.Hour

	// largeFile is from where on, in bytes, the garbage of loading a file is
	// worth a collection of its own.
	largeFile = 16 << 20
)

// Keys of log attributes.
const (
	keyKept     = "operations_kept"
	keyDropped  = "stretches_dropped"
	keyBytes    = "bytes"
	keyOriginal = "original"
	keyPurged   = "records_purged"
	keyError    = "error"
	keyVersion  = "version"
	keyErases   = "erases"
	keyLost     = "found"
)

// Options says where a store is and how it behaves. The zero value of each
// field but Dir is its default.
type Options struct {
	// Dir is the data directory; it is created with mode 0700.
	Dir string
	// Wait is how long Open waits for another process to let go of the store.
	// Default 2 s; negative: not at all.
	Wait time.Duration
	// Hold is the hold on Dir, where the caller has it already and keeps it.
	// Nil: Open takes it and Close lets it go.
	Hold *Hold
	// Log takes repairs and compactions, as counts. Nil discards.
	Log *slog.Logger
	// Retention is how long a forgotten record keeps its content and an answer
	// is repeated. Default 30 days.
	Retention time.Duration
	// Clock tells the time that Retention is measured against. Default
	// time.Now.
	Clock func() time.Time
	// Sync makes a file or directory durable. Nil is the system's own way; it
	// is a field so that tests can let it fail.
	Sync func(*os.File) error
}

func (o Options) withDefaults() Options {
	if o.Wait == 0 {
		o.Wait = defaultWait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Retention == 0 {
		o.Retention = defaultRetention
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	return o
}

// Store is a store in a directory. It is safe for concurrent use.
type Store struct {
	options Options
	lock    *lock // nil: the hold is the caller's
	salvage *storage.Salvage
	stop    context.CancelFunc // ends the sweeps
	swept   sync.WaitGroup     // waits for them
	grown   chan struct{}      // holds one when the file has much garbage

	compacting sync.Mutex // held while the file is written anew; taken before write
	write      sync.Mutex // serialises Apply, a rewrite's end and Close; taken before mu
	journal    *journal   // guarded by write
	compacted  int64      // size of what the last rewrite left of the file, bytes; guarded by write

	mu     sync.RWMutex // guards what follows, for readers beside a writer
	meta   meta
	state  *state // changed only under both locks
	size   int64  // of the file, bytes
	closed bool
}

var _ storage.Store = (*Store)(nil)

// Open opens the store in o.Dir, and creates it where there is none. It repairs
// what a crash or the disk left, and purges what is due. Errors:
// [storage.ErrLocked] (naming the holder), [storage.ErrCorrupt],
// [storage.NewerError], [storage.LinkError], or the file system's own.
func Open(ctx context.Context, o Options) (*Store, error) {
	o = o.withDefaults()
	if o.Dir == "" {
		return nil, errors.New("open store: no directory given")
	}
	if o.Retention < 0 {
		return nil, fmt.Errorf("open store: retention of %v is negative", o.Retention)
	}
	if err := makeDir(o.Dir); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	s := &Store{options: o, grown: make(chan struct{}, 1)}
	if o.Hold == nil {
		held, err := acquire(ctx, filepath.Join(o.Dir, lockName), o.Wait, o.Clock())
		if err != nil {
			return nil, fmt.Errorf("open store in %s: %w", o.Dir, err)
		}
		s.lock = held
	}
	if err := s.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open store in %s: %w", o.Dir, err), s.release())
	}
	s.startSweeping()
	return s, nil
}

func (s *Store) release() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.release()
}

// load repairs and reads the file, and compacts it where that is due. A
// compaction that fails costs nothing but the space: the store opens without.
func (s *Store) load(ctx context.Context) error {
	found, err := repair(ctx, s.options)
	if err != nil {
		return err
	}
	s.salvage, s.meta = found.salvage, found.meta
	s.journal = newJournal(s.options, found.metaValue)
	if err := s.journal.open(); err != nil {
		return err
	}
	if s.state, err = foldAll(s.journal.entries, s.meta.key); err != nil {
		return errors.Join(err, s.journal.close())
	}
	s.size = s.journal.size
	s.recall()
	s.leaveMark()
	s.sweep(ctx)
	if s.size > largeFile {
		debug.FreeOSMemory() // loading left as much garbage as it loaded
	}
	return nil
}

// Last returns the At of the newest operation; zero for an empty store.
func (s *Store) Last() time.Time {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.state.last
}

// Hash returns HMAC-SHA256 of domain, a NUL and word under the store's own key,
// as 64 hex digits.
func (s *Store) Hash(domain, word string) string {
	return hash(s.meta.key, domain, word)
}

func hash(key []byte, domain, word string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(domain + "\x00" + word))
	return hex.EncodeToString(mac.Sum(nil))
}

// Stats describes the store.
func (s *Store) Stats() storage.Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return storage.Stats{
		Records:   len(s.state.records) - s.state.purged,
		Tombs:     s.state.purged,
		FileBytes: s.size,
		Salvage:   s.salvage,
	}
}

// Close waits for a running Apply, closes the file and lets go of the lock.
// A second Close does nothing. Calls that return an error then return
// [storage.ErrClosed]; the others answer as of the close.
func (s *Store) Close() error {
	s.stop()
	s.swept.Wait()
	s.write.Lock()
	defer s.write.Unlock()
	if s.closed {
		return nil
	}
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.leaveMark()
	if err := errors.Join(s.journal.close(), s.release()); err != nil {
		return fmt.Errorf("close store: %w", err)
	}
	return nil
}
