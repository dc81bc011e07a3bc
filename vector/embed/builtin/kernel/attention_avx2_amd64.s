//go:build amd64 && !purego

#include "textflag.h"

// TWO adds b[k][0…15], in Y12 and Y13, times a of two rows to their sums.
#define TWO(row0, row1, c00, c01, c10, c11) \
	VBROADCASTSS row0, Y14;      \
	VBROADCASTSS row1, Y15;      \
	VFMADD231PS  Y12, Y14, c00;  \
	VFMADD231PS  Y13, Y14, c01;  \
	VFMADD231PS  Y12, Y15, c10;  \
	VFMADD231PS  Y13, Y15, c11

// ROW writes one row of c, times its factor, and goes on to the next row.
#define ROW(factor, c0, c1) \
	VBROADCASTSS factor(R12), Y14; \
	VMULPS       Y14, c0, c0;      \
	VMULPS       Y14, c1, c1;      \
	VMOVUPS      c0, (R13);        \
	VMOVUPS      c1, 32(R13);      \
	ADDQ         R11, R13

// func productAVX2(c *float32, cRow int, a *float32, aRow int, b *float32, bRow, bTile int, n, tiles int, factor *[6]float32)
//
// Computes 6 rows of a product of float32 matrices, 16 columns (a tile) at a time:
//
//	c[r][16·j + l] = factor[r] · Σ_k a[r][k] · b_j[k][l]     k < n, l < 16, j < tiles
//
// Rows of c, a and b are cRow, aRow and bRow values apart, tiles of b are bTile
// values apart, so that b may be packed in tiles or be slices of a wide matrix.
//
//	             Y12           Y13
//	         b[k][0…7]    b[k][8…15]
//	a[0][k]     Y0            Y1
//	a[1][k]     Y2            Y3
//	   …         …             …
//	a[5][k]    Y10           Y11
//
// DI c of the tile   BX b of the tile   SI a[0][k]   R9 a[3][k]   R8 aRow, R10
// bRow, R11 cRow in bytes   DX b[k]   R12 factor   R13 row of c
TEXT ·productAVX2(SB), NOSPLIT, $0-80
	MOVQ c+0(FP), DI
	MOVQ cRow+8(FP), R11
	MOVQ aRow+24(FP), R8
	MOVQ b+32(FP), BX
	MOVQ bRow+40(FP), R10
	MOVQ tiles+64(FP), AX
	MOVQ factor+72(FP), R12
	SHLQ $2, R8
	SHLQ $2, R10
	SHLQ $2, R11

tile:
	MOVQ   a+16(FP), SI
	LEAQ   (SI)(R8*2), R9
	ADDQ   R8, R9
	MOVQ   BX, DX
	MOVQ   n+56(FP), CX
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	VXORPS Y4, Y4, Y4
	VXORPS Y5, Y5, Y5
	VXORPS Y6, Y6, Y6
	VXORPS Y7, Y7, Y7
	VXORPS Y8, Y8, Y8
	VXORPS Y9, Y9, Y9
	VXORPS Y10, Y10, Y10
	VXORPS Y11, Y11, Y11

term:
	VMOVUPS (DX), Y12
	VMOVUPS 32(DX), Y13
	TWO((SI), (SI)(R8*1), Y0, Y1, Y2, Y3)
	TWO((SI)(R8*2), (R9), Y4, Y5, Y6, Y7)
	TWO((R9)(R8*1), (R9)(R8*2), Y8, Y9, Y10, Y11)
	ADDQ $4, SI
	ADDQ $4, R9
	ADDQ R10, DX
	DECQ CX
	JNZ  term

	MOVQ DI, R13
	ROW(0, Y0, Y1)
	ROW(4, Y2, Y3)
	ROW(8, Y4, Y5)
	ROW(12, Y6, Y7)
	ROW(16, Y8, Y9)
	ROW(20, Y10, Y11)

	ADDQ $64, DI
	MOVQ bTile+48(FP), CX
	LEAQ (BX)(CX*4), BX
	DECQ AX
	JNZ  tile
	VZEROUPPER
	RET

// func softmaxAVX2(s *float32, row int, inverse *[6]float32, rows, vectors int, coefficients *[6]float32)
//
// Replaces every s of each row by 2^(s − m), m the row's maximum, and writes the
// inverse of the row's sum. A row has 8·vectors values and is row values long;
// padding is −∞. 2^y = 2^n·2^f, n = round(y), f = y − n in [−½, ½], with 2^f by the
// polynomial that exp2Coefficients documents; y below −125 counts as −125, so that
// 2^n stays a normal number.
//
//	Y0 m   Y1 sum   Y2 y and f   Y3 n   Y4 2^f and 2^y   Y8…Y13 coefficients
//	Y14 −125   X15 1
TEXT ·softmaxAVX2(SB), NOSPLIT, $0-48
	MOVQ         s+0(FP), DI
	MOVQ         row+8(FP), R8
	MOVQ         inverse+16(FP), R10
	MOVQ         rows+24(FP), R9
	MOVQ         vectors+32(FP), R11
	MOVQ         coefficients+40(FP), AX
	VBROADCASTSS 0(AX), Y8
	VBROADCASTSS 4(AX), Y9
	VBROADCASTSS 8(AX), Y10
	VBROADCASTSS 12(AX), Y11
	VBROADCASTSS 16(AX), Y12
	VBROADCASTSS 20(AX), Y13
	MOVL         $0xc2fa0000, AX // −125 as float32
	VMOVD        AX, X14
	VBROADCASTSS X14, Y14
	MOVL         $0x3f800000, AX // 1 as float32
	VMOVD        AX, X15
	SHLQ         $2, R8

row:
	VMOVUPS (DI), Y0
	MOVQ    DI, SI
	MOVQ    R11, CX

maximum:
	VMAXPS (SI), Y0, Y0
	ADDQ   $32, SI
	DECQ   CX
	JNZ    maximum

	VPERM2F128 $1, Y0, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	VPERMILPS  $0x4e, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	VPERMILPS  $0xb1, Y0, Y1
	VMAXPS     Y1, Y0, Y0
	VXORPS     Y1, Y1, Y1
	MOVQ       DI, SI
	MOVQ       R11, CX

power:
	VMOVUPS     (SI), Y2
	VSUBPS      Y0, Y2, Y2
	VMAXPS      Y14, Y2, Y2
	VROUNDPS    $0, Y2, Y3
	VSUBPS      Y3, Y2, Y2
	VCVTPS2DQ   Y3, Y3
	VPSLLD      $23, Y3, Y3    // n in the place of the exponent
	VMOVAPS     Y8, Y4
	VFMADD213PS Y9, Y2, Y4
	VFMADD213PS Y10, Y2, Y4
	VFMADD213PS Y11, Y2, Y4
	VFMADD213PS Y12, Y2, Y4
	VFMADD213PS Y13, Y2, Y4
	VPADDD      Y3, Y4, Y4     // · 2^n
	VADDPS      Y4, Y1, Y1
	VMOVUPS     Y4, (SI)
	ADDQ        $32, SI
	DECQ        CX
	JNZ         power

	VEXTRACTF128 $1, Y1, X2
	VADDPS       X2, X1, X1
	VPERMILPS    $0x4e, X1, X2
	VADDPS       X2, X1, X1
	VPERMILPS    $0xb1, X1, X2
	VADDPS       X2, X1, X1
	VDIVSS       X1, X15, X1
	VMOVSS       X1, (R10)
	ADDQ         $4, R10
	ADDQ         R8, DI
	DECQ         R9
	JNZ          row
	VZEROUPPER
	RET

// KEY loads 8 values of a key and goes on to the next one; behind the last key it
// stays there.
#define KEY(to) \
	VMOVUPS (SI), to; \
	DECQ    CX;       \
	CMOVQEQ R11, R9;  \
	ADDQ    R9, SI

// func transposeAVX2(packed *float32, k *float32, row, rows, turns int)
//
// Packs up to 8 rows of k, row values apart, into 8 columns of a tile of 16: 8×8
// values a turn, of which row i of k becomes column i. Where there are fewer than
// 8 rows, the last one fills the columns that are left.
//
//	k       a0 a1 a2 … a7            packed  a0 b0 c0 … h0  … 8 other columns
//	        b0 b1 b2 … b7                    a1 b1 c1 … h1  …
//	        …                                …
//
// DI packed   BX k of the turn   SI key   R9 bytes to the next key   R11 0
// CX keys left   DX turns left
TEXT ·transposeAVX2(SB), NOSPLIT, $0-40
	MOVQ packed+0(FP), DI
	MOVQ k+8(FP), BX
	MOVQ turns+32(FP), DX
	XORQ R11, R11

turn:
	MOVQ BX, SI
	MOVQ row+16(FP), R9
	SHLQ $2, R9
	MOVQ rows+24(FP), CX
	KEY(Y0)
	KEY(Y1)
	KEY(Y2)
	KEY(Y3)
	KEY(Y4)
	KEY(Y5)
	KEY(Y6)
	KEY(Y7)

	// Pairs of rows: a0 b0 a1 b1 | a4 b4 a5 b5 and a2 b2 a3 b3 | a6 b6 a7 b7.
	VUNPCKLPS Y1, Y0, Y8
	VUNPCKHPS Y1, Y0, Y9
	VUNPCKLPS Y3, Y2, Y10
	VUNPCKHPS Y3, Y2, Y11
	VUNPCKLPS Y5, Y4, Y12
	VUNPCKHPS Y5, Y4, Y13
	VUNPCKLPS Y7, Y6, Y14
	VUNPCKHPS Y7, Y6, Y15

	// Fours of rows: a0 b0 c0 d0 | a4 b4 c4 d4 in Y0, then 1, 2, 3; e…h in Y4…Y7.
	VUNPCKLPD Y10, Y8, Y0
	VUNPCKHPD Y10, Y8, Y1
	VUNPCKLPD Y11, Y9, Y2
	VUNPCKHPD Y11, Y9, Y3
	VUNPCKLPD Y14, Y12, Y4
	VUNPCKHPD Y14, Y12, Y5
	VUNPCKLPD Y15, Y13, Y6
	VUNPCKHPD Y15, Y13, Y7

	// All rows: the lower halves are values 0…3, the upper ones 4…7.
	VINSERTF128 $1, X4, Y0, Y8
	VINSERTF128 $1, X5, Y1, Y9
	VINSERTF128 $1, X6, Y2, Y10
	VINSERTF128 $1, X7, Y3, Y11
	VPERM2F128  $0x31, Y4, Y0, Y12
	VPERM2F128  $0x31, Y5, Y1, Y13
	VPERM2F128  $0x31, Y6, Y2, Y14
	VPERM2F128  $0x31, Y7, Y3, Y15
	VMOVUPS     Y8, (DI)
	VMOVUPS     Y9, 64(DI)
	VMOVUPS     Y10, 128(DI)
	VMOVUPS     Y11, 192(DI)
	VMOVUPS     Y12, 256(DI)
	VMOVUPS     Y13, 320(DI)
	VMOVUPS     Y14, 384(DI)
	VMOVUPS     Y15, 448(DI)

	ADDQ $32, BX
	ADDQ $512, DI
	DECQ DX
	JNZ  turn
	VZEROUPPER
	RET
