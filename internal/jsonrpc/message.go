// Package jsonrpc reads the frames of JSON-RPC messages, a line each: as much
// as a connection must know before the protocol layer reads them, and no more.
package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Codes of errors: the last three are not JSON-RPC's own, but from the range that is
// left to servers, and the Language Server Protocol's for a cancelled request.
// CodeEnded answers a request to a client that has closed its input, in its place.
const (
	CodeParse     = -32700
	CodeInvalid   = -32600
	CodeBusy      = -32000
	CodeEnded     = -32010
	CodeCancelled = -32800
)

// Message is a message's frame.
type Message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	Params struct {
		Name      string          `json:"name"`
		RequestID json.RawMessage `json:"requestId"` // of notifications/cancelled
	} `json:"params"`
}

// Peek reads a message's frame. It leaves members of the wrong type to the
// server, which knows how to refuse them; an error means that text is no JSON
// object at all.
func Peek(text []byte) (Message, error) {
	var m Message
	err := json.Unmarshal(text, &m)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) && bytes.HasPrefix(text, []byte("{")) {
		err = nil
	}
	return m, err
}

// IsNotification reports whether nobody waits for an answer.
func (m Message) IsNotification() bool { return len(m.ID) == 0 || string(m.ID) == "null" }

// IsResponse reports whether the message answers a request.
func (m Message) IsResponse() bool { return m.Method == "" && (m.Result != nil || m.Error != nil) }

// Answer encodes the answer to a request: member is "result" or "error", and value
// its JSON. The id is said as the client wrote it, byte for byte: who keeps numbers
// as floating point makes 9007199254740993 another one, and "a<b" is "a\u003cb"
// where HTML is escaped, for which nobody waits. A nil id is null.
func Answer(id json.RawMessage, member string, value json.RawMessage) []byte {
	if len(id) == 0 || !json.Valid(id) {
		id = json.RawMessage("null")
	}
	data := make([]byte, 0, len(id)+len(value)+40)
	data = append(append(data, `{"jsonrpc":"2.0","id":`...), id...)
	data = append(append(append(data, `,"`...), member...), `":`...)
	return append(append(data, value...), '}')
}

// Refusal encodes an error as the answer to a request; a nil id is null.
func Refusal(id json.RawMessage, code int, text string) []byte {
	failure, err := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, text})
	if err != nil { // a number and a string
		return nil
	}
	return Answer(id, "error", failure)
}

// IDOf finds the id of a message that cannot be parsed as a whole, such as one
// that was cut or nests too deeply: the first member "id" of the outermost
// object, if it is a string or a number.
func IDOf(text []byte) json.RawMessage {
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
