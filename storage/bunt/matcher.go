package bunt

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"slices"
	"unicode/utf16"
)

// matcher looks for many words at once in bytes: as they are, as JSON escapes
// them, in base64 wherever they may begin in it, and in UTF-16.
type matcher struct {
	first [1 << 16]bool // by two first bytes
	long  map[uint64][][]byte
	short map[uint32][][]byte
	none  bool
}

// Lengths of words, in bytes: shorter ones are met anywhere by chance.
const (
	shortMatch = 4
	longMatch  = 8
)

func newMatcher(words ...string) *matcher {
	m := &matcher{long: map[uint64][][]byte{}, short: map[uint32][][]byte{}, none: true}
	seen := map[string]bool{}
	for _, word := range words {
		if len(word) < shortMatch || seen[word] {
			continue
		}
		seen[word] = true
		for _, form := range forms(word) {
			m.add(form)
		}
	}
	return m
}

func (m *matcher) add(form []byte) {
	if len(form) < shortMatch {
		return
	}
	m.none = false
	m.first[binary.BigEndian.Uint16(form)] = true
	if len(form) < longMatch {
		key := binary.BigEndian.Uint32(form)
		m.short[key] = append(m.short[key], form)
		return
	}
	key := binary.BigEndian.Uint64(form)
	m.long[key] = append(m.long[key], form)
}

// in reports whether b holds any of the words.
func (m *matcher) in(b []byte) bool {
	if m.none {
		return false
	}
	for i := 0; i+shortMatch <= len(b); i++ {
		if m.first[binary.BigEndian.Uint16(b[i:])] && m.at(b[i:]) {
			return true
		}
	}
	return false
}

func (m *matcher) at(b []byte) bool {
	begins := func(form []byte) bool { return bytes.HasPrefix(b, form) }
	if slices.ContainsFunc(m.short[binary.BigEndian.Uint32(b)], begins) {
		return true
	}
	return len(b) >= longMatch && slices.ContainsFunc(m.long[binary.BigEndian.Uint64(b)], begins)
}

// forms are the bytes as which a word may stand in a file.
func forms(word string) [][]byte {
	out := [][]byte{[]byte(word), wide(word)}
	plain := []string{word}
	for _, html := range []bool{false, true} {
		if escaped := escape(word, html); !slices.Contains(plain, escaped) {
			plain = append(plain, escaped)
			out = append(out, []byte(escaped))
		}
	}
	for _, s := range plain {
		for offset := range 3 {
			if form := encoded(s, offset); len(form) >= longMatch {
				out = append(out, form)
			}
		}
	}
	return out
}

// escape writes a word as JSON does within a string.
func escape(word string, html bool) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(html)
	if err := e.Encode(word); err != nil {
		return word
	}
	return string(bytes.Trim(bytes.TrimSpace(b.Bytes()), `"`))
}

// encoded is what of base64 is a word's alone that begins offset bytes after a
// border of three.
func encoded(word string, offset int) []byte {
	padded := append(make([]byte, offset), word...)
	padded = padded[:len(padded)/3*3]
	out := base64.StdEncoding.EncodeToString(padded)
	return []byte(out[min(len(out), (8*offset+5)/6):])
}

// wide is a word in UTF-16, little endian.
func wide(word string) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune(word)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}
