package remote

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// holder is who a request comes from: a token, as its hash, and its user. The
// zero token is that of a server without tokens.
type holder struct {
	token [sha256.Size]byte
	user  string
}

type holderKey struct{}

// holderOf returns the holder that authenticate found.
func holderOf(ctx context.Context) holder {
	h, _ := ctx.Value(holderKey{}).(holder)
	return h
}

// guard knows the tokens.
type guard struct {
	holders     []holder
	defaultUser string
}

func newGuard(tokens map[string]string, defaultUser string) guard {
	g := guard{defaultUser: defaultUser}
	for token, user := range tokens {
		g.holders = append(g.holders, holder{sha256.Sum256([]byte(token)), user})
	}
	return g
}

// holder returns who the request comes from; false if its token is missing or
// wrong. It compares hashes with every token, so that its time tells nothing of
// what is right about a wrong one.
func (g guard) holder(r *http.Request) (holder, bool) {
	if len(g.holders) == 0 {
		return holder{user: g.defaultUser}, true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	var found holder
	ok := false
	for _, h := range g.holders {
		if subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1 {
			found, ok = h, true
		}
	}
	return found, ok && strings.EqualFold(scheme, "Bearer")
}
