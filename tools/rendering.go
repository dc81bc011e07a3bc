package tools

import (
	"fmt"
	"strings"
	"unicode"

	"mcp-memory/internal/text"
)

// rendering is the short text beside a structure: lines within a budget that
// counts bytes as JSON writes them, since that is what the message is made of.
type rendering struct {
	b    strings.Builder
	left int
	full bool // a line did not fit: what follows is not shown either
}

func newRendering(budget int) *rendering { return &rendering{left: budget} }

// line adds a line, and reports whether it fitted.
func (t *rendering) line(format string, args ...any) bool {
	line := fmt.Sprintf(format, args...)
	size := jsonSize(line)
	if t.full || size > t.left {
		t.full = true
		return false
	}
	t.left -= size
	t.write(line)
	return true
}

// end adds a closing line whatever the budget; its writer keeps room for it.
func (t *rendering) end(format string, args ...any) {
	t.write(fmt.Sprintf(format, args...))
}

func (t *rendering) write(line string) {
	if t.b.Len() > 0 {
		t.b.WriteByte('\n')
	}
	t.b.WriteString(line)
}

// String returns the lines.
func (t *rendering) String() string { return t.b.String() }

// oneLine shows stored text in a line: control characters, which could forge
// lines or drive a terminal, become spaces; at most n bytes.
func oneLine(text string, n int) string {
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, cut(text, n))
	return strings.Join(strings.Fields(clean), " ")
}

// cut returns at most n bytes of s, on a rune border, and says so with an
// ellipsis.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const ellipsis = "…"
	if n < len(ellipsis) {
		return ""
	}
	return text.Prefix(s, n-len(ellipsis)) + ellipsis
}

func bracketed(id string) string {
	if id == "" {
		return "[-]"
	}
	return "[" + id + "]"
}

// slotNote shows entity, attribute and value, where there are any.
func slotNote(entity, attribute, value string) string {
	if entity == "" && attribute == "" {
		return ""
	}
	note := " {" + oneLine(entity, 60)
	if attribute != "" {
		note += " · " + oneLine(attribute, 60)
	}
	if value != "" {
		note += " = " + oneLine(value, 80)
	}
	return note + "}"
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
