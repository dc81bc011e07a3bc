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
	"errors"
	"fmt"
	"time"
)

// Errors of every store. They come wrapped with what was tried.
var (
	// ErrNotFound says that no record has the id.
	ErrNotFound = errors.New("not found")
	// ErrLocked says that another process holds the store.
	ErrLocked = errors.New("store is held by another process")
	// ErrCorrupt says that bytes on disk are not what was written and could
	// not be salvaged.
	ErrCorrupt = errors.New("store is damaged")
	// ErrReadOnly says that an earlier write could not be made durable and the
	// store takes no more until that is repaired.
	ErrReadOnly = errors.New("store is read-only")
	// ErrUnavailable says that a write failed and left nothing behind; it may
	// be tried again (a full disk, for one).
	ErrUnavailable = errors.New("store is unavailable")
	// ErrClosed says that the store was closed.
	ErrClosed = errors.New("store is closed")
	// ErrTooLarge says that an operation is over the store's limit.
	ErrTooLarge = errors.New("too large")
	// ErrConflict says that an operation does not fit the state it is applied
	// to (an id that exists, a record that does not).
	ErrConflict = errors.New("conflict")
)

// NewerError says that a store or a backup was written by a later program, in a
// format version above those that this one reads. It was left as it is.
type NewerError struct{ Found, Reads int }

// Error names both versions.
func (e NewerError) Error() string {
	return fmt.Sprintf("the store has format version %d, this program reads up to %d: use a newer mcp-memory", e.Found, e.Reads)
}

// LinkError says that the store's file is a symbolic link. It was left as it is: a
// rewrite would put a file in the link's place and leave the old one, with all that
// was said, where it points.
type LinkError struct {
	Name, Target string
	Dangling     bool // the target is not there
}

// Error names both, and what helps.
func (e LinkError) Error() string {
	if e.Dangling {
		return fmt.Sprintf("%s is a link to %s, which is not there: connect the disk with the store, or remove the link to begin anew", e.Name, e.Target)
	}
	return fmt.Sprintf("%s is a link to %s, which an erase would not reach: move that file into the data directory, or make the whole directory the link", e.Name, e.Target)
}

// Reinforcement is the same statement said again at its own time.
type Reinforcement struct {
	ID         string    `json:"id"` // of the record that is reinforced
	ObservedAt time.Time `json:"observed_at"`
	ValidFrom  time.Time `json:"valid_from,omitzero"`
	RecordedAt time.Time `json:"recorded_at"`
	Confidence float64   `json:"confidence"`
	Trust      Trust     `json:"trust"`
	Tags       []string  `json:"tags,omitempty"` // those to add
	Source     Source    `json:"source,omitzero"`
}

// Tombstone keeps of a forgotten record what outlives its content: the keyed
// hashes by which its slot's order, its source and its text are known again.
// It travels with the forget, so that purging the content later needs no
// knowledge of slots. Times, confidence, trust and beside stay in the record.
type Tombstone struct {
	ID          string   `json:"id"`
	ProjectHash string   `json:"project_hash,omitempty"` // of an erased record, which keeps no project's name
	Entity      string   `json:"entity,omitempty"`       // only "user"
	EntityHash  string   `json:"entity_hash,omitempty"`  // otherwise
	Attribute   string   `json:"attribute,omitempty"`    // canonical
	ObjectHash  string   `json:"object_hash,omitempty"`
	ValueHash   string   `json:"value_hash,omitempty"` // tells whether it was said that this value ended
	None        bool     `json:"none,omitempty"`       // its value was "none"
	Closes      []string `json:"closes,omitempty"`     // ids and kinds that it ends
	SourceHash  string   `json:"source_hash,omitempty"`
	MessageHash []string `json:"message_hash,omitempty"`
	TextHash    string   `json:"text_hash,omitempty"`
}

// Forget takes records out of recall.
type Forget struct {
	Receipt string      `json:"receipt"` // ULID
	Reason  string      `json:"reason,omitempty"`
	Records []Tombstone `json:"records"`
	Erase   *Erase      `json:"erase,omitempty"` // nil: soft
	More    bool        `json:"more,omitempty"`  // of a receipt that an earlier operation began, for what one cannot hold
	Ahead   *Ahead      `json:"ahead,omitempty"` // what operations after this one take
	Last    bool        `json:"last,omitempty"`  // of what was announced nothing follows
}

// Ahead announces a forget that one operation cannot hold, before the first takes
// anything: where not all of them come, the next start takes the rest.
type Ahead struct {
	IDs        []string `json:"ids"`
	Of         int      `json:"of"`                    // how many are announced in all; where fewer are, nothing was taken
	All        bool     `json:"all,omitempty"`         // an erase of all: turns and the words of jobs go too
	SourceHash string   `json:"source_hash,omitempty"` // likewise of this source
}

// Answer is what a call with an idempotency key was answered, kept so that a
// retry gets the same. Body is opaque to the store, and of the key it keeps a keyed
// hash, but for a brief answer's: given in place of the key, that names the same.
type Answer struct {
	Key   string    `json:"key"`
	Hash  string    `json:"hash"` // of the call's content
	Body  []byte    `json:"body"`
	At    time.Time `json:"at"`
	Brief bool      `json:"brief,omitempty"` // counts for BriefLife only
}

// BriefLife is how long a brief answer counts: a call is sent again within
// seconds, when the process that was to answer it has died.
const BriefLife = 10 * time.Minute

// Op is one operation: the unit that is durable as a whole. Any of its parts
// may be empty; they apply in the order of the fields. All records belong to
// User.
type Op struct {
	User      string          `json:"user"`
	At        time.Time       `json:"at"` // later than every earlier op's, and not before the times within
	Put       []Record        `json:"-"`
	Reinforce []Reinforcement `json:"reinforce,omitempty"`
	Withdraw  []string        `json:"withdraw,omitempty"` // ids: undo of a supersede
	Forget    *Forget         `json:"forget,omitempty"`
	Restore   []string        `json:"restore,omitempty"` // ids: undo of a forget, back to live or withdrawn
	Answer    *Answer         `json:"answer,omitempty"`
	Hear      []Turn          `json:"hear,omitempty"`
	Read      []Reading       `json:"read,omitempty"`
	Jobs      []Job           `json:"jobs,omitempty"`
	Seen      []string        `json:"seen,omitempty"`    // keyed hashes of messages that were extracted
	Answers   []Answer        `json:"answers,omitempty"` // in place of earlier ones, whose words were erased
	Erased    []Erased        `json:"erased,omitempty"`  // erases that are done with this operation
}

// Entry is a record and what became of it.
type Entry struct {
	Record
	Reinforced  []Reinforcement // in the order they were recorded
	WithdrawnAt time.Time       // zero: not withdrawn
	ForgottenAt time.Time       // zero: not forgotten
	Receipt     string          // of the forget
	RestoredAt  time.Time       // when it was last brought back; zero: never
	Erased      bool            // forgotten for good, whether or not the content has left the file yet
	Purged      bool            // forgotten for good: content is gone, Tombstone remains
	Tombstone   *Tombstone      // set while forgotten
}

// Live reports whether the entry is neither withdrawn nor forgotten.
func (e *Entry) Live() bool { return e.WithdrawnAt.IsZero() && e.ForgottenAt.IsZero() }

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
	// retention and is not beyond DoneJobs, in the order they were first stored, until fn returns an error,
	// which it returns.
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
