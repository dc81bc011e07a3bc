//go:build amd64 && !purego

package kernel

import "math"

const (
	avx2Rows = 6  // rows of a product
	avx2Tile = 16 // columns of a tile of a product
	avx2Lane = 8  // float32 of a register
)

// productAVX2 multiplies matrices, transposeAVX2 packs eight keys of a tile,
// softmaxAVX2 makes probabilities of scores, see the assembly.
//
//go:noescape
func productAVX2(c *float32, cRow int, a *float32, aRow int, b *float32, bRow, bTile int, n, tiles int, factor *[avx2Rows]float32)

//go:noescape
func transposeAVX2(packed *float32, k *float32, row, rows, turns int)

//go:noescape
func softmaxAVX2(s *float32, row int, inverse *[avx2Rows]float32, rows, vectors int, coefficients *[6]float32)

// attentionHead is what the attention of one head needs; all rows of q, k, v and
// out are stride values apart and dim long.
//
//	            keys (tokens, up to a multiple of 16)
//	scores  6 │ s = q·kᵀ, then 2^(s − max)            packed  dim × 16 │ dim × 16 │ …
//	     rows │                                               keys 0…15  keys 16…31
type attentionHead struct {
	tokens, keys, stride, dim int
	packed                    []float32 // k transposed in tiles, zero behind the last key
	scores                    []float32 // avx2Rows × keys

	// rows is how many queries a turn takes: avx2Rows, or 1 where there are fewer
	// tokens. Then the six rows of a product are all the same one, a stride of 0.
	rows int

	// scale brings scores to base 2: log₂e/√dim in every row.
	scale [avx2Rows]float32
}

// attentionAVX2 is Attention; heads that are no multiple of 16 wide go to plain Go.
func attentionAVX2(out, q, k, v []float32, tokens, heads, dim int, scratch *[]float32) {
	checkAttention(out, q, k, v, tokens, heads, dim)
	if tokens == 0 {
		return
	}
	if dim%avx2Tile != 0 {
		attentionGo(out, q, k, v, tokens, heads, dim, scratch)
		return
	}
	keys := (tokens + avx2Tile - 1) / avx2Tile * avx2Tile
	*scratch = grow(*scratch, keys*(dim+avx2Rows))
	h := attentionHead{
		tokens: tokens, keys: keys, stride: heads * dim, dim: dim,
		packed: (*scratch)[:keys*dim],
		scores: (*scratch)[keys*dim:],
		rows:   avx2Rows,
	}
	if tokens < avx2Rows {
		h.rows = 1
	}
	for r := range h.scale {
		h.scale[r] = float32(math.Log2E / math.Sqrt(float64(dim)))
	}
	for at := 0; at < h.stride; at += dim {
		h.pack(k[at:])
		// The last turn reaches back, so that it too has all its rows.
		for t := 0; t < tokens; t += h.rows {
			first := min(t, tokens-h.rows) * h.stride
			h.attend(out[first+at:], q[first+at:], v[at:])
		}
	}
}

// pack fills packed with the transposed keys, eight at a time.
func (h *attentionHead) pack(k []float32) {
	clear(h.packed[h.tokens/avx2Tile*avx2Tile*h.dim:])
	for j := 0; j < h.tokens; j += avx2Lane {
		tile := h.packed[j/avx2Tile*avx2Tile*h.dim+j%avx2Tile:]
		transposeAVX2(&tile[0], &k[j*h.stride], h.stride, min(avx2Lane, h.tokens-j), h.dim/avx2Lane)
	}
}

// attend computes h.rows rows of out from as many rows of q.
func (h *attentionHead) attend(out, q, v []float32) {
	step, scoreRow := h.stride, h.keys
	if h.rows == 1 {
		step, scoreRow = 0, 0
	}
	productAVX2(&h.scores[0], scoreRow, &q[0], step, &h.packed[0],
		avx2Tile, avx2Tile*h.dim, h.dim, h.keys/avx2Tile, &h.scale)
	for r := range h.rows {
		padding := h.scores[r*h.keys:][h.tokens:h.keys]
		for j := range padding {
			padding[j] = float32(math.Inf(-1))
		}
	}
	var inverse [avx2Rows]float32
	softmaxAVX2(&h.scores[0], h.keys, &inverse, h.rows, h.keys/avx2Lane, &exp2Coefficients)
	for r := h.rows; r < avx2Rows; r++ {
		inverse[r] = inverse[0]
	}
	productAVX2(&out[0], step, &h.scores[0], scoreRow, &v[0],
		h.stride, avx2Tile, h.tokens, h.dim/avx2Tile, &inverse)
}
