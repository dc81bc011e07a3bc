//go:build amd64 && !purego

package kernel

import "golang.org/x/sys/cpu"

// nativeSets returns the assembly sets that the processor and the operating
// system support, slowest first. AVX2 is reported only where the system saves
// the wide registers; that F16C (float16 conversion) and FMA are there is the
// processor's word alone, so they count beside AVX2 only.
func nativeSets() []*Set {
	var sets []*Set
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasF16C {
		sets = append(sets, avx2Set())
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI {
			sets = append(sets, vnniSet())
		}
	}
	return sets
}

func avx2Set() *Set {
	return &Set{
		Name:      "avx2",
		Quantize:  quantizeAVX2,
		MatMul:    matMulAVX2,
		AddNorm:   addNormAVX2,
		GELU:      geluAVX2,
		Attention: attentionAVX2,
	}
}

// vnniSet is the AVX2 set with products in AVX-512 VNNI, the only kernel that
// gains by it.
func vnniSet() *Set {
	s := avx2Set()
	s.Name = "avx512vnni"
	s.MatMul = matMulVNNI
	return s
}
