package main

import (
	"fmt"
	"strings"
)

// meaningReport is what memory-bench meaning found.
type meaningReport struct {
	Model   string       `json:"model"`
	Records int          `json:"records"`
	Pairs   []pairRow    `json:"pairs"`
	Floors  []smallFloor `json:"floors"`
	Others  []pairMiss   `json:"others"`
	Limits  []verdict    `json:"limits,omitempty"`

	verbose bool // list the others
}

// pairRow counts the questions whose record came first, in stores of a size.
type pairRow struct {
	Kind      string `json:"kind"`
	Size      int    `json:"size"`
	Questions int    `json:"questions"`
	First     int    `json:"first"`
	AmongFive int    `json:"among_five"`
}

// pairMiss is a question whose record did not come first.
type pairMiss struct {
	Size   int    `json:"size"`
	Query  string `json:"query"`
	Record string `json:"record"`
	First  string `json:"first"`
	Place  int    `json:"place"` // from 1; 0: not among the first five
}

// smallFloor tells what the default floor does in stores of a size: the constants
// were chosen on one half of the questions.
type smallFloor struct {
	Size      int    `json:"size"`
	Half      string `json:"half"`
	Unrelated int    `json:"unrelated"` // questions that no record answers
	Answered  int    `json:"answered"`  // of them, those that got a match
	Real      int    `json:"real"`      // questions whose record is there
	Found     int    `json:"found"`     // of them, those that got it
}

func (r *meaningReport) verdicts() []verdict { return r.Limits }

// markdown renders the report as tables.
func (r *meaningReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Meaning: %d records, vectors of %s.\n\n| pairs | store | questions | first | among five |\n|---|---:|---:|---:|---:|\n", r.Records, r.Model)
	for _, p := range r.Pairs {
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s |\n", p.Kind, p.Size, p.Questions, percent(p.First, p.Questions), percent(p.AmongFive, p.Questions))
	}
	b.WriteString("\n| default floor | half | unrelated questions that get a match | questions that get their record |\n|---:|---|---:|---:|\n")
	for _, f := range r.Floors {
		fmt.Fprintf(&b, "| %d | %s | %d of %d, %s | %d of %d, %s |\n", f.Size, f.Half,
			f.Answered, f.Unrelated, percent(f.Answered, f.Unrelated), f.Found, f.Real, percent(f.Found, f.Real))
	}
	if r.verbose {
		for _, o := range r.Others {
			fmt.Fprintf(&b, "  store of %d: %q → %q at %d, first %q\n", o.Size, o.Query, o.Record, o.Place, o.First)
		}
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}

// The limits of the figures, 0 to 1: the first place in a store of [pairStore]
// records (7 of 8), and unrelated questions that get a match in small stores.
const (
	minFirst        = 0.875
	maxSmallMatched = 0.05
)

// checkMeaning compares a report with the limits. Of the floors the half counts
// that they were not chosen on.
func checkMeaning(r *meaningReport) (out []verdict) {
	for _, p := range r.Pairs {
		if p.Size == pairStore {
			out = append(out, atLeast(fmt.Sprintf("%s first among %d", p.Kind, p.Size), ratio(p.First, p.Questions), minFirst))
		}
	}
	for i := 1; i < len(r.Floors); i += 2 {
		f := r.Floors[i]
		got := ratio(f.Answered, f.Unrelated)
		out = append(out, verdict{fmt.Sprintf("unrelated questions that get a match in a store of %d ≤ %v", f.Size, maxSmallMatched), fmt.Sprintf("%.4f", got), got <= maxSmallMatched})
	}
	return out
}
