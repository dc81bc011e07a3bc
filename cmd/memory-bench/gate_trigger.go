package main

import (
	"fmt"
	"strings"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/extract"
	"mcp-memory/layers/worth"
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

	Records  int `json:"records"`  // that the rules make of all the turns
	Evidence int `json:"evidence"` // turns that answer a question
	Kept     int `json:"kept"`     // of those, a record was made of
}

// measureTrigger runs the trigger, and then the rules over each sitting.
func measureTrigger(talks []talk, o worth.Options) *triggerReport {
	r := &triggerReport{}
	for i := range talks {
		evidence := map[string]bool{}
		for _, p := range talks[i].Probes {
			for id := range p.Evidence {
				evidence[id] = true
			}
		}
		for s := range talks[i].Sittings {
			r.sitting(&talks[i].Sittings[s])
			r.extract(&talks[i].Sittings[s], evidence, o)
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

// extract counts the records of a sitting and the answering turns they rest on.
func (r *triggerReport) extract(s *sitting, evidence map[string]bool, o worth.Options) {
	j := worth.Judge(conversation.Read(s.turns(), conversation.Options{}), o)
	found, _ := extract.Rules(j, extract.RuleOptions{})
	from := map[int]bool{}
	for _, memories := range found {
		for _, m := range memories {
			r.Records++
			for _, t := range m.Turns {
				from[t] = true
			}
		}
	}
	for i, u := range s.Utterances {
		if evidence[u.ID] {
			r.Evidence++
			if from[i] {
				r.Kept++
			}
		}
	}
}

func (r *triggerReport) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n| LoCoMo: turns | gate calls | telling words | eight unread | idle | turns without a gate call | records | answering turns | of which kept |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n| %d | %d | %d | %d | %d | %.3f | %d | %d | %d |\n",
		r.Turns, r.GateCalls, r.Words, r.Full, r.Idle, r.Ungated, r.Records, r.Evidence, r.Kept)
}
