package openai

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Kinds of errors. Every error of a call is an [*Error] that wraps one of them,
// or wraps the context's own error.
var (
	// ErrUnavailable: the server was not reached, or could not answer now.
	ErrUnavailable = errors.New("server unavailable")
	// ErrTimeout: a try took longer than it may. The context had time left.
	ErrTimeout = errors.New("no answer in time")
	// ErrTooLarge: more was sent than the server takes, or answered than is read.
	ErrTooLarge = errors.New("too large")
	// ErrRefused: the server took the request for wrong (key, model, address), or
	// its answer is not one to the request. The same call fails again.
	ErrRefused = errors.New("refused")
)

// Error is a call that failed.
type Error struct {
	Kind   error  // one of the kinds above
	URL    string // what was called
	Status int    // of the HTTP answer; 0 where there was none
	Detail string // what was wrong and, where it is known, what would be right
	Tries  int    // how often the call was made

	again   time.Duration // how long the server asks to be left alone, if above 0
	passing bool          // the error may pass, so another try is worth it
	about   setting       // what of the request the server did not take, if it says so
}

// Error says what was called, what came back and what can be done.
func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "POST %s: ", e.URL)
	if e.Status != 0 {
		fmt.Fprintf(&b, "%d %s: ", e.Status, http.StatusText(e.Status))
	}
	b.WriteString(e.Detail)
	if e.again > 0 {
		fmt.Fprintf(&b, "; it asks to be left alone for %v", e.again.Round(time.Second))
	}
	if e.Tries > 1 {
		fmt.Fprintf(&b, " (%d tries)", e.Tries)
	}
	return b.String()
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// interrupted is the error of a call whose context ended.
func interrupted(ctx context.Context, u *url.URL) error {
	return fmt.Errorf("POST %s: %w", shownURL(u), ctx.Err())
}

// unanswered is the error of a try that brought no whole answer.
func unanswered(err error) *Error {
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.Is(err, http.ErrSchemeMismatch):
		return &Error{Kind: ErrRefused, Detail: "the server speaks plain HTTP: begin the base URL with http://"}
	case errors.As(err, &certificate):
		return &Error{Kind: ErrRefused, Detail: "the server's certificate is not trusted: " + cause(certificate.Err)}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: ErrUnavailable, Detail: "the answer was cut off", passing: true}
	case errors.Is(err, io.EOF):
		return &Error{Kind: ErrUnavailable, Detail: "the server closed the connection without an answer", passing: true}
	}
	// A name that is not found stays so for the length of a call.
	var dns *net.DNSError
	lost := errors.As(err, &dns) && dns.IsNotFound
	return &Error{Kind: ErrUnavailable, Detail: "cannot reach the server: " + cause(err), passing: !lost}
}

// cause returns the text of err without the request that net/http repeats.
func cause(err error) string {
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err
	}
	if strings.Contains(err.Error(), "invalid proxy address") { // which may hold a password
		return "the proxy that the environment names (HTTP_PROXY, HTTPS_PROXY) is no URL"
	}
	return tidy(err.Error())
}

// shownURL returns the URL without what may be secret in it.
func shownURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
