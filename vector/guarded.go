package vector

import "sync"

// guarded is a set behind a lock: what all engines do alike.
type guarded struct {
	mu  sync.RWMutex // guards set, and what the engine keeps beside it
	set *Set
}

// Cosines is [Index]'s.
func (g *guarded) Cosines(v []float32, ids []uint32, out []float32) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.set.cosines(v, ids, out)
}

// Len is [Index]'s.
func (g *guarded) Len() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.set.Len()
}

// Vector is [Index]'s.
func (g *guarded) Vector(id uint32, out []float32) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.set.Vector(id, out)
}
