package llm

import (
	"bytes"
	"encoding/json"
	"errors"
)

// maxWraps bounds how many objects lie around an answer: {"result": {"data": …}}.
const maxWraps = 3

// objects returns what may be the answer in a model's text, the likeliest first. Where
// the answer has a list (r.List), the lists that stand in the text are one: models give
// one object for each item, one item without its list, the list without its object, or
// an object around it under a name of their own.
func (r *Request) objects(s string) ([]json.RawMessage, error) {
	found, err := values(s)
	if r.List == "" {
		found = objectsOf(found)
		if len(found) > 0 {
			err = nil
		}
		return found, err
	}
	if errors.Is(err, errCutObject) && len(found) > 0 && r.isWhole(found[0]) {
		err = nil // what follows the answer is prose
	}
	var items []json.RawMessage
	listed := false
	for _, value := range found {
		if more, ok := r.items(value, maxWraps); ok {
			items, listed = append(items, more...), true
		}
	}
	switch {
	case listed && !errors.Is(err, errCutObject):
		list := append(append([]byte("["), bytes.Join(raws(items), []byte(","))...), ']')
		object, err := json.Marshal(map[string]json.RawMessage{r.List: list})
		return []json.RawMessage{object}, err
	case errors.Is(err, errCutObject):
		return nil, err
	}
	if found = objectsOf(found); len(found) > 0 {
		return found[:1], nil
	}
	return nil, err
}

// isWhole reports whether a value has the answer's list under its name.
func (r *Request) isWhole(value json.RawMessage) bool {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(value, &members) // a list has none
	_, ok := member(members, r.List)
	return ok
}

func raws(items []json.RawMessage) [][]byte {
	all := make([][]byte, len(items))
	for i, item := range items {
		all[i] = item
	}
	return all
}

// objectsOf are the objects among values, and what lies within one that holds nothing
// else, behind it.
func objectsOf(values []json.RawMessage) (objects []json.RawMessage) {
	for _, value := range values {
		for range maxWraps {
			if value[0] != '{' {
				break
			}
			objects = append(objects, value)
			inner, ok := only(value)
			if !ok {
				break
			}
			value = inner
		}
	}
	return objects
}

// only is the one member of an object with one.
func only(object json.RawMessage) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || len(members) != 1 {
		return nil, false
	}
	for _, value := range members {
		return value, true
	}
	return nil, false
}

// items are what a value gives for the answer's list. ok is false where it is no such
// value.
func (r *Request) items(value json.RawMessage, wraps int) (items []json.RawMessage, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil && value[0] == '[' {
		return r.itemsOf(list, wraps)
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil {
		return nil, false
	}
	if named, ok := member(members, r.List); ok {
		return listed(named, r.Item)
	}
	if r.isItem(members) {
		return []json.RawMessage{value}, true
	}
	inner, ok := only(value)
	if !ok || wraps == 0 || bytes.Equal(inner, []byte("[]")) { // an empty list of anything
		return nil, false
	}
	return r.items(inner, wraps-1)
}

func (r *Request) isItem(members map[string]json.RawMessage) bool {
	_, ok := member(members, r.Item)
	return r.Item != "" && ok
}

// itemsOf are the items of a list without its object, or of the answers in it.
func (r *Request) itemsOf(list []json.RawMessage, wraps int) (items []json.RawMessage, ok bool) {
	for _, one := range list {
		var members map[string]json.RawMessage
		if json.Unmarshal(one, &members) != nil || members == nil {
			return nil, false
		}
		if !r.isWhole(one) || wraps == 0 {
			items = append(items, one)
			continue
		}
		more, ok := r.items(one, wraps-1)
		if !ok {
			return nil, false
		}
		items = append(items, more...)
	}
	return items, true
}

// listed reads what stands for a list: a list, the one item of it, or a string that
// holds either.
func listed(value json.RawMessage, item string) (items []json.RawMessage, ok bool) {
	var inner string
	if json.Unmarshal(value, &inner) == nil && json.Valid([]byte(inner)) {
		value = bytes.TrimSpace([]byte(inner))
	}
	if json.Unmarshal(value, &items) == nil && items != nil {
		return items, true
	}
	r := Request{Item: item}
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) == nil && r.isItem(members) {
		return []json.RawMessage{value}, true
	}
	return nil, false
}

// Items reads a member that is a list of objects which have the member item, in the
// forms in which models write one. ok is false where it is no list.
func Items(value json.RawMessage, item string) (items []json.RawMessage, ok bool) {
	return listed(value, item)
}
