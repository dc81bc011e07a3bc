package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// TestLatency_MeasuresTheRealServer runs the whole command at a small size.
func TestLatency_MeasuresTheRealServer(t *testing.T) {
	dir := t.TempDir()
	var out, log bytes.Buffer
	args := []string{"latency", "--sizes", "30,130", "--remembers", "3", "--recalls", "20", "--starts", "2", "--dir", dir, "--json"}
	if err := run(t.Context(), args, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	var r report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
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
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestLatency_SaysWhichServerDoesNotStart(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "nowhere")
	err := run(t.Context(), []string{"latency", "--server", missing, "--sizes", "1"}, &bytes.Buffer{}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("run = %v, want an error that names %s", err, missing)
	}
}
