#!/usr/bin/python3
"""faults.py FIRSTFAULT PRELOAD ROOT: reads, writes, closes, opens, flushes and renames fail, one after the other.

Whatever fails, the run ends by itself with exit code 0 or 3, says what it could not do when it is 3, and each output is whole or
not there. FF_THOROUGH=1 tries every call; else a sample of each kind. Where memory ends inside a library that does not bear it, the
process ends as it does for our own: exit code 3, what was written whole, nothing half."""
import os, shutil, subprocess, sys, tempfile

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


def main():
    bundle = f"{root}/fixtures/bundles/nccl-init-memcg-oom/bundle"
    packed = os.path.join(tmp, "bundle.tar.gz")
    subprocess.run(["tar", "-czf", packed, "-C", bundle, "."], check=True)
    out = os.path.join(tmp, "out")
    tried = try_all("analyze NAMES", ["analyze", packed, "-o", out, "--quiet"], out)
    tried += try_all("analyze folder", ["analyze", bundle, "--json", f"{out}/report.json", "--jobs", "1", "--quiet"], out)
    tried += try_all("redact", ["redact", packed, "-o", f"{out}/safe.tar.gz", "--quiet"], out)
    shutil.rmtree(tmp)
    print("\n".join(failures) or f"{tried} faults, none lost anything")
    return bool(failures)


sys.exit(main())
