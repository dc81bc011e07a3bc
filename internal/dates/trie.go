package dates

import "slices"

// A trie holds the forms of patterns, token by token, so that all that match at
// a place are found in one walk.
type trie struct {
	next    map[string]*trie
	classes []branch
	rules   []*rule // those whose form ends here
}

// A branch is taken by the tokens of a class.
type branch struct {
	name string
	take class
	slot slot
	to   *trie
}

// A class reads a value at tokens[i] and says where it ends.
type class func(tokens []token, i int) (value, end int, ok bool)

// A hit is a rule that matched tokens up to end, with what its classes read.
type hit struct {
	rule   *rule
	end    int
	values values
}

// add inserts a form; classes are looked up by name.
func (t *trie) add(form []step, r *rule, classes map[string]class) bool {
	for _, s := range form {
		var ok bool
		if t, ok = t.child(s, classes); !ok {
			return false
		}
	}
	t.rules = append(t.rules, r)
	return true
}

func (t *trie) child(s step, classes map[string]class) (*trie, bool) {
	if s.class != "" {
		return t.classChild(s, classes)
	}
	if t.next == nil {
		t.next = map[string]*trie{}
	}
	if t.next[s.literal] == nil {
		t.next[s.literal] = &trie{}
	}
	return t.next[s.literal], true
}

func (t *trie) classChild(s step, classes map[string]class) (*trie, bool) {
	for _, b := range t.classes {
		if b.name == s.class && b.slot == s.slot {
			return b.to, true
		}
	}
	take, ok := classes[s.class]
	if !ok {
		return nil, false
	}
	to := &trie{}
	t.classes = append(t.classes, branch{name: s.class, take: take, slot: s.slot, to: to})
	return to, true
}

// match gives all rules that match at tokens[i], the longest first, among equals
// in the order of the file.
func (t *trie) match(tokens []token, i int) []hit {
	var hits []hit
	t.walk(tokens, i, i, values{}, &hits)
	slices.SortStableFunc(hits, func(a, b hit) int {
		if a.end != b.end {
			return b.end - a.end
		}
		return a.rule.order - b.rule.order
	})
	return hits
}

func (t *trie) walk(tokens []token, begin, at int, v values, hits *[]hit) {
	for _, r := range t.rules {
		*hits = append(*hits, hit{rule: r, end: at, values: v})
	}
	if at >= len(tokens) || at > begin && !joins(tokens, at) {
		return
	}
	if to := t.next[tokens[at].low]; to != nil {
		to.walk(tokens, begin, at+1, v, hits)
	}
	for _, b := range t.classes {
		if value, end, ok := b.take(tokens, at); ok {
			b.to.walk(tokens, begin, end, v.with(b.slot, value), hits)
		}
	}
}

// joins reports whether tokens[at] may go on with an expression after its
// neighbour: no blank line between them, and the marks that make up figures
// ("2023-05-03", "3:15", "5/3") are not set apart.
func joins(tokens []token, at int) bool {
	t, before := tokens[at], tokens[at-1]
	switch {
	case t.gap == broken:
		return false
	case t.gap == glued:
		return true
	}
	return !isFigureMark(t.low) && !isFigureMark(before.low) && t.low != "."
}

func isFigureMark(s string) bool { return s == "-" || s == "/" || s == ":" }
