package recall

// Spread is how the cosines of one question with all records of a store are
// spread: what lies far above the mean is about the same thing. Its zero value
// stands for a question without a vector.
type Spread struct {
	Mean, Std float64
	Top       float64 // the cosine of a record that says just what is asked
}

// z is how many standard deviations a cosine lies above the mean.
func (s Spread) z(cosine float64) float64 { return (cosine - s.Mean) / s.Std }

// most is the z of a record that says just what is asked.
func (s Spread) most() float64 { return max(1, s.z(s.Top)) }

// What a turn takes of the nearness of the turns right beside it; of a question
// before it, whose answer it may be, besidesAnswer more. A record that stands by
// itself has nobody to take from: its own nearness counts alone as much as
// nearness that whole talks share (chosen on memory-bench meaning; turns of talks
// do not know it).
const (
	besides       = 0.2
	besidesAnswer = 0.5
	alone         = 2.5
)

// Meaning is what the vectors of a store say of a question.
type Meaning struct {
	Spread
	Turns  Turns
	Words  Words
	Cosine func(doc uint32) (cosine float64, ok bool) // not ok: the record has no vector
}

// Nearness is how near a record lies to a question, in standard deviations.
type Nearness struct {
	Own   float64 // z, by itself
	Depth float64 // D, with what the turns beside it lend
	Most  float64 // what Depth could be without them; 0: the record has no vector
	Turn  bool    // it has such turns beside it

	// Unknown is what Depth could be of a record that has no vector, among others
	// that have: it is taken to be as near as its words fit.
	Unknown float64
}

// Nearer is the better of each of two, which are versions of one record.
func (n Nearness) Nearer(other Nearness) Nearness {
	return Nearness{max(n.Own, other.Own), max(n.Depth, other.Depth), max(n.Most, other.Most), n.Turn || other.Turn, max(n.Unknown, other.Unknown)}
}

// Of returns how near a record lies:
// D = z + dm·(.2 z_prev + .2 z_next + .5 z_prev if prev asks), dm less for a long
// turn. Tuned as the window is.
func (m *Meaning) Of(doc uint32) Nearness {
	own, ok := m.z(doc)
	prev, hasPrev := m.Turns.Beside(doc, -1)
	next, hasNext := m.Turns.Beside(doc, 1)
	byItself := !hasPrev && !hasNext
	switch {
	case !ok && byItself:
		return Nearness{Unknown: alone * m.most()}
	case !ok:
		return Nearness{Unknown: m.most()}
	case byItself:
		return Nearness{Own: own, Depth: alone * own, Most: alone * m.most()}
	}
	lent := 0.0
	if hasPrev {
		z, _ := m.z(prev)
		lent += besides * z
		if m.Turns.Asks(prev) {
			lent += besidesAnswer * z
		}
	}
	if hasNext {
		z, _ := m.z(next)
		lent += besides * z
	}
	return Nearness{Own: own, Depth: own + open(m.Words, doc)*lent, Most: m.most(), Turn: true}
}

func (m *Meaning) z(doc uint32) (z float64, ok bool) {
	cosine, ok := m.Cosine(doc)
	if !ok {
		return 0, false
	}
	return m.Spread.z(cosine), true
}

// OwnVector is how much of Vector a candidate would have without the turns beside
// it.
func (c *Candidate) OwnVector() float64 {
	if !c.Turn || c.Depth <= 0 {
		return c.Vector
	}
	return c.Vector * max(0, c.Own) / c.Depth
}

// lean is what one standard deviation of meaning weighs against words: the more
// the fewer of the question's words any record has.
// cover is the best record's share of what the words could reach.
func lean(cover float64) float64 { return leanFull * (2 - min(1, max(0, cover))) }

// leanFull is the weight beside a record that has all words. .5
// gives the same NDCG on LoCoMo and half a point of session hit@1 less.
const leanFull = 0.4
