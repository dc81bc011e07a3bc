package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestParseResident(t *testing.T) {
	tests := []struct {
		name, status string
		want         resident
		fails        bool
	}{
		{"as Linux writes it", "Name:\tmcp-memory\nVmPeak:\t 1234 kB\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n", resident{Now: 1 << 20, Peak: 2 << 20}, false},
		{"a kernel thread has none", "Name:\tkthreadd\n", resident{}, true},
		{"not a number", "VmRSS: many kB\nVmHWM: 1 kB\n", resident{}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseResident([]byte(tt.status))
			if (err != nil) != tt.fails || got != tt.want {
				t.Errorf("parseResident = %+v, %v; want %+v, error: %v", got, err, tt.want, tt.fails)
			}
		})
	}
}

func FuzzParseResident(f *testing.F) {
	f.Add([]byte("VmHWM:\t2048 kB\nVmRSS:\t1024 kB\n"))
	f.Add([]byte("VmHWM: 9223372036854775807 kB\nVmRSS: -1 kB\n"))
	f.Fuzz(func(t *testing.T, status []byte) {
		got, err := parseResident(status)
		if err != nil && got != (resident{}) || got.Now < 0 || got.Peak < 0 {
			t.Errorf("parseResident = %+v, %v", got, err)
		}
	})
}

func TestFileBytes_CountsWholeTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, size := range map[string]int{"x": 10, "a/y": 200, "a/b/z": 3000} {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := fileBytes(dir); err != nil || got != 3210 {
		t.Errorf("fileBytes = %d, %v; want 3210", got, err)
	}
}

func TestBaseline_WritesABlockEachTime(t *testing.T) {
	dir := t.TempDir()
	b, err := openBaseline(dir)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if took, err := b.once(); err != nil || took <= 0 {
			t.Fatalf("once = %v, %v", took, err)
		}
	}
	if err := b.close(); err != nil {
		t.Fatal(err)
	}
	if got, err := fileBytes(dir); err != nil || got != 3*baselineBlock {
		t.Errorf("the file has %d bytes, %v; want %d", got, err, 3*baselineBlock)
	}
}
