package openai

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

// Waits between tries: 250 ms, then twice as long each time, each cut by up to
// half at random, so that many clients of one server do not come back at once.
const (
	firstPause   = 250 * time.Millisecond
	longestPause = 8 * time.Second
)

// pause returns how long to wait after the given number of tries; again is how
// long the server asked for at least, if it is above 0.
func pause(tries int, again time.Duration) time.Duration {
	if again > 0 {
		return again + rand.N(firstPause)
	}
	long := longestPause
	if shift := tries - 1; shift < 5 { // 250 ms << 5 is the longest
		long = firstPause << shift
	}
	return long/2 + rand.N(long/2)
}

// longestAgain bounds what is believed of a Retry-After; nothing near it is
// waited for.
const longestAgain = 24 * time.Hour

// retryAfter reads the header: seconds, or a date. It is not above 0 where it is
// neither, or has passed.
func retryAfter(value string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, longestAgain.Seconds()) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(at.Sub(now), longestAgain)
}

// sleep waits, and reports whether the context let it.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
