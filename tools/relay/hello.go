package relay

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// protocol is the version of what processes say to each other. It changes when
// an older process could not understand it; fields may be added without.
const protocol = 1

// rightsAll is all that the user may do. There are no other rights yet, and an
// owner refuses those that it does not know.
const rightsAll = "all"

// helloTime bounds the introduction, so that a frozen owner is noticed.
const helloTime = 5 * time.Second

// maxHello bounds an introduction in bytes: a dozen settings.
const maxHello = 64 << 10

// Hello is how a link introduces itself.
type Hello struct {
	Relay   int    `json:"relay"` // protocol
	Version string `json:"version"`
	PID     int    `json:"pid"`
	Link    string `json:"link"` // random: with a call's number it names the call
	User    string `json:"user"` // whose calls they are
	Rights  string `json:"rights"`
	// Unordered says that the calls are of many sessions, none of which waits
	// for another's.
	Unordered bool `json:"unordered,omitempty"`
	// Settings are those of the process, by name, as far as they concern its
	// calls. No keys or tokens.
	Settings map[string]string `json:"settings,omitempty"`
	// Attached says that the link is another process's. The owner sets it.
	Attached bool `json:"-"`
}

// Welcome is what the owner answers.
type Welcome struct {
	Relay   int      `json:"relay"`
	Version string   `json:"version"`
	PID     int      `json:"pid"`
	Refused string   `json:"refused,omitempty"` // why the link is not served
	Differ  []string `json:"differ,omitempty"`  // settings of the link that do not count: the owner's do
}

// refusedError is why an owner does not serve a link. It lasts as long as the
// owner.
type refusedError struct{ text string }

// Error returns the reason.
func (e *refusedError) Error() string { return e.text }

// errSilent says that the owner took the connection and says nothing.
var errSilent = errors.New("the process that owns the memory does not answer")

// greet introduces a link over a new connection and returns the owner's answer.
// Errors: *refusedError, errSilent, or that of the connection.
func greet(conn net.Conn, in *bufio.Reader, h Hello) (Welcome, error) {
	w, err := exchange(conn, in, h)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return w, errSilent
	case err != nil:
		return w, err
	case w.Relay != protocol:
		return w, &refusedError{mismatch(h.Version, protocol, w.Version, w.Relay, w.PID)}
	case w.Refused != "":
		return w, &refusedError{w.Refused}
	}
	return w, conn.SetDeadline(time.Time{})
}

func exchange(conn net.Conn, in *bufio.Reader, h Hello) (w Welcome, err error) {
	if err := conn.SetDeadline(time.Now().Add(helloTime)); err != nil {
		return w, fmt.Errorf("set a deadline: %w", err)
	}
	if err := writeLine(conn, h); err != nil {
		return w, fmt.Errorf("introduce a session: %w", err)
	}
	if err := readLine(in, &w); err != nil {
		return w, fmt.Errorf("read the owner's answer: %w", err)
	}
	return w, nil
}

// mismatch says that two versions do not understand each other.
func mismatch(version string, speaks int, owner string, ownerSpeaks, pid int) string {
	return fmt.Sprintf("this process is mcp-memory %s (relay protocol %d), and the process that owns the memory, pid %d, is mcp-memory %s (relay protocol %d); nothing was done\n"+
		"end the older one and start it again in the version of the other", version, speaks, pid, owner, ownerSpeaks)
}

func writeLine(out io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}

// readLine reads one line of JSON, of at most maxHello bytes.
func readLine(in *bufio.Reader, v any) error {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxHello:
			return fmt.Errorf("an introduction of more than %d bytes", maxHello)
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return err
		}
		return json.Unmarshal(line, v)
	}
}
