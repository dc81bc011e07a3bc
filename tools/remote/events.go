package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/server"
)

// Bounds of what is kept of one session's stream for a client that comes back:
// enough for a short break of the line. mcp-go's own store keeps everything.
const (
	maxEvents     = 64
	maxEventBytes = 1 << 20
)

// events keeps the last messages of each session's streams, so that a client
// can resume one. A client that was away for longer is told that its event id
// is unknown and starts afresh.
type events struct {
	mu       sync.Mutex // guards what follows
	seq      int64
	sessions map[string]*ring
}

// ring is the newest events of a session, oldest first.
type ring struct {
	kept  []event
	bytes int
}

type event struct {
	id, stream string
	message    json.RawMessage
}

var _ server.EventStore = (*events)(nil)

func newEvents() *events { return &events{sessions: map[string]*ring{}} }

// StoreEvent keeps a copy of message and returns its id.
func (e *events) StoreEvent(_ context.Context, session, stream string, message json.RawMessage) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	r := e.sessions[session]
	if r == nil {
		r = &ring{}
		e.sessions[session] = r
	}
	e.seq++
	id := strconv.FormatInt(e.seq, 10)
	r.add(event{id, stream, append(json.RawMessage(nil), message...)})
	return id, nil
}

func (r *ring) add(ev event) {
	r.kept = append(r.kept, ev)
	r.bytes += len(ev.message)
	for len(r.kept) > maxEvents || r.bytes > maxEventBytes && len(r.kept) > 1 {
		r.bytes -= len(r.kept[0].message)
		r.kept = append(r.kept[:0], r.kept[1:]...)
	}
}

// ReplayEventsAfter sends what followed the event on its stream, in order, and
// returns the stream. Error: server.ErrUnknownEventID, also for an event that
// is no longer kept, or that of send.
func (e *events) ReplayEventsAfter(_ context.Context, session, last string, send func(string, json.RawMessage) error) (string, error) {
	stream, after, err := e.after(session, last)
	if err != nil {
		return "", err
	}
	for _, ev := range after {
		if err := send(ev.id, ev.message); err != nil {
			return "", err
		}
	}
	return stream, nil
}

func (e *events) after(session, last string) (stream string, after []event, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var kept []event
	if r := e.sessions[session]; r != nil {
		kept = r.kept
	}
	found := false
	for _, ev := range kept {
		switch {
		case ev.id == last:
			stream, found = ev.stream, true
		case found && ev.stream == stream:
			after = append(after, ev)
		}
	}
	if !found {
		return "", nil, fmt.Errorf("%w: %s", server.ErrUnknownEventID, last)
	}
	return stream, after, nil
}

// PurgeSession drops the session's events.
func (e *events) PurgeSession(_ context.Context, session string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.sessions, session)
	return nil
}
