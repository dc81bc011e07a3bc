//go:build amd64 && !purego

// UNPACK splits 32 bytes of two weights each, at off of both tiles, into the low
// nibbles lo and the high nibbles hi; half is the lower half of lo. Z9 holds 0x0f
// in every byte.
#define UNPACK(off, half, lo, hi) \
	VMOVDQU      off(R8), half;              \
	VINSERTI64X4 $1, off(R8)(R15*1), lo, lo; \
	VPSRLD       $4, lo, hi;                 \
	VPANDD       Z9, lo, lo;                 \
	VPANDD       Z9, hi, hi

// func matMulGroupsVNNI(y *float32, w *byte, bias *float32, q *int8, scale *float32, sum *int32, tokens, blocks, out int)
//
// Computes 16 outputs, those of two neighbouring rows of tiles, of up to 32 tokens:
//
//	y[t][o] = bias[o] + Σ_b ws[b][o] · as[t][b] · (Σ_i n[b][i][o]·q[t][b][i] − 8·sum[t][b])
//
// like matMulGroupAVX2, which documents the sizes. VPDPBUSD multiplies 4
// activations with the 4 weights of each of 16 outputs and adds up to int32.
//
//	            bits 0…255          256…511
//	            outputs 0…7         8…15
//	Z0 … Z7     32 inputs, unpacked once for all tokens: Z(2r) inputs 8r…8r+3,
//	            Z(2r+1) inputs 8r+4…8r+7
//	Z8          16 scales of the outputs
//	Z10         the token's sums
//	Z9          0x0f in every byte
//	stack       16 float32 for each token, what y will be
//
//	R8 w   R15 bytes from a tile to the one below   R9 bytes of a row of q
//	R10 scale   R11 sum   R12 index of the token's scale and sum   R13 blocks
//	R14 blocks left   SI q of the token   DI, DX stack   BX q of the block
TEXT ·matMulGroupsVNNI(SB), 0, $2112-72
	MOVQ   w+8(FP), R8
	MOVQ   q+24(FP), BX
	MOVQ   scale+32(FP), R10
	MOVQ   sum+40(FP), R11
	MOVQ   blocks+56(FP), R13
	MOVQ   R13, R14
	MOVQ   R13, R9
	SHLQ   $5, R9
	IMUL3Q $144, R13, R15 // TileBytes
	LEAQ   63(SP), DX
	ANDQ   $~63, DX

	MOVL         $0x0f0f0f0f, AX
	VPBROADCASTD AX, Z9
	MOVQ         bias+16(FP), AX
	VMOVUPS      (AX), Z0
	MOVQ         DX, DI
	MOVQ         tokens+48(FP), CX

start:
	VMOVAPS Z0, (DI)
	ADDQ    $64, DI
	DECQ    CX
	JNZ     start

block:
	VMOVDQU     (R8), X8
	VINSERTI128 $1, (R8)(R15*1), Y8, Y8
	VCVTPH2PS   Y8, Z8
	UNPACK(16, Y0, Z0, Z1)
	UNPACK(48, Y2, Z2, Z3)
	UNPACK(80, Y4, Z4, Z5)
	UNPACK(112, Y6, Z6, Z7)
	MOVQ        BX, SI
	MOVQ        DX, DI
	XORQ        R12, R12
	MOVQ        tokens+48(FP), CX

token:
	VPXORD        Z10, Z10, Z10
	VPDPBUSD.BCST 0(SI), Z0, Z10
	VPDPBUSD.BCST 4(SI), Z1, Z10
	VPDPBUSD.BCST 8(SI), Z2, Z10
	VPDPBUSD.BCST 12(SI), Z3, Z10
	VPDPBUSD.BCST 16(SI), Z4, Z10
	VPDPBUSD.BCST 20(SI), Z5, Z10
	VPDPBUSD.BCST 24(SI), Z6, Z10
	VPDPBUSD.BCST 28(SI), Z7, Z10
	VPBROADCASTD  (R11)(R12*4), Z11
	VPSLLD        $3, Z11, Z11
	VPSUBD        Z11, Z10, Z10
	VCVTDQ2PS     Z10, Z10
	VMULPS.BCST   (R10)(R12*4), Z8, Z11
	VFMADD213PS   (DI), Z11, Z10        // Z10 = Z10·Z11 + (DI)
	VMOVAPS       Z10, (DI)
	ADDQ          R9, SI
	ADDQ          R13, R12
	ADDQ          $64, DI
	DECQ          CX
	JNZ           token

	ADDQ $144, R8
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
	VMOVAPS (DX), Z0
	VMOVUPS Z0, (DI)
	ADDQ    $64, DX
	ADDQ    R9, DI
	DECQ    CX
	JNZ     finish
	VZEROUPPER
	RET
