//go:build !purego && !nolanes

package curve25519

const compiled = true
