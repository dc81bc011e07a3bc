package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxRemark bounds what is read of an answer that is an error.
	maxRemark = 64 << 10
	// maxShown bounds what an error shows of what a server said, in bytes: a
	// sentence or two.
	maxShown = 300
	// echo is the length in bytes from which a run of what was sent, found in what
	// a server says, is taken for a repetition: two short words, or three Han
	// characters.
	echo = 10
)

// remark is what a server says about an error.
type remark struct {
	message string
	label   string // its type or its code, a word of the interface
	status  int    // its code, where that is an HTTP status
	secret  bool   // the message repeats what was sent
}

// parseRemark reads an error in the forms that servers use: {"error": {…}},
// {"error": "text"}, {"message": …}, {"detail": …}, or a line of plain text.
func parseRemark(body []byte, sent []string) remark {
	said := decodeRemark(body)
	said.secret = repeats(said.message, sent) || repeats(said.label, sent)
	return said
}

func decodeRemark(body []byte) remark {
	var form struct {
		Error   json.RawMessage
		Detail  json.RawMessage
		Message json.RawMessage
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return remark{message: plainRemark(body)}
	}
	if said, ok := fields(form.Error); ok {
		return said
	}
	if said, ok := fields(body); ok && said.message != "" {
		return said
	}
	return remark{message: tidy(cmp.Or(textOf(form.Error), textOf(form.Detail)))}
}

// fields reads an object that has message, type and code, any of them absent.
func fields(object []byte) (remark, bool) {
	var form struct {
		Message, Type, Code json.RawMessage
	}
	if len(object) == 0 || object[0] != '{' || json.Unmarshal(object, &form) != nil {
		return remark{}, false
	}
	said := remark{message: tidy(textOf(form.Message)), label: tidy(cmp.Or(textOf(form.Type), textOf(form.Code)))}
	if json.Unmarshal(form.Code, &said.status) != nil || http.StatusText(said.status) == "" {
		said.status = 0
	} else {
		said.label = tidy(textOf(form.Type))
	}
	return said, true
}

// textOf returns a JSON string's text, and other JSON as it is written; nothing
// for null.
func textOf(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// plainRemark returns a body that is not JSON where it is a line for people, and
// not a page.
func plainRemark(body []byte) string {
	body = bytes.TrimSpace(body)
	switch {
	case len(body) == 0:
		return ""
	case len(body) > maxShown || body[0] == '<' || !utf8.Valid(body):
		return "its answer is not the interface's (a page, or bytes)"
	}
	return tidy(string(body))
}

// holds reports whether the server's words hold one of the given, in lower case.
func (r remark) holds(words []string) bool {
	said := strings.ToLower(r.message + " " + r.label)
	for _, word := range words {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

// String returns what may be shown.
func (r remark) String() string {
	switch {
	case r.secret:
		return "what the server says repeats what was sent, and is not shown"
	case r.label == "":
		return r.message
	case r.message == "":
		return r.label
	}
	return r.message + " (" + r.label + ")"
}

// tidy makes one short line of what came from outside.
func tidy(s string) string {
	return cut(oneLine(s), maxShown)
}

func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
}

// cut returns the first characters of s, limit bytes at most.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}

// repeats reports whether said holds a text that was sent, or a run of one. An
// escaped character could be any, so it counts as a repetition.
func repeats(said string, sent []string) bool {
	said = strings.ToLower(said)
	if strings.Contains(said, `\u`) || strings.Contains(said, `\x`) {
		return true
	}
	for _, s := range sent {
		if repeatsOne(said, strings.ToLower(oneLine(s))) {
			return true
		}
	}
	return false
}

func repeatsOne(said, sent string) bool {
	if len(sent) < echo {
		return len(sent) > 1 && strings.Contains(said, sent)
	}
	for i := 0; i+echo <= len(said); i++ {
		if strings.Contains(sent, said[i:i+echo]) {
			return true
		}
	}
	return false
}

// private returns the texts in a request's body that must not be shown: all
// strings of its input (embeddings) and its messages (chat).
func private(body []byte) []string {
	var form struct{ Input, Messages any }
	if json.Unmarshal(body, &form) != nil {
		return []string{string(body)}
	}
	return gather(gather(nil, form.Input), form.Messages)
}

func gather(texts []string, value any) []string {
	switch v := value.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, e := range v {
			texts = gather(texts, e)
		}
	case map[string]any:
		for key, e := range v {
			if key != "role" { // a word of the interface, which an error may hold
				texts = gather(texts, e)
			}
		}
	}
	return texts
}
