package builtin

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math"
	"strings"
	"testing"

	"mcp-memory/vector/embed/builtin/modelfile"
)

// tinyPieces is a vocabulary in which all that the tokenizer does can happen.
var tinyPieces = []struct {
	text  string
	score float32
}{
	{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0},
	{"▁", -3}, {"a", -4}, {"b", -4.5}, {"▁a", -5}, {"ab", -6}, {"▁ab", -9}, {"abab", -11}, {"é", -7}, {"界", -7}, {"界界", -8},
}

// tinyRules is a normaliser: tab to space, U+0001 to nothing, ﬁ to two letters,
// A to a.
var tinyRules = []struct {
	point uint32
	by    string
}{{1, ""}, {'\t', " "}, {'A', "a"}, {'ﬁ', "ab"}}

// tinyFile is a whole model of some kilobytes, with weights that repeat.
func tinyFile() *modelfile.File {
	f := &modelfile.File{
		Name: "tiny",
		Shape: modelfile.Shape{Hidden: 64, Heads: 8, FFN: 96, Layers: 2, Positions: 6,
			Pieces: uint32(len(tinyPieces)), Fine: 5, Eps: 1e-9, BOS: 0, EOS: 2, Pad: 1, Unk: 3},
	}
	for i := range f.Sections {
		if size := f.Shape.Size(modelfile.Section(i)); size > 0 {
			f.Sections[i] = make([]byte, size)
		}
	}
	spelled := 0
	for id, p := range tinyPieces {
		spelled += len(p.text)
		f.Sections[modelfile.Pieces] = append(f.Sections[modelfile.Pieces], p.text...)
		binary.LittleEndian.PutUint32(f.Sections[modelfile.Ends][4*id:], uint32(spelled))
		putFloat(f.Sections[modelfile.Scores], id, p.score)
	}
	f.Sections[modelfile.Normaliser] = tinyNormaliser()
	for i := range f.Sections[modelfile.Words] {
		f.Sections[modelfile.Words][i] = byte(i*37 + i/256)
	}
	for at, size := 0, modelfile.Block4; at < len(f.Sections[modelfile.Words]); at += size {
		if at == int(f.Shape.Fine*f.Shape.Hidden/wordBlock)*modelfile.Block4 {
			size = modelfile.Block3
		}
		f.Sections[modelfile.Words][at+1] &= 0xbf // the scale is finite
	}
	for i := range f.Sections[modelfile.Matrices] {
		f.Sections[modelfile.Matrices][i] = byte(i * 41 % 60) // all scales finite
	}
	for _, section := range []modelfile.Section{modelfile.Positions, modelfile.Vectors} {
		for i := range len(f.Sections[section]) / 4 {
			putFloat(f.Sections[section], i, float32(i))
		}
	}
	return f
}

func putFloat(data []byte, i int, x float32) {
	binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(x))
}

func tinyNormaliser() []byte {
	text := ""
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(tinyRules)))
	for _, r := range tinyRules {
		text += r.by
		data = binary.LittleEndian.AppendUint32(data, r.point)
		data = binary.LittleEndian.AppendUint32(data, uint32(len(text)))
	}
	return append(data, text...)
}

// fileBytes is f as a file.
func fileBytes(t testing.TB, f *modelfile.File) []byte {
	t.Helper()
	data, err := f.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// openTiny opens the tiny model.
func openTiny(t testing.TB) *model {
	t.Helper()
	m, err := open(fileBytes(t, tinyFile()), true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestOpen_HandsOutEveryPartOnce(t *testing.T) {
	m := openTiny(t)
	if m.name != "tiny" || m.hidden != 64 || m.heads != 8 || m.ffn != 96 || m.positions != 6 || m.eps != 1e-9 {
		t.Errorf("model is %q with %d, %d, %d, %d, %v, want the file's", m.name, m.hidden, m.heads, m.ffn, m.positions, m.eps)
	}
	next := float32(0) // vectors count up through the section
	follow := func(what string, v []float32, size int) {
		t.Helper()
		if len(v) != size || v[0] != next || v[size-1] != next+float32(size-1) {
			t.Errorf("%s is %v…, want %d numbers from %v on", what, v[:1], size, next)
		}
		next += float32(size)
	}
	follow("the embeddings' weight", m.embedNorm.weight, 64)
	follow("the embeddings' bias", m.embedNorm.bias, 64)
	for _, l := range m.layers {
		for _, linear := range []linear{l.query, l.key, l.value, l.attention} {
			follow("a bias", linear.bias, 64)
		}
		follow("the attention norm", l.attentionNorm.weight, 64)
		follow("the attention norm", l.attentionNorm.bias, 64)
		follow("up", l.up.bias, 96)
		follow("down", l.down.bias, 64)
		follow("the output norm", l.outputNorm.weight, 64)
		follow("the output norm", l.outputNorm.bias, 64)
	}
	if len(m.layers) != 2 || len(m.position) != 6*64 || m.position[100] != 100 {
		t.Errorf("%d layers, %d positions of which the 100th is %v", len(m.layers), len(m.position), m.position[100])
	}
}

func TestOpen_MatricesFollowEachOther(t *testing.T) {
	file := tinyFile()
	m, err := open(fileBytes(t, file), false)
	if err != nil {
		t.Fatal(err)
	}
	var joined []byte
	for _, l := range m.layers {
		for i, w := range []linear{l.query, l.key, l.value, l.attention, l.up, l.down} {
			out, in := 64, 64
			switch i {
			case 4:
				out = 96
			case 5:
				in = 96
			}
			if w.weights.Out != out || w.weights.In != in || len(w.weights.Data) != out*in*18/32 {
				t.Errorf("matrix %d is %d×%d in %d bytes, want %d×%d", i, w.weights.Out, w.weights.In, len(w.weights.Data), out, in)
			}
			joined = append(joined, w.weights.Data...)
		}
	}
	if !bytes.Equal(joined, file.Sections[modelfile.Matrices]) {
		t.Error("the matrices are not the section's bytes in their order")
	}
}

func TestOpen_ReadsNumbersAtAnyAddress(t *testing.T) {
	data := fileBytes(t, tinyFile())
	for shift := range 4 {
		moved := append(make([]byte, shift, len(data)+4), data...)[shift:]
		m, err := open(moved, true)
		if err != nil {
			t.Fatal(err)
		}
		if m.position[7] != 7 || m.layers[0].query.bias[0] != 128 {
			t.Errorf("at address +%d position 7 is %v and the first bias %v, want 7 and 128", shift, m.position[7], m.layers[0].query.bias[0])
		}
	}
}

func TestOpen_SaysWhatIsWrong(t *testing.T) {
	put := func(section modelfile.Section, i int, value uint32) func(*modelfile.File) {
		return func(f *modelfile.File) { binary.LittleEndian.PutUint32(f.Sections[section][4*i:], value) }
	}
	for _, c := range []struct {
		name  string
		spoil func(*modelfile.File)
		want  string
	}{
		{"empty piece", put(modelfile.Ends, 1, 3), "section ends: piece 1 lies from byte 3 to 3"},
		{"piece backwards", put(modelfile.Ends, 1, 2), "piece 1 lies from byte 3 to 2"},
		{"piece too long", put(modelfile.Ends, 4, 1<<31), "piece 4 lies from byte 17"},
		{"last piece elsewhere", func(f *modelfile.File) { f.Sections[modelfile.Pieces] = f.Sections[modelfile.Pieces][1:] }, "the last piece ends at byte"},
		{"score NaN", put(modelfile.Scores, 5, 0x7fc00000), "section scores: piece 5 has score NaN"},
		{"score infinite", put(modelfile.Scores, 6, 0xff800000), "piece 6 has score -Inf"},
		{"no normaliser", func(f *modelfile.File) { f.Sections[modelfile.Normaliser] = nil }, "section normaliser: 0 bytes"},
		{"too many entries", put(modelfile.Normaliser, 0, 1<<30), "1073741824 entries in "},
		{"entries not sorted", put(modelfile.Normaliser, 3, 1), "entry 1 is for U+0001 after U+0001"},
		{"replacement outside", put(modelfile.Normaliser, 4, 99), "entry 1 ends at byte 99, want 0 to 4"},
		{"replacements left", put(modelfile.Normaliser, 8, 3), "the last entry ends at byte 3, the replacements have 4"},
		{"replacements no UTF-8", func(f *modelfile.File) {
			f.Sections[modelfile.Normaliser][len(f.Sections[modelfile.Normaliser])-1] = 0xff
		}, "replacements are not UTF-8"},
	} {
		f := tinyFile()
		c.spoil(f)
		_, err := open(fileBytes(t, f), true)
		if !errors.Is(err, ErrModelFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want ErrModelFile with %q", c.name, err, c.want)
		}
	}
}

func TestOpen_RefusesPiecesChosenToCollide(t *testing.T) {
	f := tinyFile()
	f.Shape.Pieces = 2 * maxProbes
	for _, s := range []modelfile.Section{modelfile.Ends, modelfile.Scores, modelfile.Words} {
		f.Sections[s] = make([]byte, f.Shape.Size(s))
	}
	f.Sections[modelfile.Pieces] = bytes.Repeat([]byte("a"), 2*maxProbes)
	for id := range 2 * maxProbes {
		binary.LittleEndian.PutUint32(f.Sections[modelfile.Ends][4*id:], uint32(id+1))
	}
	_, err := open(fileBytes(t, f), true)
	if !errors.Is(err, ErrModelFile) || !strings.Contains(err.Error(), "piece 512 has a hash") {
		t.Errorf("error is %v, want ErrModelFile naming piece 512", err)
	}
}

func TestOpen_RefusesForeignBytes(t *testing.T) {
	for name, data := range map[string][]byte{
		"nothing": nil,
		"a text":  []byte(strings.Repeat("# not a model\n", 100)),
		"a cut":   fileBytes(t, tinyFile())[:1000],
	} {
		if _, err := open(data, true); !errors.Is(err, ErrModelFile) {
			t.Errorf("%s: error is %v, want ErrModelFile", name, err)
		}
	}
}

// maxEmbeddedBytes is what the repository and every binary are to carry at most.
const maxEmbeddedBytes = 60_000_000

func TestEmbeddedModel_IsTheRecordedOne(t *testing.T) {
	hash := sha256.Sum256(embeddedBytes())
	if got := hex.EncodeToString(hash[:]); got != modelfile.EmbeddedSHA256 {
		t.Errorf("e5-small.model has sha256 %s, want %s", got, modelfile.EmbeddedSHA256)
	}
	if len(embeddedBytes()) > maxEmbeddedBytes {
		t.Errorf("e5-small.model has %d bytes, want %d or fewer", len(embeddedBytes()), maxEmbeddedBytes)
	}
	m, err := open(embeddedBytes(), true)
	if err != nil {
		t.Fatal(err)
	}
	if m.name != "e5-small-q4w3" || m.hidden != 384 || len(m.layers) != 12 || m.positions != 512 || m.words.fineLen != 8000 {
		t.Errorf("the embedded model is %s with hidden %d, %d layers, %d positions, %d pieces of 4 bits", m.name, m.hidden, len(m.layers), m.positions, m.words.fineLen)
	}
}

// maxTableBytes is the heap that finding pieces may take.
const maxTableBytes = 4 << 20

func TestEmbeddedModel_FindsEveryPieceInAFewProbes(t *testing.T) {
	table := embeddedTokenizer(t).pieces
	if size := 4*len(table.slots) + len(table.reach); size > maxTableBytes {
		t.Errorf("the table of pieces has %d bytes, want %d or fewer", size, maxTableBytes)
	}
	for id := range len(table.ends) / 4 {
		spelling := table.spelling(id)
		if got := table.find(spelling, extendHash(hashBasis, spelling)); got != int32(id) {
			t.Errorf("piece %d %q is found as %d", id, spelling, got)
		}
		if got := table.longest(spelling); got < len(spelling) {
			t.Errorf("piece %d %q has %d bytes, the table says at most %d", id, spelling, len(spelling), got)
		}
	}
}
