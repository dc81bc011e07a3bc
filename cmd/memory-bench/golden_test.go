package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAgree_UpToTiesOfEqualScore(t *testing.T) {
	want := []hit{{"a", 5}, {"b", 3}, {"c", 3}, {"d", 1}, {"e", 1}}
	tests := []struct {
		name string
		got  []hit
		ok   bool
	}{
		{"the same", want, true},
		{"equal ones change places", []hit{{"a", 5}, {"c", 3}, {"b", 3}, {"e", 1}, {"d", 1}}, true},
		{"unequal ones change places", []hit{{"b", 5}, {"a", 3}, {"c", 3}, {"d", 1}, {"e", 1}}, false},
		{"another at the cut with the same score", []hit{{"a", 5}, {"b", 3}, {"c", 3}, {"d", 1}, {"x", 1.0001}}, true},
		{"another at the cut with another score", []hit{{"a", 5}, {"b", 3}, {"c", 3}, {"d", 1}, {"x", 2}}, false},
		{"another before the cut, though its score ties", []hit{{"a", 5}, {"x", 3}, {"c", 3}, {"d", 1}, {"e", 1}}, false},
		{"one is missing", want[:4], false},
		{"nothing", nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := agree(tt.got, want); got != tt.ok {
				t.Errorf("agree = %v, want %v", got, tt.ok)
			}
		})
	}
	if !agree(nil, nil) {
		t.Error("two empty rankings do not agree")
	}
}

func TestReadGolden_DropsPlacesOfNoScore(t *testing.T) {
	path := write(t, "golden.jsonl", `{"conv": "talk-1", "qa_index": 2, "top": [["D2:3", 4.5], ["D2:1", 0.0]]}`+"\n")
	got, err := readGolden(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[goldenKey][]hit{{"talk-1", 2}: {{"D2:3", 4.5}}}, got); diff != "" {
		t.Errorf("golden rankings differ (-want +got):\n%s", diff)
	}
	if _, err := readGolden(write(t, "golden.jsonl", "\n{")); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("a broken file gives %v, want its line", err)
	}
}
