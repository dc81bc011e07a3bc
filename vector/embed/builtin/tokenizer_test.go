package builtin

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// goldenIDs are texts with the ids that the reference engine gives them;
// testdata/ids.sh makes them.
//
//go:embed testdata/ids.jsonl
var goldenIDs []byte

type goldenText struct {
	Name  string  `json:"name"`
	Text  string  `json:"text"`
	Bytes []byte  `json:"bytes"` // instead of Text, where that is not UTF-8
	Times int     `json:"times"` // the text is repeated so often
	IDs   []int32 `json:"ids"`
}

// whole is the text that has the ids.
func (g goldenText) whole() string {
	return strings.Repeat(g.Text+string(g.Bytes), max(g.Times, 1))
}

func readGoldenIDs(t testing.TB) []goldenText {
	t.Helper()
	var texts []goldenText
	for line := range bytes.Lines(goldenIDs) {
		var g goldenText
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, g)
	}
	return texts
}

// embeddedTokenizer is the tokenizer of the embedded model.
func embeddedTokenizer(t testing.TB) *tokenizer {
	t.Helper()
	m, err := open(embeddedBytes(), false)
	if err != nil {
		t.Fatal(err)
	}
	return m.tokens
}

func TestTokenizer_GivesTheReferenceIDs(t *testing.T) {
	tokens := embeddedTokenizer(t)
	texts := readGoldenIDs(t)
	if len(texts) < 60 {
		t.Fatalf("testdata/ids.jsonl has %d texts, want 60 or more", len(texts))
	}
	for _, g := range texts {
		if got := tokens.encode(g.whole()); !slices.Equal(got, g.IDs) {
			t.Errorf("%s: ids of %.60q are\n%v, want\n%v", g.Name, g.whole(), got, g.IDs)
		}
	}
}

func TestTokenizer_TinyVocabulary(t *testing.T) {
	tokens := openTiny(t).tokens
	for text, want := range map[string]string{
		"":                 "▁",
		" ":                "▁",
		"a":                "▁a",
		"ab":               "▁ab",         // −9 beats ▁a b −9.5 and ▁ ab −9
		"abab":             "▁ abab",      // −14 beats ▁ab ab −15
		"A\tb":             "▁a ▁ b",      // the normaliser's space
		"a \t  b":          "▁a ▁ b",      // many spaces are one
		"a\x01b":           "▁ab",         // a control character is nothing
		"ﬁ":                "▁ab",         // one code point becomes two
		"x":                "▁ ?",         // unknown
		"xx":               "▁ ? ?",       // each by itself
		"<unk>":            "▁ ? ? ? ? ?", // its spelling is no piece
		"<s>":              "▁ <s>",       // other marks are
		"é界界界":             "▁ é 界 界界",    // of equal cuts the one whose last piece is longest
		"▁a▁":              "▁ ▁a ▁",      // ▁ itself begins a word
		"\xc3a":            "▁ ?",         // a lead byte takes what follows
		"e\xe9":            "▁ ? é",       // … and is Latin-1 at the end
		"a\x00b":           "▁a ? b",      // NUL is unknown, not the end
		"\xed\xa0\x80":     "▁ ?",
		"\xf7\xbf\xbf\xbf": "▁ ?",
	} {
		if got := spell(tokens, tokens.encode(text)); got != want {
			t.Errorf("pieces of %q are %q, want %q", text, got, want)
		}
	}
}

// spell joins the spellings of ids by blanks, <unk> as a question mark.
func spell(t *tokenizer, ids []int32) string {
	var spelled []string
	for _, id := range ids {
		text := string(t.pieces.spelling(int(id)))
		if id == t.unk {
			text = "?"
		}
		spelled = append(spelled, text)
	}
	return strings.Join(spelled, " ")
}

func TestTokenizer_TakesNULAsAnyUnknownCharacter(t *testing.T) {
	tokens := embeddedTokenizer(t)
	got := spell(tokens, tokens.encode("first\x00 second\x00"))
	if want := "▁first ? ▁second ?"; got != want {
		t.Errorf("pieces are %q, want %q", got, want)
	}
	if got := spell(tokens, tokens.encode("\x00")); got != "▁ ?" {
		t.Errorf("pieces of one NUL are %q, want ▁ and an unknown one", got)
	}
}

func TestTokenizer_LongTextsTakeLinearMemory(t *testing.T) {
	const size = 1 << 20
	tokens := embeddedTokenizer(t)
	for name, c := range map[string]struct {
		text     string
		mostHeap uint64 // bytes a byte of text: ids, their growth, and the longest word's scores
	}{
		"words":    {strings.Repeat("the quick brown fox ", size/20), 12},
		"one word": {strings.Repeat("abcdefghi2", size/10), 128},
		"spaces":   {strings.Repeat(" ", size), 1},
		"unknown":  {strings.Repeat("\xff", size), 128},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		ids := tokens.encode(c.text)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > c.mostHeap*size {
			t.Errorf("%s: %d bytes were allocated for %d of text, want at most %d", name, used, size, c.mostHeap*size)
		}
		if len(ids) == 0 || len(ids) > size+1 {
			t.Errorf("%s: %d ids for %d bytes", name, len(ids), size)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	tokens := embeddedTokenizer(b)
	for _, g := range readGoldenIDs(b) {
		switch g.Name {
		case "english", "chinese simplified", "long english", "very long word":
			b.Run(strings.ReplaceAll(g.Name, " ", "_"), func(b *testing.B) {
				text := g.whole()
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					tokens.encode(text)
				}
			})
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := open(embeddedBytes(), false); err != nil {
			b.Fatal(err)
		}
	}
}
