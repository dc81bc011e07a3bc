package recall

import (
	"math"
	"testing"
)

// cosines are a store's, by document.
func meaningOf(t *talk, s Spread, cosines ...float64) *Meaning {
	return &Meaning{Spread: s, Turns: t, Words: t, Cosine: func(doc uint32) (float64, bool) {
		if int(doc) >= len(cosines) || math.IsNaN(cosines[doc]) {
			return 0, false
		}
		return cosines[doc], true
	}}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestMeaning_ATurnTakesOfTheTurnsBesideIt(t *testing.T) {
	s := Spread{Mean: 0.5, Std: 0.1, Top: 1}
	m := meaningOf(newTalk("Who mends it?", "A luthier mends it.", "Fine then."), s, 0.6, 0.7, 0.4)
	for doc, want := range []Nearness{
		{Own: 1, Depth: 1 + 0.2*2, Most: 5, Turn: true},
		{Own: 2, Depth: 2 + (0.2+0.5)*1 - 0.2*1, Most: 5, Turn: true}, // the turn before asks
		{Own: -1, Depth: -1 + 0.2*2, Most: 5, Turn: true},
	} {
		got := m.Of(uint32(doc))
		if !near(got.Own, want.Own) || !near(got.Depth, want.Depth) || !near(got.Most, want.Most) || got.Turn != want.Turn {
			t.Errorf("turn %d: %+v, want %+v", doc, got, want)
		}
	}
}

func TestMeaning_WhatStandsAloneCountsForWholeTalks(t *testing.T) {
	m := meaningOf(newTalk("A luthier mends it."), Spread{Mean: 0.5, Std: 0.1, Top: 1}, 0.7)
	if got := m.Of(0); !near(got.Own, 2) || !near(got.Depth, 2*alone) || !near(got.Most, 5*alone) || got.Turn {
		t.Errorf("%+v", got)
	}
}

func TestMeaning_WithoutAVectorNothingIsNear(t *testing.T) {
	m := meaningOf(newTalk("One.", "Two."), Spread{Mean: 0.5, Std: 0.1, Top: 1}, math.NaN(), 0.7)
	if got := m.Of(0); got != (Nearness{Unknown: got.Unknown}) || !near(got.Unknown, 5) {
		t.Errorf("%+v, want none, and that it could be 5", got)
	}
	single := meaningOf(newTalk("One."), m.Spread, math.NaN())
	if got := single.Of(0); !near(got.Unknown, 5*alone) {
		t.Errorf("by itself: %+v, want that it could be %v", got, 5*alone)
	}
	if got := m.Of(1); !near(got.Depth, 2) {
		t.Errorf("beside one without a vector: %+v, want its own nearness", got)
	}
}

func TestNearer_IsTheBetterOfEach(t *testing.T) {
	got := Nearness{Own: 3, Depth: -1, Most: 9}.Nearer(Nearness{Own: 1, Depth: 2, Turn: true})
	if want := (Nearness{Own: 3, Depth: 2, Most: 9, Turn: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestRate_WordsAndMeaningTogether(t *testing.T) {
	s := Scale{Most: 8, Whole: 10, Best: 4} // half of the words: w = .4·(2 − .5)
	const w = 0.6
	c := Candidate{Keyword: 4, Fit: 0.3, Factor: 1.1, Nearness: Nearness{Own: 2, Depth: 3, Most: 10}}
	s.Rate(&c)
	if want := (4 + w*3) * 1.1; !near(c.Vector, w*3) || !near(c.Raw, want) {
		t.Errorf("raw %v (vector %v), want %v", c.Raw, c.Vector, want)
	}
	if want := (0.3*10 + w*3) / (10 + w*10) * 1.1; !near(c.Score, want) || !near(c.Worded, 0.33) {
		t.Errorf("score %v by words %v, want %v and .33", c.Score, c.Worded, want)
	}
}

func TestRate_WithoutAVectorIsByWordsAlone(t *testing.T) {
	s := Scale{Most: 8, Whole: 10, Best: 4}
	c := Candidate{Keyword: 4, Fit: 0.3, Factor: 1, Slot: 1}
	s.Rate(&c)
	if !near(c.Raw, 4+0.25*8) || !near(c.Score, 0.55) || c.Score != c.Worded || c.Vector != 0 {
		t.Errorf("%+v", c)
	}
}

// TestRate_WhatWaitsForItsVectorIsNotPutBehind has fifty notes of which one has all
// the words, and no vector yet, as after many memories at once on a busy machine.
func TestRate_WhatWaitsForItsVectorIsNotPutBehind(t *testing.T) {
	s := Scale{Most: 8, Whole: 10, Best: 8}
	wanted := Candidate{Keyword: 8, Fit: 1, Factor: 1, Nearness: Nearness{Unknown: alone * 5}}
	alike := Candidate{Keyword: 3, Fit: 0.3, Factor: 1, Nearness: Nearness{Own: 4.5, Depth: alone * 4.5, Most: alone * 5}}
	s.Rate(&wanted)
	s.Rate(&alike)
	if wanted.Raw <= alike.Raw || wanted.Vector != 0 || !near(wanted.Score, 1) {
		t.Errorf("without a vector %+v, with one %+v: want the first ahead by its words", wanted, alike)
	}
	off := Candidate{Keyword: 1, Fit: 0.1, Factor: 1, Nearness: Nearness{Unknown: alone * 5}}
	if s.Rate(&off); off.Raw >= alike.Raw {
		t.Errorf("with few of the words and no vector: %+v, want it behind %+v", off, alike)
	}
}

func TestRate_FarIsNotWorseThanUnknown(t *testing.T) {
	s := Scale{Most: 8, Whole: 10, Best: 4}
	c := Candidate{Keyword: 4, Fit: 0.3, Factor: 1, Nearness: Nearness{Own: -3, Depth: -4, Most: 10}}
	s.Rate(&c)
	if !near(c.Raw, 4) || c.Vector != 0 || c.Score <= 0 {
		t.Errorf("%+v, want raw by words", c)
	}
}

func TestAbove_ByMeaning(t *testing.T) {
	with := func(own float64, turn bool) *Candidate {
		return &Candidate{Nearness: Nearness{Own: own, Depth: own, Most: 10, Turn: turn}}
	}
	worded := func(c *Candidate, by float64) *Candidate {
		c.Worded, c.Score = by, by
		return c
	}
	for name, tt := range map[string]struct {
		c    *Candidate
		n    int
		want bool
	}{
		"near in a store of three":                        {with(4, false), 3, true},
		"not near enough in a store of three":             {with(3.9, false), 3, false},
		"near enough for three is not for thousands":      {with(4, false), 5000, false},
		"nearer in thousands":                             {with(6, false), 5000, true},
		"words that are far from its meaning":             {worded(with(0.5, false), 0.3), 50, false},
		"words and a little meaning":                      {worded(with(1, false), 0.14), 50, true},
		"most of the words":                               {worded(with(-1, false), 0.5), 50, true},
		"words before its vector is made":                 {worded(&Candidate{}, 0.3), 50, true},
		"a turn by both":                                  {worded(with(0.2, true), 0.15), 600, true},
		"a turn that has too little of both":              {worded(with(2, true), 0.14), 600, false},
		"a long turn that holds the words":                {&Candidate{Cover: 0.4, Score: 0.1, Nearness: Nearness{Own: 1, Most: 10, Turn: true}}, 600, true},
		"a long turn that holds the words of another day": {&Candidate{Cover: 0.4, Score: 0.1, Nearness: Nearness{Own: 0, Most: 10, Turn: true}}, 600, false},
	} {
		if got := len(Above([]*Candidate{tt.c}, tt.n)) > 0; got != tt.want {
			t.Errorf("%s: shown %v, want %v", name, got, tt.want)
		}
	}
}

func TestAbove_BesideAHit(t *testing.T) {
	hit := func() *Candidate { return &Candidate{Nearness: Nearness{Own: 9, Most: 10}} }
	for name, tt := range map[string]struct {
		c    *Candidate
		want bool
	}{
		"far":                {&Candidate{Score: 0.1, Nearness: Nearness{Own: 1.4, Most: 10}}, false},
		"rather near":        {&Candidate{Nearness: Nearness{Own: 1.5, Most: 10}}, true},
		"with a word":        {&Candidate{Worded: FloorRest, Nearness: Nearness{Own: -1, Most: 10}}, true},
		"a turn, by both":    {&Candidate{Score: FloorRest, Nearness: Nearness{Own: -1, Most: 10, Turn: true}}, true},
		"a turn, by neither": {&Candidate{Score: FloorRest / 2, Nearness: Nearness{Own: 2, Most: 10, Turn: true}}, false},
	} {
		if got := len(Above([]*Candidate{hit(), tt.c}, 50)) == 2; got != tt.want {
			t.Errorf("%s: shown %v, want %v", name, got, tt.want)
		}
	}
}
