#!/bin/sh
# Hostile log text through the whole program into every format: FIRSTFAULT SOURCE_TREE
set -eu
firstfault=$1
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bundle"
/usr/bin/python3 - "$tmp/bundle" <<'PY'
import sys
evil = [b"<script>alert(1)</script>", b'=HYPERLINK("http://evil.example/","x")', b"\x1b[31mred\x1b[0m", "\u202egpj.exe".encode(),
        b"nul\x00nul", b"caf\xc3(\xff\xc0\xaf", b"]]>", b"```", b"x" * 1000000]
with open(sys.argv[1] + "/dmesg.txt", "wb") as f:
    for i, text in enumerate(evil):
        f.write(b"[%5d.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=%s, GPU has fallen off the bus.\n" % (100 + i, text))
PY
cd "$tmp"
"$firstfault" analyze bundle -q --json r.json --html r.html --xlsx r.xlsx --markdown r.md --junit r.xml --sarif r.sarif \
    --ndjson r.ndjson --csv r.csv
for option in json html markdown junit sarif ndjson csv; do
    "$firstfault" analyze bundle -q --"$option" - >"out.$option" 2>/dev/null
done
cmp r.md out.markdown
cmp r.csv out.csv
code=0
"$firstfault" analyze bundle -q --csv - --sarif - >/dev/null 2>error || code=$?
[ "$code" = 2 ] || { echo "two reports on standard output gave $code, wanted 2"; exit 1; }
"$firstfault" analyze bundle >out.terminal
"$firstfault" analyze bundle --verbose >out.verbose
/usr/bin/python3 - <<'PY'
import csv, json, re, sys, xml.etree.ElementTree as ET, zipfile
report = json.load(open("r.json", encoding="utf-8"))
n = len(report["findings"])
assert n >= 1, "the bundle gave no finding"
for name in ("r.html", "r.md", "r.xml", "r.sarif", "r.ndjson", "r.csv"):
    text = open(name, encoding="utf-8", newline="").read()
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), name
    assert len(text) < 2000000, name
for name in ("out.terminal", "out.verbose"):
    text = open(name, encoding="utf-8", newline="").read()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text), name
assert len(open("out.terminal", encoding="utf-8").readlines()) <= 50
assert all(len(line.rstrip("\n")) <= 140 for line in open("out.terminal", encoding="utf-8"))
assert "<script>alert" not in open("r.html", encoding="utf-8").read()
ET.parse("r.xml")
sarif = json.load(open("r.sarif", encoding="utf-8"))
assert len(sarif["runs"][0]["results"]) == n
assert sarif["runs"][0]["results"][0]["ruleId"] == report["findings"][0]["cause"]
assert len([json.loads(line) for line in open("r.ndjson", encoding="utf-8")]) == len(report["timeline"])
rows = list(csv.DictReader(open("r.csv", encoding="utf-8", newline="")))
assert [row["cause"] for row in rows] == [f["cause"] for f in report["findings"]]
assert not any(cell[:1] in ("=", "+", "-", "@") for row in rows for cell in row.values())
book = zipfile.ZipFile("r.xlsx")
assert not any(b"<f>" in book.read(name) for name in book.namelist() if "worksheets/sheet" in name)
PY
