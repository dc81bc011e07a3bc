package redact

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"mcp-memory/internal/lazy"
)

// jwtAnchor begins every JSON Web Token (RFC 7519): base64url of `{"`.
const jwtAnchor = "eyJ"

// jwtParts is the number of parts that an encrypted token has.
const jwtParts = 5

// findJWT looks for a JSON Web Token: three parts (five when encrypted, RFC
// 7516) joined by dots, the first of which is a JSON object.
func findJWT(t text, at int) []span {
	if !t.startsWord(at) {
		return nil
	}
	end, dots := at, 0
	for end < len(t.raw) && dots < jwtParts && (isWord(t.raw[end]) || t.raw[end] == '-' || t.raw[end] == '.') {
		if t.raw[end] == '.' {
			dots++
		}
		end++
	}
	token := strings.TrimRight(t.raw[at:end], ".-")
	parts := strings.Split(token, ".")
	unsigned := len(parts) == 2 && at+len(token) < end
	if len(parts) < 3 && !unsigned || len(parts[1]) < 4 || !jwtHeader(parts[0], parts[1]) {
		return nil
	}
	return []span{{at, at + len(token), Token, rankPlace}}
}

// jwtHeader says whether the first part decodes to a JSON object. A header
// that was mangled on its way still counts when the claims look right.
func jwtHeader(header, claims string) bool {
	raw, err := base64.RawURLEncoding.DecodeString(header)
	return err == nil && json.Valid(raw) || strings.HasPrefix(claims, jwtAnchor)
}

var (
	telegramToken = lazy.MustCompile(`^\d{8,10}:[\w-]{34,36}\b`)
	azureSecret   = lazy.MustCompile(`^[\w.~-]{3}\dQ~[\w.~-]{30,40}`)
)

// findTelegram looks for a Telegram bot token that starts with the digit at
// t.raw[at]: the bot's number, a colon, 35 characters.
func findTelegram(t text, at int) []span {
	if !t.startsWord(at) && !strings.HasSuffix(t.raw[:at], "/bot") {
		return nil
	}
	found := telegramToken.FindStringIndex(t.raw[at:min(len(t.raw), at+64)])
	if found == nil || !telling(t.raw[at:at+found[1]]) {
		return nil
	}
	return []span{{at, at + found[1], Token, rankPlace}}
}

// azureAnchor stands in every client secret of Microsoft Entra, after three
// characters and a digit.
const azureAnchor = "Q~"

// findAzure looks for the client secret around the anchor at t.raw[at].
func findAzure(t text, at int) []span {
	start := at - 4
	if start < 0 || !t.startsWord(start) {
		return nil
	}
	found := azureSecret.FindStringIndex(t.raw[start:min(len(t.raw), at+64)])
	if found == nil {
		return nil
	}
	return []span{{start, start + found[1], APIKey, rankPlace}}
}
