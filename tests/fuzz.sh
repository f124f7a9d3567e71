#!/bin/sh
# tests/fuzz.sh BUILD [TARGET] [SECONDS]: runs each fuzz target (or one) for a time, from its corpus and what seeds.py makes; what crashes
# lands in fixtures/corpus/TARGET and is replayed by every test run from then on.
set -eu
build=$1
only=${2:-}
seconds=${3:-60}
cd "$(dirname "$0")/.."
/usr/bin/python3 tests/fuzz/seeds.py . "$build/seeds"
for program in "$build"/tests/fuzz/fuzz_*; do
    [ -x "$program" ] || continue
    target=$(basename "$program" | sed 's/^fuzz_//')
    [ -z "$only" ] || [ "$only" = "$target" ] || continue
    work=$build/corpus/$target
    mkdir -p "$work" "$build/seeds/$target" "fixtures/corpus/$target"
    words=$build/seeds/$target.dict
    [ -f "$words" ] && words=-dict=$words || words=
    echo "== $target: $seconds s"
    # A header may ask for a name of 4 GiB; what is reserved and never touched is no harm, what is touched has a cap.
    "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -malloc_limit_mb=4200 -print_final_stats=1 -verbosity=0 \
        -max_len=32768 $words -artifact_prefix="fixtures/corpus/$target/" "$work" "$build/seeds/$target" "fixtures/corpus/$target"
done
