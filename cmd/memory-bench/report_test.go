package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func goodReport() report {
	r := report{
		Machine:  machine{Go: "go1.26", Platform: "linux/amd64", CPU: "Z80", Cores: 2, Date: "2026-12-01"},
		Baseline: quantiles{N: 200, P50: 1.25, P95: 2.5},
	}
	for i, size := range wordSizes {
		r.Rows = append(r.Rows, row{
			Size: size, FileBytes: int64(size) * 500, ResidentLoaded: 20e6, ResidentRecalls: 25_500_000, ResidentPeak: 30e6,
			Initialize: quantiles{P50: 12.34, Max: 120}, FirstRecall: quantiles{P50: 45},
			Remember: quantiles{P50: 2 + float64(i)/2, P95: 6}, Recall: quantiles{P50: 0.5, P95: 9.99},
		})
	}
	return r
}

func TestMarkdown_HasARowPerSizeUnderTheMachine(t *testing.T) {
	got := goodReport().markdown()
	want := `go1.26, linux/amd64, Z80, 2 cores, 2026-12-01

| stored | files | initialize p50 / max | first recall p50 | remember p50 / p95 | write + fdatasync p50 / p95 | recall p50 / p95 | memory loaded / after recalls / peak |
|---:|---:|---:|---:|---:|---:|---:|---:|
| 1000 | 0.5 MB | 12.3 ms / 120 ms | 45.0 ms | 2.00 ms / 6.00 ms | 1.25 ms / 2.50 ms | 0.50 ms / 9.99 ms | 20.0 MB / 25.5 MB / 30.0 MB |
| 10000 | 5.0 MB | 12.3 ms / 120 ms | 45.0 ms | 2.50 ms / 6.00 ms | 1.25 ms / 2.50 ms | 0.50 ms / 9.99 ms | 20.0 MB / 25.5 MB / 30.0 MB |
| 100000 | 50.0 MB | 12.3 ms / 120 ms | 45.0 ms | 3.00 ms / 6.00 ms | 1.25 ms / 2.50 ms | 0.50 ms / 9.99 ms | 20.0 MB / 25.5 MB / 30.0 MB |
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("markdown differs (-want +got):\n%s", diff)
	}
}

func TestCheckLimits_EachLimitAtItsBound(t *testing.T) {
	tests := []struct {
		name   string
		change func(rows []row)
		broken string // the limit that no longer holds; empty: all hold
	}{
		{"all inside", func([]row) {}, ""},
		{"initialize must stay below its bound", func(r []row) { r[2].Initialize.P50 = 100 }, "initialize"},
		{"initialize only at the largest size", func(r []row) { r[0].Initialize.P50 = 500 }, ""},
		{"remember may be 1.5 times slower", func(r []row) { r[2].Remember.P50 = 3 }, ""},
		{"remember may not be more", func(r []row) { r[2].Remember.P50 = 3.01 }, "remember"},
		{"recall may take its bound", func(r []row) { r[1].Recall.P95 = 15 }, ""},
		{"recall may not take more", func(r []row) { r[1].Recall.P95 = 15.1 }, "recall p95 at 10,000"},
		{"recall at 100k may take its bound", func(r []row) { r[2].Recall.P95 = 40 }, ""},
		{"recall at 100k may not take more", func(r []row) { r[2].Recall.P95 = 40.1 }, "recall p95 at 100,000"},
		{"memory at 10k counts recalls", func(r []row) { r[1].ResidentRecalls = 60_000_001 }, "memory at 10,000"},
		{"memory at 100k counts loading", func(r []row) { r[2].ResidentLoaded = 300_000_001 }, "memory at 100,000"},
		{"unknown memory is not inside", func(r []row) { r[2].ResidentLoaded, r[2].ResidentRecalls = 0, 0 }, "memory at 100,000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := goodReport()
			tt.change(r.Rows)
			for _, l := range checkLimits(r) {
				broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken)
				if l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

// vectorReport is goodReport with an embedder, at all its bounds.
func vectorReport() report {
	r := goodReport()
	r.Embedder = "e5/1"
	r.Rows[1].Recall.P95, r.Rows[2].Recall.P95 = maxVectorRecall10k, maxVectorRecall100k
	r.Rows[1].ResidentLoaded, r.Rows[2].ResidentLoaded = maxVectorResident10k, maxVectorResident100k
	r.Rows[1].Remember.P50, r.Rows[2].Remember.P50 = maxVectorRemember, maxVectorRemember
	r.Rows[2].Initialize.P50 = 149.9
	return r
}

func TestCheckLimits_WithAnEmbedder(t *testing.T) {
	tests := []struct {
		name   string
		change func(rows []row)
		broken string
	}{
		{"all at their bounds", func([]row) {}, ""},
		{"initialize must stay below its bound", func(r []row) { r[2].Initialize.P50 = 150 }, "initialize p50 at 100,000"},
		{"recall at 10k", func(r []row) { r[1].Recall.P95 = 25.1 }, "recall p95 at 10,000 ≤ 25 ms"},
		{"recall at 100k", func(r []row) { r[2].Recall.P95 = 60.1 }, "recall p95 at 100,000 ≤ 60 ms"},
		{"remember at 10k", func(r []row) { r[1].Remember.P50 = 10.1 }, "remember p50 at 10,000"},
		{"remember at 100k", func(r []row) { r[2].Remember.P50 = 10.1 }, "remember p50 at 100,000"},
		{"memory at 10k", func(r []row) { r[1].ResidentRecalls = 180_000_001 }, "memory at 10,000"},
		{"memory at 100k", func(r []row) { r[2].ResidentRecalls = 500_000_001 }, "memory at 100,000"},
		{"unknown memory is not inside", func(r []row) { r[1].ResidentLoaded, r[1].ResidentRecalls = 0, 0 }, "memory at 10,000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := vectorReport()
			tt.change(r.Rows)
			for _, l := range checkLimits(r) {
				broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken)
				if l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

func TestCheckLimits_WithAnEmbedderLeavesOutWhatWasNotMeasured(t *testing.T) {
	r := vectorReport()
	r.Rows = r.Rows[:2]
	limits := checkLimits(r)
	for _, l := range limits {
		if strings.Contains(l.Limit, "100,000") || !l.Holds {
			t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
		}
	}
	if len(limits) != 3 {
		t.Errorf("%d limits at 10,000, want 3", len(limits))
	}
}

func TestCheckLimits_OfALargeStore(t *testing.T) {
	large := row{Size: largeSize, Recall: quantiles{P95: 200}, ResidentLoaded: 1e9, ResidentRecalls: 1.2e9, ResidentPeak: 2e9}
	for _, c := range []struct {
		name   string
		change func(r *report)
		broken string
		limits int
	}{
		{"stand-ins at the bounds", func(*report) {}, "", 2},
		{"slower", func(r *report) { r.Rows[0].Recall.P95 = 200.1 }, "recall p95 at 500,000", 2},
		{"larger for a moment", func(r *report) { r.Rows[0].ResidentPeak = 2e9 + 1 }, "memory at 500,000", 2},
		{"unknown memory is not inside", func(r *report) {
			r.Rows[0].ResidentLoaded, r.Rows[0].ResidentRecalls, r.Rows[0].ResidentPeak = 0, 0, 0
		}, "memory at 500,000", 2},
		{"beside the others of words", func(r *report) { r.StandIns, r.Rows = "", append(goodReport().Rows, large) }, "", 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := report{StandIns: "stand-ins of 3 for e5", Rows: []row{large}}
			c.change(&r)
			limits := checkLimits(r)
			for _, l := range limits {
				if broken := c.broken != "" && strings.HasPrefix(l.Limit, c.broken); l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
			if len(limits) != c.limits {
				t.Errorf("%d limits, want %d", len(limits), c.limits)
			}
		})
	}
}

func TestMarkdown_WithAnEmbedderHasASecondTable(t *testing.T) {
	r := vectorReport()
	r.Rows = r.Rows[:1]
	r.Rows[0].Vectors, r.Rows[0].Engine, r.Rows[0].LoadSeconds, r.Rows[0].EmbedSeconds = 1020, "exact", 1.25, 4
	r.Rows[0].GraphSeconds = .5
	r.Rows[0].Recall, r.Rows[0].RecallCPU = quantiles{P50: 30, P95: 90, Max: 120}, quantiles{P50: 3, P95: 4, Max: 5}
	r.Rows[0].FirstRecallCPU, r.Rows[0].FirstVector = quantiles{P50: 20, Max: 21}, quantiles{P50: 50, Max: 60}
	r.Rows[0].BusyRemember = quantiles{N: 20, P50: 3, Max: 9}
	for _, want := range []string{
		"2 cores, 2026-12-01\nEmbedder: e5/1.\n\n| stored |",
		"| 1000 | 1020 | exact | 1.2 s | 4.0 s | 0.5 s | 3.00 ms / 9.00 ms (20) | – |\n",
		"| 1000 | 30.0 ms / 90.0 ms / 120 ms | 3.00 ms / 4.00 ms / 5.00 ms | 45.0 ms | 20.0 ms | 50.0 ms | – |\n",
	} {
		if got := r.markdown(); !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

func TestPrint_CheckFailsButStillPrints(t *testing.T) {
	r := goodReport()
	r.Rows[1].Recall.P95 = 16
	r.Limits = checkLimits(r)
	f := printing{check: true}
	var out bytes.Buffer
	if err := f.print(&out, r); !errors.Is(err, errLimits) {
		t.Errorf("print = %v, want %v", err, errLimits)
	}
	if !strings.Contains(out.String(), "| recall p95 at 10,000 ≤ 15 ms | 16.0 ms | **no** |") {
		t.Errorf("the broken limit is not shown:\n%s", out.String())
	}
}

func TestPrint_JSONHoldsTheReport(t *testing.T) {
	f := printing{json: true}
	var out bytes.Buffer
	if err := f.print(&out, goodReport()); err != nil {
		t.Fatal(err)
	}
	var got report
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(goodReport(), got); diff != "" {
		t.Errorf("JSON differs (-want +got):\n%s", diff)
	}
}

func TestValidate_RefusesWhatCannotBeMeasured(t *testing.T) {
	good := latencyOptions{words: true, sizes: wordSizes, remembers: 1, recalls: 1, starts: 1}
	tests := []struct {
		name   string
		change func(f *latencyFlags)
		want   string
	}{
		{"as it is", func(*latencyFlags) {}, ""},
		{"no size", func(f *latencyFlags) { f.options.sizes = nil }, "--sizes"},
		{"size 0", func(f *latencyFlags) { f.options.sizes = []int{0} }, "--sizes"},
		{"no remembers", func(f *latencyFlags) { f.options.remembers = 0 }, "--remembers"},
		{"both kinds of folders", func(f *latencyFlags) { f.options.dir, f.options.stores = "a", "b" }, "--stores"},
		{"check without 10k, with an embedder", func(f *latencyFlags) { f.check, f.options.words, f.options.sizes = true, false, []int{1_000} }, "10000"},
		{"check without 100k, with an embedder", func(f *latencyFlags) { f.check, f.options.words, f.options.sizes = true, false, vectorSizes }, ""},
		{"words and stand-ins", func(f *latencyFlags) { f.options.standIns = true }, "--words"},
		{"words and an engine", func(f *latencyFlags) { f.options.engine = "exact" }, "--engine"},
		{"an engine nobody has", func(f *latencyFlags) { f.options.words, f.options.engine = false, "fast" }, "want auto, exact, hnsw, coder"},
		{"check of stand-ins without 500k", func(f *latencyFlags) { f.check, f.options.words, f.options.standIns = true, false, true }, "500000"},
		{"check of stand-ins", func(f *latencyFlags) {
			f.check, f.options.words, f.options.standIns, f.options.sizes = true, false, true, standInSizes
		}, ""},
		{"check without 100k", func(f *latencyFlags) { f.check, f.options.sizes = true, []int{1_000, 10_000} }, "100000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := latencyFlags{options: good}
			tt.change(&f)
			err := f.validate()
			if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("validate = %v, want an error with %q", err, tt.want)
			}
		})
	}
}
