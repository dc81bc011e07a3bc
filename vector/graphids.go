package vector

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// GraphIDs returns the ids of the vectors that a saved graph has places for, without
// their vectors at hand. Error: [ErrGraph].
func GraphIDs(saved []byte) (map[uint32]bool, error) {
	body := len(saved) - crc32.Size
	if body < len(graphMagic) || string(saved[:len(graphMagic)]) != graphMagic {
		return nil, fmt.Errorf("%w: not a graph of this version", ErrGraph)
	}
	if crc32.Checksum(saved[:body], castagnoli) != binary.LittleEndian.Uint32(saved[body:]) {
		return nil, fmt.Errorf("%w: checksum differs", ErrGraph)
	}
	d := decoder{rest: saved[len(graphMagic):body]}
	d.take(3 * 4) // dim and degrees
	n := d.uint32()
	d.take(4) // entry
	ids := map[uint32]bool{}
	for range n {
		id := d.uint32()
		d.uint64() // fingerprint
		d.skipPlace(int8(d.uint8()))
		if d.fail != nil {
			return nil, fmt.Errorf("%w: %w", ErrGraph, d.fail)
		}
		ids[id] = true
	}
	return ids, d.fail
}

// skipPlace reads over where a vector stands: the node it is a twin of, or its
// neighbours.
func (d *decoder) skipPlace(level int8) {
	if level == notNode {
		d.take(4)
		return
	}
	for range int(level) + 1 {
		d.take(4 * int(d.uint8()))
	}
}
