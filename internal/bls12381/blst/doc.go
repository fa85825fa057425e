//go:build !cgo || purego

// Package blst is empty in builds without cgo and in builds with the tag purego: its sibling gnark serves them.
package blst
