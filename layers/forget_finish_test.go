package layers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
)

// breaking is a store that takes a number of operations and then fails.
type breaking struct {
	storage.Store
	left int // negative: it takes all
}

func (b *breaking) Apply(ctx context.Context, op storage.Op) error {
	if b.left == 0 {
		return fmt.Errorf("write: %w", storage.ErrUnavailable)
	}
	b.left--
	return b.Store.Apply(ctx, op)
}

// manyRecords is more than one operation takes of a forget.
const manyRecords = 5100

// many fills a directory with records of two sources, and a session of which a turn is
// of the one source and another says the words of its last record.
func many(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s, err := bunt.Open(t.Context(), bunt.Options{Dir: dir, Sync: unsynced})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for n := 0; n < manyRecords; n += 300 {
		op := storage.Op{User: user, At: at.Add(time.Duration(n) * time.Millisecond)}
		for i := n; i < n+300; i++ {
			r := storage.Record{ID: fmt.Sprintf("R%06d", i), User: user, Layer: storage.Fact, Tier: storage.Semantic, Text: fmt.Sprintf("Wobblethorpe number %06d.", i),
				Importance: 4, Confidence: .8, ObservedAt: op.At, RecordedAt: op.At, Trust: storage.UserStated, Source: storage.Source{ID: "bulk"}}
			if i%100 == 0 {
				r.Text, r.Source.ID = fmt.Sprintf("Another number %06d.", i), "other"
			}
			op.Put = append(op.Put, r)
		}
		if n == 0 {
			op.Hear = []storage.Turn{{Session: "s1", Seq: 1, Source: "bulk", Text: "Of bulk, and no record.", Heard: op.At},
				{Session: "s1", Seq: 2, Source: "chat", Text: "He said: Wobblethorpe number 005099.", Heard: op.At}, {Session: "s1", Seq: 3, Text: "The sky is grey.", Heard: op.At}}
		}
		if err := s.Apply(t.Context(), op); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestForget_OfManyIsWholeWhereverItIsKilled: a forget that several operations hold is,
// after the next start, as if it had not been asked for, or done.
func TestForget_OfManyIsWholeWhereverItIsKilled(t *testing.T) {
	filled := many(t)
	const all = manyRecords - manyRecords/100
	for _, mode := range []string{layers.ModeSoft, layers.ModeErase} {
		for kill := 0; ; kill++ {
			h := newHome(t, noon)
			h.opts.Location, h.bunt.Sync = time.UTC, unsynced
			disk := h.startsOn(filled)
			in := layers.ForgetInput{SourceID: "bulk", Mode: mode}
			first, err := h.Forget(t.Context(), user, in)
			if err != nil || first.MatchedCount != all {
				t.Fatalf("%+v, %v", first, err)
			}
			in.Confirm, disk.left = first.Confirm, kill
			out, err := h.Forget(t.Context(), user, in)
			disk.left = -1
			if err != nil && !errors.Is(err, storage.ErrUnavailable) {
				t.Fatalf("%s, killed after %d: %v", mode, kill, err)
			}
			whole := err == nil
			h.crash()
			left := len(h.everything(t))
			want := map[bool]int{true: manyRecords, false: manyRecords - all}[kill == 0]
			if left != want {
				t.Errorf("%s, killed after %d: %d are left, want %d", mode, kill, left, want)
			}
			if receipts, err := h.Receipts(t.Context(), user); kill > 0 && (err != nil || len(receipts) != 1 || receipts[0].Count != all || !receipts[0].Done) {
				t.Errorf("%s, killed after %d: receipts %+v, %v", mode, kill, receipts, err)
			}
			if mode == layers.ModeErase && kill > 0 {
				if found := holding(t, h.dir, "obblethorpe", "Of bulk"); len(found) > 0 {
					t.Errorf("killed after %d: left %v", kill, found)
				}
				if out := h.answers(layers.RecallInput{SessionID: "s1"}); len(out.Working) != 1 {
					t.Errorf("killed after %d: working memory %+v", kill, out.Working)
				}
			}
			if mode == layers.ModeSoft && kill == 2 {
				receipts, _ := h.Receipts(t.Context(), user)
				if undone, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{receipts[0].ID}, Undo: true}); err != nil || undone.Restored != all {
					t.Errorf("killed after %d: undone %d, %v", kill, undone.Restored, err)
				}
				if h.restart(); len(h.everything(t)) != manyRecords { // it is done, and is not done again
					t.Errorf("killed after %d: %d after the undo", kill, len(h.everything(t)))
				}
			}
			h.stop()
			if whole {
				if kill < 3 || out.Forgotten != all {
					t.Errorf("%s: %d operations, %+v", mode, kill, out)
				}
				break
			}
		}
	}
}

// TestForget_OfManyIsFinishedByTheNextCall: a disk that was full, and a caller who does
// not wait, leave no half.
func TestForget_OfManyIsFinishedByTheNextCall(t *testing.T) {
	filled := many(t)
	for _, mode := range []string{layers.ModeSoft, layers.ModeErase} {
		h := newHome(t, noon)
		h.opts.Location, h.bunt.Sync = time.UTC, unsynced
		disk := h.startsOn(filled)
		in := layers.ForgetInput{SourceID: "bulk", Mode: mode}
		first, err := h.Forget(t.Context(), user, in)
		if err != nil {
			t.Fatal(err)
		}
		in.Confirm, disk.left = first.Confirm, 2
		if _, err = h.Forget(t.Context(), user, in); !errors.Is(err, storage.ErrUnavailable) || !strings.Contains(err.Error(), "begun and not finished") {
			t.Fatalf("%s: %v", mode, err)
		}
		if _, err = h.Forget(t.Context(), user, in); !errors.Is(err, storage.ErrUnavailable) { // still full
			t.Fatalf("%s: %v", mode, err)
		}
		disk.left = -1
		in.Confirm = ""
		again, err := h.Forget(t.Context(), user, in)
		if err != nil || again.MatchedCount != 0 || mode == layers.ModeSoft && !strings.Contains(again.Note, "is done now, receipt ") {
			t.Errorf("%s: %+v, %v", mode, again, err)
		}
		if mode == layers.ModeErase && !again.Receipt.Verified {
			t.Errorf("erase: %+v", again)
		}
		if left := len(h.everything(t)); left != manyRecords/100 {
			t.Errorf("%s: %d are left", mode, left)
		}
		h.stop()
	}
}

// startsOn opens a copy of a store, that can be made to fail.
func (h *home) startsOn(dir string) *breaking {
	h.t.Helper()
	h.copies(dir+"/memory.db", "memory.db")
	h.bunt.Dir, h.bunt.Clock = h.dir, h.clock.Now
	store, err := bunt.Open(h.t.Context(), h.bunt)
	if err != nil {
		h.t.Fatal(err)
	}
	disk := &breaking{Store: store, left: -1}
	h.store, h.opts.Store, h.opts.Clock = store, disk, h.clock.Now
	if h.Memory, err = layers.Open(h.t.Context(), h.opts); err != nil {
		h.t.Fatal(err)
	}
	return disk
}

// everything returns the ids of all records that are not forgotten.
func (h *home) everything(t *testing.T) (ids []string) {
	t.Helper()
	err := h.store.Scan(t.Context(), func(e storage.Entry) error {
		if e.Live() {
			ids = append(ids, e.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}
