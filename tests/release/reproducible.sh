# reproducible.sh BUILD ROOT: the tree, copied elsewhere and built anew, gives the program and the bill of BUILD byte for byte.
built=$1
root=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/other/place"
tar -cf - -C "$root" --exclude=./build --exclude=./out --exclude=node_modules . | tar -xf - -C "$tmp/other/place"
cd "$tmp/other/place" || exit 1
{ cmake -S . -B "$tmp/b" -G Ninja -DCMAKE_BUILD_TYPE=Release && cmake --build "$tmp/b" --target firstfault sbom; } >"$tmp/log" 2>&1 ||
    { tail -20 "$tmp/log"; exit 1; }
failed=0
for name in firstfault firstfault.spdx.json; do
    cmp "$built/$name" "$tmp/b/$name" || failed=1
done
[ $failed -eq 0 ] && echo "the same bytes"
exit $failed
