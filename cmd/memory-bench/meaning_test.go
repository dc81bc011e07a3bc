package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mcp-memory/internal/text"
)

func TestMeanings_ParaphrasesShareNoWordAndAllPairsHaveARecord(t *testing.T) {
	set, err := readMeanings()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, p := range set.pairs {
		kinds[p.kind]++
		held := map[string]bool{}
		for _, term := range text.Terms(set.records[p.record]) {
			held[term] = true
		}
		for _, term := range text.QueryTerms(p.query) {
			if held[term] {
				t.Errorf("%q and %q share %q", p.query, set.records[p.record], term)
			}
		}
	}
	if kinds[paraphrase] < 8 || kinds[language] < 8 {
		t.Errorf("%v pairs, want at least 8 of each kind", kinds)
	}
}

func TestMeanings_StridesReachEveryRecord(t *testing.T) {
	set, err := readMeanings()
	if err != nil {
		t.Fatal(err)
	}
	for turn := range strides {
		seen := map[int]bool{}
		for _, place := range set.around(7, len(set.records), turn) {
			seen[place] = true
		}
		if len(seen) != len(set.records) {
			t.Errorf("turn %d reaches %d of %d records", turn, len(seen), len(set.records))
		}
	}
	for _, s := range floorStores {
		if s.stores > len(strides) {
			t.Errorf("%d stores of %d records and %d strides", s.stores, s.size, len(strides))
		}
	}
}

func TestMeaning_MeasuresEveryStoreAndHoldsItsLimits(t *testing.T) {
	var out, log bytes.Buffer
	if err := run(t.Context(), []string{"meaning", "--check", "--json"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s%s", err, out.String(), log.String())
	}
	var r meaningReport
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Pairs) != 4 || len(r.Floors) != 6 || r.Model == "" || len(r.Limits) != 5 {
		t.Fatalf("measured %+v", r)
	}
	missed := 0
	for _, p := range r.Pairs {
		missed += p.Questions - p.First
	}
	if missed != len(r.Others) {
		t.Errorf("%d questions miss their record and %d are listed", missed, len(r.Others))
	}
	for _, f := range r.Floors {
		if f.Unrelated == 0 || f.Answered > f.Unrelated || f.Real == 0 || f.Found > f.Real {
			t.Errorf("floor %+v", f)
		}
	}
}

func TestCheckMeaning_EachLimitAtItsBound(t *testing.T) {
	good := func() *meaningReport {
		return &meaningReport{
			Pairs:  []pairRow{{paraphrase, pairStore, 8, 7, 8}, {language, pairStore, 8, 7, 8}, {paraphrase, 96, 8, 0, 0}},
			Floors: []smallFloor{{Size: 3, Unrelated: 100, Answered: 50}, {Size: 3, Half: "reported", Unrelated: 100, Answered: 5}},
		}
	}
	tests := []struct {
		name   string
		change func(r *meaningReport)
		broken string
	}{
		{"all at their bounds", func(*meaningReport) {}, ""},
		{"paraphrases", func(r *meaningReport) { r.Pairs[0].First = 6 }, "paraphrase first"},
		{"languages", func(r *meaningReport) { r.Pairs[1].First = 6 }, "language first"},
		{"unrelated", func(r *meaningReport) { r.Floors[1].Answered = 6 }, "unrelated"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := good()
			tt.change(r)
			got := checkMeaning(r)
			if len(got) != 3 {
				t.Fatalf("%d limits, want 3", len(got))
			}
			for _, l := range got {
				if broken := tt.broken != "" && strings.HasPrefix(l.Limit, tt.broken); l.Holds == broken {
					t.Errorf("%s: measured %s, holds = %v", l.Limit, l.Measured, l.Holds)
				}
			}
		})
	}
}
