package layers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"time"
)

// cursor is where the next page of a question goes on. It holds the moment of
// the first page, so that what is remembered in between neither moves nor
// repeats what was shown.
type cursor struct {
	offset int   // matches that were shown
	piece  int   // bytes of the next match's text that were shown
	at     int64 // the question's moment, Unix microseconds
	known  int64 // nothing recorded later is shown
}

// cursorToken is a cursor as it travels.
type cursorToken struct {
	Offset int    `json:"o"`
	Piece  int    `json:"p,omitempty"`
	At     int64  `json:"t"`
	Known  int64  `json:"k"`
	Hash   string `json:"h"` // of the question, which the next call must repeat
}

// readCursor takes the cursor of the call, if it has one.
func (q *question) readCursor() error {
	if q.in.Cursor == "" {
		return nil
	}
	const problem = "is not a cursor of this question; give next_cursor of the last answer with the same other arguments, or leave it out"
	raw, err := base64.RawURLEncoding.DecodeString(q.in.Cursor)
	if err != nil {
		return invalid("cursor", problem)
	}
	var t cursorToken
	if json.Unmarshal(raw, &t) != nil || t.Hash != q.hash() || t.Offset < 0 || t.Piece < 0 || t.At <= 0 || t.Known <= 0 {
		return invalid("cursor", problem)
	}
	q.cursor = cursor{offset: t.Offset, piece: t.Piece, at: t.At, known: t.Known}
	q.view.at = time.UnixMicro(t.At).UTC()
	return nil
}

// token writes the cursor of the next page.
func (q *question) token(offset, piece int, now time.Time) string {
	at, known := q.view.at.UnixMicro(), q.cursor.known
	if known == 0 {
		known = now.UnixMicro()
	}
	b, err := json.Marshal(cursorToken{Offset: offset, Piece: piece, At: at, Known: known, Hash: q.hash()})
	if err != nil { // five numbers and a string
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// hash tells questions apart. The page's size may change from page to page.
func (q *question) hash() string {
	in := q.in
	in.Cursor, in.Limit, in.MaxTokens, in.Format, in.Explain = "", nil, nil, "", false
	b, err := json.Marshal(in)
	if err != nil { // strings and numbers
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}
