//go:build !purego

#include "textflag.h"

// Elements are four 64-bit words, every value below 2²⁵⁶ allowed, congruent modulo p = 2²⁵⁵ - 19; see element.
// The macros below use AX, BX, DX and R8 to R15 and take their operands as (offset, register) pairs. All operands of a
// macro are read before its result is written, so that they may overlap.

// REDUCE sets (o)(or) to R8..R15 modulo p: low + 38·high, whose fifth word R12 is at most 38, then + 38·R12; if that
// carries, what is left is less than 39·38 and 38 more cannot carry. Requires CF = OF = 0.
#define REDUCE(o, or) \
	MOVQ $38, DX; \
	MULXQ R12, AX, BX; \
	ADCXQ AX, R8; \
	ADOXQ BX, R9; \
	MULXQ R13, AX, BX; \
	ADCXQ AX, R9; \
	ADOXQ BX, R10; \
	MULXQ R14, AX, BX; \
	ADCXQ AX, R10; \
	ADOXQ BX, R11; \
	MULXQ R15, AX, R12; \
	ADCXQ AX, R11; \
	MOVL $0, AX; \
	ADOXQ AX, R12; \
	ADCXQ AX, R12; \
	IMULQ DX, R12; \
	ADDQ R12, R8; \
	ADCQ $0, R9; \
	ADCQ $0, R10; \
	ADCQ $0, R11; \
	SBBQ AX, AX; \
	ANDQ DX, AX; \
	ADDQ AX, R8; \
	MOVQ R8, (o+0)(or); \
	MOVQ R9, (o+8)(or); \
	MOVQ R10, (o+16)(or); \
	MOVQ R11, (o+24)(or)

// MUL sets (o)(or) = (a)(ar) · (b)(br).
#define MUL(a, ar, b, br, o, or) \
	MOVQ (a+0)(ar), DX; \
	MULXQ (b+0)(br), R8, R9; \
	MULXQ (b+8)(br), AX, R10; \
	ADDQ AX, R9; \
	MULXQ (b+16)(br), AX, R11; \
	ADCQ AX, R10; \
	MULXQ (b+24)(br), AX, R12; \
	ADCQ AX, R11; \
	ADCQ $0, R12; \
	MULROW(a+8, ar, b, br, R9, R10, R11, R12, R13); \
	MULROW(a+16, ar, b, br, R10, R11, R12, R13, R14); \
	MULROW(a+24, ar, b, br, R11, R12, R13, R14, R15); \
	XORL AX, AX; \
	REDUCE(o, or)

// MULROW adds (a)(ar) · (b)(br), one word times four, to r0..r3 and sets r4.
#define MULROW(a, ar, b, br, r0, r1, r2, r3, r4) \
	MOVQ (a)(ar), DX; \
	XORL r4, r4; \
	MULXQ (b+0)(br), AX, BX; \
	ADCXQ AX, r0; \
	ADOXQ BX, r1; \
	MULXQ (b+8)(br), AX, BX; \
	ADCXQ AX, r1; \
	ADOXQ BX, r2; \
	MULXQ (b+16)(br), AX, BX; \
	ADCXQ AX, r2; \
	ADOXQ BX, r3; \
	MULXQ (b+24)(br), AX, BX; \
	ADCXQ AX, r3; \
	ADOXQ BX, r4; \
	MOVL $0, AX; \
	ADCXQ AX, r4

// SQUARE sets (o)(or) = (a)(ar)².
#define SQUARE(a, ar, o, or) \
	MOVQ (a+0)(ar), DX; \
	MULXQ (a+8)(ar), R9, R10; \
	MULXQ (a+16)(ar), AX, R11; \
	ADDQ AX, R10; \
	MULXQ (a+24)(ar), AX, R12; \
	ADCQ AX, R11; \
	ADCQ $0, R12; \
	MOVQ (a+8)(ar), DX; \
	XORL R13, R13; \
	MULXQ (a+16)(ar), AX, BX; \
	ADCXQ AX, R11; \
	ADOXQ BX, R12; \
	MULXQ (a+24)(ar), AX, BX; \
	ADCXQ AX, R12; \
	ADOXQ BX, R13; \
	MOVL $0, AX; \
	ADCXQ AX, R13; \
	MOVQ (a+16)(ar), DX; \
	MULXQ (a+24)(ar), AX, R14; \
	ADDQ AX, R13; \
	ADCQ $0, R14; \
	XORL R15, R15; \
	MOVQ (a+0)(ar), DX; \
	MULXQ DX, R8, BX; \
	ADCXQ R9, R9; \
	ADOXQ BX, R9; \
	MOVQ (a+8)(ar), DX; \
	MULXQ DX, AX, BX; \
	ADCXQ R10, R10; \
	ADOXQ AX, R10; \
	ADCXQ R11, R11; \
	ADOXQ BX, R11; \
	MOVQ (a+16)(ar), DX; \
	MULXQ DX, AX, BX; \
	ADCXQ R12, R12; \
	ADOXQ AX, R12; \
	ADCXQ R13, R13; \
	ADOXQ BX, R13; \
	MOVQ (a+24)(ar), DX; \
	MULXQ DX, AX, BX; \
	ADCXQ R14, R14; \
	ADOXQ AX, R14; \
	ADCXQ R15, R15; \
	ADOXQ BX, R15; \
	XORL AX, AX; \
	REDUCE(o, or)

// ADD sets (o)(or) = (a)(ar) + (b)(br).
#define ADD(a, ar, b, br, o, or) \
	MOVQ (a+0)(ar), R8; \
	MOVQ (a+8)(ar), R9; \
	MOVQ (a+16)(ar), R10; \
	MOVQ (a+24)(ar), R11; \
	ADDQ (b+0)(br), R8; \
	ADCQ (b+8)(br), R9; \
	ADCQ (b+16)(br), R10; \
	ADCQ (b+24)(br), R11; \
	SBBQ AX, AX; \
	ANDQ $38, AX; \
	ADDQ AX, R8; \
	ADCQ $0, R9; \
	ADCQ $0, R10; \
	ADCQ $0, R11; \
	SBBQ AX, AX; \
	ANDQ $38, AX; \
	ADDQ AX, R8; \
	MOVQ R8, (o+0)(or); \
	MOVQ R9, (o+8)(or); \
	MOVQ R10, (o+16)(or); \
	MOVQ R11, (o+24)(or)

// SUB sets (o)(or) = (a)(ar) - (b)(br).
#define SUB(a, ar, b, br, o, or) \
	MOVQ (a+0)(ar), R8; \
	MOVQ (a+8)(ar), R9; \
	MOVQ (a+16)(ar), R10; \
	MOVQ (a+24)(ar), R11; \
	SUBQ (b+0)(br), R8; \
	SBBQ (b+8)(br), R9; \
	SBBQ (b+16)(br), R10; \
	SBBQ (b+24)(br), R11; \
	SBBQ AX, AX; \
	ANDQ $38, AX; \
	SUBQ AX, R8; \
	SBBQ $0, R9; \
	SBBQ $0, R10; \
	SBBQ $0, R11; \
	SBBQ AX, AX; \
	ANDQ $38, AX; \
	SUBQ AX, R8; \
	MOVQ R8, (o+0)(or); \
	MOVQ R9, (o+8)(or); \
	MOVQ R10, (o+16)(or); \
	MOVQ R11, (o+24)(or)

// Offsets of the coordinates of extended.
#define X 0
#define Y 32
#define Z 64
#define T 96

// Offsets of the temporary elements on the stack.
#define tA 0
#define tB 32
#define tC 64
#define tD 96
#define tE 128
#define tF 160
#define tG 192
#define tH 224

// COMPLETE is extended.complete: p = DI from E, F, G, H.
#define COMPLETE \
	MUL(tE, SP, tF, SP, X, DI); \
	MUL(tG, SP, tH, SP, Y, DI); \
	MUL(tE, SP, tH, SP, T, DI); \
	MUL(tF, SP, tG, SP, Z, DI)

// func mulADX(v, a, b *element)
TEXT ·mulADX(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), DI
	MOVQ a+8(FP), SI
	MOVQ b+16(FP), CX
	MUL(0, SI, 0, CX, 0, DI)
	RET

// func squareN2ADX(v, x *[2]element, n int)
TEXT ·squareN2ADX(SB), NOSPLIT, $0-24
	MOVQ v+0(FP), DI
	MOVQ x+8(FP), SI
	MOVQ n+16(FP), CX
	SQUARE(0, SI, 0, DI)
	SQUARE(32, SI, 32, DI)
	DECQ CX
	JZ   done
loop:
	SQUARE(0, DI, 0, DI)
	SQUARE(32, DI, 32, DI)
	DECQ CX
	JNZ  loop
done:
	RET

// func addAffineADX(p *extended, q *Point)
TEXT ·addAffineADX(SB), NOSPLIT, $256-16
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	SUB(Y, DI, X, DI, tA, SP)
	ADD(Y, DI, X, DI, tB, SP)
	MUL(tA, SP, 32, SI, tA, SP)
	MUL(tB, SP, 0, SI, tB, SP)
	MUL(T, DI, 64, SI, tC, SP)
	ADD(Z, DI, Z, DI, tD, SP)
	SUB(tB, SP, tA, SP, tE, SP)
	ADD(tB, SP, tA, SP, tH, SP)
	SUB(tD, SP, tC, SP, tF, SP)
	ADD(tD, SP, tC, SP, tG, SP)
	COMPLETE
	RET

// func subAffineADX(p *extended, q *Point)
TEXT ·subAffineADX(SB), NOSPLIT, $256-16
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	SUB(Y, DI, X, DI, tA, SP)
	ADD(Y, DI, X, DI, tB, SP)
	MUL(tA, SP, 0, SI, tA, SP)
	MUL(tB, SP, 32, SI, tB, SP)
	MUL(T, DI, 64, SI, tC, SP)
	ADD(Z, DI, Z, DI, tD, SP)
	SUB(tB, SP, tA, SP, tE, SP)
	ADD(tB, SP, tA, SP, tH, SP)
	ADD(tD, SP, tC, SP, tF, SP)
	SUB(tD, SP, tC, SP, tG, SP)
	COMPLETE
	RET

// func addCachedADX(p *extended, q *cached)
TEXT ·addCachedADX(SB), NOSPLIT, $256-16
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	SUB(Y, DI, X, DI, tA, SP)
	ADD(Y, DI, X, DI, tB, SP)
	MUL(tA, SP, 32, SI, tA, SP)
	MUL(tB, SP, 0, SI, tB, SP)
	MUL(T, DI, 96, SI, tC, SP)
	MUL(Z, DI, 64, SI, tD, SP)
	SUB(tB, SP, tA, SP, tE, SP)
	ADD(tB, SP, tA, SP, tH, SP)
	SUB(tD, SP, tC, SP, tF, SP)
	ADD(tD, SP, tC, SP, tG, SP)
	COMPLETE
	RET

// func subCachedADX(p *extended, q *cached)
TEXT ·subCachedADX(SB), NOSPLIT, $256-16
	MOVQ p+0(FP), DI
	MOVQ q+8(FP), SI
	SUB(Y, DI, X, DI, tA, SP)
	ADD(Y, DI, X, DI, tB, SP)
	MUL(tA, SP, 0, SI, tA, SP)
	MUL(tB, SP, 32, SI, tB, SP)
	MUL(T, DI, 96, SI, tC, SP)
	MUL(Z, DI, 64, SI, tD, SP)
	SUB(tB, SP, tA, SP, tE, SP)
	ADD(tB, SP, tA, SP, tH, SP)
	ADD(tD, SP, tC, SP, tF, SP)
	SUB(tD, SP, tC, SP, tG, SP)
	COMPLETE
	RET

// func doubleADX(p *extended)
TEXT ·doubleADX(SB), NOSPLIT, $256-8
	MOVQ p+0(FP), DI
	SQUARE(X, DI, tA, SP)
	SQUARE(Y, DI, tB, SP)
	SQUARE(Z, DI, tC, SP)
	ADD(X, DI, Y, DI, tE, SP)
	SQUARE(tE, SP, tE, SP)
	ADD(tC, SP, tC, SP, tC, SP)
	ADD(tA, SP, tB, SP, tH, SP)
	SUB(tH, SP, tE, SP, tE, SP)
	SUB(tA, SP, tB, SP, tG, SP)
	ADD(tC, SP, tG, SP, tF, SP)
	COMPLETE
	RET
