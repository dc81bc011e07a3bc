package modelfile

import (
	"encoding/binary"
	"fmt"
)

// Bytes returns the file that f describes. Only the container is checked: the
// reader's open should be tried on the result.
func (f *File) Bytes() ([]byte, error) {
	if err := f.Shape.Check(); err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	if err := checkName(f.Name); err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	data := make([]byte, HeadBytes)
	copy(data, Magic)
	binary.LittleEndian.PutUint32(data[versionAt:], Version)
	for i, v := range f.Shape.fields() {
		binary.LittleEndian.PutUint32(data[shapeAt+4*i:], v)
	}
	binary.LittleEndian.PutUint32(data[nameLengthAt:], uint32(len(f.Name)))
	copy(data[nameAt:], f.Name)
	for i, section := range f.Sections {
		if want := f.Shape.Size(Section(i)); want >= 0 && int64(len(section)) != want {
			return nil, fmt.Errorf("write model: section %v has %d bytes, want %d", Section(i), len(section), want)
		}
		begin := aligned(uint64(len(data)))
		data = append(data, make([]byte, begin-uint64(len(data)))...)
		binary.LittleEndian.PutUint64(data[sectionTable+i*spanBytes:], begin)
		binary.LittleEndian.PutUint64(data[sectionTable+i*spanBytes+8:], uint64(len(section)))
		data = append(data, section...)
	}
	binary.LittleEndian.PutUint64(data[lengthAt:], uint64(len(data)))
	Seal(data)
	return data, nil
}

// Seal puts the right checksum into data, a file at least HeadBytes long.
func Seal(data []byte) {
	binary.LittleEndian.PutUint32(data[checksumAt:], checksum(data))
}
