package layers_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcp-memory/layers"
)

// fill stores n made-up memories, a third of them statements in slots.
func fill(b *testing.B, h *home, n int) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < n; i += 100 {
		call := layers.RememberInput{}
		for j := range 100 {
			words := make([]string, 8+rng.IntN(30))
			for k := range words {
				words[k] = fmt.Sprintf("w%d", int(rng.ExpFloat64()*300))
			}
			in := layers.Memorandum{Text: strings.Join(words, " ")}
			if j%3 == 0 {
				in.Entity, in.Attribute, in.Value = fmt.Sprintf("thing %d", rng.IntN(n)), "state", words[0]
			}
			call.Memories = append(call.Memories, in)
		}
		if _, err := h.Remember(b.Context(), user, call); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRecall(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := openQuick(b)
			defer h.stop()
			fill(b, h, n)
			recallMany(b, h)
		})
	}
}

// BenchmarkRecall_Vectors is the same with vectors of words, which cost nothing to
// make.
func BenchmarkRecall_Vectors(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			h := openQuick(b)
			h.opts.Embedder = &thesaurus{}
			h.restart()
			defer h.stop()
			fill(b, h, n)
			h.embedded()
			recallMany(b, h)
		})
	}
}

func recallMany(b *testing.B, h *home) {
	rng := rand.New(rand.NewPCG(3, 4))
	b.ReportAllocs()
	for b.Loop() {
		query := fmt.Sprintf("w%d w%d the state w%d", rng.IntN(50), rng.IntN(500), rng.IntN(500))
		if _, err := h.Recall(b.Context(), user, layers.RecallInput{Query: query}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRemember_OneSlot says one more thing about a slot of which much was said:
// another value, and the same.
func BenchmarkRemember_OneSlot(b *testing.B) {
	for _, what := range []string{"changing", "same"} {
		for _, n := range []int{500, 4_000, 10_000} {
			b.Run(fmt.Sprintf("%s/%d", what, n), func(b *testing.B) {
				h := openUnsynced(b)
				said, value := 0, func(int) string { return "calm" }
				if what == "changing" {
					value = func(i int) string { return fmt.Sprint("mood ", said+i) }
				}
				h.said(n, value)
				said = n
				b.ReportAllocs()
				for b.Loop() {
					h.said(1, value)
					said++
				}
			})
		}
	}
}

// BenchmarkRecall_OneSlot asks for what was said of such a slot, after each of it.
func BenchmarkRecall_OneSlot(b *testing.B) {
	for _, n := range []int{500, 4_000, 10_000} {
		for _, all := range []bool{false, true} {
			b.Run(fmt.Sprintf("%d/history=%v", n, all), func(b *testing.B) {
				h := openUnsynced(b)
				said := 0
				value := func(i int) string { return fmt.Sprint("mood ", said+i) }
				h.said(n, value)
				said = n
				b.ReportAllocs()
				for b.Loop() {
					h.said(1, value)
					said++
					in := layers.RecallInput{Query: "what is my mood?", IncludeSuperseded: all}
					if _, err := h.Recall(b.Context(), user, in); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkOpening is what a client asks for when a session begins.
func BenchmarkOpening(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		h := openQuick(b)
		fill(b, h, n)
		for name, ask := range map[string]func() error{
			"recall":  func() error { _, err := h.Recall(b.Context(), user, layers.RecallInput{}); return err },
			"stats":   func() error { _, err := h.Stats(b.Context(), user); return err },
			"profile": func() error { _, err := h.Profile(b.Context(), user); return err },
			"recent":  func() error { _, err := h.Recent(b.Context(), user); return err },
			"nothing": func() error {
				_, err := h.Recall(b.Context(), user, layers.RecallInput{Query: "zyzzyva qwertz"})
				return err
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := ask(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		h.stop()
	}
}

// BenchmarkRemember_Closing says what may end statements of any slot, among many.
func BenchmarkRemember_Closing(b *testing.B) {
	h := openUnsynced(b)
	for i := range 100 {
		in := layers.RememberInput{}
		for j := range 100 {
			m := slotted("state", fmt.Sprint(j), "")
			m.Entity = fmt.Sprintf("thing %d", 100*i+j)
			in.Memories = append(in.Memories, m)
		}
		if _, err := h.Remember(b.Context(), user, in); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		h.say(layers.Memorandum{Text: []string{"I prefer tea now.", "I prefer coffee now."}[i%2]})
	}
}
