package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// schema is the part of JSON Schema that the tools' inputs are written in.
type schema struct {
	Type       string     `json:"type"`
	Enum       []string   `json:"enum"`
	Minimum    *float64   `json:"minimum"`
	Maximum    *float64   `json:"maximum"`
	MinItems   int        `json:"minItems"`
	MaxItems   int        `json:"maxItems"` // 0: no limit
	Items      *schema    `json:"items"`
	Properties properties `json:"properties"` // none: an open object
}

// properties are an object's, in the order of the file, which is the order
// that messages list them in.
type properties struct {
	names []string
	of    map[string]*schema
}

// UnmarshalJSON reads the members of a JSON object in order.
func (p *properties) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, &p.of); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return err
		}
		p.names = append(p.names, name.(string))
		var skipped json.RawMessage
		if err := dec.Decode(&skipped); err != nil {
			return err
		}
	}
	return nil
}

// mustSchema parses a schema that is part of the program.
func mustSchema(data []byte) *schema {
	s := new(schema)
	if err := json.Unmarshal(data, s); err != nil {
		panic(fmt.Sprintf("parse an embedded schema: %v", err))
	}
	return s
}

// describe says what the schema takes, to follow "x is".
func (s *schema) describe() string {
	switch {
	case len(s.Enum) == 1:
		return fmt.Sprintf("%q", s.Enum[0])
	case len(s.Enum) > 1:
		return "one of " + strings.Join(s.Enum, ", ")
	case s.Type == "integer":
		return "a whole number" + s.bounds()
	case s.Type == "number":
		return "a number" + s.bounds()
	case s.Type == "boolean":
		return "true or false"
	case s.Type == "array" && s.Items.Type == "object":
		return "an array of objects"
	case s.Type == "array" && len(s.Items.Enum) > 0:
		return "an array of " + strings.Join(s.Items.Enum, ", ")
	case s.Type == "array":
		return "an array of strings"
	case s.Type == "object":
		return "an object"
	}
	return "a string"
}

func (s *schema) bounds() string {
	if s.Minimum == nil || s.Maximum == nil {
		return ""
	}
	return fmt.Sprintf(" from %.0f to %.0f", *s.Minimum, *s.Maximum)
}
