"""Every text of tests/data/nccl_messages.tsv, as the only warning of the only log of a bundle, gives a finding of its cause. A data file whose lines
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


def causes_of(program, rows):
    """The causes of what is found in each row's own bundle: all bundles in one run, which costs one start."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        cases, reports = os.path.join(folder, "cases"), os.path.join(folder, "reports")
        for i, (kind, _, text) in enumerate(rows):
            case = os.path.join(cases, f"{i:05d}")
            os.makedirs(os.path.join(case, "bundle"))
            with open(os.path.join(case, "bundle", f"n{i % 100:03d}.log"), "w", encoding="utf-8") as log:
                log.write(log_of(f"n{i % 100:03d}", kind, text))
            with open(os.path.join(case, "expected.json"), "w", encoding="utf-8") as truth:
                truth.write('{"root_cause": "healthy"}')
        done = subprocess.run([program, "test", cases, "-o", reports, "--report-only"], capture_output=True)
        if done.returncode not in (0, 3):
            sys.exit(done.stderr.decode(errors="replace")[-3000:])
        found = []
        for i in range(len(rows)):
            with open(os.path.join(reports, f"{i:05d}.json"), encoding="utf-8") as report:
                found.append({finding["cause"] for finding in json.load(report)["findings"]})
        return found


def main():
    rows, bad = [row for data in sys.argv[2:] for row in rows_of(data)], 0
    for (kind, cause, text), got in zip(rows, causes_of(sys.argv[1], rows)):
        if got if kind in ("QUIET", "NONE") else (cause in got) == (kind == "OF2.21 NOT"):
            bad += 1
            print(f"{cause}: {text}\n    gives {', '.join(sorted(got)) or 'nothing'}")
    print(f"{len(rows) - bad} of {len(rows)} texts")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
