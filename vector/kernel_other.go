//go:build !amd64 || purego

package vector

// hasAVX2 is a constant here: the compiler leaves the fast path out.
const hasAVX2 = false

func dotRowsFast(q []int16, table *rows[int8], slots []uint32, out []int32) {
	dotRowsPlain(q, table, slots, out)
}

func widenFast(row []int8, w []int16) { widenPlain(row, w) }

func addFourFast(row, w []int64, stride int, factors *[4]int64) {
	addFourPlain(row, w, stride, factors)
}
