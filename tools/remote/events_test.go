package remote

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

func TestEvents_ReplayWhatFollowedOnTheSameStream(t *testing.T) {
	e := newEvents()
	var ids []string
	for i, stream := range []string{"a", "b", "a", "a", "b"} {
		id, err := e.StoreEvent(t.Context(), "s", stream, json.RawMessage(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	var got []string
	stream, err := e.ReplayEventsAfter(t.Context(), "s", ids[0], func(id string, m json.RawMessage) error {
		got = append(got, id+"="+string(m))
		return nil
	})
	if want := ids[2] + "=2 " + ids[3] + "=3"; err != nil || stream != "a" || strings.Join(got, " ") != want {
		t.Errorf("stream %q, events %v, error %v; want a, %s", stream, got, err, want)
	}
	wheel := errors.New("wheel")
	if _, err := e.ReplayEventsAfter(t.Context(), "s", ids[0], func(string, json.RawMessage) error { return wheel }); !errors.Is(err, wheel) {
		t.Errorf("got %v, want the error of send", err)
	}
}

func TestEvents_KnowNoEventOfOthersOrOfTheFarPast(t *testing.T) {
	e := newEvents()
	first, _ := e.StoreEvent(t.Context(), "s", "a", json.RawMessage(`0`))
	unknown := func(session, id string) bool {
		_, err := e.ReplayEventsAfter(t.Context(), session, id, func(string, json.RawMessage) error { return nil })
		return errors.Is(err, server.ErrUnknownEventID)
	}
	if unknown("s", first) || !unknown("other", first) || !unknown("s", "99") {
		t.Error("want the event known to its session alone")
	}
	for range maxEvents {
		_, _ = e.StoreEvent(t.Context(), "s", "b", json.RawMessage(`1`))
	}
	if !unknown("s", first) {
		t.Error("an event beyond the bound is still kept")
	}
	last, _ := e.StoreEvent(t.Context(), "s", "a", json.RawMessage(`2`))
	_ = e.PurgeSession(t.Context(), "s")
	if !unknown("s", last) {
		t.Error("an event of a purged session is still kept")
	}
}

func TestEvents_AreBoundedInBytes(t *testing.T) {
	e := newEvents()
	big := json.RawMessage(`"` + strings.Repeat("x", maxEventBytes/4) + `"`)
	for range 10 {
		_, _ = e.StoreEvent(t.Context(), "s", "a", big)
	}
	if r := e.sessions["s"]; r.bytes > maxEventBytes || len(r.kept) == 0 {
		t.Errorf("%d events of %d bytes are kept", len(r.kept), r.bytes)
	}
}

func TestGauge_HasRoomAgainWhenOneLeaves(t *testing.T) {
	g := newGauge(1)
	var a, b = holder{token: [32]byte{1}}.token, holder{token: [32]byte{2}}.token
	if !g.enter(a) || g.enter(a) || !g.enter(b) {
		t.Error("want one of each token")
	}
	g.leave(a)
	if !g.enter(a) {
		t.Error("no room after one left")
	}
}
