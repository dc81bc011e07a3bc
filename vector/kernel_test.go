package vector

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/viterin/vek/vek32"
)

// table draws rows of any bytes, the extremes among them.
func table(r *rand.Rand, n, stride int) *rows[int8] {
	t := &rows[int8]{stride: stride}
	for range n {
		row := t.push()
		for i := range row {
			row[i] = int8(r.IntN(256) - 128)
		}
	}
	return t
}

func TestDotRows_FastIsPlain(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, stride := range []int{64, 128, 384, 1536} {
		tab := table(r, 700, stride)
		q := make([]int16, stride)
		for i := range q {
			q[i] = int16(r.IntN(2*queryPeak(stride)+1) - queryPeak(stride))
		}
		for _, n := range []int{0, 1, 2, 3, 64, 700} {
			slots := make([]uint32, n)
			for i := range slots {
				slots[i] = uint32(r.IntN(700))
			}
			got, want := make([]int32, n), make([]int32, n)
			dotRows(q, tab, slots, got)
			dotRowsPlain(q, tab, slots, want)
			if !slices.Equal(got, want) {
				t.Errorf("stride %d, %d rows: fast and plain differ", stride, n)
			}
			for i, slot := range slots {
				if sum := dotWide(q, tab.row(slot)); int64(want[i]) != sum {
					t.Fatalf("stride %d: %d, in 64 bits %d", stride, want[i], sum)
				}
			}
		}
	}
}

// dotWide cannot overflow.
func dotWide(q []int16, row []int8) (sum int64) {
	for i, x := range q {
		sum += int64(x) * int64(row[i])
	}
	return sum
}

// TestDotRows_Extremes: the largest numbers of every dimension stay in an int32.
func TestDotRows_Extremes(t *testing.T) {
	for _, dim := range []int{1, 384, 512, 513, 4096, maxDim} {
		stride := (dim + kernelLanes - 1) / kernelLanes * kernelLanes
		tab := &rows[int8]{stride: stride}
		row, q := tab.push(), make([]int16, stride)
		for i := range dim {
			row[i], q[i] = -128, int16(queryPeak(dim))
		}
		out := make([]int32, 1)
		dotRows(q, tab, []uint32{0}, out)
		if want := dotWide(q, row); int64(out[0]) != want {
			t.Errorf("dim %d: %d, want %d", dim, out[0], want)
		}
	}
}

func TestWiden_FastIsPlain(t *testing.T) {
	row := table(rand.New(rand.NewPCG(2, 2)), 1, 384).row(0)
	got, want := make([]int16, 384), make([]int16, 384)
	widen(row, got)
	widenPlain(row, want)
	if !slices.Equal(got, want) {
		t.Error("fast and plain differ")
	}
}

func TestRows_WipesAndGivesBack(t *testing.T) {
	tab := table(rand.New(rand.NewPCG(3, 3)), 3*chunkRows, 64)
	last := tab.row(3*chunkRows - 1)
	tab.pop()
	if slices.ContainsFunc(last, func(x int8) bool { return x != 0 }) {
		t.Error("a row taken away keeps its bytes")
	}
	for tab.count > 0 {
		tab.pop()
	}
	if len(tab.chunks) > 1 {
		t.Errorf("%d chunks for no rows", len(tab.chunks))
	}
}

// BenchmarkDotRows compares the kernels, and vek32.Dot over float32, which reads
// four times the memory.
func BenchmarkDotRows(b *testing.B) {
	const dim = 384
	r := rand.New(rand.NewPCG(4, 4))
	for _, n := range []int{1000, 10_000, 100_000} {
		tab, q, out := table(r, n, dim), make([]int16, dim), make([]int32, n)
		slots := make([]uint32, n)
		for i := range slots {
			slots[i] = uint32(i)
		}
		b.Run(fmt.Sprintf("int8/%d", n), func(b *testing.B) {
			for b.Loop() {
				dotRows(q, tab, slots, out)
			}
		})
		b.Run(fmt.Sprintf("int8 plain/%d", n), func(b *testing.B) {
			for b.Loop() {
				dotRowsPlain(q, tab, slots, out)
			}
		})
		floats := make([]float32, n*dim)
		b.Run(fmt.Sprintf("float32 vek/%d", n), func(b *testing.B) {
			sum := float32(0)
			for b.Loop() {
				for row := range slices.Chunk(floats, dim) {
					sum += vek32.Dot(floats[:dim], row)
				}
			}
			if sum != 0 {
				b.Fatal(sum)
			}
		})
	}
}
