package main

import (
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func draw(seed uint64, n int) ([]memory, []question) {
	c := newCorpus(seed, n, proseLength)
	var memories []memory
	var questions []question
	for range n {
		memories = append(memories, c.next())
	}
	for range n {
		questions = append(questions, c.ask())
	}
	return memories, questions
}

func TestCorpus_SameSeedSameSequence(t *testing.T) {
	memories, questions := draw(1, 200)
	againMemories, againQuestions := draw(1, 200)
	if diff := cmp.Diff(memories, againMemories); diff != "" {
		t.Errorf("memories differ:\n%s", diff)
	}
	if diff := cmp.Diff(questions, againQuestions); diff != "" {
		t.Errorf("questions differ:\n%s", diff)
	}
	if other, _ := draw(2, 200); cmp.Equal(memories, other) {
		t.Error("another seed gives the same memories")
	}
}

func TestCorpus_HasThePromisedShares(t *testing.T) {
	const n = 5000
	memories, _ := draw(1, n)
	seen := map[[2]string]bool{}
	var slots, superseding, chinese, episodic float64
	for _, m := range memories {
		slot := [2]string{m.Entity, m.Attribute}
		if m.Entity != "" {
			slots++
			if seen[slot] {
				superseding++
			}
			seen[slot] = true
		}
		if strings.ContainsFunc(m.Text, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			chinese++
		}
		if m.Tier == "episodic" {
			episodic++
		}
	}
	shares := []struct {
		name      string
		got, want float64
	}{
		{"slots", slots, shareSlots},
		{"superseding", superseding, shareSupersedes},
		{"Chinese", chinese, shareChinese},
		{"episodic", episodic, (1 - shareSlots) * shareEpisodic},
	}
	for _, s := range shares {
		if math.Abs(s.got/n-s.want) > 0.02 {
			t.Errorf("%s: %.3f of the memories, want about %.2f", s.name, s.got/n, s.want)
		}
	}
}

func TestCorpus_StaysInsideTheToolsRules(t *testing.T) {
	memories, questions := draw(3, 3000)
	shortest, longest := math.MaxInt, 0
	for _, m := range memories {
		if (m.Entity == "") != (m.Attribute == "") || (m.Attribute == "") != (m.Value == "") {
			t.Fatalf("half a slot: %+v", m)
		}
		if m.Tier == "episodic" && m.Entity != "" {
			t.Fatalf("episodic with a slot: %+v", m)
		}
		if !utf8.ValidString(m.Text) {
			t.Fatalf("not UTF-8: %q", m.Text)
		}
		if m.Entity == "" && m.Text[0] < utf8.RuneSelf {
			words := len(strings.Fields(m.Text))
			shortest, longest = min(shortest, words), max(longest, words)
		}
	}
	if shortest < proseLength.least || longest > proseLength.most || longest < proseLength.most/2 {
		t.Errorf("texts of %d to %d words, want inside %+v", shortest, longest, proseLength)
	}
	for _, q := range questions {
		if words := len(strings.Fields(q.Query)); words < 1 || words > maxQueryWords {
			t.Errorf("a query of %d words: %q", words, q.Query)
		}
	}
}

func TestCorpus_ValuesOfASlotDiffer(t *testing.T) {
	memories, _ := draw(4, 3000)
	values := map[string]bool{}
	for _, m := range memories {
		if m.Value != "" && values[m.Value] {
			t.Fatalf("value %q twice: it would reinforce, not supersede", m.Value)
		}
		values[m.Value] = true
	}
}

func TestCorpus_BeyondItsSizeIsSaidNow(t *testing.T) {
	c := newCorpus(1, 2, proseLength)
	for i, wantTime := range []bool{true, true, false} {
		if got := c.next().ObservedAt != ""; got != wantTime {
			t.Errorf("memory %d has a time: %v, want %v", i, got, wantTime)
		}
	}
}

// TestCorpus_SaysNothingTwice where texts are so short that draws repeat.
func TestCorpus_SaysNothingTwice(t *testing.T) {
	c, seen := newCorpus(5, 3000, length{1, 2}), map[string]bool{}
	for range 3000 {
		text := c.next().Text
		if seen[text] {
			t.Fatalf("made twice: %q", text)
		}
		seen[text] = true
	}
}

func TestCorpus_AsksNothingTwiceWhereAskedTo(t *testing.T) {
	c, seen := newCorpus(6, 100, shortLength), map[string]bool{}
	for range 1000 {
		query := c.askNew().Query
		if seen[query] {
			t.Fatalf("asked twice: %q", query)
		}
		seen[query] = true
	}
}
