package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// exchange carries one call: it is the HTTP client that go-openai is given, which
// thereby sees nothing but whole answers. It makes as many tries as it takes,
// within the client's limits.
type exchange struct {
	client *Client
	of     string // what is asked for, for errors: "embeddings"
	only   string // member of the answer that is read, where one is: the rest may be of any kind
	url    string // what was called
	answer []byte // the body of the answer
}

// Do sends the request and returns an answer of status 200 whose body is a JSON
// object without an error, all in memory. Its errors are those of the package.
func (x *exchange) Do(req *http.Request) (*http.Response, error) {
	ctx, options := req.Context(), x.client.options
	x.url = shownURL(req.URL)
	if !x.client.enter(ctx) {
		return nil, interrupted(ctx, req.URL)
	}
	defer x.client.leave()
	end := time.Now().Add(options.Patience)
	for tries := 1; ; tries++ {
		body, failed := x.try(req, min(options.Timeout, time.Until(end)))
		if failed == nil {
			x.answer = x.needed(body)
			return whole(req, x.answer), nil
		}
		if ctx.Err() != nil {
			return nil, interrupted(ctx, req.URL)
		}
		failed.URL, failed.Tries = x.url, tries
		wait := pause(tries, failed.again)
		if !failed.passing || tries > options.Retries || time.Until(end) <= wait {
			return nil, failed
		}
		if !sleep(ctx, wait) {
			return nil, interrupted(ctx, req.URL)
		}
	}
}

// needed is the part of an answer that is read.
func (x *exchange) needed(body []byte) []byte {
	var members map[string]json.RawMessage
	if x.only == "" || json.NewDecoder(bytes.NewReader(body)).Decode(&members) != nil || members[x.only] == nil {
		return body
	}
	part, err := json.Marshal(map[string]json.RawMessage{x.only: members[x.only]})
	if err != nil { // it was decoded before
		return body
	}
	return part
}

// whole returns the answer as go-openai is to see it.
func whole(req *http.Request, body []byte) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK,
		Status:     "200 OK",
		Header:     http.Header{},
		Body:       io.NopCloser(bytes.NewReader(body)),
		Request:    req,
	}
}

// try sends the request once and returns the body of a good answer.
func (x *exchange) try(req *http.Request, limit time.Duration) ([]byte, *Error) {
	ctx, cancel := context.WithTimeout(req.Context(), limit)
	defer cancel()
	body, failed := x.send(ctx, req)
	if failed != nil && failed.Status == 0 && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return nil, &Error{Kind: ErrTimeout, Detail: fmt.Sprintf("no answer within %v", limit.Round(time.Millisecond))}
	}
	return body, failed
}

func (x *exchange) send(ctx context.Context, req *http.Request) ([]byte, *Error) {
	again := req.Clone(ctx)
	if req.GetBody != nil {
		var err error
		if again.Body, err = req.GetBody(); err != nil {
			return nil, &Error{Kind: ErrRefused, Detail: "read the request again: " + err.Error()}
		}
	}
	res, err := x.client.http.Do(again)
	if err != nil {
		return nil, x.withoutEcho(req, unanswered(err))
	}
	defer res.Body.Close() //nolint:errcheck // it was read to its end, or is given up
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, x.refused(req, res)
	}
	body, failed := readLimited(res.Body, x.client.options.MaxBytes)
	if failed != nil {
		return nil, x.withoutEcho(req, failed)
	}
	body = bytes.TrimPrefix(body, byteOrderMark)
	return body, x.check(req, body)
}

// byteOrderMark begins a text as some servers write it, and no JSON.
var byteOrderMark = []byte("\uFEFF")

// withoutEcho takes out of an error of the connection what it repeats of the request:
// what is no HTTP is shown by net/http, and some server sends back what it was sent.
func (x *exchange) withoutEcho(req *http.Request, failed *Error) *Error {
	if repeats(failed.Detail, x.secrets(req)) {
		failed.Detail = "cannot reach the server: what it says is no HTTP, repeats what was sent, and is not shown"
	}
	return failed
}

// refused is the error of an answer that is not a 2xx.
func (x *exchange) refused(req *http.Request, res *http.Response) *Error {
	// What cannot be read of an error's text is not missed: the status says most.
	body, _ := io.ReadAll(io.LimitReader(res.Body, maxRemark))
	said := parseRemark(body, x.secrets(req))
	location := res.Header.Get("Location")
	if repeats(location, x.secrets(req)) {
		location = ""
	}
	failed := refusal(res.StatusCode, said, location)
	failed.about = said.about()
	failed.again = retryAfter(res.Header.Get("Retry-After"), time.Now())
	return failed
}

// readLimited reads all of an answer's body, limit bytes at most.
func readLimited(body io.Reader, limit int) ([]byte, *Error) {
	read, err := io.ReadAll(io.LimitReader(body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, unanswered(err)
	case len(read) > limit:
		return nil, &Error{Kind: ErrTooLarge, Detail: fmt.Sprintf("the answer is over %d bytes", limit)}
	}
	return read, nil
}

// check refuses the body of a 2xx that is no JSON object, or holds an error.
func (x *exchange) check(req *http.Request, body []byte) *Error {
	var form struct{ Error json.RawMessage }
	err := json.NewDecoder(bytes.NewReader(body)).Decode(&form)
	switch {
	case errors.Is(err, io.EOF):
		return &Error{Kind: ErrUnavailable, Status: http.StatusOK, Detail: "the answer is empty", passing: true}
	case errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: ErrUnavailable, Status: http.StatusOK, Detail: "the answer was cut off", passing: true}
	case err != nil:
		return &Error{Kind: ErrRefused, Status: http.StatusOK, Detail: "the answer is not a JSON object; " + hintPath}
	case textOf(form.Error) == "":
		return nil
	}
	said := parseRemark(body, x.secrets(req))
	failed := &Error{Kind: ErrRefused}
	if said.status != 0 {
		failed = refusal(said.status, said, "")
	}
	failed.about = said.about()
	failed.Status, failed.Detail = http.StatusOK, "its answer is an error: "+detail(said.status, said, "")
	return failed
}

// secrets returns what an error may not show: what was sent, and the key.
func (x *exchange) secrets(req *http.Request) []string {
	secrets := []string{x.client.options.APIKey}
	if req.GetBody == nil {
		return secrets
	}
	reader, err := req.GetBody()
	if err != nil {
		return secrets
	}
	body, err := io.ReadAll(reader) // from memory
	if err != nil {
		return secrets
	}
	return append(secrets, private(body)...)
}
