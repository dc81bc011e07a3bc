package bunt

// Severity says how much a finding matters.
type Severity string

// The severities. A store with a warning or an error is not healthy.
const (
	Note    Severity = "note"    // good to know
	Warning Severity = "warning" // nothing is lost, but something is not as it should be
	Error   Severity = "error"   // something is lost or will not open
)

// Finding is one thing that was found, and what to do about it.
type Finding struct {
	Severity Severity `json:"severity"`
	Path     string   `json:"path"`
	Text     string   `json:"text"`
	Advice   string   `json:"advice"` // "" where there is nothing to do
}
