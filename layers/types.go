package layers

import (
	"encoding/json"
	"time"

	"mcp-memory/storage"
)

// Statuses of a remembered memory.
const (
	StatusStored     = "stored"     // new, and current unless it is of the future
	StatusReinforced = "reinforced" // the same as the record named
	StatusHistory    = "history"    // stored, older than what is current
	StatusDuplicate  = "duplicate"  // same idempotency key, or same live source and text
	StatusRejected   = "rejected"   // on_conflict: reject
)

// What remember does when a statement contradicts what is current.
const (
	OnConflictSupersede = "supersede"
	OnConflictKeepBoth  = "keep_both"
	OnConflictReject    = "reject"
)

// Renderings of recall.
const (
	FormatItems   = "items"
	FormatContext = "context"
	FormatSummary = "summary"
)

// Memorandum is one memory as a caller gives it. A nil pointer, a zero time or
// an empty string is a field that was not given.
type Memorandum struct {
	Text       string
	Layer      storage.Layer
	Tier       storage.Tier
	Entity     string
	Attribute  string
	Value      string
	Category   string
	Reason     string
	Tags       []string
	Importance *int
	Confidence *float64
	ObservedAt string // as given: RFC 3339, or a date; read in the set zone
	ValidFrom  string
	ValidTo    string
	Project    *string // nil: the default project of the setting
	SourceID   string
	SessionID  string
	Speaker    string
	Role       string
	Quote      string
	Detail     json.RawMessage // a JSON object
}

// RememberInput is a call of remember. Batch says that the caller sent
// memories[], so that errors name memories[i].
type RememberInput struct {
	Memories       []Memorandum
	Batch          bool
	OnConflict     string
	IdempotencyKey string
	Call           Call `json:"-"` // no part of the content
}

// Remembered is the answer for one memory, in the order of the input.
type Remembered struct {
	ID         string   `json:"id"` // "" where rejected
	Status     string   `json:"status"`
	Text       string   `json:"text"` // cut at 256 bytes
	Layer      string   `json:"layer"`
	Tier       string   `json:"tier"`
	Entity     string   `json:"entity"`
	Attribute  string   `json:"attribute"`
	Value      string   `json:"value"`
	Supersedes []string `json:"supersedes"`
	Redacted   []string `json:"redacted"`
	Note       string   `json:"note"`
}

// RememberOutput is the answer of remember.
type RememberOutput struct {
	Memories []Remembered `json:"memories"`
}

// RecallInput is a call of recall. A nil pointer or empty value is an argument
// that was not given.
type RecallInput struct {
	Query             string
	Limit             *int // 1 to 100; default 10, with IDs their number
	Layers            []string
	Tiers             []string
	Entity            string
	Attribute         string
	Tags              []string
	Project           *string
	Since             string
	Until             string
	AsOf              string
	KnownAt           string
	IncludeSuperseded bool
	SessionID         string
	IDs               []string
	MinScore          *float64 // 0 to 1
	MaxTokens         *int
	Format            string
	Explain           bool
	Cursor            string
}

// MatchSource is where a match comes from.
type MatchSource struct {
	ID      string `json:"id"`
	Session string `json:"session"`
	Speaker string `json:"speaker"`
	Role    string `json:"role"`
	Quote   string `json:"quote"`
}

// Match is one recalled record.
type Match struct {
	ID           string             `json:"id"`
	Text         string             `json:"text"`
	Truncated    bool               `json:"truncated"`
	Layer        string             `json:"layer"`
	Tier         string             `json:"tier"`
	Entity       string             `json:"entity"`
	Attribute    string             `json:"attribute"`
	Value        string             `json:"value"`
	Category     string             `json:"category"`
	Reason       string             `json:"reason"`
	Importance   int                `json:"importance"`
	Confidence   float64            `json:"confidence"`
	Detail       json.RawMessage    `json:"detail"` // {} where none
	Project      string             `json:"project"`
	Score        float64            `json:"score"`       // 0 to 1
	Raw          float64            `json:"-"`           // what matches are ordered by
	ObservedAt   string             `json:"observed_at"` // RFC 3339 UTC; "" where absent, as below
	ValidFrom    string             `json:"valid_from"`
	ValidTo      string             `json:"valid_to"`
	SupersededBy string             `json:"superseded_by"`
	Reinforced   int                `json:"reinforced"`
	Trust        string             `json:"trust"`
	Source       MatchSource        `json:"source"`
	Tags         []string           `json:"tags"`
	Flags        []string           `json:"flags"`   // instruction_like, withdrawn, superseded, ended, future
	Signals      map[string]float64 `json:"signals"` // vector, keyword, slot, time, type, window; {} unless explain
}

// WorkingTurn is one turn of a session's working memory.
type WorkingTurn struct {
	Role    string `json:"role"`
	Speaker string `json:"speaker"`
	Text    string `json:"text"`
	Time    string `json:"time"`
}

// Upcoming is a planned activity that is near.
type Upcoming struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	StartsAt string `json:"starts_at"`
}

// RecallOutput is the answer of recall.
type RecallOutput struct {
	Matches        []Match       `json:"matches"`
	Working        []WorkingTurn `json:"working"`
	Upcoming       []Upcoming    `json:"upcoming"`
	Context        string        `json:"context"`
	Candidates     int           `json:"candidates"`
	BelowThreshold int           `json:"below_threshold"`
	Note           string        `json:"note"`
	NextCursor     string        `json:"next_cursor"`
}

// ForgetInput is a call of forget.
type ForgetInput struct {
	IDs       []string
	Query     string
	Entity    string
	Attribute string
	Tags      []string
	SourceID  string
	Layers    []string
	Before    string
	Project   *string
	All       bool
	Mode      string // soft, or erase
	DryRun    bool
	Confirm   string
	Undo      bool
	Reason    string
	Call      Call
}

// Forgotten names one record that a forget matched.
type Forgotten struct {
	ID   string `json:"id"`
	Text string `json:"text"` // cut at 200 bytes
}

// Receipt proves a forget.
type Receipt struct {
	ID       string `json:"id"`
	Verified bool   `json:"verified"`
	// Checked says of each area that nothing is there: after a soft forget store and
	// keyword, that nothing is recalled from there; after an erase also vector,
	// working, jobs and files, that no byte is left.
	Checked   map[string]bool `json:"checked"`
	Unreached []string        `json:"unreached"` // files that may still hold something, with the reason
}

// ForgetOutput is the answer of forget.
type ForgetOutput struct {
	Matched      []Forgotten `json:"matched"` // the first 50
	MatchedCount int         `json:"matched_count"`
	Forgotten    int         `json:"forgotten"`
	Restored     int         `json:"restored"` // by undo: brought back or withdrawn
	Mode         string      `json:"mode"`
	Related      []string    `json:"related"`
	Receipt      Receipt     `json:"receipt"`
	Confirm      string      `json:"confirm"`
	UndoUntil    string      `json:"undo_until"`
	Note         string      `json:"note"`
}

// RecordView is a record with its chain, for memory://record/{id} and history.
type RecordView struct {
	Record Match   `json:"record"`
	Chain  []Match `json:"chain"` // the slot's statements, oldest first; forgotten ones left out; [] without a slot
	// Omitted counts older statements that the chain leaves out for its size.
	Omitted int `json:"omitted"`
}

// TimelineView is the history of an entity.
type TimelineView struct {
	Entity     string          `json:"entity"`
	Attributes []AttributeView `json:"attributes"`
}

// AttributeView is the history of one slot of an entity.
type AttributeView struct {
	Project    string  `json:"project"`
	Attribute  string  `json:"attribute"`
	Statements []Match `json:"statements"` // oldest first
	Omitted    int     `json:"omitted"`    // older statements left out for their size
}

// StatsView describes the running memory, for memory://stats and stats.
type StatsView struct {
	Role       string         `json:"role"` // of the asking process: owner, or attached to it
	OwnerPID   int            `json:"owner_pid"`
	Differ     []string       `json:"settings_differ,omitempty"` // settings of the asking process that do not count: the owner's do
	Version    string         `json:"version"`
	Dir        string         `json:"dir"`
	Records    int            `json:"records"` // live ones of the asking user
	Current    int            `json:"current"`
	History    int            `json:"history"` // superseded, or their time is over
	Forgotten  int            `json:"forgotten"`
	Users      int            `json:"users"`
	ByLayer    map[string]int `json:"by_layer"`
	FileBytes  int64          `json:"file_bytes"`
	Goroutines int            `json:"goroutines"` // of the owner's process

	Embedder       string  `json:"embedder"`                 // its model; off
	EmbedderError  string  `json:"embedder_error,omitempty"` // why it does not answer
	Embedded       int     `json:"vectors"`                  // records that have a vector
	VectorsPending int     `json:"vectors_pending"`          // records that wait for one
	VectorsRate    float64 `json:"vectors_per_second"`
	VectorEngine   string  `json:"vector_engine"` // that answers
	VectorRecall   float64 `json:"vector_recall"` // recall@10 against the exact scan, by samples; -1: not known
	VectorNote     string  `json:"vector_note,omitempty"`

	LLM        string `json:"llm"`         // whether extract asks models: off, openai, sampling
	ModelCalls int64  `json:"model_calls"` // since the start
	CallsSaved int64  `json:"calls_saved"` // turns that woke no gate, since the start

	Salvage *storage.Salvage `json:"salvage"` // null: nothing had to be repaired
}

// DefaultUser is the user of a server without tokens.
const DefaultUser = "default"

// undoWindow is how long a soft forget can be undone, and how long an
// idempotency key is kept.
const undoWindow = 30 * 24 * time.Hour
