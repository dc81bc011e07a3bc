package main

import "fmt"

// The limits of the built-in embedder: shares of the C engine's time, a cosine,
// milliseconds and bytes (of 10⁶ a megabyte).
const (
	minEngineCosine  = 0.999
	maxOpen          = 60.0
	maxEmbedResident = 70e6
	maxModelBytes    = 60e6
	maxServerBytes   = 95e6
)

// limitedKernels are the kernels that the limits of speed speak of.
const limitedKernels = "avx2"

// speedLimits are the limits of speed: at so many tokens at most that share of
// the C engine's time.
var speedLimits = []struct {
	tokens int
	most   float64
	share  string
}{{10, 1.0 / 4, "1/4"}, {25, 1.0 / 3, "1/3"}}

// isLimited says whether a limit of speed speaks of a length.
func isLimited(tokens int) bool {
	for _, l := range speedLimits {
		if l.tokens == tokens {
			return true
		}
	}
	return false
}

// speedHolds says whether all limits of speed that can be told of here hold.
func speedHolds(rows []speedRow) bool {
	r := embedReport{Speed: rows}
	r.checkSpeed()
	for _, v := range r.Limits {
		if !v.Holds {
			return false
		}
	}
	return true
}

// checkEmbed compares a report with the limits. What this machine cannot tell of
// is noted as not applicable instead.
func checkEmbed(r *embedReport) {
	r.checkSpeed()
	for _, c := range r.Closeness {
		r.Limits = append(r.Limits, verdict{
			fmt.Sprintf("cosine to the C engine, %s weights, %s ≥ %v", c.Weights, c.Kernels, minEngineCosine),
			fmt.Sprintf("%.5f", c.Cosine), c.Cosine >= minEngineCosine,
		})
	}
	r.Limits = append(r.Limits,
		verdict{"opening, least ≤ 60 ms", ms(r.OpenMin), r.OpenMin <= maxOpen},
		atMostBytes("model file ≤ 60 MB", r.ModelBytes, maxModelBytes))
	memory := fmt.Sprintf("memory after 1,000 texts, on %d cores at most, ≤ 70 MB", childCores)
	if r.Child.ResidentTexts > 0 {
		r.Limits = append(r.Limits, atMostBytes(memory, r.Child.ResidentTexts, maxEmbedResident))
	} else {
		r.notApplicable(memory + ": this platform does not tell of memory")
	}
	if r.ServerEmbeds {
		r.Limits = append(r.Limits, atMostBytes("server ≤ 95 MB", r.ServerBytes, maxServerBytes))
	} else {
		r.notApplicable("server ≤ 95 MB: cmd/mcp-memory does not hold the embedder")
	}
}

// checkSpeed holds the limited kernels to their share of the C engine's time.
func (r *embedReport) checkSpeed() {
	for _, l := range speedLimits {
		limit := fmt.Sprintf("%s at %d tokens ≤ %s of the C engine", limitedKernels, l.tokens, l.share)
		if t := timeAt(r.Speed, l.tokens, limitedKernels); t.Min > 0 {
			r.Limits = append(r.Limits, verdict{limit, fmt.Sprintf("%.3f", t.ToEngine), t.ToEngine > 0 && t.ToEngine <= l.most})
		} else {
			r.notApplicable(limit + ": these kernels do not run here")
		}
	}
}

// timeAt is a contender's time at a length, the zero one if there is none.
func timeAt(rows []speedRow, tokens int, name string) (out speedTime) {
	for _, row := range rows {
		if row.Tokens == tokens {
			out = row.time(name)
		}
	}
	return out
}

func (r *embedReport) notApplicable(limit string) { r.NotApplicable = append(r.NotApplicable, limit) }

func atMostBytes(limit string, measured int64, most int64) verdict {
	return verdict{limit, megabytes(measured), measured > 0 && measured <= most}
}
