//go:build !amd64 || purego || nolanes

package hash

// available reports that there is no assembly in this build.
func available() bool { return false }

func (l *Lottery) prepare() {}

func blake2bLanes(*[8][Size]byte, *[8][]byte) {}

func sha512Lanes(*[8][Size]byte, *[8][64]byte, *[8][]byte) {}

func lotteryEval8(*[8][Size]byte, *lotteryState, *[8]uint64) {}
