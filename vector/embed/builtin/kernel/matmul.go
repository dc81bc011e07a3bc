package kernel

import "encoding/binary"

// goTokens is how many tokens one unpacking of a tile serves in plain Go, at
// most. Unpacking costs as much as the products of one token.
const goTokens = 32

// Plain Go multiplies four nibbles with one activation at a time: four outputs'
// weights of one input lie in the 16-bit lanes of a word, and the 64-bit product
// with an activation has the four products in its lanes. A sum of 16 products
// stays within 15·127·16 = 30,480, so a lane that starts at 2¹⁵ never leaves
// 0…2¹⁶−1 at the end, and what the lanes borrow from each other on the way evens
// out.
const (
	nibbles   = 0x000f_000f_000f_000f // the lowest nibble of every lane
	evenLanes = 0x0000_ffff_0000_ffff
	laneStart = 0x8000_8000_8000_8000
)

// tileWords is a tile made ready for multiplication: [h][i] holds, of input i,
// outputs 4h, 4h+2, 4h+1, 4h+3 in lanes 0…3, which is how they lie in the tile.
type tileWords [Lanes / 4][Block]uint64

// tileSums are 8 outputs of one token.
type tileSums [Lanes]float32

// blockInputs are a block of one token's activations, widened for the products.
type blockInputs struct {
	q      [Block]uint64 // two's complement
	offset int32         // 8·Sum
	scale  float32
}

// matMulGo is MatMul in plain Go: y starts as the bias, and block after block is
// added to all outputs of a chunk of tokens.
func matMulGo(y []float32, w Weights, bias []float32, a *Activations) {
	checkMatMul(y, w, bias, a)
	for t := range a.Tokens {
		copy(y[t*w.Out:][:w.Out], bias)
	}
	blocks := w.In / Block
	var inputs [goTokens]blockInputs
	for t := 0; t < a.Tokens; t += goTokens {
		chunk := inputs[:min(goTokens, a.Tokens-t)]
		for b := range blocks {
			for i := range chunk {
				chunk[i].widen(a, (t+i)*blocks+b)
			}
			addBlock(y[t*w.Out:], w, b, chunk)
		}
	}
}

// widen takes block k of the activations.
func (in *blockInputs) widen(a *Activations, k int) {
	for i, q := range (*[Block]int8)(a.Q[k*Block:]) {
		in.q[i] = uint64(q)
	}
	in.offset, in.scale = 8*a.Sum[k], a.Scale[k]
}

// addBlock adds the products of block b to the rows of y.
func addBlock(y []float32, w Weights, b int, inputs []blockInputs) {
	var words tileWords
	var scale tileSums
	for o := 0; o < w.Out; o += Lanes {
		tile := (*[TileBytes]byte)(w.Data[(o/Lanes*(w.In/Block)+b)*TileBytes:])
		words.unpack(tile)
		for lane := range scale {
			scale[lane] = float16(binary.LittleEndian.Uint16(tile[2*lane:]))
		}
		for t := range inputs {
			in := &inputs[t]
			(*tileSums)(y[t*w.Out+o:]).add(words.dot(in), &scale, in.scale)
		}
	}
}

// add adds the integer sums times both scales.
func (s *tileSums) add(dot [Lanes]int32, scale *tileSums, activation float32) {
	for o := range s {
		s[o] += float32(dot[o]) * (scale[o] * activation)
	}
}

// unpack spreads the nibbles of a tile over the lanes.
func (w *tileWords) unpack(tile *[TileBytes]byte) {
	for h := range w {
		for r := range Block / 8 {
			row := tile[2*Lanes+r*Block+h*16:]
			x, y := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
			// Lanes of low: inputs 8r, 8r+4, 8r+1, 8r+5, four bits each.
			low := x&evenLanes | y<<16&^evenLanes
			high := x>>16&evenLanes | y&^evenLanes
			to := (*[8]uint64)(w[h][8*r:])
			for i := range 2 {
				to[i] = low >> (8 * i) & nibbles
				to[i+2] = high >> (8 * i) & nibbles
				to[i+4] = low >> (8*i + 4) & nibbles
				to[i+6] = high >> (8*i + 4) & nibbles
			}
		}
	}
}

// dot returns the eight sums of nibble·q over a block, less the offset.
func (w *tileWords) dot(in *blockInputs) (sums [Lanes]int32) {
	var a, b, c, d uint64 = laneStart, laneStart, laneStart, laneStart
	for i := 0; i < Block/2; i += 2 {
		near0, near1 := in.q[i], in.q[i+1]
		far0, far1 := in.q[i+Block/2], in.q[i+Block/2+1]
		a += w[0][i]*near0 + w[0][i+1]*near1
		b += w[0][i+Block/2]*far0 + w[0][i+Block/2+1]*far1
		c += w[1][i]*near0 + w[1][i+1]*near1
		d += w[1][i+Block/2]*far0 + w[1][i+Block/2+1]*far1
	}
	offset := in.offset + 2<<15 // where two lanes started
	even, odd := a&evenLanes+b&evenLanes, a>>16&evenLanes+b>>16&evenLanes
	sums[0], sums[1] = int32(uint32(even))-offset, int32(even>>32)-offset
	sums[2], sums[3] = int32(uint32(odd))-offset, int32(odd>>32)-offset
	even, odd = c&evenLanes+d&evenLanes, c>>16&evenLanes+d>>16&evenLanes
	sums[4], sums[5] = int32(uint32(even))-offset, int32(even>>32)-offset
	sums[6], sums[7] = int32(uint32(odd))-offset, int32(odd>>32)-offset
	return sums
}
