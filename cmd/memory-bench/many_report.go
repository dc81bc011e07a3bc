package main

import (
	"fmt"
	"slices"
	"strings"
)

// maxTakeOver is how long the next owner may take, in milliseconds, an empty
// memory's loading included: in half of the rounds, since a machine may have much
// else to do in one.
const maxTakeOver = 2000.0

// maxFrozenError is how long a call may wait for a stopped owner, likewise.
const maxFrozenError = 15_000.0

// manyReport is what memory-bench many found.
type manyReport struct {
	Machine machine      `json:"machine"`
	Rounds  []manyRound  `json:"rounds"`
	Frozen  frozenReport `json:"frozen"`
	Limits  []verdict    `json:"limits,omitempty"`
}

func (r manyReport) verdicts() []verdict { return r.Limits }

// sum adds up one count of all rounds.
func (r manyReport) sum(of func(manyRound) int) (n int) {
	for _, round := range r.Rounds {
		n += of(round)
	}
	return n
}

// takeOvers are the times of all rounds in which a survivor was answered after
// the kill, ascending.
func (r manyReport) takeOvers() (out []float64) {
	for _, round := range r.Rounds {
		if round.TakeOverMS > 0 {
			out = append(out, round.TakeOverMS)
		}
	}
	slices.Sort(out)
	return out
}

// takenOver is the middle one of the take-overs; 0 where none was seen.
func (r manyReport) takenOver() float64 {
	times := r.takeOvers()
	if len(times) == 0 {
		return 0
	}
	return times[(len(times)-1)/2]
}

// checkMany compares a report with the limits.
func checkMany(r manyReport) []verdict {
	none := func(what string, of func(manyRound) int) verdict {
		n := r.sum(of)
		return verdict{what + " = 0", fmt.Sprint(n), n == 0}
	}
	out := []verdict{
		none("memories missing", func(m manyRound) int { return m.Missing }),
		none("memories stored twice", func(m manyRound) int { return m.Twice }),
		none("calls refused", func(m manyRound) int { return m.Refused }),
		none("answers that are not a first call's", func(m manyRound) int { return m.Odd }),
		none("rounds that end with other than one owner", func(m manyRound) int {
			if m.Owners == 1 {
				return 0
			}
			return 1
		}),
	}
	if took := r.takenOver(); took > 0 {
		out = append(out, atMostTime("take-over p50", took, maxTakeOver))
	} else {
		out = append(out, verdict{"a take-over was seen", "none", false})
	}
	if r.Frozen.Tried {
		out = append(out,
			atMostTime("error of a call to a stopped owner", r.Frozen.ErrorMS, maxFrozenError),
			verdict{"it names the owner, and calls go on after", fmt.Sprintf("%v, %v", r.Frozen.Named, r.Frozen.Answered), r.Frozen.Named && r.Frozen.Answered})
	}
	return out
}

// markdown renders the report as a table.
func (r manyReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Machine)
	b.WriteString("| rounds | memories | missing | twice | refused | odd answers | take-over p50 | longest |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	middle, longest := "–", "–"
	if times := r.takeOvers(); len(times) > 0 {
		middle, longest = ms(r.takenOver()), ms(times[len(times)-1])
	}
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d | %s | %s |\n", len(r.Rounds), r.sum(func(m manyRound) int { return m.Wanted }),
		r.sum(func(m manyRound) int { return m.Missing }), r.sum(func(m manyRound) int { return m.Twice }),
		r.sum(func(m manyRound) int { return m.Refused }), r.sum(func(m manyRound) int { return m.Odd }), middle, longest)
	if r.Frozen.Tried {
		fmt.Fprintf(&b, "\nA stopped owner: the error after %s names it: %v. After it goes on, the next answer takes %s.\n", ms(r.Frozen.ErrorMS), r.Frozen.Named, ms(r.Frozen.AfterMS))
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
