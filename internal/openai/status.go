package openai

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Hints on what to change, for the answers that people meet when they set a
// server up.
const (
	hintKey   = "check the API key"
	hintPath  = "no such model, or a wrong base URL (that of most servers ends in /v1)"
	hintLimit = "too many requests, or none left"
)

// tooLarge are the words in which servers refuse the size of what was sent, in
// lower case: a text longer than the model takes, too many texts, too many in
// all. They come with 400 (OpenAI, vLLM, Ollama), 413 (TEI), 422 or 500
// (llama.cpp, "input is too large to process").
var tooLarge = []string{
	"context length", "context_length", "context size", "context_size",
	"too large", "too long", "too many inputs", "batch size", "max_tokens_per_request", "above_max_length",
}

// refusal is the error of an answer that is not a 2xx, or holds an error.
// location is the header's, of a redirect.
func refusal(status int, said remark, location string) *Error {
	kind, passing := kindOf(status, said)
	return &Error{Kind: kind, Status: status, Detail: detail(status, said, location), passing: passing}
}

func kindOf(status int, said remark) (kind error, passing bool) {
	switch {
	case status == http.StatusRequestEntityTooLarge, said.holds(tooLarge) && sizeStatus(status):
		return ErrTooLarge, false
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return ErrUnavailable, true
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return ErrRefused, false
	case status >= http.StatusInternalServerError:
		return ErrUnavailable, true
	}
	return ErrRefused, false
}

func sizeStatus(status int) bool {
	return status == http.StatusBadRequest || status == http.StatusUnprocessableEntity || status == http.StatusInternalServerError
}

// detail joins what the server said and what we know of its status.
func detail(status int, said remark, location string) string {
	var parts []string
	if text := said.String(); text != "" {
		parts = append(parts, text)
	}
	if hint := hintOf(status, location); hint != "" {
		parts = append(parts, hint)
	}
	if len(parts) == 0 {
		return "the server does not say why"
	}
	return strings.Join(parts, "; ")
}

func hintOf(status int, location string) string {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return hintKey
	case status == http.StatusNotFound:
		return hintPath
	case status == http.StatusTooManyRequests:
		return hintLimit
	case status >= 300 && status < 400:
		return redirect(location)
	}
	return ""
}

// redirect names the host an answer points to. It is not followed: what was
// said goes to the server that was set, and to no other.
func redirect(location string) string {
	u, err := url.Parse(location)
	if err != nil || u.Host == "" {
		return "it redirects, which is not followed: set the base URL to where the server is"
	}
	return fmt.Sprintf("it redirects to %s://%s, which is not followed: set the base URL to where the server is", u.Scheme, u.Host)
}
