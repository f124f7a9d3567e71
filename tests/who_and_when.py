"""Who is who, and what clocks say, in the bundles in fixtures whose expected.json has "joins", "no_joins", "clocks", "reason"
or "no_reason".
A join is a line as "pid n1/4711 is rank 5", with " (certain)", " (likely)", " (possible)" or " (conflict)" behind it where that
matters. A clock is a host, and words of the reason that one of its clocks gives; null: none of them was held against another's.
"reason" and "no_reason" are words that the verdict's confidence must and must not be explained with.

usage: who_and_when.py FIRSTFAULT FIXTURES"""
import glob
import json
import os
import re
import subprocess
import sys


MET = re.compile("by what both saw")


def analyse(program, folder):
    done = subprocess.run([program, "analyze", folder, "--json", "-", "-q"], stdout=subprocess.PIPE, check=False)
    return json.loads(done.stdout)


def joins_of(report):
    said = set()
    for join in report["identity"]:
        text = " is ".join(f"{join[side]['kind']} {join[side]['name']}" for side in ("left", "right"))
        said |= {text, f"{text} ({join['confidence']})"} | ({f"{text} (conflict)"} if join["conflict"] else set())
    return said


def wrong_clocks(report, wanted):
    for host, words in wanted.items():
        why = [clock["why"] for clock in report["clocks"] if clock["host"] == host]
        if words and not any(words in text for text in why):
            yield f"clock of {host}: {words}: is not said, but {why}"
        if words is None and any(MET.search(text) for text in why):
            yield f"clock of {host}: is held against another's, {why}"


def main(program, fixtures):
    checked = wrong = 0
    for truth in sorted(glob.glob(os.path.join(fixtures, "*", "expected.json"))):
        with open(truth, encoding="utf-8") as text:
            expected = json.load(text)
        wanted, unwanted, clocks = expected.get("joins", []), expected.get("no_joins", []), expected.get("clocks", {})
        reason, no_reason = expected.get("reason"), expected.get("no_reason")
        if not wanted and not unwanted and not clocks and not reason and not no_reason:
            continue
        report = analyse(program, os.path.join(os.path.dirname(truth), "bundle"))
        said = joins_of(report)
        faults = [f"{line}: is not said" for line in wanted if line not in said]
        faults += [f"{line}: is said" for line in unwanted if line in said]
        faults += wrong_clocks(report, clocks)
        why = report["verdict"]["confidence_why"]
        faults += [f"reason: {why}"] if (reason and reason not in why) or (no_reason and no_reason in why) else []
        for line in faults:
            print(f"{truth}: {line}")
        checked += len(wanted) + len(unwanted) + len(clocks) + bool(reason) + bool(no_reason)
        wrong += len(faults)
    print(f"{checked} claims, {wrong} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
