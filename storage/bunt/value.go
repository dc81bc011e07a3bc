package bunt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"mcp-memory/storage"
)

const (
	frame    = "m1 "
	frameLen = len(frame) + 8 + 1 // eight hex digits and the newline

	keyPrefix = "op:"
	keyMeta   = "meta"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errValue says that a value is not one that was written under its key.
var errValue = errors.New("bad value")

// opKey returns the key of operation number seq.
func opKey(seq uint64) string { return fmt.Sprintf(keyPrefix+"%016x", seq) }

// parseKey returns the number of an operation's key, and false for any key
// that [opKey] does not make.
func parseKey(key string) (uint64, bool) {
	digits, ok := strings.CutPrefix(key, keyPrefix)
	if !ok || len(digits) != 16 || strings.ToLower(digits) != digits {
		return 0, false
	}
	seq, err := strconv.ParseUint(digits, 16, 64)
	return seq, err == nil
}

// checksum is CRC-32C over key, a NUL and body.
func checksum(key string, body []byte) uint32 {
	sum := crc32.Update(0, castagnoli, []byte(key+"\x00"))
	return crc32.Update(sum, castagnoli, body)
}

// seal puts the checksum line before body.
func seal(key string, body []byte) string {
	var b strings.Builder
	b.Grow(frameLen + len(body))
	fmt.Fprintf(&b, frame+"%08x\n", checksum(key, body))
	b.Write(body)
	return b.String()
}

// unseal checks the checksum line of value and returns what follows it. It
// shares value's bytes. Error: errValue.
func unseal(key string, value []byte) ([]byte, error) {
	if len(value) <= frameLen || string(value[:len(frame)]) != frame || value[frameLen-1] != '\n' {
		return nil, fmt.Errorf("%w: no checksum line", errValue)
	}
	body := value[frameLen:]
	want := fmt.Sprintf("%08x", checksum(key, body))
	if string(value[len(frame):frameLen-1]) != want {
		return nil, fmt.Errorf("%w: checksum differs", errValue)
	}
	return body, nil
}

// headLine is the second line of an operation.
type headLine struct {
	storage.Op
	Again []againLine `json:"again,omitempty"`
	Puts  int         `json:"puts,omitempty"`
}

// recordLine is the line of one put.
type recordLine struct {
	Purged bool `json:"purged,omitempty"`
	storage.Record
}

// encode writes an operation as the value of key.
func encode(key string, op storage.Op, records []recordLine) (string, error) {
	return encodeLines(key, headLine{Op: op}, records)
}

func encodeLines(key string, head headLine, records []recordLine) (string, error) {
	var body bytes.Buffer
	lines := json.NewEncoder(&body)
	lines.SetEscapeHTML(false)
	head.Puts = len(records)
	if err := lines.Encode(head); err != nil {
		return "", err
	}
	for _, r := range records {
		if err := lines.Encode(r); err != nil {
			return "", err
		}
	}
	return seal(key, body.Bytes()), nil
}

// split returns the lines after the checksum line of an operation's value,
// which the caller has unsealed before or made. They share its bytes.
func split(value string) (head string, puts []string, err error) {
	if len(value) <= frameLen || !strings.HasSuffix(value, "\n") {
		return "", nil, fmt.Errorf("%w: no lines", errValue)
	}
	head, rest, _ := strings.Cut(value[frameLen:], "\n")
	puts = make([]string, 0, strings.Count(rest, "\n"))
	for line := range strings.Lines(rest) {
		puts = append(puts, line[:len(line)-1])
	}
	return head, puts, nil
}

// decode reads an operation back from its value, records apart.
func decode(value string) (storage.Op, []recordLine, error) {
	head, records, err := decodeLines(value)
	return head.Op, records, err
}

func decodeLines(value string) (headLine, []recordLine, error) {
	line, puts, err := split(value)
	if err != nil {
		return headLine{}, nil, err
	}
	var head headLine
	if err := json.Unmarshal([]byte(line), &head); err != nil {
		return headLine{}, nil, fmt.Errorf("%w: %v", errValue, err)
	}
	records := make([]recordLine, len(puts))
	for i, put := range puts {
		if err := json.Unmarshal([]byte(put), &records[i]); err != nil {
			return headLine{}, nil, fmt.Errorf("%w: record %d: %v", errValue, i, err)
		}
	}
	return head, records, nil
}
