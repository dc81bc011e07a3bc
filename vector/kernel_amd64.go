//go:build amd64 && !purego

package vector

import "golang.org/x/sys/cpu"

// hasAVX2 says whether the assembly may run.
var hasAVX2 = cpu.X86.HasAVX2

// dotRowsAVX2 is dotRows; stride is the length of a row in bytes, a multiple of
// kernelLanes, n ≥ 1.
//
//go:noescape
func dotRowsAVX2(q *int16, stride int, chunks *[]int8, slots *uint32, n int, out *int32)

func dotRowsFast(q []int16, table *rows[int8], slots []uint32, out []int32) {
	_ = out[len(slots)-1]
	_ = q[table.stride-1]
	dotRowsAVX2(&q[0], table.stride, &table.chunks[0], &slots[0], len(slots), &out[0])
}

// widenAVX2 is widen; n is a multiple of kernelLanes.
//
//go:noescape
func widenAVX2(row *int8, n int, w *int16)

func widenFast(row []int8, w []int16) {
	_ = w[len(row)-1]
	widenAVX2(&row[0], len(row), &w[0])
}

// addScaledAVX2 is addFour for n numbers, a multiple of four, n ≥ 4; the rows of w lie
// stride numbers apart, and all of w and factors fit an int32.
//
//go:noescape
func addScaledAVX2(row *int64, n int, w *int64, stride int, factors *int64)

func addFourFast(row, w []int64, stride int, factors *[4]int64) {
	n := len(row) &^ 3
	if n > 0 {
		_ = w[3*stride+n-1]
		addScaledAVX2(&row[0], n, &w[0], stride, &factors[0])
	}
	for i, f := range factors {
		addScaled(row[n:], w[i*stride+n:], f)
	}
}
