package extract

import (
	"encoding/json"
	"fmt"
	"strings"

	"mcp-memory/storage"
)

// detailKind is what a field of detail holds.
type detailKind string

const (
	detailText  detailKind = "text"
	detailList  detailKind = "list"
	detailUnit  detailKind = "unit"  // 0 to 1
	detailTime  detailKind = "time"  // RFC 3339 or a date, that a turn supports
	detailSince detailKind = "since" // words, or a date that a turn supports
)

// detailField is a field of a layer's detail (design.md §4). choices are the only
// values of a text, where there are any.
type detailField struct {
	name    string
	kind    detailKind
	choices []string
}

// detailFields are the fields of each layer's detail. What else a model writes is
// left out.
var detailFields = map[storage.Layer][]detailField{
	storage.Activity: {
		{"narrative", detailText, nil}, {"type", detailText, nil},
		{"status", detailText, []string{"planned", "ongoing", "completed", "cancelled", "on_hold"}},
		{"starts_at", detailTime, nil}, {"ends_at", detailTime, nil}, {"timezone", detailText, nil},
		{"participants", detailList, nil}, {"locations", detailList, nil}, {"feedback", detailText, nil},
	},
	storage.Context: {
		{"situation", detailText, nil}, {"status", detailText, nil}, {"labels", detailList, nil},
		{"impact", detailUnit, nil}, {"urgency", detailUnit, nil},
	},
	storage.Experience: {
		{"key_learning", detailText, nil}, {"situation", detailText, nil}, {"reasoning", detailText, nil},
		{"action", detailText, nil}, {"outcome", detailText, nil}, {"confidence", detailUnit, nil},
	},
	storage.Identity: {
		{"description", detailText, nil}, {"relationship", detailText, nil}, {"role", detailText, nil},
		{"type", detailText, []string{"professional", "personal", "demographic"}}, {"since", detailSince, nil},
	},
	storage.Preference: {
		{"directive", detailText, nil}, {"scope", detailList, nil}, {"strength", detailUnit, nil},
		{"applies_when", detailText, nil}, {"not_when", detailText, nil}, {"suggestions", detailList, nil},
	},
}

// detailWords describes the fields for a prompt; no layer means all.
func detailWords(layer storage.Layer) string {
	if layer == "" {
		var all []string
		for _, l := range singleLayers {
			all = append(all, string(l)+" "+detailWords(l))
		}
		return strings.Join(all, "; ")
	}
	words := make([]string, len(detailFields[layer]))
	for i, f := range detailFields[layer] {
		words[i] = f.words()
	}
	return "{" + strings.Join(words, ", ") + "}"
}

func (f *detailField) words() string {
	switch {
	case len(f.choices) > 0:
		return fmt.Sprintf("%s (%s)", f.name, strings.Join(f.choices, "|"))
	case f.kind == detailUnit:
		return f.name + " (0 to 1)"
	case f.kind == detailList:
		return f.name + "[]"
	}
	return f.name
}

// The schemas are of the strict kind: each object names all its fields, all are
// required, and what may be absent may be null.
const (
	nullText   = `{"type":["string","null"]}`
	nullNumber = `{"type":["number","null"]}`
	textList   = `{"type":"array","items":{"type":"string"}}`
)

func (f *detailField) schema() string {
	switch f.kind {
	case detailUnit:
		return nullNumber
	case detailList:
		return textList
	}
	if len(f.choices) > 0 {
		return fmt.Sprintf(`{"type":["string","null"],"enum":["%s",null]}`, strings.Join(f.choices, `","`))
	}
	return nullText
}

// property is a field of an object's schema.
type property struct{ name, schema string }

// objectSchema is the schema of an object with these fields and no others.
func objectSchema(properties []property) string {
	var names, fields []string
	for _, p := range properties {
		names = append(names, `"`+p.name+`"`)
		fields = append(fields, `"`+p.name+`":`+p.schema)
	}
	return fmt.Sprintf(`{"type":"object","additionalProperties":false,"required":[%s],"properties":{%s}}`,
		strings.Join(names, ","), strings.Join(fields, ","))
}

// memorySchema is the schema of a layer's memory: the text first, from which the rest
// follows.
func memorySchema(layer storage.Layer) string {
	var detail []property
	for _, f := range detailFields[layer] {
		detail = append(detail, property{f.name, f.schema()})
	}
	return objectSchema([]property{
		{"turn", `{"type":["integer","null"]}`}, {"quote", nullText}, {"text", `{"type":"string"}`},
		{"entity", nullText}, {"attribute", nullText}, {"value", nullText},
		{"category", fmt.Sprintf(`{"type":["string","null"],"enum":["%s",null]}`, strings.Join(modelCategories, `","`))},
		{"reason", nullText}, {"importance", `{"type":"integer"}`}, {"confidence", `{"type":"number"}`},
		{"valid_from", nullText}, {"valid_to", nullText}, {"tags", textList}, {"detail", objectSchema(detail)},
	})
}

func memoriesSchema(layer storage.Layer) string {
	return `{"type":"array","items":` + memorySchema(layer) + `}`
}

func layerSchema(layer storage.Layer) json.RawMessage {
	return json.RawMessage(objectSchema([]property{{"memories", memoriesSchema(layer)}}))
}

func singleSchema() json.RawMessage {
	var all []property
	for _, layer := range singleLayers {
		all = append(all, property{string(layer), objectSchema([]property{
			{"reasoning", `{"type":"string"}`}, {"should_extract", `{"type":"boolean"}`}, {"memories", memoriesSchema(layer)},
		})})
	}
	return json.RawMessage(objectSchema(all))
}
