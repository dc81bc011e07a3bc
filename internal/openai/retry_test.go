package openai_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/openai"
)

func answerWith(status int, header, value string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if header != "" {
			w.Header().Set(header, value)
		}
		reply(w, status, "{}")
	}
}

func TestRetry_WaitsLongerEachTime(t *testing.T) {
	bubble(t, openai.Options{Retries: 4}, answerWith(503, "", ""), func(t *testing.T, client *openai.Client, visits func() []visit) {
		_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
		wantError(t, err, openai.ErrUnavailable, "(5 tries)")
		got := visits()
		if len(got) != 5 {
			t.Fatalf("%d requests, want 5", len(got))
		}
		for i, most := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second} {
			if wait := got[i+1].at - got[i].at; wait < most/2 || wait > most {
				t.Errorf("wait %d: %v, want between %v and %v", i+1, wait, most/2, most)
			}
		}
	})
}

func TestRetry_HonoursRetryAfter(t *testing.T) {
	for name, value := range map[string]string{
		"in seconds": "7",
		// The clock of a bubble begins at midnight UTC of 2000-01-01.
		"as a date": "Sat, 01 Jan 2000 00:00:07 GMT",
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, openai.Options{Retries: 1}, answerWith(429, "Retry-After", value), func(t *testing.T, client *openai.Client, visits func() []visit) {
				_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
				wantError(t, err, openai.ErrUnavailable, "429 Too Many Requests")
				if got := visits(); len(got) != 2 || got[1].at < 7*time.Second || got[1].at > 8*time.Second {
					t.Errorf("requests at %v, want the second after 7 s", got)
				}
			})
		})
	}
}

// A wait that is longer than the patience is not begun.
func TestRetry_GivesUpWhereAskedToWaitLong(t *testing.T) {
	for value, want := range map[string]string{
		"3600": "1h0m0s", "1e18": "24h0m0s", "Inf": "24h0m0s", "Fri, 31 Dec 9999 23:59:59 GMT": "24h0m0s",
	} {
		bubble(t, openai.Options{}, answerWith(429, "Retry-After", value), func(t *testing.T, client *openai.Client, visits func() []visit) {
			start := time.Now()
			_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
			wantError(t, err, openai.ErrUnavailable, "it asks to be left alone for "+want)
			if took := time.Since(start); took != 0 || len(visits()) != 1 {
				t.Errorf("%q: gave up after %v and %d requests", value, took, len(visits()))
			}
		})
	}
}

// broken is a network on which every request fails.
type broken struct {
	err   error
	tries int
}

func (b *broken) RoundTrip(*http.Request) (*http.Response, error) {
	b.tries++
	return nil, b.err
}

// A server that is not there may be starting; a name that is not there is wrong,
// or the machine is off the net.
func TestRetry_OfAServerThatIsNotThere(t *testing.T) {
	for _, c := range []struct {
		name  string
		err   error
		tries int
	}{
		{"refused", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, 3},
		{"reset", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, 3},
		{"name server down", &net.DNSError{Err: "no answer", IsTimeout: true}, 3},
		{"no such name", &net.DNSError{Err: "no such host", IsNotFound: true}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				network := &broken{err: c.err}
				client := newClient(t, openai.Options{BaseURL: "http://server.test/v1", Transport: network})
				_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
				wantError(t, err, openai.ErrUnavailable, "cannot reach the server: ")
				if network.tries != c.tries {
					t.Errorf("%d tries, want %d", network.tries, c.tries)
				}
			})
		})
	}
}

// A Retry-After that is nonsense is none.
func TestRetry_IgnoresNonsense(t *testing.T) {
	for _, value := range []string{"-5", "NaN", "soon", "Sat, 01 Jan 1990 00:00:07 GMT"} {
		bubble(t, openai.Options{Retries: 1}, answerWith(503, "Retry-After", value), func(t *testing.T, client *openai.Client, visits func() []visit) {
			_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
			wantError(t, err, openai.ErrUnavailable, "503")
			if got := visits(); len(got) != 2 || got[1].at > 250*time.Millisecond {
				t.Errorf("%q: requests at %v, want two within 250 ms", value, got)
			}
		})
	}
}

// hang answers nothing until the client goes away.
func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// A server that hangs is found out after one Timeout: another try would load it
// with the same work again.
func TestTimeout_EndsATryAndIsNotRepeated(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"before the answer": hang,
		"within the answer": func(w http.ResponseWriter, r *http.Request) {
			reply(w, 200, `{"data":`)
			w.(http.Flusher).Flush()
			hang(w, r)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, openai.Options{Timeout: 5 * time.Second}, handler, func(t *testing.T, client *openai.Client, visits func() []visit) {
				start := time.Now()
				_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
				wantError(t, err, openai.ErrTimeout, "no answer within 5s")
				if errors.Is(err, context.DeadlineExceeded) {
					t.Error("the error is taken for the caller's own deadline")
				}
				if took := time.Since(start); took != 5*time.Second || len(visits()) != 1 {
					t.Errorf("gave up after %v and %d requests", took, len(visits()))
				}
			})
		})
	}
}

// Patience bounds the tries and waits together.
func TestPatience_BoundsTheWhole(t *testing.T) {
	slow := func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(4 * time.Second) // of the bubble's clock
		reply(w, 500, "{}")
	}
	bubble(t, openai.Options{Timeout: 5 * time.Second, Patience: 10 * time.Second, Retries: 100}, slow, func(t *testing.T, client *openai.Client, visits func() []visit) {
		start := time.Now()
		_, err := client.Embeddings(t.Context(), "e5", []string{"tea"})
		wantError(t, err, openai.ErrTimeout, "no answer within 1.")
		if took := time.Since(start); took != 10*time.Second || len(visits()) != 3 {
			t.Errorf("gave up after %v and %d requests", took, len(visits()))
		}
	})
}

func TestCancel_EndsACallAndAWait(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"in a call": hang,
		"in a wait": answerWith(503, "Retry-After", "30"),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, openai.Options{}, handler, func(t *testing.T, client *openai.Client, visits func() []visit) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(3*time.Second, cancel)
				start := time.Now()
				_, err := client.Embeddings(ctx, "e5", []string{"tea"})
				if !errors.Is(err, context.Canceled) || !strings.HasPrefix(err.Error(), "POST http://server.test/v1/embeddings: ") {
					t.Errorf("error %v", err)
				}
				if took := time.Since(start); took != 3*time.Second || len(visits()) != 1 {
					t.Errorf("ended after %v and %d requests", took, len(visits()))
				}
			})
		})
	}
}

func TestDeadline_OfTheCallerIsTheCallers(t *testing.T) {
	bubble(t, openai.Options{}, hang, func(t *testing.T, client *openai.Client, _ func() []visit) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := client.Embeddings(ctx, "e5", []string{"tea"})
		if !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, openai.ErrTimeout) {
			t.Errorf("error %v, want the context's", err)
		}
	})
}
