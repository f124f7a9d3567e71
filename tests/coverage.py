#!/usr/bin/python3
"""coverage.py BUILD [LEAST]: lines that ran, by folder, after the tests of a build with --coverage; the files that hide most. Exit 1
where parsers/, analyzer/intake or analyzer/verdict have fewer than LEAST percent."""
import collections, json, os, subprocess, sys

build, least = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 90.0
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HELD = ("parsers", "analyzer/intake", "analyzer/verdict")
lines = collections.defaultdict(dict)
data = [os.path.join(d, f) for d, _, names in os.walk(build) for f in names if f.endswith(".gcda")]
for at in range(0, len(data), 50):
    out = subprocess.run(["gcov", "--json-format", "--stdout", *data[at:at + 50]], cwd=build, capture_output=True, check=True).stdout
    for text in out.splitlines():
        for f in json.loads(text)["files"]:
            # A source is told by its place below the root or below the build, as the compiler's cache has it.
            places = [os.path.normpath(os.path.join(base, f["file"])) for base in (root, build)]
            name = os.path.relpath(next((p for p in places if os.path.exists(p)), places[0]), root)
            for line in f["lines"]:
                known = lines[name].get(line["line_number"], 0)
                lines[name][line["line_number"]] = max(known, line["count"])
folders = collections.defaultdict(lambda: [0, 0])
files = []
for name, counted in lines.items():
    if not name.startswith(("parsers/", "analyzer/")):
        continue
    ran = sum(1 for n in counted.values() if n)
    folder = folders[os.path.dirname(name)]
    folder[0] += ran
    folder[1] += len(counted)
    files.append((len(counted) - ran, ran, len(counted), name))
bad = not files
for folder, (ran, n) in sorted(folders.items()):
    low = folder in HELD and ran < least / 100 * n
    bad |= low
    print(f"{folder:24} {ran:6} of {n:6} lines  {100 * ran / max(1, n):5.1f} %{'  too few' if low else ''}")
for missed, ran, n, name in sorted(files, reverse=True)[:15]:
    print(f"  {missed:4} lines of {name} did not run ({100 * ran / n:.0f} %)")
sys.exit(bad)
