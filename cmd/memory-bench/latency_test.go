package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// buildTestServer builds the server once for all measurements of a test.
func buildTestServer(t *testing.T) string {
	t.Helper()
	exe, err := buildServer(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// runLatency runs the whole command at a small size and returns its report.
func runLatency(t *testing.T, flags ...string) (r report) {
	t.Helper()
	var out, log bytes.Buffer
	args := append([]string{"latency", "--sizes", "30,130", "--remembers", "3", "--recalls", "20", "--starts", "2", "--json"}, flags...)
	if err := run(t.Context(), args, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// checkRows tests what every report of runLatency has.
func checkRows(t *testing.T, r report) {
	t.Helper()
	if len(r.Rows) != 2 || r.Rows[0].Size != 30 || r.Rows[1].Size != 130 || r.Baseline.N != 3 {
		t.Fatalf("measured %+v", r)
	}
	for _, row := range r.Rows {
		if row.Initialize.N != 2 || row.FirstRecall.N != 2 || row.Remember.N != 3 || row.Recall.N != 20 {
			t.Errorf("at %d: not as many samples as asked for: %+v", row.Size, row)
		}
		if row.Answered == 0 || row.FileBytes == 0 || row.FirstRecall.P50 < row.Initialize.P50 {
			t.Errorf("at %d: found %d, %d bytes, first recall %v before initialize %v", row.Size, row.Answered, row.FileBytes, row.FirstRecall.P50, row.Initialize.P50)
		}
	}
}

// TestLatency_MeasuresTheRealServer with an embedder and without.
func TestLatency_MeasuresTheRealServer(t *testing.T) {
	exe, dir := buildTestServer(t), t.TempDir()
	t.Run("with vectors", func(t *testing.T) {
		r := runLatency(t, "--server", exe, "--dir", dir)
		checkRows(t, r)
		for _, row := range r.Rows {
			if row.Vectors < row.Size || row.Engine != "exact" || row.EmbedSeconds < row.LoadSeconds {
				t.Errorf("at %d: %d vectors searched by %q, after %v s; loaded after %v s", row.Size, row.Vectors, row.Engine, row.EmbedSeconds, row.LoadSeconds)
			}
		}
		if !strings.Contains(r.markdown(), "Embedder: "+r.Embedder+".") || r.Embedder == "" {
			t.Errorf("the report does not name the embedder %q", r.Embedder)
		}
	})
	t.Run("words alone", func(t *testing.T) {
		r := runLatency(t, "--server", exe, "--dir", dir, "--words")
		checkRows(t, r)
		if r.Embedder != "" || r.Rows[0].Vectors != 0 {
			t.Errorf("embedder %q, %d vectors", r.Embedder, r.Rows[0].Vectors)
		}
	})
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestLatency_MeasuresKeptStoresAgain without saying anything twice.
func TestLatency_MeasuresKeptStoresAgain(t *testing.T) {
	exe := buildTestServer(t)
	t.Run("filled", func(t *testing.T) { testMeasuresAgain(t, exe) })
	t.Run("cut short", func(t *testing.T) { testGoesOn(t, exe) })
}

func testMeasuresAgain(t *testing.T, exe string) {
	stores := filepath.Join(t.TempDir(), "stores")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	first := runLatency(t, "--server", exe, "--stand-ins", "--stores", stores)
	again := runLatency(t, "--server", exe, "--stand-ins", "--stores", stores)
	checkRows(t, again)
	for i, row := range again.Rows {
		if row.LoadSeconds != first.Rows[i].LoadSeconds || row.Vectors != first.Rows[i].Vectors {
			t.Errorf("the store of %d was filled twice", row.Size)
		}
		if row.FirstVector.N != 2 || row.FirstVector.P50 < row.FirstRecall.P50 {
			t.Errorf("at %d: vectors answered first after %+v, anything after %+v", row.Size, row.FirstVector, row.FirstRecall)
		}
	}
	if again.Embedder != first.Embedder || !strings.Contains(again.markdown(), "Vectors: stand-ins of 130 for e5-small") {
		t.Errorf("embedder %q, then %q; the report says:\n%s", first.Embedder, again.Embedder, again.markdown())
	}
	err := run(t.Context(), []string{"latency", "--server", exe, "--stand-ins", "--stores", stores, "--sizes", "30", "--seed", "2"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "seed 1") {
		t.Errorf("another seed: %v, want an error that says which one the store has", err)
	}
	err = run(t.Context(), []string{"latency", "--server", exe, "--words", "--stores", stores, "--sizes", "30"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "stand-ins true") {
		t.Errorf("words alone of a store with stand-ins: %v, want an error that says what it has", err)
	}
	if err := os.Remove(filepath.Join(stores, "130.json")); err != nil {
		t.Fatal(err)
	}
	err = run(t.Context(), []string{"latency", "--server", exe, "--stand-ins", "--stores", stores, "--sizes", "130"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("half a store: %v, want an error that says to remove it", err)
	}
}

func TestLatency_SaysWhichServerDoesNotStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	err := run(t.Context(), []string{"latency", "--server", missing, "--sizes", "1"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("run = %v, want an error that names %s", err, missing)
	}
}
