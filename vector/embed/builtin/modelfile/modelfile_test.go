package modelfile

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// tinyShape is a shape whose file has some kilobytes.
var tinyShape = Shape{Hidden: 32, Heads: 4, FFN: 64, Layers: 2, Positions: 5, Pieces: 9, Fine: 3,
	Eps: 1e-12, BOS: 0, EOS: 2, Pad: 1, Unk: 3}

// tinyFile is a file whose sections hold numbers that tell them apart.
func tinyFile() *File {
	f := &File{Shape: tinyShape, Name: "tiny-1"}
	for i := range f.Sections {
		size := f.Shape.Size(Section(i))
		if size < 0 {
			size = 10 + int64(i)
		}
		f.Sections[i] = bytes.Repeat([]byte{byte(i + 1)}, int(size))
	}
	return f
}

func tinyBytes(t testing.TB) []byte {
	t.Helper()
	data, err := tinyFile().Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestParse_ReadsWhatBytesWrote(t *testing.T) {
	want := tinyFile()
	got, err := Parse(tinyBytes(t), true)
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != want.Name || got.Shape != want.Shape {
		t.Errorf("parsed %q %+v, want %q %+v", got.Name, got.Shape, want.Name, want.Shape)
	}
	for i := range want.Sections {
		if !bytes.Equal(got.Sections[i], want.Sections[i]) {
			t.Errorf("section %v is not what was written", Section(i))
		}
	}
}

// The offsets that FORMAT.md promises, not the constants that make them.
func TestBytes_PutsNumbersWhereTheFormatSays(t *testing.T) {
	data := tinyBytes(t)
	for offset, want := range map[int]uint32{
		8: 1, 16: uint32(len(data)), 24: 32, 28: 4, 32: 64, 36: 2, 40: 5, 44: 9, 48: 3,
		56: 0, 60: 2, 64: 1, 68: 3, 72: 6, 108: 0, 112: 256, 120: 36, 112 + 7*16 + 8: 4 * (64 + 2*(288+64)),
	} {
		if got := binary.LittleEndian.Uint32(data[offset:]); got != want {
			t.Errorf("byte %d holds %d, want %d", offset, got, want)
		}
	}
	if string(data[76:82]) != "tiny-1" || data[256] != 1 {
		t.Errorf("name is %q and the first section begins with %d, want tiny-1 and 1", data[76:82], data[256])
	}
}

func TestParse_RefusesEveryFlippedByteAndEveryCut(t *testing.T) {
	data := tinyBytes(t)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x10
		if _, err := Parse(damaged, true); err == nil {
			t.Errorf("a file with byte %d flipped was read", i)
		}
		if _, err := Parse(data[:i], false); err == nil {
			t.Errorf("the first %d bytes of a file were read", i)
		}
	}
	if _, err := Parse(append(data, 0), false); err == nil {
		t.Error("a file with a byte too many was read")
	}
}

func TestParse_SaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		offset int
		value  uint32
		want   string
	}{
		{0, 0, "want \"MMEMB"},
		{8, 2, "version 2, this program reads version 1"},
		{12, 7, "checksum is "},
		{16, 3, "the head says 3"},
		{24, 33, "hidden is 33"},
		{24, 1 << 31, "hidden is 2147483648"},
		{28, 0, "heads is 0"},
		{28, 3, "hidden 32 in 3 heads"},
		{32, 0xffffffe0, "ffn is 4294967264"},
		{36, 65, "layers is 65"},
		{40, 2, "positions is 2"},
		{44, 1 << 18, "pieces is 262144"},
		{48, 10, "pieces of 4 bits is 10, want 0 to 9"},
		{52, 0x7fc00000, "eps is NaN"},
		{56, 9, "id of <s> is 9"},
		{60, 0, "want four different ones"},
		{72, 33, "name of 33 bytes"},
		{76, 0x41410a41, "want printable ASCII"},
		{84, 1, "byte 84 is 1, want 0"},
		{108, 1 << 8, "byte 109 is 1, want 0"},
		{240, 1 << 24, "byte 243 is 1, want 0"},
		{112, 0, "section ends begins at byte 0, want 256"},
		{120, 35, "section ends has 35 bytes, want 36"},
		{124, 1, "the file has"},
		{112 + 16 + 8, 1 << 30, "section pieces has 1073741824 bytes"},
	} {
		data := tinyBytes(t)
		binary.LittleEndian.PutUint32(data[c.offset:], c.value)
		if c.offset != checksumAt {
			Seal(data)
		}
		if _, err := Parse(data, true); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d at byte %d: error is %v, want one with %q", c.value, c.offset, err, c.want)
		}
	}
}

func TestBytes_RefusesWhatParseWould(t *testing.T) {
	for name, spoil := range map[string]func(*File){
		"a wrong shape":         func(f *File) { f.Shape.Heads = 5 },
		"an empty name":         func(f *File) { f.Name = "" },
		"a name with a newline": func(f *File) { f.Name = "a\nb" },
		"a long name":           func(f *File) { f.Name = strings.Repeat("a", MaxName+1) },
		"a short section":       func(f *File) { f.Sections[Words] = f.Sections[Words][1:] },
	} {
		f := tinyFile()
		spoil(f)
		if _, err := f.Bytes(); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

func TestSection_String(t *testing.T) {
	if got := Words.String() + ", " + Section(Sections).String(); got != "words, section 8" {
		t.Errorf("names are %q, want words, section 8", got)
	}
}
