package worth

import "mcp-memory/internal/lazy"

// bare matches contractions that are often typed without their apostrophe, and are no
// other words of English: "were", "well", "ill" and "its" are.
var bare = lazy.MustCompile(`(?i)\b(?:(i)(m|ve)|(you|we|they)(ve)|(do|does|did|ca|is|are|was|have|has|could|should|would)n(t)|(that|what|there|he|she)(s)|(i)(d) (?:rather|love|like|prefer))\b`)

// spelled writes contractions with the apostrophe that was left out: "im a nurse" says
// no less than "I'm a nurse".
func spelled(s string) string {
	all := bare.FindAllStringSubmatchIndex(s, -1)
	if all == nil {
		return s
	}
	out, last := make([]byte, 0, len(s)+len(all)), 0
	for _, m := range all {
		at := apostrophe(m)
		out = append(append(out, s[last:at]...), '\'')
		last = at
	}
	return string(append(out, s[last:]...))
}

// apostrophe is where the one of a match of bare belongs: before its last group, and
// of "dont" after the n.
func apostrophe(m []int) int {
	for i := len(m) - 2; i > 0; i -= 2 {
		if m[i] >= 0 {
			return m[i]
		}
	}
	return m[1]
}
