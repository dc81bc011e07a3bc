package builtin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"mcp-memory/vector/embed"
	"mcp-memory/vector/embed/builtin/kernel"
)

// openOnce opens the embedded model once for all tests.
var openOnce = sync.OnceValues(func() (*model, error) { return open(embeddedBytes(), false) })

func testModel(t *testing.T) *model {
	t.Helper()
	m, err := openOnce()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func testEmbedder(t *testing.T) *Embedder {
	t.Helper()
	return newEmbedder(testModel(t), kernel.Best(), 1)
}

// shallow is the model with two layers and windows of 16 tokens: quick, and long
// texts are short ones.
func shallow(t *testing.T) *model {
	t.Helper()
	m := *testModel(t)
	m.layers = m.layers[:2]
	m.positions = 18
	return &m
}

func embedOne(t *testing.T, e *Embedder, kind embed.Kind, text string) []float32 {
	t.Helper()
	vectors, err := e.Embed(t.Context(), kind, []string{text})
	if err != nil {
		t.Fatalf("embed %.40q: %v", text, err)
	}
	if len(vectors) != 1 {
		t.Fatalf("embed %.40q: %d vectors, want 1", text, len(vectors))
	}
	return vectors[0]
}

// mixture is texts of many lengths, some of several windows of a shallow model.
func mixture() []string {
	words := strings.Fields("tea coffee 茶 咖啡 Straße été Москва قهوة हिन्दी a the of mountains bicycle 東京 서울")
	texts := []string{"", " ", "x"}
	for n := range 20 {
		var text []string
		for i := range n {
			text = append(text, words[(i*7+n*3)%len(words)])
		}
		texts = append(texts, strings.Join(text, " "))
	}
	return texts
}

// In one call or alone, with the cores of one or of four, a text gets the same
// vector to the last bit: nothing in a pass mixes windows, and windows are joined
// in their order.
func TestEmbed_BatchEqualsOneByOne(t *testing.T) {
	texts := mixture()
	for _, set := range kernel.All() {
		if raceEnabled && set.Name == "go" && kernel.Best().Name != "go" {
			continue // instrumented, it takes a minute
		}
		for _, kind := range []embed.Kind{embed.Query, embed.Passage} {
			e := newEmbedder(shallow(t), set, 4)
			batch, err := e.Embed(t.Context(), kind, texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				if !slices.Equal(batch[i], embedOne(t, e, kind, text)) {
					t.Errorf("%s, %s %d (%.30q): the vector differs from that in a batch", set.Name, kind, i, text)
				}
			}
		}
	}
}

func TestEmbed_ScratchLeavesNoTrace(t *testing.T) {
	e := newEmbedder(shallow(t), kernel.Best(), 1)
	before := embedOne(t, e, embed.Passage, "short")
	embedOne(t, e, embed.Passage, strings.Repeat("something much longer ", 30))
	if after := embedOne(t, e, embed.Passage, "short"); !slices.Equal(before, after) {
		t.Error("a longer text in between changed a vector")
	}
}

func TestEmbed_KindsDiffer(t *testing.T) {
	e := newEmbedder(shallow(t), kernel.Best(), 1)
	if slices.Equal(embedOne(t, e, embed.Query, "tea"), embedOne(t, e, embed.Passage, "tea")) {
		t.Error("a text has the same vector as query and as passage: no prefix?")
	}
}

// A long text's vector is made of its windows, each of which is what the model
// gives for those tokens alone.
func TestEmbed_LongTextIsJoinedFromItsWindows(t *testing.T) {
	e := newEmbedder(shallow(t), kernel.Best(), 1)
	text := strings.Repeat("one two three four five six seven ", 7)
	ids, err := e.encode(t.Context(), embed.Passage, text)
	if err != nil {
		t.Fatal(err)
	}
	var windows []window
	for part := range slices.Chunk(ids, 16) {
		w := []window{{ids: part}}
		if err := e.run(t.Context(), embed.Passage, w); err != nil {
			t.Fatal(err)
		}
		windows = append(windows, w...)
	}
	if len(windows) < 3 {
		t.Fatalf("%d tokens make %d windows, want 3 or more", len(ids), len(windows))
	}
	want, _ := join(windows)
	if got := embedOne(t, e, embed.Passage, text); !slices.Equal(got, want) {
		t.Errorf("cosine with the windows' mean is %f, want the same vector", dot(got, want))
	}
}

// Stretches of a very long text give the tokens of the whole.
func TestEncode_StretchesGiveTheTokensOfTheWhole(t *testing.T) {
	e := testEmbedder(t)
	for name, words := range map[string]string{
		"words":       "Some people say that, while others disagree. ",
		"many spaces": "two  spaces,\t tab and\n newline   here ",
		"han":         "外婆的老房子在河边， 门前有两棵桂花树。 ",
	} {
		text := strings.Repeat(words, stretchBytes/len(words)+20)
		got, err := e.encode(t.Context(), embed.Passage, text)
		if err != nil {
			t.Fatal(err)
		}
		if want := e.model.tokens.encode(prefix(embed.Passage) + text); !slices.Equal(got, want) {
			t.Errorf("%s: %d tokens, the whole has %d", name, len(got), len(want))
		}
	}
}

func TestEmbed_ConcurrentUse(t *testing.T) {
	e := newEmbedder(shallow(t), kernel.Best(), 2)
	texts := mixture()[:12]
	want, err := e.Embed(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	query := embedOne(t, e, embed.Query, "who drinks tea?")
	var callers sync.WaitGroup
	for range 4 {
		callers.Go(func() {
			got, err := e.Embed(t.Context(), embed.Passage, texts)
			if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
				t.Errorf("a batch beside others differs, error %v", err)
			}
		})
		callers.Go(func() {
			got, err := e.Embed(t.Context(), embed.Query, []string{"who drinks tea?"})
			if err != nil || !slices.Equal(got[0], query) {
				t.Errorf("a query beside others differs, error %v", err)
			}
		})
	}
	callers.Wait()
}

// countdown is a context that is cancelled when it has been asked so often: a
// clock that counts the places where work looks at it.
type countdown struct {
	context.Context
	left atomic.Int64
}

func newCountdown(ctx context.Context, checks int64) *countdown {
	c := &countdown{Context: ctx}
	c.left.Store(checks)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestEmbed_LooksAtContextBeforeEveryLayerAndText(t *testing.T) {
	m := shallow(t)
	e := newEmbedder(m, kernel.Best(), 1)
	texts := []string{"short", strings.Repeat("long text of many windows ", 20)}
	const enough = 1 << 20
	ctx := newCountdown(t.Context(), enough)
	if _, err := e.Embed(ctx, embed.Passage, texts); err != nil {
		t.Fatal(err)
	}
	windows, err := e.windows(t.Context(), embed.Passage, texts)
	if err != nil {
		t.Fatal(err)
	}
	checks := enough - ctx.left.Load()
	if want := int64(len(texts) + len(pack(windows, 1))*len(m.layers)); checks != want {
		t.Errorf("looked %d times, want %d: for each text and each layer of each pass", checks, want)
	}
	for after := range checks {
		vectors, err := e.Embed(newCountdown(t.Context(), after), embed.Passage, texts)
		if !errors.Is(err, context.Canceled) || vectors != nil {
			t.Errorf("cancelled after look %d: %d vectors, error %v", after, len(vectors), err)
		}
	}
}

func TestEmbed_RefusesVectorsThatAreNotFinite(t *testing.T) {
	m := shallow(t)
	m.layers = slices.Clone(m.layers)
	m.layers[1].outputNorm.weight = make([]float32, m.hidden)
	m.layers[1].outputNorm.bias = make([]float32, m.hidden)
	e := newEmbedder(m, kernel.Best(), 1)
	if _, err := e.Embed(t.Context(), embed.Query, []string{"tea"}); !errors.Is(err, embed.ErrRefused) {
		t.Errorf("a model whose output is zero: error %v, want ErrRefused", err)
	}
}
