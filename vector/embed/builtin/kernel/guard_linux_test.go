package kernel

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// guarded returns n zeros between two pages that nothing may touch, close to the
// one behind them or to the one before: a kernel that reads or writes beyond its
// slice crashes the test.
func guarded[T any](t *testing.T, n int, atEnd bool) []T {
	t.Helper()
	var element T
	page := unix.Getpagesize()
	size := n * int(unsafe.Sizeof(element))
	inner := (size + page) / page * page // one page at least
	memory, err := unix.Mmap(-1, 0, inner+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatalf("map %d bytes: %v", inner, err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(memory); err != nil {
			t.Errorf("unmap: %v", err)
		}
	})
	for _, guard := range [][]byte{memory[:page], memory[page+inner:]} {
		if err := unix.Mprotect(guard, unix.PROT_NONE); err != nil {
			t.Fatalf("guard a page: %v", err)
		}
	}
	start := page
	if atEnd {
		start += inner - size
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&memory[start])), n)
}

func TestSets_StayWithinTheirSlices(t *testing.T) {
	eachSet(t, func(t *testing.T, s *Set) {
		for _, atEnd := range []bool{false, true} {
			for _, tokens := range []int{1, 5, 6, 7, 16, 33, 65} {
				for _, out := range []int{8, 24, 64} {
					guardMatMul(t, s, tokens, out, atEnd)
				}
				for _, dim := range []int{16, 20, 32, 48} {
					guardFloats(t, s, tokens, 2, dim, atEnd)
				}
			}
		}
	})
}

// guardMatMul runs Quantize and MatMul on guarded slices.
func guardMatMul(t *testing.T, s *Set, tokens, out int, atEnd bool) {
	t.Helper()
	const in = 3 * Block
	w := Weights{Data: guarded[byte](t, out/Lanes*(in/Block)*TileBytes, atEnd), Out: out, In: in}
	a := Activations{
		Q:     guarded[int8](t, tokens*in, atEnd),
		Scale: guarded[float32](t, tokens*in/Block, atEnd),
		Sum:   guarded[int32](t, tokens*in/Block, atEnd),
	}
	x, y := guarded[float32](t, tokens*in, atEnd), guarded[float32](t, tokens*out, atEnd)
	bias := guarded[float32](t, out, atEnd)
	for i := range bias {
		bias[i] = float32(i)
	}
	s.Quantize(&a, x, tokens, in)
	s.MatMul(y, w, bias, &a)
	for i, got := range y {
		if want := bias[i%out]; got != want {
			t.Fatalf("%d tokens, %d outputs: y[%d] of no input is %v, want the bias %v", tokens, out, i, got, want)
		}
	}
}

// guardFloats runs the other kernels on guarded slices.
func guardFloats(t *testing.T, s *Set, tokens, heads, dim int, atEnd bool) {
	t.Helper()
	width := heads * dim
	row := func(n int) []float32 { return guarded[float32](t, n, atEnd) }
	out, v := row(tokens*width), row(tokens*width)
	for i := range v {
		v[i] = float32(i % width)
	}
	var scratch []float32
	s.Attention(out, row(tokens*width), row(tokens*width), v, tokens, heads, dim, &scratch)
	// Keys of zero weigh all alike: what comes out is the rows' mean, any row.
	want := make([]float64, len(v))
	for i := range v {
		want[i] = float64(v[i])
	}
	checkClose(t, "attention of zeros", out, want, within(attentionTolerance*float64(width)))
	s.AddNorm(out, row(tokens*width), row(width), row(width), width, 1)
	checkClose(t, "norm of weight 0", out, make([]float64, len(out)), within(0))
	s.GELU(out)
	checkClose(t, "GELU of zeros", out, make([]float64, len(out)), within(geluTolerance))
}
