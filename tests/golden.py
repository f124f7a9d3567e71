#!/usr/bin/python3
"""Golden and invariant tests of whole bundles: fixtures/bundles/CASE/{about.md,bundle/,expected.json,report.json}.

  golden.py FIRSTFAULT CASE_DIR golden      report.json is what the tool writes, byte for byte, and fits the schema
  golden.py FIRSTFAULT CASE_DIR packaging   the same bytes for folder, .tar, .tar.gz, .zip and members in another order
  golden.py FIRSTFAULT CASE_DIR prefilter   the same bytes with the literal prefilter off, and with one thread
  golden.py FIRSTFAULT CASE_DIR cut         cut at sampled bytes, the archive still gives a report and no crash
  golden.py FIRSTFAULT CASE_DIR ablation    without one source after the other the verdict never moves to a wrong cause
  golden.py FIRSTFAULT CASE_DIR accept      writes report.json anew; read its diff like code

File dates are set to "not known": a checkout's dates are no evidence."""
import json, os, shutil, subprocess, sys, tarfile, tempfile

tool, case, what = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
tmp = tempfile.mkdtemp(prefix="golden-")


def fail(text):
    print(f"{os.path.basename(case)}: {text}")
    sys.exit(1)


def analyse(path, *more, may_be_unreadable=False):
    r = subprocess.run([tool, "analyze", path, "--json", "-", *more], capture_output=True, timeout=300)
    if r.returncode == 3 and may_be_unreadable and b"firstfault: " in r.stderr:
        return None
    if r.returncode != 0:
        fail(f"exit code {r.returncode} on {os.path.basename(path)} {' '.join(more)}\n{r.stderr.decode(errors='replace')[-3000:]}")
    return r.stdout


def members(folder):
    found = []
    for at, _, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, n), folder) for n in names]
    return sorted(found)


def lay_out(name="bundle"):
    folder = os.path.join(tmp, name)
    shutil.copytree(os.path.join(case, "bundle"), folder)
    for m in members(folder):
        os.utime(os.path.join(folder, m), (0, 0))
    return folder


def pack(folder, path, names, mode="w"):
    with tarfile.open(path, mode) as t:
        for n in names:
            info = t.gettarinfo(os.path.join(folder, n), arcname="bundle/" + n)
            info.mtime, info.uid, info.gid, info.uname, info.gname = 0, 0, 0, "", ""
            with open(os.path.join(folder, n), "rb") as f:
                t.addfile(info, f)


def same(a, b, text):
    if a == b:
        return
    lines_a, lines_b = a.decode().split("\n"), b.decode().split("\n")
    for i, (x, y) in enumerate(zip(lines_a, lines_b)):
        if x != y:
            fail(f"{text}: line {i + 1}\n  - {x}\n  + {y}")
    fail(f"{text}: {len(lines_a)} and {len(lines_b)} lines")


def golden():
    got = analyse(lay_out())
    import jsonschema
    with open(os.path.join(root, "docs", "report.schema.json")) as f:
        jsonschema.validate(json.loads(got), json.load(f))
    with open(os.path.join(case, "report.json"), "rb") as f:
        same(f.read(), got, "the report changed (golden.py ... accept rewrites it)")


def packaging():
    folder = lay_out()
    names, want = members(folder), analyse(folder)
    forms = {"bundle.tar": ("w", names), "bundle.tar.gz": ("w:gz", names), "other.tar": ("w", names[::-1]), "odd.tar.xz": ("w:xz", names[1::2] + names[::2])}
    for name, (mode, order) in forms.items():
        path = os.path.join(tmp, name)
        pack(folder, path, order, mode)
        same(want, analyse(path), f"folder and {name}")
    subprocess.run(["tar", "-C", folder, "-cf", os.path.join(tmp, "dots", "bundle.tar") if os.makedirs(os.path.join(tmp, "dots")) is None else "", "."], check=True)
    same(want, analyse(os.path.join(tmp, "dots", "bundle.tar")), "folder and a tar of '.'")


def prefilter():
    folder = lay_out()
    want = analyse(folder)
    same(want, analyse(folder, "--no-prefilter"), "prefilter on and off")
    same(want, analyse(folder, "--jobs", "1"), "many threads and one")


def cut():
    folder = lay_out()
    path = os.path.join(tmp, "bundle.tar.gz")
    pack(folder, path, members(folder), "w:gz")
    data = open(path, "rb").read()
    for k in range(1, 8):
        piece = os.path.join(tmp, f"cut{k}.tar.gz")
        with open(piece, "wb") as f:
            f.write(data[:len(data) * k // 8])
        got = analyse(piece, may_be_unreadable=True)
        if got and not json.loads(got)["inputs"][0]["truncated"]:
            fail(f"cut at {k}/8, and the input is not called truncated")


def ablation():
    with open(os.path.join(case, "expected.json")) as f:
        truth = json.load(f)
    allowed = {truth["root_cause"], "unknown", "healthy", *truth.get("also_acceptable", []), *truth.get("symptoms", []), *truth.get("weaker", [])}
    folder = lay_out()
    for m in members(folder):
        path = os.path.join(folder, m)
        data = open(path, "rb").read()
        os.unlink(path)
        if members(folder):
            cause = json.loads(analyse(folder))["verdict"]["cause"]
            if cause not in allowed:
                fail(f"without {m} the verdict moves to {cause}")
        with open(path, "wb") as f:
            f.write(data)
        os.utime(path, (0, 0))


def accept():
    with open(os.path.join(case, "report.json"), "wb") as f:
        f.write(analyse(lay_out()))


try:
    {"golden": golden, "packaging": packaging, "prefilter": prefilter, "cut": cut, "ablation": ablation, "accept": accept}[what]()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
