package storage

import "time"

// Turn is one message of a session, as it was heard: what it said, but no
// secrets. A session's turns have numbers that grow by one.
type Turn struct {
	Session string    `json:"session"`
	Seq     int64     `json:"seq"` // from 1
	ID      string    `json:"id,omitempty"`
	Source  string    `json:"source,omitempty"`
	Role    string    `json:"role,omitempty"`
	Speaker string    `json:"speaker,omitempty"`
	Text    string    `json:"text"`
	Time    time.Time `json:"time,omitzero"`  // when it was said, with the offset it was given in
	Heard   time.Time `json:"heard"`          // when it was received
	Note    bool      `json:"note,omitempty"` // step state that was noted, not said: never extracted
}

// Reading moves a session's marks forward: turns before Unread were extracted or
// need not be, those before Keep left working memory. A mark never moves back. A
// turn that lies before both is gone.
type Reading struct {
	Session string `json:"session"`
	Unread  int64  `json:"unread,omitempty"`
	Keep    int64  `json:"keep,omitempty"`
	Next    int64  `json:"next,omitempty"` // numbering goes on from here, also where the last turn was erased
}

// Session is what is left of a conversation.
type Session struct {
	User   string
	ID     string
	Turns  []Turn // ascending by Seq
	Unread int64  // the first turn that was not extracted
	Keep   int64  // the first turn of working memory
	Next   int64  // the number of the next turn
}

// Job is a piece of work that outlives the call that asked for it. A job replaces
// the earlier one of its id.
type Job struct {
	ID   string `json:"id"`             // ULID
	Open bool   `json:"open,omitempty"` // it is not finished
	Done bool   `json:"done,omitempty"` // it is, and nothing of it can be run again: only the newest DoneJobs of a user are kept
	Body []byte `json:"body"`           // opaque to the store
}

// DoneJobs is how many jobs that are done a store keeps of a user, some 2 kB each.
const DoneJobs = 1000
