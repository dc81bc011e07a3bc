package bunt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"mcp-memory/storage"
)

// entry is one operation as it is kept: its number and its value.
type entry struct {
	seq   uint64
	value string
}

// operation is what the fold needs of an entry. Strings of content (lines,
// reinforcements, tombstones) are parts of the entry's value, never copies, so
// that a record costs its bytes once.
type operation struct {
	value     string
	user      string
	at        time.Time
	puts      []put
	reinforce []part
	withdraw  []string
	again     []part // reinforcements of one record each, merged by a compaction
	receipt   string // empty: nothing is forgotten
	forget    []part
	erase     bool     // the forget is for good
	ahead     bool     // it announces what comes
	final     bool     // nothing more comes of what was announced
	turns     []string // hashes of the turns that it takes along
	restore   []string
	answers   []answerPart
	erased    []part // ends of erases, by receipt
	hear      []turn
	read      []storage.Reading
	jobs      []jobPart
	seen      []string
}

// isEmpty reports whether the operation does nothing.
func (op operation) isEmpty() bool {
	return len(op.puts)+len(op.reinforce)+len(op.again)+len(op.withdraw)+len(op.restore)+len(op.answers)+len(op.erased) == 0 &&
		op.receipt == "" && len(op.hear)+len(op.read)+len(op.jobs)+len(op.seen) == 0
}

// put is one record's line and what the fold needs of it.
type put struct {
	id, user, line string
	purged         bool
}

// part is one element of an operation's head that concerns a record.
type part struct {
	id   string
	json string
}

// foldLine is the head as the fold reads it: content stays raw.
type foldLine struct {
	User      string            `json:"user"`
	At        time.Time         `json:"at"`
	Reinforce []json.RawMessage `json:"reinforce"`
	Again     []json.RawMessage `json:"again"`
	Withdraw  []string          `json:"withdraw"`
	Forget    *struct {
		Receipt string            `json:"receipt"`
		Records []json.RawMessage `json:"records"`
		Erase   *storage.Erase    `json:"erase"`
		Ahead   json.RawMessage   `json:"ahead"`
		Last    bool              `json:"last"`
	} `json:"forget"`
	Restore []string          `json:"restore"`
	Answer  json.RawMessage   `json:"answer"`
	Answers []json.RawMessage `json:"answers"`
	Erased  []json.RawMessage `json:"erased"`
	Puts    int               `json:"puts"`
	Hear    []json.RawMessage `json:"hear"`
	Read    []storage.Reading `json:"read"`
	Jobs    []json.RawMessage `json:"jobs"`
	Seen    []string          `json:"seen"`
}

// answerPart is an answer in an operation.
type answerPart struct {
	key, json string
	brief     bool
}

// parse reads an operation's value. Error: errValue.
func parse(value string) (operation, error) {
	line, lines, err := split(value)
	if err != nil {
		return operation{}, err
	}
	var head foldLine
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return operation{}, fmt.Errorf("%w: %v", errValue, err)
	}
	if head.Puts != len(lines) {
		return operation{}, fmt.Errorf("%w: %d records instead of %d", errValue, len(lines), head.Puts)
	}
	op := operation{value: value, user: head.User, at: head.At, withdraw: head.Withdraw, restore: head.Restore}
	if op.puts, err = parsePuts(lines); err != nil {
		return operation{}, err
	}
	if op.reinforce, err = parseParts(line, head.Reinforce); err != nil {
		return operation{}, err
	}
	if op.again, err = parseParts(line, head.Again); err != nil {
		return operation{}, err
	}
	if head.Forget != nil {
		op.receipt, op.ahead, op.final = head.Forget.Receipt, len(head.Forget.Ahead) > 0, head.Forget.Last
		if op.forget, err = parseParts(line, head.Forget.Records); err != nil {
			return operation{}, err
		}
		if e := head.Forget.Erase; e != nil {
			op.erase, op.turns = true, e.Turns
		}
	}
	if err := op.parseAnswers(line, &head); err != nil {
		return operation{}, err
	}
	if err := op.parseErased(&head); err != nil {
		return operation{}, err
	}
	return op, op.parseTalk(&head)
}

// parseAnswers reads the answers of an operation.
func (op *operation) parseAnswers(line string, head *foldLine) error {
	all := head.Answers
	if len(head.Answer) > 0 && string(head.Answer) != "null" {
		all = append([]json.RawMessage{head.Answer}, all...)
	}
	for _, raw := range all {
		var a struct {
			Key   string `json:"key"`
			Brief bool   `json:"brief"`
		}
		if err := json.Unmarshal(raw, &a); err != nil {
			return fmt.Errorf("%w: answer: %v", errValue, err)
		}
		op.answers = append(op.answers, answerPart{a.Key, shared(line, string(raw)), a.Brief})
	}
	return nil
}

// shared returns a stretch of line that equals s, so that s need not be kept.
func shared(line, s string) string {
	if i := strings.Index(line, s); i >= 0 {
		return line[i : i+len(s)]
	}
	return s
}

// parseErased reads which erases are done with an operation.
func (op *operation) parseErased(head *foldLine) error {
	for _, raw := range head.Erased {
		var e struct {
			Receipt string `json:"receipt"`
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("%w: end of an erase: %v", errValue, err)
		}
		op.erased = append(op.erased, part{id: e.Receipt, json: string(raw)})
	}
	return nil
}

func parsePuts(lines []string) ([]put, error) {
	puts := make([]put, len(lines))
	for i, line := range lines {
		p, err := parsePut(line)
		if err != nil {
			return nil, fmt.Errorf("%w: record %d: %v", errValue, i, err)
		}
		puts[i] = p
	}
	return puts, nil
}

// parsePut takes id and user out of a record's line. Lines as this package
// writes them begin with both, which saves decoding 100,000 records on open;
// any other line is decoded.
func parsePut(line string) (put, error) {
	if id, rest, ok := cutString(line, `{"id":"`); ok {
		if user, _, ok := cutString(rest, `,"user":"`); ok {
			return put{id: id, user: user, line: line}, nil
		}
	}
	var r struct {
		ID     string `json:"id"`
		User   string `json:"user"`
		Purged bool   `json:"purged"`
	}
	err := json.Unmarshal([]byte(line), &r)
	return put{id: r.ID, user: r.User, line: line, purged: r.Purged}, err
}

// cutString returns the JSON string that follows prefix at the start of s, and
// what comes after it; false where it is not there or holds an escape.
func cutString(s, prefix string) (text, rest string, ok bool) {
	s, ok = strings.CutPrefix(s, prefix)
	if !ok {
		return "", "", false
	}
	end := strings.IndexAny(s, `"\`)
	if end < 0 || s[end] == '\\' {
		return "", "", false
	}
	return s[:end], s[end+1:], true
}

// parseParts finds the id of each element and where it lies in head.
func parseParts(head string, raw []json.RawMessage) ([]part, error) {
	parts := make([]part, len(raw))
	for i, element := range raw {
		var named struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(element, &named); err != nil {
			return nil, fmt.Errorf("%w: %v", errValue, err)
		}
		parts[i] = part{id: named.ID, json: string(element)}
		// Elements come in order; an equal stretch before this one does as well.
		if start := strings.Index(head, parts[i].json); start >= 0 {
			end := start + len(element)
			parts[i].json, head = head[start:end], head[end:]
		}
	}
	return parts, nil
}

// reinforcements decodes parts.
func reinforcements(parts []string) ([]storage.Reinforcement, error) {
	if len(parts) == 0 {
		return nil, nil
	}
	all := make([]storage.Reinforcement, len(parts))
	for i, p := range parts {
		if err := json.Unmarshal([]byte(p), &all[i]); err != nil {
			return nil, fmt.Errorf("reinforcement %d: %w", i, err)
		}
	}
	return all, nil
}
