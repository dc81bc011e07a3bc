package main

import (
	"context"
	"sync/atomic"
	"testing"
	"time"
)

func TestWatchParent_TellsWhenTheParentChanges(t *testing.T) {
	var calls atomic.Int64
	parent := func() int {
		if calls.Add(1) < 3 {
			return 4711
		}
		return 1
	}
	gone := 0
	watchParent(t.Context(), parent, time.NewTicker(time.Millisecond), func() { gone++ })
	if gone != 1 || calls.Load() != 3 {
		t.Errorf("told %d times after %d looks, want once after 3", gone, calls.Load())
	}
}

func TestWatchParent_LeavesAProcessUnderInitAlone(t *testing.T) {
	watchParent(t.Context(), func() int { return 1 }, time.NewTicker(time.Millisecond), func() { t.Error("told that init is gone") })
}

func TestWatchParent_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	watchParent(ctx, func() int { return 4711 }, time.NewTicker(time.Hour), func() { t.Error("told although the parent lives") })
}
