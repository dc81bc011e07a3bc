package builtin

import (
	"encoding/binary"
	"testing"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// rowByDefinition decodes the blocks of a row as FORMAT.md describes them, bit
// by bit.
func rowByDefinition(row []byte, bits int) []float32 {
	var out []float32
	for size := 2 + 4*bits; len(row) > 0; row = row[size:] {
		scale := modelfile.Float16(binary.LittleEndian.Uint16(row))
		for i := range 32 {
			level := 0
			for bit := range bits {
				at := bits*i + bit
				if bits == 4 {
					at = 8*(i%16) + 4*(i/16) + bit
				}
				level |= int(row[2+at/8]>>(at%8)&1) << bit
			}
			out = append(out, float32(level-1<<(bits-1))*scale)
		}
	}
	return out
}

func TestRow_DecodesAsTheFormatSays(t *testing.T) {
	f := tinyFile()
	m, err := open(fileBytes(t, f), true)
	if err != nil {
		t.Fatal(err)
	}
	rows, got := f.Sections[modelfile.Words], make([]float32, m.hidden)
	for id := range len(tinyPieces) {
		bits := 3
		if id < int(f.Shape.Fine) {
			bits = 4
		}
		size := m.hidden / 32 * (2 + 4*bits)
		m.words.row(id, got)
		for i, want := range rowByDefinition(rows[:size], bits) {
			if got[i] != want {
				t.Errorf("weight %d of piece %d is %v, want %v", i, id, got[i], want)
			}
		}
		rows = rows[size:]
	}
	if len(rows) != 0 {
		t.Errorf("%d bytes are no piece's", len(rows))
	}
}

func BenchmarkRow(b *testing.B) {
	m, err := open(embeddedBytes(), false)
	if err != nil {
		b.Fatal(err)
	}
	out := make([]float32, m.hidden)
	id := 0
	for b.Loop() {
		m.words.row(id, out)
		id = (id + 7) % 16000 // both kinds
	}
}
