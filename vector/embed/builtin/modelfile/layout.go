// Package modelfile is the container that a built-in model lies in: its head,
// where its sections are and how long, and how it is written. FORMAT.md in
// vector/embed draws the bytes. What the sections mean is the reader's business.
package modelfile

import (
	"fmt"
	"math"
)

// What a file begins with, and how it is laid out.
const (
	Magic     = "MMEMB\r\n\x1a" // like PNG's: a transfer as text damages it
	Version   = 1
	HeadBytes = sectionTable + Sections*spanBytes // 240
	Align     = 64                                // every section begins at a multiple: a cache line
)

// Offsets in the head.
const (
	versionAt    = 8
	checksumAt   = 12
	lengthAt     = 16
	shapeAt      = 24
	nameLengthAt = 72
	nameAt       = 76
	reservedAt   = nameAt + MaxName
	sectionTable = reservedAt + 4 // 112
	spanBytes    = 16             // offset and length
)

// Bounds of what a file may say. They keep a hostile file from asking for more
// memory than it has bytes, and all products of them inside 63 bits.
const (
	MaxName      = 32
	MaxHidden    = 4096
	MaxFFN       = 16384
	MaxLayers    = 64
	MaxPositions = 8192
	MaxPieces    = 1<<18 - 2 // the tokenizer's table has 18 bits for id + 1
	MaxPiece     = 255       // bytes of one piece
)

// Section is a part of a file.
type Section int

// The sections, in their order.
const (
	Ends Section = iota
	Pieces
	Scores
	Normaliser
	Words
	Positions
	Matrices
	Vectors
	Sections int = iota
)

// String names the section as FORMAT.md does.
func (s Section) String() string {
	names := [Sections]string{"ends", "pieces", "scores", "normaliser", "words", "positions", "matrices", "vectors"}
	if s < 0 || int(s) >= Sections {
		return fmt.Sprintf("section %d", int(s))
	}
	return names[s]
}

// Shape is the model's size and the pieces with a meaning of their own.
type Shape struct {
	Hidden    uint32
	Heads     uint32
	FFN       uint32
	Layers    uint32
	Positions uint32 // tokens of a window
	Pieces    uint32
	Fine      uint32 // the first pieces, whose embeddings have 4 bits a weight; the others' have 3
	Eps       float32
	BOS, EOS  uint32 // ids of <s> and </s>
	Pad, Unk  uint32 // ids of <pad> and <unk>
}

// Check says what is wrong with the shape.
func (s Shape) Check() error {
	const block, lanes = 32, 8 // of kernel.Weights
	limits := []struct {
		name             string
		value, low, high uint32
		multiple         uint32
	}{
		{"hidden", s.Hidden, block, MaxHidden, block},
		{"heads", s.Heads, 1, s.Hidden / lanes, 1},
		{"ffn", s.FFN, block, MaxFFN, block},
		{"layers", s.Layers, 1, MaxLayers, 1},
		{"positions", s.Positions, 3, MaxPositions, 1},
		{"pieces", s.Pieces, 4, MaxPieces, 1},
		{"pieces of 4 bits", s.Fine, 0, s.Pieces, 1},
		{"id of <s>", s.BOS, 0, s.Pieces - 1, 1},
		{"id of </s>", s.EOS, 0, s.Pieces - 1, 1},
		{"id of <pad>", s.Pad, 0, s.Pieces - 1, 1},
		{"id of <unk>", s.Unk, 0, s.Pieces - 1, 1},
	}
	for _, l := range limits {
		if l.value < l.low || l.value > l.high || l.value%l.multiple != 0 {
			return fmt.Errorf("%s is %d, want %d to %d, a multiple of %d", l.name, l.value, l.low, l.high, l.multiple)
		}
	}
	return s.checkRest()
}

// checkRest checks what hangs together.
func (s Shape) checkRest() error {
	if s.Hidden%s.Heads != 0 || s.Hidden/s.Heads%8 != 0 {
		return fmt.Errorf("hidden %d in %d heads, want heads of a multiple of 8", s.Hidden, s.Heads)
	}
	if !(s.Eps > 0 && s.Eps < 1) {
		return fmt.Errorf("eps is %v, want a number between 0 and 1", s.Eps)
	}
	if s.BOS == s.EOS || s.BOS == s.Pad || s.BOS == s.Unk || s.EOS == s.Pad || s.EOS == s.Unk || s.Pad == s.Unk {
		return fmt.Errorf("ids of <s>, </s>, <pad>, <unk> are %d, %d, %d, %d, want four different ones", s.BOS, s.EOS, s.Pad, s.Unk)
	}
	return nil
}

// Bytes of a block of 32 weights: an f16 scale and levels of 4 or 3 bits.
const (
	Block4 = 2 + 32*4/8
	Block3 = 2 + 32*3/8
)

// Size is how long a section must be; −1 where the shape does not say.
func (s Shape) Size(section Section) int64 {
	h, f, l, p := int64(s.Hidden), int64(s.FFN), int64(s.Layers), int64(s.Pieces)
	const number = 4 // bytes of a u32 or f32
	switch section {
	case Ends, Scores:
		return number * p
	case Words:
		return h / 32 * (int64(s.Fine)*Block4 + (p-int64(s.Fine))*Block3)
	case Positions:
		return number * int64(s.Positions) * h
	case Matrices:
		return (4*h*h + 2*h*f) * l / 32 * Block4
	case Vectors:
		return number * (2*h + (9*h+f)*l)
	}
	return -1
}

// fields are the shape's numbers as they stand in the file.
func (s Shape) fields() [12]uint32 {
	return [12]uint32{s.Hidden, s.Heads, s.FFN, s.Layers, s.Positions, s.Pieces, s.Fine,
		math.Float32bits(s.Eps), s.BOS, s.EOS, s.Pad, s.Unk}
}

// shapeOf is the inverse of fields.
func shapeOf(f [12]uint32) Shape {
	return Shape{Hidden: f[0], Heads: f[1], FFN: f[2], Layers: f[3], Positions: f[4], Pieces: f[5], Fine: f[6],
		Eps: math.Float32frombits(f[7]), BOS: f[8], EOS: f[9], Pad: f[10], Unk: f[11]}
}
