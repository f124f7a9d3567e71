#!/usr/bin/env python3
"""A guard against slow growth of cost: counts instructions of one analysis, which a busy machine does not change.

    gate.py --prog PROG [--update]

Only instructions in the program's own code count. Those of libraries depend on the processor (Vectorscan, ISA-L and
the C library choose among several versions of themselves). The number also depends on the compiler, so it is compared
only where instructions.json was made with the same one. Exit: 0 fine, 1 more than the tolerance, 77 nothing to compare."""
import argparse
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STORED = os.path.join(HERE, "instructions.json")
CORPUS = ["--nodes", "2", "--gpus", "2", "--size", "4M", "--seed", "1"]
TOLERANCE = 0.05


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def compiler_of(prog):
    found = re.findall(rb"GCC: \([^)]*\) [0-9.]+|Debian clang version [0-9.]+[^\0]*", open(prog, "rb").read())
    return found[0].decode() if found else "unknown"


def own_instructions(path, prog):
    """Self cost by function of the object `prog` in a callgrind file. Numbers in brackets stand for names said before."""
    names, total, by_function = {}, 0, collections.Counter()
    here, function, call = False, "", False

    def name(kind, text):
        m = re.match(r"\((\d+)\)(?: (.*))?$", text)
        if not m:
            return text
        if m.group(2):
            names[kind, m.group(1)] = m.group(2)
        return names.get((kind, m.group(1)), "")

    for line in open(path, encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        if line.startswith("ob="):
            here = os.path.basename(name("ob", line[3:])) == os.path.basename(prog)
        elif line.startswith("fn="):
            function = name("fn", line[3:])
        elif line.startswith("cob="):
            name("ob", line[4:])
        elif line.startswith("cfn="):
            name("fn", line[4:])
        elif line.startswith("calls="):
            call = True  # the next line is the cost of the callee
        elif line and line[0] in "0123456789+-*":
            parts = line.split()  # position and cost; no cost means none
            cost = int(parts[1]) if len(parts) > 1 else 0
            if here and not call:
                total += cost
                by_function[function] += cost
            call = False
    return total, by_function


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--prog", required=True)
    p.add_argument("--update", action="store_true")
    a = p.parse_args()
    if not os.path.exists(a.prog):
        skip(f"there is no {a.prog}")
    if not shutil.which("valgrind"):
        skip("valgrind is not installed")
    compiler = compiler_of(a.prog)
    stored = json.load(open(STORED)) if os.path.exists(STORED) else {}
    if not a.update and stored.get("compiler") != compiler:
        skip(f"made with {compiler}, the stored number with {stored.get('compiler')}")
    with tempfile.TemporaryDirectory() as folder:
        tar, out = os.path.join(folder, "bundle.tar"), os.path.join(folder, "out")
        subprocess.run([sys.executable, os.path.join(HERE, "gen_bundle.py"), *CORPUS, "--out", tar], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        digest = hashlib.sha256(open(tar, "rb").read()).hexdigest()
        if not a.update and stored.get("corpus") != digest:
            skip("this Python makes another corpus")
        counts = os.path.join(folder, "counts")
        run = subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", a.prog, "analyze", "-q", "--jobs", "1",
                              "--no-cache", "-o", out, tar], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                             env=dict(os.environ, LC_ALL="C"))
        if run.returncode != 0 or not os.path.exists(counts):
            skip("valgrind could not run it: " + run.stderr.strip().splitlines()[-1] if run.stderr.strip() else "no reason given")
        total, by_function = own_instructions(counts, a.prog)
    if not total:
        skip("no instructions of the program itself were counted")
    for function, cost in by_function.most_common(12):
        print(f"{cost:>14,}  {function}")
    print(f"{total:>14,}  instructions in all")
    if a.update:
        json.dump({"instructions": total, "compiler": compiler, "corpus": digest}, open(STORED, "w"), indent=1)
        open(STORED, "a").write("\n")
        return
    change = total / stored["instructions"] - 1
    print(f"{stored['instructions']:>14,}  stored: {change:+.1%}")
    if change > TOLERANCE:
        print("More than before. If it is worth it: tests/bench/gate.py --prog PROG --update, and say why in the commit.")
        sys.exit(1)


main()
