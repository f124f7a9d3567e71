"""Every text of tests/data/nccl_messages.tsv, as the only warning of a host's log, gives a finding of its cause. A data file whose lines
begin with INFO, QUIET, TEXT or NONE says how each is printed: as a remark, as a remark that must give no finding, as a line of its own, as a
line of its own that must give no finding. OF2.21 and OF2.21 NOT: a warning in a log of that release, that gives a finding of the cause, or none of it.

usage: nccl_messages.py FIRSTFAULT DATA..."""
import json
import os
import subprocess
import sys
import tempfile


def rows_of(path):
    with open(path, encoding="utf-8") as data:
        for line in data:
            if line.strip() and not line.startswith("#"):
                kind, rest = "WARN", line.rstrip("\n")
                if rest.split("\t", 1)[0] in ("INFO", "QUIET", "TEXT", "NONE", "OF2.21", "OF2.21 NOT"):
                    kind, rest = rest.split("\t", 1)
                cause, text = rest.split("\t", 1)
                yield kind, cause, text


def log_of(host, kind, text):
    if kind in ("TEXT", "NONE"):
        return f"NCCL version 2.21.5+cuda12.4\n{text}\n"
    version = f"{host}:71:71 [0] NCCL INFO NCCL version 2.21.5+cuda12.4\n" if kind.startswith("OF2.21") else ""
    shape = f"\n{host}:71:93 [0] init.cc:1 NCCL WARN {text}\n" if kind == "WARN" or version else f"{host}:71:93 [0] NCCL INFO {text}\n"
    return f"{version}{host}:71:93 [0] NCCL INFO cudaDriverVersion 12040\n{shape}"


def findings_by_member(program, folder):
    done = subprocess.run([program, "analyze", folder, "--json", "-"], capture_output=True, check=True)
    found = {}
    for finding in json.loads(done.stdout)["findings"]:
        for evidence in finding["evidence"]:
            found.setdefault(os.path.basename(evidence["member"]), set()).add(finding["cause"])
    return found


def main():
    program = sys.argv[1]
    rows, bad = [row for data in sys.argv[2:] for row in rows_of(data)], 0
    for start in range(0, len(rows), 100):
        part = rows[start:start + 100]
        with tempfile.TemporaryDirectory() as folder:
            for i, (kind, _, text) in enumerate(part):
                with open(os.path.join(folder, f"n{i:03d}.log"), "w", encoding="utf-8") as log:
                    log.write(log_of(f"n{i:03d}", kind, text))
            found = findings_by_member(program, folder)
        for i, (kind, cause, text) in enumerate(part):
            got = found.get(f"n{i:03d}.log", set())
            if got if kind in ("QUIET", "NONE") else (cause in got) == (kind == "OF2.21 NOT"):
                bad += 1
                print(f"{cause}: {text}\n    gives {', '.join(sorted(got)) or 'nothing'}")
    print(f"{len(rows) - bad} of {len(rows)} texts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
