# sandbox.sh FIRSTFAULT ROOT: a confined run gives what an unconfined one gives, however its bundle and outputs are named.
tool=$(realpath "$1")
root=$2
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$*"; failed=1; }

bundle=$root/fixtures/bundles/nccl-init-memcg-oom/bundle
export XDG_CACHE_HOME="$tmp/cache"
tar -czf "$tmp/b.tar.gz" -C "$bundle" .
tar -cJf "$tmp/b.tar.xz" -C "$bundle" .
ln -s "$bundle" "$tmp/link"
mkfifo "$tmp/fifo"

# An input's own name is in the report.
nameless() { sed -e '/"inputs": \[/,/\]/d' -e '/"input": /d'; }
# same NAME BUNDLE ARGUMENT...: standard output is what a run without the sandbox gives for BUNDLE.
same()
{
    name=$1
    "$tool" analyze "$2" --no-sandbox --quiet --json - | nameless >"$tmp/wanted"
    shift 2
    "$tool" analyze "$@" --quiet >"$tmp/raw" 2>"$tmp/err" || fail "$name: exit $?: $(cat "$tmp/err")"
    nameless <"$tmp/raw" >"$tmp/got"
    cmp -s "$tmp/got" "$tmp/wanted" || fail "$name: another report than without the sandbox: $(head -3 "$tmp/err")"
}

same folder "$bundle" "$bundle" --json -
same "cold cache" "$bundle" "$bundle" --json - --no-cache
same threads "$bundle" "$bundle" --json - --jobs 4
same link "$bundle" "$tmp/link" --json -
same gz "$tmp/b.tar.gz" "$tmp/b.tar.gz" --json -
same xz "$tmp/b.tar.xz" "$tmp/b.tar.xz" --json -
same pipe "$tmp/b.tar.gz" - --json - <"$tmp/b.tar.gz"
(cat "$tmp/b.tar.gz" >"$tmp/fifo") &
same fifo "$tmp/b.tar.gz" "$tmp/fifo" --json -
# Before the first byte is read the kernel already holds the process: it waits for a pipe that nobody writes to. A container may
# have put filters on all of us, so it is one more that counts.
filters() { sed -n 's/^Seccomp_filters:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null; }
ours=$(filters $$)
for command in analyze explain clocks comms env collectives "redact --check"; do
    # shellcheck disable=SC2086
    "$tool" $command "$tmp/fifo" >/dev/null 2>&1 &
    child=$!
    held=
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        held=$(filters $child)
        [ "${held:-0}" -gt "${ours:-0}" ] && break
        sleep 0.2
    done
    [ -z "$ours" ] || [ "${held:-0}" -gt "$ours" ] || fail "$command: reads a bundle unconfined"
    for most in "cpu time" "data size" "core file size"; do
        grep -q "^Max $most  *[0-9]" "/proc/$child/limits" || fail "$command: no limit of $most"
    done
    kill $child 2>/dev/null
    wait $child 2>/dev/null
done

cd "$tmp" || exit 1
same "relative names" b.tar.gz b.tar.gz --json -

all="--html o/a.html --xlsx o/a.xlsx --markdown a.md --junit a.xml --sarif a.sarif --ndjson $tmp/a.ndjson --csv /dev/null"
mkdir o
# shellcheck disable=SC2086
"$tool" analyze b.tar.gz -o "$tmp/out" $all --quiet 2>err || fail "many outputs: $(cat err)"
for name in o/a.html o/a.xlsx a.md a.xml a.sarif a.ndjson out/report.json out/report.html out/report.xlsx; do
    [ -s "$name" ] || fail "many outputs: no $name"
done
for command in explain clocks comms env collectives; do
    "$tool" $command b.tar.gz --no-sandbox >wanted 2>&1
    "$tool" $command b.tar.gz >got 2>&1
    cmp -s got wanted || fail "$command: another answer than without the sandbox: $(head -3 got)"
done
[ -n "$(ls cache/firstfault 2>/dev/null)" ] || fail "nothing was cached"
[ $failed -eq 0 ] && echo "confined runs agree with unconfined ones"
exit $failed
