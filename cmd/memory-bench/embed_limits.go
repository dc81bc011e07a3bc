package main

import "fmt"

// The limits of the built-in embedder: shares of the C engine's time, a cosine,
// milliseconds and bytes (of 10⁶ a megabyte).
const (
	maxToEngine10    = 1.0 / 4
	maxToEngine25    = 1.0 / 3
	minEngineCosine  = 0.999
	maxOpen          = 60.0
	maxEmbedResident = 70e6
	maxModelBytes    = 60e6
	maxServerBytes   = 95e6
)

// limitedKernels are the kernels that the limits of speed speak of.
const limitedKernels = "avx2"

// checkEmbed compares a report with the limits. What this machine cannot tell of
// is noted as not applicable instead.
func checkEmbed(r *embedReport) {
	r.checkSpeed(10, maxToEngine10, "1/4")
	r.checkSpeed(25, maxToEngine25, "1/3")
	for _, c := range r.Closeness {
		r.Limits = append(r.Limits, verdict{
			fmt.Sprintf("cosine to the C engine, %s weights, %s ≥ %v", c.Weights, c.Kernels, minEngineCosine),
			fmt.Sprintf("%.5f", c.Cosine), c.Cosine >= minEngineCosine,
		})
	}
	r.Limits = append(r.Limits,
		verdict{"opening, least ≤ 60 ms", ms(r.OpenMin), r.OpenMin <= maxOpen},
		atMostBytes("model file ≤ 60 MB", r.ModelBytes, maxModelBytes))
	if r.Child.ResidentTexts > 0 {
		r.Limits = append(r.Limits, atMostBytes("memory after 1,000 texts ≤ 70 MB", r.Child.ResidentTexts, maxEmbedResident))
	} else {
		r.notApplicable("memory after 1,000 texts ≤ 70 MB: this platform does not tell of memory")
	}
	if r.ServerEmbeds {
		r.Limits = append(r.Limits, atMostBytes("server ≤ 95 MB", r.ServerBytes, maxServerBytes))
	} else {
		r.notApplicable("server ≤ 95 MB: cmd/mcp-memory does not hold the embedder")
	}
}

// checkSpeed holds the limited kernels at a length to a share of the C engine's
// time.
func (r *embedReport) checkSpeed(tokens int, most float64, share string) {
	limit := fmt.Sprintf("%s at %d tokens ≤ %s of the C engine", limitedKernels, tokens, share)
	for _, row := range r.Speed {
		if row.Tokens != tokens {
			continue
		}
		if t := row.time(limitedKernels); t.Min > 0 {
			r.Limits = append(r.Limits, verdict{limit, fmt.Sprintf("%.3f", t.ToEngine), t.ToEngine > 0 && t.ToEngine <= most})
			return
		}
	}
	r.notApplicable(limit + ": these kernels do not run here")
}

func (r *embedReport) notApplicable(limit string) { r.NotApplicable = append(r.NotApplicable, limit) }

func atMostBytes(limit string, measured int64, most int64) verdict {
	return verdict{limit, megabytes(measured), measured > 0 && measured <= most}
}
