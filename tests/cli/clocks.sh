# clocks.sh FIRSTFAULT ROOT: each clock in the words of people: a zone, a year, the moment of a boot, or that nothing tells.
tool=$1
bundles=$2/fixtures/bundles
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

has()
{
    "$tool" clocks --no-cache "$bundles/$1/bundle" >"$tmp/out" 2>&1
    if ! grep -qE -e "$2" "$tmp/out"; then
        echo "no \"$2\" in clocks of $1:"
        cat "$tmp/out"
        failed=1
    fi
}

has clock-zones-of-two-hosts '^gpu-b02 +- +local +zone \+09:00 +'
has clock-zones-of-two-hosts '^gpu-b02 +- +no year +year 2026, zone \+09:00 +0 ms +the zone is known'
has clock-two-hours-ahead '^gx-b07 +- +UTC +2 h 0 min fast +1\.9 s +runs 2 h 0 min ahead'
has layout-three-collectors '^ocp-w4 +- +since boot +booted 2026-03-10T15:13:30\.999Z +'
has layout-three-collectors '^ocp-w3 +- +since boot +not known +- +no line carries'
has layout-three-collectors '^- +- +UTC +as it says +0 ms'

exit $failed
