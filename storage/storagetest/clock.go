package storagetest

import (
	"sync/atomic"
	"time"
)

// Clock tells the time that a test sets. What serves in the background may read
// it while the test moves it.
type Clock struct{ now atomic.Pointer[time.Time] }

// ClockAt returns a clock that stands at now.
func ClockAt(now time.Time) *Clock {
	c := new(Clock)
	c.Set(now)
	return c
}

// Now is what a store is given as its clock.
func (c *Clock) Now() time.Time { return *c.now.Load() }

// Set moves the clock to now, forwards or back.
func (c *Clock) Set(now time.Time) { c.now.Store(&now) }

// Pass moves the clock on by d.
func (c *Clock) Pass(d time.Duration) { c.Set(c.Now().Add(d)) }
