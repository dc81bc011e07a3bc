// Package redact takes secrets out of text before anything is stored, queued
// or logged. Each secret becomes "[redacted:kind]"; the words around it stay.
//
//	clean, kinds := redact.Redact("my token is ghp_Zt4R...")
//	// "my token is [redacted:token]", ["token"]
//
// Three things betray a secret: a format that its issuer documents (rules.go),
// a place where only a secret stands, as the password of a URL (rules.go), and
// a label beside it, as in "the wifi password is ..." (labels.go).
//
// Disguise does not help: text is also searched with full-width forms as ASCII,
// without invisible characters, and with keys joined that a line end breaks
// (view.go); what goes is the whole stretch of the original.
//
// It does not promise to find a secret that has neither format, place nor
// label, nor one spread over several words without quotes around it. Talk
// about secrets, placeholders ("<token>", "****", "your-api-key-here") and the
// sample keys of the AWS and Azure manuals stay. Card numbers of the payment
// industry's test range do not: a number that passes for a card is one.
package redact

import (
	"slices"
	"strings"

	"mcp-memory/internal/lazy"
)

// Kinds of secrets, as they stand in "[redacted:kind]".
const (
	APIKey     = "api_key"     // a vendor's key, or what is labelled as one
	Card       = "card"        // a payment card's number or check code
	Password   = "password"    // a password, PIN, passphrase or one-time code
	PrivateKey = "private_key" // PEM, a wallet's seed phrase, raw private keys
	Token      = "token"       // bearer, session and access tokens, webhooks
)

// placeholderMark finds what an earlier redaction left. Text is searched only
// between such marks, which is what makes Redact idempotent.
var placeholderMark = lazy.MustCompile(`\[redacted:(?:api_key|card|password|private_key|token)\]`)

// Redact replaces every secret in s by "[redacted:kind]" and returns the text
// with the distinct kinds that it replaced, sorted; nil when there was none.
// Redact(Redact(s)) = Redact(s). Text that is valid UTF-8 stays so; other
// bytes are passed through. Time is linear in len(s).
func Redact(s string) (clean string, kinds []string) {
	for {
		next, found := pass(s)
		if len(found) == 0 {
			return s, distinct(kinds)
		}
		s, kinds = next, append(kinds, found...)
	}
}

// pass redacts once. What stood against a secret may itself be one now that
// the secret is gone, so Redact repeats it until nothing is found; each pass
// takes text away, so that ends.
func pass(s string) (string, []string) {
	var out strings.Builder
	var kinds []string
	from := 0
	for _, mark := range append(placeholderMark.FindAllStringIndex(s, -1), []int{len(s), len(s)}) {
		kinds = append(kinds, replace(&out, s[from:mark[0]])...)
		out.WriteString(s[mark[0]:mark[1]])
		from = mark[1]
	}
	return out.String(), kinds
}

// replace writes s without its secrets to out and returns their kinds.
func replace(out *strings.Builder, s string) (kinds []string) {
	from := 0
	for _, f := range merge(findings(s)) {
		out.WriteString(s[from:f.start])
		out.WriteString(mark(f.kind))
		kinds = append(kinds, f.kind)
		from = f.end
	}
	out.WriteString(s[from:])
	return kinds
}

// findings returns the secrets of s, those in disguise included: full-width,
// with invisible characters inside, or broken over lines. A text without such
// is searched once.
func findings(s string) []span {
	found := search(s)
	if v, hides := unmask(s); hides {
		for _, f := range search(v.text) {
			found = append(found, v.original(f))
		}
	}
	return found
}

// mark is what stands for a secret of the kind.
func mark(kind string) string { return "[redacted:" + kind + "]" }

// distinct sorts kinds and drops repetitions.
func distinct(kinds []string) []string {
	slices.Sort(kinds)
	return slices.Compact(kinds)
}
