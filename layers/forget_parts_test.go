package layers

import (
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
	for _, records := range []int{1, partRecords, partRecords + 1, 3*partRecords + 7} {
		op := storage.Op{User: "ann", At: at, Seen: []string{"x"}, Forget: &storage.Forget{Receipt: "E", Erase: &storage.Erase{}}}
		said := make([]string, 2*partTurns+1)
		for i := range said {
			said[i] = fmt.Sprint("t", i)
		}
		op.Forget.Erase.Turns = said
		for i := range records {
			op.Forget.Records = append(op.Forget.Records, storage.Tombstone{ID: fmt.Sprint(i)})
		}
		for i := range 5 {
			op.Jobs = append(op.Jobs, storage.Job{ID: fmt.Sprint("J", i), Body: make([]byte, partBytes/2)})
		}
		var ids, jobs, turns, seen []string
		last, begun := at.Add(-1), false
		for _, part := range forgetParts(op) {
			if !part.At.After(last) || part.User != "ann" {
				t.Fatalf("%d records: part at %v after %v", records, part.At, last)
			}
			last, seen = part.At, append(seen, part.Seen...)
			for _, j := range part.Jobs {
				jobs = append(jobs, j.ID)
			}
			if part.Forget == nil {
				continue
			}
			if part.Forget.More != begun || part.Forget.Receipt != "E" || part.Forget.Erase == nil || len(part.Forget.Records) > partRecords || len(part.Forget.Erase.Turns) > partTurns {
				t.Fatalf("%d records: part %+v", records, part.Forget)
			}
			begun, turns = true, append(turns, part.Forget.Erase.Turns...)
			for _, r := range part.Forget.Records {
				ids = append(ids, r.ID)
			}
		}
		if len(ids) != records || ids[records-1] != fmt.Sprint(records-1) || !slices.Equal(turns, said) || !slices.Equal(seen, []string{"x"}) ||
			!slices.Equal(jobs, []string{"J0", "J1", "J2", "J3", "J4"}) {
			t.Errorf("%d records: %d ids, %d turns, seen %v, jobs %v", records, len(ids), len(turns), seen, jobs)
		}
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
