package builtin

import (
	"fmt"
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// wholePages returns the part of b that covers whole pages.
func wholePages(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	size := uintptr(os.Getpagesize())
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	skip := (size - start%size) % size
	if skip >= uintptr(len(b)) {
		return nil
	}
	b = b[skip:]
	return b[:uintptr(len(b))/size*size]
}

// returnable returns the whole pages of b if all of them are a file's and cannot
// be written, so that the system can always read them again; else nil: what a
// packer unfolded into memory is there only once.
func returnable(b []byte) []byte {
	b = wholePages(b)
	if len(b) == 0 {
		return nil
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(maps)) {
		var from, to uintptr
		var mode, offset, device string
		var inode uint64
		if _, err := fmt.Sscanf(line, "%x-%x %s %s %s %d", &from, &to, &mode, &offset, &device, &inode); err != nil {
			continue
		}
		if from <= start && start+uintptr(len(b)) <= to {
			if inode != 0 && !strings.Contains(mode, "w") {
				return b
			}
			return nil
		}
	}
	return nil
}

// giveBack drops pages that returnable returned. Who reads them meanwhile gets
// them anew. A failure costs memory and nothing else.
func giveBack(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) }
