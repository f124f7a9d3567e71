#!/usr/bin/python3
"""redaction.py FIRSTFAULT ROOT: redacted bundles say the same and name nobody.

For every bundle of fixtures/: the verdict stays, two runs give the same bytes, dumps stay dumps, and no private value of the map
is left in a name or in content. Line by line: data/redaction.tsv. And the reports of analyze --redact."""
import csv, glob, json, os, re, subprocess, sys, tarfile, tempfile, zipfile

tool, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
tmp = tempfile.mkdtemp(prefix="redaction-")
failures = []
# Kinds whose values are replaced wherever they stand; a part of a path only within one, a plain word not at all.
EVERYWHERE = {"host", "name", "ipv4", "ipv6", "mac", "guid", "uuid", "serial", "email"}


def run(*arguments, wanted=0):
    r = subprocess.run([tool, *arguments], capture_output=True, timeout=300)
    if r.returncode != wanted:
        failures.append(f"{' '.join(arguments)}: exit {r.returncode}: {r.stderr.decode(errors='replace')[-500:]}")
    return r.stdout


def judgement(path):
    report = json.loads(run("analyze", path, "--json", "-", "--quiet") or b'{"verdict": {"cause": ""}, "findings": []}')
    v = report["verdict"]
    return v["cause"], v.get("confidence"), v.get("class"), v.get("suspects", {}).get("ranks"), len(report["findings"])


def text_of(kind, value):
    """How a normalised value of the map stands in text."""
    if kind == "ipv4":
        return ".".join(str(int(value[i:i + 2], 16)) for i in range(0, 8, 2))
    if kind == "mac":
        return ":".join(value[i:i + 2] for i in range(0, 12, 2))
    if kind == "uuid":
        return "-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:]))
    return value


def is_telling(kind, value):
    return kind in EVERYWHERE and len(value) >= 6 and re.search(r"[0-9.-]", value)


def originals(path):
    with open(path, newline="", encoding="utf-8") as f:
        rows = [r for r in csv.DictReader(f) if r["original"].lower() != r["pseudonym"].lower()]
    made = {text_of(r["kind"], r["pseudonym"]).lower() if r["kind"] != "ipv4" else r["pseudonym"] for r in rows}
    found = {text_of(r["kind"], r["original"]).lower() for r in rows if is_telling(r["kind"], r["original"])}
    return found - made


def contents(path):
    with tarfile.open(path) as t:
        for m in t:
            if (m.uid, m.gid, m.uname, m.gname) != (0, 0, "", ""):
                failures.append(f"{path}: owner of {m.name} is told")
            yield m.name, m.name.encode() + b"\n" + t.extractfile(m).read()


def leaks(path, values):
    patterns = [(v, re.compile(rb"(?<![a-z0-9.])" + re.escape(v.encode()) + rb"(?![a-z0-9]|\.[0-9])")) for v in sorted(values)]
    for name, data in contents(path):
        data = data.lower()
        yield from (f"{name} holds {v}" for v, pattern in patterns if pattern.search(data))


def check_bundle(bundle):
    case = os.path.basename(os.path.dirname(bundle))
    one, two, keys = (os.path.join(tmp, n) for n in ("one.tar", "two.tar", "map.csv"))
    run("redact", bundle, "-o", one, "--map", keys, "--quiet")
    run("redact", bundle, "-o", two, "--quiet", "--jobs", "1")
    if open(one, "rb").read() != open(two, "rb").read():
        failures.append(f"{case}: two runs differ")
    run("redact", "--check", one, "--quiet") # nothing that looks private is left, and pseudonyms do not look so
    before, after = judgement(bundle), judgement(one)
    if before != after:
        failures.append(f"{case}: {before} became {after}")
    failures.extend(f"{case}: {leak}" for leak in leaks(one, originals(keys)))


def check_lines():
    rows = [line.rstrip("\n").split("\t") for line in open(f"{root}/tests/data/redaction.tsv", encoding="utf-8")
            if not line.startswith("#")]
    folder = os.path.join(tmp, "lines", "gpu-a07")
    os.makedirs(folder)
    with open(os.path.join(folder, "messages"), "w", encoding="utf-8") as f:
        f.writelines(row[0] + "\n" for row in rows)
    out = os.path.join(tmp, "lines.tar.gz")
    run("redact", os.path.dirname(folder), "-o", out, "--quiet")
    [(_, data)] = contents(out)
    for (line, wanted), got in zip(rows, data.decode().split("\n")[1:]):
        if got != wanted:
            failures.append(f"{line}\n    wanted {wanted}\n    got    {got}")
    if run("redact", "--check", out) != run("redact", "--check", out):
        failures.append("--check is not steady")
    run("redact", "--check", os.path.dirname(folder), wanted=1)


def check_reports():
    bundle = f"{root}/fixtures/bundles/nccl-init-memcg-oom/bundle"
    out, keys = os.path.join(tmp, "report"), os.path.join(tmp, "keys.csv")
    run("redact", bundle, "-o", os.path.join(tmp, "r.tar"), "--map", keys, "--quiet")
    run("analyze", bundle, "--redact", "-o", out, "--markdown", f"{out}.md", "--csv", f"{out}.csv", "--quiet")
    if sorted(os.listdir(out)) != ["report.html", "report.json", "report.xlsx"]:
        failures.append(f"--redact left something behind: {os.listdir(out)}")
    if failures:
        return
    texts = [open(p, "rb").read() for p in (f"{out}/report.html", f"{out}/report.json", f"{out}.md", f"{out}.csv")]
    with zipfile.ZipFile(f"{out}/report.xlsx") as z:
        texts += [z.read(n) for n in z.namelist()]
    for value in originals(keys):
        if any(value.encode() in t.lower() for t in texts):
            failures.append(f"a report of --redact holds {value}")


def check_names():
    """A name that no character set holds, or that turns the line round, costs nobody the archive."""
    folder = os.path.join(tmp, "names")
    names = ("kühl/dmesg", "n01\u202egpj\u200b\x1b[31m<b>/dmesg", "bad\udcff\udcfe/dmesg")
    for i, name in enumerate(names):
        os.makedirs(os.path.dirname(os.path.join(folder, name)))
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(f"[    {i}.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid=1\n")
    for ending in ("tar.gz", "zip"):
        out = os.path.join(tmp, f"names.{ending}")
        run("redact", folder, "-o", out, "--quiet")
        report = json.loads(run("analyze", out, "--json", "-", "--quiet") or b'{"coverage": []}')
        if len(report["coverage"]) != len(names):
            failures.append(f"names: {len(report['coverage'])} members in {ending}")


def check_refusals():
    run("redact", root, "-o", os.path.join(tmp, "folder"), wanted=2)
    run("redact", "-", "-o", os.path.join(tmp, "x.tar"), wanted=2)
    run("redact", os.path.join(tmp, "missing"), "-o", os.path.join(tmp, "x.tar"), wanted=3)
    if os.path.exists(os.path.join(tmp, "x.tar")):
        failures.append("a failed run left an archive")


bundles = sorted(glob.glob(f"{root}/fixtures/bundles/*/bundle"))
for b in bundles:
    check_bundle(b)
check_lines()
check_reports()
check_names()
check_refusals()
subprocess.run(["rm", "-rf", tmp], check=True)
print("\n".join(failures) or f"{len(bundles)} bundles say the same and name nobody")
sys.exit(bool(failures))
