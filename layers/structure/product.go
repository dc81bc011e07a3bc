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

// maxVariety is the longest way to tell one of several from the others ("dark blue"),
// in words.
const maxVariety = 3

// hasPurpose reports whether a value says what it is for: who uses MongoDB for the logs
// may use another database for the rest.
func (l *language) hasPurpose(s string) bool {
	_, purpose, ok := strings.Cut(s, " for ")
	return ok && l.spaced && !l.isWhole(purpose)
}

// isWhole reports whether a purpose is all of what is built: the app, the new service.
func (l *language) isWhole(purpose string) bool {
	return l.suffix("whole", strings.TrimRight(purpose, around)) > 0
}

// unpurposed takes off a tool what it is for.
func (k *check) unpurposed(v stretch) stretch {
	if tool, _, ok := strings.Cut(v.of(k.c), " for "); ok && k.l.spaced {
		v.end = v.start + len(tool)
	}
	return v
}

// isSoleTool reports whether a value is a tool of which a project has one, whatever it
// is for: it may keep its logs in one database and the rest in another.
func (k *check) isSoleTool(v stretch) bool {
	return k.isTool(v) && (!slices.Contains(k.slotKinds(v), "database") || !k.l.hasPurpose(k.c.text[v.start:]))
}

// hasRoom reports whether a value may stand beside another of its kind that is for
// something else: a database, or what no kind is known of.
func (k *check) hasRoom(v stretch) bool {
	return k.isProduct(v) && (!slices.ContainsFunc(k.slotKinds(v), func(kind string) bool { return technical[kind] }) || slices.Contains(k.slotKinds(v), "database"))
}

// isStack reports whether one of several values is known to be software.
func (k *check) isStack(v stretch) bool {
	all := strings.ReplaceAll(k.c.source(v.start, v.end), " and ", ",")
	parts := strings.FieldsFunc(all, func(r rune) bool { return strings.ContainsRune(",，、+和加/", r) })
	return k.isThing(v) && !(k.l.spaced && strings.Contains(v.of(k.c), " for ")) && slices.ContainsFunc(parts, func(p string) bool {
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
