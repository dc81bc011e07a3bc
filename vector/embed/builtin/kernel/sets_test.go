package kernel

import (
	"strings"
	"testing"
)

func TestAll_PlainGoFirstAndEveryKernelThere(t *testing.T) {
	all := All()
	if all[0].Name != "go" {
		t.Errorf("first set is %q, want go", all[0].Name)
	}
	for _, s := range all {
		if s.Quantize == nil || s.MatMul == nil || s.AddNorm == nil || s.GELU == nil || s.Attention == nil {
			t.Errorf("set %q lacks a kernel", s.Name)
		}
	}
	if got, want := Best().Name, all[len(all)-1].Name; got != want {
		t.Errorf("Best is %q, want the last of All, %q", got, want)
	}
}

func TestNamed_FindsEverySetAndListsThem(t *testing.T) {
	for _, s := range All() {
		got, err := Named(s.Name)
		if err != nil || got.Name != s.Name {
			t.Errorf("Named(%q) = %v, %v", s.Name, got, err)
		}
	}
	_, err := Named("abacus")
	if err == nil || !strings.Contains(err.Error(), `"abacus"`) || !strings.Contains(err.Error(), "have go") {
		t.Errorf("Named of an unknown set: %v, want an error that names it and lists the others", err)
	}
}
