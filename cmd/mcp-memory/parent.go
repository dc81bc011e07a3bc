package main

import (
	"context"
	"time"
)

// parentPoll is how often the parent is looked for: no system tells portably
// that it died, and some clients die without closing our stdin.
const parentPoll = 250 * time.Millisecond

// watchParent calls gone once the parent is another process than it was at
// first, which means that the first one died. A process that starts under init
// has no parent to watch. It owns tick and stops it.
func watchParent(ctx context.Context, parent func() int, tick *time.Ticker, gone func()) {
	defer tick.Stop()
	first := parent()
	if first <= 1 {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if parent() != first {
				gone()
				return
			}
		}
	}
}
