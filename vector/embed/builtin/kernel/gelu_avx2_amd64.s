//go:build amd64 && !purego

#include "textflag.h"

// START makes t, the point of the polynomial for the 8 values at off.
#define START(off, t) \
	VMOVUPS off(DI), t; \
	VANDPS  Y14, t, t;  \
	VMINPS  Y13, t, t;  \
	VSUBPS  Y12, t, t

// STEP is one step of Horner's rule for 32 values: p = p·t + coefficient.
#define STEP(coefficient) \
	VBROADCASTSS (coefficient*4)(SI), Y8; \
	VFMADD213PS  Y8, Y0, Y4; \
	VFMADD213PS  Y8, Y1, Y5; \
	VFMADD213PS  Y8, Y2, Y6; \
	VFMADD213PS  Y8, Y3, Y7

// FINISH writes max(x, 0) − p over the 8 values at off.
#define FINISH(off, p, tmp) \
	VMAXPS  off(DI), Y15, tmp; \
	VSUBPS  p, tmp, tmp;       \
	VMOVUPS tmp, off(DI)

// func geluTurnsAVX2(x *float32, coefficients *[15]float32, top, middle float32, turns int)
//
// Replaces 32 values a turn by x·Φ(x) = max(x, 0) − h(min(|x|, top)), with h the
// polynomial in t = min(|x|, top) − middle that geluCoefficients documents, its highest
// coefficient first.
//
//	Y0…Y3 t   Y4…Y7 polynomial   Y8 coefficient   Y12 middle   Y13 top
//	Y14 all bits but the sign    Y15 0
TEXT ·geluTurnsAVX2(SB), NOSPLIT, $0-32
	MOVQ         x+0(FP), DI
	MOVQ         coefficients+8(FP), SI
	VBROADCASTSS top+16(FP), Y13
	VBROADCASTSS middle+20(FP), Y12
	MOVQ         turns+24(FP), CX
	VPCMPEQD     Y14, Y14, Y14
	VPSRLD       $1, Y14, Y14
	VXORPS       Y15, Y15, Y15

turn:
	START(0, Y0)
	START(32, Y1)
	START(64, Y2)
	START(96, Y3)
	VBROADCASTSS (SI), Y4
	VMOVAPS      Y4, Y5
	VMOVAPS      Y4, Y6
	VMOVAPS      Y4, Y7
	STEP(1)
	STEP(2)
	STEP(3)
	STEP(4)
	STEP(5)
	STEP(6)
	STEP(7)
	STEP(8)
	STEP(9)
	STEP(10)
	STEP(11)
	STEP(12)
	STEP(13)
	STEP(14)
	FINISH(0, Y4, Y0)
	FINISH(32, Y5, Y1)
	FINISH(64, Y6, Y2)
	FINISH(96, Y7, Y3)
	ADDQ $128, DI
	DECQ CX
	JNZ  turn
	VZEROUPPER
	RET
