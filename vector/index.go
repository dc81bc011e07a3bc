// Package vector finds the nearest of many vectors by cosine.
//
// Three engines keep one contract, [Index]: [NewExact] compares with every
// vector and is the truth, [HNSW] walks a graph and is faster from some size
// on, [Coder] guards github.com/coder/hnsw. It knows neither records nor
// texts: the caller numbers its vectors.
package vector

import "errors"

// Index holds unit vectors under the caller's numbers and finds the nearest to a
// query. It is safe for concurrent use.
type Index interface {
	// Add puts a vector under id, in place of the one that was there. v is copied
	// and brought to unit length. Errors: ErrDimension, ErrNotFinite (NaN,
	// infinite) and ErrZero; nothing is changed then.
	Add(id uint32, v []float32) error
	// Remove takes id out and reports whether it was there. It is never found
	// again, by no later search.
	Remove(id uint32) bool
	// Search returns the k nearest of those that keep accepts (nil: all), by
	// descending cosine, ties by ascending id; fewer only where fewer are kept.
	// keep must not call the index.
	// Errors as Add, for the query.
	Search(query []float32, k int, keep func(id uint32) bool) ([]Hit, error)
	// Cosines writes the cosine of query with the vector of each id into out, which
	// is as long as ids; NaN where an id has none.
	Cosines(query []float32, ids []uint32, out []float32) error
	// Vector writes the vector of id to out, which is as long as it, as the index
	// keeps it and at unit length; it reports whether there is one.
	Vector(id uint32, out []float32) bool
	// Len is the number of vectors.
	Len() int
}

// Hit is a vector found.
type Hit struct {
	ID     uint32
	Cosine float32 // −1 to 1
}

// Errors of an Index, wrapped with what was given.
var (
	ErrDimension = errors.New("wrong dimension")
	ErrNotFinite = errors.New("vector with a number that is not finite")
	ErrZero      = errors.New("vector of length zero")
)
