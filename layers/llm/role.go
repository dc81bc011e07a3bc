package llm

// Role is what a model is asked for.
type Role string

// The roles. Those of the layers are the layers' names.
const (
	Gate       Role = "gate"
	Activity   Role = "activity"
	Context    Role = "context"
	Experience Role = "experience"
	Identity   Role = "identity"
	Preference Role = "preference"
	Single     Role = "single"  // gate and extraction in one call
	Summary    Role = "summary" // of what was recalled
)

// Roles lists every role.
var Roles = []Role{Gate, Activity, Context, Experience, Identity, Preference, Single, Summary}
