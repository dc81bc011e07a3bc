package layers_test

import (
	"errors"
	"flag"
	"os"
	"slices"
	"testing"
	"time"

	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/storage/bunt"
	"mcp-memory/storage/storagetest"
)

// home is a memory over a real store in a temporary directory, with a clock
// that the test moves.
type home struct {
	*layers.Memory
	t     testing.TB
	dir   string
	store storage.Store
	clock *storagetest.Clock
	opts  layers.Options
	bunt  bunt.Options
}

// user is whom the tests act for.
const user = "default"

// noon is when most tests begin.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// newHome is a memory that is not open yet.
func newHome(t testing.TB, now time.Time) *home {
	return &home{t: t, dir: t.TempDir(), clock: storagetest.ClockAt(now)}
}

func open(t testing.TB) *home {
	t.Helper()
	h := newHome(t, noon)
	h.opts = layers.Options{Location: time.UTC, Serving: true}
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *home) start() {
	h.t.Helper()
	h.bunt.Dir, h.bunt.Clock = h.dir, h.clock.Now
	store, err := bunt.Open(h.t.Context(), h.bunt)
	if err != nil {
		h.t.Fatalf("open the store: %v", err)
	}
	h.store, h.opts.Store, h.opts.Clock = store, store, h.clock.Now
	if h.Memory, err = layers.Open(h.t.Context(), h.opts); err != nil {
		h.t.Fatalf("open the memory: %v", err)
	}
}

func (h *home) stop() {
	if err := errors.Join(h.Memory.Close(), h.store.Close()); err != nil {
		h.t.Errorf("close: %v", err)
	}
}

func (h *home) restart() {
	h.t.Helper()
	h.stop()
	h.start()
}

// crash goes on with a copy of the files as a process leaves them that is killed.
func (h *home) crash() {
	h.t.Helper()
	dir := h.t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(h.dir)); err != nil {
		h.t.Fatal(err)
	}
	h.stop()
	h.dir = dir
	h.start()
}

// pass moves the clock on.
func (h *home) pass(d time.Duration) { h.clock.Pass(d) }

// say remembers one memory and returns its answer.
func (h *home) say(in layers.Memorandum, onConflict ...string) layers.Remembered {
	h.t.Helper()
	call := layers.RememberInput{Memories: []layers.Memorandum{in}}
	if len(onConflict) > 0 {
		call.OnConflict = onConflict[0]
	}
	out, err := h.Remember(h.t.Context(), user, call)
	if err != nil {
		h.t.Fatalf("remember %q: %v", in.Text, err)
	}
	return out.Memories[0]
}

// slotted is a statement about the user's attribute, said at a time ("" is now).
func slotted(attribute, value, observed string) layers.Memorandum {
	return layers.Memorandum{
		Text: "The user's " + attribute + " is " + value + ".", Entity: "user", Attribute: attribute, Value: value, ObservedAt: observed,
	}
}

// ask recalls and returns the ids of the matches in their order.
func (h *home) ask(in layers.RecallInput) []string {
	h.t.Helper()
	out, err := h.Recall(h.t.Context(), user, in)
	if err != nil {
		h.t.Fatalf("recall %+v: %v", in, err)
	}
	ids := []string{}
	for _, m := range out.Matches {
		ids = append(ids, m.ID)
	}
	return ids
}

// slot recalls what is shown of the user's attribute.
func (h *home) slot(attribute string) []string {
	h.t.Helper()
	return h.ask(layers.RecallInput{Entity: "user", Attribute: attribute})
}

// forget forgets or undoes by ids.
func (h *home) forget(undo bool, ids ...string) layers.ForgetOutput {
	h.t.Helper()
	out, err := h.Forget(h.t.Context(), user, layers.ForgetInput{IDs: ids, Undo: undo})
	if err != nil {
		h.t.Fatalf("forget %v (undo %v): %v", ids, undo, err)
	}
	return out
}

// want fails the test where two sets of ids differ.
func want(t testing.TB, what string, got []string, ids ...string) {
	t.Helper()
	g, w := slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(ids))
	if !slices.Equal(g, w) {
		t.Fatalf("%s: got %v, want %v", what, g, w)
	}
}

// TestMain keeps the model test short where nobody asked for a number of seeds.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f != nil && f.Value.String() == f.DefValue {
		if err := f.Value.Set("15"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
