//go:build amd64 && !purego

#include "textflag.h"

// quantizeOrder brings 32-bit groups back into the order of the inputs, which
// the packs to 16 and 8 bits leave in two halves: a0 b0 c0 d0 a1 b1 c1 d1.
DATA quantizeOrder<>+0(SB)/4, $0
DATA quantizeOrder<>+4(SB)/4, $4
DATA quantizeOrder<>+8(SB)/4, $1
DATA quantizeOrder<>+12(SB)/4, $5
DATA quantizeOrder<>+16(SB)/4, $2
DATA quantizeOrder<>+20(SB)/4, $6
DATA quantizeOrder<>+24(SB)/4, $3
DATA quantizeOrder<>+28(SB)/4, $7
GLOBL quantizeOrder<>(SB), RODATA|NOPTR, $32

// func quantizeBlocksAVX2(q *int8, scale *float32, sum *int32, x *float32, tiniest float32, blocks int)
//
// For every block of 32 values:
//
//	m     = max |x|, and everything 0 where m ≤ tiniest
//	scale = m / 127
//	q     = x · (127 / m), rounded to the nearest, halves to even
//	sum   = Σ q
//
// Y0…Y3 the block's 32 values, then their levels; Y4 m; X5 scale; Y6 127/m;
// Y12 order of the packs; X13 127; X14 tiniest; Y15 all bits but the sign.
TEXT ·quantizeBlocksAVX2(SB), NOSPLIT, $0-48
	MOVQ         q+0(FP), DI
	MOVQ         scale+8(FP), R10
	MOVQ         sum+16(FP), R11
	MOVQ         x+24(FP), SI
	MOVQ         blocks+40(FP), CX
	VMOVSS       tiniest+32(FP), X14
	MOVL         $0x42fe0000, AX         // 127 as float32
	VMOVD        AX, X13
	VMOVDQU      quantizeOrder<>(SB), Y12
	VPCMPEQD     Y15, Y15, Y15
	VPSRLD       $1, Y15, Y15

block:
	VMOVUPS (SI), Y0
	VMOVUPS 32(SI), Y1
	VMOVUPS 64(SI), Y2
	VMOVUPS 96(SI), Y3

	VANDPS       Y15, Y0, Y4
	VANDPS       Y15, Y1, Y5
	VANDPS       Y15, Y2, Y6
	VANDPS       Y15, Y3, Y7
	VMAXPS       Y5, Y4, Y4
	VMAXPS       Y7, Y6, Y6
	VMAXPS       Y6, Y4, Y4
	VEXTRACTF128 $1, Y4, X5
	VMAXPS       X5, X4, X4
	VPERMILPS    $0x4e, X4, X5 // the other half
	VMAXPS       X5, X4, X4
	VPERMILPS    $0xb1, X4, X5 // the neighbour
	VMAXPS       X5, X4, X4

	VDIVSS       X13, X4, X5       // X5 = X4 / X13
	VDIVSS       X4, X13, X6
	VCMPSS       $0x1e, X14, X4, X7 // all bits where X4 > X14
	VANDPS       X7, X5, X5
	VANDPS       X7, X6, X6
	VMOVSS       X5, (R10)
	VBROADCASTSS X6, Y6

	VMULPS    Y6, Y0, Y0
	VMULPS    Y6, Y1, Y1
	VMULPS    Y6, Y2, Y2
	VMULPS    Y6, Y3, Y3
	VCVTPS2DQ Y0, Y0
	VCVTPS2DQ Y1, Y1
	VCVTPS2DQ Y2, Y2
	VCVTPS2DQ Y3, Y3

	VPADDD       Y1, Y0, Y4
	VPADDD       Y3, Y2, Y5
	VPADDD       Y5, Y4, Y4
	VEXTRACTI128 $1, Y4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0x4e, X4, X5
	VPADDD       X5, X4, X4
	VPSHUFD      $0xb1, X4, X5
	VPADDD       X5, X4, X4
	VMOVD        X4, (R11)

	VPACKSSDW Y1, Y0, Y0
	VPACKSSDW Y3, Y2, Y2
	VPACKSSWB Y2, Y0, Y0
	VPERMD    Y0, Y12, Y0
	VMOVDQU   Y0, (DI)

	ADDQ $128, SI
	ADDQ $32, DI
	ADDQ $4, R10
	ADDQ $4, R11
	DECQ CX
	JNZ  block
	VZEROUPPER
	RET
