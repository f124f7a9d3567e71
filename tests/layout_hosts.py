"""Members of the bundles in fixtures whose expected.json has "hosts" belong to the host that stands there; null: to none.

usage: layout_hosts.py FIRSTFAULT FIXTURES"""
import glob
import json
import os
import subprocess
import sys


def hosts_of(program, folder):
    done = subprocess.run([program, "analyze", folder, "--json", "-"], stdout=subprocess.PIPE, check=False)
    return {c["member"]: c.get("host") for c in json.loads(done.stdout)["coverage"]}


def main(program, fixtures):
    checked = wrong = 0
    for truth in sorted(glob.glob(os.path.join(fixtures, "*", "expected.json"))):
        with open(truth, encoding="utf-8") as text:
            expected = json.load(text).get("hosts", {})
        got = hosts_of(program, os.path.join(os.path.dirname(truth), "bundle")) if expected else {}
        for member, host in expected.items():
            checked += 1
            if member not in got or got[member] != host:
                wrong += 1
                print(f"{truth}: {member} belongs to {host}, not {got.get(member, 'read at all')}")
    print(f"{checked} members, {wrong} wrong")
    return 1 if wrong or not checked else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
