# outputs.sh FIRSTFAULT ROOT: files appear whole or not at all, and what could not be written is said.
tool=$1
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
fail() { echo "$*"; failed=1; }
# code WANTED ARGUMENT...
code()
{
    wanted=$1
    shift
    "$tool" "$@" >"$tmp/out" 2>"$tmp/err"
    got=$?
    [ $got -eq "$wanted" ] || { fail "firstfault $*: exit $got, wanted $wanted"; cat "$tmp/err"; }
}

mkdir -p "$tmp/bundle/n07"
cat >"$tmp/bundle/n07/dmesg" <<'END'
[  701.635013] python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984
[  701.635100] memory: usage 671088640kB, limit 671088640kB, failcnt 91827
[  701.635200] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/kubepods/pod1,task_memcg=/kubepods/pod1/a,task=python3,pid=4121,uid=0
[  701.635300] Memory cgroup out of memory: Killed process 4121 (python3) total-vm:1kB, anon-rss:1kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:1kB oom_score_adj:984
END
bundle=$tmp/bundle

code 0 analyze "$bundle" -o "$tmp/a/b/out"
for name in report.json report.html report.xlsx; do
    [ -s "$tmp/a/b/out/$name" ] || fail "-o wrote no $name"
done
[ "$(ls -A "$tmp/a/b/out" | wc -l)" -eq 3 ] || fail "-o left something behind: $(ls -A "$tmp/a/b/out")"
[ "$(stat -c %a "$tmp/a/b/out/report.json")" = "$(printf '%o' $((0666 & ~$(umask))))" ] || fail "file mode is odd"
grep -q 'Report: ' "$tmp/out" || fail "the summary does not say where the report is"
grep -q "$(printf '\033')" "$tmp/out" && fail "colour in a pipe"

code 0 analyze "$bundle" --json - --quiet
cmp -s "$tmp/out" "$tmp/a/b/out/report.json" || fail "--json - and report.json differ"
code 0 analyze "$bundle" --json -
cmp -s "$tmp/out" "$tmp/a/b/out/report.json" || fail "a summary got into --json -"
[ -s "$tmp/err" ] || fail "--json - hides the summary"
code 0 analyze "$bundle" --quiet
[ -s "$tmp/out" ] && fail "--quiet is not"
code 0 analyze "$bundle" --color always
grep -q "$(printf '\033')" "$tmp/out" || fail "no colour though asked for"

echo old >"$tmp/report.json"
code 0 analyze "$bundle" --json "$tmp/report.json" --html "$tmp/r.html" --xlsx "$tmp/r.xlsx"
cmp -s "$tmp/report.json" "$tmp/a/b/out/report.json" || fail "an old report was not replaced"
cmp -s "$tmp/r.html" "$tmp/a/b/out/report.html" || fail "--html and report.html differ"
cmp -s "$tmp/r.xlsx" "$tmp/a/b/out/report.xlsx" || fail "two workbooks of one bundle differ"

code 3 analyze "$bundle" -o "$tmp/report.json/out"
code 3 analyze "$bundle" --json "$tmp/none/report.json"
code 3 analyze "$bundle" --json "$bundle"
code 3 analyze "$bundle" --xlsx /dev/null
mkdir -p "$tmp/taken/report.json"
code 3 analyze "$bundle" -o "$tmp/taken"
grep -q "^Report: $tmp/taken/report.html, report.xlsx\$" "$tmp/out" || fail "the summary names a report that was not written"
if [ -c /dev/full ]; then
    code 3 analyze "$bundle" --json /dev/full
    "$tool" analyze "$bundle" >/dev/full 2>"$tmp/err" && fail "a full disk behind standard output went unnoticed"
    grep -q 'could not be written' "$tmp/err" || fail "a full disk is not told"
fi
"$tool" analyze "$bundle" --json "$tmp/closed.json" >&- 2>/dev/null
[ $? -eq 3 ] || fail "closed standard output went unnoticed"
cmp -s "$tmp/closed.json" "$tmp/a/b/out/report.json" || fail "closed standard output spoiled a report"
"$tool" analyze "$bundle" --json - 2>"$tmp/err" | head -c 10 >/dev/null
code 0 analyze "$bundle" --json /dev/null
[ -c /dev/null ] || fail "a device was replaced"
ls -A "$tmp" | grep -q '^\.firstfault' && fail "a temporary file was left"

for i in 1 2 3 4; do
    "$tool" analyze "$bundle" -o "$tmp/shared" --quiet 2>/dev/null &
done
wait
for name in report.json report.html report.xlsx; do
    cmp -s "$tmp/shared/$name" "$tmp/a/b/out/$name" || fail "runs side by side spoiled $name"
done
[ "$(ls -A "$tmp/shared" | wc -l)" -eq 3 ] || fail "runs side by side left something behind"

code 1 analyze "$bundle" --expect healthy
code 0 analyze "$bundle" --expect healthy --expect host.memcg_oom
code 1 analyze "$bundle" --fail-on critical
code 0 clocks "$bundle"
code 0 explain "$bundle"
grep -q ', the verdict: ' "$tmp/out" && grep -q '^Root' "$tmp/out" && grep -q 'dmesg:' "$tmp/out" || fail "explain does not lead to lines"
code 0 explain "$bundle" F1
grep -q '^Place in the report' "$tmp/out" || fail "explain F1 does not say where it stands"
code 0 explain "$bundle" I1
code 2 explain "$bundle" F9999
code 2 explain

mkdir -p "$tmp/cases/good/bundle" "$tmp/cases/bad/bundle"
cp "$bundle/n07/dmesg" "$tmp/cases/good/bundle"
cp "$bundle/n07/dmesg" "$tmp/cases/bad/bundle"
echo '{"root_cause": "host.memcg_oom", "must_not_blame": ["app.killed"], "fault_class": "lost"}' >"$tmp/cases/good/expected.json"
echo '{"root_cause": "healthy", "must_not_blame": ["host.memcg_oom"]}' >"$tmp/cases/bad/expected.json"
code 0 test "$tmp/cases/good"
code 1 test "$tmp/cases"
grep -q '^1 of 2 passed' "$tmp/out" || fail "test does not count its cases"
code 0 test "$tmp/cases" --report-only -o "$tmp/kept"
code 0 analyze "$tmp/cases/good/bundle" --json "$tmp/alone.json"
cmp -s "$tmp/kept/good.json" "$tmp/alone.json" && [ -s "$tmp/kept/bad.json" ] || fail "test -o does not keep the report of each case"
code 2 test "$tmp/cases" "$tmp/cases/good" -o "$tmp/kept"

# Each column by itself: what is asked of the same bundle, and the marks that must come out.
marks()
{
    echo "$2" >"$tmp/cases/good/expected.json"
    "$tool" test "$tmp/cases/good" >"$tmp/out" 2>&1
    got=$(sed -n 's/^good *//p' "$tmp/out" | awk '{print $1, $2, $3, $4, $5, $6}')
    [ "$got" = "$1" ] || fail "expected.json $2: marks are $got, wanted $1"
}
marks 'yes - - - - -' '{"root_cause": "healthy", "also_acceptable": ["host.memcg_oom"]}'
marks 'NO - yes - - -' '{"root_cause": "healthy", "fault_class": "lost"}'
marks 'yes - NO - - -' '{"root_cause": "host.memcg_oom", "fault_class": "init"}'
marks 'yes yes - - yes -' '{"root_cause": "host.memcg_oom", "must_not_blame": ["app.killed"], "first_evidence": {"file": "dmesg", "line": 2}}'
marks 'yes - - - NO -' '{"root_cause": "host.memcg_oom", "first_evidence": {"file": "dmesg", "line": 4}}'
marks 'yes - - - NO -' '{"root_cause": "host.memcg_oom", "first_evidence": {"file": "mesg", "line": 1}}'
marks 'yes - - NO - -' '{"root_cause": "host.memcg_oom", "rank": 3}'
marks 'yes - - - - NO' '{"root_cause": "host.memcg_oom", "symptoms": ["host.memcg_oom"]}'
marks 'yes - - - - NO' '{"root_cause": "host.memcg_oom", "symptoms": ["net.ib_link_down"]}'
echo '{' >"$tmp/cases/good/expected.json"
code 3 test "$tmp/cases/good"
exit $failed
