package worth

import (
	"slices"

	"mcp-memory/internal/lazy"
	"mcp-memory/layers/slot"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// IdleScore is the probability of any layer below which a sentence holds nothing
// by itself, even if the structurer reads a statement in it: "I like the second
// version" is one.
const IdleScore = 0.5

// news lifts the scores of sentences that the structurer reads, where what it reads
// is worth a record however little the sentence says by itself: who somebody is, what
// is going to happen at a time, what was asked to be kept, and what changes something
// known ("I no longer like sushi", 改喝茶了). Without that last one, what is known
// stays though it is over.
type news struct {
	*Judgement
	options *Options
	said    map[subject][]structure.Statement // earlier in the talk
	claimed map[claim]bool                    // by them
}

// subject is what statements are about that may contradict each other.
type subject struct{ entity, attribute string }

// raise lifts the scores of a sentence for the layers of what it states.
func (n *news) raise(sentence int, z Scores) Scores {
	words := n.Talk.Sentences[sentence].Words()
	stated, inJapanese := n.statements(sentence), japanese(words)
	if inJapanese && len(stated) > 0 && !slices.ContainsFunc(stated, func(st structure.Statement) bool { return st.Attribute == "" }) {
		z[0] = 0 // a date that something is known by is none of an event: 誕生日は5月3日です
	}
	for k := range stated {
		st := &stated[k]
		of := LayerOf(st)
		if of == storage.Identity && st.Category == "preference" && inJapanese {
			of = storage.Preference // what somebody does not eat
		}
		if inJapanese && (of == storage.Preference && passing(words) || of == storage.Activity && due.MatchString(words)) {
			continue
		}
		layer := slices.Index(Layers[:], of)
		if layer >= 0 && (n.Sentences[sentence].Told || plainNews(st, words) || n.changes(sentence, st)) {
			z[layer] = max(z[layer], sureProbability)
		}
	}
	if z.Any() >= IdleScore {
		for _, st := range stated {
			n.say(&st)
		}
	}
	return z
}

// claim is what of a statement others may contradict.
type claim struct {
	subject
	object, value, polarity string
}

// say keeps a statement for those that follow it, one for all that claim the same.
func (n *news) say(st *structure.Statement) {
	about := n.subject(st.Entity, st.Attribute)
	same := claim{about, slot.Value(objectOf(st)), slot.Value(st.Value), st.Polarity}
	if !n.claimed[same] {
		n.claimed[same] = true
		n.said[about] = append(n.said[about], *st)
	}
}

// plainNews reports whether a statement is worth a record whatever is known: a
// trait, or a plan with its time that is not about the talk itself ("I'll ask you more
// next week"). A liking is not, since one likes a version, a joke and an answer too.
func plainNews(st *structure.Statement, words string) bool {
	if st.Attribute == "" {
		planned := st.Status == structure.Planned && !st.StartsAt.IsZero() && !you.MatchString(words)
		return planned || japanese(words) && st.Layer == storage.Experience
	}
	return LayerOf(st) == storage.Identity || japanese(words)
}

// you matches who is spoken to.
var you = lazy.MustCompile(`(?i)\byou\b|[你您]`)

// LayerOf is the layer that a statement is judged by: the structurer's, but what is
// aimed at is a situation and no trait.
func LayerOf(st *structure.Statement) storage.Layer {
	if st.Category == "goal" {
		return storage.Context
	}
	return st.Layer
}

// statements are those that the structurer reads in a sentence.
func (n *news) statements(sentence int) (out []structure.Statement) {
	in := structure.InputOf(n.Talk, sentence, n.options.UserNames)
	read := n.Reader.Read(in)
	for _, part := range read.Parts {
		out = append(out, part.Statement)
	}
	if read.OK {
		out = append(out, read.Statement)
	} else if st, ok := structure.Changed(in); ok && len(out) == 0 {
		out = append(out, st)
	}
	return out
}

func (n *news) subject(entity, attribute string) subject {
	_, key := slot.Entity(entity, n.options.UserNames...)
	return subject{key, slot.Canonical(attribute).Name}
}

// changes reports whether a statement ends one that is known or was made earlier in
// the talk, or gives it another value.
func (n *news) changes(sentence int, st *structure.Statement) bool {
	if st.Of != "" {
		return n.spoken(st.Of) || n.options.Changes != nil && n.options.Changes(sentence, st)
	}
	if st.Attribute == "" {
		return false
	}
	for _, before := range n.said[n.subject(st.Entity, st.Attribute)] {
		if st.None || contradicts(st, &before) {
			return true
		}
	}
	for _, f := range st.Displaces {
		for _, before := range n.said[n.subject(st.Entity, f.Attribute)] {
			if slot.Value(before.Value) == slot.Value(f.Value) {
				return true
			}
		}
	}
	return n.options.Changes != nil && n.options.Changes(sentence, st)
}

// spoken reports whether a statement made earlier in the talk has a value.
func (n *news) spoken(value string) bool {
	for _, said := range n.said {
		if slices.ContainsFunc(said, func(st structure.Statement) bool { return slot.Value(st.Value) == slot.Value(value) }) {
			return true
		}
	}
	return false
}

// contradicts reports whether of two statements of one attribute the later ends
// the earlier, or takes its place.
func contradicts(st, before *structure.Statement) bool {
	if slot.Value(objectOf(st)) == slot.Value(objectOf(before)) {
		return st.Ended || st.Polarity != before.Polarity
	}
	return !st.Ended && !slot.Canonical(st.Attribute).Multi
}

func objectOf(st *structure.Statement) string {
	if st.Object != "" {
		return st.Object
	}
	return st.Value
}
