package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestCrash_ReportsAndChecks(t *testing.T) {
	var out, progress bytes.Buffer
	if err := run(t.Context(), []string{"crash", "--images", "60", "--check"}, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, &out)
	}
	if !strings.Contains(out.String(), "| that do not open | 0 |") || !strings.Contains(out.String(), "no half operation") {
		t.Errorf("report:\n%s", &out)
	}
	broken := crashReport{}
	broken.Lost, broken.Salvaged = 1, 1
	broken.Limits = broken.compare()
	if err := (&printing{}).print(&out, &broken); err == nil {
		t.Error("a lost operation holds the limits")
	}
	if err := run(t.Context(), []string{"crash", "--images", "0"}, &out, &progress); err == nil {
		t.Error("no images were taken for some")
	}
}
