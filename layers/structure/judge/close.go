package judge

import (
	"slices"
	"time"

	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
)

// closes reports whether a statement ends what is current of a kind: by the
// kind, by naming the old object, or by being the one value of a slot of that
// kind. An empty kind asks that nothing else is ended.
func closes(got structure.Statement, kind string) bool {
	if kind == "" {
		return len(got.Closes) == 0 && len(got.Displaces) == 0
	}
	attribute := slot.Canonical(got.Attribute)
	return slices.Contains(got.Closes, kind) || len(got.Displaces) > 0 ||
		!attribute.Multi && slices.Contains(slot.Kinds(attribute, got.Value), kind)
}

// over reports whether a statement does not come out as current.
func over(got structure.Statement, observed time.Time) bool {
	ended := !got.ValidTo.IsZero() && !got.ValidTo.After(observed)
	return ended || got.Polarity == "-" || slot.None(got.Value)
}
