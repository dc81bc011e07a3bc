package openai_test

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"mcp-memory/internal/openai"
)

// memory is a listener whose connections are pipes: a real HTTP client and server
// meet over it under a clock that jumps, so that waits are exact and take no time.
type memory struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case conn := <-m.conns:
		return conn, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error {
	m.once.Do(func() { close(m.closed) })
	return nil
}

func (m *memory) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (m *memory) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// visit is a request to the server in memory.
type visit struct {
	at   time.Duration // since the test began
	sent request
}

// bubble runs a test with a client of a server in memory. visits are the
// requests the server got.
func bubble(t *testing.T, options openai.Options, handler http.HandlerFunc, test func(t *testing.T, client *openai.Client, visits func() []visit)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := &memory{conns: make(chan net.Conn), closed: make(chan struct{})}
		start := time.Now()
		var mu sync.Mutex
		var visits []visit
		server := &http.Server{ErrorLog: quiet(), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			came := visit{time.Since(start), readRequest(t, r)}
			mu.Lock()
			visits = append(visits, came)
			mu.Unlock()
			handler(w, r)
		})}
		var served sync.WaitGroup
		served.Go(func() { server.Serve(listener) })
		t.Cleanup(served.Wait)
		t.Cleanup(func() { server.Shutdown(context.Background()) }) // waits for its handlers
		options.BaseURL = "http://server.test/v1"
		options.Transport = &http.Transport{DialContext: listener.dial}
		test(t, newClient(t, options), func() []visit {
			mu.Lock()
			defer mu.Unlock()
			return visits
		})
	})
}
