// Package worth judges what each sentence of a conversation is worth to memory:
// for each of the five layers how likely it holds something of it, and for each
// turn a score from 1 (nothing) to 5 (keep for long).
//
//	Talk ── units ──> grams, cues (cues.txt), vector ── linear ──> Scores
//	          │                                            │
//	  a sentence, and all                  lifted where a sentence says it
//	  that a turn states                   plainly (sure.txt)
//
// Only what conversation.Read calls Stated is judged: quotations, questions, play
// and the assistant's words score nothing, whatever they hold.
//
// A turn that holds little by itself goes along where its talk, among named
// people, surely holds something (people.go).
//
// What people settle while they work together (work.go) is told by the rules of
// package conversation and a head of its own (settles.json), which lift the layer
// that it is of.
//
// Sentences in languages that are not read by rules are told by plain forms of their
// language (foreign_sure.go, sure/), else by their vectors alone (foreign.go,
// foreign.json); and so are those of Japanese that no rule reads (japanese.go,
// sure_ja.txt).
//
// The classifier is a logistic regression for each layer against the rest, once
// over words and cues alone and once with the vectors of the built-in embedder.
// Package train makes weights.bin of the labelled sentences in
// ../gatekeeper/testdata. Vectors of another model than the one it was trained
// with are not used: then words and cues decide alone.
package worth
