package redact

import "strings"

// pemAnchor opens a PEM block (RFC 7468), an OpenSSH key and an armoured
// OpenPGP key.
const pemAnchor = "-----BEGIN "

// findPEM looks for a private key that begins at t.raw[at], also on one line,
// with written "\n", or cut off before its end. Talk about the header lines,
// with no key between them, is none.
func findPEM(t text, at int) []span {
	s := t.raw[at:]
	title, body, ok := strings.Cut(s[len(pemAnchor):], "-----")
	if !ok || len(title) > 64 || !strings.Contains(title, "PRIVATE KEY") {
		return nil
	}
	head := len(pemAnchor) + len(title) + len("-----")
	size, keyed := pemBody(body)
	if !keyed {
		return nil
	}
	return []span{{at, at + head + size + pemEnd(body[size:]), PrivateKey, rankPlace}}
}

// pemBody returns the length of the base64 and header lines at the start of
// body, and whether there is any key material among them.
func pemBody(body string) (size int, keyed bool) {
	for i := 0; i < len(body); {
		blank := pemBlank(body[i:])
		word := body[i+blank:]
		n := strings.IndexFunc(word, func(r rune) bool { return !isBase64(r) })
		if n < 0 {
			n = len(word)
		}
		line := pemHeader(word)
		switch {
		case line > 0:
			n = line
		case n >= 16, n >= 8 && !lettersOnly(word[:n]):
			keyed = true
		case n == 0 || !keyed || !strings.HasPrefix(word[n+pemBlank(word[n:]):], "-----") && n+pemBlank(word[n:]) < len(word):
			return size, keyed
		}
		i += blank + n
		size = i
	}
	return size, keyed
}

// pemHeader returns the length of a header line of the kind "DEK-Info: ...",
// 0 where s starts with none.
func pemHeader(s string) int {
	for _, name := range []string{"Proc-Type: ", "DEK-Info: ", "Version: ", "Comment: ", "Hash: ", "Charset: "} {
		if strings.HasPrefix(s, name) {
			if end := strings.IndexAny(s, "\n\\"); end > 0 {
				return end
			}
			return len(s)
		}
	}
	return 0
}

// pemBlank returns the length of the white space, written line ends, quotes
// and marks of quoted mail at the start of s.
func pemBlank(s string) int {
	i := 0
	for i < len(s) {
		switch {
		case strings.IndexByte(" \t\r\n\"'>+,", s[i]) >= 0:
			i++
		case strings.HasPrefix(s[i:], `\n`), strings.HasPrefix(s[i:], `\r`):
			i += 2
		default:
			return i
		}
	}
	return i
}

// pemEnd returns the length of the closing line at the start of s, whole or
// cut off; 0 where there is none.
func pemEnd(s string) int {
	blank := pemBlank(s)
	if !strings.HasPrefix(s[blank:], "-----END") {
		return 0
	}
	title, _, ok := strings.Cut(s[blank+len("-----END"):], "-----")
	if ok && len(title) <= 64 {
		return blank + len("-----END") + len(title) + len("-----")
	}
	return blank + len("-----END")
}
