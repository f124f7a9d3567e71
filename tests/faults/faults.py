#!/usr/bin/python3
"""faults.py FIRSTFAULT PRELOAD ROOT: reads, writes, closes, opens, flushes and renames fail, one after the other.

Of a bundle of one line each call fails in turn (fork.h), of allocations and writes a part, without FF_THOROUGH; of a real one a sample.
Whatever fails, the run ends by itself with exit code 0 or 3, says what it could not do when it is 3, and each output is whole or
not there. FF_THOROUGH=1 tries every call; else a sample of each kind. Where memory ends inside a library that does not bear it, the
process ends as it does for our own: exit code 3, what was written whole, nothing half."""
import glob, os, shutil, subprocess, sys, tempfile

from outputs import wrong_with

tool, preload, root = map(os.path.abspath, sys.argv[1:4])
tmp = tempfile.mkdtemp(prefix="faults-")
failures = []
MOST = 10 ** 9 if os.environ.get("FF_THOROUGH") else 24


def environment(**more):
    return {"PATH": os.environ["PATH"], "HOME": tmp, "LC_ALL": "C", "LD_PRELOAD": preload, **more}


def run(arguments, **more):
    return subprocess.run([tool, *arguments], capture_output=True, timeout=120, env=environment(**more))


def counted(arguments, out):
    file = os.path.join(tmp, "count")
    run(arguments) # fills the cache, so that the runs to come are alike
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    run(arguments, FF_FAIL_COUNT=file)
    with open(file, encoding="utf-8") as f:
        counts = {kind: int(n) for kind, n in (line.split() for line in f)}
    os.unlink(file)
    return counts


def sampled(n):
    """All of few; of many the first ones, which are the deepest in set-up, and some at even distances."""
    if n <= MOST:
        return range(1, n + 1)
    return sorted(set(range(1, MOST // 4)) | {1 + i * n // MOST for i in range(MOST)})


def try_one(what, arguments, out, fault):
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    try:
        r = run(arguments, FF_FAIL=fault)
    except subprocess.TimeoutExpired:
        failures.append(f"{what}: {fault}: it hangs")
        return
    said = r.stderr.decode(errors="replace")
    if r.returncode not in (0, 3):
        failures.append(f"{what}: {fault}: exit {r.returncode} {said[-200:]}")
    if r.returncode == 3 and "firstfault: " not in said:
        failures.append(f"{what}: {fault}: nothing is said")
    for name in sorted(os.listdir(out)):
        problem = wrong_with(os.path.join(out, name))
        if name.startswith("."):
            failures.append(f"{what}: {fault}: {name} is left behind")
        elif problem:
            failures.append(f"{what}: {fault}: {name} is not whole: {problem}")
    if r.returncode == 0 and "NAMES" in what and len(os.listdir(out)) < 3:
        failures.append(f"{what}: {fault}: exit 0, and outputs are missing")


def try_all(what, arguments, out):
    tried = 0
    for kind, n in counted(arguments, out).items():
        for i in sampled(n):
            try_one(what, arguments, out, f"{kind}:{i}")
            tried += 1
        if n and kind in ("write", "fsync", "rename", "open"):
            try_one(what, arguments, out, f"{kind}:{max(1, n // 2)}+")
    return tried


# Of small bundles too there are 30,000 allocations and 850 writes: without FF_THOROUGH each 97th and each 7th of them.
KINDS = {"memory": 97, "open": 1, "read": 1, "write": 7, "close": 1, "fsync": 1, "rename": 1}


def each_in_turn(what, arguments, out, outputs):
    """Every call of every kind over a small bundle; how many there were."""
    tried = 0
    for kind, step in KINDS.items():
        for old in glob.glob(out + "*"):
            shutil.rmtree(old)
        os.makedirs(out)
        log = os.path.join(tmp, "log")
        step = 1 if os.environ.get("FF_THOROUGH") else step
        more = {"FF_FORK_STEP": str(step), "FF_FORK": kind, "FF_FORK_AT": "few", "FF_FORK_OUT": out, "FF_FORK_LOG": log}
        r = subprocess.run([tool, *arguments, "--jobs", "1", "--no-sandbox"], capture_output=True, timeout=7200, env=environment(**more))
        if r.returncode != 0:
            failures.append(f"{what}: {kind}: the parent ends with {r.returncode}: {r.stderr[-300:]}")
        with open(log, encoding="utf-8") as f:
            rows = [(line.split()[0], *map(int, line.split()[1:])) for line in f]
        for when, number, code, n_files, spoke in rows:
            if code not in (0, 3) or (code == 3 and not spoke) or (code == 0 and n_files < outputs):
                failures.append(f"{what}: {kind} {when} {number}: exit {code}, {n_files} outputs, spoke: {spoke}")
        if not any(when == "late" for when, *_ in rows):
            failures.append(f"{what}: {kind}: the bundle was not opened")
        for folder in glob.glob(out + ".*"):
            for name in sorted(os.listdir(folder)):
                problem = "left behind" if name.startswith(".") else wrong_with(os.path.join(folder, name))
                if problem:
                    failures.append(f"{what}: {kind}: {name}: {problem}")
        tried += len(rows)
    return tried


def a_few_lines():
    folder = os.path.join(tmp, "few")
    os.makedirs(folder)
    with open(os.path.join(folder, "dmesg"), "wb") as f:
        f.write(b"[    1.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n")
    packed = os.path.join(tmp, "few.tar.gz")
    subprocess.run(["tar", "-czf", packed, "-C", folder, "."], check=True)
    return folder, packed


def main():
    folder, few = a_few_lines()
    small = os.path.join(tmp, "small")
    run(["analyze", few, "--json", "/dev/null", "--quiet"]) # fills the cache
    tried = each_in_turn("few lines", ["analyze", few, "-o", small, "--quiet"], small, 3)
    tried += each_in_turn("few lines, folder", ["analyze", folder, "--json", f"{small}/report.json", "--quiet"], small, 1)
    tried += each_in_turn("few lines, redact", ["redact", few, "-o", f"{small}/safe.tar.gz", "--quiet"], small, 1)
    print(f"{tried} faults of a few lines", flush=True)
    bundle = f"{root}/fixtures/bundles/nccl-init-memcg-oom/bundle"
    packed = os.path.join(tmp, "bundle.tar.gz")
    subprocess.run(["tar", "-czf", packed, "-C", bundle, "."], check=True)
    out = os.path.join(tmp, "out")
    tried += try_all("analyze NAMES", ["analyze", packed, "-o", out, "--quiet"], out)
    tried += try_all("analyze folder", ["analyze", bundle, "--json", f"{out}/report.json", "--jobs", "1", "--quiet"], out)
    tried += try_all("redact", ["redact", packed, "-o", f"{out}/safe.tar.gz", "--quiet"], out)
    shutil.rmtree(tmp)
    print("\n".join(failures) or f"{tried} faults, none lost anything")
    return bool(failures)


sys.exit(main())
