package slot

import (
	"slices"
	"strings"
)

// holdsMany tells from an unknown name whether it holds many values: its head
// noun is a plural ("lucky numbers", "names of cats") or a relation of which
// one has several ("work friend", but not "best friend").
func holdsMany(name string) bool {
	words := strings.Fields(name)
	for i, w := range words {
		if i > 0 && preposition(w) {
			words = words[:i]
			break
		}
	}
	if len(words) == 0 {
		return false
	}
	last := len(words) - 1
	if plural(words[last]) {
		return true
	}
	return relation(words[last]) && !slices.ContainsFunc(words[:last], only)
}

func preposition(w string) bool {
	switch w {
	case "of", "for", "in", "at", "on", "to", "with", "without", "from", "per", "by", "about":
		return true
	}
	return false
}

// relation reports whether w is a relation of which one person may have
// several. Mother, wife, boss are not: one is said to follow the other.
func relation(w string) bool {
	switch w {
	case "child", "kid", "son", "daughter", "stepson", "stepdaughter", "stepchild",
		"godchild", "godson", "goddaughter", "sibling", "brother", "sister", "stepbrother",
		"stepsister", "cousin", "uncle", "aunt", "nephew", "niece", "grandchild", "grandson",
		"granddaughter", "grandparent", "grandmother", "grandfather", "relative", "ancestor",
		"friend", "colleague", "coworker", "classmate", "teammate", "roommate", "flatmate",
		"housemate", "neighbour", "neighbor", "acquaintance", "pet":
		return true
	}
	return false
}

// only reports whether an adjective leaves one.
func only(w string) bool {
	switch w {
	case "best", "closest", "favourite", "favorite", "eldest", "oldest", "youngest",
		"middle", "first", "second", "third", "last", "only", "firstborn":
		return true
	}
	return false
}

// plural reports whether w, folded, is a plural. Words of three letters are
// not (gas, bus, dns), nor those in -ss, -us, -is and the list of [singularS].
func plural(w string) bool {
	switch w {
	case "children", "grandchildren", "people", "men", "women", "mice", "geese", "feet",
		"teeth", "criteria", "phenomena", "menus", "gurus", "taxis", "skis", "ids":
		return true
	}
	if strings.HasSuffix(w, "们") {
		return true
	}
	if len(w) <= 3 || !strings.HasSuffix(w, "s") || singularS(w) {
		return false
	}
	for _, end := range []string{"ss", "us", "is", "'s"} {
		if strings.HasSuffix(w, end) {
			return false
		}
	}
	return true
}

// singularS lists words that end like a plural and hold one value: real
// singulars, names, and wholes that are said in the plural (office hours).
func singularS(w string) bool {
	switch w {
	case "news", "canvas", "atlas", "lens", "alias", "bias", "chaos", "cosmos", "ethos", "kudos",
		"series", "species", "means", "corps", "headquarters", "crossroads", "whereabouts",
		"thanks", "christmas", "always", "sometimes", "diabetes", "rabies", "measles", "mumps",
		"mathematics", "maths", "physics", "politics", "economics", "ethics", "athletics",
		"genetics", "linguistics", "electronics", "logistics", "analytics", "aesthetics",
		"gymnastics", "acoustics",
		"hours", "coordinates", "initials", "dimensions", "pronouns", "odds",
		"kubernetes", "macos", "windows", "jenkins", "rails", "postgres", "pandas", "https", "texas":
		return true
	}
	return false
}

// singular returns a phrase with its last word in the singular, as far as
// English endings tell; a word that is none stays.
func singular(phrase string) string {
	switch {
	case strings.HasSuffix(phrase, "children"):
		return strings.TrimSuffix(phrase, "ren")
	case strings.HasSuffix(phrase, "ies") && len(phrase) > 5:
		return strings.TrimSuffix(phrase, "ies") + "y"
	case strings.HasSuffix(phrase, "ches"), strings.HasSuffix(phrase, "shes"),
		strings.HasSuffix(phrase, "sses"), strings.HasSuffix(phrase, "xes"), strings.HasSuffix(phrase, "toes"):
		return strings.TrimSuffix(phrase, "es")
	case plural(phrase[strings.LastIndexByte(phrase, ' ')+1:]):
		return strings.TrimSuffix(phrase, "s")
	}
	return phrase
}

// pluralOf returns a phrase with its last word in the plural, as far as
// English endings tell.
func pluralOf(phrase string) string {
	last := phrase[len(phrase)-1]
	switch {
	case last == 's' || last < 'a' || last > 'z':
		return phrase
	case strings.HasSuffix(phrase, "child"):
		return phrase + "ren"
	case last == 'y' && !strings.ContainsAny(phrase[len(phrase)-2:len(phrase)-1], "aeiou"):
		return phrase[:len(phrase)-1] + "ies"
	case strings.HasSuffix(phrase, "ch"), strings.HasSuffix(phrase, "sh"), last == 'x':
		return phrase + "es"
	}
	return phrase + "s"
}
