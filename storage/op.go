package storage

import "time"

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
