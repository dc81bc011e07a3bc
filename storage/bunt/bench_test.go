package bunt_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// typicalOp is an operation of one record as remember makes it: a text of 300
// bytes, a slot, a source.
func typicalOp(n int) storage.Op {
	op := putOp(n)
	r := &op.Put[0]
	r.ID = fmt.Sprintf("01KB0000000000000000%06d", n)
	r.Text = fmt.Sprintf("%-300s", fmt.Sprintf("statement number %d about tea, coffee and the weather", n))
	r.Entity, r.Attribute, r.Value, r.Language = "user", "favourite drink", "green tea", "en"
	r.Source = storage.Source{ID: "conversation-17", Session: "session-4", Role: "user", Speaker: "user"}
	return op
}

// benchDir returns a directory with a closed store of n typical operations.
func benchDir(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	s := openDir(b, dir)
	for i := range n {
		apply(b, s, typicalOp(i+1))
	}
	closeStore(b, s)
	return dir
}

func BenchmarkApply(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		dir := benchDir(b, n)
		for name, sync := range map[string]func(*os.File) error{"synced": nil, "unsynced": unsynced} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				s := open(b, bunt.Options{Dir: dir, Clock: clockAt(epoch), Sync: sync})
				for b.Loop() {
					n++
					apply(b, s, typicalOp(n))
				}
				closeStore(b, s)
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := benchDir(b, 100_000)
	for b.Loop() {
		closeStore(b, openDir(b, dir))
	}
}

func BenchmarkScan(b *testing.B) {
	s := openDir(b, benchDir(b, 100_000))
	for b.Loop() {
		entries := 0
		if err := s.Scan(b.Context(), func(storage.Entry) error { entries++; return nil }); err != nil || entries != 100_000 {
			b.Fatalf("%d entries, %v", entries, err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := openDir(b, benchDir(b, 10_000))
	id := typicalOp(5_000).Put[0].ID
	for b.Loop() {
		if _, err := s.Get(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompact(b *testing.B) {
	s := openDir(b, benchDir(b, 100_000))
	for b.Loop() {
		if err := s.Compact(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reports what an open store of 100,000 records holds: its live
// heap, and the resident set right after Open and after one whole Scan.
func BenchmarkMemory(b *testing.B) {
	dir := benchDir(b, 100_000)
	debug.FreeOSMemory()
	empty, before := resident(b), heap()
	var s *bunt.Store
	for b.Loop() {
		s = openDir(b, dir)
		b.ReportMetric(resident(b)-empty, "MB-rss-open")
		if err := s.Scan(b.Context(), func(storage.Entry) error { return nil }); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(resident(b)-empty, "MB-rss-scanned")
		b.ReportMetric((heap()-before)/1e6, "MB-heap")
		b.ReportMetric(float64(s.Stats().FileBytes)/1e6, "MB-file")
		closeStore(b, s)
	}
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// resident returns the process's resident set in MB; 0 where there is no /proc.
func resident(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kb / 1000
}
