package tools

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds a message in bytes: 100 memories of 32 KiB with every byte
// escaped would be 19 MiB, honest ones stay far below 8.
const maxLine = 8 << 20

// inputLine is one line without its end. Over says that it was longer than
// maxLine: text is then its beginning.
type inputLine struct {
	text []byte
	over bool
}

// keptOfLong is how much is kept of a line that is too long: enough to find the
// request's id, which clients write first.
const keptOfLong = 64 << 10

// readLine reads up to the next newline or the end of in, holding no more than
// maxLine of it. A last line without a newline counts. Error: io.EOF at the
// end, or that of in.
func readLine(in *bufio.Reader) (inputLine, error) {
	var line inputLine
	for {
		part, err := in.ReadSlice('\n')
		if !line.over {
			line.text = append(line.text, part...)
		}
		if len(line.text) > maxLine {
			line.over, line.text = true, bytes.Clone(line.text[:keptOfLong])
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line.text) > 0:
			err = nil
		}
		line.text = bytes.TrimSpace(bytes.TrimPrefix(line.text, []byte("\ufeff")))
		return line, err
	}
}

// feed sends in's lines to out until it ends or stop is closed, and leaves its
// end (nil for io.EOF) in the returned channel.
func feed(in io.Reader, out chan<- inputLine, stop <-chan struct{}) <-chan error {
	end := make(chan error, 1)
	go func() {
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			line, err := readLine(r)
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				end <- err
				return
			}
			select {
			case out <- line:
			case <-stop:
				return
			}
		}
	}()
	return end
}
