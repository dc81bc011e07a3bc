package storage

import "time"

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
