package storagetest

import (
	"context"
	"errors"
	"testing"
	"time"

	"mcp-memory/storage"
)

func testAnswers(t *testing.T, b *bench) {
	first := storage.Answer{Key: "k1", Hash: "h1", Body: []byte("{\"id\":\"R1\"}\n\x00\xff"), At: Start}
	second := storage.Answer{Key: "k1", Hash: "h2", Body: []byte("later"), At: Start}
	bobs := storage.Answer{Key: "k1", Hash: "h3", At: Start}
	check := func(user string, want storage.Answer) {
		t.Helper()
		got, err := b.Answer(t.Context(), user, want.Key)
		if err != nil {
			t.Fatalf("answer: %v", err)
		}
		same(t, "answer of "+user, want, got)
	}
	b.apply(storage.Op{User: "ann", Answer: &first})
	b.apply(storage.Op{User: "bob", Answer: &bobs})
	b.both(func() { check("ann", first); check("bob", bobs) })
	b.apply(storage.Op{User: "ann", Answer: &second})
	b.both(func() { check("ann", second); check("bob", bobs) })
	if _, err := b.Answer(t.Context(), "ann", "k2"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("unknown key: error %v, want %v", err, storage.ErrNotFound)
	}
}

func testAnswersExpire(t *testing.T, b *bench) {
	op := b.apply(storage.Op{User: "ann", Answer: &storage.Answer{Key: "k", At: Start}})
	b.clock.Set(op.At.Add(Retention - time.Microsecond))
	b.both(func() {
		if _, err := b.Answer(t.Context(), "ann", "k"); err != nil {
			t.Errorf("within the retention: %v", err)
		}
	})
	b.clock.Set(op.At.Add(Retention))
	b.both(func() {
		if _, err := b.Answer(t.Context(), "ann", "k"); !errors.Is(err, storage.ErrNotFound) {
			t.Errorf("after the retention: error %v, want %v", err, storage.ErrNotFound)
		}
	})
}

func testReceipts(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1", "R2"))
	b.apply(forget("ann", "F1", "R2", "R1"))
	b.apply(forget("ann", "F2"))
	b.apply(storage.Op{User: "ann", Restore: []string{"R1"}})
	b.both(func() {
		for receipt, want := range map[string][]string{"F1": {"R2", "R1"}, "F2": nil} {
			ids, err := b.Receipt(t.Context(), "ann", receipt)
			if err != nil {
				t.Fatalf("receipt %s: %v", receipt, err)
			}
			same(t, "receipt "+receipt, want, ids)
		}
		for user, receipt := range map[string]string{"bob": "F1", "ann": "F3"} {
			if _, err := b.Receipt(t.Context(), user, receipt); !errors.Is(err, storage.ErrNotFound) {
				t.Errorf("receipt %s of %s: error %v, want %v", receipt, user, err, storage.ErrNotFound)
			}
		}
	})
}

func testHash(t *testing.T, b *bench) {
	hash := b.Hash("text", "tea")
	if len(hash) != 64 {
		t.Errorf("hash %q is not of 64 digits", hash)
	}
	for _, other := range [][2]string{{"text", "Tea"}, {"entity", "tea"}, {"tex", "ttea"}} {
		if b.Hash(other[0], other[1]) == hash {
			t.Errorf("hash of %q in %q equals that of tea in text", other[1], other[0])
		}
	}
	b.reopen()
	if got := b.Hash("text", "tea"); got != hash {
		t.Errorf("after a reopen %s, want %s", got, hash)
	}
	if newBench(t, b.open, t.TempDir()).Hash("text", "tea") == hash {
		t.Error("two stores hash alike")
	}
}

func testLast(t *testing.T, b *bench) {
	if !b.Last().IsZero() {
		t.Errorf("last of an empty store: %v", b.Last())
	}
	for _, op := range []storage.Op{puts("ann", "R1"), {User: "bob"}, puts("ann", "R2")} {
		op = b.apply(op)
		b.both(func() {
			if got := b.Last(); !got.Equal(op.At) {
				t.Errorf("last %v, want %v", got, op.At)
			}
		})
	}
}

func testStats(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1", "R2"))
	b.apply(puts("bob", "R3"))
	b.apply(storage.Op{User: "ann", Withdraw: []string{"R1"}})
	b.apply(forget("ann", "F1", "R2"))
	b.both(func() {
		got := b.Stats()
		if got.Records != 3 || got.Tombs != 0 || got.Salvage != nil {
			t.Errorf("stats %+v, want 3 records, no tombs, no salvage", got)
		}
	})
}

func testScan(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1", "R2", "R3"))
	stop := errors.New("stop")
	var seen []string
	err := b.Scan(t.Context(), func(e storage.Entry) error {
		if len(seen) == 2 {
			return stop
		}
		if !e.Live() {
			t.Errorf("%s was withdrawn after the scan began and is shown so", e.ID)
		}
		b.apply(storage.Op{User: "ann", Withdraw: []string{"R1", "R2", "R3"}})
		seen = append(seen, e.ID)
		if got := b.entry(e.ID); got.Text != e.Text {
			t.Errorf("get within scan: text %q, want %q", got.Text, e.Text)
		}
		b.apply(puts("ann", "during-"+e.ID))
		return nil
	})
	if !errors.Is(err, stop) {
		t.Errorf("scan: error %v, want fn's", err)
	}
	same(t, "seen", []string{"R1", "R2"}, seen)
	if got := len(b.all()); got != 5 {
		t.Errorf("%d entries, want 5", got)
	}
}

func testContext(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	op := puts("ann", "R2")
	op.At = b.tick()
	_, getErr := b.Get(ctx, "R1")
	for name, err := range map[string]error{
		"apply": b.Apply(ctx, op),
		"get":   getErr,
		"scan":  b.Scan(ctx, func(storage.Entry) error { return nil }),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", name, err, context.Canceled)
		}
	}
	if got := len(b.all()); got != 1 {
		t.Errorf("%d entries, want 1", got)
	}
}

func testClose(t *testing.T, b *bench) {
	b.apply(puts("ann", "R1"))
	for range 2 {
		if err := b.Close(); err != nil {
			t.Fatalf("close: %v", err)
		}
	}
	op := puts("ann", "R2")
	op.At = b.tick()
	_, getErr := b.Get(t.Context(), "R1")
	_, answerErr := b.Answer(t.Context(), "ann", "k")
	_, receiptErr := b.Receipt(t.Context(), "ann", "F1")
	for name, err := range map[string]error{
		"apply":   b.Apply(t.Context(), op),
		"get":     getErr,
		"scan":    b.Scan(t.Context(), func(storage.Entry) error { return nil }),
		"answer":  answerErr,
		"receipt": receiptErr,
	} {
		if !errors.Is(err, storage.ErrClosed) {
			t.Errorf("%s: error %v, want %v", name, err, storage.ErrClosed)
		}
	}
}
