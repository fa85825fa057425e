// Package edwards is the arithmetic layer of package ed25519: points of the curve -x² + y² = 1 + d·x²·y² over
// GF(2²⁵⁵ - 19), decoded from their encodings and summed with scalars.
//
// It knows no signatures and no rule sets. What it offers is deliberately narrow, [Decode] and [Sum], so that another
// engine can take its place.
//
// All functions run in variable time, for public data only. Points are always points of the curve: the only way to make
// one is [Decode]. The addition formulas are complete on the whole curve (-1 is a square, d is not), so that equal
// points, opposite points and points of small order need no special case.
package edwards
