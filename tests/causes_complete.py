#!/usr/bin/python3
"""Every cause says what evidence would settle it, what to do, whether to isolate the node, how recovery is proven, what not to do, and how far recovery must reach.

  causes_complete.py FIRSTFAULT"""
import re, subprocess, sys

tool = sys.argv[1]
BOUNDARIES = ("request", "instance", "process group", "node", "cluster")
NODE = r"(?i)\bisolat|\bdrain|\bcordon|\breplace|\btake .* out\b"


def told(*more):
    return subprocess.run([tool, "causes", *more], check=True, capture_output=True, text=True).stdout


def section(page, title):
    found = re.search(r"^%s\n((?:  .*\n)+)" % title, page, re.M)
    return found[1] if found else ""


bad = []
ids = [line.split()[0] for line in told().splitlines() if line.strip()]
for one in ids:
    if one in ("unknown", "healthy"):
        continue
    page = told(one)
    for title in ("Ask for", "Do", "Then check", "Do not"):
        if not section(page, title):
            bad.append(f"{one}: nothing under '{title}'")
    if not re.search(NODE, section(page, "Do") + section(page, "Do not")):
        bad.append(f"{one}: does not say whether the node is to be isolated")
    reach = re.search(r"^  recovery reaches the (.+)$", page, re.M)
    if not reach or reach[1] not in BOUNDARIES:
        bad.append(f"{one}: no recovery boundary")
print("\n".join(bad) or f"{len(ids)} causes are complete")
sys.exit(1 if bad or len(ids) < 60 else 0)
