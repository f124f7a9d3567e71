"""Every setting of tests/data/settings.tsv gives the remark that stands beside it, or none.

usage: settings_lint.py FIRSTFAULT DATA"""
import json
import os
import subprocess
import sys
import tempfile


def rows_of(path):
    """(NCCL's version or "", "NAME=VALUE", a part of the remark or "")"""
    with open(path, encoding="utf-8") as data:
        for line in data:
            if line.strip() and not line.startswith("#"):
                version, setting, remark = line.rstrip("\n").split("\t")
                yield "" if version == "-" else version, setting, "" if remark == "-" else remark


def remarks(program, version, settings):
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "env.txt"), "w", encoding="utf-8") as dump:
            dump.write("\n".join(settings) + "\n")
        if version:
            with open(os.path.join(folder, "rank0.log"), "w", encoding="utf-8") as log:
                log.write(f"NCCL version {version}+cuda12.4\n")
        done = subprocess.run([program, "analyze", folder, "--json", "-"], capture_output=True, check=True)
    return [finding["summary"] for finding in json.loads(done.stdout)["findings"]]


def main():
    program, data = sys.argv[1:]
    rows, bad = list(rows_of(data)), 0
    for version in sorted({version for version, _, _ in rows}):
        mine = [(setting, remark) for other, setting, remark in rows if other == version]
        said = remarks(program, version, [setting for setting, _ in mine])
        for setting, remark in mine:
            got = [text for text in said if text.startswith(setting + ": ")]
            if (not got or remark not in got[0]) if remark else got:
                bad += 1
                print(f"{version or 'no version'}, {setting}: wanted {remark or 'nothing'}, got {got or 'nothing'}")
    print(f"{len(rows) - bad} of {len(rows)} settings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
