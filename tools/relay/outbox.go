package relay

import (
	"context"
	"io"
	"sync"
	"time"
)

// outboxRoom is how many bytes may wait for a slow reader before no more is
// taken from the other side.
const outboxRoom = 4 << 20

// outbox writes messages, each on a line, in the order they were put, and lets
// nobody wait for a slow reader.
type outbox struct {
	out    io.Writer
	wake   chan struct{} // there is something to do for the writer
	room   chan struct{} // it is no longer full
	broken chan struct{} // closed after the first failed write
	done   chan struct{} // closed when the writer has ended

	mu     sync.Mutex // guards what follows
	queue  [][]byte
	size   int
	closed bool
	err    error
}

func newOutbox(out io.Writer) *outbox {
	o := &outbox{out: out, wake: make(chan struct{}, 1), room: make(chan struct{}, 1), broken: make(chan struct{}), done: make(chan struct{})}
	go o.write()
	return o
}

// put queues a message. It owns its bytes.
func (o *outbox) put(message []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.err != nil {
		return
	}
	o.queue = append(o.queue, message)
	o.size += len(message)
	signal(o.wake)
}

// full reports whether the reader is so slow that no more should be put.
func (o *outbox) full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.size > outboxRoom
}

func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func (o *outbox) write() {
	defer close(o.done)
	for {
		message, more := o.next()
		if message == nil {
			if !more {
				return
			}
			<-o.wake
			continue
		}
		if _, err := o.out.Write(append(message, '\n')); err != nil {
			o.fail(err)
			return
		}
		o.wrote(len(message))
	}
}

// next is the next message; nil where there is none, and then whether more may
// come.
func (o *outbox) next() (message []byte, more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return nil, !o.closed
	}
	message, o.queue = o.queue[0], o.queue[1:]
	return message, true
}

func (o *outbox) wrote(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	was := o.size > outboxRoom
	o.size -= n
	if was && o.size <= outboxRoom {
		signal(o.room)
	}
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.queue, o.size = err, nil, 0
	close(o.broken)
}

// failed is why nothing more is written.
func (o *outbox) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// end takes no more messages. Those that wait are written still.
func (o *outbox) end() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	signal(o.wake)
}

// close takes no more messages, and waits at most so long until those that wait
// are written; once ctx is done, for flushTime at most.
func (o *outbox) close(ctx context.Context, most time.Duration) {
	o.end()
	limit := time.NewTimer(most)
	defer limit.Stop()
	select {
	case <-o.done:
		return
	case <-limit.C:
		return
	case <-ctx.Done():
	}
	last := time.NewTimer(flushTime)
	defer last.Stop()
	select {
	case <-o.done:
	case <-last.C:
	}
}
