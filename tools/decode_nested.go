package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// array decodes an array. An empty one counts as not given, but where the
// schema asks for at least one item.
func (d *decoder) array(s *schema, v any, path string) (any, error) {
	items, err := d.items(s, v, path)
	if err != nil {
		return nil, err
	}
	if len(items) < s.MinItems {
		return nil, bad(path+" is empty", path+" has at least one item, or is left out")
	}
	if s.MaxItems > 0 && len(items) > s.MaxItems {
		return nil, bad(fmt.Sprintf("%s has %d items", path, len(items)), fmt.Sprintf("%s has at most %d; split the call", path, s.MaxItems))
	}
	if len(items) == 0 {
		return nil, nil
	}
	if s.Items.Type == "object" {
		return decodeEach[arguments](d, s.Items, items, path)
	}
	return decodeEach[string](d, s.Items, items, path)
}

// items returns the members of v: an array, a JSON text of one, or a lone
// string where strings are asked.
func (d *decoder) items(s *schema, v any, path string) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case string:
		if strings.HasPrefix(strings.TrimSpace(v), "[") {
			inner, err := d.parse(v, path)
			if items, ok := inner.([]any); ok || err != nil {
				return items, err
			}
		}
		if s.Items.Type == "string" {
			return []any{v}, nil
		}
	}
	return nil, d.wrong(s, v, path)
}

func decodeEach[T any](d *decoder, s *schema, items []any, path string) (any, error) {
	out := make([]T, len(items))
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		v, err := d.value(s, item, at)
		if err != nil {
			return nil, err
		}
		typed, ok := v.(T)
		if !ok {
			return nil, d.wrong(s, item, at)
		}
		out[i] = typed
	}
	return out, nil
}

// object decodes an object: member by member where the schema names them, as
// it is where it is open.
func (d *decoder) object(s *schema, v any, path string) (any, error) {
	if text, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(text), "{") {
		inner, err := d.parse(text, path)
		if err != nil {
			return nil, err
		}
		v = inner
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, d.wrong(s, v, d.place(path))
	}
	if len(s.Properties.names) == 0 {
		return d.open(m, path)
	}
	if d.name == "extract" && strings.HasPrefix(path, "messages[") {
		m = messageShape(m)
	}
	if err := s.unknown(d.place(path), m); err != nil {
		return nil, err
	}
	prefix := ""
	if path != "" {
		prefix = path + "."
	}
	out := make(arguments, len(m))
	for _, name := range s.Properties.names {
		decoded, err := d.value(s.Properties.of[name], m[name], prefix+name)
		if err != nil {
			return nil, err
		}
		if decoded != nil {
			out[name] = decoded
		}
	}
	return out, nil
}

// place names an object in a message.
func (d *decoder) place(path string) string {
	if path == "" {
		return d.name
	}
	return path
}

// parse decodes JSON that came as a string.
func (d *decoder) parse(text, path string) (any, error) {
	v, broken, err := parseJSON([]byte(text))
	if err != nil {
		return nil, unparsed("the contents of "+d.place(path), err)
	}
	d.broken = d.broken || broken
	return v, nil
}

// open checks the text in an open object and returns its JSON, with its members
// sorted and null members left out: null is what was not given.
func (d *decoder) open(m map[string]any, path string) (any, error) {
	if err := d.walk(m, path); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return nil, fmt.Errorf("encode %s: %w", path, err)
	}
	return json.RawMessage(bytes.TrimSpace(b.Bytes())), nil
}

func (d *decoder) walk(v any, path string) error {
	switch v := v.(type) {
	case string:
		return d.readable(v, path)
	case []any:
		for i, item := range v {
			if err := d.walk(item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if err := d.readable(name, path); err != nil {
				return err
			}
			if v[name] == nil {
				delete(v, name)
				continue
			}
			if err := d.walk(v[name], path+"."+oneLine(name, 64)); err != nil {
				return err
			}
		}
	}
	return nil
}
