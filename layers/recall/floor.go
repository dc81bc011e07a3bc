package recall

import (
	"math"
	"slices"
)

// The default floor, where min_score is not given, is about the question: whether
// it is about something remembered at all. Without vectors it is if its best
// candidate scores Floor, or holds FloorCover of the weight of its words (a long
// text scores low however well it fits). Chosen with memory-bench locomo: of 85
// nonsense questions in ten stores 4.4 % find anything, and of the real questions
// whose evidence is among the first ten 0.2 % find nothing.
//
// A store below floorFull records holds fewer words that a nonsense question
// could meet by chance, so its floor is lower: by the logarithm of its size.
const (
	Floor      = 0.125
	FloorCover = 0.35
	floorFull  = 400
)

// With vectors it is, too, if its best candidate lies near enough in meaning; the
// nearest of n that have nothing to do with it lies the nearer the more there are,
// by the logarithm of n. Words say less by themselves then: they need a little
// nearness, or most of the question's weight. A turn is judged by words and meaning
// together, its own and what it is lent.
//
// Chosen on every other question of memory-bench meaning and of the nonsense of
// memory-bench locomo, in stores of 3, 10, 33, 50 and some 600 records: there at
// most 3.7 % of what is unrelated finds anything, of the other half at most 4.8 %.
const (
	floorTurn   = 0.147 // score
	floorWorded = 0.13  // score by words
	floorNear   = 1     // standard deviations
	floorSure   = 0.5   // score by words, or cover, that needs no nearness
	floorOwn    = 3.6   // standard deviations in a store of none
	floorGrowth = 0.25  // how many more for each e-fold of the store
	floorTalk   = 0.5   // how many more for a turn: talk is more alike than notes are
)

// From where on the others are shown, too, beside what made the question one about
// something remembered: by score, or where a record that stands by itself shares no
// word with the question, by standard deviations.
const (
	FloorRest    = 0.03
	floorRestOwn = 1.5
)

// Above keeps the candidates that are shown by default, in a store of n records.
func Above(cs []*Candidate, n int) []*Candidate {
	if !slices.ContainsFunc(cs, func(c *Candidate) bool { return c.about(n) }) {
		return nil
	}
	named := slices.ContainsFunc(cs, func(c *Candidate) bool { return c.Cover >= coverAll })
	return slices.DeleteFunc(cs, func(c *Candidate) bool {
		return !c.beside() || named && !c.Turn && c.Cover == 0 && !c.about(n)
	})
}

// coverAll is the share of the weight of a question's words from which on a record
// is taken to hold them all. Beside one that does, a record that holds none must by
// itself be near enough: who asks for "kiln" and has kilns wants no lathe.
const coverAll = 0.95

// beside reports whether a candidate is shown beside a better one.
func (c *Candidate) beside() bool {
	if c.Turn || c.Most == 0 {
		return c.Score >= FloorRest || c.Cover >= FloorCover
	}
	return c.Worded >= FloorRest || c.Cover >= FloorCover || c.Own >= floorRestOwn
}

// about reports whether a candidate alone shows that the question is about
// something remembered. One that has no vector yet is judged by its words.
func (c *Candidate) about(n int) bool {
	size := math.Log1p(float64(n))
	if c.Most == 0 {
		return c.Worded >= Floor*min(1, size/math.Log1p(floorFull)) || c.Cover >= FloorCover
	}
	near, enough := c.Own >= floorNear, floorOwn+floorGrowth*size
	if c.Turn {
		return c.Score >= floorTurn || c.Cover >= FloorCover && near || c.Own >= enough+floorTalk
	}
	sure := near || c.Worded >= floorSure || c.Cover >= floorSure
	return sure && (c.Worded >= floorWorded || c.Cover >= FloorCover) || c.Own >= enough
}
