package vector

// Rows lie in chunks of 2^chunkShift, so that a growing table neither copies nor
// holds spare room for more than one chunk (96 KiB at 384 bytes a row).
const (
	chunkShift = 8
	chunkRows  = 1 << chunkShift
)

// rows is a table of rows of one length that grows and shrinks at its end.
type rows[T int8 | uint32] struct {
	stride int   // elements a row
	count  int   // rows in use
	chunks [][]T // each chunkRows·stride long
}

// row is row i, shared: writing to it changes the table.
func (r *rows[T]) row(i uint32) []T {
	at := int(i&(chunkRows-1)) * r.stride
	return r.chunks[i>>chunkShift][at : at+r.stride : at+r.stride]
}

// push adds a row of zeros and returns it.
func (r *rows[T]) push() []T {
	if r.count == len(r.chunks)*chunkRows {
		r.chunks = append(r.chunks, make([]T, chunkRows*r.stride))
	}
	row := r.row(uint32(r.count))
	clear(row)
	r.count++
	return row
}

// pop takes the last row away, wipes it, and gives back its chunk when one more
// lies empty behind it, so that adding and removing at a border allocates
// nothing.
func (r *rows[T]) pop() {
	r.count--
	clear(r.row(uint32(r.count)))
	if spare := len(r.chunks)*chunkRows - r.count; spare >= 2*chunkRows {
		last := len(r.chunks) - 1
		r.chunks[last] = nil
		r.chunks = r.chunks[:last]
	}
}
