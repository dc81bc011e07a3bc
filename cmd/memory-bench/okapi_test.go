package main

import (
	"math"
	"testing"
)

func TestOkapi_IsBM25(t *testing.T) {
	o := newOkapi(&talk{Sittings: []sitting{{Utterances: []utterance{
		{ID: "D1:1", Text: "violin violin harbour"},
		{ID: "D1:2", Text: "harbour"},
		{ID: "D1:3", Text: "trumpet lighthouse"},
	}}}})
	got := o.ranked("violin harbour", 10)
	if len(got) != 2 || got[0].ID != "D1:1" || got[1].ID != "D1:2" {
		t.Fatalf("ranked %v", got)
	}
	violin, harbour := math.Log(1+2.5/1.5), math.Log(1+1.5/2.5) // in one and in two of three turns
	long, short := 1.2*(0.25+0.75*3/2), 1.2*(0.25+0.75*1/2)     // of two terms on average
	for i, want := range []float64{violin*2*2.2/(2+long) + harbour*2.2/(1+long), harbour * 2.2 / (1 + short)} {
		if math.Abs(got[i].Score-want) > 1e-9 {
			t.Errorf("%s scores %v, want %v", got[i].ID, got[i].Score, want)
		}
	}
}

func TestOkapi_CutsAndLeavesOutWhatSharesNothing(t *testing.T) {
	o := newOkapi(&talk{Sittings: []sitting{{Utterances: []utterance{{ID: "D1:1", Text: "violin"}, {ID: "D1:2", Text: "violin"}}}}})
	if got := o.ranked("violin", 1); len(got) != 1 || got[0].ID != "D1:1" {
		t.Errorf("ranked %v, want the earlier of two equal turns", got)
	}
	if got := o.ranked("trumpet", 10); len(got) != 0 {
		t.Errorf("ranked %v, want none", got)
	}
	if got := newOkapi(&talk{}).ranked("violin", 10); len(got) != 0 {
		t.Errorf("an empty talk gives %v", got)
	}
}
