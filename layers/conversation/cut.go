package conversation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"mcp-memory/internal/lazy"
)

// piece is a stretch of prose: a sentence or a part of one.
type piece struct {
	start, end int
	kind       Kind
	why        string
}

// sentences cuts prose into what is spoken in quotes and the sentences of the
// rest. A quotation may be of several sentences.
func sentences(content string, from, to int) []piece {
	var out []piece
	at := from
	for _, q := range quotation.FindAllStringIndex(content[from:to], -1) {
		start, end := from+q[0], from+q[1]
		if !speech(content[start:end]) {
			continue
		}
		out = append(out, announcing(content, unquotedSentences(content, at, start))...)
		out = appendPiece(out, content, piece{start, end, Quoted, "in quotation marks"})
		at = end
	}
	return append(out, unquotedSentences(content, at, to)...)
}

func unquotedSentences(content string, from, to int) []piece {
	var out []piece
	for _, s := range Sentences(content[from:to]) {
		out = appendPiece(out, content, piece{start: from + s.Start, end: from + s.End})
	}
	return out
}

// announcing marks the last of the sentences before a quotation if it ends in a
// colon: it says whose the words are, no more.
func announcing(content string, before []piece) []piece {
	if n := len(before); n > 0 {
		last := &before[n-1]
		if s := content[last.start:last.end]; strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") {
			last.kind, last.why = Quoted, "announces a quotation"
		}
	}
	return before
}

// quotation matches what stands between quotes. Single quotes count only after a
// blank, else every apostrophe would open one.
var quotation = lazy.MustCompile(`"[^"\n]+"|“[^”]+”|‘[^’]+’|「[^」]+」|『[^』]+』|„[^“”]+[“”]|«[^»]+»|(?:^|[\s:：(])'[^'\n]{3,}'(?:$|[\s.,!?)])`)

// appendPiece adds a piece, trimmed, unless there is nothing but signs in it.
func appendPiece(out []piece, content string, p piece) []piece {
	p.start, p.end = trimmed(content, p.start, p.end)
	p.start += numeral(content[:p.start], content[p.start:p.end])
	if !strings.ContainsFunc(content[p.start:p.end], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return out
	}
	return append(out, p)
}

// itemNumber matches the number of an item of a list before its words.
var itemNumber = lazy.MustCompile(`^\(?\d{1,2}(?:[.)]\s+|[、．）]\s*)`)

// numeral is how long the number of a list's item is that a sentence at the begin of a
// line begins with; 0 where none is.
func numeral(before, s string) int {
	if line := strings.TrimRight(before, " \t"); line != "" && !strings.HasSuffix(line, "\n") {
		return 0
	}
	n := len(itemNumber.FindString(s))
	if r, _ := utf8.DecodeRuneInString(s[n:]); !unicode.IsLetter(r) {
		return 0
	}
	return n
}

// trimmed moves the ends of a stretch inwards over white space and separators.
func trimmed(content string, start, end int) (int, int) {
	s := content[start:end]
	start += len(s) - len(strings.TrimLeft(s, " \t\r\n,，;；、—–:："))
	if start > end {
		return end, end
	}
	return start, start + len(strings.TrimRight(content[start:end], " \t\r\n,，;；、—–"))
}

// Words from which on a quotation without a first person is speech rather than
// a title or a term.
const (
	speechWords = 9
	speechRunes = 18 // of a script without blanks
)

// speech reports whether quoted words are somebody's speech: they name a first
// person, end like a sentence, or are too many for a title.
func speech(quoted string) bool {
	q := strings.Trim(quoted, " \t:：(\"'“”‘’「」『』„«»")
	if script(q) == "ja" && said.MatchString(q) {
		return true
	}
	if script(q) != "en" {
		return strings.ContainsAny(q, "我咱俺私僕俺。！？") || utf8.RuneCountInString(q) >= speechRunes
	}
	if t := tongueOf(q); t.code != "en" && t.has("first", q) {
		return true
	}
	return firstPerson.MatchString(q) || len(strings.Fields(q)) >= speechWords
}

// said matches how a sentence of Japanese ends, which no title does.
var said = lazy.MustCompile(`(?:です|ます|ました|でした|ません|ている|てる|てます|だよ|だね|たよ|るよ|んだ|ください)$`)

var firstPerson = lazy.MustCompile(`(?i)\b(?:i|i'm|i've|i'd|i'll|me|my|we|we're|our|us|you|your|ich|mein|je|mon|ma|yo|mi)\b`)

// clauses cuts a stretch at the signs between clauses, and before a "so" or "and"
// that a question follows.
func clauses(content string, from, to int) []piece {
	var out []piece
	at := from
	for _, m := range clauseEnd.FindAllStringSubmatchIndex(content[from:to], -1) {
		end := from + m[0]
		if sign := content[end : from+m[1]]; script(sign) == "ja" { // けど belongs to what it closes
			end = from + m[1]
		}
		out = appendPiece(out, content, piece{start: at, end: end})
		if at = from + m[1]; m[2] >= 0 { // the question word begins the next clause
			at = from + m[2]
		}
	}
	return appendPiece(out, content, piece{start: at, end: to})
}

var clauseEnd = lazy.MustCompile(`[,;:]\s+|[，；：]|\s[-–—]+\s|(?:けれども|けれど|けど|ので|から|が)、|(?:んだ|です|ます|ました|でした)(?:けれども|けれど|けど)|—+|\.{3,}\s*|…+|(?i:\s(?:so|and|but|or)\s((?:who|what|when|where|why|which|how|is|are|do|does|did|can|could|would|should|any|will)\b))`)
