package bunt

import (
	"fmt"
	"slices"

	"mcp-memory/storage"
)

// hush takes what repeats words of erased records out of a copy: turns, answers and
// jobs that the store itself let go of since the copy was made, so that no erase
// names them. It reports whether anything changed.
func (c *sideFile) hush(payloads []storage.Payload) (changed bool, err error) {
	finders := make([]*finder, len(payloads))
	for i, p := range payloads {
		finders[i] = newFinder(p)
	}
	kept := c.pieces[:0:0]
	for _, piece := range c.pieces {
		for _, f := range finders {
			if piece.length > 0 || piece.value == "" {
				break
			}
			value, err := f.hushed(piece.entry)
			if err != nil {
				return false, err
			}
			changed = changed || value != piece.value
			piece.value = value
		}
		if piece.length > 0 || piece.value != "" {
			kept = append(kept, piece)
		}
	}
	c.pieces = kept
	return changed, nil
}

// hushed is an operation without the turns, answers and jobs of the payload's user
// that hold its words; "" where nothing is left.
func (f *finder) hushed(e entry) (string, error) {
	if !f.mayHold(e.value) {
		return e.value, nil
	}
	head, records, err := decodeLines(e.value)
	if err != nil || head.User != f.payload.User {
		return e.value, err
	}
	before := len(head.Hear) + len(head.Answers) + len(head.Jobs)
	head.Hear = slices.DeleteFunc(head.Hear, func(t storage.Turn) bool { return f.turn(&head.Op, &t) })
	head.Answers = slices.DeleteFunc(head.Answers, func(a storage.Answer) bool { return f.holds(string(a.Body), a.Key) })
	head.Jobs = slices.DeleteFunc(head.Jobs, func(j storage.Job) bool { return f.job(&head.Op, &j) })
	answer := head.Answer != nil && f.holds(string(head.Answer.Body), head.Answer.Key)
	reason := head.Forget != nil && f.holds(head.Forget.Reason)
	if !answer && !reason && len(head.Hear)+len(head.Answers)+len(head.Jobs) == before {
		return e.value, nil
	}
	if answer {
		head.Answer = nil
	}
	if reason {
		head.Forget.Reason = ""
	}
	value, err := encodeLines(opKey(e.seq), head, records)
	if err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	if op, err := parse(value); err != nil || op.isEmpty() {
		return "", err
	}
	return value, nil
}
