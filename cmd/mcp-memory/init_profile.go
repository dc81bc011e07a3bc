package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"

	"mcp-memory/layers"
)

// profileKeys are the keys of a profile file.
func profileKeys() []string {
	var keys []string
	for _, q := range layers.SetupQuestions() {
		keys = append(keys, q.Key)
	}
	return keys
}

// parseProfile reads a profile: answers by the key of their question, one or, where
// a question takes several, a list.
//
//	name: Ada
//	languages: [Portuguese, English]
//	goals:
//	  - run a marathon
func parseProfile(raw []byte) ([]answer, error) {
	profile, err := yaml.Parser().Unmarshal(raw)
	if err != nil {
		return nil, fmt.Errorf("is no YAML of keys and answers: %w", err)
	}
	keys := profileKeys()
	for _, key := range slices.Sorted(maps.Keys(profile)) {
		if !slices.Contains(keys, key) {
			return nil, unknownName("key", key, keys)
		}
	}
	var answers []answer
	for _, q := range layers.SetupQuestions() {
		values, err := profileValues(&q, profile[q.Key])
		if err != nil {
			return nil, err
		}
		for _, v := range values {
			answers = append(answers, answer{q, v})
		}
	}
	if len(answers) == 0 {
		return nil, fmt.Errorf("holds no answer (keys: %s)", strings.Join(keys, ", "))
	}
	return answers, nil
}

// profileValues reads what stands at a key.
func profileValues(q *layers.SetupQuestion, v any) ([]string, error) {
	list, isList := v.([]any)
	switch {
	case v == nil:
		return nil, nil
	case isList && !q.Many:
		return nil, fmt.Errorf("%s is a list; it takes one answer", q.Key)
	case !isList:
		text, err := profileText(q.Key, v)
		return q.Split(text), err
	}
	var values []string
	for i, item := range list {
		text, err := profileText(fmt.Sprintf("%s[%d]", q.Key, i), item)
		if err != nil {
			return nil, err
		}
		if text != "" {
			values = append(values, text)
		}
	}
	return values, nil
}

// profileText reads the answer at a path. YAML turns an unquoted 007 or yes into something
// else, so only text is taken, and a date, which reads as it was written.
func profileText(at string, v any) (string, error) {
	switch v := v.(type) {
	case string:
		return strings.TrimSpace(v), nil
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.Format(time.DateOnly), nil
		}
	case map[string]any, map[any]any, []any:
		return "", fmt.Errorf("%s is nested; one text, or a list of texts where several are taken, is wanted", at)
	}
	return "", fmt.Errorf("%s is no text (%v); put it in quotes", at, v)
}
