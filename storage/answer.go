package storage

import "time"

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
