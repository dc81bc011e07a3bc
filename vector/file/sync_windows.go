package file

// syncDir does nothing: Windows has no fsync of a directory; NTFS journals the
// rename.
func syncDir(string) error { return nil }
