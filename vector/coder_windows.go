package vector

// coderLibrary is nil: github.com/coder/hnsw v0.6.1 needs renameio v1, whose
// TempFile does not exist on Windows.
func coderLibrary() func() library { return nil }
