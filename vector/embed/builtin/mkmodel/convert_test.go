package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcp-memory/vector/embed/builtin/kernel"
	"mcp-memory/vector/embed/builtin/modelfile"
)

// Sizes of the tiny source.
const (
	tinyHidden, tinyFFN, tinyLayers, tinyPositions = 64, 96, 2, 5
	tinyPieces, tinyRows                           = 6, 8 // the word table has rows of no piece
)

// tinySource is a file in the wheel's format with random weights.
func tinySource() []byte {
	u32 := binary.LittleEndian.AppendUint32
	file := []byte("E5S1")
	for _, v := range []uint32{1, tinyHidden, tinyLayers, 8, tinyFFN, tinyRows, tinyPositions, 2, 0x2b8cbccc, block4} {
		file = u32(file, v)
	}
	for _, v := range []uint32{tinyPieces, 0, 2, 1, 3} {
		file = u32(file, v)
	}
	file = binary.LittleEndian.AppendUint64(file, 2*tinyPieces)
	for i := range tinyPieces + 1 {
		file = u32(file, uint32(2*i))
	}
	for i := range tinyPieces {
		file = u32(file, 0xc0000000+uint32(i)<<16)
	}
	file = append(file, "aabbccddeeff"...)
	file = u32(u32(file, 2), 4+1+4+4+1+8)      // two rules
	file = u32(append(u32(file, 9), 1), ' ')   // tab to space
	file = u32(append(u32(file, 'ﬁ'), 2), 'f') // ﬁ to fi
	return appendTensors(u32(file, 'i'))
}

// appendTensors appends the directory and the tensors.
func appendTensors(file []byte) []byte {
	r := rand.New(rand.NewPCG(5, 6))
	type named struct {
		name string
		data []byte
	}
	floats := func(name string, count int) named {
		var data []byte
		for range count {
			data = binary.LittleEndian.AppendUint32(data, 0x3f800000+uint32(r.IntN(1<<23)))
		}
		return named{name, data}
	}
	blocks := func(name string, weights int) named {
		var data []byte
		for range weights / block4 {
			block := make([]byte, block4Len)
			pack4(block, randomLevels(r), uint16(0x2000+r.IntN(1<<11)))
			data = append(data, block...)
		}
		return named{name, data}
	}
	const h, f = tinyHidden, tinyFFN
	tensors := []named{blocks("emb.word", tinyRows*h), floats("emb.pos", tinyPositions*h), floats("emb.type", 2*h),
		floats("emb.ln.w", h), floats("emb.ln.b", h)}
	for l := range tinyLayers {
		for _, name := range []string{"q", "k", "v", "ao", "fi", "fo"} {
			size, out := h*h, h
			if name[0] == 'f' {
				size = h * f
			}
			if name == "fi" {
				out = f
			}
			tensors = append(tensors, blocks(fmt.Sprintf("l%d.%s.w", l, name), size), floats(fmt.Sprintf("l%d.%s.b", l, name), out))
		}
		for _, name := range []string{"aln.w", "aln.b", "oln.w", "oln.b"} {
			tensors = append(tensors, floats(fmt.Sprintf("l%d.%s", l, name), h))
		}
	}
	offset := len(file) + 4
	for _, t := range tensors {
		offset += 2 + len(t.name) + 1 + 4 + 8 + 8
	}
	file = binary.LittleEndian.AppendUint32(file, uint32(len(tensors)))
	for _, t := range tensors {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(t.name)))
		file = append(append(file, t.name...), 0, 0, 0, 0, 0)
		file = binary.LittleEndian.AppendUint64(file, uint64(offset))
		file = binary.LittleEndian.AppendUint64(file, uint64(len(t.data)))
		offset += len(t.data)
	}
	for _, t := range tensors {
		file = append(file, t.data...)
	}
	return file
}

// convertTiny parses and converts the tiny source.
func convertTiny(t *testing.T, fine int) (*source, *made, *modelfile.File) {
	t.Helper()
	s, err := parseSource(tinySource())
	if err != nil {
		t.Fatal(err)
	}
	m, err := makeModel(s, "tiny", fine)
	if err != nil {
		t.Fatal(err)
	}
	f, err := modelfile.Parse(m.model, true)
	if err != nil {
		t.Fatal(err)
	}
	return s, m, f
}

func TestMakeModel_KeepsTheShapeAndTheVocabulary(t *testing.T) {
	_, _, f := convertTiny(t, 2)
	want := modelfile.Shape{Hidden: tinyHidden, Heads: 8, FFN: tinyFFN, Layers: tinyLayers, Positions: tinyPositions,
		Pieces: tinyPieces, Fine: 2, Eps: f.Shape.Eps, BOS: 0, EOS: 2, Pad: 1, Unk: 3}
	if f.Shape != want || f.Name != "tiny" {
		t.Errorf("%s has shape %+v, want %+v", f.Name, f.Shape, want)
	}
	if got := string(f.Sections[modelfile.Pieces]); got != "aabbccddeeff" {
		t.Errorf("pieces are %q", got)
	}
	rules := "\x02\x00\x00\x00" + "\x09\x00\x00\x00\x01\x00\x00\x00" + "\x01\xfb\x00\x00\x03\x00\x00\x00" + " fi"
	if got := string(f.Sections[modelfile.Normaliser]); got != rules {
		t.Errorf("normaliser is %q, want %q", got, rules)
	}
}

func TestMakeModel_TilesHoldTheSameWeights(t *testing.T) {
	s, _, f := convertTiny(t, 2)
	tiles := f.Sections[modelfile.Matrices]
	for l := range tinyLayers {
		for _, m := range []struct {
			name    string
			out, in int
		}{{"q", 64, 64}, {"k", 64, 64}, {"v", 64, 64}, {"ao", 64, 64}, {"fi", 96, 64}, {"fo", 64, 96}} {
			blocks := s.tensors[fmt.Sprintf("l%d.%s.w", l, m.name)].data
			for o := range m.out {
				for i := range m.in {
					v, scale := unpack4(blocks[(o*m.in+i)/block4*block4Len:])
					level, tileScale := tileWeight(tiles, m.in, o, i)
					if level != v[i%block4] || tileScale != scale {
						t.Fatalf("layer %d %s[%d][%d] is %d·%v, want %d·%v", l, m.name, o, i, level, tileScale, v[i%block4], scale)
					}
				}
			}
			tiles = tiles[len(blocks):]
		}
	}
	if len(tiles) != 0 {
		t.Errorf("%d bytes of tiles are left over", len(tiles))
	}
}

// tileWeight finds the weight of output o and input i as kernel.Weights says.
func tileWeight(tiles []byte, in, o, i int) (level int, scale float64) {
	tile := tiles[(o/8*(in/32)+i/32)*kernel.TileBytes:]
	r, within := i%32/8, i%8
	pair := tile[16+32*r+4*(o%8)+within%4]
	return int(pair>>(within/4*4)&15) - 8, float64(modelfile.Float16(binary.LittleEndian.Uint16(tile[2*(o%8):])))
}

func TestMakeModel_AddsTheTokenTypeToPositions(t *testing.T) {
	s, _, f := convertTiny(t, tinyPieces)
	for i := range tinyPositions * tinyHidden {
		want := floatAt(s.tensors["emb.pos"].data, i) + floatAt(s.tensors["emb.type"].data, i%tinyHidden)
		if got := floatAt(f.Sections[modelfile.Positions], i); got != want {
			t.Fatalf("number %d of the positions is %v, want %v", i, got, want)
		}
	}
}

func TestMakeModel_ReferenceDiffersInTheShrunkWordsOnly(t *testing.T) {
	const row = tinyHidden / block4 * block4Len
	for _, fine := range []int{0, 2, tinyPieces} {
		s, m, f := convertTiny(t, fine)
		begin := s.tensors["emb.word"].offset
		kept, end := begin+fine*row, begin+tinyPieces*row
		if !bytes.Equal(m.reference[:kept], s.file[:kept]) || !bytes.Equal(m.reference[end:], s.file[end:]) {
			t.Errorf("%d fine pieces: the reference differs outside of the shrunk words", fine)
		}
		if same := bytes.Equal(m.reference[kept:end], s.file[kept:end]); same != (fine == tinyPieces) {
			t.Errorf("%d fine pieces: the reference has the source's words: %v", fine, same)
		}
		if words := f.Sections[modelfile.Words]; !bytes.Equal(words[:fine*row], s.file[begin:kept]) {
			t.Errorf("%d fine pieces: their words are not the source's", fine)
		}
	}
}

func TestMakeModel_KeepsTheSourceAsItIs(t *testing.T) {
	s, _, _ := convertTiny(t, 2)
	if !bytes.Equal(s.file, tinySource()) {
		t.Error("the source was written to")
	}
}

func TestParseSource_RefusesEveryCut(t *testing.T) {
	file := tinySource()
	const headEnd = 3000 // beyond: the tensors, where one cut is like another
	for size := 0; size < len(file); size += 1 + size/headEnd*97 {
		s, err := parseSource(file[:size])
		if err == nil {
			_, err = makeModel(s, "tiny", 2)
		}
		if err == nil {
			t.Errorf("the first %d of %d bytes made a model", size, len(file))
		}
	}
}

func TestParseSource_SaysWhatIsWrong(t *testing.T) {
	for offset, want := range map[int]string{
		0:  `begins with "\xff5S1"`,
		4:  "version 255",
		40: "blocks of 255",
	} {
		file := tinySource()
		file[offset] = 0xff
		if _, err := parseSource(file); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("byte %d: error is %v, want one with %q", offset, err, want)
		}
	}
}
