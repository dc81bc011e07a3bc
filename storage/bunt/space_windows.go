package bunt

import "golang.org/x/sys/windows"

// freeBytes returns how much a user may still write to the disk that path is on.
func freeBytes(path string) (int64, bool) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, false
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0, false
	}
	return int64(free), true
}

// diskID is not known here: what is on another disk lies under another letter.
func diskID(string) string { return "" }
