package slot

import (
	"strings"
	"unicode"
)

// Attribute is a canonical attribute.
type Attribute struct {
	Name     string // lower case, words separated by single spaces; "" only for an empty name
	Multi    bool   // one slot for each value; otherwise one value holds at a time
	Negative bool   // the opposite of what Name says: "dislikes" is "likes", negative
}

// Canonical returns the canonical form of an attribute's name.
//
// A known name, English or Chinese, is mapped to the one of attributes.txt
// ("lives in", 所在城市: "home city"). An unknown one is only cleaned (NFKC and
// case folded, '_' and dashes as spaces, "my" and "the user's" dropped) and
// holds one value unless it is a plural or a relation ("lucky numbers", "work
// friend"). "favourite X" and "preferred X" are known for every X: a
// "favourite" holds one value unless X is a plural, a "preferred" always does.
//
// Canonical(Canonical(s).Name).Name is Canonical(s).Name.
func Canonical(attribute string) Attribute {
	t := tables()
	name := ownerless(clean(attribute))
	if a, ok := t.lookup(name); ok {
		return a
	}
	if words := ownerless(clean(splitCamel(attribute))); words != name {
		if a, ok := t.lookup(words); ok {
			return a
		}
	}
	return Attribute{Name: name, Multi: holdsMany(name)}
}

// lookup finds a cleaned name in the table, in either spelling, or as
// "favourite X" and the like.
func (t *table) lookup(name string) (Attribute, bool) {
	if a, ok := t.attributes[name]; ok {
		return a, true
	}
	name = british(name)
	if a, ok := t.attributes[name]; ok {
		return a, true
	}
	for _, p := range t.patterns {
		noun, ok := p.noun(name)
		if !ok {
			continue
		}
		if known, ok := t.nouns[noun]; ok {
			noun = known
		}
		return Attribute{Name: p.name + noun, Multi: p.name == favourite && holdsMany(noun)}, true
	}
	return Attribute{}, false
}

// The patterns of attributes.txt.
const (
	favourite = "favourite "
	preferred = "preferred "
)

// noun returns what stands for the star.
func (p pattern) noun(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, p.prefix)
	if !ok {
		return "", false
	}
	rest, ok = strings.CutSuffix(rest, p.suffix)
	rest = strings.TrimSpace(rest)
	return rest, ok && rest != ""
}

// ownerless drops what says whose attribute it is: the entity says that.
func ownerless(name string) string {
	for _, owner := range []string{"the user's ", "user's ", "my ", "the ", "用户的", "我的"} {
		if rest, ok := strings.CutPrefix(name, owner); ok && rest != "" {
			return ownerless(strings.TrimSpace(rest))
		}
	}
	return name
}

// splitCamel writes "homeCity" as "home City".
func splitCamel(s string) string {
	var b strings.Builder
	lower := false
	for _, r := range s {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// british spells the words of a name as the tables do.
func british(name string) string {
	words := strings.Split(name, " ")
	for i, w := range words {
		words[i] = britishWord(w)
	}
	return strings.Join(words, " ")
}

func britishWord(w string) string {
	switch w {
	case "favorite", "favorites", "color", "colors", "flavor", "flavors",
		"neighbor", "neighbors", "honor", "honors", "behavior", "harbor":
		return strings.Replace(w, "or", "our", 1)
	case "gray":
		return "grey"
	case "center":
		return "centre"
	case "theater":
		return "theatre"
	case "jewelry":
		return "jewellery"
	}
	return w
}
