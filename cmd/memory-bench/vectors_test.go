package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcp-memory/vector"
	"mcp-memory/vector/vectortest"
)

// writeVectors writes synthetic vectors and queries to files.
func writeVectors(t *testing.T, n, asked int) (vectors, queries string) {
	t.Helper()
	vs, qs := vectortest.Synthetic(n, asked, fileDim, 3)
	file := func(name string, rows [][]float32) string {
		var raw []byte
		for _, v := range rows {
			for _, x := range v {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
			}
		}
		return write(t, name, string(raw))
	}
	return file("vectors.f32", vs), file("queries.f32", qs)
}

// runVectors runs the command and returns its report.
func runVectors(t *testing.T, flags ...string) (r vectorsReport, progress string) {
	t.Helper()
	var out, log bytes.Buffer
	if err := run(t.Context(), append([]string{"vectors", "--json"}, flags...), &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	return r, log.String()
}

func TestVectors_MeasuresTheVectorsOfAFile(t *testing.T) {
	vectors, queries := writeVectors(t, 1200, 20)
	r, _ := runVectors(t, "--vectors", vectors, "--queries", queries, "--sizes", "1200,300", "--check")
	if r.Queries != 20 || len(r.sizes()) != 2 || r.sizes()[0] != 300 {
		t.Fatalf("%d queries at %v", r.Queries, r.sizes())
	}
	for _, engine := range append([]string{engineChurned}, rowEngines...) {
		row, ok := r.at(1200, engine)
		if !ok || row.Recall < 0.95 || row.P50 <= 0 || row.BuildSeconds <= 0 {
			t.Errorf("%s: %+v", engine, row)
		}
	}
	if row, _ := r.at(1200, vector.EngineExact); row.Recall != 1 || row.BytesPerVector < 2*fileDim {
		t.Errorf("the scan: %+v, want all found, in at least two bytes a number", row)
	}
	if row, _ := r.at(1200, vector.EngineCoder); row.Answers != vector.EngineExact || row.Note == "" {
		t.Errorf("coder: %+v, want the scan's answers and why", row)
	}
}

// TestVectors_EmbedsTextsOnce: the second measurement finds all vectors in the
// cache, and measures the same.
func TestVectors_EmbedsTextsOnce(t *testing.T) {
	for _, name := range []string{"XDG_CACHE_HOME", "HOME", "LocalAppData"} { // what os.UserCacheDir goes by
		t.Setenv(name, t.TempDir())
	}
	var texts []string
	for i := range 40 {
		texts = append(texts, timedText(12+i%5, i), fmt.Sprintf("Who lives in house number %d?", i))
	}
	data := write(t, "texts.txt", strings.Join(texts, "\n"))
	first, progress := runVectors(t, "--data", data, "--sizes", "30")
	if !strings.Contains(progress, "embedding: 0 of 30 texts") || first.Queries != 40 {
		t.Errorf("%d queries; progress: %s", first.Queries, progress)
	}
	again, progress := runVectors(t, "--data", data, "--sizes", "30")
	if strings.Contains(progress, "embedding") {
		t.Errorf("embedded again: %s", progress)
	}
	for i, row := range first.Rows {
		if row.Engine != engineLibrary && row.Recall != again.Rows[i].Recall { // the library draws lots
			t.Errorf("%s: recall %v, then %v", row.Engine, row.Recall, again.Rows[i].Recall)
		}
	}
}

func TestVectors_RefusesWhatItCannotMeasure(t *testing.T) {
	vectors, queries := writeVectors(t, 3, 1)
	long := write(t, "long.f32", strings.Repeat("\x00\x00\x00\x40", fileDim))
	few := write(t, "few.txt", "One sentence that says something.\n")
	tests := []struct {
		name  string
		flags []string
		want  []string
	}{
		{"no size", []string{"--sizes", "0"}, []string{"--sizes", "at least 1"}},
		{"vectors without queries", []string{"--vectors", vectors}, []string{"--queries"}},
		{"vectors and texts", []string{"--vectors", vectors, "--queries", queries, "--data", few}, []string{"--data"}},
		{"too few vectors", []string{"--vectors", vectors, "--queries", queries, "--sizes", "4"}, []string{"3 vectors", "want 4"}},
		{"not of length one", []string{"--vectors", long, "--queries", queries, "--sizes", "1"}, []string{"--vectors", "vector 0", "length one"}},
		{"cut off", []string{"--vectors", vectors, "--queries", few, "--sizes", "1"}, []string{"--queries", "multiple of 4·384"}},
		{"too few texts", []string{"--data", few, "--sizes", "4"}, []string{"1 distinct texts", "want 4"}},
		{"a folder without texts", []string{"--data", t.TempDir()}, []string{"--data", ".jsonl"}},
		{"no such file", []string{"--data", "nowhere.json"}, []string{"nowhere.json"}},
		{"an unknown kind of file", []string{"--data", write(t, "x.pdf", "x")}, []string{`".pdf"`, ".csv"}},
		{"broken JSON", []string{"--data", write(t, "x.json", `["a`)}, []string{"x.json"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := run(t.Context(), append([]string{"vectors"}, tt.flags...), &bytes.Buffer{}, &bytes.Buffer{})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func goodVectors() *vectorsReport {
	r := &vectorsReport{}
	for _, size := range []int{10_000, 100_000} {
		r.Rows = append(r.Rows,
			vectorsRow{Vectors: size, Engine: vector.EngineExact, Recall: minRecallExact, P50: 3, Answers: vector.EngineExact},
			vectorsRow{Vectors: size, Engine: vector.EngineHNSW, Recall: minRecallGraph, P50: 2.9, Answers: vector.EngineHNSW},
			vectorsRow{Vectors: size, Engine: vector.EngineCoder, Recall: minRecallLibrary, Answers: vector.EngineExact},
			vectorsRow{Vectors: size, Engine: vector.EngineAuto, Recall: minRecallGraph, Answers: vector.EngineHNSW},
			vectorsRow{Vectors: size, Engine: engineChurned, Recall: minRecallChurned},
			vectorsRow{Vectors: size, Engine: engineLibrary, Recall: 0.3})
	}
	return r
}

func TestCheckVectors_EachLimitAtItsBound(t *testing.T) {
	tests := []struct {
		name   string
		change func(rows []vectorsRow) // those of 100,000 begin at 6
		broken string
	}{
		{"all at their bounds", func([]vectorsRow) {}, ""},
		{"the scan misses", func(r []vectorsRow) { r[0].Recall = 0.98 }, "10000 vectors, recall@10 of exact"},
		{"the graph misses", func(r []vectorsRow) { r[7].Recall = 0.96 }, "100000 vectors, recall@10 of hnsw ≥"},
		{"auto misses", func(r []vectorsRow) { r[9].Recall = 0.96 }, "100000 vectors, recall@10 of auto"},
		{"coder misses", func(r []vectorsRow) { r[2].Recall = 0.94 }, "10000 vectors, recall@10 of coder"},
		{"churn hurts", func(r []vectorsRow) { r[10].Recall = 0.94 }, "100000 vectors, recall@10 of hnsw, half"},
		{"a bad library is trusted", func(r []vectorsRow) { r[2].Answers = vector.EngineCoder }, "10000 vectors, the scan answers for coder"},
		{"a good library may answer", func(r []vectorsRow) { r[2].Answers, r[5].Recall = vector.EngineCoder, 0.95 }, ""},
		{"a small graph may be slow", func(r []vectorsRow) { r[1].P50 = 4 }, ""},
		{"a large graph may not", func(r []vectorsRow) { r[7].P50 = 3 }, "100000 vectors, p50 of hnsw"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := goodVectors()
			tt.change(r.Rows)
			for _, l := range checkVectors(r) {
				broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken)
				if l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}

func TestVectorsMarkdown_HasARowPerEngineAndItsNotes(t *testing.T) {
	r := vectorsReport{Embeddings: "e5/1", Queries: 300, Rows: []vectorsRow{
		{Vectors: 1000, Engine: "coder", Recall: 1, P50: 0.5, P95: 12, BuildSeconds: 1.24, BytesPerVector: 831.4, Answers: "exact", Note: "not to be trusted"},
		{Vectors: 1000, Engine: engineChurned, Recall: 0.98765},
	}}
	for _, want := range []string{
		"e5/1; 300 queries.\n",
		"| 1000 | coder | 1.0000 | 0.50 ms / 12.0 ms | 1.2 s | 831 | exact |\n",
		"| 1000 | hnsw, half removed and added again | 0.9877 | 0.00 ms / 0.00 ms | 0.0 s | – |",
		"\n1000, coder: not to be trusted\n",
	} {
		if got := r.markdown(); !strings.Contains(got, want) {
			t.Errorf("the report lacks %q:\n%s", want, got)
		}
	}
}

func TestGatherTexts_TakesWhatSaysSomething(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{
		"a.json":  `{"id of it": "D1:3", "list": ["I have a dog. Do you like dogs?", "see https://example.org/some/page"], "n": 3}`,
		"b.jsonl": "{\"q\": \"Wo wohnt Ada jetzt?\"}\n{\"q\": \"我昨天在北京见了老朋友。\"}\n",
		"c.csv":   "\"A man, with a hat.\",A woman sings.,4.5\n",
		"d.txt":   "not of a folder, only if it is named",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := gatherTexts([]string{dir, dir})
	if err != nil {
		t.Fatal(err)
	}
	want := gathered{
		stored: []string{"I have a dog.", "我昨天在北京见了老朋友。", "A man, with a hat.", "A woman sings."},
		asked:  []string{"I have a dog. Do you like dogs?", "Do you like dogs?", "Wo wohnt Ada jetzt?"},
	}
	for _, set := range []struct {
		name      string
		got, want []string
	}{{"stored", got.stored, want.stored}, {"asked", got.asked, want.asked}} {
		if !sameSet(set.got, set.want) {
			t.Errorf("%s: %q, want %q in any order", set.name, set.got, set.want)
		}
	}
	again, err := gatherTexts([]string{dir})
	if err != nil || strings.Join(again.stored, "|") != strings.Join(got.stored, "|") {
		t.Errorf("another order: %q, %v", again.stored, err)
	}
}

func sameSet(a, b []string) bool {
	count := map[string]int{}
	for _, s := range a {
		count[s]++
	}
	for _, s := range b {
		count[s]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}
