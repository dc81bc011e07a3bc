package storage

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
