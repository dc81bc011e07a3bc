package bunt

// WaitForSweep returns once no rewrite is under way.
func WaitForSweep(s *Store) {
	s.compacting.Lock()
	s.compacting.Unlock() //nolint:staticcheck // waiting is all that is wanted
}
