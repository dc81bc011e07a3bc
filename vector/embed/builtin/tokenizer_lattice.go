package builtin

import "math"

// lattice finds the best cut of one word after the other by Viterbi's algorithm:
// best[e] is the highest score of any cut of the word's first e characters, and
// piece[e] the last piece of that cut, which begins at character from[e].
//
// Scores are summed in float32 over the whole text, not anew for each word:
// that decides between cuts of nearly equal score as the reference does.
type lattice struct {
	*tokenizer
	text   []byte  // the word, UTF-8
	starts []int32 // where each character begins in text
	best   []float32
	piece  []int32
	from   []int32

	sum float32 // score of all words before
	ids []int32 // their pieces
}

// push adds a character to the word.
func (l *lattice) push(point uint32) {
	l.starts = append(l.starts, int32(len(l.text)))
	l.text = appendPoint(l.text, point)
}

// cut adds the pieces of the word to ids and makes the word empty.
func (l *lattice) cut() {
	characters := len(l.starts)
	if characters == 0 {
		return
	}
	l.starts = append(l.starts, int32(len(l.text)))
	l.prepare(characters)
	for begin := range characters {
		l.extend(begin, characters)
	}
	l.sum = l.best[characters]
	l.trace(characters)
	l.text, l.starts = l.text[:0], l.starts[:0]
}

// prepare makes room for the scores of a word.
func (l *lattice) prepare(characters int) {
	if cap(l.best) <= characters {
		room := 2 * (characters + 1)
		l.best, l.piece, l.from = make([]float32, room), make([]int32, room), make([]int32, room)
	}
	l.best = l.best[:characters+1]
	l.best[0] = l.sum
	for i := 1; i <= characters; i++ {
		l.best[i] = float32(math.Inf(-1))
	}
}

// extend tries every piece that begins at character begin.
func (l *lattice) extend(begin, characters int) {
	first, hash := int(l.starts[begin]), uint64(hashBasis)
	longest := l.pieces.longest(l.text[first:])
	for end := begin + 1; end <= characters; end++ {
		piece := l.text[first:l.starts[end]]
		if len(piece) > longest {
			break
		}
		hash = extendHash(hash, l.text[l.starts[end-1]:l.starts[end]])
		if id := l.pieces.find(piece, hash); id >= 0 && id != l.unk {
			l.offer(begin, end, id, l.pieces.score(id))
		}
	}
	l.offer(begin, begin+1, l.unk, l.unkScore)
}

// offer takes a piece between two characters if it scores better than what is
// known; of equal ones the first stays, which is the longest.
func (l *lattice) offer(begin, end int, id int32, score float32) {
	if score += l.best[begin]; score > l.best[end] {
		l.best[end], l.piece[end], l.from[end] = score, id, int32(begin)
	}
}

// trace appends the pieces of the best cut, which is known from its end.
func (l *lattice) trace(characters int) {
	count := 0
	for end := characters; end > 0; end = int(l.from[end]) {
		count++
	}
	at := len(l.ids) + count
	l.ids = append(l.ids, l.piece[:count]...)
	for end := characters; end > 0; end = int(l.from[end]) {
		at--
		l.ids[at] = l.piece[end]
	}
}
