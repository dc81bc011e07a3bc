package bunt

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"time"

	"mcp-memory/storage"
)

// erase takes out what the erases say, and stretches that taints holds some of. It
// reports whether anything changed.
func (c *sideFile) erase(ctx context.Context, intents []storage.Op, key []byte, taints func([]byte) bool) (changed bool, err error) {
	entries := c.entries()
	added, wholes, err := missing(entries, intents, key)
	if err != nil {
		return false, err
	}
	st, err := foldAll(slices.Concat(entries, added), key)
	if err != nil {
		return false, err
	}
	p := st.purger(time.Time{}, time.Time{}, true) // nothing goes but what is erased
	if err := p.without(intents); err != nil {
		return false, err
	}
	kept := c.pieces[:0:0]
	for _, piece := range c.pieces {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		left, same, err := c.erasePiece(piece, p, func(raw []byte) bool {
			return taints(raw) || slices.ContainsFunc(wholes, func(w whole) bool { return w.stretch(raw) })
		})
		if err != nil {
			return false, err
		}
		changed = changed || !same
		if left != nil {
			kept = append(kept, *left)
		}
	}
	c.pieces = kept
	stripped, err := c.stripWholes(wholes)
	if err != nil {
		return false, err
	}
	if changed = changed || stripped; !changed && !touches(st, added) {
		return false, nil
	}
	for _, e := range added {
		c.pieces = append(c.pieces, piece{entry: e})
	}
	return true, nil
}

// without takes the records of erases as gone, also those whose own operation
// cannot be read: others tell of them too.
func (p *purger) without(intents []storage.Op) error {
	for _, op := range intents {
		for _, t := range op.Forget.Records {
			tombstone, err := json.Marshal(t)
			if err != nil {
				return err
			}
			p.gone[t.ID] = &fate{tombstone: string(tombstone)}
		}
	}
	return nil
}

// erasePiece returns what is left of a piece, nil for nothing, and whether that is
// the piece as it was.
func (c *sideFile) erasePiece(of piece, p *purger, taints func([]byte) bool) (left *piece, same bool, err error) {
	if of.length > 0 {
		raw, err := readStretch(c.path, of)
		if err != nil {
			return nil, false, err
		}
		if taints(raw) {
			return nil, false, nil
		}
		return &of, true, nil
	}
	edited, _, err := p.one(of.entry)
	if err != nil {
		return nil, false, err
	}
	return &piece{entry: edited}, edited == of.entry, nil
}

func readStretch(path string, of piece) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	raw := make([]byte, of.length)
	_, err = file.ReadAt(raw, of.offset)
	return raw, err
}

// missing are the erases that entries do not hold, as operations that follow them, and
// which of these take all of something.
func missing(entries []entry, intents []storage.Op, key []byte) (out []entry, wholes []whole, err error) {
	st, err := foldAll(entries, key)
	if err != nil {
		return nil, nil, err
	}
	next := uint64(1)
	for _, e := range entries {
		next = max(next, e.seq+1)
	}
	parts := map[userKey]int{}
	for _, op := range intents {
		receipt := userKey{op.User, op.Forget.Receipt}
		if parts[receipt]++; parts[receipt] <= len(st.receipts[receipt].values) {
			continue
		}
		value, err := encode(opKey(next), op, nil)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, entry{next, value})
		next++
		if w, is := wholeOfErase(&op, key); is {
			w.later = st.last.After(w.at)
			wholes = append(wholes, w)
		}
	}
	return out, wholes, nil
}

// touches reports whether a state knows any of the records of erases.
func touches(st *state, intents []entry) bool {
	for _, e := range intents {
		op, err := parse(e.value)
		if err == nil && slices.ContainsFunc(op.forget, func(t part) bool { _, known := st.index[t.id]; return known }) {
			return true
		}
	}
	return false
}
