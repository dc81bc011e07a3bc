package storage

import (
	"context"
	"strconv"
	"time"
)

// Erase makes a forget one that cannot be undone: what it names is gone from
// then on, and its bytes leave every file of the store with the rewrite that
// [Store.Erase] begins. Until that is committed it is an open intent, which the
// next start finishes.
type Erase struct {
	// Turns are keyed hashes (domain "turn", of [TurnWord]) of the turns that go
	// along: those that the records were made of, or that hold their words.
	Turns []string `json:"turns,omitempty"`
	// All says that it takes all of the user's, SourceHash (domain "source") that it
	// takes all of a source: also what only a copy of the store holds, since a restore
	// went back past it.
	All        bool   `json:"all,omitempty"`
	SourceHash string `json:"source_hash,omitempty"`
}

// TurnWord names a turn of a session for its keyed hash.
func TurnWord(session string, seq int64) string {
	return session + "\x00" + strconv.FormatInt(seq, 10)
}

// Erased says how an erase ended. It holds no content, and stays for ever.
type Erased struct {
	Receipt  string          `json:"receipt"`
	Verified bool            `json:"verified"`
	Checked  map[string]bool `json:"checked"` // by area: nothing is left there
	// Unreached are files that may still hold something, with the reason.
	Unreached []string `json:"unreached,omitempty"`
	// Gone are backups that are not where they were made any more: deleted, or moved
	// to where nobody looks for them.
	Gone    []string `json:"gone,omitempty"`
	Related int      `json:"related,omitempty"` // other records that hold the same words
}

// Receipt is a forget as it is kept: ids, never what they said.
type Receipt struct {
	ID     string
	At     time.Time
	Reason string // of a soft forget whose records have their content
	IDs    []string
	Erase  bool
	// All and SourceHash are those of an erase.
	All        bool      `json:",omitzero"`
	SourceHash string    `json:",omitzero"`
	Ended      *Erased   // nil: not an erase, or an open one
	EndedAt    time.Time // zero likewise
	Ahead      *Ahead    // what was announced, as long as not all of it came; nil otherwise
	Restored   int       // how many of the records were brought back
}

// Payload is what must be in no file once records were erased.
type Payload struct {
	User   string
	IDs    []string
	Words  []string // whole texts and quotes
	Values []string // values: they tell only where they are a record's whole value
	Terms  []string // long words of all these, by which damaged stretches are judged

	// What follows is asked of copies alone, which may hold what the store let go of.
	At   time.Time                // of the erase: what was said later stays
	All  bool                     // whatever the user said until then goes
	Turn func(t *Turn) bool       // whether a turn goes; nil: by the words alone
	Job  func(body []byte) bool   // whether a job holds what goes; likewise
	Of   func(source string) bool // whether all of a source goes; nil: of none
}

// Finding is what a search of a store's files found of a payload.
type Finding struct {
	Store   bool     // a record, an answer or a reason holds some of it
	Working bool     // a turn does
	Jobs    bool     // a job does
	Files   []string // other files that do, or may: they could not be read or rewritten; each with the reason
	Gone    []string // backups that were deleted, or moved
	Related []string // ids of the user's other records that hold the same words
}

// Rewriting is a store's file written anew without what is to be erased. It
// takes the file's place with Commit, and leaves nothing behind with Abandon.
type Rewriting interface {
	// Find reads the new file, and every other one of the store, and reports what
	// they hold of a payload.
	Find(ctx context.Context, p Payload) (Finding, error)
	// Commit puts the new file in place with ops as its newest operations: all are
	// durable, or nothing is. Other calls wait only for what came since the file was
	// written. Errors: those of Apply; ErrUnavailable also where the erase is to be
	// begun again.
	Commit(ctx context.Context, ops []Op) error
	// Sweep looks, after Commit, for copies of the store that were made while the
	// file was rewritten, and erases in them too. It names those that it could not
	// reach, with the reason.
	Sweep(ctx context.Context) (unreached []string)
	// Abandon removes the new file; after Commit it does nothing.
	Abandon()
}
