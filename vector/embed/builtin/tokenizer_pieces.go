package builtin

import (
	"bytes"
	"fmt"
	"math"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// pieceTable finds a piece's id by its spelling: a hash table with open
// addressing, built at load, over the pieces where they lie in the file.
//
// A slot is 0 if empty, else
//
//	bits 31…18  upper 14 bits of the spelling's hash: spares looking at most wrong pieces
//	bits 17…0   id + 1
type pieceTable struct {
	ends   []byte // uint32 each: where the piece ends in text
	text   []byte
	scores []byte // float32 each
	slots  []uint32
	reach  [1 << reachBits]uint8 // bytes of the longest piece by the hash of its first prefixBytes
}

const (
	idBits = 18
	idMask = 1<<idBits - 1

	// maxProbes bounds how far from its place a piece may be. At half load, real
	// vocabularies need some tens; spellings chosen to collide would need all.
	maxProbes = 512

	// The longest piece has 48 bytes, but most beginnings of a word lead to none
	// above 10: knowing that from 4 bytes spares three of four looks.
	prefixBytes = 4
	reachBits   = 16
)

// openPieces reads the sections of the pieces; it also returns the lowest score.
func openPieces(file *modelfile.File) (*pieceTable, float32, error) {
	t := &pieceTable{
		ends:   file.Sections[modelfile.Ends],
		text:   file.Sections[modelfile.Pieces],
		scores: file.Sections[modelfile.Scores],
	}
	count := int(file.Shape.Pieces)
	if err := t.checkEnds(count); err != nil {
		return nil, 0, fmt.Errorf("section ends: %w", err)
	}
	lowest, err := t.lowestScore(count)
	if err != nil {
		return nil, 0, fmt.Errorf("section scores: %w", err)
	}
	if err := t.build(count); err != nil {
		return nil, 0, fmt.Errorf("section pieces: %w", err)
	}
	return t, lowest, nil
}

// checkEnds checks that every piece has a place.
func (t *pieceTable) checkEnds(count int) error {
	begin := uint32(0)
	for id := range count {
		end := uint32At(t.ends, id)
		if end <= begin || end-begin > modelfile.MaxPiece {
			return fmt.Errorf("piece %d lies from byte %d to %d, want 1 to %d bytes", id, begin, end, modelfile.MaxPiece)
		}
		begin = end
	}
	if uint64(begin) != uint64(len(t.text)) {
		return fmt.Errorf("the last piece ends at byte %d, the pieces have %d", begin, len(t.text))
	}
	return nil
}

// lowestScore checks all scores and returns the lowest.
func (t *pieceTable) lowestScore(count int) (float32, error) {
	lowest := float32(math.MaxFloat32)
	for id := range count {
		score := floatAt(t.scores, id)
		if math.IsNaN(float64(score)) || math.IsInf(float64(score), 0) {
			return 0, fmt.Errorf("piece %d has score %v, want a finite number", id, score)
		}
		lowest = min(lowest, score)
	}
	return lowest, nil
}

// build fills the slots, at least two for each piece.
func (t *pieceTable) build(count int) error {
	size := 2
	for size < 2*count {
		size *= 2
	}
	t.slots = make([]uint32, size)
	begin := uint32(0)
	for id := range count {
		end := uint32At(t.ends, id)
		if !t.insert(id, extendHash(hashBasis, t.text[begin:end])) {
			return fmt.Errorf("piece %d has a hash that more than %d others have", id, maxProbes)
		}
		t.extendReach(t.text[begin:end])
		begin = end
	}
	return nil
}

// extendReach notes how long a piece is.
func (t *pieceTable) extendReach(piece []byte) {
	if len(piece) >= prefixBytes {
		reach := &t.reach[prefixHash(piece)]
		*reach = max(*reach, uint8(len(piece)))
	}
}

// longest bounds how many bytes a piece can have that text begins with.
func (t *pieceTable) longest(text []byte) int {
	if len(text) < prefixBytes {
		return len(text)
	}
	return max(int(t.reach[prefixHash(text)]), prefixBytes-1)
}

// insert puts a piece into the first free slot from its own on.
func (t *pieceTable) insert(id int, hash uint64) bool {
	mask := len(t.slots) - 1
	for i := range maxProbes {
		slot := &t.slots[(int(uint32(hash)>>1)+i)&mask]
		if *slot == 0 {
			*slot = tag(hash) | uint32(id+1)
			return true
		}
	}
	return false
}

// find returns the id of the piece with this spelling and its hash, or −1.
func (t *pieceTable) find(piece []byte, hash uint64) int32 {
	mask, want := len(t.slots)-1, tag(hash)
	for i := range maxProbes {
		slot := t.slots[(int(uint32(hash)>>1)+i)&mask]
		if slot == 0 {
			return -1
		}
		if id := int(slot&idMask) - 1; slot&^idMask == want && bytes.Equal(t.spelling(id), piece) {
			return int32(id)
		}
	}
	return -1
}

// spelling is the text of piece id.
func (t *pieceTable) spelling(id int) []byte {
	begin := uint32(0)
	if id > 0 {
		begin = uint32At(t.ends, id-1)
	}
	return t.text[begin:uint32At(t.ends, id)]
}

// score is the logarithm of the probability of piece id.
func (t *pieceTable) score(id int32) float32 { return floatAt(t.scores, int(id)) }

// FNV-1a of 64 bits (Fowler, Noll, Vo), which a longer spelling can extend.
const (
	hashBasis = 14695981039346656037
	hashPrime = 1099511628211
)

// extendHash is the hash of a spelling with hash and then more.
func extendHash(hash uint64, more []byte) uint64 {
	for _, b := range more {
		hash = (hash ^ uint64(b)) * hashPrime
	}
	return hash
}

// prefixHash hashes the first prefixBytes (Knuth's multiplicative hash).
func prefixHash(text []byte) uint32 {
	return uint32At(text, 0) * 2654435769 >> (32 - reachBits)
}

// tag is the part of a hash that a slot keeps.
func tag(hash uint64) uint32 { return uint32(hash>>(64-32+idBits)) << idBits }
