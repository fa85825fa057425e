//go:build !amd64 || purego || nolanes

package curve25519

const compiled = false

// The functions of this build do nothing: [Available] is false, and no verdict
// is positive.

// Workspace is the working memory of the verification.
type Workspace struct{}

// Scratch is the working memory of one task of a [Sum].
type Scratch struct{}

// Total is the value of a [Sum].
type Total struct{}

type partialSum struct{}

func (w *Workspace) verify(ok []bool, _ []Item, _ bool) { clear(ok) }

func verifyOne(*Item, bool) bool { return false }

func verifyOneCofactored(*Item) bool { return false }

func (w *Workspace) decode(_ []*Point, ok []bool, _ []*[32]byte) { clear(ok) }

// SetBase sets long term i to k·B for the base point B.
func (s *Sum) SetBase(int, *[4]uint64) {}

// Do carries out one of the tasks that Plan counted.
func (s *Sum) Do(int, *Scratch) {}

// Finish puts the results of the tasks together.
func (s *Sum) Finish() Total { return Total{} }

// Extended returns X, Y, Z and T of the total.
func (t *Total) Extended() (x, y, z, xy [4]uint64) { return }
