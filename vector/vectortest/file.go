package vectortest

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
)

// ReadFile reads vectors of dim numbers, one behind the other, float32, little
// endian.
func ReadFile(path string, dim int) ([][]float32, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	row := 4 * dim
	if dim < 1 || len(raw) == 0 || len(raw)%row != 0 {
		return nil, fmt.Errorf("read vectors: %s has %d bytes, want a multiple of 4·%d", path, len(raw), dim)
	}
	vectors := make([][]float32, len(raw)/row)
	for i := range vectors {
		v := make([]float32, dim)
		for j := range v {
			v[j] = math.Float32frombits(binary.LittleEndian.Uint32(raw[i*row+4*j:]))
		}
		vectors[i] = v
	}
	return vectors, nil
}
