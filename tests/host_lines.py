#!/usr/bin/env python3
"""host_lines.py FIRSTFAULT ROWS...: what lines of a host say when nothing else is there, as data.
A row: name of the member, what is said, and the lines, between tabs (a tab in a line is \\t). Said are the causes of all findings, sorted,
in front of them the verdict's with '!'; a note stands in brackets; '-' is nothing at all. Lines of dmesg and of messages get their time here.
With --print the rows are printed as they come out."""
import json, os, subprocess, sys, tempfile


def dressed(member, line, i):
    line = line.replace("\\t", "\t")
    return f"[{5000 + i:12.6f}] {line}\n" if member == "dmesg" else f"Jan  1 00:00:{i % 60:02d} gpu-a01 {line}\n" if member == "messages" else line + "\n"


def rows_of(name):
    with open(name, encoding="utf-8") as data:
        for number, row in enumerate(data, 1):
            yield number, None if row.startswith("#") or not row.strip() else row.rstrip("\n").split("\t"), row


def said_of(report):
    causes = {f"({f['cause']})" if f["severity"] == "note" else f["cause"] for f in report["findings"]}
    root = report["verdict"]["cause"]
    said = [f"{root}!"] if root != "healthy" else []
    return " ".join(said + sorted(c for c in causes if c != root)) or "-"


def reports_of(prog, rows):
    """The report of each row, each a bundle of its own; one run of the program for all."""
    with tempfile.TemporaryDirectory() as folder:
        for i, (_, (member, _, *lines), _) in enumerate(rows):
            path = os.path.join(folder, "in", f"r{i:04d}", "bundle", member)
            os.makedirs(os.path.dirname(path))
            with open(path, "w", encoding="utf-8") as log:
                log.writelines(dressed(member, line, at) for at, line in enumerate(lines))
            with open(os.path.join(folder, "in", f"r{i:04d}", "expected.json"), "w", encoding="utf-8") as truth:
                truth.write('{"root_cause": "unknown"}')
        os.mkdir(os.path.join(folder, "out"))
        subprocess.run([prog, "test", "--report-only", "-o", os.path.join(folder, "out"), os.path.join(folder, "in")], capture_output=True, check=False)
        for i in range(len(rows)):
            with open(os.path.join(folder, "out", f"r{i:04d}.json"), encoding="utf-8") as report:
                yield json.load(report)


def main():
    prog, names = sys.argv[1], [a for a in sys.argv[2:] if a != "--print"]
    wrong = total = 0
    for name in names:
        everything = list(rows_of(name))
        rows = [r for r in everything if r[1]]
        got = dict(zip((number for number, _, _ in rows), map(said_of, reports_of(prog, rows))))
        for number, row, text in everything:
            if "--print" in sys.argv:
                print("\t".join([row[0], got[number], *row[2:]]) if row else text.rstrip("\n"))
            elif row and got[number] != row[1]:
                wrong += 1
                print(f"{name}:{number}: {row[2]}\n    says {got[number]}, not {row[1]}")
        total += len(rows)
    if "--print" not in sys.argv:
        print(f"{total - wrong} of {total} rows")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
