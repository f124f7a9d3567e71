#!/bin/sh
# Called by ./dev bench: see bench/bench.py for the parts. BENCH_SIZE is the size of the corpus (256M).
set -eu
cd "$(dirname "$0")/.."
missing=
for tool in igzip:isal zstd:zstd rg:ripgrep ugrep:ugrep lnav:lnav xz:xz-utils zip:zip; do
    command -v "${tool%%:*}" >/dev/null || missing="$missing ${tool#*:}"
done
[ -z "$missing" ] || echo "bench: not installed, so not compared with:$missing" >&2
exec python3 tests/bench/bench.py --prog build/release/firstfault "$@"
