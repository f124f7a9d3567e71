#!/usr/bin/env python3
"""sources.py ROOT: every fixture that docs/sources.md names is there, and every fixture of a parser that it names at all is in it."""
import os, re, sys

root = sys.argv[1]
text = open(os.path.join(root, "docs", "sources.md"), encoding="utf-8").read()
rows = [line for line in text.splitlines() if line.startswith("| ") and "|---" not in line]
named = set(re.findall(r"`([\w./-]+/[\w.-]+)`", "\n".join(row.split("|")[2] for row in rows)))
bad = []
for name in sorted(named):
    path = name if name.startswith("tests/") else f"fixtures/{name}" if name.startswith("bundles/") else f"fixtures/parsers/{name}.in"
    if not os.path.exists(os.path.join(root, path)):
        bad.append(f"{path} is named and not there")
for parser in sorted({name.split("/")[0] for name in named if not name.startswith(("tests/", "bundles/"))}):
    if parser == "plain":  # holds outputs of jobs and schedulers as well
        continue
    for entry in sorted(os.listdir(os.path.join(root, "fixtures", "parsers", parser))):
        if entry.endswith(".in") and f"{parser}/{entry[:-3]}" not in named:
            bad.append(f"{parser}/{entry[:-3]} is not named")
print("\n".join(bad) or f"{len(named)} fixtures are named and there")
sys.exit(1 if bad else 0)
