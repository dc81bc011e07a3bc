package main

import (
	"fmt"
	"strings"

	"mcp-memory/layers/conversation"
)

// unreadTurns is how many unread turns are an event by themselves.
const unreadTurns = 8

// triggerReport is what the trigger does on LoCoMo, whose turns come one by one;
// the end of a sitting is five idle minutes.
type triggerReport struct {
	Turns     int     `json:"turns"`
	Words     int     `json:"words"` // gate calls for a telling word
	Full      int     `json:"full"`  // for eight unread turns
	Idle      int     `json:"idle"`  // for the end of a sitting
	GateCalls int     `json:"gate_calls"`
	Ungated   float64 `json:"ungated"` // share of the turns without a gate call
}

// measureTrigger runs the trigger alone over each sitting.
func measureTrigger(talks []talk) *triggerReport {
	r := &triggerReport{}
	for i := range talks {
		for s := range talks[i].Sittings {
			r.sitting(&talks[i].Sittings[s])
		}
	}
	r.GateCalls = r.Words + r.Full + r.Idle
	r.Ungated = 1 - ratio(r.GateCalls, r.Turns)
	return r
}

func (s *sitting) turns() []conversation.Turn {
	out := make([]conversation.Turn, len(s.Utterances))
	for i, u := range s.Utterances {
		out[i] = conversation.Turn{ID: u.ID, Role: conversation.User, Name: u.Speaker, Content: u.Text, Time: s.said(i)}
	}
	return out
}

// sitting counts the gate calls of a sitting.
func (r *triggerReport) sitting(s *sitting) {
	unread := 0
	for _, t := range s.turns() {
		r.Turns++
		unread++
		_, telling := conversation.Event([]conversation.Turn{t})
		switch {
		case telling:
			r.Words++
		case unread >= unreadTurns:
			r.Full++
		default:
			continue
		}
		unread = 0
	}
	if unread > 0 {
		r.Idle++
	}
}

func (r *triggerReport) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n| LoCoMo: turns | gate calls | telling words | eight unread | idle | turns without a gate call |\n|---:|---:|---:|---:|---:|---:|\n| %d | %d | %d | %d | %d | %.3f |\n",
		r.Turns, r.GateCalls, r.Words, r.Full, r.Idle, r.Ungated)
}
