package modelfile

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// File is a parsed file: views into its bytes.
type File struct {
	Shape    Shape
	Name     string
	Sections [Sections][]byte
}

// Parse reads the head of data and finds the sections. It checks everything the
// head says, and of the sections that they lie where they must and are as long
// as the shape wants; verify also checks the checksum, which reads every byte.
func Parse(data []byte, verify bool) (*File, error) {
	if err := checkFrame(data); err != nil {
		return nil, err
	}
	if verify {
		if want, got := binary.LittleEndian.Uint32(data[checksumAt:]), checksum(data); got != want {
			return nil, fmt.Errorf("checksum is %08x, the head says %08x", got, want)
		}
	}
	f := &File{Shape: shapeOf(readFields(data[shapeAt:]))}
	if err := f.Shape.Check(); err != nil {
		return nil, err
	}
	if err := f.readName(data); err != nil {
		return nil, err
	}
	return f, f.findSections(data)
}

// checkFrame checks magic, version and length.
func checkFrame(data []byte) error {
	if len(data) < HeadBytes {
		return fmt.Errorf("%d bytes, the head alone has %d", len(data), HeadBytes)
	}
	if got := string(data[:len(Magic)]); got != Magic {
		return fmt.Errorf("begins with %q, want %q", got, Magic)
	}
	if got := binary.LittleEndian.Uint32(data[versionAt:]); got != Version {
		return fmt.Errorf("version %d, this program reads version %d", got, Version)
	}
	if got := binary.LittleEndian.Uint64(data[lengthAt:]); got != uint64(len(data)) {
		return fmt.Errorf("%d bytes, the head says %d", len(data), got)
	}
	return nil
}

// readFields reads the shape's numbers.
func readFields(data []byte) (fields [12]uint32) {
	for i := range fields {
		fields[i] = binary.LittleEndian.Uint32(data[4*i:])
	}
	return fields
}

// readName reads and checks the name.
func (f *File) readName(data []byte) error {
	length := binary.LittleEndian.Uint32(data[nameLengthAt:])
	if length < 1 || length > MaxName {
		return fmt.Errorf("name of %d bytes, want 1 to %d", length, MaxName)
	}
	f.Name = string(data[nameAt : nameAt+length])
	if err := checkName(f.Name); err != nil {
		return err
	}
	return checkZeros(data, uint64(nameAt+length), sectionTable)
}

// checkZeros refuses anything but zeros from one byte up to another.
func checkZeros(data []byte, from, to uint64) error {
	for i := from; i < to; i++ {
		if data[i] != 0 {
			return fmt.Errorf("byte %d is %d, want 0", i, data[i])
		}
	}
	return nil
}

// checkName refuses what could not be shown or compared safely.
func checkName(name string) error {
	if len(name) < 1 || len(name) > MaxName {
		return fmt.Errorf("name of %d bytes, want 1 to %d", len(name), MaxName)
	}
	for _, c := range []byte(name) {
		if c <= ' ' || c > '~' {
			return fmt.Errorf("name is %q, want printable ASCII without spaces", name)
		}
	}
	return nil
}

// findSections cuts data into its sections. They leave no gap but the padding,
// so where each one lies follows from the lengths.
func (f *File) findSections(data []byte) error {
	end := uint64(HeadBytes)
	for i := range f.Sections {
		at := data[sectionTable+i*spanBytes:]
		offset, length := binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:])
		section, begin := Section(i), aligned(end)
		if offset != begin {
			return fmt.Errorf("section %v begins at byte %d, want %d", section, offset, begin)
		}
		if begin > uint64(len(data)) || length > uint64(len(data))-begin {
			return fmt.Errorf("section %v has %d bytes from byte %d, the file has %d", section, length, offset, len(data))
		}
		if want := f.Shape.Size(section); want >= 0 && length != uint64(want) {
			return fmt.Errorf("section %v has %d bytes, want %d", section, length, want)
		}
		if err := checkZeros(data, end, begin); err != nil {
			return err
		}
		end = begin + length
		f.Sections[i] = data[begin:end:end]
	}
	if end != uint64(len(data)) {
		return fmt.Errorf("%d bytes after the last section, want none", uint64(len(data))-end)
	}
	return nil
}

// aligned is the first multiple of Align from at on.
func aligned(at uint64) uint64 { return (at + Align - 1) / Align * Align }

// checksum is the CRC-32C of all of data but the checksum itself.
func checksum(data []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(data[:checksumAt], table), table, data[checksumAt+4:])
}
