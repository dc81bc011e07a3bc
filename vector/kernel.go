package vector

// dotRows writes to out[i] the dot product of q with the row of table that
// slots[i] names. q is as long as a row, a multiple of kernelLanes; products and
// sums must fit an int32, see queryPeak.
//
// It takes the fastest way this processor has. All give the same integers, so
// answers do not depend on the machine. Measured for 10,000 rows of 384 on one
// core: AVX2 .18 ms, vek32.Dot over float32 .63 ms, plain Go 5.8 ms.
func dotRows(q []int16, table *rows[int8], slots []uint32, out []int32) {
	if len(slots) == 0 {
		return
	}
	if hasAVX2 {
		dotRowsFast(q, table, slots, out)
		return
	}
	dotRowsPlain(q, table, slots, out)
}

// kernelLanes is how many elements a kernel takes at once; rows are padded with
// zeros to a multiple of it. 64 bytes are also a line of the cache.
const kernelLanes = 64

// dotRowsPlain is dotRows in Go.
func dotRowsPlain(q []int16, table *rows[int8], slots []uint32, out []int32) {
	for i, slot := range slots {
		out[i] = dotPlain(q, table.row(slot))
	}
}

// dotPlain sums in four lanes, which keeps the multiplier busy.
func dotPlain(q []int16, row []int8) int32 {
	var a, b, c, d int32
	row = row[:len(q)]
	for len(q) >= 4 && len(row) >= 4 {
		a += int32(q[0]) * int32(row[0])
		b += int32(q[1]) * int32(row[1])
		c += int32(q[2]) * int32(row[2])
		d += int32(q[3]) * int32(row[3])
		q, row = q[4:], row[4:]
	}
	return a + b + c + d
}

// widen writes the numbers of row to w, which is as long: a multiple of
// kernelLanes.
func widen(row []int8, w []int16) {
	if hasAVX2 {
		widenFast(row, w)
		return
	}
	widenPlain(row, w)
}

// widenPlain is widen in Go.
func widenPlain(row []int8, w []int16) {
	w = w[:len(row)]
	for i, x := range row {
		w[i] = int16(x)
	}
}

// addFour adds to row the starts of four rows of w, stride numbers apart, each times
// its factor. All of w and factors fit an int32.
func addFour(row, w []int64, stride int, factors *[4]int64) {
	if hasAVX2 {
		addFourFast(row, w, stride, factors)
		return
	}
	addFourPlain(row, w, stride, factors)
}

// addFourPlain is addFour in Go.
func addFourPlain(row, w []int64, stride int, factors *[4]int64) {
	for i, f := range factors {
		addScaled(row, w[i*stride:], f)
	}
}
