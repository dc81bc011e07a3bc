package bunt

import (
	"fmt"
	"slices"
	"strings"

	"mcp-memory/storage"
)

// answerMark begins an idempotency key as it is kept: its keyed hash, since whoever
// chose the key may have put words into it ("user-lives-in-lyon"), and it must be
// known again for as long as its answer counts, erased or not.
const answerMark = "h1:"

// domainAnswer is the domain of idempotency keys' hashes.
const domainAnswer = "answer"

// answerKey is what an answer's key is kept as. That of a brief answer stays: it is
// the number of a call, and a process of an older version may be asked for it.
func answerKey(key []byte, name string, brief bool) string {
	if brief || isAnswerKey(name) {
		return name
	}
	return answerMark + hash(key, domainAnswer, name)
}

// isAnswerKey reports whether a key is one that answerKey makes.
func isAnswerKey(name string) bool {
	digits, ok := strings.CutPrefix(name, answerMark)
	return ok && len(digits) == 64 && strings.Trim(digits, "0123456789abcdef") == ""
}

// hideKeys replaces the keys of op's answers by what they are kept as, in a copy.
func hideKeys(key []byte, op storage.Op) storage.Op {
	if op.Answer != nil {
		a := *op.Answer
		a.Key = answerKey(key, a.Key, a.Brief)
		op.Answer = &a
	}
	op.Answers = slices.Clone(op.Answers)
	for i := range op.Answers {
		a := &op.Answers[i]
		a.Key = answerKey(key, a.Key, a.Brief)
	}
	return op
}

// isClear reports whether the key of an answer is kept in words, as older programs
// kept it.
func (a answerPart) isClear() bool { return !a.brief && !isAnswerKey(a.key) }

// hideKeys takes the words of idempotency keys out of a copy that is to be written
// anew.
func (c *sideFile) hideKeys(key []byte) error {
	for i, p := range c.pieces {
		if p.length > 0 || !strings.Contains(p.value, `"key":`) {
			continue
		}
		op, err := parse(p.value)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(op.answers, answerPart.isClear) {
			continue
		}
		head, records, err := decodeLines(p.value)
		if err != nil {
			return err
		}
		head.Op = hideKeys(key, head.Op)
		if c.pieces[i].value, err = encodeLines(opKey(p.seq), head, records); err != nil {
			return fmt.Errorf("encode: %w", err)
		}
	}
	return nil
}
