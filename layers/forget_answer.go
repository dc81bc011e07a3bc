package layers

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcp-memory/storage"
)

// Sizes of forget's answer.
const (
	matchedMost = 50
	matchedText = 200 // bytes
	relatedMost = 50
)

// forgetAnswer describes what would go.
func (sp *space) forgetAnswer(found []uint32) (ForgetOutput, error) {
	out := ForgetOutput{
		Matched: []Forgotten{}, MatchedCount: len(found), Mode: ModeSoft, Related: []string{},
		Receipt: Receipt{Checked: map[string]bool{}, Unreached: []string{}},
	}
	for _, n := range found[:min(len(found), matchedMost)] {
		e, err := sp.entry(n)
		if err != nil {
			return out, fmt.Errorf("read a record: %w", err)
		}
		out.Matched = append(out.Matched, Forgotten{ID: e.ID, Text: cut(e.Text, matchedText)})
	}
	out.Related = sp.related(found)
	return out, nil
}

// related returns other records that say the same as those found.
func (sp *space) related(found []uint32) []string {
	going := map[uint32]bool{}
	for _, n := range found {
		going[n] = true
	}
	seen := map[uint32]bool{}
	for _, n := range found {
		d := &sp.docs[n]
		same := slices.Collect(sp.sayingSame(d.text))
		if d.slot != nil {
			for _, o := range d.slot.docs {
				if sp.docs[o].value == d.value && d.value != "" {
					same = append(same, o)
				}
			}
		}
		for _, o := range same {
			if !going[o] && !sp.docs[o].forgotten() {
				seen[o] = true
			}
		}
	}
	out := []string{}
	for n := range seen {
		out = append(out, sp.docs[n].id)
	}
	slices.Sort(out)
	return out[:min(len(out), relatedMost)]
}

// awaitErase waits until an erase is carried out, and says how it went.
func (m *Memory) awaitErase(ctx context.Context, e *erasure, out ForgetOutput) (ForgetOutput, error) {
	select {
	case err := <-e.done:
		if err != nil {
			return ForgetOutput{}, &UnfinishedError{Receipt: e.receipt, Err: err}
		}
	case <-ctx.Done(): // it goes on
		return ForgetOutput{}, fmt.Errorf("erase: the records are forgotten, their bytes leave the files (receipt %s): %w", e.receipt, ctx.Err())
	}
	r := &e.result
	out.Receipt = Receipt{ID: e.receipt, Verified: r.Verified, Checked: r.Checked, Unreached: nonNil(r.Unreached)}
	for _, id := range e.related {
		if !slices.Contains(out.Related, id) {
			out.Related = append(out.Related, id)
		}
	}
	slices.Sort(out.Related)
	out.Related = out.Related[:min(len(out.Related), relatedMost)]
	out.Note += eraseNote(r)
	return out, nil
}

func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// GoneNote stands in the note of an erase before the backups that are no longer where
// they were made.
const GoneNote = "a backup that is no longer where it was made is gone, or holds it still if it was moved: "

// eraseNote says in words what a receipt shows.
func eraseNote(r *storage.Erased) string {
	note := "erased, but the search of the files found some of it; see checked"
	switch {
	case r.Verified:
		note = "erased for good; every file was rewritten and looked through: nothing of it is left"
	case len(r.Unreached) > 0:
		note = "erased, but not everywhere; not reached: " + cut(strings.Join(r.Unreached, "; "), 1000)
	}
	if len(r.Gone) > 0 {
		note += "; " + GoneNote + cut(strings.Join(r.Gone, "; "), 500)
	}
	return note
}

// forgot completes the answer of a soft forget that is done.
func (m *Memory) forgot(ctx context.Context, user, receipt string, at time.Time, found []uint32, out ForgetOutput) (ForgetOutput, error) {
	out.Forgotten, out.UndoUntil = len(found), formatTime(at.Add(undoWindow))
	out.Note = "undo within 30 days: " + UndoCall(receipt)
	var err error
	out.Receipt, err = m.verify(ctx, user, receipt, found)
	return out, err
}

// verify looks for the forgotten records where recall looks.
func (m *Memory) verify(ctx context.Context, user, receipt string, found []uint32) (Receipt, error) {
	out := Receipt{ID: receipt, Checked: map[string]bool{"store": true, "keyword": true}, Unreached: []string{}}
	err := m.read(user, func(sp *space) error {
		for _, n := range found {
			e, err := sp.store.Get(ctx, sp.docs[n].id)
			if err != nil {
				return fmt.Errorf("verify the forget: %w", err)
			}
			if e.ForgottenAt.IsZero() {
				out.Checked["store"] = false
			}
			if sp.words.Length(n) != 0 || !sp.docs[n].forgotten() {
				out.Checked["keyword"] = false
			}
		}
		return nil
	})
	out.Verified = out.Checked["store"] && out.Checked["keyword"]
	return out, err
}
