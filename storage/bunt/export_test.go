package bunt

// WaitForSweep returns once no rewrite is under way, and the file's size then.
func WaitForSweep(s *Store) int64 {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	return s.Stats().FileBytes
}
