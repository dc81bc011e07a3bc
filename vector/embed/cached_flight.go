package embed

import (
	"context"
	"fmt"
)

// flight is what one call embeds; calls that need the same wait for it.
type flight struct {
	kind  Kind
	keys  []key
	texts []string // of the keys, until the call is back

	done      chan struct{} // closed when what follows is set
	vectors   map[key][]float32
	err       error
	abandoned bool // the context of the call ended, which says nothing about the texts
}

func newFlight(kind Kind) *flight {
	return &flight{
		kind:    kind,
		done:    make(chan struct{}),
		vectors: map[key][]float32{},
		err:     fmt.Errorf("%w: it panicked", ErrUnavailable), // unless the call comes back
	}
}

func (f *flight) add(k key, text string) {
	f.keys = append(f.keys, k)
	f.texts = append(f.texts, text)
}

// join waits for the flights and puts what they brought into found. It reports
// whether all brought it: an abandoned one did not.
func join(ctx context.Context, flights []*flight, found map[key][]float32) (whole bool, err error) {
	whole = true
	for _, f := range flights {
		select {
		case <-f.done:
		case <-ctx.Done():
			return false, fmt.Errorf("wait for another call that embeds the same: %w", ctx.Err())
		}
		switch {
		case f.abandoned:
			whole = false
		case f.err != nil:
			return false, f.err
		}
		for k, vector := range f.vectors {
			found[k] = vector
		}
	}
	return whole, nil
}
