# hardening.sh FIRSTFAULT: the release program has every protection that its compiler flags promise.
program=$1
failed=0
want() { # what, text, pattern
    printf '%s\n' "$2" | grep -Eq "$3" || { echo "lacks: $1"; failed=1; }
}
never() {
    printf '%s\n' "$2" | grep -Eq "$3" && { echo "has: $1"; failed=1; }
}
headers=$(readelf -hlW "$program")
dynamic=$(readelf -dW "$program")
symbols=$(readelf --dyn-syms -W "$program")
want "position independence" "$headers" 'Type: +DYN'
want "position independence flag" "$dynamic" 'FLAGS_1.*PIE'
want "read-only relocations" "$headers" 'GNU_RELRO'
want "binding at start" "$dynamic" 'FLAGS_1.*NOW'
want "a stack that cannot run" "$headers" 'GNU_STACK .* RW '
never "a segment that can be written and run" "$headers" 'LOAD .* RWE '
want "stack protector" "$symbols" '__stack_chk_fail'
want "checked copies" "$symbols" '__(memcpy|snprintf|vsnprintf|memmove|memset|strcpy)_chk'
never "a library path of the building machine" "$dynamic" 'RPATH|RUNPATH'
[ $failed -eq 0 ] && echo "hardened"
exit $failed
