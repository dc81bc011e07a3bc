package builtin

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"mcp-memory/vector/embed"
)

// prefix is the word that the model was trained to find before a text of a kind.
func prefix(kind embed.Kind) string { return kind.String() + ": " }

// windows cuts the tokens of texts into windows, at least one for each text.
func (e *Embedder) windows(ctx context.Context, kind embed.Kind, texts []string) ([]window, error) {
	release, err := e.turns.take(ctx, kind)
	if err != nil {
		return nil, err
	}
	defer release()
	longest := e.model.positions - 2 // <s> and </s>
	windows := make([]window, 0, len(texts))
	for i, text := range texts {
		ids, err := e.encode(ctx, kind, text)
		if err != nil {
			return nil, err
		}
		for len(ids) > longest {
			windows = append(windows, window{text: i, ids: ids[:longest]})
			ids = ids[longest:]
		}
		windows = append(windows, window{text: i, ids: ids})
	}
	return windows, nil
}

// encode returns the tokens of a text with the prefix of its kind.
func (e *Embedder) encode(ctx context.Context, kind embed.Kind, text string) ([]int32, error) {
	if err := e.turns.step(ctx, kind); err != nil {
		return nil, err
	}
	stretch, rest := cut(prefix(kind) + text)
	ids := e.model.tokens.encode(stretch)
	for rest != "" {
		if err := e.turns.step(ctx, kind); err != nil {
			return nil, err
		}
		stretch, rest = cut(rest)
		ids = append(ids, e.model.tokens.encode(stretch)...)
	}
	return ids, nil
}

// runAll runs passes, as many at once as the kind has slots.
func (e *Embedder) runAll(ctx context.Context, kind embed.Kind, passes [][]window) error {
	workers := min(len(passes), cap(e.turns.slots(kind)))
	errs := make([]error, workers)
	var started atomic.Int64
	work := func(worker int) {
		for i := started.Add(1) - 1; i < int64(len(passes)) && errs[worker] == nil; i = started.Add(1) - 1 {
			errs[worker] = e.run(ctx, kind, passes[i])
		}
	}
	var others sync.WaitGroup
	for worker := 1; worker < workers; worker++ {
		others.Go(func() { work(worker) })
	}
	work(0)
	others.Wait()
	return cmp.Or(errs...)
}

// run runs one pass in a slot of its kind.
func (e *Embedder) run(ctx context.Context, kind embed.Kind, windows []window) error {
	release, err := e.turns.take(ctx, kind)
	if err != nil {
		return err
	}
	defer release()
	p := pass{model: e.model, scratch: e.scratch(), set: e.set, windows: windows}
	defer e.keep(p.scratch)
	for _, w := range windows {
		p.rows += w.tokens()
	}
	return p.run(func() error { return e.turns.step(ctx, kind) })
}

// vectors joins the windows, which are in the order of their texts, into a vector
// for each text.
func (e *Embedder) vectors(windows []window, texts int) ([][]float32, error) {
	vectors := make([][]float32, 0, texts)
	for len(windows) > 0 {
		count := 1
		for count < len(windows) && windows[count].text == windows[0].text {
			count++
		}
		vector, ok := join(windows[:count])
		if !ok {
			return nil, fmt.Errorf("%w: model %s gives text %d no vector with a length", embed.ErrRefused, e.model.name, windows[0].text)
		}
		vectors = append(vectors, vector)
		windows = windows[count:]
	}
	return vectors, nil
}

// idleScratches is how many scratches are kept for later passes: a query's and a
// passage's. More are made where more passes run at once, and dropped after; that
// costs little beside a pass, and memory does not stay at its peak.
const idleScratches = 2

// scratch returns an idle scratch or a new one.
func (e *Embedder) scratch() *scratch {
	select {
	case s := <-e.idle:
		return s
	default:
		return new(scratch)
	}
}

// keep makes a scratch idle, or drops it where there are enough.
func (e *Embedder) keep(s *scratch) {
	select {
	case e.idle <- s:
	default:
	}
}
