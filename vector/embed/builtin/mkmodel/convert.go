package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// made is what comes of a source.
type made struct {
	model     []byte
	reference []byte // the source's file with the model's words
}

// finePieces are the pieces that keep 4 bits in a model of 3-bit words. Ids are
// sorted by frequency, so most tokens of a text are among these. Of what 3 bits
// lose on STS-B (Spearman · 100: es 80.13 to 79.87, de 79.01 to 78.73) they win
// back the most (80.14, 78.91; ru stays .27 below), and the file stays under
// 60,000,000 bytes.
const finePieces = 8000

// makeModel converts a source into a model file whose first pieces, so many, keep
// words of 4 bits.
func makeModel(s *source, name string, fine int) (*made, error) {
	row := s.hidden / block4 * block4Len
	table := s.tensors["emb.word"].data
	if len(table) < s.pieces*row {
		return nil, fmt.Errorf("tensor emb.word has %d bytes, want %d or more", len(table), s.pieces*row)
	}
	fine = min(fine, s.pieces)
	table = table[:s.pieces*row] // the rows beyond belong to no piece
	kept, rest := table[:fine*row:fine*row], table[fine*row:]
	small, same, err := shrinkWords(rest)
	if err != nil {
		return nil, err
	}
	model, err := buildFile(s, name, fine, append(kept, small...))
	if err != nil {
		return nil, err
	}
	return &made{model: model, reference: s.withWords(append(kept, same...))}, nil
}

// withWords is the source's file with another table of words.
func (s *source) withWords(table []byte) []byte {
	file := bytes.Clone(s.file)
	copy(file[s.tensors["emb.word"].offset:], table)
	return file
}

// buildFile puts the parts of the model file together.
func buildFile(s *source, name string, fine int, words []byte) ([]byte, error) {
	f := &modelfile.File{
		Name: name,
		Shape: modelfile.Shape{
			Hidden: uint32(s.hidden), Heads: uint32(s.heads), FFN: uint32(s.ffn), Layers: uint32(s.layers),
			Positions: uint32(s.positions), Pieces: uint32(s.pieces), Fine: uint32(fine), Eps: s.eps,
			BOS: s.bos, EOS: s.eos, Pad: s.pad, Unk: s.unk,
		},
	}
	positions, err := s.positionTable()
	if err != nil {
		return nil, err
	}
	matrices, err := s.matrices()
	if err != nil {
		return nil, err
	}
	vectors, err := s.vectors()
	if err != nil {
		return nil, err
	}
	f.Sections = [modelfile.Sections][]byte{
		modelfile.Ends:       s.offsets[4:],
		modelfile.Pieces:     s.spellings,
		modelfile.Scores:     s.scores,
		modelfile.Normaliser: normaliserBytes(s.normaliser),
		modelfile.Words:      words,
		modelfile.Positions:  positions,
		modelfile.Matrices:   matrices,
		modelfile.Vectors:    vectors,
	}
	return f.Bytes()
}

// normaliserBytes is the section of the normaliser.
func normaliserBytes(rules []rule) []byte {
	var text []byte
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(rules)))
	for _, r := range rules {
		text = append(text, string(r.by)...)
		data = binary.LittleEndian.AppendUint32(data, r.point)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	}
	return append(data, text...)
}

// positionTable is the embedding of each position plus that of token type 0. The
// reference adds the two first as well, so nothing is lost.
func (s *source) positionTable() ([]byte, error) {
	positions, err := s.bytes("emb.pos", 4*s.positions*s.hidden)
	if err != nil {
		return nil, err
	}
	types := s.tensors["emb.type"].data
	if len(types) < 4*s.hidden {
		return nil, fmt.Errorf("tensor emb.type has %d bytes, want %d or more", len(types), 4*s.hidden)
	}
	table := make([]byte, 0, len(positions))
	for i := range s.positions * s.hidden {
		sum := floatAt(positions, i) + floatAt(types, i%s.hidden)
		table = binary.LittleEndian.AppendUint32(table, math.Float32bits(sum))
	}
	return table, nil
}

// floatAt is the float32 at index i of little-endian bytes.
func floatAt(data []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
}

// matrices is the section of the tiles.
func (s *source) matrices() ([]byte, error) {
	h, f := s.hidden, s.ffn
	var tiles []byte
	for l := range s.layers {
		for _, m := range []struct {
			name    string
			out, in int
		}{{"q", h, h}, {"k", h, h}, {"v", h, h}, {"ao", h, h}, {"fi", f, h}, {"fo", h, f}} {
			blocks, err := s.bytes(fmt.Sprintf("l%d.%s.w", l, m.name), m.out*m.in/block4*block4Len)
			if err != nil {
				return nil, err
			}
			tiles = appendTiles(tiles, blocks, m.out, m.in)
		}
	}
	return tiles, nil
}

// vectors is the section of norms and biases.
func (s *source) vectors() ([]byte, error) {
	names := []string{"emb.ln.w", "emb.ln.b"}
	for l := range s.layers {
		for _, name := range []string{"q.b", "k.b", "v.b", "ao.b", "aln.w", "aln.b", "fi.b", "fo.b", "oln.w", "oln.b"} {
			names = append(names, fmt.Sprintf("l%d.%s", l, name))
		}
	}
	var data []byte
	for _, name := range names {
		size := s.hidden
		if name[len(name)-4:] == "fi.b" {
			size = s.ffn
		}
		vector, err := s.bytes(name, 4*size)
		if err != nil {
			return nil, err
		}
		data = append(data, vector...)
	}
	return data, nil
}
