package conversation

import "strings"

// Event tells whether turns hold an event that wakes the gate of a stream: a word
// or a kind of sentence that promises something lasting ("remember", "from now
// on", "my goal is", 记住, 我的偏好是). reason says which. What counts beside words,
// how many turns are unread and how long nothing came, the caller knows.
//
// It looks at the words of users alone, outside quotes and code, and not in
// questions: it is meant to be rare.
func Event(turns []Turn) (reason string, ok bool) {
	for i := range turns {
		if turns[i].Role != User {
			continue
		}
		if words, ok := telling(turns[i].Content); ok {
			return "says " + words, true
		}
	}
	return "", false
}

// telling returns the words that make a content an event.
func telling(content string) (string, bool) {
	t := tongueOf(content)
	for _, b := range blocks(content) {
		if b.kind != Stated {
			continue
		}
		for _, p := range sentences(content, b.start, b.end) {
			s := t.plain(content[p.start:p.end])
			if p.kind != Stated {
				continue
			}
			if m := strings.Trim(t.first("telling", s), edges); m != "" && !isQuestion(t, s) {
				return `"` + m + `"`, true
			}
		}
	}
	return "", false
}

// isQuestion reports whether the whole of a sentence asks, so that its telling
// words tell nothing: "What is my favourite tea?"
func isQuestion(t tongue, s string) bool {
	w := turnReading{tongue: t, content: s}
	return w.asks(s) && w.stating(piece{start: 0, end: len(s)}) == nil
}

// Asks reports whether a content of a role asks the user something, so that what he
// says next ("it", "Actually, it's blue") may be the answer.
func Asks(role, content string) bool {
	return role != User && strings.ContainsAny(content, "?？")
}
