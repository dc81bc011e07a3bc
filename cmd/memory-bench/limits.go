package main

import (
	"fmt"
	"strings"
)

// The project's limits of words alone: milliseconds, a ratio, and bytes (of 10⁶ a
// megabyte).
const (
	maxInitialize    = 100.0
	maxRememberRatio = 1.5
	maxRecall10k     = 15.0
	maxRecall100k    = 40.0
	maxResident10k   = 60e6
	maxResident100k  = 300e6
)

// The limits with an embedder, in the same units. A recall embeds its query.
const (
	maxVectorInitialize   = 150.0
	maxVectorRemember     = 10.0
	maxVectorRecall10k    = 25.0
	maxVectorRecall100k   = 60.0
	maxVectorResident10k  = 180e6
	maxVectorResident100k = 500e6
)

// The limits of a large store, with an embedder or without: in the same units, memory
// at its highest.
const (
	maxRecall500k   = 200.0
	maxResident500k = 2e9
)

// Sizes that --check needs: of words alone, with an embedder, and with stand-ins.
// There are limits with an embedder at 100,000 too, and at largeSize in any case,
// checked where that size is measured.
var (
	wordSizes    = []int{1_000, 10_000, 100_000}
	vectorSizes  = []int{1_000, 10_000}
	standInSizes = []int{largeSize}
)

const largeSize = 500_000

// verdict is one limit, what was measured for it, and whether it holds.
type verdict struct {
	Limit    string `json:"limit"`
	Measured string `json:"measured"`
	Holds    bool   `json:"holds"`
}

// checkLimits compares a report with the limits: one of words alone, which has all
// of wordSizes, one with an embedder, which has all of vectorSizes, or one with
// stand-ins, which has all of standInSizes. Where the platform does not tell the
// memory, its limit does not hold.
func checkLimits(r report) []verdict {
	large := checkLargeLimits(r)
	switch {
	case r.StandIns != "":
		return large
	case r.Embedder != "":
		return append(checkVectorLimits(r), large...)
	}
	return append(checkWordLimits(r), large...)
}

// checkLargeLimits holds a large store to its limits, if one was measured.
func checkLargeLimits(r report) []verdict {
	large, measured := r.at(largeSize)
	if !measured {
		return nil
	}
	return []verdict{
		atMostTime("recall p95 at 500,000", large.Recall.P95, maxRecall500k),
		atMostBytes("memory at 500,000, at its highest ≤ 2000 MB", max(large.resident(), large.ResidentPeak), maxResident500k),
	}
}

// checkWordLimits holds words alone to their limits. Memory is judged after the
// recalls or freshly loaded, whichever is more.
func checkWordLimits(r report) []verdict {
	small, _ := r.at(1_000)
	middle, _ := r.at(10_000)
	large, _ := r.at(100_000)
	ratio := large.Remember.P50 / small.Remember.P50
	return []verdict{
		{"initialize p50 at 100,000 < 100 ms", ms(large.Initialize.P50), large.Initialize.P50 < maxInitialize},
		{"remember p50 at 100,000 / at 1,000 ≤ 1.5", fmt.Sprintf("%.2f", ratio), ratio <= maxRememberRatio},
		atMostTime("recall p95 at 10,000", middle.Recall.P95, maxRecall10k),
		atMostTime("recall p95 at 100,000", large.Recall.P95, maxRecall100k),
		atMostBytes("memory at 10,000 ≤ 60 MB", middle.resident(), maxResident10k),
		atMostBytes("memory at 100,000 ≤ 300 MB", large.resident(), maxResident100k),
	}
}

// checkVectorLimits holds a server with an embedder to its limits.
func checkVectorLimits(r report) (out []verdict) {
	middle, _ := r.at(10_000)
	out = append(out,
		atMostTime("recall p95 at 10,000", middle.Recall.P95, maxVectorRecall10k),
		atMostTime("remember p50 at 10,000", middle.Remember.P50, maxVectorRemember),
		atMostBytes("memory at 10,000 ≤ 180 MB", middle.resident(), maxVectorResident10k))
	large, measured := r.at(100_000)
	if !measured {
		return out
	}
	return append(out,
		verdict{"initialize p50 at 100,000 < 150 ms", ms(large.Initialize.P50), large.Initialize.P50 < maxVectorInitialize},
		atMostTime("recall p95 at 100,000", large.Recall.P95, maxVectorRecall100k),
		atMostTime("remember p50 at 100,000", large.Remember.P50, maxVectorRemember),
		atMostBytes("memory at 100,000 ≤ 500 MB", large.resident(), maxVectorResident100k))
}

// atMostTime is about milliseconds.
func atMostTime(what string, measured, most float64) verdict {
	return verdict{fmt.Sprintf("%s ≤ %v ms", what, most), ms(measured), measured <= most}
}

// resident is the memory that is judged.
func (r row) resident() int64 { return max(r.ResidentLoaded, r.ResidentRecalls) }

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
