package layers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/vector/file"
)

// meanwhile is what is kept of vectors in a directory; something happens once, before
// it is looked through.
type meanwhile struct {
	file.Dir
	once sync.Once
	then func()
}

func (w *meanwhile) Find(ctx context.Context, gone func(id string) bool, docs map[string][]uint32) ([]string, error) {
	w.once.Do(w.then)
	return w.Dir.Find(ctx, gone, docs)
}

// TestErase_AnotherDecidedMeanwhileIsNoTraceOfIt: a vector that waits for the next
// rewrite is the next erase's.
func TestErase_AnotherDecidedMeanwhileIsNoTraceOfIt(t *testing.T) {
	h := embedding(t, newHashed())
	first := h.say(layers.Memorandum{Text: "The loom is warped with linen."}).ID
	second := h.say(layers.Memorandum{Text: "The dye bath is indigo."}).ID
	h.settled()
	var wait sync.WaitGroup
	erase := func(id string) {
		out, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{id}, Mode: layers.ModeErase})
		if err != nil || !out.Receipt.Verified {
			t.Errorf("%+v, %v", out, err)
		}
	}
	of := h.opts.Vectors.(*file.File)
	if err := h.Memory.Close(); err != nil {
		t.Fatal(err)
	}
	h.opts.Files = &meanwhile{Dir: file.Dir{Path: h.dir, Files: []*file.File{of}}, then: func() {
		wait.Go(func() { erase(second) })
		for {
			out, err := h.Recall(t.Context(), user, layers.RecallInput{IDs: []string{second}})
			if err != nil || len(out.Matches) == 0 {
				return // the second is decided, and waits for its rewrite
			}
		}
	}}
	var err error
	if h.Memory, err = layers.Open(t.Context(), h.opts); err != nil {
		t.Fatal(err)
	}
	h.settled()
	erase(first)
	wait.Wait()
}

// TestErase_TheSameCallFinishesWhatFailed: after a full disk the same call carries
// the erase out, whatever selected it, and says how that went.
func TestErase_TheSameCallFinishesWhatFailed(t *testing.T) {
	for name, sel := range map[string]func(id string) layers.ForgetInput{
		"ids":     func(id string) layers.ForgetInput { return layers.ForgetInput{IDs: []string{id}} },
		"all":     func(string) layers.ForgetInput { return layers.ForgetInput{All: true} },
		"tags":    func(string) layers.ForgetInput { return layers.ForgetInput{Tags: []string{"vault"}} },
		"source":  func(string) layers.ForgetInput { return layers.ForgetInput{SourceID: "mail-7"} },
		"query":   func(string) layers.ForgetInput { return layers.ForgetInput{Query: "vault fizzlewick"} },
		"slot":    func(string) layers.ForgetInput { return layers.ForgetInput{Entity: "vault", Attribute: "password"} },
		"entity":  func(string) layers.ForgetInput { return layers.ForgetInput{Entity: "vault"} },
		"project": func(string) layers.ForgetInput { return layers.ForgetInput{Project: ptr("mill")} },
		"before":  func(string) layers.ForgetInput { return layers.ForgetInput{Before: "2020-01-01"} },
	} {
		h := openUnsynced(t)
		full := false
		h.stop()
		h.bunt.Sync = func(f *os.File) error {
			if full && filepath.Base(f.Name()) == "memory.db.next" {
				return syscall.ENOSPC
			}
			return nil
		}
		h.start()
		in := sel(h.say(layers.Memorandum{Text: "The vault opens with fizzlewick.", Entity: "vault", Attribute: "password", Value: "fizzlewick",
			Tags: []string{"vault"}, SourceID: "mail-7", Project: ptr("mill"), ObservedAt: "2019-05-05"}).ID)
		in.Mode = layers.ModeErase
		if name != "ids" && name != "slot" {
			shown, err := h.Forget(t.Context(), user, in)
			if err != nil || shown.Confirm == "" {
				t.Fatalf("%s: %+v, %v", name, shown, err)
			}
			in.Confirm = shown.Confirm
		}
		full = true
		var open *layers.UnfinishedError
		for range 2 {
			_, err := h.Forget(t.Context(), user, in)
			if !errors.As(err, &open) || !errors.Is(err, storage.ErrUnavailable) {
				t.Fatalf("%s: on a full disk: %v", name, err)
			}
			in.Confirm = ""
		}
		full = false
		out, err := h.Forget(t.Context(), user, in)
		if err != nil || out.Forgotten != 0 || out.Receipt.ID != open.Receipt || !out.Receipt.Verified {
			t.Fatalf("%s: with room again: %+v, %v", name, out, err)
		}
		if left := holding(t, h.dir, "fizzlewick"); len(left) > 0 {
			t.Errorf("%s: left: %v", name, left)
		}
		if out, err := h.Forget(t.Context(), user, in); err != nil || out.Receipt.ID != "" || out.Forgotten != 0 {
			t.Errorf("%s: once more: %+v, %v", name, out, err)
		}
		h.stop()
	}
}

// TestErase_SeveralShareARewrite: those that are decided while one is carried out are
// carried out together, with one rewrite more.
func TestErase_SeveralShareARewrite(t *testing.T) {
	h := openUnsynced(t)
	var ids []string
	for i := range 24 {
		ids = append(ids, h.say(layers.Memorandum{Text: "Note " + sentinel(i) + "."}).ID)
	}
	var rewrites atomic.Int32
	var wait sync.WaitGroup
	erase := func(id string) {
		out, err := h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{id}, Mode: layers.ModeErase})
		if err != nil || !out.Receipt.Verified {
			t.Errorf("%+v, %v", out, err)
		}
	}
	h.stop()
	h.bunt.Sync = func(f *os.File) error {
		if info, err := f.Stat(); err == nil && info.IsDir() {
			rewrites.Add(1)
		}
		return nil
	}
	h.opts.Files = &meanwhile{Dir: file.Dir{Path: h.dir}, then: func() {
		for _, id := range ids[1:] {
			wait.Go(func() { erase(id) })
		}
		for { // until all are decided
			out, err := h.Recall(t.Context(), user, layers.RecallInput{IDs: ids})
			if err != nil || len(out.Matches) == 0 {
				return
			}
		}
	}}
	h.start()
	rewrites.Store(0)
	erase(ids[0])
	wait.Wait()
	if n := rewrites.Load(); n != 2 {
		t.Errorf("%d rewrites for %d erases, 23 of them at once; want 2", n, len(ids))
	}
	for i := range ids {
		if left := holding(t, h.dir, sentinel(i)); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
}

func TestErase_TokenOfASoftForgetErasesNothing(t *testing.T) {
	h := openUnsynced(t)
	a := h.say(layers.Memorandum{Text: "The kiln is hot.", Tags: []string{"kiln"}})
	shown, err := h.Forget(t.Context(), user, layers.ForgetInput{Tags: []string{"kiln"}})
	if err != nil || shown.Confirm == "" {
		t.Fatalf("%+v, %v", shown, err)
	}
	if _, err := h.Forget(t.Context(), user, layers.ForgetInput{Tags: []string{"kiln"}, Confirm: shown.Confirm, Mode: layers.ModeErase}); err == nil {
		t.Error("it erased")
	}
	want(t, "still there", h.ask(layers.RecallInput{}), a.ID)
}
