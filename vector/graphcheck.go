package vector

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// CheckSaved reads a saved graph to its end without the vectors that it is over, in
// little memory, and returns how many they are. Error: [ErrGraph], for a checksum
// that differs, or for a format version above this program's, naming both.
func CheckSaved(saved io.Reader) (vectors int, err error) {
	const head = len(graphMagic) + 5*4
	first := make([]byte, head)
	if _, err := io.ReadFull(saved, first); err != nil {
		return 0, cutShort(err)
	}
	vectors = int(binary.LittleEndian.Uint32(first[len(graphMagic)+3*4:]))
	sum := crc32.New(castagnoli)
	if _, err := sum.Write(first); err != nil {
		return 0, err
	}
	last, err := sumAllButLast(sum, saved)
	if err != nil {
		return 0, cutShort(err)
	}
	return vectors, checkHead(first, binary.LittleEndian.Uint32(last) == sum.Sum32())
}

// checkHead refuses what is no whole graph of this version. A version is believed
// only where the checksum over all is right.
func checkHead(saved []byte, sumIsRight bool) error {
	name, version := []byte(graphMagic[:len(graphMagic)-1]), graphMagic[len(graphMagic)-1]
	switch {
	case !bytes.HasPrefix(saved, name):
		return fmt.Errorf("%w: not a graph", ErrGraph)
	case !sumIsRight:
		return fmt.Errorf("%w: checksum differs", ErrGraph)
	case saved[len(name)] != version:
		return fmt.Errorf("%w: it has format version %d, this program reads up to %d", ErrGraph, saved[len(name)], version)
	}
	return nil
}

// sumAllButLast adds all of from to sum but its last four bytes, which it returns.
func sumAllButLast(sum io.Writer, from io.Reader) ([]byte, error) {
	block, kept := make([]byte, 1<<16), 0
	for {
		n, err := from.Read(block[kept:])
		n += kept
		if n > crc32.Size {
			if _, err := sum.Write(block[:n-crc32.Size]); err != nil {
				return nil, err
			}
			copy(block, block[n-crc32.Size:n])
			n = crc32.Size
		}
		kept = n
		switch {
		case errors.Is(err, io.EOF) && kept < crc32.Size:
			return nil, io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF):
			return block[:kept], nil
		case err != nil:
			return nil, err
		}
	}
}

// cutShort says of a file that ends too early that it is no graph.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends too early", ErrGraph)
	}
	return err
}
