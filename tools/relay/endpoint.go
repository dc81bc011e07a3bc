package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"mcp-memory/internal/files"
)

// Files of the owner in the data directory. One of them is there while it
// listens, and after it was killed.
const (
	socketName = "memory.sock"
	portName   = "memory.port" // where no socket can be: a port and a secret
)

// maxSocketPath bounds a socket's path in bytes: systems take 104 to 108.
const maxSocketPath = 100

// dialTime bounds how long a connection may take to be made.
const dialTime = time.Second

// port is what portName holds.
type port struct {
	Addr   string `json:"addr"`
	Secret string `json:"secret"`
}

// endpoint is where an owner listens.
type endpoint struct {
	net.Listener
	path   string // of its file
	secret string // empty: the socket's mode guards it
}

// listen opens the endpoint of the directory's owner, and removes what another
// one left. The caller has the lock.
func listen(dir string) (*endpoint, error) {
	for _, name := range []string{socketName, portName} {
		_ = os.Remove(filepath.Join(dir, name)) // what cannot go is in the way of one kind only
	}
	path := filepath.Join(dir, socketName)
	if hasSockets(path) {
		if e, err := listenSocket(path); err == nil {
			return e, nil
		} // some file systems know no sockets
	}
	return listenPort(filepath.Join(dir, portName))
}

func hasSockets(path string) bool { return runtime.GOOS != "windows" && len(path) <= maxSocketPath }

func listenSocket(path string) (*endpoint, error) {
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	// Until then the directory's mode guards it.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &endpoint{Listener: l, path: path}, nil
}

func listenPort(path string) (*endpoint, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for other processes: %w", err)
	}
	e := &endpoint{Listener: l, path: path, secret: newSecret()}
	line, err := json.Marshal(port{l.Addr().String(), e.secret})
	if err == nil {
		err = files.WriteWhole(path, line)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", portName, err), l.Close())
	}
	return e, nil
}

// isThere reports whether others can find the endpoint.
func (e *endpoint) isThere() bool {
	_, err := os.Lstat(e.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Close stops listening and takes the endpoint's file away, before somebody
// else can have made one of his own.
func (e *endpoint) Close() error {
	return errors.Join(e.Listener.Close(), files.Remove(e.path))
}

// handshake lets only those in who know the secret.
func (e *endpoint) handshake(conn net.Conn) error {
	if e.secret == "" {
		return nil
	}
	return proveOwner(conn, e.secret)
}

// errNobody says that no owner listens in the directory.
var errNobody = errors.New("nobody listens in the data directory")

// dial connects to the directory's owner. Error: errNobody, or that of the
// handshake, which a frozen owner does not answer.
func dial(ctx context.Context, dir string) (net.Conn, error) {
	d := net.Dialer{Timeout: dialTime}
	if path := filepath.Join(dir, socketName); hasSockets(path) {
		if conn, err := d.DialContext(ctx, "unix", path); err == nil {
			return conn, nil
		}
	}
	raw, err := os.ReadFile(filepath.Join(dir, portName))
	if err != nil {
		return nil, errNobody
	}
	var p port
	if json.Unmarshal(raw, &p) != nil || p.Secret == "" {
		return nil, errNobody
	}
	conn, err := d.DialContext(ctx, "tcp", p.Addr)
	if err != nil {
		return nil, errNobody
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	err = proveAttached(conn, p.Secret)
	switch {
	case err == nil:
		return conn, nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errors.Join(errSilent, conn.Close())
	}
	return nil, errors.Join(errNobody, conn.Close()) // the port is somebody else's by now
}
