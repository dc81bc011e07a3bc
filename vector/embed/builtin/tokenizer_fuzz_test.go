package builtin

import (
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEncode holds the tokenizer against plainEncode, which knows nothing of
// words, hashes and lattices, and checks what must be true of any ids: they are
// in range and their spellings joined are the normalised text.
func FuzzEncode(f *testing.F) {
	for _, g := range readGoldenIDs(f) {
		if text := g.whole(); len(text) < 500 {
			f.Add(text)
		}
	}
	f.Add("a\x00b ▁ \xe2\x96\x81x")
	tokens := embeddedTokenizer(f)
	byText := make(map[string]int32)
	for id := range len(tokens.pieces.ends) / 4 {
		byText[string(tokens.pieces.spelling(id))] = int32(id)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			t.Skip("the plain way takes long")
		}
		characters := plainCharacters(tokens, text)
		ids := tokens.encode(text)
		if want := plainEncode(tokens, byText, characters); !slices.Equal(ids, want) {
			t.Fatalf("ids are %v, want %v", ids, want)
		}
		checkRejoin(t, tokens, ids, characters)
	})
}

// plainCharacters normalises a text step by step as FORMAT.md lists them.
func plainCharacters(t *tokenizer, text string) []string {
	var points []uint32
	for len(text) > 0 {
		point, size := decodePoint(text)
		if r, n := utf8.DecodeRuneInString(text); r != utf8.RuneError && (uint32(r) != point || n != size) {
			panic("decodePoint differs from utf8 on valid UTF-8")
		}
		text = text[size:]
		if by, ok := t.normaliser.find(point); ok {
			for _, r := range by {
				points = append(points, uint32(r))
			}
		} else {
			points = append(points, point)
		}
	}
	points = slices.CompactFunc(points, func(a, b uint32) bool { return a == ' ' && b == ' ' })
	if len(points) == 0 || points[0] != ' ' {
		points = slices.Insert(points, 0, ' ')
	}
	var characters []string
	for _, p := range points {
		if p == ' ' {
			p = '▁'
		}
		characters = append(characters, string(appendPoint(nil, p)))
	}
	return characters
}

// plainEncode is Viterbi's algorithm over the whole text, by looking up every
// substring.
func plainEncode(t *tokenizer, byText map[string]int32, characters []string) []int32 {
	const longest = 48 // characters of the longest piece at most
	best := make([]float32, len(characters)+1)
	last, from := make([]int32, len(best)), make([]int, len(best))
	for end := 1; end < len(best); end++ {
		best[end] = float32(math.Inf(-1))
		for begin := max(0, end-longest); begin < end; begin++ {
			id, ok := byText[strings.Join(characters[begin:end], "")]
			if ok && id != t.unk {
				if score := best[begin] + t.pieces.score(id); score > best[end] {
					best[end], last[end], from[end] = score, id, begin
				}
			}
		}
		if score := best[end-1] + t.unkScore; score > best[end] {
			best[end], last[end], from[end] = score, t.unk, end-1
		}
	}
	var ids []int32
	for end := len(characters); end > 0; end = from[end] {
		ids = append(ids, last[end])
	}
	slices.Reverse(ids)
	return ids
}

// checkRejoin checks that ids spell the characters, <unk> standing for one each.
func checkRejoin(t *testing.T, tokens *tokenizer, ids []int32, characters []string) {
	t.Helper()
	at := 0
	for _, id := range ids {
		if id < 0 || int(id) >= len(tokens.pieces.ends)/4 {
			t.Fatalf("id %d, want below %d", id, len(tokens.pieces.ends)/4)
		}
		if id == tokens.unk {
			at++
			continue
		}
		spelling := tokens.pieces.spelling(int(id))
		count := utf8.RuneCount(spelling)
		if at+count > len(characters) || strings.Join(characters[at:at+count], "") != string(spelling) {
			t.Fatalf("piece %q at character %d is not what the text has there", spelling, at)
		}
		at += count
	}
	if at != len(characters) {
		t.Fatalf("pieces spell %d characters, the text has %d", at, len(characters))
	}
}
