package conversation

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// chatMessage is a message as chat programs export it (Telegram, Messenger, Discord,
// Slack, Signal, iMessage), each in words of its own.
type chatMessage map[string]json.RawMessage

// Keys of such messages, in the order in which they are asked.
var (
	senderKeys = []string{"sender_name", "author", "from", "sender", "speaker", "user_profile", "nickname", "username", "user", "display_name", "name", "handle"}
	nameKeys   = []string{"nickname", "global_name", "display_name", "real_name", "name", "username", "first_name", "title"} // of a sender that is an object
	wordsKeys  = []string{"content", "text", "body", "message", "msg"}
	timeKeys   = []string{"time", "timestamp", "timestamp_ms", "date", "date_unixtime", "ts", "created_at", "createdAt", "sent_at", "sentAt", "datetime"}
	ownKeys    = []string{"fromMe", "from_me", "is_from_me", "isFromMe", "outgoing"}
)

// chatTurn reads a message of a chat: a person's, or the user's own where it says so.
// found is false where nobody is named; what the program itself says is left out.
func chatTurn(raw json.RawMessage, loc *time.Location) (t Turn, found bool) {
	var m chatMessage
	if json.Unmarshal(raw, &m) != nil {
		return t, false
	}
	kind, mine := m.word("type"), m.own()
	name := m.sender()
	if name == "" && !mine {
		return t, false
	}
	t = Turn{ID: m.word("id", "uuid"), Role: User, Content: m.words(), Time: m.time(loc)}
	switch {
	case kind == "service" || kind == "system" || kind == "notification" || m.word("subtype") == "channel_join" || m.word("subtype") == "channel_leave":
		t.Content = ""
	case m.bot():
		t.Role = Tool
	case !mine:
		t.Name = name
		if role, ok := roleNames[strings.ToLower(name)]; ok {
			t.Role, t.Name = role, ""
		}
	}
	return t, true
}

// sender is who a message is from, "" where nobody is named.
func (m chatMessage) sender() string {
	for _, key := range senderKeys {
		raw := m[key]
		if len(raw) == 0 {
			continue
		}
		name := m.word(key)
		var who chatMessage
		if raw[0] == '{' && json.Unmarshal(raw, &who) == nil {
			name = who.word(nameKeys...)
		}
		if name != "" {
			return m.readable(name)
		}
	}
	return ""
}

// own reports whether a message is the user's whose export it is.
func (m chatMessage) own() bool {
	for _, key := range ownKeys {
		if s := string(m[key]); s == "true" || s == "1" {
			return true
		}
	}
	return m.word("type") == "outgoing" || m.word("direction") == "outgoing"
}

// bot reports whether a program sent it.
func (m chatMessage) bot() bool {
	var who struct {
		Bot   bool `json:"bot"`
		IsBot bool `json:"isBot"`
	}
	return m["bot_id"] != nil || json.Unmarshal(m["author"], &who) == nil && (who.Bot || who.IsBot)
}

// word is the first of some strings or numbers that is there.
func (m chatMessage) word(keys ...string) string {
	for _, key := range keys {
		var s string
		raw := m[key]
		switch {
		case len(raw) == 0:
		case raw[0] == '"' && json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) != "":
			return strings.TrimSpace(s)
		case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
			return string(raw)
		}
	}
	return ""
}

// words is what was said: a string, or a list of strings and of pieces that are set in
// another type, linked or the like.
func (m chatMessage) words() string {
	for _, key := range wordsKeys {
		if s := strings.TrimSpace(pieces(m[key])); s != "" {
			return m.readable(s)
		}
	}
	return ""
}

func pieces(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return ""
	}
	var b strings.Builder
	for _, one := range list {
		var piece struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(one, &s) == nil {
			b.WriteString(s)
		} else if json.Unmarshal(one, &piece) == nil {
			b.WriteString(piece.Text)
		}
	}
	return b.String()
}

// readable undoes what Messenger's exports do to letters beyond ASCII: each byte of
// theirs is written as a letter of Latin-1.
func (m chatMessage) readable(s string) string {
	if m["sender_name"] == nil {
		return s
	}
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s
		}
		out = append(out, byte(r))
	}
	if !utf8.Valid(out) {
		return s
	}
	return string(out)
}

// time is when a message was sent, zero where that is not known.
func (m chatMessage) time(loc *time.Location) time.Time {
	for _, key := range timeKeys {
		if t := chatTime(m.word(key), loc); !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// Numbers from these on count milliseconds and microseconds, not seconds, since 1970.
const (
	fromMillis = 1e11
	fromMicros = 1e14
)

func chatTime(s string, loc *time.Location) time.Time {
	if n, err := strconv.ParseFloat(s, 64); err == nil {
		switch {
		case n < 1e8 || n >= 1e17: // no time of a chat
			return time.Time{}
		case n >= fromMicros:
			return time.UnixMicro(int64(n)).In(loc)
		case n >= fromMillis:
			return time.UnixMilli(int64(n)).In(loc)
		}
		return time.Unix(int64(n), 0).In(loc)
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t
	}
	return stampTime(s, unknownOrder, loc)
}
