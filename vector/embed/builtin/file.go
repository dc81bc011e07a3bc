package builtin

import (
	"errors"
	"fmt"

	"mcp-memory/vector/embed/builtin/kernel"
	"mcp-memory/vector/embed/builtin/modelfile"
)

// ErrModelFile is what opening a model file gives for bytes that are not a whole
// model file of this version; the text says what was found and what was wanted.
var ErrModelFile = errors.New("damaged or foreign model file")

// open reads a model file (FORMAT.md). The model's tables are views into data,
// which must not change. Everything that is used as an offset, a length, a count
// or an id is checked, so a model that opens cannot make later code panic.
//
// verify also checks the checksum, which reads all of data; without it only the
// tokenizer's tables are read, some 5 MB of the embedded 60.
func open(data []byte, verify bool) (*model, error) {
	file, err := modelfile.Parse(data, verify)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModelFile, err)
	}
	tokens, err := openTokenizer(file)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModelFile, err)
	}
	m := &model{
		name:      file.Name,
		hidden:    int(file.Shape.Hidden),
		heads:     int(file.Shape.Heads),
		ffn:       int(file.Shape.FFN),
		positions: int(file.Shape.Positions),
		eps:       file.Shape.Eps,
		position:  floats(file.Sections[modelfile.Positions]),
		words:     openWords(file.Sections[modelfile.Words], file.Shape),
		layers:    make([]layer, file.Shape.Layers),
		tokens:    tokens,
	}
	m.fillLayers(file)
	return m, nil
}

// fillLayers cuts the sections of matrices and vectors into their parts, whose
// sizes together are the sections' sizes: modelfile.Parse has checked them.
func (m *model) fillLayers(file *modelfile.File) {
	c := cutter{
		tiles:   file.Sections[modelfile.Matrices],
		numbers: floats(file.Sections[modelfile.Vectors]),
	}
	h, f := m.hidden, m.ffn
	m.embedNorm = c.norm(h)
	for i := range m.layers {
		l := &m.layers[i]
		l.query.weights, l.key.weights, l.value.weights = c.matrix(h, h), c.matrix(h, h), c.matrix(h, h)
		l.attention.weights = c.matrix(h, h)
		l.up.weights, l.down.weights = c.matrix(f, h), c.matrix(h, f)

		l.query.bias, l.key.bias, l.value.bias = c.vector(h), c.vector(h), c.vector(h)
		l.attention.bias, l.attentionNorm = c.vector(h), c.norm(h)
		l.up.bias, l.down.bias, l.outputNorm = c.vector(f), c.vector(h), c.norm(h)
	}
}

// cutter hands out the parts of two sections one after the other.
type cutter struct {
	tiles   []byte
	numbers []float32
}

// matrix cuts off the tiles of an out × in matrix.
func (c *cutter) matrix(out, in int) kernel.Weights {
	size := out / kernel.Lanes * (in / kernel.Block) * kernel.TileBytes
	w := kernel.Weights{Data: c.tiles[:size:size], Out: out, In: in}
	c.tiles = c.tiles[size:]
	return w
}

// vector cuts off n numbers.
func (c *cutter) vector(n int) []float32 {
	v := c.numbers[:n:n]
	c.numbers = c.numbers[n:]
	return v
}

// norm cuts off the weight and the bias of a layer norm of width n.
func (c *cutter) norm(n int) norm {
	return norm{weight: c.vector(n), bias: c.vector(n)}
}
