"""Who is who in the bundles in fixtures whose expected.json has "joins" or "no_joins": lines as "pid n1/4711 is rank 5", with
" (certain)", " (likely)", " (possible)" or " (conflict)" behind it where that matters.

usage: joins_said.py FIRSTFAULT FIXTURES"""
import glob
import json
import os
import subprocess
import sys


def joins_of(program, folder):
    done = subprocess.run([program, "analyze", folder, "--json", "-", "-q"], stdout=subprocess.PIPE, check=False)
    said = set()
    for join in json.loads(done.stdout)["identity"]:
        text = " is ".join(f"{join[side]['kind']} {join[side]['name']}" for side in ("left", "right"))
        said |= {text, f"{text} ({join['confidence']})"} | ({f"{text} (conflict)"} if join["conflict"] else set())
    return said


def main(program, fixtures):
    checked = wrong = 0
    for truth in sorted(glob.glob(os.path.join(fixtures, "*", "expected.json"))):
        with open(truth, encoding="utf-8") as text:
            expected = json.load(text)
        wanted, unwanted = expected.get("joins", []), expected.get("no_joins", [])
        said = joins_of(program, os.path.join(os.path.dirname(truth), "bundle")) if wanted or unwanted else set()
        missing = [f"{line}: is not said" for line in wanted if line not in said]
        missing += [f"{line}: is said" for line in unwanted if line in said]
        for line in missing:
            print(f"{truth}: {line}")
        checked += len(wanted) + len(unwanted)
        wrong += len(missing)
    print(f"{checked} joins, {wrong} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
