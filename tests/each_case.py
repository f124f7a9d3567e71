#!/usr/bin/python3
"""Runs one of golden.py's checks over every case below a folder, which need not be part of the project, and goes on after a finding.

  each_case.py FIRSTFAULT CHECK FOLDER [PART OF A NAME ...]

CHECK is ablation (one source after the other is taken out), same (hosts renamed, all times moved, another machine's noise, one host's clock moved by two
hours), packaging (other archives, members in another order) or another of golden.py's. A case is a folder with expected.json and bundle/."""
import glob, os, subprocess, sys

tool, check, folder, parts = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
golden = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden.py")
names = [os.path.dirname(p) for p in sorted(glob.glob(os.path.join(folder, "*", "expected.json")))]
cases = [c for c in names if not parts or any(p in os.path.basename(c) for p in parts)]
bad = 0
for case in cases:
    r = subprocess.run([sys.executable, golden, tool, case, check], capture_output=True, text=True)
    if r.returncode:
        bad += 1
        print((r.stdout + r.stderr).rstrip(), flush=True)
print(f"{check}: {len(cases)} cases, {bad} with a finding")
sys.exit(1 if bad else 0)
