package stm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"github.com/stmverify/stmverify/verdict"
)

// Why a lottery cannot be played. All three are [verdict.ErrInvalid].
var (
	ErrPhiFOutOfRange  = verdict.Sentinel(verdict.ErrInvalid, "phi_f is not in (0, 1]")
	ErrTotalStakeZero  = verdict.Sentinel(verdict.ErrInvalid, "total stake is 0")
	ErrStakeAboveTotal = verdict.Sentinel(verdict.ErrInvalid, "stake is above the total stake")
)

// LotteryError says which numbers make a lottery that cannot be played.
type LotteryError struct {
	PhiF              float64
	Stake, TotalStake uint64 // Stake is 0 in an error of NewLottery
	Err               error  // ErrPhiFOutOfRange, ErrTotalStakeZero or ErrStakeAboveTotal
}

func (e *LotteryError) Error() string {
	switch {
	case errors.Is(e.Err, ErrPhiFOutOfRange):
		return fmt.Sprintf("stm: %v: got %v", e.Err, e.PhiF)
	case errors.Is(e.Err, ErrStakeAboveTotal):
		return fmt.Sprintf("stm: %v: got %d of %d", e.Err, e.Stake, e.TotalStake)
	}
	return fmt.Sprintf("stm: %v", e.Err)
}

// Unwrap returns e.Err.
func (e *LotteryError) Unwrap() error { return e.Err }

// Lottery is what the lotteries of all signers under one phi_f and one total stake have in common. It is immutable.
//
// A signer with a share w of the total stake wins with an evaluation ev, a 512-bit number, when
// ev/2⁵¹² < 1 − (1 − phi_f)ʷ. The verdicts are those of the default backend of the Rust reference, bit for bit (SPEC 4.1 and 11.6):
// with c the double nearest to ln(1 − phi_f), where 1 − phi_f is itself rounded to double, x = −w·c and q = 2⁵¹²/(2⁵¹² − ev),
//
//	ev wins iff q < eˣ and q <= 1 + x + 3x²/2.
//
// The second condition is a trait of the reference's loop. It gives up once q > Uₙ = Sₙ + 3xⁿ⁺¹/(n+1)! for some n >= 1, Sₙ being
// the partial sums of eˣ, although Uₙ bounds eˣ only for small x. Uₙ₊₁ − Uₙ = xⁿ⁺¹/(n+1)! · (3x/(n+2) − 2): the Uₙ rise as
// long as n + 2 < 3x/2, then fall, and tend to eˣ. So the least of them all is U₁, which is below eˣ from x = 2.66 on, or
// else the limit eˣ. Both conditions bound ev from above, hence one [Threshold] a signer.
type Lottery struct {
	phiF       float64
	totalStake uint64
	sure       bool // every evaluation wins

	// −c = mantissa · 2^-scale, the mantissa 0 or of 53 bits, 47 <= scale <= 105.
	mantissa uint64
	scale    uint
}

// NewLottery prepares the lotteries under phi_f and a total stake. It refuses phi_f outside (0, 1], NaN included, and a
// total stake of 0 with a [*LotteryError]. The cost is about 0.4 µs.
func NewLottery(phiF float64, totalStake uint64) (*Lottery, error) {
	if !(phiF > 0 && phiF <= 1) {
		return nil, &LotteryError{PhiF: phiF, TotalStake: totalStake, Err: ErrPhiFOutOfRange}
	}
	if totalStake == 0 {
		return nil, &LotteryError{PhiF: phiF, Err: ErrTotalStakeZero}
	}
	l := &Lottery{phiF: phiF, totalStake: totalStake}
	const epsilon = 0x1p-52 // f64::EPSILON
	if 1-phiF < epsilon {
		l.sure = true
		return l, nil
	}
	l.mantissa, l.scale = negLog(1 - phiF)
	return l, nil
}

// Threshold prepares the lotteries of one signer. It refuses a stake above the total with a [*LotteryError]. A stake of 0
// is accepted; it wins only where phi_f is 1, as in the reference. The cost is about 0.2 µs, and 2 µs for the x from 2 on.
func (l *Lottery) Threshold(stake uint64) (Threshold, error) {
	if stake > l.totalStake {
		err := &LotteryError{PhiF: l.phiF, Stake: stake, TotalStake: l.totalStake, Err: ErrStakeAboveTotal}
		return Threshold{}, err
	}
	t := Threshold{lottery: l, stake: stake}
	if l.sure || stake == 0 || l.mantissa == 0 {
		return t, nil // sure to win or, with both bounds 0, to lose
	}
	t.lo, t.hi = t.bracket()
	return t, nil
}

// Threshold decides the lotteries of one signer. It is immutable and belongs to the [Lottery] that made it; the zero
// value never wins.
type Threshold struct {
	lottery *Lottery
	stake   uint64
	// Every evaluation below lo·2⁵¹² wins, every one from hi·2⁵¹² on loses.
	lo, hi fraction
}

// NewThreshold prepares the lotteries of one signer without others to share a [Lottery] with.
func NewThreshold(phiF float64, stake, totalStake uint64) (*Threshold, error) {
	l, err := NewLottery(phiF, totalStake)
	if err != nil {
		return nil, err
	}
	t, err := l.Threshold(stake)
	if err != nil {
		return nil, err
	}
	return &t, nil
}

// Wins reports whether the evaluation ev, a little-endian number, wins.
//
// It compares ev with two bounds 2⁻¹²³ apart, in a few nanoseconds and without allocation. Only between them, where a
// hash falls once in 2¹²³ trials, it decides with exact arithmetic: see [compareExp] for the cost.
func (t *Threshold) Wins(ev *[64]byte) bool {
	top := fraction{binary.LittleEndian.Uint64(ev[56:]), binary.LittleEndian.Uint64(ev[48:])}
	if top.less(t.lo) {
		return true
	}
	if !top.less(t.hi) {
		return t.lottery != nil && t.lottery.sure
	}
	return t.winsExactly(ev)
}

// winsExactly decides by the conditions in the documentation of [Lottery].
func (t *Threshold) winsExactly(ev *[64]byte) bool {
	var reversed [64]byte
	for i, b := range ev {
		reversed[63-i] = b
	}
	num := new(big.Int).Lsh(big.NewInt(1), 512)
	den := new(big.Int).SetBytes(reversed[:])
	den.Sub(num, den)
	xNum, xDen := t.x()
	return !exceedsFirstBound(num, den, xNum, xDen) && compareExp(num, den, xNum, xDen) < 0
}

// x returns the exact x = stake/total · −c as a numerator and a denominator.
func (t *Threshold) x() (num, den *big.Int) {
	num = new(big.Int).SetUint64(t.stake)
	num.Mul(num, new(big.Int).SetUint64(t.lottery.mantissa))
	den = new(big.Int).SetUint64(t.lottery.totalStake)
	return num, den.Lsh(den, t.lottery.scale)
}

// bracket returns bounds lo <= T <= hi of the threshold as a fraction of 2⁵¹².
func (t *Threshold) bracket() (lo, hi fraction) {
	floor := t.exponent()
	lo, hi = oneMinusExp(floor)
	if floor.whole < 2 {
		return lo, hi // 1 + x + 3x²/2 > eˣ for all x below 2.66
	}
	// 1 − 1/U₁, rounded down and up.
	xNum, xDen := t.x()
	num, den := firstBound(xNum, xDen)
	den.Sub(num, den)
	den.Lsh(den, 128)
	den.Quo(den, num)
	var b [16]byte
	den.FillBytes(b[:])
	first := fraction{binary.BigEndian.Uint64(b[:8]), binary.BigEndian.Uint64(b[8:])}
	if first.less(lo) {
		lo = first
	}
	if next, _ := first.plus(fraction{0, 1}); next.less(hi) {
		hi = next
	}
	return lo, hi
}

// exponent returns x, rounded down to 128 fractional bits; x is below 37.
func (t *Threshold) exponent() exponent {
	// stake·mantissa·2^(128-scale), below 2¹⁹⁸, divided by the total stake.
	hi, lo := bits.Mul64(t.stake, t.lottery.mantissa)
	n := shiftLeft(hi, lo, 128-t.lottery.scale)
	var rest uint64
	for i := range n {
		n[i], rest = bits.Div64(rest, n[i], t.lottery.totalStake)
	}
	return exponent{whole: n[1], fraction: fraction{n[2], n[3]}}
}

// shiftLeft returns (hi, lo)·2ⁿ, n < 128, most significant limb first.
func shiftLeft(hi, lo uint64, n uint) [4]uint64 {
	s := n % 64
	limbs := [3]uint64{hi >> (64 - s), hi<<s | lo>>(64-s), lo << s} // a shift by 64 gives 0
	if n >= 64 {
		return [4]uint64{limbs[0], limbs[1], limbs[2], 0}
	}
	return [4]uint64{0, limbs[0], limbs[1], limbs[2]}
}
