// Package gatekeeper decides for each layer whether a conversation holds anything
// worth extracting, and says why.
package gatekeeper

import "mcp-memory/storage"

// Verdict is the decision for one layer.
type Verdict struct {
	ShouldExtract bool   `json:"should_extract"`
	Reasoning     string `json:"reasoning"`
}

// Verdicts are the decisions for the five layers.
type Verdicts map[storage.Layer]Verdict

// Layers are the five that the gate decides about, in their order.
var Layers = []storage.Layer{storage.Activity, storage.Context, storage.Experience, storage.Identity, storage.Preference}
