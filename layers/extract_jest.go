package layers

import (
	"fmt"
	"slices"
	"strings"

	"mcp-memory/internal/text"
	"mcp-memory/layers/conversation"
	"mcp-memory/storage"
)

// jest is a record of an earlier call that its speaker now says was a joke.
type jest struct {
	id    string
	words string // that own to it
}

// takeBack looks for what earlier calls of the same session, or of the same source,
// kept of a joke that is owned to now. Of jokes in the conversation itself nothing is
// made ([conversation.Read]).
func (r *extraction) takeBack() {
	for i := range r.turns {
		if r.turns[i].Role != conversation.User {
			continue
		}
		if of, ok := conversation.JestOf(r.turns[i].Content); ok && !r.jestsOfTalk(i, &of) {
			r.jestsOfKnown(i, &of)
		}
	}
}

// jestsOfTalk reports whether a joke is of something that its speaker said before in
// the conversation, or may be.
func (r *extraction) jestsOfTalk(turn int, of *conversation.Jest) bool {
	for i := range r.talk.Sentences {
		s := &r.talk.Sentences[i]
		t := &r.turns[s.Turn]
		if s.Turn >= turn || t.Role != conversation.User || t.Name != r.turns[turn].Name {
			continue
		}
		if len(of.About) == 0 || of.Of(text.Fold(s.Words())) {
			return true
		}
	}
	return false
}

// jestsOfKnown notes the records that a joke is of: those of the turn just before, or
// those that what was said last and holds its words gave.
func (r *extraction) jestsOfKnown(turn int, of *conversation.Jest) {
	last := ""
	if len(of.About) == 0 {
		if last = r.lastSaid(turn, false); last == "" {
			return
		}
	}
	quote := ""
	for _, e := range r.keptBefore(r.turns[turn].Name) {
		switch {
		case quote != "" && !strings.Contains(e.Source.Quote, quote) && !strings.Contains(quote, e.Source.Quote):
			continue
		case len(of.About) == 0 && !strings.Contains(last, e.Source.Quote):
			continue
		case len(of.About) > 0 && !of.Of(text.Fold(strings.Join([]string{e.Text, e.Attribute, e.Value}, " "))):
			continue
		case quote == "" && len(of.About) > 0:
			quote = e.Source.Quote
		}
		r.jested = append(r.jested, jest{e.ID, r.turns[turn].Content})
	}
}

// keptBefore is what earlier calls kept of a speaker's words in the task's session, or
// of its source where neither is of a session, and what holds; what was said last comes
// first.
func (r *extraction) keptBefore(speaker string) []storage.Entry {
	kept, err := r.lookBack(speaker, func(*doc) bool { return true })
	if err != nil {
		r.log.Warn("what a joke was of is not looked for", "job", r.ID, "error", err)
		return nil
	}
	return slices.DeleteFunc(kept, func(e storage.Entry) bool { return e.Source.Session != r.Session })
}

// unjest takes back what was said in jest: what superseded others is withdrawn, so that
// they hold their places again, the rest is forgotten and can be brought back. The
// caller holds write.
func (r *extraction) unjest(sp *space, op *storage.Op) error {
	var gone []uint32
	for _, j := range r.jested {
		n, ok := sp.byID[j.id]
		if !ok || !sp.docs[n].live() || sp.docs[n].withdrawnAt != 0 || slices.Contains(op.Withdraw, j.id) || slices.Contains(gone, n) {
			continue
		}
		if sp.superseded(n) {
			op.Withdraw = append(op.Withdraw, j.id)
			r.drop(j.words, "a joke: %s is withdrawn; to bring it back, remember it again", j.id)
			continue
		}
		gone = append(gone, n)
		r.drop(j.words, "a joke: %s is forgotten; to bring it back, call forget with its id and undo", j.id)
	}
	if len(gone) == 0 || r.DryRun {
		return nil
	}
	receipt, err := r.newID(op.At)
	if err != nil {
		return fmt.Errorf("take a joke back: %w", err)
	}
	op.Forget = &storage.Forget{Receipt: receipt, Reason: "said in jest"}
	return sp.softForget(op.Forget, gone)
}

// ownsToJest reports whether turns own to a joke: what is known is wrong until that is
// read.
func ownsToJest(turns []conversation.Turn) bool {
	return slices.ContainsFunc(turns, func(t conversation.Turn) bool {
		if t.Role != conversation.User {
			return false
		}
		_, ok := conversation.JestOf(t.Content)
		return ok
	})
}
