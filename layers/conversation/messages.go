package conversation

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// ErrNoMessages is of a transcript in which nobody says anything.
var ErrNoMessages = errors.New("no messages in it; want JSON objects with role and content, as a list, under \"messages\" or one a line, or text with lines such as \"Anna: …\"")

// ParseTranscript reads a saved conversation: a JSON list of messages, an object
// that has them under "messages", what ChatGPT and Claude export, a message a line (lines of a program's log that
// hold none, and the messages of such lines, are understood), else plain text as
// ParseText reads it. A message has role and content in the shapes that ParseContent
// reads; id, name and time where it has them. What chat programs export has a sender in
// place of a role. Messages without words are left out.
func ParseTranscript(raw []byte, loc *time.Location) ([]Turn, error) {
	raw = bytes.TrimPrefix(raw, []byte("\ufeff"))
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not valid UTF-8: want text or JSON")
	}
	turns, err := parseTranscript(bytes.TrimSpace(raw), loc)
	if err == nil && len(turns) == 0 {
		err = ErrNoMessages
	}
	return turns, err
}

func parseTranscript(raw []byte, loc *time.Location) ([]Turn, error) {
	switch {
	case len(raw) == 0:
		return nil, nil
	case raw[0] == '[' && json.Valid(raw):
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) == nil {
			if turns, found, err := savedList(list, loc); found {
				return turns, err
			}
		}
		return listTurns(raw, loc)
	case raw[0] == '{' && json.Valid(raw):
		if turns, found, err := savedTurns(raw, loc); found {
			return turns, err
		}
		return lineTurns(raw, loc)
	case raw[0] == '{':
		return lineTurns(raw, loc)
	}
	return ParseText(string(raw), loc), nil
}

// message is one of a saved conversation, in the words of several programs.
type message struct {
	ID      word            `json:"id"`
	UUID    word            `json:"uuid"`
	Role    string          `json:"role"`
	Sender  string          `json:"sender"`
	Author  json.RawMessage `json:"author"`
	Name    string          `json:"name"`
	Content json.RawMessage `json:"content"`
	Text    json.RawMessage `json:"text"`
	stamps
	Message json.RawMessage `json:"message"` // of a line of a log
}

// stamps are when a message was written.
type stamps struct {
	Time       word `json:"time"`
	Timestamp  word `json:"timestamp"`
	CreatedAt  word `json:"created_at"`
	CreateTime word `json:"create_time"`
}

func (s *stamps) first() string {
	return firstOf(string(s.Time), string(s.Timestamp), string(s.CreatedAt), string(s.CreateTime))
}

// word is a string, or a number as it is written; "" for null and what is neither.
type word string

// UnmarshalJSON implements json.Unmarshaler.
func (w *word) UnmarshalJSON(raw []byte) error {
	*w = word(chatMessage{"w": raw}.word("w"))
	return nil
}

func listTurns(raw json.RawMessage, loc *time.Location) (out []Turn, err error) {
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, errors.New("messages are not a list")
	}
	missing, named := 0, false // the first message of nobody; whether people are named
	for i, one := range list {
		if string(one) == "null" {
			continue
		}
		turn, found, err := messageTurn(one, loc)
		switch {
		case err != nil:
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		case !found:
			missing = cmp.Or(missing, i+1)
		case turn.Content != "":
			out = append(out, turn)
		}
		named = named || found && turn.Name != ""
	}
	if missing > 0 && !named { // what a chat's program says has no sender
		return nil, fmt.Errorf("message %d: it has no role; want role (user, assistant, system or tool) and content, or who sent it", missing)
	}
	latestFirst(out)
	return out, nil
}

// maxLine bounds a line, in bytes.
const maxLine = 16 << 20

// lineTurns reads a message a line; a line without one is left out.
func lineTurns(raw []byte, loc *time.Location) (out []Turn, err error) {
	lines := bufio.NewScanner(bytes.NewReader(raw))
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		turn, found, err := messageTurn(line, loc)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if found && turn.Content != "" {
			out = append(out, turn)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("a line is over %d MiB: %w", maxLine>>20, err)
	}
	return out, nil
}

// messageTurn reads a message, or the one that a line of a log holds. found is
// false where there is none.
func messageTurn(raw json.RawMessage, loc *time.Location) (t Turn, found bool, err error) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		if !hasRole(raw) { // a sender that is an object, a time that is a number
			t, found = chatTurn(raw, loc)
			return t, found, nil
		}
		return t, false, fmt.Errorf("it is no JSON object of a message: %s", jsonFault(err))
	}
	if len(m.Message) > 0 && m.Message[0] == '{' {
		inner := message{ID: m.ID, UUID: m.UUID, stamps: m.stamps}
		if err := json.Unmarshal(m.Message, &inner); err != nil {
			return t, false, fmt.Errorf("its message is none: %s", jsonFault(err))
		}
		m = inner
	}
	m.authored()
	role := firstOf(m.Role, m.Sender)
	known, ok := roleNames[strings.ToLower(role)]
	if role == "developer" { // who tells the assistant what it is
		known, ok = System, true
	}
	if m.Role == "" && !ok {
		t, found = chatTurn(raw, loc)
		return t, found, nil
	}
	if !ok {
		return t, false, fmt.Errorf("role %q is not one of user, assistant, system, tool", role)
	}
	t = Turn{ID: firstOf(string(m.ID), string(m.UUID)), Role: known, Name: m.Name}
	if _, role := roleNames[strings.ToLower(m.Sender)]; known == User && t.Name == "" && !role {
		t.Name = m.Sender
	}
	if t.Content, err = m.said(); err != nil {
		return t, false, err
	}
	t.Time, err = m.at(loc)
	return t, err == nil, err
}

// authored takes the role and the name of an author that is an object, as ChatGPT's
// exports have one.
func (m *message) authored() {
	var author struct {
		Role string `json:"role"`
		Name string `json:"name"`
	}
	if m.Role == "" && json.Unmarshal(m.Author, &author) == nil && author.Role != "" {
		m.Role, m.Name = author.Role, firstOf(m.Name, author.Name)
	}
}

// said is what a message says: its content, or its text where that holds none. Parts of
// kinds that nobody knows are left out.
func (m *message) said() (string, error) {
	for _, content := range []json.RawMessage{m.Content, m.Text} {
		s, err := ParseContent(content)
		if err != nil {
			rest, ok := readable(content)
			if !ok {
				return "", err
			}
			s = rest
		}
		if s = strings.TrimSpace(s); s != "" {
			return s, nil
		}
	}
	return "", nil
}

// at is when a message was written, zero where that is not known.
func (m *message) at(loc *time.Location) (time.Time, error) {
	written := m.first()
	if written == "" {
		return time.Time{}, nil
	}
	at := chatTime(written, loc)
	if _, err := strconv.ParseFloat(written, 64); err != nil && at.IsZero() {
		return at, fmt.Errorf("time %q is not RFC 3339, such as 2026-05-04T09:30:00Z", written)
	}
	return at, nil
}

// hasRole reports whether a message says its role, or is no object at all.
func hasRole(raw json.RawMessage) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(raw, &m) != nil || m["role"] != nil || m["message"] != nil && m["message"][0] == '{'
}

// jsonFault says what is wrong without the words of the line.
func jsonFault(err error) string {
	var form *json.UnmarshalTypeError
	if errors.As(err, &form) {
		return fmt.Sprintf("%s is a %s", firstOf(form.Field, "it"), form.Value)
	}
	return "it is not well-formed JSON"
}

func firstOf(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return ""
}
