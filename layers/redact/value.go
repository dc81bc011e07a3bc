package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
)

// Field redacts the value of a named field, such as an attribute or a key of
// JSON. The name may be the label that the value lacks: in a field "wifi
// password" the value "swordfish" is a secret as a whole. Kinds are as in Redact.
func Field(name, value string) (clean string, kinds []string) {
	clean, kinds = Redact(value)
	if clean != value || placeholderMark.MatchString(value) {
		return clean, kinds
	}
	seenName, _ := unmask(name)
	seen, _ := unmask(value)
	l, ok := labelOf(seenName.text)
	if !ok || !l.shape.accepts(candidate{end: len(seen.text), value: seen.text, form: quoted}) {
		return clean, nil
	}
	return mark(l.kind), []string{l.kind}
}

// Value redacts a decoded JSON value: every string in it, every key, and the
// numbers that are cards or stand under a label ("pin": 4821), which become
// strings. It returns a copy and the kinds as Redact does. Values of other
// types than those of encoding/json are returned as they are.
func Value(v any) (any, []string) {
	clean, kinds := valueOf("", v)
	return clean, distinct(kinds)
}

// valueOf redacts v, which stands under the name.
func valueOf(name string, v any) (any, []string) {
	switch v := v.(type) {
	case string:
		return fieldOf(name, v)
	case json.Number:
		return numberOf(name, v, v.String())
	case float64:
		return numberOf(name, v, strconv.FormatFloat(v, 'f', -1, 64))
	case int, int64, uint64:
		return numberOf(name, v, fmt.Sprint(v))
	case []any:
		return listOf(name, v)
	case map[string]any:
		return objectOf(name, v)
	}
	return v, nil
}

// fieldOf is Field with its answer as any.
func fieldOf(name, value string) (any, []string) { return Field(name, value) }

// numberOf keeps the number v unless its digits are a secret.
func numberOf(name string, v any, digits string) (any, []string) {
	clean, kinds := Field(name, digits)
	if len(kinds) == 0 {
		return v, nil
	}
	return clean, kinds
}

// listOf redacts the elements of a list; all of them stand under its name.
func listOf(name string, list []any) (any, []string) {
	var kinds []string
	out := make([]any, len(list))
	for i, v := range list {
		clean, found := valueOf(name, v)
		out[i], kinds = clean, append(kinds, found...)
	}
	return out, kinds
}

// objectOf redacts keys and values. Keys are taken in order, so that two keys
// that become the same are told apart by the same numbers every time.
func objectOf(name string, object map[string]any) (any, []string) {
	var kinds []string
	out := make(map[string]any, len(object))
	for _, key := range slices.Sorted(maps.Keys(object)) {
		cleanKey, found := Redact(key)
		clean, more := valueOf(nameOf(name, key, object), object[key])
		kinds = append(append(kinds, found...), more...)
		out[unused(out, cleanKey)] = clean
	}
	return out, kinds
}

// nameOf returns the label under which the value of key stands: the key, or,
// for {"name": "password", "value": ...}, the name that the object gives, or
// that of the object itself.
func nameOf(name, key string, object map[string]any) string {
	if key != "value" {
		return key
	}
	for _, naming := range []string{"attribute", "key", "label", "name"} {
		if given, ok := object[naming].(string); ok {
			return given
		}
	}
	return name
}

// unused returns key, with a number behind it where out has it already.
func unused(out map[string]any, key string) string {
	name := key
	for n := 2; ; n++ {
		if _, taken := out[name]; !taken {
			return name
		}
		name = key + " " + strconv.Itoa(n)
	}
}
