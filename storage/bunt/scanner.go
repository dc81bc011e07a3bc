package bunt

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// setMarker begins every set. No value holds it: JSON has no raw \r.
	setMarker = "*3\r\n$3\r\nset\r\n"
	delMarker = "*2\r\n$3\r\ndel\r\n"
	// maxLength bounds a key or value, in bytes.
	maxLength = 16 << 20

	scanBuffer = 1 << 16
)

var (
	// errTorn says that the file ends within a command.
	errTorn = errors.New("command is cut short")
	// errDamaged says that bytes are not a command.
	errDamaged = errors.New("not a command")
)

// command is one command of the file.
type command struct {
	offset, length int64
	del            bool
	key            string
	value          []byte // valid until the next call
}

// scanner reads the commands of a BuntDB file, strictly: only set without a
// time to live and del, no stray bytes, lengths that lie within the file. It
// allocates no more than the file holds.
type scanner struct {
	src    io.ReaderAt
	size   int64
	offset int64 // of the next byte
	reader *bufio.Reader
	value  []byte
}

func newScanner(src io.ReaderAt, size int64) *scanner {
	s := &scanner{src: src, size: size, reader: bufio.NewReaderSize(nil, scanBuffer)}
	s.seek(0)
	return s
}

func (s *scanner) seek(offset int64) {
	s.offset = offset
	s.reader.Reset(io.NewSectionReader(s.src, offset, s.size-offset))
}

// next reads a command. Errors: io.EOF at the end of the file; errTorn and
// errDamaged, after which the scanner stands where it gave up; the source's.
func (s *scanner) next() (command, error) {
	if s.offset == s.size {
		return command{}, io.EOF
	}
	c := command{offset: s.offset}
	marker := setMarker
	if first, err := s.reader.Peek(2); err == nil && string(first) == delMarker[:2] {
		marker, c.del = delMarker, true
	}
	if err := s.expect(marker); err != nil {
		return c, err
	}
	key, err := s.bulk()
	if err != nil {
		return c, err
	}
	c.key = string(key)
	if !c.del {
		if c.value, err = s.bulk(); err != nil {
			return c, err
		}
	}
	c.length = s.offset - c.offset
	return c, nil
}

// expect reads the bytes of want.
func (s *scanner) expect(want string) error {
	for i := range len(want) {
		b, err := s.byte()
		if err != nil {
			return err
		}
		if b != want[i] {
			return fmt.Errorf("%w: byte %d", errDamaged, s.offset-1)
		}
	}
	return nil
}

func (s *scanner) byte() (byte, error) {
	b, err := s.reader.ReadByte()
	if err == io.EOF {
		return 0, errTorn
	}
	s.offset++
	return b, err
}

// bulk reads $<length>\r\n<bytes>\r\n. The bytes are valid until the next call.
func (s *scanner) bulk() ([]byte, error) {
	n, err := s.length()
	if err != nil {
		return nil, err
	}
	if n > s.size-s.offset {
		return nil, errTorn
	}
	if int64(cap(s.value)) < n {
		s.value = make([]byte, n)
	}
	s.value = s.value[:n]
	read, err := io.ReadFull(s.reader, s.value)
	s.offset += int64(read)
	if err != nil {
		return nil, err
	}
	return s.value, s.expect("\r\n")
}

// length reads $<length>\r\n.
func (s *scanner) length() (int64, error) {
	if err := s.expect("$"); err != nil {
		return 0, err
	}
	var n int64
	for {
		b, err := s.byte()
		switch {
		case err != nil:
			return 0, err
		case b == '\r' && n > 0:
			return n, s.expect("\n")
		case b < '0' || b > '9' || b == '0' && n == 0:
			return 0, fmt.Errorf("%w: length at byte %d", errDamaged, s.offset-1)
		}
		if n = n*10 + int64(b-'0'); n > maxLength {
			return 0, fmt.Errorf("%w: length over %d at byte %d", errDamaged, maxLength, s.offset-1)
		}
	}
}

// resync returns where the next set begins at or after from; the file's size
// where there is none.
func (s *scanner) resync(from int64) (int64, error) {
	window := make([]byte, scanBuffer)
	for from < s.size {
		n, err := s.src.ReadAt(window[:min(int64(len(window)), s.size-from)], from)
		if err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.Index(window[:n], []byte(setMarker)); i >= 0 {
			return from + int64(i), nil
		}
		if n < len(window) {
			break
		}
		from += int64(n - len(setMarker) + 1)
	}
	return s.size, nil
}

// torn reports whether the bytes from offset to the end of the file are what a
// crash leaves of one command: no NUL, and no complete value, whose length
// would then be what is wrong. That no command follows, the caller knows.
func (s *scanner) torn(offset int64) (bool, error) {
	src := io.NewSectionReader(s.src, offset, s.size-offset)
	reader := bufio.NewReaderSize(src, scanBuffer)
	var last [3]byte
	for {
		b, err := reader.ReadByte()
		if err == io.EOF {
			return string(last[:]) != "\n\r\n", nil
		}
		if err != nil || b == 0 {
			return false, err
		}
		last = [3]byte{last[1], last[2], b}
	}
}
