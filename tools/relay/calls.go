package relay

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"mcp-memory/internal/jsonrpc"
)

// Bounds of what one client may have in flight: it is kept until it is answered,
// so that it can be sent again.
const (
	maxCalls     = 1024
	maxCallBytes = 64 << 20
)

// pending is a request of the client that was not answered yet.
type pending struct {
	number    uint64 // of the link, by which the owner knows it again
	id        string // JSON, as the client wrote it
	method    string
	text      []byte
	since     time.Time // from when it waits for an owner
	sent      bool      // to the owner of now
	tried     bool      // to some owner
	cancelled bool      // by the client
}

// line is the request as it goes to the owner.
func (p *pending) line() []byte { return numbered(p.number, p.text) }

func numbered(number uint64, text []byte) []byte {
	line := strconv.AppendUint(make([]byte, 0, len(text)+20), number, 10)
	return append(append(line, ' '), text...)
}

// calls are the pending requests, in the order they came.
type calls struct {
	list   []*pending
	bytes  int
	number uint64 // of the last one
}

// full reports whether there is no room for one more.
func (c *calls) full() bool { return len(c.list) >= maxCalls || c.bytes > maxCallBytes }

func (c *calls) add(m jsonrpc.Message, text []byte, now time.Time) *pending {
	c.number++
	p := &pending{number: c.number, id: string(m.ID), method: m.Method, text: text, since: now}
	c.list = append(c.list, p)
	c.bytes += len(text)
	return p
}

// take removes the request that an answer is for; nil where nobody waits for it.
func (c *calls) take(id json.RawMessage) *pending {
	for i, p := range c.list {
		if p.sent && p.id == string(id) {
			c.remove(i)
			return p
		}
	}
	return nil
}

// find returns the request with the id; nil where there is none.
func (c *calls) find(id json.RawMessage) *pending {
	for _, p := range c.list {
		if p.id == string(id) {
			return p
		}
	}
	return nil
}

func (c *calls) remove(i int) {
	c.bytes -= len(c.list[i].text)
	c.list = slices.Delete(c.list, i, i+1)
}

// drop removes requests and returns them.
func (c *calls) drop(which func(*pending) bool) (dropped []*pending) {
	kept := c.list[:0]
	for _, p := range c.list {
		if which(p) {
			dropped = append(dropped, p)
			c.bytes -= len(p.text)
			continue
		}
		kept = append(kept, p)
	}
	clear(c.list[len(kept):])
	c.list = kept
	return dropped
}

// anySent reports whether an answer is due from the owner of now.
func (c *calls) anySent() bool {
	return slices.ContainsFunc(c.list, func(p *pending) bool { return p.sent })
}

// refusal is the answer to a request that is not done: for a tool a result that
// a model reads, else an error of the protocol.
func (p *pending) refusal(text string) []byte {
	if p.method != "tools/call" {
		return jsonrpc.Refusal(json.RawMessage(p.id), jsonrpc.CodeBusy, text)
	}
	type content struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	type result struct {
		Content []content `json:"content"`
		IsError bool      `json:"isError"`
	}
	said, err := json.Marshal(result{[]content{{"text", text}}, true})
	if err != nil { // strings
		return jsonrpc.Refusal(json.RawMessage(p.id), jsonrpc.CodeBusy, text)
	}
	return jsonrpc.Answer(json.RawMessage(p.id), "result", said)
}
