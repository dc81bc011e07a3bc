package layers

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"mcp-memory/layers/recall"
)

// cursor is where the next page of a question goes on: behind the last match of
// this one that is still there. It holds the moment of the first page, so that
// what is remembered in between is not shown, and the ids of this page, so that
// what is forgotten in between makes the next one skip nothing. Scores are no
// help for that: forgetting changes how much words weigh.
type cursor struct {
	First int      `json:"f"`           // where this page began
	Shown []string `json:"s"`           // its ids
	Piece int      `json:"p,omitempty"` // bytes of the last one's text that were shown; 0: all
	At    int64    `json:"t"`           // the question's moment, Unix microseconds
	Known int64    `json:"k"`           // nothing recorded later is shown
	Hash  string   `json:"h"`           // of the question, which the next call must repeat
	Seen  *vantage `json:"v,omitempty"` // what the first page knew by vectors; nil: it went by words alone
}

// vantage is what was known by vectors when a question was first asked. All its
// pages go by that, while more vectors are made.
type vantage struct {
	Before uint32  `json:"b"` // only records with a lower number had one
	Count  int     `json:"n"`
	Mean   float64 `json:"m"` // of the question's cosines with them
	Std    float64 `json:"d"`
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
	var c cursor
	if json.Unmarshal(raw, &c) != nil || c.Hash != q.hash() || len(c.Shown) == 0 || c.At <= 0 || c.Known <= 0 ||
		c.First < 0 || c.Piece < 0 {
		return invalid("cursor", problem)
	}
	q.cursor, q.seen = c, c.Seen
	q.view.at = time.UnixMicro(c.At).UTC()
	return nil
}

// token writes the cursor behind a page that began at first, or, with a piece,
// inside the text of its last match.
func (q *question) token(page []Match, first, piece int, now time.Time) string {
	c := cursor{First: first, Piece: piece, At: q.view.at.UnixMicro(), Known: q.cursor.Known, Hash: q.hash(), Seen: q.seen}
	for _, m := range page {
		c.Shown = append(c.Shown, m.ID)
	}
	if c.Known == 0 {
		c.Known = now.UnixMicro()
	}
	b, err := json.Marshal(c)
	if err != nil { // numbers and strings
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

// start returns where in the order the page begins, and how much of its first
// match's text was shown.
func (q *question) start(found []*recall.Candidate) (at, piece int) {
	c := &q.cursor
	for i := len(c.Shown) - 1; i >= 0; i-- {
		j := slices.IndexFunc(found, func(f *recall.Candidate) bool { return f.ID == c.Shown[i] })
		switch {
		case j >= 0 && i == len(c.Shown)-1 && c.Piece > 0:
			return j, c.Piece
		case j >= 0:
			return j + 1, 0
		}
	}
	return min(c.First, len(found)), 0
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
