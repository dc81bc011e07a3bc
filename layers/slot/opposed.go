package slot

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Opposed is what cannot hold beside a statement although it stands under another
// attribute.
type Opposed struct{ Attribute, Value string }

// Attributes of what somebody eats and what not.
const (
	eats       = "eats"
	restricted = "dietary restrictions"
	diet       = "diet"
)

// OpposedTo returns what ends with a statement of attr and value: who eats fish again
// is no vegan, and who no longer eats it does not eat it.
func OpposedTo(attr Attribute, value string, negative bool) []Opposed {
	value = Value(value)
	switch {
	case attr.Name == eats && !negative:
		return barred(value)
	case attr.Name == restricted && !negative, attr.Name == "likes" && negative != attr.Negative:
		return []Opposed{{eats, value}}
	case strings.HasPrefix(attr.Name, preferred) && !negative:
		return []Opposed{{restricted, value}}
	case attr.Name == diet:
		return leftOut(value)
	}
	return nil
}

// barred returns what keeps somebody from eating something: that he does not, that he
// dislikes it, or a diet that leaves it out.
func barred(food string) []Opposed {
	out := []Opposed{{restricted, food}, {"dislikes", food}}
	for _, f := range foods() {
		if !f.has(food) {
			continue
		}
		for _, all := range f.names {
			out = append(out, Opposed{restricted, all})
		}
		for _, name := range f.diets {
			out = append(out, Opposed{diet, name})
		}
	}
	return out
}

// leftOut returns the foods that somebody who keeps to a diet does not eat.
func leftOut(name string) (out []Opposed) {
	name = clean(name)
	for _, f := range foods() {
		if !slices.ContainsFunc(f.diets, func(d string) bool { return clean(d) == name }) {
			continue
		}
		for _, food := range f.foods {
			out = append(out, Opposed{eats, food}, Opposed{eats, pluralOf(food)})
		}
	}
	return out
}

// food is a line of foods.txt.
type food struct {
	foods []string
	names []string // those that name all
	diets []string
}

// has reports whether a value is one of the foods, prepared in whatever way. Oat milk is no
// milk, and vegan bacon is no bacon.
func (f *food) has(value string) bool {
	value = strings.TrimSpace(prepared.ReplaceAllString(value, ""))
	one := singular(value)
	return slices.ContainsFunc(f.foods, func(word string) bool { return value == word || one == word })
}

// prepared matches what tells of a food how it is made, and what it comes from.
var prepared = regexp.MustCompile(`^(?:(?:a|some|any|more|the|my|fresh|raw|cooked|fried|deep-fried|grilled|roast|roasted|baked|smoked|boiled|poached|scrambled|pickled|tinned|canned|frozen|minced|ground|pulled|red|white|lean|organic|free-range|wild|whole|skimmed|semi-skimmed|full-fat|low-fat|greek|plain|goat|goat's|goats'|sheep|sheep's|cow's|cows'|feta|cheddar|parmesan|normal|regular|real|ordinary) )+|^(?:一点|一些|生|烤|煎|炸|焼き|生の|焼いた)`)

//go:embed foods.txt
var foodLines string

var foods = sync.OnceValue(func() (out []food) {
	for line := range strings.Lines(foodLines) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		left, diets, _ := strings.Cut(line, " | ")
		names, rest, _ := strings.Cut(left, ":")
		f := food{names: listOf(names), diets: listOf(diets)}
		f.foods = append(listOf(rest), f.names...)
		for _, d := range f.diets {
			if dashed := strings.ReplaceAll(d, " ", "-"); dashed != d {
				f.diets = append(f.diets, dashed)
			}
		}
		out = append(out, f)
	}
	return out
})

// listOf splits a list of the table.
func listOf(s string) (out []string) {
	for word := range strings.SplitSeq(s, ",") {
		if word = strings.TrimSpace(word); word != "" {
			out = append(out, word)
		}
	}
	return out
}
