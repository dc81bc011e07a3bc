//go:build amd64 && !purego

// UNPACK splits 32 bytes of two weights each, at off(w), into the low nibbles lo
// and the high nibbles hi. Y9 holds 0x0f in every byte.
#define UNPACK(off, lo, hi) \
	VMOVDQU off(R8), lo; \
	VPSRLW  $4, lo, hi;  \
	VPAND   Y9, lo, lo;  \
	VPAND   Y9, hi, hi

// PAIRS multiplies 4 activations, at off of the token, with the 4 weights of
// each of 8 outputs in w, and adds neighbours: 16 sums of int16 in sum.
#define PAIRS(off, w, sum) \
	VPBROADCASTD off(SI), sum; \
	VPMADDUBSW   sum, w, sum

// func matMulGroupAVX2(y *float32, w *byte, bias *float32, q *int8, scale *float32, sum *int32, tokens, blocks, out int)
//
// Computes 8 outputs of up to 32 tokens:
//
//	y[t][0…7] = bias[0…7] + Σ_b ws[b][0…7] · as[t][b] · (Σ_i n[b][i][0…7]·q[t][b][i] − 8·sum[t][b])
//
// over the blocks b of 32 inputs i, n the weights' nibbles (0…15), ws their
// scales; q, as (scale) and sum are the activations. A row of y is out long, a
// row of q 32·blocks, of scale and sum blocks.
//
//	block b       Y0 … Y7   32 inputs × 8 outputs, unpacked once for all tokens:
//	                        Y(2r) inputs 8r…8r+3, Y(2r+1) inputs 8r+4…8r+7;
//	                        four bytes of an output make up a 32-bit lane
//	              Y8        8 scales of the outputs
//	token t       Y10…Y14   the sums; as int16 they stay below
//	                        8 · 2 · 15 · 127 = 30,480
//	constants     Y9 0x0f in every byte, Y15 1 in every int16
//	on the stack  8 float32 for each token, what y will be
//
//	R8 w   R9 bytes of a row of q   R10 scale   R11 sum   R12 index of the token's
//	scale and sum   R13 blocks   SI q of the token   DI stack   BX q of the block
TEXT ·matMulGroupAVX2(SB), 0, $1056-72
	MOVQ w+8(FP), R8
	MOVQ q+24(FP), BX
	MOVQ scale+32(FP), R10
	MOVQ sum+40(FP), R11
	MOVQ blocks+56(FP), R13
	MOVQ R13, R9
	SHLQ $5, R9
	LEAQ 31(SP), DX
	ANDQ $~31, DX

	MOVQ    bias+16(FP), AX
	VMOVUPS (AX), Y0
	MOVQ    DX, DI
	MOVQ    tokens+48(FP), CX

start:
	VMOVAPS Y0, (DI)
	ADDQ    $32, DI
	DECQ    CX
	JNZ     start

	MOVL         $0x0f0f0f0f, AX
	VMOVD        AX, X9
	VPBROADCASTD X9, Y9
	VPCMPEQW     Y15, Y15, Y15
	VPABSW       Y15, Y15
	MOVQ         R13, R14 // blocks left

block:
	VCVTPH2PS (R8), Y8
	UNPACK(16, Y0, Y1)
	UNPACK(48, Y2, Y3)
	UNPACK(80, Y4, Y5)
	UNPACK(112, Y6, Y7)
	MOVQ      BX, SI
	MOVQ      DX, DI
	XORQ      R12, R12
	MOVQ      tokens+48(FP), CX

token:
	PAIRS(0, Y0, Y10)
	PAIRS(4, Y1, Y11)
	PAIRS(8, Y2, Y12)
	PAIRS(12, Y3, Y13)
	VPADDW       Y10, Y11, Y10
	VPADDW       Y12, Y13, Y12
	PAIRS(16, Y4, Y11)
	PAIRS(20, Y5, Y13)
	VPADDW       Y10, Y11, Y10
	VPADDW       Y12, Y13, Y12
	PAIRS(24, Y6, Y11)
	PAIRS(28, Y7, Y13)
	VPADDW       Y10, Y11, Y10
	VPADDW       Y12, Y13, Y12
	VPADDW       Y10, Y12, Y10
	VPMADDWD     Y15, Y10, Y10            // 8 sums of int32
	VPBROADCASTD (R11)(R12*4), Y11
	VPSLLD       $3, Y11, Y11
	VPSUBD       Y11, Y10, Y10
	VCVTDQ2PS    Y10, Y10
	VBROADCASTSS (R10)(R12*4), Y12
	VMULPS       Y8, Y12, Y12
	VFMADD213PS  (DI), Y12, Y10           // Y10 = Y10·Y12 + (DI)
	VMOVAPS      Y10, (DI)
	ADDQ         R9, SI
	ADDQ         R13, R12
	ADDQ         $32, DI
	DECQ         CX
	JNZ          token

	ADDQ $144, R8 // TileBytes
	ADDQ $32, BX
	ADDQ $4, R10
	ADDQ $4, R11
	DECQ R14
	JNZ  block

	MOVQ y+0(FP), DI
	MOVQ out+64(FP), R9
	SHLQ $2, R9
	MOVQ tokens+48(FP), CX

finish:
	VMOVAPS (DX), Y0
	VMOVUPS Y0, (DI)
	ADDQ    $32, DX
	ADDQ    R9, DI
	DECQ    CX
	JNZ     finish
	VZEROUPPER
	RET
