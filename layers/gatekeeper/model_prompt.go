package gatekeeper

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/layers/llm"
)

// promptValues are what the gate's prompt is filled with.
func promptValues(in *ModelInput) map[string]string {
	shown, leftOut := digest(in.Turns)
	return map[string]string{
		"Conversation": llm.Data("conversation", shown),
		"LeftOut":      leftOut,
		"Related":      related(in),
		"Identities":   list("identities", in.Identities, maxIdentities),
		"Language":     oneLine(in.Language),
	}
}

// related lists memories under their layers, in the layers' order.
func related(in *ModelInput) string {
	var b strings.Builder
	for _, layer := range Layers {
		texts := in.Related[layer]
		if len(texts) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%s\n%s\n", layer, items(texts, maxRelated))
	}
	if b.Len() == 0 {
		return ""
	}
	return llm.Data("related", strings.TrimRight(b.String(), "\n"))
}

func list(tag string, texts []string, limit int) string {
	if len(texts) == 0 {
		return ""
	}
	return llm.Data(tag, items(texts, limit))
}

func items(texts []string, limit int) string {
	texts = texts[:min(len(texts), limit)]
	lines := make([]string, len(texts))
	for i, t := range texts {
		lines[i] = "- " + text.Shorten(oneLine(t), maxLine)
	}
	return strings.Join(lines, "\n")
}

const (
	// digestTokens bounds the conversation as the gate is shown it: it decides by
	// what is talked about, and a small model's context is 8,192 tokens.
	digestTokens = 4500
	// leastTokens is what a turn is cut to at most: a sentence or two. Where even
	// so not all turns fit, those in the middle are left out.
	leastTokens = 60
)

// digest is a summary of the turns without a model: each in its own words, long
// ones cut in the middle, and where there are too many, the first and the last of
// them. leftOut says what is missing, "" for nothing.
func digest(turns []conversation.Turn) (shown, leftOut string) {
	room := digestTokens / max(len(turns), 1)
	if room < leastTokens {
		room = leastTokens
	}
	keep := digestTokens / room
	first, last := len(turns), len(turns)
	if len(turns) > keep {
		first, last = keep/4, len(turns)-(keep-keep/4) // what was said last weighs more
		leftOut = fmt.Sprintf("%d turns in its middle are left out", last-first)
	}
	spare := spareTokens(turns, room)
	var lines []string
	for i, t := range turns {
		if i >= first && i < last {
			continue
		}
		lines = append(lines, utterance(i, &t, room+spare))
	}
	return strings.Join(lines, "\n"), leftOut
}

// spareTokens is what short turns leave to each of the long ones.
func spareTokens(turns []conversation.Turn, room int) int {
	left, long := digestTokens, 0
	for _, t := range turns {
		n := llm.CountTokens(t.Content)
		if n > room {
			long++
		}
		left -= min(n, room)
	}
	if long == 0 || left < 0 {
		return 0
	}
	return left / long
}

// utterance is a turn in the prompt, of about so many tokens at most.
func utterance(n int, t *conversation.Turn, tokens int) string {
	who := t.Role
	if name := oneLine(t.Name); name != "" {
		who += " (" + text.Shorten(name, maxLine) + ")"
	}
	when := ""
	if !t.Time.IsZero() {
		when = t.Time.Format(time.RFC3339)
	}
	return llm.Utterance{N: n, Who: who, When: when, Text: middleOut(t.Content, tokens)}.String()
}

// middleOut cuts the middle of a text that is longer than so many tokens.
func middleOut(s string, tokens int) string {
	n := llm.CountTokens(s)
	if n <= tokens {
		return s
	}
	keep := len(s) * tokens / n // bytes
	head, tail := keep*2/3, len(s)-keep/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return s[:head] + " […] " + s[tail:]
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
