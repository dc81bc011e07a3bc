package storagetest

import (
	"strings"
	"testing"
	"time"

	"mcp-memory/storage"
)

func testReadBack(t *testing.T, b *bench) {
	r := record("ann", "R1")
	b.apply(storage.Op{User: "ann", Put: []storage.Record{r}})
	b.both(func() {
		same(t, "entries", []storage.Entry{live(r)}, b.all())
	})
}

func testOrder(t *testing.T, b *bench) {
	b.apply(puts("ann", "Z", "A"))
	b.apply(puts("bob", "M"))
	b.apply(puts("ann", "B"))
	b.both(func() {
		var got []string
		for _, e := range b.all() {
			got = append(got, e.ID)
		}
		same(t, "order", []string{"Z", "A", "M", "B"}, got)
	})
}

func testAtomic(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1"))
	op := puts("ann", "R2", "R3", "R1")
	op.Reinforce = []storage.Reinforcement{{ID: "R1"}}
	op.Answer = &storage.Answer{Key: "k"}
	b.refuse(op, storage.ErrConflict)
	b.both(func() {
		if got := len(b.all()); got != 1 {
			t.Errorf("%d entries, want 1", got)
		}
		if _, err := b.Answer(t.Context(), "ann", "k"); err == nil {
			t.Error("the refused operation's answer is there")
		}
	})
}

func testConflicts(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1"))
	last := b.apply(puts("bob", "R2"))
	b.apply(storage.Op{User: "ann", Forget: &storage.Forget{Receipt: "F1"}})
	cases := []struct {
		name string
		op   storage.Op
	}{
		{"a put of an id that exists", puts("ann", "R1")},
		{"a put of an id that exists for another user", puts("bob", "R1")},
		{"two puts of one id", puts("ann", "R3", "R3")},
		{"a put without id", puts("ann", "")},
		{"a put for another user", storage.Op{User: "ann", Put: puts("bob", "R3").Put}},
		{"a put recorded after the operation", recordedLater(puts("ann", "R3"))},
		{"detail that is not JSON", badDetail(puts("ann", "R3"))},
		{"an unknown id reinforced", storage.Op{User: "ann", Reinforce: []storage.Reinforcement{{ID: "R9"}}}},
		{"another user's record reinforced", storage.Op{User: "ann", Reinforce: []storage.Reinforcement{{ID: "R2"}}}},
		{"an unknown id withdrawn", storage.Op{User: "ann", Withdraw: []string{"R9"}}},
		{"another user's record withdrawn", storage.Op{User: "ann", Withdraw: []string{"R1", "R2"}}},
		{"an unknown id forgotten", forget("ann", "F2", "R9")},
		{"another user's record forgotten", forget("ann", "F2", "R2")},
		{"a forget without receipt", forget("ann", "", "R1")},
		{"a receipt that exists", forget("ann", "F1", "R1")},
		{"an unknown id restored", storage.Op{User: "ann", Restore: []string{"R9"}}},
		{"another user's record restored", storage.Op{User: "ann", Restore: []string{"R2"}}},
		{"the time of an earlier operation", storage.Op{User: "ann", At: last.At}},
		{"an earlier time", storage.Op{User: "ann", At: last.At.Add(-time.Microsecond)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			on := *b
			on.t = t
			on.refuse(c.op, storage.ErrConflict)
			b.at = on.at
		})
	}
	b.apply(puts("ann", "R3"))
}

func recordedLater(op storage.Op) storage.Op {
	op.Put[0].RecordedAt = Start.Add(Retention)
	return op
}

func badDetail(op storage.Op) storage.Op {
	op.Put[0].Detail = []byte(`{"strength":`)
	return op
}

func testTooLarge(t *testing.T, b *bench) {
	op := puts("ann", "R1")
	op.Put[0].Text = strings.Repeat("x", 64<<20)
	b.refuse(op, storage.ErrTooLarge)
	op.Put[0].Text = strings.Repeat("x", 1<<20)
	b.apply(op)
	b.both(func() {
		if got := b.entry("R1").Text; got != op.Put[0].Text {
			t.Errorf("a text of 1 MiB came back as %d bytes", len(got))
		}
	})
}

func testNotUTF8(t *testing.T, b *bench) {
	bad := "caf\xe9"
	text, tag, quote, message := puts("ann", "R1"), puts("ann", "R1"), puts("ann", "R1"), puts("ann", "R1")
	text.Put[0].Text = bad
	tag.Put[0].Tags = []string{"\xe4", "\xbd\xa0"}
	quote.Put[0].Source.Quote = bad
	message.Put[0].Source.MessageIDs = []string{bad}
	key := puts("ann", "R1")
	key.Answer = &storage.Answer{Key: bad}
	b.apply(puts("ann", "R0"))
	again := storage.Op{User: "ann", Reinforce: []storage.Reinforcement{{ID: "R0", Tags: []string{bad}}}}
	tomb := storage.Op{User: "ann", Forget: &storage.Forget{Receipt: "F1", Records: []storage.Tombstone{{ID: "R0", TextHash: bad}}}}
	for _, op := range []storage.Op{text, tag, quote, message, key, again, tomb, {User: bad}} {
		b.refuse(op, storage.ErrConflict)
	}
	if got := len(b.all()); got != 1 {
		t.Errorf("%d entries, want one", got)
	}
}

func testScripts(t *testing.T, b *bench) {
	texts := []string{"我喜欢绿茶。", "a\x00b\r\nc\n*3\r\n$3\r\nset\r\n", "<b>&\u2028</b>", `"\`, "\ufffd", "👩‍👩‍👧", ""}
	op := storage.Op{User: "用户"}
	for i, text := range texts {
		r := plain("用户", string(rune('a'+i)), text)
		r.Value, r.Tags, r.Source.Quote = text, []string{text}, text
		op.Put = append(op.Put, r)
	}
	b.apply(op)
	b.both(func() {
		for i, e := range b.all() {
			same(t, "entry", live(op.Put[i]), e)
		}
	})
}
