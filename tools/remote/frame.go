package remote

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"mcp-memory/internal/jsonrpc"
)

// misframed says what is wrong with a body that mcp-go would answer to nobody's
// use; "" where there is nothing. Bodies that are no JSON at all it refuses itself.
func misframed(body []byte) (id json.RawMessage, wrong string) {
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		return nil, "batches are not taken over HTTP; send each message in a request of its own"
	}
	m, err := jsonrpc.Peek(body)
	if err == nil && !survives(m.ID) {
		return m.ID, "the id is a number that floating point does not hold, and its answer would bear another; use one up to 2^53, or a string"
	}
	return nil, ""
}

// survives reports whether an id is the same number after it was floating point, as
// which mcp-go keeps it.
func survives(id json.RawMessage) bool {
	if len(id) == 0 || bytes.ContainsAny(id, `".eE{[tfn`) {
		return true
	}
	n, err := strconv.ParseInt(string(id), 10, 64)
	f := float64(n)
	return err == nil && f < 1<<63 && int64(f) == n // beyond, the way back differs from machine to machine
}

// refuseFrame answers a body that is misframed; false if it is not.
func refuseFrame(w http.ResponseWriter, body []byte) bool {
	id, wrong := misframed(body)
	if wrong == "" {
		return false
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write(jsonrpc.Refusal(id, jsonrpc.CodeInvalid, wrong)) // an error: the client is gone
	return true
}
