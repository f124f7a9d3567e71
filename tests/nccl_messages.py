"""Every text of tests/data/nccl_messages.tsv, as the only warning of a host's log, gives a finding of its cause.

usage: nccl_messages.py FIRSTFAULT DATA"""
import json
import os
import subprocess
import sys
import tempfile


def rows_of(path):
    with open(path, encoding="utf-8") as data:
        for line in data:
            if line.strip() and not line.startswith("#"):
                cause, text = line.rstrip("\n").split("\t", 1)
                yield cause, text


def findings_by_member(program, folder):
    done = subprocess.run([program, "analyze", folder, "--json", "-"], capture_output=True, check=True)
    found = {}
    for finding in json.loads(done.stdout)["findings"]:
        for evidence in finding["evidence"]:
            found.setdefault(os.path.basename(evidence["member"]), set()).add(finding["cause"])
    return found


def main():
    program, data = sys.argv[1:3]
    rows, bad = list(rows_of(data)), 0
    for start in range(0, len(rows), 100):
        part = rows[start:start + 100]
        with tempfile.TemporaryDirectory() as folder:
            for i, (_, text) in enumerate(part):
                with open(os.path.join(folder, f"n{i:03d}.log"), "w", encoding="utf-8") as log:
                    log.write(f"n{i:03d}:71:93 [0] NCCL INFO cudaDriverVersion 12040\n\nn{i:03d}:71:93 [0] init.cc:1 NCCL WARN {text}\n")
            found = findings_by_member(program, folder)
        for i, (cause, text) in enumerate(part):
            got = found.get(f"n{i:03d}.log", set())
            if cause not in got:
                bad += 1
                print(f"{cause}: {text}\n    gives {', '.join(sorted(got)) or 'nothing'}")
    print(f"{len(rows) - bad} of {len(rows)} texts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
