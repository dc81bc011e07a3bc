package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// saved is a conversation as ChatGPT (mapping) and Claude (chat_messages) export it, or
// a file of several.
type saved struct {
	Messages      json.RawMessage      `json:"messages"`
	ChatMessages  json.RawMessage      `json:"chat_messages"`
	Conversations []json.RawMessage    `json:"conversations"`
	Mapping       map[string]savedNode `json:"mapping"`
	CurrentNode   string               `json:"current_node"`
}

// savedNode is a message in the tree that ChatGPT keeps: what was written anew is a
// branch of it.
type savedNode struct {
	Message  json.RawMessage `json:"message"`
	Parent   string          `json:"parent"`
	Children []string        `json:"children"`
}

// savedTurns reads an exported conversation. found is false where an object is none.
func savedTurns(raw json.RawMessage, loc *time.Location) (turns []Turn, found bool, err error) {
	var s saved
	if json.Unmarshal(raw, &s) != nil {
		return nil, false, nil
	}
	switch {
	case isList(s.Messages):
		turns, err = listTurns(s.Messages, loc)
	case isList(s.ChatMessages):
		turns, err = listTurns(s.ChatMessages, loc)
	case len(s.Mapping) > 0:
		turns, err = s.branch(loc)
	case len(s.Conversations) > 0:
		return savedList(s.Conversations, loc)
	default:
		return nil, false, nil
	}
	return turns, true, err
}

func isList(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// savedList reads the conversations of an export, one after another. found is false
// where one of them is none.
func savedList(list []json.RawMessage, loc *time.Location) (turns []Turn, found bool, err error) {
	for i, one := range list {
		more, ok, err := savedTurns(one, loc)
		if err != nil {
			return nil, true, fmt.Errorf("conversation %d: %w", i+1, err)
		}
		if !ok {
			return nil, false, nil
		}
		turns = append(turns, more...)
	}
	return turns, len(list) > 0, nil
}

// branch reads the messages of the branch that is shown: up from its last message, or,
// where the export does not say which that is, down from the first and always on to what
// was written last.
func (s *saved) branch(loc *time.Location) (turns []Turn, err error) {
	var path []string
	if _, ok := s.Mapping[s.CurrentNode]; ok {
		path = s.up(s.CurrentNode)
	} else {
		path = s.down()
	}
	for _, id := range path {
		message := s.Mapping[id].Message
		if len(message) == 0 || message[0] != '{' { // the root has none
			continue
		}
		turn, found, err := messageTurn(message, loc)
		if err != nil {
			return nil, fmt.Errorf("message %q: %w", id, err)
		}
		if found && turn.Content != "" {
			turns = append(turns, turn)
		}
	}
	return turns, nil
}

func (s *saved) up(id string) (path []string) {
	for len(path) <= len(s.Mapping) { // one that is its own ancestor has no end
		node, ok := s.Mapping[id]
		if !ok {
			break
		}
		path = append(path, id)
		id = node.Parent
	}
	slices.Reverse(path)
	return path
}

func (s *saved) down() (path []string) {
	id := ""
	for one, node := range s.Mapping {
		if _, ok := s.Mapping[node.Parent]; !ok && (id == "" || len(node.Children) > len(s.Mapping[id].Children) || len(node.Children) == len(s.Mapping[id].Children) && one < id) {
			id = one
		}
	}
	for len(path) <= len(s.Mapping) {
		node, ok := s.Mapping[id]
		if !ok {
			break
		}
		path = append(path, id)
		if len(node.Children) == 0 {
			break
		}
		id = node.Children[len(node.Children)-1]
	}
	return path
}

// IsSaved reports whether a text is JSON of saved messages, whether it can be read or
// not: a list, an object or lines of objects that say who speaks and what.
func IsSaved(text string) bool {
	raw := json.RawMessage(strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")))
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		line, _, _ := strings.Cut(string(raw), "\n")
		list = []json.RawMessage{raw, json.RawMessage(line)}
	}
	return slices.ContainsFunc(list, func(one json.RawMessage) bool {
		var keys map[string]json.RawMessage
		if json.Unmarshal(one, &keys) != nil {
			return false
		}
		has := func(key string) bool { return keys[key] != nil }
		speaks := slices.ContainsFunc([]string{"role", "author", "sender", "sender_name"}, has) && slices.ContainsFunc(wordsKeys, has)
		return speaks || isList(keys["messages"]) || isList(keys["chat_messages"]) || has("mapping") && string(keys["mapping"]) != "{}" && keys["mapping"][0] == '{' && has("title")
	})
}

// readable are the texts of a content that holds parts of kinds that nobody knows: those
// of the known ones. ok is false where it is no content at all.
func readable(raw json.RawMessage) (text string, ok bool) {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return "", len(raw) > 0 && raw[0] == '{'
	}
	var texts []string
	for _, one := range list {
		if s, err := ParseContent(one); err == nil && s != "" {
			texts = append(texts, s)
		}
	}
	return strings.Join(texts, "\n"), true
}
