package builtin

import (
	"encoding/binary"
	"math"
	"unsafe"
)

// floats is data, little-endian float32, as numbers: in place where the machine
// stores them so and data lies at an address for them, else a copy. The result
// must not be written.
func floats(data []byte) []float32 {
	count := len(data) / 4
	if count == 0 {
		return nil
	}
	first := unsafe.Pointer(unsafe.SliceData(data))
	if littleEndian() && uintptr(first)%unsafe.Alignof(float32(0)) == 0 {
		return unsafe.Slice((*float32)(first), count)
	}
	numbers := make([]float32, count)
	for i := range numbers {
		numbers[i] = floatAt(data, i)
	}
	return numbers
}

// littleEndian reports how this machine stores numbers.
func littleEndian() bool { return binary.NativeEndian.Uint16([]byte{1, 0}) == 1 }

// floatAt is the float32 at index i of little-endian bytes.
func floatAt(data []byte, i int) float32 {
	return math.Float32frombits(uint32At(data, i))
}

// uint32At is the uint32 at index i of little-endian bytes.
func uint32At(data []byte, i int) uint32 {
	return binary.LittleEndian.Uint32(data[4*i:])
}
