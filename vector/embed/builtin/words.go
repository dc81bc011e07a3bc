package builtin

import "mcp-memory/vector/embed/builtin/modelfile"

// wordTable holds the embedding of each piece as it lies in the model file, in 4
// bits a weight for the first pieces and in 3 for the others; FORMAT.md draws
// the blocks.
type wordTable struct {
	section []byte // all of it
	fine    []byte // 4 bits: perRow blocks of modelfile.Block4 for each piece
	coarse  []byte // 3 bits: perRow blocks of modelfile.Block3
	fineLen int    // pieces in fine
	perRow  int    // blocks of an embedding
}

// Sizes of a block of the word table.
const (
	wordBlock  = 32 // weights that share a scale
	scaleBytes = 2
)

// openWords cuts the section of the words.
func openWords(section []byte, shape modelfile.Shape) wordTable {
	w := wordTable{section: section, fineLen: int(shape.Fine), perRow: int(shape.Hidden) / wordBlock}
	size := w.fineLen * w.perRow * modelfile.Block4
	w.fine, w.coarse = section[:size:size], section[size:]
	return w
}

// row writes the embedding of piece id into out, which is hidden long.
func (w *wordTable) row(id int, out []float32) {
	if id < w.fineLen {
		size := w.perRow * modelfile.Block4
		decodeRow4(w.fine[id*size:(id+1)*size], out)
		return
	}
	id -= w.fineLen
	size := w.perRow * modelfile.Block3
	decodeRow3(w.coarse[id*size:(id+1)*size], out)
}

// decodeRow3 decodes blocks of 3 bits.
func decodeRow3(row []byte, out []float32) {
	for ; len(row) > 0; row, out = row[modelfile.Block3:], out[wordBlock:] {
		decode3((*[12]byte)(row[scaleBytes:]), blockScale(row), (*[wordBlock]float32)(out))
	}
}

// decodeRow4 decodes blocks of 4 bits.
func decodeRow4(row []byte, out []float32) {
	for ; len(row) > 0; row, out = row[modelfile.Block4:], out[wordBlock:] {
		decode4((*[16]byte)(row[scaleBytes:]), blockScale(row), (*[wordBlock]float32)(out))
	}
}

// blockScale is the scale that a block begins with.
func blockScale(block []byte) float32 {
	return modelfile.Float16(uint16(block[0]) | uint16(block[1])<<8)
}

// decode3 decodes 32 levels of 3 bits: each 3 bytes hold 8, lowest bits first.
func decode3(levels *[12]byte, scale float32, out *[wordBlock]float32) {
	weights := [8]float32{-4 * scale, -3 * scale, -2 * scale, -scale, 0, scale, 2 * scale, 3 * scale}
	for i := range 4 {
		eight := uint32(levels[3*i]) | uint32(levels[3*i+1])<<8 | uint32(levels[3*i+2])<<16
		o := (*[8]float32)(out[8*i:])
		o[0], o[1], o[2], o[3] = weights[eight&7], weights[eight>>3&7], weights[eight>>6&7], weights[eight>>9&7]
		o[4], o[5], o[6], o[7] = weights[eight>>12&7], weights[eight>>15&7], weights[eight>>18&7], weights[eight>>21&7]
	}
}

// decode4 decodes 32 levels of 4 bits: byte j holds level j and level j + 16.
func decode4(levels *[16]byte, scale float32, out *[wordBlock]float32) {
	for j, pair := range levels {
		out[j] = float32(int(pair&15)-8) * scale
		out[j+16] = float32(int(pair>>4)-8) * scale
	}
}
