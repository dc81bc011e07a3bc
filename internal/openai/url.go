package openai

import (
	"fmt"
	"net/url"
	"strings"
)

const urlExample = "http://127.0.0.1:11434/v1"

// callPaths end an address that was copied with the name of a call in it.
var callPaths = []string{"/embeddings", "/chat/completions", "/completions", "/models"}

// parseBaseURL returns the address without slashes at its end, and without the white
// space around it that files of settings leave. An address that holds a password is
// not repeated in the error.
func parseBaseURL(address string) (string, error) {
	address = strings.TrimSpace(address)
	if address == "" {
		return "", fmt.Errorf("base URL: is empty; want one such as %s", urlExample)
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", fmt.Errorf("base URL: is not a URL; want one such as %s", urlExample)
	}
	shown := (&url.URL{Scheme: u.Scheme, Opaque: u.Opaque, Host: u.Host, Path: u.Path}).String()
	switch {
	case u.User != nil:
		return "", fmt.Errorf("base URL %q: holds a user or a password; give the key as the API key", shown)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("base URL %q: begins with neither http:// nor https://; want one such as %s", shown, urlExample)
	case u.Hostname() == "":
		return "", fmt.Errorf("base URL %q: names no host; want one such as %s", shown, urlExample)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("base URL %q: is followed by a query or a fragment; want one such as %s", shown, urlExample)
	}
	base := strings.TrimRight(u.String(), "/")
	for _, path := range callPaths {
		if before, ok := strings.CutSuffix(base, path); ok {
			return "", fmt.Errorf("base URL %q: ends in the name of a call; want %s", shown, before)
		}
	}
	return base, nil
}
