package builtin

import (
	"bytes"
	"errors"
	"testing"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// FuzzOpen: whatever bytes are opened, there is an error of the right kind or a
// model every part of which can be used. Half of the inputs get a right length
// and checksum, so that more than the head is tried.
func FuzzOpen(f *testing.F) {
	data := fileBytes(f, tinyFile())
	f.Add(data, false)
	for _, size := range []int{0, 8, 239, 240, 256, 600, len(data) - 1} {
		f.Add(data[:size], true)
	}
	for at := 8; at < len(data); at += 1 + at/8 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x55
		f.Add(damaged, true)
	}
	f.Fuzz(func(t *testing.T, data []byte, seal bool) {
		if seal && len(data) >= modelfile.HeadBytes {
			data = bytes.Clone(data)
			modelfile.Seal(data)
		}
		for _, verify := range []bool{true, false} {
			m, err := open(data, verify)
			if err == nil {
				useAll(t, m)
			} else if !errors.Is(err, ErrModelFile) {
				t.Fatalf("error is %v, want ErrModelFile", err)
			}
		}
	})
}

// useAll reads every part of a model as the forward pass does.
func useAll(t *testing.T, m *model) {
	t.Helper()
	row := make([]float32, m.hidden)
	for id := range len(m.tokens.pieces.ends) / 4 {
		m.words.row(id, row)
	}
	for _, id := range m.tokens.encode("\tA\x01 ab界ﬁ\xff\xf4\x90 zz") {
		m.words.row(int(id), row)
	}
	for _, id := range []int32{m.tokens.bos, m.tokens.eos, m.tokens.pad, m.tokens.unk} {
		m.words.row(int(id), row)
	}
	if len(m.position) != m.positions*m.hidden || len(m.embedNorm.bias) != m.hidden {
		t.Fatalf("%d numbers for %d positions of %d", len(m.position), m.positions, m.hidden)
	}
	for _, l := range m.layers {
		for _, p := range []linear{l.query, l.key, l.value, l.attention, l.up, l.down} {
			if len(p.bias) != p.weights.Out || len(p.weights.Data) != p.weights.Out*p.weights.In*18/32 {
				t.Fatalf("matrix %d×%d has %d bytes and %d biases", p.weights.Out, p.weights.In, len(p.weights.Data), len(p.bias))
			}
		}
	}
}
