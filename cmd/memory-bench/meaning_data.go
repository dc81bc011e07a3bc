package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// meanings are records and questions, one JSON object a line: {"kind", "record",
// "query"}. A question of kind paraphrase shares no word with its record, one of
// kind language is asked in another language; nothing asks for records of kind
// other, and no record answers questions of kind unrelated.
//
//go:embed testdata/meaning.jsonl
var meanings []byte

// Kinds of pairs.
const (
	paraphrase = "paraphrase"
	language   = "language"
)

// meaningSet is what is measured on.
type meaningSet struct {
	records   []string
	pairs     []meaningPair
	unrelated []string // questions, then those of nonsense.txt
}

// meaningPair is a question and the one record that answers it.
type meaningPair struct {
	kind, query string
	record      int // place in records
}

func readMeanings() (set meaningSet, err error) {
	for dec := json.NewDecoder(bytes.NewReader(meanings)); ; {
		var line struct{ Kind, Record, Query string }
		switch err := dec.Decode(&line); {
		case errors.Is(err, io.EOF):
			set.unrelated = append(set.unrelated, strings.Split(strings.TrimSpace(nonsense), "\n")...)
			return set, nil
		case err != nil:
			return set, fmt.Errorf("read meaning.jsonl: %w", err)
		}
		switch line.Kind {
		case paraphrase, language:
			set.pairs = append(set.pairs, meaningPair{line.Kind, line.Query, len(set.records)})
			set.records = append(set.records, line.Record)
		case "other":
			set.records = append(set.records, line.Record)
		case "unrelated":
			set.unrelated = append(set.unrelated, line.Query)
		default:
			return set, fmt.Errorf("read meaning.jsonl: kind %q is none", line.Kind)
		}
	}
}

// around returns the places of n records, of which place is one. Steps of a prime
// that does not divide their number reach all of them, in an order that mixes
// kinds; each turn has another.
func (s *meaningSet) around(place, n, turn int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = (place + i*strides[turn]) % len(s.records)
	}
	return out
}

var strides = []int{29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73}
