"""Lets LibreOffice open the workbook, write each sheet as CSV, and compares the values with report.json of the same run.
A workbook that needs repair is not converted, and a formula would show its result instead of its text.

xlsx_libreoffice.py FIRSTFAULT BUNDLE [BUNDLE...]      exit 77: there is no LibreOffice
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

EVIL = ['=HYPERLINK("http://evil.example/","click")', "+1+1", "-2+3", "@SUM(A1)", "<script>alert(1)</script>", "_x000D_",
        "\x1b[31mred\x1b[0m", "\u202egpj.exe"]
# Cells as shown, all sheets, UTF-8, quoted where needed.
FILTER = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
problems = []


def check(good, what):
    if not good:
        problems.append(what)


def make_hostile(folder):
    """A kernel log in which what is captured looks like formulas, mark-up and escapes."""
    folder.mkdir()
    lines = ["[%5d.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=%s, GPU has fallen off the bus.\n" % (100 + i, text)
             for i, text in enumerate(EVIL)]
    lines += ["[  %d.000000] %s invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=984\n" % (300 + i, text)
              for i, text in enumerate(EVIL)]
    (folder / "dmesg.txt").write_text("".join(lines), encoding="utf-8")
    return folder


def read_sheets(workbook, folder, profile):
    subprocess.run(["soffice", "-env:UserInstallation=" + profile.as_uri(), "--headless", "--norestore", "--convert-to", FILTER,
                    "--outdir", str(folder), str(workbook)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    sheets = {}
    for file in folder.glob(workbook.stem + "-*.csv"):
        with open(file, encoding="utf-8", newline="") as f:
            rows = list(csv.reader(f))
        head = rows[0] if rows else []
        sheets[file.stem[len(workbook.stem) + 1:]] = [dict(zip(head, row)) for row in rows[1:]]
    return sheets


def shown(utc):
    return utc[:23].replace("T", " ") if utc else None


def number(text):
    return float(text.replace(",", "")) if text else None


def compare(name, sheets, report):
    def same(what, got, want):
        check(got == want, f"{name}: {what}: {got!r} is not {want!r}")

    same("sheets", len(sheets), 16)
    said = {row["What"]: row["Report"] for row in sheets["Summary"]}
    same("cause", said.get("Cause"), report["verdict"]["cause"])
    same("confidence", said.get("Confidence"), report["verdict"]["confidence"])
    for sheet, member in (("Incidents", "incidents"), ("Findings", "findings"), ("Timeline", "timeline"), ("Coverage", "coverage")):
        same(sheet + " rows", len(sheets[sheet]), len(report[member]))
    for row, finding in zip(sheets["Findings"], report["findings"]):
        what = finding["id"]
        same(what + " cause", row["Cause"], finding["cause"])
        same(what + " severity", row["Severity"], finding["severity"])
        same(what + " summary", row["Summary"].split(), finding["summary"].split())
        same(what + " seen", number(row["Seen"]), finding["count"])
        if finding["time"]["utc"]:
            same(what + " first", row["First (UTC)"], shown(finding["time"]["utc"]))
    for i, (row, moment) in enumerate(zip(sheets["Timeline"], report["timeline"])):
        if moment["time"]["utc"]:
            same(f"moment {i} time", row["Time (UTC)"], shown(moment["time"]["utc"]))
    for row, member in zip(sheets["Coverage"], report["coverage"]):
        same("bytes of " + member["member"], number(row["Bytes"]), int(member["bytes"]))
    places = sum(len(f["evidence"]) for f in report["findings"])
    check(len(sheets["Evidence"]) >= places, f"{name}: Evidence has {len(sheets['Evidence'])} rows for {places} places")
    for sheet, rows in sheets.items():
        for row in rows:
            for cell in row.values():
                check(not str(cell).startswith(("#NAME", "#VALUE", "Err:", "#REF")), f"{name}: {sheet} computes {cell!r}")


def is_harmless(sheets):
    cells = [cell for rows in sheets.values() for row in rows for cell in row.values() if cell]
    for text in EVIL[:6]:
        check(any(text in cell for cell in cells), f"hostile: {text!r} is not shown as it stands")
    check("click" not in cells, "hostile: a formula was computed")
    check(not any(ord(c) < 32 and c not in "\n\t" or c in "\u202e\x7f" for cell in cells for c in cell), "hostile: control or bidi marks")


def main():
    firstfault, bundles = sys.argv[1], [pathlib.Path(b) for b in sys.argv[2:]]
    if not shutil.which("soffice"):
        print("LibreOffice is not installed")
        return 77
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        hostile = make_hostile(folder / "hostile")
        for bundle in bundles + [hostile]:
            name = bundle.parent.name if bundle.name == "bundle" else bundle.name
            out = folder / ("out-" + name)
            subprocess.run([firstfault, "analyze", str(bundle), "-q", "-o", str(out)], check=True)
            sheets = read_sheets(out / "report.xlsx", out, folder / "profile")
            compare(name, sheets, json.loads((out / "report.json").read_text(encoding="utf-8")))
            if bundle is hostile:
                is_harmless(sheets)
    for problem in problems[:40]:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
