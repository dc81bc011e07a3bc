package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// soakReport is what memory-bench soak found.
type soakReport struct {
	Machine machine        `json:"machine"`
	Seconds float64        `json:"seconds"`
	Clients int            `json:"clients"`
	Calls   map[string]int `json:"calls"`
	Samples []soakSample   `json:"samples"`
	Limits  []verdict      `json:"limits,omitempty"`
}

// soakSample is a moment. Memory and files are in bytes.
type soakSample struct {
	Records    int   `json:"records"`
	Goroutines int   `json:"goroutines"` // of the owner
	Owner      int64 `json:"owner_bytes"`
	Attached   int64 `json:"attached_bytes"` // of the largest attached process
	Files      int64 `json:"file_bytes"`     // all of the data directory
}

// What a soak may grow by from its second fifth, when all is warm, to its last.
const (
	soakGoroutines = 20       // besides
	soakGrowth     = 1.25     // times, memory
	soakSlack      = 32 << 20 // bytes besides, of memory and files
	soakFiles      = 2        // times the live data at most: compaction's bound
)

// fifth returns samples of one fifth of the soak; from 0.
func (r soakReport) fifth(n int) []soakSample {
	return r.Samples[n*len(r.Samples)/5 : (n+1)*len(r.Samples)/5]
}

// most is the highest of what value says of samples.
func most(samples []soakSample, value func(soakSample) int64) (out int64) {
	for _, s := range samples {
		out = max(out, value(s))
	}
	return out
}

func checkSoak(r soakReport) (out []verdict) {
	warm, last := r.fifth(1), r.fifth(4)
	compare := func(what string, value func(soakSample) int64, times float64, slack int64, show func(int64) string) {
		before, after := most(warm, value), most(last, value)
		out = append(out, verdict{
			fmt.Sprintf("%s: last fifth ≤ %g × second fifth + %s", what, times, show(slack)),
			fmt.Sprintf("%s, %s", show(after), show(before)),
			float64(after) <= times*float64(before)+float64(slack),
		})
	}
	bytes := func(n int64) string { return fmt.Sprintf("%.1f MB", mb(n)) }
	compare("goroutines", func(s soakSample) int64 { return int64(s.Goroutines) }, 1, soakGoroutines, func(n int64) string { return fmt.Sprint(n) })
	compare("owner's memory", func(s soakSample) int64 { return s.Owner }, soakGrowth, soakSlack, bytes)
	compare("attached process's memory", func(s soakSample) int64 { return s.Attached }, soakGrowth, soakSlack/4, bytes)
	compare("files", func(s soakSample) int64 { return s.Files }, soakFiles, soakSlack, bytes)
	return out
}

func (r soakReport) verdicts() []verdict { return r.Limits }

func (r soakReport) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%d processes for %.0f s:", r.Machine, r.Clients, r.Seconds)
	for _, tool := range slices.Sorted(maps.Keys(r.Calls)) {
		fmt.Fprintf(&b, " %d %s", r.Calls[tool], tool)
	}
	b.WriteString("\n\n| fifth | records | goroutines | owner MB | attached MB | files MB |\n|---:|---:|---:|---:|---:|---:|\n")
	for n := range 5 {
		s := r.fifth(n)
		fmt.Fprintf(&b, "| %d | %d | %d | %.0f | %.0f | %.1f |\n", n+1,
			most(s, func(s soakSample) int64 { return int64(s.Records) }), most(s, func(s soakSample) int64 { return int64(s.Goroutines) }),
			mb(most(s, func(s soakSample) int64 { return s.Owner })), mb(most(s, func(s soakSample) int64 { return s.Attached })),
			mb(most(s, func(s soakSample) int64 { return s.Files })))
	}
	if len(r.Limits) > 0 {
		b.WriteString("\n" + limitsMarkdown(r.Limits))
	}
	return b.String()
}
