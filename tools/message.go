package tools

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
)

// message is what a connection must know of a JSON-RPC message before the
// server reads it.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// peek reads a message's frame. It leaves members of the wrong type to the
// server, which knows how to refuse them; an error means that text is no JSON
// object at all.
func peek(text []byte) (message, error) {
	var m message
	err := json.Unmarshal(text, &m)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && bytes.HasPrefix(text, []byte("{")) {
		err = nil
	}
	return m, err
}

func (m message) isNotification() bool { return len(m.ID) == 0 || string(m.ID) == "null" }

func (m message) isResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// order says whether the message keeps its place among others, and whether it
// may change the memory. What reads no memory is answered at once.
func (m message) order() (ordered, write bool) {
	switch m.Method {
	case string(mcp.MethodInitialize): // what the client can do must be known to the calls after it
		return true, true
	case string(mcp.MethodToolsCall):
		return true, m.Params.Name != "recall"
	case string(mcp.MethodResourcesRead), string(mcp.MethodPromptsGet):
		return true, false
	}
	return false, false
}

// idOf finds the id of a message that cannot be parsed as a whole, such as one
// that was cut or nests too deeply: the first member "id" of the outermost
// object, if it is a string or a number.
func idOf(text []byte) json.RawMessage {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for depth, key := 0, false; ; {
		token, err := dec.Token()
		if err != nil {
			return nil
		}
		switch d, isDelim := token.(json.Delim); {
		case isDelim && (d == '{' || d == '['):
			depth++
			key = depth == 1 && d == '{'
		case isDelim:
			depth--
			key = depth == 1
		case depth == 1 && key && token == "id":
			return scalar(dec)
		case depth == 1:
			key = !key
		}
	}
}

func scalar(dec *json.Decoder) json.RawMessage {
	token, err := dec.Token()
	if err != nil {
		return nil
	}
	switch token.(type) {
	case string, json.Number:
		if raw, err := json.Marshal(token); err == nil {
			return raw
		}
	}
	return nil
}
