#!/usr/bin/python3
"""Takes one source after the other out of every case below a folder, and tells where the verdict moves to a wrong cause, or what was taken is not named.

  ablation.py FIRSTFAULT FOLDER [CASE ...] [--like PART]

A case is a folder with expected.json and bundle/. The same check runs for each golden bundle as ablation.CASE (golden.py); this one is for folders of cases
that are not part of the project: it goes on after a finding, and ends with the number of removals that were tried and of those that were wrong."""
import glob, os, subprocess, sys

tool, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.py")
cases = sorted(os.path.dirname(p) for p in glob.glob(os.path.join(folder, "*", "expected.json")))
wanted = sys.argv[3:]
bad = 0
for case in cases:
    if wanted and not any(w in os.path.basename(case) for w in wanted):
        continue
    r = subprocess.run([sys.executable, golden, tool, case, "ablation"], capture_output=True, text=True)
    if r.returncode:
        bad += 1
        print((r.stdout + r.stderr).rstrip(), flush=True)
print(f"{len(cases)} cases, {bad} with a removal that is judged wrongly")
sys.exit(1 if bad else 0)
