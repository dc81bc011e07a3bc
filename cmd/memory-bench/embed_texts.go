package main

import (
	_ "embed"
	"fmt"
	"strings"

	"mcp-memory/vector/embed"
)

// tongues are sentences, one a line, in as many scripts as we could write.
//
//go:embed testdata/tongues.txt
var tongues string

// tonguesTexts are the sentences of tongues and, last, all of them as one text:
// it is longer than a window of the model.
func tonguesTexts() []string {
	lines := strings.Split(strings.TrimSpace(tongues), "\n")
	return append(lines, strings.Join(lines, "\n"))
}

// kindOf has every second text asked and the others remembered.
func kindOf(i int) embed.Kind {
	if i%2 == 0 {
		return embed.Query
	}
	return embed.Passage
}

// lengths are the tokens of the texts that are timed, <s>, </s> and the prefix
// among them, and how many texts of each length a round has: fewer of the long
// ones, which take long enough to be timed alone.
var lengths = []struct{ tokens, texts int }{{10, 8}, {25, 8}, {32, 8}, {128, 4}, {512, 1}}

// plainWords are one token each in the model's vocabulary.
var plainWords = strings.Fields(`the house on that hill was built by my father and his brother in one long summer
	when they were young people with more time than money so we still go there every year to see old friends
	walk along river talk about work children food music books weather`)

// queryOverhead is the tokens that a query has beside its own: <s>, the three of
// the prefix, </s>.
const queryOverhead = 5

// timedText is the i-th text that has that many tokens as a query.
func timedText(tokens, i int) string {
	words := make([]string, tokens-queryOverhead)
	for j := range words {
		words[j] = plainWords[(i*tokens+j)%len(plainWords)]
	}
	return strings.Join(words, " ")
}

// mixedTexts are n distinct texts: the sentences of tongues, then those of the
// STS-B test sets in the folder data, one of each language in turn.
func mixedTexts(data string, n int) ([]string, error) {
	var sets [][]pair
	for _, l := range stsLanguages {
		pairs, err := readPairs(data, l)
		if err != nil {
			return nil, err
		}
		sets = append(sets, pairs)
	}
	seen, texts := map[string]bool{}, make([]string, 0, n)
	add := func(text string) {
		if !seen[text] && len(texts) < n {
			seen[text] = true
			texts = append(texts, text)
		}
	}
	for _, text := range tonguesTexts() {
		add(text)
	}
	for i, more := 0, true; more && len(texts) < n; i++ {
		more = false
		for _, pairs := range sets {
			if i < len(pairs) {
				more = true
				add(pairs[i].A)
				add(pairs[i].B)
			}
		}
	}
	if len(texts) < n {
		return nil, fmt.Errorf("%s has %d distinct sentences in all, want %d", data, len(texts), n)
	}
	return texts, nil
}
