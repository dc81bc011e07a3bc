package jsonrpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// MaxLine bounds a message in bytes: 100 memories of 32 KiB with every byte
// escaped would be 19 MiB, honest ones stay far below 8.
const MaxLine = 8 << 20

// Line is one line without its end. Over says that it was longer than MaxLine:
// Text is then its beginning.
type Line struct {
	Text []byte
	Over bool
}

// keptOfLong is how much is kept of a line that is too long: enough to find the
// request's id, which clients write first.
const keptOfLong = 64 << 10

// ReadLine reads up to the next newline or the end of in, holding no more than
// MaxLine of it. A last line without a newline counts. Error: io.EOF at the
// end, or that of in.
func ReadLine(in *bufio.Reader) (Line, error) {
	var line Line
	for {
		part, err := in.ReadSlice('\n')
		if !line.Over {
			line.Text = append(line.Text, part...)
		}
		if len(line.Text) > MaxLine {
			line.Over, line.Text = true, bytes.Clone(line.Text[:keptOfLong])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line.Text) > 0:
			err = nil
		}
		line.Text = bytes.TrimSpace(bytes.TrimPrefix(line.Text, []byte("\ufeff")))
		return line, err
	}
}

// Feed sends a client's lines to out, the messages of a batch one by one, until it ends
// or stop is closed, and leaves its end (nil for io.EOF) in the returned channel.
func Feed(in io.Reader, out chan<- Line, stop <-chan struct{}) <-chan error {
	end := make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := ReadLine(r)
			if err != nil {
				if errors.Is(err, io.EOF) {
					end <- nil
				} else {
					end <- fmt.Errorf("read from the client: %w", err)
				}
				return
			}
			for _, message := range messages(line) {
				select {
				case out <- message:
				case <-stop:
					return
				}
			}
		}
	}()
	return end
}

// maxBatch bounds the messages of a batch: no connection takes more at once.
const maxBatch = 1024

// messages are the lines that a line stands for. A batch (JSON-RPC's array, which
// a client of protocol version 2025-03-26 may send) stands for its messages, each
// of which is answered on a line of its own. What is no array of objects, or holds
// more than maxBatch, stays as it is, for its reader to refuse.
func messages(line Line) []Line {
	asItIs := []Line{line}
	if line.Over || !bytes.HasPrefix(line.Text, []byte("[")) {
		return asItIs
	}
	dec := json.NewDecoder(bytes.NewReader(line.Text))
	if _, err := dec.Token(); err != nil {
		return asItIs
	}
	var list []Line
	for dec.More() {
		var text json.RawMessage
		if len(list) == maxBatch || dec.Decode(&text) != nil || text[0] != '{' {
			return asItIs
		}
		list = append(list, Line{Text: text})
	}
	if _, err := dec.Token(); err != nil || dec.InputOffset() != int64(len(line.Text)) || len(list) == 0 {
		return asItIs
	}
	return list
}
