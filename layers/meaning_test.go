package layers_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/internal/text"
	"mcp-memory/layers"
	"mcp-memory/storage"
	"mcp-memory/vector/embed"
)

// thesaurus is an embedder that knows which words mean the same: a direction for
// each meaning, and one that all texts have.
type thesaurus struct {
	means map[string]string // by term; a term that is not there means itself

	mu       sync.Mutex
	fail     error // of the next calls
	short    bool  // answers with a vector too few
	deadline bool  // the last call had one
	texts    []string
}

const thesaurusDim = 384

func (e *thesaurus) Embed(ctx context.Context, kind embed.Kind, texts []string) ([][]float32, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, e.deadline = ctx.Deadline()
	if kind == embed.Passage {
		e.texts = append(e.texts, texts...)
	}
	if err := errors.Join(e.fail, ctx.Err()); err != nil {
		return nil, err
	}
	var out [][]float32
	for _, t := range texts {
		out = append(out, e.vector(t))
	}
	if e.short {
		out = out[1:]
	}
	return out, nil
}

func (e *thesaurus) vector(s string) []float32 {
	v := make([]float32, thesaurusDim)
	v[0] = 1
	for _, term := range text.Terms(s) {
		if same := e.means[term]; same != "" {
			term = same
		}
		sum := sha256.Sum256([]byte(term))
		v[1+int(binary.LittleEndian.Uint16(sum[:]))%(thesaurusDim-1)]++
	}
	length := 0.0
	for _, x := range v {
		length += float64(x * x)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(length))
	}
	return v
}

// set changes what the next calls do; one may be under way.
func (e *thesaurus) set(fail error, short bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.fail, e.short = fail, short
}

// bounded reports whether the last call had a deadline.
func (e *thesaurus) bounded() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.deadline
}

func (e *thesaurus) Model() string { return "thesaurus" }
func (e *thesaurus) Dim() int      { return thesaurusDim }

// openMeant opens a memory whose embedder knows that some words mean the same:
// pairs "word=meaning".
func openMeant(t testing.TB, pairs ...string) (*home, *thesaurus) {
	t.Helper()
	e := &thesaurus{means: map[string]string{}}
	for _, p := range pairs {
		word, meaning, _ := strings.Cut(p, "=")
		e.means[text.Terms(word)[0]] = text.Terms(meaning)[0]
	}
	h := open(t)
	h.opts.Embedder = e
	h.restart()
	return h, e
}

// embedded waits until all vectors are made.
func (h *home) embedded() { h.settled() }

func TestRecall_FindsWhatSharesNoWordAndNoNonsense(t *testing.T) {
	h, _ := openMeant(t, "vehicle=car", "damaged=broke")
	car := h.say(layers.Memorandum{Text: "Our car broke yesterday."}).ID
	h.say(layers.Memorandum{Text: "The choir sings Bach."})
	h.say(layers.Memorandum{Text: "Ferns grow behind the shed."})
	query := layers.RecallInput{Query: "Is the vehicle damaged?", Explain: true}
	h.embedded()
	want(t, "with vectors", h.ask(query), car)
	want(t, "nonsense", h.ask(layers.RecallInput{Query: "Which enzyme cleaves lactose?"}))
	m := h.recalled(query).Matches[0]
	if m.Signals["vector"] <= 0 || m.Signals["keyword"] != 0 || m.Score <= 0 || m.Score > 1 {
		t.Errorf("score %v, signals %v: want a vector's alone", m.Score, m.Signals)
	}
}

func TestRecall_SameAnswersAfterARestart(t *testing.T) {
	h, _ := openMeant(t, "vehicle=car")
	for i := range 60 {
		h.say(layers.Memorandum{Text: fmt.Sprintf("Car %d stands beside house %d.", i, i%7)})
		h.pass(time.Second)
	}
	h.embedded()
	in := layers.RecallInput{Query: "vehicle house 5", Limit: ptr(60), MinScore: ptr(0.0)}
	before := h.recalled(in).Matches
	h.restart()
	h.embedded()
	after := h.recalled(in).Matches
	if len(before) < 50 || len(after) != len(before) {
		t.Fatalf("%d matches before, %d after", len(before), len(after))
	}
	for i := range before {
		if before[i].ID != after[i].ID || before[i].Score != after[i].Score || before[i].Raw != after[i].Raw {
			t.Fatalf("place %d: %s %v before, %s %v after", i, before[i].ID, before[i].Score, after[i].ID, after[i].Score)
		}
	}
}

func TestRecall_AnOlderVersionLeadsByMeaningToWhatReplacedIt(t *testing.T) {
	h, _ := openMeant(t, "abode=cottage")
	old := h.say(layers.Memorandum{Text: "Home is a cottage in Wales.", Entity: "user", Attribute: "home", Value: "Wales"}).ID
	h.pass(time.Hour)
	now := h.say(layers.Memorandum{Text: "Home is Utrecht.", Entity: "user", Attribute: "home", Value: "Utrecht"}).ID
	h.say(layers.Memorandum{Text: "The choir sings Bach."})
	h.embedded()
	want(t, "now", h.ask(layers.RecallInput{Query: "the abode", MinScore: ptr(0.1)}), now)
	want(t, "with history", h.ask(layers.RecallInput{Query: "the abode", IncludeSuperseded: true, Limit: ptr(1)}), old)
}

// Records that may not answer lie nearer to the question than the one that may.
func TestRecall_NothingElseCostsACandidateItsPlace(t *testing.T) {
	const crowd = 120 // more than the places there are
	near := func(i int) layers.Memorandum {
		return layers.Memorandum{Text: fmt.Sprintf("vehicle %s", strings.Repeat("I", i+1))}
	}
	for name, tt := range map[string]struct {
		crowd func(h *home)
		in    layers.RecallInput
	}{
		"forgotten": {crowd: func(h *home) {
			for i := range crowd {
				h.forget(false, h.say(near(i)).ID)
			}
		}},
		"forgotten after they had vectors": {crowd: func(h *home) {
			var ids []string
			for i := range crowd {
				ids = append(ids, h.say(near(i)).ID)
			}
			h.embedded()
			h.forget(false, ids[:crowd/2]...)
			h.forget(false, ids[crowd/2:]...)
		}},
		"filtered": {crowd: func(h *home) {
			for i := range crowd {
				h.say(near(i))
			}
		}, in: layers.RecallInput{Tags: []string{"mine"}}},
		"of another project": {crowd: func(h *home) {
			for i := range crowd {
				m := near(i)
				m.Project = ptr("other")
				h.say(m)
			}
		}, in: layers.RecallInput{Project: ptr("personal")}},
		"of another user": {crowd: func(h *home) {
			for i := range crowd {
				if _, err := h.Remember(t.Context(), "stranger", layers.RememberInput{Memories: []layers.Memorandum{near(i)}}); err != nil {
					t.Fatal(err)
				}
			}
		}},
		"versions of one slot": {crowd: func(h *home) {
			for i := range crowd {
				m := near(i)
				m.Entity, m.Attribute, m.Value = "user", "ride", fmt.Sprint("model ", i)
				h.say(m)
				h.pass(time.Second)
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h, _ := openMeant(t, "vehicle=car", "conveyance=car")
			mine := h.say(layers.Memorandum{Text: "Old car, red paint, four doors.", Tags: []string{"mine"}}).ID
			tt.crowd(h)
			h.embedded()
			tt.in.Query, tt.in.MinScore = "conveyance", ptr(0.0)
			if got := h.ask(tt.in); !slices.Contains(got, mine) {
				t.Errorf("%v lacks %s", got, mine)
			}
		})
	}
}

func TestRecall_WordsAnswerWhereTheEmbedderDoesNot(t *testing.T) {
	h, e := openMeant(t)
	id := h.say(layers.Memorandum{Text: "The gate is green."}).ID
	h.embedded()
	for name, tt := range map[string]struct {
		fail error
		note string
	}{
		"down":    {fmt.Errorf("dial: %w", embed.ErrUnavailable), "the embedder failed: words alone were searched"},
		"refused": {embed.ErrRefused, "the embedder failed: words alone were searched"},
		"late":    {fmt.Errorf("wait: %w", context.DeadlineExceeded), "did not answer within 2s: words alone were searched"},
	} {
		e.set(tt.fail, false)
		out := h.recalled(layers.RecallInput{Query: "gate"})
		if len(out.Matches) != 1 || out.Matches[0].ID != id || !strings.Contains(out.Note, tt.note) {
			t.Errorf("%s: %d matches, note %q", name, len(out.Matches), out.Note)
		}
		if !e.bounded() {
			t.Errorf("%s: the embedder was given no deadline", name)
		}
	}
	e.set(nil, true)
	if out := h.recalled(layers.RecallInput{Query: "gate"}); len(out.Matches) != 1 || !strings.Contains(out.Note, "words alone") {
		t.Errorf("no vector came: %d matches, note %q", len(out.Matches), out.Note)
	}
	e.set(nil, false)
	if out := h.recalled(layers.RecallInput{Query: "gate"}); len(out.Matches) != 1 || strings.Contains(out.Note, "words alone") {
		t.Errorf("up again: %d matches, note %q", len(out.Matches), out.Note)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Recall(ctx, user, layers.RecallInput{Query: "gate"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a caller who left: %v, want %v", err, context.Canceled)
	}
}

func TestRecall_UndoneForgettingIsFoundByMeaningAgain(t *testing.T) {
	h, _ := openMeant(t, "vehicle=car")
	car := h.say(layers.Memorandum{Text: "Our car broke."}).ID
	h.say(layers.Memorandum{Text: "The choir sings Bach."})
	h.embedded()
	h.forget(false, car)
	h.embedded()
	if s := h.stats(); s.Embedded != 1 {
		t.Errorf("%d vectors beside a forgotten one, want 1", s.Embedded)
	}
	want(t, "forgotten", h.ask(layers.RecallInput{Query: "the vehicle", MinScore: ptr(0.2)}))
	h.forget(true, car)
	h.embedded()
	if s := h.stats(); s.Embedded != 2 {
		t.Errorf("%d vectors after undo, want 2", s.Embedded)
	}
	want(t, "undone", h.ask(layers.RecallInput{Query: "the vehicle"}), car)
}

func TestRecall_ExplainsWhatTheTurnsBesideLend(t *testing.T) {
	h, _ := openMeant(t, "vehicle=car")
	turn := func(speaker, text string) string {
		return h.say(layers.Memorandum{Text: text, Tier: storage.Episodic, Speaker: speaker, SessionID: "s"}).ID
	}
	asked := turn("Mira", "Which car was it that you drove?")
	answered := turn("Joss", "Blue, four doors, from Sweden.")
	h.embedded()
	signals := map[string]map[string]float64{}
	for _, m := range h.recalled(layers.RecallInput{Query: "the vehicle", Explain: true, MinScore: ptr(0.0)}).Matches {
		signals[m.ID] = m.Signals
	}
	if s := signals[answered]; s["vector"] <= 0 || s["window"] < s["vector"]/2 || s["window"] > s["vector"] {
		t.Errorf("the answer: %v, want most of its vector lent", s)
	}
	if s := signals[asked]; s["vector"] <= 0 || s["window"] > s["vector"]/10 {
		t.Errorf("the question: %v, want next to none of its vector lent", s)
	}
	for _, m := range h.recalled(layers.RecallInput{Query: "car", Explain: true, MinScore: ptr(0.0)}).Matches {
		if m.ID == answered && (m.Signals["keyword"] <= 0 || m.Signals["window"] < m.Signals["keyword"]) {
			t.Errorf("the answer by words: %v, want all of keyword lent", m.Signals)
		}
	}
}

func TestRecall_WhileVectorsAreMadeAndTaken(t *testing.T) {
	h, _ := openMeant(t, "vehicle=car")
	for i := range 40 {
		h.say(layers.Memorandum{Text: fmt.Sprintf("Car %d.", i)})
	}
	var work sync.WaitGroup
	for range 2 {
		work.Go(func() {
			for range 20 {
				in := layers.RecallInput{Query: "vehicle", AsOf: "2026-11-30T11:00:00Z"}
				if _, err := h.Recall(t.Context(), user, in); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Go(func() {
		if err := h.Settle(t.Context()); err != nil {
			t.Error(err)
		}
	})
	work.Go(func() {
		for i := range 20 {
			out, err := h.Remember(t.Context(), user, layers.RememberInput{Memories: []layers.Memorandum{{Text: fmt.Sprintf("New car %d.", i)}}})
			if err == nil {
				_, err = h.Forget(t.Context(), user, layers.ForgetInput{IDs: []string{out.Memories[0].ID}})
			}
			if err != nil {
				t.Error(err)
			}
		}
	})
	work.Wait()
	h.embedded()
	if got := h.ask(layers.RecallInput{Query: "vehicle", Limit: ptr(100), MinScore: ptr(0.0)}); len(got) != 40 {
		t.Errorf("%d found, want the 40 that are left", len(got))
	}
}
