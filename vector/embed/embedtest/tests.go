package embedtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mcp-memory/vector/embed"
)

// checkForm returns what is wrong with the number, the length or the norm of the
// vectors of n texts.
func checkForm(e embed.Embedder, n int, vectors [][]float32) string {
	if len(vectors) != n {
		return fmt.Sprintf("%d vectors for %d texts", len(vectors), n)
	}
	for i, vector := range vectors {
		if len(vector) == 0 || len(vector) != e.Dim() {
			return fmt.Sprintf("vector %d of %d has length %d, Dim says %d", i, n, len(vector), e.Dim())
		}
		var squares float64
		for _, x := range vector {
			squares += float64(x) * float64(x)
		}
		if length := math.Sqrt(squares); !(math.Abs(1-length) <= unitTolerance) { // NaN is none
			return fmt.Sprintf("vector %d of %d has norm %v, want 1", i, n, length)
		}
	}
	return ""
}

func testNothing(t *testing.T, b *bench) {
	for _, texts := range [][]string{nil, {}} {
		vectors, err := b.embedder.Embed(t.Context(), embed.Passage, texts)
		if err != nil || len(vectors) != 0 {
			t.Errorf("no text: %d vectors and error %v, want neither", len(vectors), err)
		}
	}
}

// batch is more than embed/endpoint sends in a request.
const batch = 70

// numbered returns texts that differ in a word.
func numbered(n int) []string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf("Room %d is painted in colour %d.", i, i*i)
	}
	return texts
}

func testOrder(_ *testing.T, b *bench) {
	texts := numbered(batch)
	forward := b.embed(embed.Passage, texts...)
	slices.Reverse(texts)
	backward := b.embed(embed.Passage, texts...)
	slices.Reverse(backward)
	for i := range forward {
		b.same(fmt.Sprintf("text %d of %d, and from the other end", i, batch), backward[i], forward[i])
	}
	for _, i := range []int{0, batch / 2, batch - 1} {
		b.same(fmt.Sprintf("text %d of %d, and alone", i, batch), forward[i], b.one(embed.Passage, texts[batch-1-i]))
	}
}

func testSame(t *testing.T, b *bench) {
	const text = "I have had a cat named Miso since 2019."
	vectors := b.embed(embed.Passage, text, "Something else stands between.", text)
	b.same("a text twice in one call", vectors[2], vectors[0])
	b.same("a text in two calls", b.one(embed.Passage, text), vectors[0])
	if cos := cosine(vectors[0], vectors[1]); 1-cos < sameTolerance {
		t.Errorf("two texts get one vector: cosine %.6f", cos)
	}
}

func (s Suite) testKinds(t *testing.T, b *bench) {
	const text = "where do I keep the spare keys"
	passage, query := b.one(embed.Passage, text), b.one(embed.Query, text)
	if s.OneKind {
		b.same("a query and a passage of a model of one kind", query, passage)
		return
	}
	if cos := cosine(passage, query); 1-cos < sameTolerance {
		t.Errorf("a query and a passage get one vector: cosine %.6f", cos)
	}
}

// longText is a length in bytes that small models take only in windows, and
// embed/endpoint not at all.
const longText = 9000

func testAnyText(t *testing.T, b *bench) {
	for name, text := range map[string]string{
		"empty":               "",
		"a space":             " ",
		"lines":               "\r\n\t\n",
		"a NUL":               "\x00",
		"a NUL within":        "before\x00after",
		"control characters":  "\x01\x02\x1b[31m\x7f",
		"not UTF-8":           "\xff\xfe\xfa",
		"cut within a letter": "caf\xc3",
		"long, not UTF-8":     strings.Repeat("\x80", longText),
		"a surrogate":         "\xed\xa0\x80",
		"no letter":           "🙂 🙃 ☂",
		"Chinese":             "我喜欢喝茶",
		"right to left":       "אני אוהב תה",
		"marks only":          "\u0301\u0301\u0301",
		"JSON":                `{"input": ["\ud800"], "x": "</s><s>"}`,
		"long":                strings.Repeat("We walked along the river and talked. ", longText/38),
		"long, no space":      strings.Repeat("茶", longText/3),
	} {
		t.Run(name, func(t *testing.T) {
			b := &bench{t, b.embedder}
			first := b.one(embed.Passage, text)
			if len(text) < longText-100 { // a long one costs a second and more
				b.same("the text twice", b.one(embed.Passage, text), first)
				b.one(embed.Query, text)
			}
		})
	}
	t.Run("all at once", func(t *testing.T) {
		(&bench{t, b.embedder}).embed(embed.Passage, "", "\xff", "\x00", "tea", "")
	})
}

func testCallers(t *testing.T, b *bench) {
	texts := []string{"The bike is blue.", "The car is red."}
	first := b.embed(embed.Passage, texts...)
	want := [][]float32{slices.Clone(first[0]), slices.Clone(first[1])}
	_ = append(first[0], 42)
	b.same("a vector after an append to the one before", first[1], want[1])
	for _, vector := range first {
		clear(vector)
	}
	for i, vector := range b.embed(embed.Passage, texts...) {
		b.same("a vector after an earlier one was changed", vector, want[i])
	}
	for i, text := range texts {
		b.same("a vector alone after an earlier one was changed", b.one(embed.Passage, text), want[i])
	}
	if texts[0] != "The bike is blue." || texts[1] != "The car is red." {
		t.Errorf("the caller's texts were changed: %q", texts)
	}
}

func testModel(t *testing.T, b *bench) {
	before := b.embedder.Model()
	if before == "" || strings.ContainsAny(before, "\x00\r\n") {
		t.Errorf("Model is %q, want one line", before)
	}
	b.one(embed.Passage, "tea")
	dim := b.embedder.Dim()
	b.one(embed.Query, "a longer question about tea?")
	if after := b.embedder.Model(); after != before {
		t.Errorf("Model was %q and is %q", before, after)
	}
	if after := b.embedder.Dim(); after != dim {
		t.Errorf("Dim was %d and is %d", dim, after)
	}
}

func testConcurrent(t *testing.T, b *bench) {
	const callers, calls = 8, 3
	texts := numbered(callers)
	want := b.embed(embed.Passage, texts...)
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			for range calls {
				// A text of its own, and one that all ask for.
				got, err := b.embedder.Embed(t.Context(), embed.Passage, []string{texts[i], texts[0]})
				if err != nil {
					t.Errorf("caller %d: %v", i, err)
					return
				}
				b.same("a text that others ask for at the same time", got[1], want[0])
				b.same("a text of one of many callers", got[0], want[i])
				clear(got[0])
				clear(got[1])
			}
		})
	}
	wait.Wait()
}

func testCancelled(t *testing.T, b *bench) {
	vectors, err := b.embedder.Embed(b.cancelled(), embed.Passage, []string{"tea"})
	if !errors.Is(err, context.Canceled) || vectors != nil {
		t.Errorf("%d vectors and error %v, want none and context.Canceled", len(vectors), err)
	}
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := b.embedder.Embed(late, embed.Query, []string{"tea"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want context.DeadlineExceeded", err)
	}
	b.one(embed.Passage, "tea") // and it goes on
}

// testCancelledWithin ends the context while the embedder works, if it is not
// faster: the call comes back with all vectors, or with none and the context's
// error.
func testCancelledWithin(t *testing.T, b *bench) {
	texts := numbered(batch / 2)
	for _, limit := range []time.Duration{time.Millisecond, 10 * time.Millisecond} {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		vectors, err := b.embedder.Embed(ctx, embed.Passage, texts)
		cancel()
		if err != nil {
			if !errors.Is(err, context.DeadlineExceeded) || vectors != nil {
				t.Errorf("%d vectors and error %v, want none and context.DeadlineExceeded", len(vectors), err)
			}
		} else if wrong := checkForm(b.embedder, len(texts), vectors); wrong != "" {
			t.Error(wrong)
		}
	}
}

// testMeaning: a passage that answers a query in other words is nearer to it than
// one about something else, even where that shares a word.
func testMeaning(t *testing.T, b *bench) {
	for _, c := range []struct{ query, same, other string }{
		{"Where does she work?", "Her employer is a bank in Zurich.", "She walks her dog in the park."},
		{"What do I like to drink in the morning?", "I start every day with a cup of green tea.", "My bike has a flat tyre."},
		{"Is he allergic to anything?", "Peanuts make him ill.", "He sells used cars."},
		{"How do I deploy the service?", "Push a tag and the pipeline releases it to production.", "The service at that restaurant was slow."},
	} {
		query := b.one(embed.Query, c.query)
		passages := b.embed(embed.Passage, c.same, c.other)
		if near, far := cosine(query, passages[0]), cosine(query, passages[1]); near <= far {
			t.Errorf("%q: cosine to %q %.3f, to %q %.3f", c.query, c.same, near, c.other, far)
		}
	}
}
