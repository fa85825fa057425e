package stm

import (
	"math"
	"math/big"
	"testing"
)

// shapes are the phi_f and shares of the networks, and the worst that is accepted.
var lotteryShapes = []struct {
	name         string
	phiF         float64
	stake, total uint64
}{
	{"shape=mainnet", 0.2, 65_000_000_000_000, 21_700_000_000_000_000},
	{"shape=preprod", 0.65, 800_000_000_000, 1_350_000_000_000},
	{"shape=first-bound", 0.95, 99, 100},
	{"shape=worst", 1 - 0x1p-52, math.MaxUint64, math.MaxUint64},
}

func BenchmarkLottery(b *testing.B) {
	for _, c := range lotteryShapes {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := NewLottery(c.phiF, c.total); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkThreshold(b *testing.B) {
	for _, c := range lotteryShapes {
		b.Run(c.name, func(b *testing.B) {
			l, err := NewLottery(c.phiF, c.total)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Threshold(c.stake); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWins(b *testing.B) {
	for _, c := range lotteryShapes {
		t, err := NewThreshold(c.phiF, c.stake, c.total)
		if err != nil {
			b.Fatal(err)
		}
		last := thresholdFloor(c.phiF, c.stake, c.total)
		far := littleFromBig(new(big.Int).Rsh(last, 1))
		b.Run(c.name+"/decided=bounds", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.Wins(far)
			}
		})
		near := littleFromBig(last) // the largest winner: as close as it gets
		b.Run(c.name+"/decided=exact", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				t.Wins(near)
			}
		})
	}
}

// BenchmarkCompareExp is the longest computation there is: every precision tried, and none decides.
func BenchmarkCompareExp(b *testing.B) {
	num, den := big.NewInt(36), big.NewInt(1)
	close := expBound(num, den, 4500, 0)
	scale := new(big.Int).Lsh(big.NewInt(1), 4500)
	for b.Loop() {
		if compareExp(close, scale, num, den) != 0 {
			b.Fatal("decided")
		}
	}
}
