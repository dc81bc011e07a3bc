package layers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"
)

// confirmLife is how long a confirm token may be used.
const confirmLife = 10 * time.Minute

// maxConfirms bounds how many tokens wait at once; the oldest go first.
const maxConfirms = 1000

// confirmTokens remembers which sets of records were shown before a wide forget.
// A token is good for one user, exactly the set that was shown, once, and until
// the process ends.
type confirmTokens struct {
	mu     sync.Mutex
	issued map[string]confirmation
}

type confirmation struct {
	user, set string
	until     time.Time
}

// issue returns a token for the set.
func (c *confirmTokens) issue(user string, ids []string, now time.Time) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.issued == nil {
		c.issued = map[string]confirmation{}
	}
	c.expire(now)
	token := rand.Text()
	c.issued[token] = confirmation{user, setOf(ids), now.Add(confirmLife)}
	return token
}

// take uses a token up if it is good for the set; else it stays as it is.
func (c *confirmTokens) take(token, user string, ids []string, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	got, ok := c.issued[token]
	switch {
	case !ok || got.user != user || now.After(got.until):
		return invalid("confirm", "is not a token of this server, was used, or is older than 10 minutes; nothing was forgotten; call again without confirm to see the set and get a new one")
	case got.set != setOf(ids):
		return invalid("confirm", "was given for another set of records; nothing was forgotten; call again without confirm to see what would go now")
	}
	delete(c.issued, token)
	return nil
}

// expire drops what is over, and the oldest of too many.
func (c *confirmTokens) expire(now time.Time) {
	for token, got := range c.issued {
		if now.After(got.until) {
			delete(c.issued, token)
		}
	}
	for len(c.issued) >= maxConfirms {
		oldest := ""
		for token, got := range c.issued {
			if oldest == "" || got.until.Before(c.issued[oldest].until) {
				oldest = token
			}
		}
		delete(c.issued, oldest)
	}
}

// setOf names a set of ids whatever their order.
func setOf(ids []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(ids)), " ")))
	return hex.EncodeToString(sum[:])
}
