"""Reads a workbook with nothing of ours (zip and XML) and compares what it says with report.json of the same run.

xlsx_values.py FIRSTFAULT BUNDLE
"""
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile

NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main",
      "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships"}
SHEETS = ["Summary", "Incidents", "Findings", "Timeline", "Ranks", "Collectives", "Operations", "GPUs", "Memory", "Hosts", "Network",
          "Bandwidth", "Environment", "Fingerprint", "Coverage", "Evidence"]
problems = []


def check(good, what):
    if not good:
        problems.append(what)


def column(reference):
    n = 0
    for letter in re.match(r"[A-Z]+", reference).group():
        n = n * 26 + ord(letter) - 64
    return n - 1


def unescape(text):
    return re.sub(r"_x([0-9A-Fa-f]{4})_", lambda m: chr(int(m.group(1), 16)), text)


def read_sheet(book, path):
    """Rows as dicts by the head's words; a formula anywhere is a problem."""
    rows = []
    root = ET.fromstring(book.read(path))
    for row in root.iter("{%s}row" % NS["m"]):
        cells = {}
        for cell in row:
            check(cell.find("m:f", NS) is None, f"{path}: {cell.get('r')} is a formula")
            value = cell.find("m:v", NS)
            if cell.get("t") == "inlineStr":
                cells[column(cell.get("r"))] = unescape("".join(t.text or "" for t in cell.iter("{%s}t" % NS["m"])))
            elif value is not None:
                cells[column(cell.get("r"))] = float(value.text)
        rows.append(cells)
    head = rows[0]
    return [{head[i]: v for i, v in row.items() if i in head} for row in rows[1:]], root


def read_book(path):
    book = zipfile.ZipFile(path)
    check(book.testzip() is None, "the zip is damaged")
    names = [s.get("name") for s in ET.fromstring(book.read("xl/workbook.xml")).find("m:sheets", NS)]
    check(names == SHEETS, f"sheets are {names}")
    sheets = {}
    for i, name in enumerate(names):
        rows, root = read_sheet(book, f"xl/worksheets/sheet{i + 1}.xml")
        sheets[name] = rows
        pane = root.find(".//m:pane", NS)
        check(pane is not None and pane.get("state") == "frozen", f"{name}: the head is not frozen")
        if name != "Summary":
            check(root.find("m:autoFilter", NS) is not None, f"{name} has no filter")
        for link in root.iter("{%s}hyperlink" % NS["m"]):
            check(link.get("location") and link.get("{%s}id" % NS["r"]) is None, f"{name}: a link leaves the workbook")
    return sheets


def days(utc):
    """RFC 3339 with nine digits as days of the format, to the millisecond."""
    moment = datetime.datetime.fromisoformat(utc[:23] + "+00:00")
    return (moment - datetime.datetime(1899, 12, 30, tzinfo=datetime.timezone.utc)) / datetime.timedelta(days=1)


def is_time(cell, utc, what):
    if utc is None:
        check(not isinstance(cell, float), f"{what}: a date where the report has none")
    else:
        check(isinstance(cell, float) and abs(cell - days(utc)) < 2e-8, f"{what}: {cell} is not {utc}")


def compare(sheets, report):
    said = {row.get("What"): row.get("Report") for row in sheets["Summary"]}
    check(said.get("Cause") == report["verdict"]["cause"], "Summary: cause")
    check(said.get("Confidence") == report["verdict"]["confidence"], "Summary: confidence")
    check(len(sheets["Incidents"]) == len(report["incidents"]), "Incidents: rows")
    for row, incident in zip(sheets["Incidents"], report["incidents"]):
        check(row["Incident"] == incident["id"] and row["Cause"] == incident["cause"], f"{incident['id']}: cause")
        check(row.get("Root") == incident["root"], f"{incident['id']}: root")
    check(len(sheets["Findings"]) == len(report["findings"]), "Findings: rows")
    for row, finding in zip(sheets["Findings"], report["findings"]):
        name = finding["id"]
        check(row["Finding"] == name, f"{name}: id")
        for key, member in (("Cause", "cause"), ("Severity", "severity"), ("Confidence", "confidence"), ("Rule", "rule"),
                            ("Summary", "summary"), ("Seen", "count")):
            check(row.get(key, "") == (finding.get(member) or ""), f"{name}: {key} is {row.get(key)!r}")
        is_time(row.get("First (UTC)"), finding["time"]["utc"], f"{name}: first")
        check(row.get("Host") == finding["who"]["host"], f"{name}: host")
    check(len(sheets["Timeline"]) == len(report["timeline"]), "Timeline: rows")
    for i, (row, moment) in enumerate(zip(sheets["Timeline"], report["timeline"])):
        is_time(row.get("Time (UTC)"), moment["time"]["utc"], f"Timeline {i}")
        check(row.get("Finding") == moment["finding"], f"Timeline {i}: finding")
    check(len(sheets["Coverage"]) == len(report["coverage"]), "Coverage: rows")
    for row, member in zip(sheets["Coverage"], report["coverage"]):
        check(row["Bytes"] == int(member["bytes"]), f"Coverage: bytes of {row['File']}")
    seats = sum(len(group.get("per_rank", group.get("seats", []))) for group in report["collectives"])
    check(not seats or len(sheets["Collectives"]) >= seats, "Collectives: rows")


def main():
    firstfault, bundle = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder)
        subprocess.run([firstfault, "analyze", bundle, "-q", "-o", folder], check=True)
        compare(read_book(out / "report.xlsx"), json.loads((out / "report.json").read_text(encoding="utf-8")))
    for problem in problems[:40]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
