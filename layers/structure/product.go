package structure

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// technical are the kinds of slot/kinds.txt that software is made of.
var technical = map[string]bool{
	"programming language": true, "database": true, "cache": true, "message queue": true, "web framework": true,
	"frontend framework": true, "orchestration": true, "cloud provider": true, "operating system": true,
}

func (k *check) isTool(v stretch) bool {
	return k.isThing(v) && len(k.slotKinds(v)) > 0
}

// isProduct reports whether a value is known to slot's tables, or written like
// PostgreSQL or k8s and not like prose.
func (k *check) isProduct(v stretch) bool {
	s := v.of(k.c)
	code := strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsUpper(r) || unicode.IsDigit(r) || !k.l.spaced && r < utf8.RuneSelf && unicode.IsLetter(r)
	})
	return k.isThing(v) && (code || len(k.slotKinds(v)) > 0 || k.l.is("product", s))
}

// isStack reports whether one of several values is known to be software.
func (k *check) isStack(v stretch) bool {
	all := strings.ReplaceAll(k.c.source(v.start, v.end), " and ", ",")
	parts := strings.FieldsFunc(all, func(r rune) bool { return strings.ContainsRune(",，、+和加/", r) })
	return k.isThing(v) && slices.ContainsFunc(parts, func(p string) bool {
		p = strings.TrimSpace(p)
		return k.l.is("code", p) || slices.ContainsFunc(k.l.kinds(p), func(kind string) bool { return technical[kind] })
	})
}

// isModel reports whether a value is written like the name of a device or a
// car: all its words are names, numbers, or words of such names.
func (k *check) isModel(v stretch) bool {
	s := v.of(k.c)
	if !k.isThing(v) {
		return false
	}
	if !k.l.spaced {
		return strings.ContainsFunc(s, isMark)
	}
	return !slices.ContainsFunc(strings.Fields(s), func(w string) bool {
		return !strings.ContainsFunc(w, isMark) && !k.l.is("device word", w) || strings.HasSuffix(w, "%")
	})
}

// isMark reports whether a rune tells a name: a capital letter, a digit, a Han
// character, katakana.
func isMark(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsDigit(r) || unicode.In(r, unicode.Han, unicode.Katakana)
}
