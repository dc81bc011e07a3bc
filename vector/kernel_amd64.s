//go:build amd64 && !purego

#include "textflag.h"

// ROW sets the register to to the address of the row whose slot is in R8:
// chunks[slot>>8] + (slot&255)·stride. A slice header is three words, its first
// the address. Uses R8 and R9.
#define ROW(to) \
	MOVL  R8, R9;          \
	SHRL  $8, R8;          \
	ANDL  $255, R9;        \
	LEAQ  (R8)(R8*2), R8;  \
	MOVQ  (CX)(R8*8), to;  \
	IMULQ DX, R9;          \
	ADDQ  R9, to

// func dotRowsAVX2(q *int16, stride int, chunks *[]int8, slots *uint32, n int, out *int32)
//
// For every slot: 64 bytes of the row are widened to words, multiplied with 64
// words of q, pairs added (VPMADDWD), summed in four accumulators. The row after
// it is fetched meanwhile: a graph jumps about, and memory is what it waits for.
TEXT ·dotRowsAVX2(SB), NOSPLIT, $0-48
	MOVQ q+0(FP), SI
	MOVQ stride+8(FP), DX
	MOVQ chunks+16(FP), CX
	MOVQ slots+24(FP), AX
	MOVQ n+32(FP), BX
	MOVQ out+40(FP), DI

	MOVL (AX), R8
	ROW(R13)

next:
	MOVQ R13, R10
	CMPQ BX, $1
	JE   start
	MOVL 4(AX), R8
	ROW(R13)

start:
	MOVQ  R13, R14
	MOVQ  SI, R11
	MOVQ  DX, R12
	VPXOR Y0, Y0, Y0
	VPXOR Y1, Y1, Y1
	VPXOR Y2, Y2, Y2
	VPXOR Y3, Y3, Y3

block:
	PREFETCHT0 (R14)
	VPMOVSXBW  (R10), Y4
	VPMOVSXBW  16(R10), Y5
	VPMOVSXBW  32(R10), Y6
	VPMOVSXBW  48(R10), Y7
	VPMADDWD   (R11), Y4, Y4
	VPMADDWD   32(R11), Y5, Y5
	VPMADDWD   64(R11), Y6, Y6
	VPMADDWD   96(R11), Y7, Y7
	VPADDD     Y4, Y0, Y0
	VPADDD     Y5, Y1, Y1
	VPADDD     Y6, Y2, Y2
	VPADDD     Y7, Y3, Y3
	ADDQ       $64, R14
	ADDQ       $64, R10
	ADDQ       $128, R11
	SUBQ       $64, R12
	JNZ        block

	VPADDD       Y1, Y0, Y0
	VPADDD       Y3, Y2, Y2
	VPADDD       Y2, Y0, Y0
	VEXTRACTI128 $1, Y0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0x4E, X0, X1
	VPADDD       X1, X0, X0
	VPSHUFD      $0xB1, X0, X1
	VPADDD       X1, X0, X0
	VMOVD        X0, (DI)

	ADDQ $4, AX
	ADDQ $4, DI
	DECQ BX
	JNZ  next
	VZEROUPPER
	RET

// func widenAVX2(row *int8, n int, w *int16)
TEXT ·widenAVX2(SB), NOSPLIT, $0-24
	MOVQ row+0(FP), SI
	MOVQ n+8(FP), CX
	MOVQ w+16(FP), DI

words:
	VPMOVSXBW (SI), Y0
	VPMOVSXBW 16(SI), Y1
	VPMOVSXBW 32(SI), Y2
	VPMOVSXBW 48(SI), Y3
	VMOVDQU   Y0, (DI)
	VMOVDQU   Y1, 32(DI)
	VMOVDQU   Y2, 64(DI)
	VMOVDQU   Y3, 96(DI)
	ADDQ      $64, SI
	ADDQ      $128, DI
	SUBQ      $64, CX
	JNZ       words
	VZEROUPPER
	RET

// func addScaledAVX2(row *int64, n int, w *int64, stride int, factors *int64)
//
// To four numbers of row the products of four rows of w with their factors are added.
// VPMULDQ takes the lower half of each number, with its sign.
TEXT ·addScaledAVX2(SB), NOSPLIT, $0-40
	MOVQ row+0(FP), DI
	MOVQ n+8(FP), CX
	MOVQ w+16(FP), SI
	MOVQ stride+24(FP), DX
	MOVQ factors+32(FP), BX

	SHLQ $3, DX
	LEAQ (SI)(DX*1), R8
	LEAQ (R8)(DX*1), R9
	LEAQ (R9)(DX*1), R10

	VPBROADCASTQ (BX), Y8
	VPBROADCASTQ 8(BX), Y9
	VPBROADCASTQ 16(BX), Y10
	VPBROADCASTQ 24(BX), Y11

numbers:
	VPMULDQ (SI), Y8, Y0
	VPMULDQ (R8), Y9, Y1
	VPMULDQ (R9), Y10, Y2
	VPMULDQ (R10), Y11, Y3
	VPADDQ  (DI), Y0, Y0
	VPADDQ  Y2, Y1, Y1
	VPADDQ  Y3, Y0, Y0
	VPADDQ  Y1, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ    $32, SI
	ADDQ    $32, R8
	ADDQ    $32, R9
	ADDQ    $32, R10
	ADDQ    $32, DI
	SUBQ    $4, CX
	JNZ     numbers
	VZEROUPPER
	RET
