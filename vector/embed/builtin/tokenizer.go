package builtin

import (
	"fmt"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// tokenizer cuts texts into the pieces of a sentencepiece unigram model (Kudo,
// 2018: "Subword Regularization"): of all ways to cut, the one whose pieces have
// the highest product of probabilities.
//
//	text ─ code points ─ normaliser ─ spaces to ▁ ─ words ─ best cut of each
//
// It is safe for concurrent use.
type tokenizer struct {
	bos, eos, pad, unk int32
	unkScore           float32 // below every piece's
	pieces             *pieceTable
	normaliser         normaliser
}

// unkPenalty is how far <unk> scores below the rarest piece: sentencepiece's
// own constant.
const unkPenalty = 10

// openTokenizer reads the tokenizer's sections.
func openTokenizer(file *modelfile.File) (*tokenizer, error) {
	pieces, lowest, err := openPieces(file)
	if err != nil {
		return nil, err
	}
	normaliser, err := openNormaliser(file.Sections[modelfile.Normaliser])
	if err != nil {
		return nil, fmt.Errorf("section normaliser: %w", err)
	}
	return &tokenizer{
		bos:        int32(file.Shape.BOS),
		eos:        int32(file.Shape.EOS),
		pad:        int32(file.Shape.Pad),
		unk:        int32(file.Shape.Unk),
		unkScore:   lowest - unkPenalty,
		pieces:     pieces,
		normaliser: normaliser,
	}, nil
}

// encode returns the ids of text's pieces, without <s> and </s>. Any text is
// taken; an empty one is the piece ▁, as the model was trained. The spelling of
// <s>, </s> and other marks in a text gives their ids, but <unk> does not.
//
// Memory beside the result grows with the longest word, not with the text.
func (t *tokenizer) encode(text string) []int32 {
	s := splitter{lattice: lattice{tokenizer: t}}
	for len(text) > 0 {
		point, size := decodePoint(text)
		text = text[size:]
		replacement, ok := t.normaliser.find(point)
		if !ok {
			s.add(point)
			continue
		}
		for _, r := range replacement {
			s.add(uint32(r))
		}
	}
	return s.end()
}

// Code points with a meaning.
const (
	space     = 0x20
	metaspace = 0x2581 // ▁, which stands for a space in pieces
)

// splitter collects the code points of a normalised text word by word. A word
// begins with ▁ and has no other, like every piece, so no piece reaches from one
// word into the next and each word can be cut when it is whole.
type splitter struct {
	lattice
	begun bool // a first word is begun
	space bool // the last code point was a space
}

// add takes the next code point.
func (s *splitter) add(point uint32) {
	if point == space {
		if !s.space {
			s.begin()
		}
		s.space = true
		return
	}
	if !s.begun {
		s.begin()
	}
	s.space = false
	if point == metaspace {
		s.begin()
		return
	}
	s.push(point)
}

// begin ends the word before and begins one.
func (s *splitter) begin() {
	s.cut()
	s.push(metaspace)
	s.begun = true
}

// end returns the ids of all words.
func (s *splitter) end() []int32 {
	if !s.begun {
		s.begin()
	}
	s.cut()
	return s.ids
}
