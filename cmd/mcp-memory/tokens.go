package main

import (
	"fmt"
	"strings"
)

// minTokenBytes is the shortest bearer token taken: below it, guessing pays.
const minTokenBytes = 16

// parseTokens reads "user:token,user:token" into token → user. A user may have
// several tokens; a token belongs to one user. Errors name positions and
// users, never a token.
func parseTokens(v string) (map[string]string, error) {
	if v == "" {
		return nil, nil
	}
	tokens := map[string]string{}
	for i, pair := range strings.Split(v, ",") {
		user, token, err := parseToken(strings.TrimSpace(pair))
		if err != nil {
			return nil, fmt.Errorf("token %d: %w", i+1, err)
		}
		if other, ok := tokens[token]; ok {
			return nil, fmt.Errorf("token %d: user %q has the same token as user %q; each needs its own", i+1, user, other)
		}
		tokens[token] = user
	}
	return tokens, nil
}

func parseToken(pair string) (user, token string, err error) {
	user, token, ok := strings.Cut(pair, ":")
	if !ok {
		return "", "", fmt.Errorf("no colon in it; user:token is wanted")
	}
	if user, err = parseUser(user); err != nil {
		return "", "", err
	}
	if len(token) < minTokenBytes {
		return "", "", fmt.Errorf("the token of user %q has %d characters; at least %d are wanted, or it can be guessed (try: openssl rand -hex 32)", user, len(token), minTokenBytes)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", "", fmt.Errorf("the token of user %q holds a character that no HTTP header can carry; letters, digits and -._~+/= are wanted", user)
	}
	return user, token, nil
}
