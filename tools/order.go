package tools

import "context"

// order keeps the calls of a connection in the order in which they were sent,
// as far as it can be seen: a write begins after all calls before it, a read
// after the last write before it. Reads run beside each other. Without it a
// client that sends remember and recall without waiting could miss what it has
// just said.
//
//	r1 r2 W3 r4 r5      r1 ┐        ┌ r4
//	                    r2 ┴─> W3 ──┴ r5
//
// It belongs to the goroutine that reads the connection.
type order struct {
	write chan struct{}   // of the last write; nil before the first
	reads []chan struct{} // since then
}

// turn is a call's place: it may begin when all in after are closed, and
// closes done at its end.
type turn struct {
	after []chan struct{}
	done  chan struct{}
}

// next gives the next call its turn.
func (o *order) next(write bool) turn {
	t := turn{done: make(chan struct{})}
	if o.write != nil {
		t.after = append(t.after, o.write)
	}
	if write {
		t.after = append(t.after, o.reads...)
		o.write, o.reads = t.done, nil
		return t
	}
	o.reads = append(running(o.reads), t.done)
	return t
}

// running drops what has ended, so that reads alone do not pile up.
func running(calls []chan struct{}) []chan struct{} {
	kept := calls[:0]
	for _, done := range calls {
		select {
		case <-done:
		default:
			kept = append(kept, done)
		}
	}
	return kept
}

// wait returns when the turn has come or ctx has ended.
func (t turn) wait(ctx context.Context) {
	for _, done := range t.after {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}
