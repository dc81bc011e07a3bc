package layers

import (
	"cmp"
	"slices"
	"strings"

	"mcp-memory/layers/conversation"
	"mcp-memory/layers/structure"
	"mcp-memory/storage"
)

// maxLookBack bounds how many of a user's latest records are looked at for what a
// correction puts right or a joke was of.
const maxLookBack = 500

// putRight gives sentences that put right what was said in an earlier call of the
// same session, or of the same source, their own words: "Sorry, I meant Lyon, not
// Lille." says "I live in Lyon." where "I live in Lille." was kept. What they put
// right in the conversation itself the extractor sees.
func (r *extraction) putRight() {
	if r.Session == "" && r.SourceID == "" {
		return
	}
	for i := range r.talk.Sentences {
		s := &r.talk.Sentences[i]
		if s.Kind != conversation.Stated || s.Said != "" && s.Prompted == "" || r.talk.Turns[s.Turn].Role != conversation.User {
			continue
		}
		if c, ok := structure.CorrectionOf(s.Text); ok && (s.Said == "" || !c.OfLast()) && !r.rightsTalk(i, &c) {
			r.rightsKnown(i, &c)
		}
	}
}

// rightsTalk reports whether a correction is of something that its speaker said
// before in the conversation, or may be.
func (r *extraction) rightsTalk(sentence int, c *structure.Correction) bool {
	s := &r.talk.Sentences[sentence]
	for i := sentence - 1; i >= 0; i-- {
		before := &r.talk.Sentences[i]
		if before.Speaker != s.Speaker {
			continue
		}
		if c.OfLast() { // it is of what was said last, or of nothing
			return true
		}
		if _, ok := c.Apply(structure.InputOf(r.talk, i, r.userNames)); ok {
			return true
		}
	}
	return false
}

// rightsKnown looks for the record that a correction is of, latest first, and makes
// what that should have said the sentence's words.
func (r *extraction) rightsKnown(sentence int, c *structure.Correction) {
	s := &r.talk.Sentences[sentence]
	last := ""
	if c.OfLast() {
		if last = r.lastSaid(s.Turn, c.Unasked()); last == "" {
			return
		}
	}
	in := structure.InputOf(r.talk, sentence, r.userNames)
	for _, e := range r.saidBefore(r.turns[s.Turn].Name) {
		if c.OfLast() && !strings.HasSuffix(strings.TrimSpace(last), strings.TrimSpace(e.Source.Quote)) {
			continue
		}
		in.Text = conversation.WithoutRequest(strings.TrimPrefix(e.Text, e.Source.Speaker+": "))
		part, ok := c.Apply(in)
		if !ok || !part.ValidFrom.IsZero() || !part.ValidTo.IsZero() { // "last week" was another then
			continue
		}
		s.Said = part.Text
		r.righted[sentence] = structure.Former{Attribute: e.Attribute, Value: cmp.Or(e.Object, e.Value)}
		return
	}
}

// saidBefore are the statements that hold and that earlier calls kept of a speaker
// of the task's session, or of its source, latest first.
func (r *extraction) saidBefore(speaker string) []storage.Entry {
	said, err := r.lookBack(speaker, func(d *doc) bool { return d.slot != nil })
	if err != nil {
		r.log.Warn("what a correction puts right is not looked for", "job", r.ID, "error", err)
		return nil
	}
	return said
}

// lookBack returns those of the user's latest records that hold, that earlier calls
// kept of a speaker of the task's session, or of its source, and that are wanted, latest
// first.
func (r *extraction) lookBack(speaker string, wanted func(d *doc) bool) (out []storage.Entry, err error) {
	err = r.Memory.read(r.User, func(sp *space) error {
		v := &view{at: later(r.now(), r.opts.Store.Last())}
		for n, seen := len(sp.docs)-1, 0; n >= 0 && seen < maxLookBack; n, seen = n-1, seen+1 {
			d := &sp.docs[n]
			if !wanted(d) || !d.live() || d.project != r.Project || r.Session == "" && d.source != r.SourceID {
				continue
			}
			if by, flags := sp.standing(uint32(n), v); by != "" || len(flags) > 0 {
				continue
			}
			e, err := sp.entry(uint32(n))
			if err != nil {
				return err
			}
			if e.Source.Quote != "" && e.Source.Speaker == speaker && (r.Session == "" || e.Source.Session == r.Session) {
				out = append(out, e)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.lastSaidFirst(out)
	return out, nil
}

// lastSaidFirst sorts statements of one call, which are stored a layer at a time, by
// their places in the turns of the session that are still known; the others follow by
// their times, for what was said first may have been sent last.
func (r *extraction) lastSaidFirst(statements []storage.Entry) {
	k := r.talkNow(talkKey{r.User, r.Session})
	places := make(map[string]talkPlace, len(statements))
	for i := range statements {
		places[statements[i].ID] = k.place(&statements[i].Source)
	}
	slices.SortStableFunc(statements, func(a, b storage.Entry) int {
		x, y := places[a.ID], places[b.ID]
		return cmp.Or(cmp.Compare(y.seq, x.seq), cmp.Compare(y.at, x.at), b.ObservedAt.Compare(a.ObservedAt))
	})
}

// talkPlace is where in a session something was said; zero where that is not known.
type talkPlace struct {
	seq int64 // of the turn
	at  int   // byte of its text
}

// place finds the last user's turn that holds a quote.
func (k *talk) place(of *storage.Source) talkPlace {
	for _, t := range slices.Backward(k.turns) {
		if ids := of.MessageIDs; len(ids) > 0 && !slices.Contains(ids, t.ID) || t.Note || t.Role != conversation.User {
			continue
		}
		if at := strings.LastIndex(t.Text, of.Quote); at >= 0 {
			return talkPlace{t.Seq, at}
		}
	}
	return talkPlace{}
}

// lastSaid is what the speaker of a turn said last before the task's own turns, in
// his session or in the part of the conversation that was read already; "" where that
// is not known, or where somebody asked something since, so that a remark ("Actually,
// it's blue") may be the answer.
func (r *extraction) lastSaid(turn int, remark bool) string {
	asked := false
	for _, t := range r.turns[:turn] {
		asked = asked || conversation.Asks(t.Role, t.Content)
	}
	before := r.saidSoFar()
	for n := len(before) - 1; n >= 0; n-- {
		t := &before[n]
		if t.Role == conversation.User && t.Name == r.turns[turn].Name {
			if remark && asked {
				return ""
			}
			return t.Content
		}
		asked = asked || conversation.Asks(t.Role, t.Content)
	}
	return ""
}

// saidSoFar are the turns before the task's own, so far as they are known.
func (r *extraction) saidSoFar() []conversation.Turn {
	if r.Session == "" {
		return r.earlier
	}
	k := r.talkNow(talkKey{r.User, r.Session})
	return k.behind()
}

// corrects reports whether turns put something right: what is known is wrong until
// that is read.
func corrects(turns []conversation.Turn) bool {
	for _, s := range conversation.Read(turns, conversation.Options{Rights: structure.Rights, Amended: structure.Amended}).Sentences {
		if s.Kind != conversation.Stated || turns[s.Turn].Role != conversation.User {
			continue
		}
		if c, ok := structure.CorrectionOf(s.Text); ok && !c.Unasked() && !c.Bare {
			return true
		}
	}
	return false
}
