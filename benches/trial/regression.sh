#!/bin/sh
# Shows that comparison finds a planted regression of 10 % and raises no false
# alarm: builds this program twice, the second time with 10 % more work in the
# self-test, and compares base with slow and base with itself, measured in
# turn, TRIALS times each (default 10). Base is compared with itself in a row of
# real work too, whose caches show who goes first on a core. Exits with an error
# unless at least nine in ten of each come out right.
#
# usage: benches/trial/regression.sh [trials]
set -eu
trials=${1:-10}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"

source=benches/suites/selftest.go
grep -q 'const selfTestRounds = 1000$' "$source"
sed 's/const selfTestRounds = 1000$/const selfTestRounds = 1100/' "$source" >"$work/selftest.go"
printf '{"Replace":{"%s":"%s"}}\n' "$root/$source" "$work/selftest.go" >"$work/overlay.json"
go build -o "$work/base" ./cmd/stmverify
go build -overlay "$work/overlay.json" -o "$work/slow" ./cmd/stmverify

planted='^selftest/blake2b$'
real='^ed25519/msg=128/impl=ours/mode=strict/jobs=1/n=16$'

# Prints the verdict of comparing two programs in one row.
verdict() {
	"$work/base" bench compare "$1" "$2" "$3" --noplot --cache-dir "$work/cache" \
		--sample-size 60 --measurement-time 2s --warm-up-time 200ms --nresamples 10000 2>/dev/null |
		sed -n 's/^ *\(Performance has .*\|No change .*\|Change within .*\)\.$/\1/p'
}

found=0 quiet=0 quietreal=0 i=1
while [ "$i" -le "$trials" ]; do
	slower=$(verdict "$work/base" "$work/slow" "$planted")
	same=$(verdict "$work/base" "$work/base" "$planted")
	samereal=$(verdict "$work/base" "$work/base" "$real")
	load=$(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo '?')
	echo "trial $i (load $load): planted 10 %: $slower; same program: $same; same program, real work: $samereal"
	case $slower in "Performance has regressed") found=$((found + 1)) ;; esac
	case $same in "No change"* | "Change within"*) quiet=$((quiet + 1)) ;; esac
	case $samereal in "No change"* | "Change within"*) quietreal=$((quietreal + 1)) ;; esac
	i=$((i + 1))
done
echo "found the planted regression in $found of $trials, no change in $quiet of $trials, none in real work in $quietreal of $trials"
for n in "$found" "$quiet" "$quietreal"; do
	[ $((n * 10)) -ge $((trials * 9)) ]
done
