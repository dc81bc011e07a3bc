// Package storage defines what a memory store keeps and promises.
//
// A store is a log of operations and the pure fold of them. [Op] is the unit
// of durability: it is applied as a whole or not at all, and once Apply has
// returned nil it survives a kill or a power loss at any byte. The package is a
// leaf: it knows records, not what they mean. Which of two statements is
// current is decided above, from the times and the order that are kept here.
package storage

import (
	"context"
	"time"
)

// Salvage tells what opening had to repair, or that it found a store gone.
type Salvage struct {
	Lost     string `json:"lost,omitempty"` // what tells that a store was there, of which nothing is left; then a new one was begun
	Kept     int    `json:"kept"`           // operations read
	Dropped  int    `json:"dropped"`        // damaged stretches left out
	Bytes    int64  `json:"bytes"`          // their size
	Original string `json:"original"`       // where the damaged file was kept, if it was
}

// Stats describes a store.
type Stats struct {
	Records   int // live, superseded or withdrawn: whatever still has its content
	Tombs     int // purged
	FileBytes int64
	Salvage   *Salvage // nil: nothing had to be repaired
}

// Store keeps operations. It is safe for concurrent use; Apply calls are
// serialised by the store.
type Store interface {
	// Apply makes op durable and visible, or returns an error and does
	// neither. Errors: ErrConflict, ErrTooLarge, ErrUnavailable, ErrReadOnly,
	// ErrClosed.
	Apply(ctx context.Context, op Op) error
	// Get returns the entry with the id, whatever its state. Errors:
	// ErrNotFound, ErrClosed.
	Get(ctx context.Context, id string) (Entry, error)
	// Scan calls fn for every entry in the order they were recorded, until fn
	// returns an error, which it returns.
	Scan(ctx context.Context, fn func(Entry) error) error
	// Answer returns what was answered to user's idempotency key, if that was
	// within the retention the store was opened with, or within BriefLife where
	// the answer is brief. Error: ErrNotFound.
	Answer(ctx context.Context, user, key string) (Answer, error)
	// Answers calls fn for every answer of user's that Answer returns, in no order,
	// until fn returns an error, which it returns.
	Answers(ctx context.Context, user string, fn func(Answer) error) error
	// Receipt returns the ids that user's forget with that receipt took.
	// Error: ErrNotFound.
	Receipt(ctx context.Context, user, receipt string) ([]string, error)
	// Receipts calls fn for every receipt of every user in the order of time, until
	// fn returns an error, which it returns.
	Receipts(ctx context.Context, fn func(user string, r Receipt) error) error
	// Erase writes the store's file anew without the content of all erases that
	// are open, beside the running store, and first every other file of it that
	// may hold some of the payloads. Errors: ErrUnavailable, ErrReadOnly,
	// ErrClosed.
	Erase(ctx context.Context, payloads []Payload) (Rewriting, error)
	// Sessions calls fn for every session, in no order, until fn returns an error,
	// which it returns.
	Sessions(ctx context.Context, fn func(Session) error) error
	// Jobs calls fn for every job that is open, or was finished within the
	// retention and is not beyond DoneJobs, in the order they were first stored,
	// until fn returns an error, which it returns.
	Jobs(ctx context.Context, fn func(user string, job Job) error) error
	// Job returns user's job with the id. Error: ErrNotFound.
	Job(ctx context.Context, user, id string) (Job, error)
	// Seen reports whether one of user's operations held the hash.
	Seen(user, hash string) bool
	// Last returns the At of the newest operation; zero for an empty store.
	Last() time.Time
	// Hash returns the keyed hash (hex) of a word in a domain ("entity",
	// "text", ...). The key is the store's own and never leaves it.
	Hash(domain, word string) string
	// Stats describes the store.
	Stats() Stats
	// Close releases the store. Further calls return ErrClosed.
	Close() error
}
