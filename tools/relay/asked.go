package relay

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"mcp-memory/internal/jsonrpc"
)

// asked are the requests of the owner to the client that were not answered yet.
// The client knows them by numbers of the link, so that what it answers to one
// owner is never taken for an answer to the next.
type asked struct {
	last    int
	waiting map[string]json.RawMessage // number → the owner's id
}

// ask gives a request the link's own id. False for what is no JSON object.
func (a *asked) ask(id json.RawMessage, text []byte) ([]byte, bool) {
	number := strconv.Itoa(a.last + 1)
	line, ok := withMember(text, "id", json.RawMessage(number))
	if !ok {
		return nil, false
	}
	if a.waiting == nil {
		a.waiting = map[string]json.RawMessage{}
	}
	a.last++
	a.waiting[number] = id
	return line, true
}

// answered gives an answer the owner's id back. False where nobody waits for it.
func (a *asked) answered(id json.RawMessage, text []byte) ([]byte, bool) {
	number := strings.Trim(string(id), `"`) // some clients give a number back as text
	theirs, waits := a.waiting[number]
	if !waits {
		return nil, false
	}
	delete(a.waiting, number)
	return withMember(text, "id", theirs)
}

// cancelled gives a cancellation the id that the client knows the request by.
// False where nobody waits for the request.
func (a *asked) cancelled(id json.RawMessage, text []byte) ([]byte, bool) {
	for number, theirs := range a.waiting {
		if !bytes.Equal(theirs, id) {
			continue
		}
		delete(a.waiting, number)
		var m struct {
			Params json.RawMessage `json:"params"`
		}
		if json.Unmarshal(text, &m) != nil {
			return nil, false
		}
		params, ok := withMember(m.Params, "requestId", json.RawMessage(number))
		if !ok {
			return nil, false
		}
		return withMember(text, "params", params)
	}
	return nil, false
}

// drop gives up all requests, and returns what tells the client so.
func (a *asked) drop() (lines [][]byte) {
	for number := range a.waiting {
		lines = append(lines, []byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+number+`,"reason":"the process that asked is gone"}}`))
	}
	clear(a.waiting)
	return lines
}

// end gives up all requests of a client that answers none any more, and returns what
// tells the owner so.
func (a *asked) end() (lines [][]byte) {
	for _, theirs := range a.waiting {
		lines = append(lines, ended(theirs))
	}
	clear(a.waiting)
	return lines
}

// ended answers a request to a client that answers none any more.
func ended(id json.RawMessage) []byte {
	return jsonrpc.Refusal(id, jsonrpc.CodeEnded, "the client has ended its side of the connection")
}

// withMember sets a member of a JSON object and leaves the others as they are
// written.
func withMember(object []byte, name string, value json.RawMessage) ([]byte, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil || members == nil {
		return nil, false
	}
	members[name] = value
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(members) != nil {
		return nil, false
	}
	return bytes.TrimSpace(b.Bytes()), true
}
