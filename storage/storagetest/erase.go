package storagetest

import (
	"slices"
	"strings"
	"testing"

	"mcp-memory/storage"
)

// erasing fills a store with a record that is reinforced, turns of a session and
// an answer, and erases the record with the second turn.
func erasing(b *bench) storage.Op {
	b.t.Helper()
	put := puts("ann", "R1", "R2")
	put.Put[0].Source.Quote, put.Put[0].Project = "quote of R1", "apollo"
	put.Answer = &storage.Answer{Key: "k", Hash: "h", Body: []byte(`{"text":"text of R1"}`)}
	put.Hear = heard("s1", 1, 2)
	b.apply(put)
	again := reinforcement("R1", 1)
	again.Source.Quote = "said again"
	b.apply(storage.Op{User: "ann", Reinforce: []storage.Reinforcement{again, reinforcement("R2", 1)}})
	return b.apply(storage.Op{User: "ann", Answers: []storage.Answer{{Key: "k", Hash: "other", Body: []byte(`{"text":""}`)}},
		Read: []storage.Reading{{Session: "s1", Next: 3}},
		Forget: &storage.Forget{Receipt: "E1", Reason: "because of text of R1",
			Records: []storage.Tombstone{{ID: "R1", ProjectHash: "ph", TextHash: "th"}},
			Erase:   &storage.Erase{Turns: []string{b.Hash("turn", storage.TurnWord("s1", 2))}}}})
}

// finish carries an erase out and returns what was found of its payload.
func (b *bench) finish(receipt string, p storage.Payload) storage.Finding {
	b.t.Helper()
	rw, err := b.Erase(b.t.Context(), []storage.Payload{p})
	if err != nil {
		b.t.Fatalf("erase: %v", err)
	}
	defer rw.Abandon()
	found, err := rw.Find(b.t.Context(), p)
	if err != nil {
		b.t.Fatalf("find: %v", err)
	}
	if err := rw.Commit(b.t.Context(), []storage.Op{{User: p.User, At: b.tick(), Erased: []storage.Erased{{Receipt: receipt, Verified: true}}}}); err != nil {
		b.t.Fatalf("commit: %v", err)
	}
	return found
}

var payload = storage.Payload{User: "ann", IDs: []string{"R1"}, Words: []string{"text of R1", "quote of R1", "said again", "turn 2"}}

func testErase(t *testing.T, b *bench) {
	erase := erasing(b)
	b.both(func() {
		if e := b.entry("R1"); !e.Erased || e.Purged || !e.ForgottenAt.Equal(erase.At) || e.Receipt != "E1" {
			t.Errorf("an entry whose erase is intended: %+v", e)
		}
		if turns := b.sessions()["ann/s1"]; len(turns.Turns) != 1 || turns.Turns[0].Seq != 1 || turns.Next != 3 {
			t.Errorf("the session: %+v", turns)
		}
	})
	found := b.finish("E1", payload)
	if found.Store || found.Working || found.Jobs || len(found.Files) != 0 || len(found.Related) != 0 {
		t.Errorf("found %+v", found)
	}
	b.both(func() {
		e := b.entry("R1")
		if !e.Purged || !e.Erased || e.Text != "" || e.Project != "" || e.Tombstone == nil || e.Tombstone.TextHash != "th" {
			t.Errorf("an erased entry: %+v", e)
		}
		if len(e.Reinforced) != 1 || e.Reinforced[0].Source.Quote != "" || e.Reinforced[0].RecordedAt.IsZero() {
			t.Errorf("its reinforcements: %+v", e.Reinforced)
		}
		if other := b.entry("R2"); !other.Live() || other.Text != "text of R2" || len(other.Reinforced) != 1 {
			t.Errorf("the other entry: %+v", other)
		}
		if a, err := b.Answer(t.Context(), "ann", "k"); err != nil || a.Hash != "other" || string(a.Body) != `{"text":""}` {
			t.Errorf("answer %+v, %v", a, err)
		}
		if s := b.sessions()["ann/s1"]; len(s.Turns) != 1 || s.Next != 3 {
			t.Errorf("the session: %+v", s)
		}
	})
	b.apply(storage.Op{User: "ann", Hear: heard("s1", 3, 3)})
}

func testEraseConflicts(t *testing.T, b *bench) {
	erasing(b)
	refused := func() {
		b.refuse(storage.Op{User: "ann", Restore: []string{"R1"}}, storage.ErrConflict)
		b.refuse(storage.Op{User: "ann", Reinforce: []storage.Reinforcement{{ID: "R1"}}}, storage.ErrConflict)
		b.refuse(puts("ann", "R1"), storage.ErrConflict)
	}
	refused()
	b.finish("E1", payload)
	refused()
}

func testEraseEnds(t *testing.T, b *bench) {
	erase := erasing(b)
	b.apply(forget("ann", "F1", "R2"))
	b.refuse(storage.Op{User: "ann", Erased: []storage.Erased{{Receipt: "E9"}}}, storage.ErrConflict)
	b.refuse(forget("ann", "F1", "R1"), storage.ErrConflict)
	more := forget("ann", "F1", "R1")
	more.Forget.More = true
	b.apply(more)
	other := forget("ann", "F9", "R1")
	other.Forget.More = true
	b.refuse(other, storage.ErrConflict) // nothing began it
	soft := forget("ann", "E1", "R2")
	soft.Forget.More = true
	b.refuse(soft, storage.ErrConflict) // an erase began it
	b.refuse(storage.Op{User: "bob", Erased: []storage.Erased{{Receipt: "E1"}}}, storage.ErrConflict)
	b.refuse(storage.Op{User: "ann", Erased: []storage.Erased{{Receipt: "F1"}}}, storage.ErrConflict)
	ended := b.apply(storage.Op{User: "ann", Erased: []storage.Erased{{Receipt: "E1", Checked: map[string]bool{"store": true}, Unreached: []string{"x: gone"}}}})
	b.refuse(storage.Op{User: "ann", Erased: []storage.Erased{{Receipt: "E1"}}}, storage.ErrConflict)
	b.both(func() {
		var all []string
		err := b.Receipts(t.Context(), func(user string, r storage.Receipt) error {
			all = append(all, user+" "+r.ID+" "+strings.Join(r.IDs, ","))
			if r.ID == "E1" && (!r.Erase || r.Ended == nil || r.Ended.Unreached[0] != "x: gone" || !r.EndedAt.Equal(ended.At) || !r.At.Equal(erase.At)) {
				t.Errorf("receipt %+v", r)
			}
			if r.ID == "F1" && (r.Erase || r.Ended != nil || r.Restored != 0) {
				t.Errorf("receipt %+v", r)
			}
			return nil
		})
		if want := []string{"ann E1 R1", "ann F1 R2,R1"}; err != nil || !slices.Equal(all, want) {
			t.Errorf("receipts %v, %v; want %v", all, err, want)
		}
	})
}
