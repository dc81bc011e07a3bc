package extract

import (
	"strings"

	"mcp-memory/internal/lazy"
	"mcp-memory/internal/text"
)

// lesson matches the sentence of a story that says what follows from it.
var lesson = lazy.MustCompile(`(?i)\b(?:learned|learnt|lesson|turns? out|turned out|realis?zed?|worked|works|fixed|trick|never again|next time|should have|in the end|so for|from now|rule|what (?:helped|worked)|the only)\b|教训|经验|原来|发现|管用|有用|没用|以后|下次|秘诀|体会|收获|不如|还是.{1,12}(?:好|强|行|稳)`)

// experience fills a record of what was learned: the sentence that says it, and
// what happened before.
func experience(p *passage, m *Memory) {
	learning, story := "", ""
	for _, s := range text.Sentences(p.text) {
		sentence := p.text[s.Start:s.End]
		if lesson.MatchString(sentence) {
			learning = strings.TrimSpace(learning + " " + sentence)
		} else {
			story = strings.TrimSpace(story + " " + sentence)
		}
	}
	if learning == "" {
		learning, story = p.text, ""
	}
	m.Detail = detail(map[string]any{"key_learning": learning, "situation": story, "reasoning": m.Reason, "confidence": m.Confidence})
	if m.Category == "" {
		m.Category = "fact"
	}
}
