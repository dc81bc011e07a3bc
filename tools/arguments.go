package tools

import (
	"encoding/json"

	"mcp-memory/storage"
)

// arguments are decoded arguments by name; what was not given is not there.
// Their types are those the schema asks for, so a getter of the right type
// cannot fail.
type arguments map[string]any

func (a arguments) has(name string) bool { _, ok := a[name]; return ok }

func (a arguments) text(name string) string { v, _ := a[name].(string); return v }

func (a arguments) flag(name string) bool { v, _ := a[name].(bool); return v }

func (a arguments) texts(name string) []string { v, _ := a[name].([]string); return v }

func (a arguments) objects(name string) []arguments { v, _ := a[name].([]arguments); return v }

func (a arguments) open(name string) json.RawMessage { v, _ := a[name].(json.RawMessage); return v }

func (a arguments) layer(name string) storage.Layer { return storage.Layer(a.text(name)) }

// optional returns the value as a pointer; nil if it was not given.
func optional[T comparable](a arguments, name string) *T {
	v, ok := a[name].(T)
	if !ok {
		return nil
	}
	return &v
}

// word returns a string as a pointer; nil if it was not given or is empty.
func (a arguments) word(name string) *string {
	if a.text(name) == "" {
		return nil
	}
	return optional[string](a, name)
}
