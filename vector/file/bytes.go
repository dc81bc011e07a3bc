package file

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"github.com/x448/float16"
)

// The bytes of a file; ../FORMAT.md draws them.
const (
	magic     = "MMVEC\r\n\x1a"
	version   = 1
	fixedHead = len(magic) + 3*4 // magic, version, dim, length of the model's name
	sumSize   = 4
	keySize   = 32 // one byte of length, the id, zeros
	maxID     = keySize - 1
	maxModel  = 1024
	maxDim    = 1 << 16
)

// errHeader: the head of the file is damaged.
var errHeader = errors.New("not a vector file")

// newerError says that a file was written by a later program.
type newerError struct{ found uint32 }

func (e newerError) Error() string {
	return fmt.Sprintf("the vector file has format version %d, this program reads up to %d: use a newer mcp-memory", e.found, version)
}

// castagnoli is CRC-32C, which processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fileName names a model's file: names may hold what a file name may not.
func fileName(model string) string {
	sum := sha256.Sum256([]byte(model))
	return prefix + hex.EncodeToString(sum[:8]) + suffix
}

// header opens a file.
type header struct {
	model string
	dim   int
	sum   uint32 // of the bytes before it; seeds the checksum of every entry
}

func newHeader(model string, dim int) header {
	h := header{model: model, dim: dim}
	h.sum = crc32.Checksum(h.unsummed(), castagnoli)
	return h
}

func (h header) unsummed() []byte {
	b := append(make([]byte, 0, h.size()), magic...)
	b = binary.LittleEndian.AppendUint32(b, version)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.dim))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(h.model)))
	return append(b, h.model...)
}

func (h header) encode() []byte { return binary.LittleEndian.AppendUint32(h.unsummed(), h.sum) }

func (h header) size() int64      { return int64(fixedHead + len(h.model) + sumSize) }
func (h header) entrySize() int64 { return int64(keySize + 2*h.dim + sumSize) }

// readHeader reads and checks a head. It returns errHeader for one that is not
// ours, newerError for a later version's, else what reading returned.
func readHeader(r io.Reader) (header, error) {
	fixed := make([]byte, fixedHead)
	if err := readAll(r, fixed); err != nil {
		return header{}, err
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(fixed[len(magic)+4*i:]) }
	dim, name := field(1), field(2)
	if string(fixed[:len(magic)]) != magic || dim == 0 || dim > maxDim || name == 0 || name > maxModel {
		return header{}, errHeader
	}
	rest := make([]byte, name+sumSize)
	if err := readAll(r, rest); err != nil {
		return header{}, err
	}
	sum := crc32.Update(crc32.Checksum(fixed, castagnoli), castagnoli, rest[:name])
	switch found := field(0); {
	case sum != binary.LittleEndian.Uint32(rest[name:]) || found == 0:
		return header{}, errHeader
	case found > version:
		return header{}, newerError{found}
	}
	return newHeader(string(rest[:name]), int(dim)), nil
}

// readAll fills b; a file that ends too early is not ours.
func readAll(r io.Reader, b []byte) error {
	_, err := io.ReadFull(r, b)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errHeader
	}
	return err
}

// appendEntry appends the entry of v and rounds v to what it holds.
func (h header) appendEntry(out []byte, id string, v []float32) ([]byte, error) {
	if id == "" || len(id) > maxID {
		return nil, fmt.Errorf("id %q has %d bytes; 1 to %d are wanted", id, len(id), maxID)
	}
	if len(v) != h.dim {
		return nil, fmt.Errorf("a vector of %d numbers; this model's have %d", len(v), h.dim)
	}
	from := len(out)
	out = append(append(out, byte(len(id))), id...)
	out = append(out, make([]byte, maxID-len(id))...)
	for i, x := range v {
		half := float16.Fromfloat32(x)
		if v[i] = half.Float32(); math.IsNaN(float64(v[i])) || math.IsInf(float64(v[i]), 0) {
			return nil, fmt.Errorf("a vector whose number %d is %v; finite ones are wanted", i, x)
		}
		out = binary.LittleEndian.AppendUint16(out, half.Bits())
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Update(h.sum, castagnoli, out[from:])), nil
}

// decodeEntry returns the id of an entry; not ok where its checksum is wrong.
func (h header) decodeEntry(raw []byte) (id string, ok bool) {
	body := raw[:len(raw)-sumSize]
	if crc32.Update(h.sum, castagnoli, body) != binary.LittleEndian.Uint32(raw[len(body):]) {
		return "", false
	}
	n := int(body[0])
	if n == 0 || n > maxID {
		return "", false
	}
	return string(body[1 : 1+n]), true
}

// decodeVector reads len(v) numbers.
func decodeVector(v []float32, raw []byte) {
	for i := range v {
		v[i] = float16.Frombits(binary.LittleEndian.Uint16(raw[2*i:])).Float32()
	}
}
