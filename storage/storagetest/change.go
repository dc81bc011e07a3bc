package storagetest

import (
	"testing"
	"time"

	"mcp-memory/storage"
)

func forget(user, receipt string, ids ...string) storage.Op {
	f := &storage.Forget{Receipt: receipt, Reason: "asked to"}
	for _, id := range ids {
		f.Records = append(f.Records, tombstone(id))
	}
	return storage.Op{User: user, Forget: f}
}

func tombstone(id string) storage.Tombstone {
	return storage.Tombstone{ID: id, Entity: "user", EntityHash: "e-" + id, Attribute: "drink", ObjectHash: "o",
		SourceHash: "s", MessageHash: []string{"m1", "m2"}, TextHash: "t-" + id}
}

func reinforcement(id string, n int) storage.Reinforcement {
	return storage.Reinforcement{ID: id, ObservedAt: Start.Add(time.Duration(n) * time.Minute), ValidFrom: Start,
		RecordedAt: Start, Confidence: 0.7, Trust: storage.ThirdParty, Tags: []string{"again"},
		Source: storage.Source{ID: "chat-2", MessageIDs: []string{"m9"}, Quote: "said {\"again\"}"}}
}

// forgotten returns e as op's forget leaves it.
func forgotten(e storage.Entry, op storage.Op) storage.Entry {
	t := tombstone(e.ID)
	e.ForgottenAt, e.Receipt, e.Tombstone = op.At, op.Forget.Receipt, &t
	return e
}

func testReinforce(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1", "R2"))
	b.apply(storage.Op{User: "ann", Reinforce: []storage.Reinforcement{
		reinforcement("R1", 1), reinforcement("R2", 2), reinforcement("R1", 3), reinforcement("R1", 3)}})
	b.apply(storage.Op{User: "ann", Reinforce: []storage.Reinforcement{reinforcement("R1", 0)}})
	b.both(func() {
		want := []storage.Reinforcement{reinforcement("R1", 1), reinforcement("R1", 3), reinforcement("R1", 3), reinforcement("R1", 0)}
		same(t, "reinforcements of R1", want, b.entry("R1").Reinforced)
		same(t, "reinforcements of R2", []storage.Reinforcement{reinforcement("R2", 2)}, b.entry("R2").Reinforced)
	})
}

func testWithdraw(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1", "R2"))
	op := b.apply(storage.Op{User: "ann", Withdraw: []string{"R1"}})
	b.apply(storage.Op{User: "ann", Withdraw: []string{"R1"}})
	b.both(func() {
		e := b.entry("R1")
		if !e.WithdrawnAt.Equal(op.At) || e.Live() {
			t.Errorf("withdrawn at %v, live %v; want %v, false", e.WithdrawnAt, e.Live(), op.At)
		}
		if other := b.entry("R2"); !other.Live() {
			t.Error("another record is not live")
		}
	})
}

func testForget(t *testing.T, b *bench) {
	put := b.apply(puts("ann", "R1", "R2", "R3"))
	op := b.apply(forget("ann", "F1", "R1", "R3"))
	want := []storage.Entry{forgotten(live(put.Put[0]), op), live(put.Put[1]), forgotten(live(put.Put[2]), op)}
	b.both(func() { same(t, "after forget", want, b.all()) })

	back := b.apply(storage.Op{User: "ann", Restore: []string{"R3"}})
	want[2] = live(put.Put[2])
	want[2].RestoredAt = back.At
	b.both(func() { same(t, "after restore", want, b.all()) })

	again := b.apply(forget("ann", "F2", "R3"))
	want[2] = forgotten(live(put.Put[2]), again)
	want[2].RestoredAt = back.At
	b.both(func() { same(t, "forgotten again", want, b.all()) })
}

func testForgetTwice(t *testing.T, b *bench) {
	put := b.apply(puts("ann", "R1"))
	first := b.apply(forget("ann", "F1", "R1"))
	b.apply(forget("ann", "F2", "R1"))
	b.both(func() { same(t, "entry", forgotten(live(put.Put[0]), first), b.entry("R1")) })
}

func testRestoreWithdrawn(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1"))
	op := b.apply(storage.Op{User: "ann", Withdraw: []string{"R1"}})
	b.apply(forget("ann", "F1", "R1"))
	b.apply(storage.Op{User: "ann", Restore: []string{"R1"}})
	b.both(func() {
		e := b.entry("R1")
		if !e.WithdrawnAt.Equal(op.At) || !e.ForgottenAt.IsZero() || e.Receipt != "" || e.Tombstone != nil {
			t.Errorf("entry %+v is not just withdrawn", e)
		}
	})
}

func testPartsInOrder(t *testing.T, b *bench) {
	op := puts("ann", "R1", "R2")
	op.Reinforce = []storage.Reinforcement{reinforcement("R1", 1)}
	op.Withdraw = []string{"R1"}
	op.Forget = forget("ann", "F1", "R1", "R2").Forget
	op.Restore = []string{"R1"}
	op = b.apply(op)
	first := live(op.Put[0])
	first.Reinforced, first.WithdrawnAt, first.RestoredAt = op.Reinforce, op.At, op.At
	want := []storage.Entry{first, forgotten(live(op.Put[1]), op)}
	b.both(func() { same(t, "entries", want, b.all()) })
}
