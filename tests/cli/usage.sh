# usage.sh FIRSTFAULT ROOT: a wrong command line exits with 2 and says what was meant; help is always there.
tool=$1
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# wants CODE TEXT ARGUMENT...: exit code, and a text that the output must hold
wants()
{
    code=$1 text=$2
    shift 2
    "$tool" "$@" >"$tmp/out" 2>&1
    got=$?
    if [ $got -ne "$code" ]; then
        echo "firstfault $*: exit $got, wanted $code"
        failed=1
    fi
    if ! grep -qF -e "$text" "$tmp/out"; then
        echo "firstfault $*: no \"$text\" in:"
        cat "$tmp/out"
        failed=1
    fi
}

wants 2 'firstfault help'
wants 2 'did you mean analyze?' analyse "$tmp"
wants 2 'did you mean rules list?' rules
wants 2 'firstfault help' frobnicate
wants 2 'did you mean --json?' analyze "$tmp" --jsn x
wants 2 'did you mean --verbose?' analyze "$tmp" --verb
wants 2 'no option' analyze "$tmp" -Z
wants 2 'no option --bogus; see' analyze "$tmp" --bogus
wants 2 'needs BUNDLE' analyze
wants 2 'needs FILE' analyze "$tmp" --json
wants 2 'takes no value' analyze "$tmp" --quiet=yes
wants 2 'cannot be "0"' analyze "$tmp" --jobs 0
wants 2 'cannot be "2x"' analyze "$tmp" --jobs=2x
wants 2 'cannot be "grave"' analyze "$tmp" --fail-on grave
wants 2 'cannot be "pink"' analyze "$tmp" --color pink
wants 2 'standard output' analyze "$tmp" --json - --html -
wants 2 'no such folder' analyze "$tmp" --rules "$tmp/none"
wants 2 'did you mean host.memcg_oom?' analyze "$tmp" --expect host.memcg_om
wants 2 'one argument too many' causes host.memcg_oom again
wants 2 'no such cause' causes no.such
wants 0 'Usage: firstfault COMMAND' --help
wants 0 '--no-prefilter' analyze --help
wants 0 '--fail-on SEVERITY' help analyze
wants 0 'Usage: firstfault rules check' rules check -h
wants 0 'firstfault 0' version
wants 0 'firstfault 0' --version
wants 0 'host.memcg_oom' causes
wants 0 'Leads to' causes host.memcg_oom
wants 0 'pack ' rules list
# Needles of ordinary lines cost time and nothing else; one that the pattern wants there costs nothing in vain.
mkdir "$tmp/pack"
cat > "$tmp/pack/slow.lua" <<'END'
signature { id = 'my.broken', stream = 'nccl', needles = { 'NCCL INFO' }, pattern = 'NCCL INFO it broke', match = { 'NCCL INFO it broke' } }
signature { id = 'my.trees', stream = 'nccl', needles = { 'NCCL INFO Trees' }, pattern = 'NCCL INFO Trees', match = { 'NCCL INFO Trees [0]' } }
END
wants 0 'my.broken: slow: the needle "NCCL INFO" stands in ordinary lines, such as: ' rules check "$tmp/pack"
if "$tool" rules check "$tmp/pack" | grep -q 'my.trees: slow'; then
    echo "a needle of wanted lines is called slow" >&2
    failed=1
fi
rm -r "$tmp/pack"
# An input that is not there is told and fails the run; what was made of the others is told, too.
echo '2026-01-01T00:00:00Z step 1 loss 2' > "$tmp/a.log"
wants 3 "cannot open $tmp/none: no such file" analyze "$tmp/a.log" "$tmp/none"
wants 3 'Read: 1 of 1 members' analyze "$tmp/none" "$tmp/a.log"
wants 3 "cannot open $tmp/none: no such file" clocks "$tmp/none" "$tmp/a.log"
rm "$tmp/a.log"
wants 3 'nothing in the bundle could be read' analyze "$tmp/"
wants 3 'nothing in the bundle could be read' clocks "$tmp/"
wants 3 'nothing in the bundle could be read' explain "$tmp/"
wants 3 'nothing in the bundle could be read' env "$tmp/"
wants 3 'firstfault: ' analyze "$tmp/none"
wants 3 'no case' test "$tmp/"
exit $failed
