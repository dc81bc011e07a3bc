package main

import (
	"fmt"
	"strings"
)

// The project's limits: milliseconds, a ratio, and bytes (of 10⁶ a megabyte).
const (
	maxInitialize    = 100.0
	maxRememberRatio = 1.5
	maxRecall10k     = 15.0
	maxRecall100k    = 40.0
	maxResident10k   = 60e6
	maxResident100k  = 300e6
)

// limitSizes are the sizes that the limits speak of.
var limitSizes = []int{1_000, 10_000, 100_000}

// verdict is one limit, what was measured for it, and whether it holds.
type verdict struct {
	Limit    string `json:"limit"`
	Measured string `json:"measured"`
	Holds    bool   `json:"holds"`
}

// checkLimits compares a report that has all of [limitSizes] with the limits.
// Memory is judged after the recalls or freshly loaded, whichever is more; where the
// platform does not tell it, the limit does not hold.
func checkLimits(r report) []verdict {
	small, _ := r.at(1_000)
	middle, _ := r.at(10_000)
	large, _ := r.at(100_000)
	ratio := large.Remember.P50 / small.Remember.P50
	return []verdict{
		{"initialize p50 at 100,000 < 100 ms", ms(large.Initialize.P50), large.Initialize.P50 < maxInitialize},
		{"remember p50 at 100,000 / at 1,000 ≤ 1.5", fmt.Sprintf("%.2f", ratio), ratio <= maxRememberRatio},
		{"recall p95 at 10,000 ≤ 15 ms", ms(middle.Recall.P95), middle.Recall.P95 <= maxRecall10k},
		{"recall p95 at 100,000 ≤ 40 ms", ms(large.Recall.P95), large.Recall.P95 <= maxRecall100k},
		residentVerdict("memory at 10,000 ≤ 60 MB", middle, maxResident10k),
		residentVerdict("memory at 100,000 ≤ 300 MB", large, maxResident100k),
	}
}

func residentVerdict(limit string, r row, most int64) verdict {
	measured := max(r.ResidentLoaded, r.ResidentRecalls)
	return verdict{limit, megabytes(measured), measured > 0 && measured <= most}
}

func limitsMarkdown(limits []verdict) string {
	var b strings.Builder
	b.WriteString("| limit | measured | holds |\n|---|---:|---|\n")
	for _, l := range limits {
		holds := "yes"
		if !l.Holds {
			holds = "**no**"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", l.Limit, l.Measured, holds)
	}
	return b.String()
}
