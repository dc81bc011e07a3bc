package layers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mcp-memory/storage"
)

func TestForgetParts_HoldEverythingOnceAndFitTheStore(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct{ records, turns, jobs, hashes int }{
		{1, 0, 0, 0}, {partRecords, 10, 1, 0}, {partRecords + 1, 0, 0, 0}, {3*partRecords + 7, 2*partTurns + 1, 5, 0}, {1, 0, 5, 0},
		{0, 2*partTurns + 1, 0, 0}, {2*partAhead + 1, 1, 0, 0}, {partRecords, 0, 0, 40},
	} {
		op := storage.Op{User: "ann", At: at, Seen: []string{"x"}, Answer: &storage.Answer{Key: "k"}, Forget: &storage.Forget{Receipt: "E", Erase: &storage.Erase{}}}
		said := make([]string, c.turns)
		for i := range said {
			said[i] = fmt.Sprint("t", i)
		}
		op.Forget.Erase.Turns = said
		for i := range c.records {
			op.Forget.Records = append(op.Forget.Records, storage.Tombstone{ID: fmt.Sprint(i), MessageHash: make([]string, c.hashes)})
		}
		var jobs []string
		for i := range c.jobs {
			jobs = append(jobs, fmt.Sprint("J", i))
			op.Jobs = append(op.Jobs, storage.Job{ID: jobs[i], Body: make([]byte, partBytes/2)})
		}
		checkParts(t, forgetParts(op, storage.Ahead{All: true}), &op)
	}
}

// checkParts looks whether parts are op.
func checkParts(t *testing.T, parts []storage.Op, op *storage.Op) {
	t.Helper()
	whole := storage.Op{User: "ann", Forget: &storage.Forget{Receipt: "E", Erase: &storage.Erase{}}}
	var announced []string
	last, begun, taken := op.At.Add(-1), false, false
	for i, part := range parts {
		if !part.At.After(last) || part.User != "ann" {
			t.Fatalf("%d records: part at %v after %v", len(op.Forget.Records), part.At, last)
		}
		last = part.At
		whole.Seen, whole.Jobs = append(whole.Seen, part.Seen...), append(whole.Jobs, part.Jobs...)
		if part.Answer != nil && (whole.Answer != nil || taken) {
			t.Errorf("%d records: an answer in part %d", len(op.Forget.Records), i)
		}
		whole.Answer = cmp.Or(whole.Answer, part.Answer)
		f := part.Forget
		if f == nil {
			continue
		}
		if f.More != begun || f.Receipt != "E" || f.Erase == nil || len(f.Records) > partRecords || len(f.Erase.Turns) > partTurns || f.Last != (len(parts) > 1 && i == len(parts)-1) {
			t.Fatalf("%d records: part %d of %d: more %v, last %v", len(op.Forget.Records), i, len(parts), f.More, f.Last)
		}
		if size, err := json.Marshal(part); err != nil || len(size) > 6<<20 {
			t.Errorf("%d records: part %d has %d bytes, %v", len(op.Forget.Records), i, len(size), err)
		}
		if begun = true; f.Ahead != nil {
			announced = append(announced, f.Ahead.IDs...)
			if taken || !f.Ahead.All || f.Ahead.Of != len(op.Forget.Records) || len(f.Records) > 0 {
				t.Errorf("part %d announces late, or takes", i)
			}
			continue
		}
		taken = true
		whole.Forget.Records, whole.Forget.Erase.Turns = append(whole.Forget.Records, f.Records...), append(whole.Forget.Erase.Turns, f.Erase.Turns...)
	}
	same := func(got, want []storage.Tombstone) bool {
		return slices.EqualFunc(got, want, func(a, b storage.Tombstone) bool { return a.ID == b.ID })
	}
	if !same(whole.Forget.Records, op.Forget.Records) || !slices.Equal(whole.Forget.Erase.Turns, op.Forget.Erase.Turns) || len(whole.Jobs) != len(op.Jobs) ||
		!slices.Equal(whole.Seen, op.Seen) || whole.Answer != op.Answer {
		t.Errorf("%d records: %d of them, %d turns, %d jobs, seen %v", len(op.Forget.Records), len(whole.Forget.Records), len(whole.Forget.Erase.Turns), len(whole.Jobs), whole.Seen)
	}
	if len(parts) > 1 && len(announced) != len(op.Forget.Records) {
		t.Errorf("%d records: %d announced in %d parts", len(op.Forget.Records), len(announced), len(parts))
	}
}

// FuzzWordSet: a word is found where it stands, and one of fewer than four bytes
// only as the whole.
func FuzzWordSet(f *testing.F) {
	f.Add("tea", "I like tea")
	f.Add("berlin", "to berlin")
	f.Fuzz(func(t *testing.T, word, s string) {
		if word == "" {
			return
		}
		w := wordSet{}
		w.add(word)
		for _, text := range []string{word, s + word, word + s} {
			if want := len(word) >= wordKey || text == word; w.in(text) != want {
				t.Fatalf("%q in %q: %v", word, text, !want)
			}
		}
	})
}

// FuzzWordSet_Alone: a short word is found where nothing of a word stands beside it.
func FuzzWordSet_Alone(f *testing.F) {
	f.Add("al", "called")
	f.Add("茶", "喝")
	f.Add("é", "")
	f.Add("no", "\xff")
	f.Fuzz(func(t *testing.T, word, s string) {
		w := wordSet{}
		w.add(word)
		w.alone(s)
		if len(word) < 2 || len(word) >= wordKey || !utf8.ValidString(word) || strings.ContainsFunc(word, func(r rune) bool { return !inWord(r) }) {
			return
		}
		for text, want := range map[string]bool{word: true, word + " x": true, s + " " + word: true, s + "。" + word + "，": true} {
			if w.alone(text) != want {
				t.Fatalf("%q in %q: %v", word, text, !want)
			}
		}
		for _, text := range []string{"x" + word, word + "x", "x" + word + "9"} {
			if w.alone(text) {
				t.Fatalf("%q in %q", word, text)
			}
		}
	})
}

func TestWordSet_Alone(t *testing.T) {
	w := wordSet{}
	for _, word := range []string{"茶", "al", "no", "ed", "물", "5", "tea time"} {
		w.add(word)
	}
	for text, want := range map[string]bool{
		"我喜欢喝茶": true, "绿茶很好": true, "咖啡": false, "al called": true, "ask al.": true, "also": false, "medal": false, "no": true,
		"no-one": true, "know": false, "물을 마신다": true, "at 5": false, "it is tea time": false, "": false, "al": true, "edna": false, "(ed)": true,
	} {
		if got := w.alone(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
