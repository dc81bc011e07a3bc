package storagetest

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mcp-memory/storage"
)

// model is a store in the simplest terms.
type model struct {
	entries  []storage.Entry
	answers  map[string]storage.Answer // user + key
	receipts map[string][]string       // user + receipt
	last     time.Time
	made     int // names handed out
}

var users = []string{"ann", "bob"}

// testModel applies random operations, good and bad, with restarts and crashes
// between them, and compares the store with the model after each.
func testModel(t *testing.T, b *bench) {
	root := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp(root, "")
		if err != nil {
			rt.Fatal(err)
		}
		m := &model{answers: map[string]storage.Answer{}, receipts: map[string][]string{}}
		on := newBench(rt, b.open, dir)
		rt.Repeat(map[string]func(*rapid.T){
			"":        func(rt *rapid.T) { m.compare(rt, on) },
			"apply":   func(rt *rapid.T) { m.applyRandom(rt, on) },
			"restart": func(*rapid.T) { on.reopen() },
			"crash":   func(*rapid.T) { on.crash() },
		})
		if err := on.Close(); err != nil {
			rt.Fatalf("close: %v", err)
		}
	})
}

func (m *model) name(prefix string) string {
	m.made++
	return fmt.Sprintf("%s%d", prefix, m.made)
}

// applyRandom applies a random operation and expects what the model expects.
func (m *model) applyRandom(rt *rapid.T, on *bench) {
	op := m.draw(rt)
	fits := m.fits(op)
	err := on.Apply(on.t.Context(), op)
	if fits && err != nil || !fits && !errors.Is(err, storage.ErrConflict) {
		rt.Fatalf("apply: error %v, fits %v", err, fits)
	}
	if fits {
		m.apply(op)
	}
}

func (m *model) draw(rt *rapid.T) storage.Op {
	user := rapid.SampledFrom(users).Draw(rt, "user")
	step := rapid.IntRange(-1, 20).Draw(rt, "step")
	op := storage.Op{User: user, At: m.last.Add(time.Duration(step) * time.Second)}
	if m.last.IsZero() {
		op.At = Start
	}
	for range rapid.IntRange(0, 3).Draw(rt, "puts") {
		op.Put = append(op.Put, m.drawRecord(rt, user))
	}
	for i, id := range m.drawIDs(rt, "reinforced") {
		op.Reinforce = append(op.Reinforce, reinforcement(id, i))
	}
	op.Withdraw = m.drawIDs(rt, "withdrawn")
	if rapid.IntRange(0, 3).Draw(rt, "forgets") == 0 {
		op.Forget = forget(user, m.name("F"), m.drawIDs(rt, "forgotten")...).Forget
	}
	op.Restore = m.drawIDs(rt, "restored")
	if rapid.Bool().Draw(rt, "answers") {
		key := rapid.SampledFrom([]string{"k1", "k2"}).Draw(rt, "key")
		op.Answer = &storage.Answer{Key: key, Hash: "h", Body: []byte(m.name("body")), At: op.At}
	}
	return op
}

func (m *model) drawRecord(rt *rapid.T, user string) storage.Record {
	r := plain(user, m.name("R"), rapid.String().Draw(rt, "text"))
	r.Value = rapid.StringN(0, 20, -1).Draw(rt, "value")
	r.Confidence = rapid.Float64Range(0, 1).Draw(rt, "confidence")
	r.RecordedAt = Start.Add(-time.Duration(rapid.IntRange(0, 1e6).Draw(rt, "recorded")) * time.Microsecond)
	return r
}

// drawIDs returns few ids, mostly such as exist.
func (m *model) drawIDs(rt *rapid.T, label string) []string {
	if len(m.entries) == 0 || rapid.Bool().Draw(rt, label+" any") {
		return nil
	}
	var ids []string
	for range rapid.IntRange(1, 2).Draw(rt, label) {
		i := rapid.IntRange(0, len(m.entries)).Draw(rt, label+" at")
		if i == len(m.entries) {
			ids = append(ids, "unknown")
			continue
		}
		ids = append(ids, m.entries[i].ID)
	}
	return ids
}

// fits reports whether a store must take op.
func (m *model) fits(op storage.Op) bool {
	named := slices.Concat(op.Withdraw, op.Restore)
	for _, r := range op.Reinforce {
		named = append(named, r.ID)
	}
	if op.Forget != nil {
		for _, t := range op.Forget.Records {
			named = append(named, t.ID)
		}
	}
	for _, id := range named {
		if e := m.find(id); e == nil || e.User != op.User {
			return false
		}
	}
	return op.At.After(m.last)
}

func (m *model) find(id string) *storage.Entry {
	i := slices.IndexFunc(m.entries, func(e storage.Entry) bool { return e.ID == id })
	if i < 0 {
		return nil
	}
	return &m.entries[i]
}

func (m *model) apply(op storage.Op) {
	for _, r := range op.Put {
		m.entries = append(m.entries, live(r))
	}
	for _, r := range op.Reinforce {
		e := m.find(r.ID)
		e.Reinforced = append(e.Reinforced, r)
	}
	for _, id := range op.Withdraw {
		if e := m.find(id); e.WithdrawnAt.IsZero() {
			e.WithdrawnAt = op.At
		}
	}
	m.forget(op)
	for _, id := range op.Restore {
		if e := m.find(id); !e.ForgottenAt.IsZero() {
			e.ForgottenAt, e.Receipt, e.Tombstone, e.RestoredAt = time.Time{}, "", nil, op.At
		}
	}
	if op.Answer != nil {
		m.answers[op.User+op.Answer.Key] = *op.Answer
	}
	m.last = op.At
}

func (m *model) forget(op storage.Op) {
	if op.Forget == nil {
		return
	}
	var ids []string
	for _, t := range op.Forget.Records {
		ids = append(ids, t.ID)
		if e := m.find(t.ID); e.ForgottenAt.IsZero() {
			*e = forgotten(*e, op)
		}
	}
	m.receipts[op.User+op.Forget.Receipt] = ids
}

// compare holds the store against the model.
func (m *model) compare(rt *rapid.T, on *bench) {
	same(rt, "entries", m.entries, on.all())
	if got := on.Last(); !got.Equal(m.last) {
		rt.Fatalf("last %v, want %v", got, m.last)
	}
	for _, user := range users {
		for _, key := range []string{"k1", "k2"} {
			want, known := m.answers[user+key]
			got, err := on.Answer(on.t.Context(), user, key)
			if known != (err == nil) {
				rt.Fatalf("answer %s of %s: error %v, known %v", key, user, err, known)
			}
			same(rt, "answer", want, got)
		}
	}
	for i := range m.made {
		receipt := fmt.Sprintf("F%d", i+1)
		for _, user := range users {
			if want, known := m.receipts[user+receipt]; known {
				got, err := on.Receipt(on.t.Context(), user, receipt)
				if err != nil {
					rt.Fatalf("receipt %s: %v", receipt, err)
				}
				same(rt, "receipt", want, got)
			}
		}
	}
}
