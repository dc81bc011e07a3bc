//go:build amd64 && !purego

#include "textflag.h"

// TOTAL adds up the 8 values of each of Y0…Y3 into all lanes of Y0; clobbers Y1…Y3.
#define TOTAL \
	VADDPS     Y1, Y0, Y0;        \
	VADDPS     Y3, Y2, Y2;        \
	VADDPS     Y2, Y0, Y0;        \
	VPERM2F128 $1, Y0, Y0, Y1;    \
	VADDPS     Y1, Y0, Y0;        \
	VPERMILPS  $0x4e, Y0, Y1;     \
	VADDPS     Y1, Y0, Y0;        \
	VPERMILPS  $0xb1, Y0, Y1;     \
	VADDPS     Y1, Y0, Y0

// SQUARES adds the squared distance from the mean, Y8, of the 8 values at off to sum.
#define SQUARES(off, tmp, sum) \
	VMOVUPS     off(SI), tmp; \
	VSUBPS      Y8, tmp, tmp; \
	VFMADD231PS tmp, tmp, sum

// SCALED writes (x − mean)·inverse·weight + bias over the 8 values at off; Y8 is
// the mean, Y9 the inverse deviation.
#define SCALED(off, tmp) \
	VMOVUPS     off(SI), tmp;      \
	VSUBPS      Y8, tmp, tmp;      \
	VMULPS      Y9, tmp, tmp;      \
	VMOVUPS     off(R10), Y4;      \
	VFMADD213PS off(R11), Y4, tmp; \
	VMOVUPS     tmp, off(SI)

// func addNormRowsAVX2(x, y, weight, bias *float32, rows, width int, eps float32)
//
// Replaces each of rows rows of x by the layer norm of x + y, in three passes over
// the row, 32 values a turn: the sum, written back, and its mean; the variance
// around that mean; the result. y may be nil.
//
//	DI x of the row   DX y of the row or 0   SI x of the turn   BX y of the turn
//	R10 weight   R11 bias of the turn   R8 rows left   CX turns left
//	Y0…Y3 partial sums   X10 1/width   X11 eps   X12 1
TEXT ·addNormRowsAVX2(SB), NOSPLIT, $0-52
	MOVQ      x+0(FP), DI
	MOVQ      y+8(FP), DX
	MOVQ      rows+32(FP), R8
	MOVQ      width+40(FP), R9
	VMOVSS    eps+48(FP), X11
	MOVL      $0x3f800000, AX // 1 as float32
	VMOVD     AX, X12
	VCVTSI2SSQ R9, X10, X10
	VDIVSS    X10, X12, X10
	SHRQ      $5, R9          // turns of a row

row:
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	MOVQ   DI, SI
	MOVQ   DX, BX
	MOVQ   R9, CX
	TESTQ  DX, DX
	JZ     sum

add:
	VMOVUPS (SI), Y4
	VMOVUPS 32(SI), Y5
	VMOVUPS 64(SI), Y6
	VMOVUPS 96(SI), Y7
	VADDPS  (BX), Y4, Y4
	VADDPS  32(BX), Y5, Y5
	VADDPS  64(BX), Y6, Y6
	VADDPS  96(BX), Y7, Y7
	VMOVUPS Y4, (SI)
	VMOVUPS Y5, 32(SI)
	VMOVUPS Y6, 64(SI)
	VMOVUPS Y7, 96(SI)
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $128, SI
	ADDQ    $128, BX
	DECQ    CX
	JNZ     add
	MOVQ    BX, DX
	JMP     mean

sum:
	VADDPS (SI), Y0, Y0
	VADDPS 32(SI), Y1, Y1
	VADDPS 64(SI), Y2, Y2
	VADDPS 96(SI), Y3, Y3
	ADDQ   $128, SI
	DECQ   CX
	JNZ    sum

mean:
	TOTAL
	VBROADCASTSS X10, Y8
	VMULPS       Y8, Y0, Y8
	VXORPS       Y0, Y0, Y0
	VXORPS       Y1, Y1, Y1
	VXORPS       Y2, Y2, Y2
	VXORPS       Y3, Y3, Y3
	MOVQ         DI, SI
	MOVQ         R9, CX

variance:
	SQUARES(0, Y4, Y0)
	SQUARES(32, Y5, Y1)
	SQUARES(64, Y6, Y2)
	SQUARES(96, Y7, Y3)
	ADDQ $128, SI
	DECQ CX
	JNZ  variance

	TOTAL
	VMULSS       X10, X0, X0
	VADDSS       X11, X0, X0
	VSQRTSS      X0, X0, X0
	VDIVSS       X0, X12, X0
	VBROADCASTSS X0, Y9
	MOVQ         DI, SI
	MOVQ         weight+16(FP), R10
	MOVQ         bias+24(FP), R11
	MOVQ         R9, CX

scale:
	SCALED(0, Y0)
	SCALED(32, Y1)
	SCALED(64, Y2)
	SCALED(96, Y3)
	ADDQ $128, SI
	ADDQ $128, R10
	ADDQ $128, R11
	DECQ CX
	JNZ  scale

	MOVQ SI, DI
	DECQ R8
	JNZ  row
	VZEROUPPER
	RET
