package layers

import (
	"encoding/json"

	"mcp-memory/layers/gatekeeper"
	"mcp-memory/layers/llm"
)

// Message is one turn of a conversation as a caller gives it.
type Message struct {
	ID      string
	Role    string // user, assistant, system or tool; default user
	Name    string
	Content json.RawMessage // text, or the parts that chat APIs send
	Time    string          // as given; its offset is kept
}

// ExtractInput is a call of extract. A nil pointer or empty value is an argument
// that was not given.
type ExtractInput struct {
	Messages   []Message
	Text       string
	Source     string // chat, email, document, …
	SourceID   string
	SessionID  string
	Flush      bool
	Layers     []string // those that may be extracted; default all five
	Force      bool     // the gate is not asked
	Language   string   // that models write memories in, a tag or a name; rules keep the words
	Project    *string
	ObservedAt string // of messages without a time
	DryRun     bool
	Wait       *bool // default true
	JobID      string
	Call       Call

	// Sampler asks the model of the caller's client, in place of Options.Models; it
	// is used while the caller waits, and never after. Where it is nil though it is
	// set to be used, NoSampler says why.
	Sampler   llm.Caller
	NoSampler string
}

// Modes of the gate.
const (
	GateNone       = "none" // not called: no event, or nothing to read
	GateRules      = "rules"
	GateModel      = "model"
	GateSampling   = "sampling"
	GateForced     = "forced"
	GateFailedOpen = "failed_open" // it failed, so every layer ran
	GateSingleCall = "single_call"
)

// Statuses of a job.
const (
	JobQueued   = "queued"
	JobRunning  = "running"
	JobComplete = "complete"
	JobPartial  = "partial" // some layers failed
	JobFailed   = "failed"
)

// Statuses of a layer.
const (
	LayerExtracted = "extracted"
	LayerSkipped   = "skipped"
	LayerError     = "error"
)

// GateOutput says what the gate decided.
type GateOutput struct {
	Mode       string                        `json:"mode"`
	Layers     map[string]gatekeeper.Verdict `json:"layers"`
	Model      string                        `json:"model"`
	DurationMS int64                         `json:"duration_ms"`
}

// LayerOutput says what became of a layer.
type LayerOutput struct {
	Status     string   `json:"status"`
	Memories   []string `json:"memories"` // ids; texts in a dry run
	Error      string   `json:"error"`
	Model      string   `json:"model"`
	DurationMS int64    `json:"duration_ms"`
}

// Dropped is what was not kept, and why.
type Dropped struct {
	Text   string `json:"text"`
	Reason string `json:"reason"`
}

// ExtractCounts sum a job up.
type ExtractCounts struct {
	Stored     int `json:"stored"` // those that superseded too
	Superseded int `json:"superseded"`
	Reinforced int `json:"reinforced"`
	Dropped    int `json:"dropped"`
	Errors     int `json:"errors"`
	Unread     int `json:"unread"`     // turns of the session that wait for an event
	GateCalls  int `json:"gate_calls"` // of rules or of a model
	ModelCalls int `json:"model_calls"`
	CallsSaved int `json:"calls_saved"` // against one call a layer and turn
}

// ExtractOutput is the answer of extract, and what a job holds in the end.
type ExtractOutput struct {
	JobID   string                 `json:"job_id"` // "" where no job was begun: a dry run, a turn that woke no gate
	Status  string                 `json:"status"`
	Gate    GateOutput             `json:"gate"`
	Layers  map[string]LayerOutput `json:"layers"`
	Dropped []Dropped              `json:"dropped"`
	Counts  ExtractCounts          `json:"counts"`
	TraceID string                 `json:"trace_id"`
}
