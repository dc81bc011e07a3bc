package recall

import (
	_ "embed"
	"math"
	"slices"
	"strings"
)

// yardstick is the same four statements and four questions in twelve languages,
// none of which has to do with another: a line each, "statement" or "question"
// before the text, under a heading with a # for each language.
//
//go:embed yardstick.txt
var yardstick string

// Yardstick returns the texts that a model's lens is made from, by language.
func Yardstick() (statements, questions [][]string) {
	for line := range strings.Lines(yardstick) {
		kind, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		last := len(statements) - 1
		switch kind {
		case "#":
			statements, questions = append(statements, nil), append(questions, nil)
		case "statement":
			statements[last] = append(statements[last], text)
		case "question":
			questions[last] = append(questions[last], text)
		}
	}
	return statements, questions
}

// Lens takes out of a query's vector what says nothing about its subject, so that
// cosines with records compare subjects alone: what a model gives any text that
// is embedded as a query, and the directions in which languages differ. A model of
// many languages puts any two texts of one language nearer to each other than the
// same thing said in two (Yang and others 2021, "A Simple and Effective Method To
// Eliminate the Self Language Bias in Multilingual Representations"; for the
// common part Mu and Viswanath 2018, "All-but-the-Top"). Records stay as they are:
// in a dot product a change to one side does for both.
//
// With multilingual-e5-small, vectors alone and twelve records, it raises the first
// places of questions in another language than their record from 85 to 97 of 100,
// of paraphrases from 82 to 89, and costs nothing on LoCoMo.
type Lens struct {
	common    []float64   // what every query has
	languages [][]float64 // orthonormal
	unrelated []float64   // the mean of passages that have nothing to do with a query
	std       float64     // of a query's cosines with those
}

// commonShare is how much of what all queries have in common is taken out. All of
// it costs a fifth of a point of session hit@1 on LoCoMo, half of it three of a
// hundred first places of paraphrases.
const commonShare = 0.75

// lensShare is how many numbers a vector must have for each direction that is
// taken out of it.
const lensShare = 32

// NewLens makes the lens of a model from its vectors of the yardstick, by
// language: statements embedded as passages and as queries, and questions. What
// questions have in common is left in: that something is asked for is part of
// what a query means.
func NewLens(passages, statements, questions [][][]float32) *Lens {
	said, asked := join(statements), join(questions)
	dim := len(said[0])
	l := &Lens{common: mean(said, dim)}
	rows := make([][]float64, len(passages))
	for i := range rows {
		rows[i] = mean(append(slices.Clone(passages[i]), questions[i]...), dim)
	}
	middle := mean(rows, dim)
	for _, row := range rows[:min(len(rows), dim/lensShare)] {
		subtract(row, middle, 1)
		l.project(row)
		if unit(row) {
			l.languages = append(l.languages, row)
		}
	}
	l.unrelated = mean(join(passages), dim)
	l.std = l.spread(asked, join(passages))
	return l
}

// spread is the standard deviation of one query's cosines with passages that have
// nothing to do with it, as it is on average.
func (l *Lens) spread(queries, passages [][]float32) (std float64) {
	n := float64(len(passages))
	for _, q := range queries {
		focus, sum, square := l.Focus(q), 0.0, 0.0
		for _, p := range passages {
			c := dot(focus, p)
			sum, square = sum+c, square+c*c
		}
		std += math.Sqrt(max(0, square/n-sum/n*sum/n)) / float64(len(queries))
	}
	return max(std, leastStd)
}

// leastStd keeps a model that gives all texts one vector from a division by zero.
const leastStd = 1e-6

// Focus returns what is compared with records in place of a query's vector, of
// unit length; the vector itself where nothing would be left of it.
func (l *Lens) Focus(query []float32) []float32 {
	out := make([]float64, len(query))
	for i, x := range query {
		out[i] = float64(x)
	}
	if len(l.common) == len(query) {
		subtract(out, l.common, commonShare)
		l.project(out)
	}
	if !unit(out) {
		return query
	}
	focus := make([]float32, len(out))
	for i, x := range out {
		focus[i] = float32(x)
	}
	return focus
}

// project takes the directions of languages out of v.
func (l *Lens) project(v []float64) {
	for _, direction := range l.languages {
		along := 0.0
		for i, x := range direction {
			along += x * v[i]
		}
		subtract(v, direction, along)
	}
}

// Gauge is what the cosines of one question with n records are judged by, whose
// mean and standard deviation are given. The passages of the yardstick count
// beside them: a store of three has no spread of its own that says anything.
func (l *Lens) Gauge(query, focus []float32, mean, std float64, n int) Spread {
	own := float64(n) / float64(n+unrelatedCount)
	return Spread{
		Mean: own*mean + (1-own)*along(l.unrelated, focus),
		Std:  own*std + (1-own)*l.std,
		Top:  dot(focus, query),
	}
}

// unrelatedCount is how many records the yardstick's passages count as.
const unrelatedCount = 50

func along(v []float64, w []float32) (sum float64) {
	if len(v) != len(w) {
		return 0
	}
	for i, x := range v {
		sum += x * float64(w[i])
	}
	return sum
}

func join(by [][][]float32) (out [][]float32) {
	for _, vs := range by {
		out = append(out, vs...)
	}
	return out
}

func mean[T float32 | float64](vs [][]T, dim int) []float64 {
	out := make([]float64, dim)
	for _, v := range vs {
		for i, x := range v {
			out[i] += float64(x) / float64(len(vs))
		}
	}
	return out
}

// subtract takes by·w from v.
func subtract(v, w []float64, by float64) {
	for i, x := range w {
		v[i] -= by * x
	}
}

// nothing is the length under which rounding is all that is left of a vector.
const nothing = 1e-4

// unit brings v to length 1; false if nothing is left of it.
func unit(v []float64) bool {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	if sum < nothing*nothing {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i := range v {
		v[i] *= scale
	}
	return true
}

func dot(a, b []float32) (sum float64) {
	for i, x := range a {
		sum += float64(x) * float64(b[i])
	}
	return sum
}
