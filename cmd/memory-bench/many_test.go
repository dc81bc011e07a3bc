package main

import "testing"

func TestCheckMany_FindsWhatIsLostTwiceOrLate(t *testing.T) {
	good := manyRound{Wanted: 400, Owners: 1, TakeOverMS: 100}
	frozen := frozenReport{Tried: true, Named: true, Answered: true, ErrorMS: 10_000}
	failed := func(r manyReport) (n int) {
		for _, l := range checkMany(r) {
			if !l.Holds {
				n++
			}
		}
		return n
	}
	if n := failed(manyReport{Rounds: []manyRound{good, good}, Frozen: frozen}); n != 0 {
		t.Errorf("all is well, but %d limits fail", n)
	}
	late := good
	late.TakeOverMS = 2500
	for want, rounds := range [][]manyRound{{late, good, good}, {late, good, late}} {
		if n := failed(manyReport{Rounds: rounds, Frozen: frozen}); n != want {
			t.Errorf("take-overs of %+v: %d limits fail, want %d", rounds, n, want)
		}
	}
	for name, spoil := range map[string]func(*manyRound, *frozenReport){
		"missing":   func(m *manyRound, _ *frozenReport) { m.Missing = 1 },
		"twice":     func(m *manyRound, _ *frozenReport) { m.Twice = 1 },
		"refused":   func(m *manyRound, _ *frozenReport) { m.Refused = 1 },
		"odd":       func(m *manyRound, _ *frozenReport) { m.Odd = 1 },
		"no owner":  func(m *manyRound, _ *frozenReport) { m.Owners = 0 },
		"late":      func(m *manyRound, _ *frozenReport) { m.TakeOverMS = 2500 },
		"unnamed":   func(_ *manyRound, f *frozenReport) { f.Named = false },
		"no thaw":   func(_ *manyRound, f *frozenReport) { f.Answered = false },
		"hung":      func(_ *manyRound, f *frozenReport) { f.ErrorMS = 30_000 },
		"not timed": func(m *manyRound, _ *frozenReport) { m.TakeOverMS = 0 },
	} {
		m, f := good, frozen
		spoil(&m, &f)
		if n := failed(manyReport{Rounds: []manyRound{m}, Frozen: f}); n != 1 {
			t.Errorf("%s: %d limits fail, want 1", name, n)
		}
	}
}
