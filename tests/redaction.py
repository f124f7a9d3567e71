#!/usr/bin/python3
"""redaction.py FIRSTFAULT ROOT: redacted bundles say the same and name nobody.

For every bundle of fixtures/: the verdict stays, two runs give the same bytes (of each fourth it is asked), dumps stay dumps, and no private value of the map
is left in a name or in content. Line by line: data/redaction.tsv. And the reports of analyze --redact."""
import csv, glob, json, os, re, shutil, subprocess, sys, tarfile, tempfile, zipfile

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


def judgements(cases):
    """What is said of each case below a folder, by one process: a start costs more than a small bundle."""
    out = tempfile.mkdtemp(dir=tmp)
    run("test", cases, "-o", out, "--report-only")
    said = {}
    for path in glob.glob(f"{out}/*.json"):
        with open(path, "rb") as f:
            report = json.load(f)
        v = report["verdict"]
        said[os.path.basename(path)[:-5]] = (v["cause"], v.get("confidence"), v.get("class"), v.get("suspects", {}).get("ranks"),
                                             len(report["findings"]))
    return said


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
    patterns = [(v.encode(), re.compile(rb"(?<![a-z0-9.])" + re.escape(v.encode()) + rb"(?![a-z0-9]|\.[0-9])")) for v in sorted(values)]
    for name, data in contents(path):
        data = data.lower()
        yield from (f"{name} holds {v.decode()}" for v, pattern in patterns if v in data and pattern.search(data))


def check_bundle(number, bundle):
    """Redacts it, and once more where the order of reading may differ; unpacks it among the redacted cases."""
    case = os.path.basename(os.path.dirname(bundle))
    one, two, keys = os.path.join(tmp, "tars", f"{case}.tar"), os.path.join(tmp, "two.tar"), os.path.join(tmp, "map.csv")
    run("redact", bundle, "-o", one, "--map", keys, "--quiet")
    with tarfile.open(one) as t:
        if len(t.getnames()) > 1 and number % 4 == 0:
            run("redact", bundle, "-o", two, "--quiet", "--jobs", "1")
            if open(one, "rb").read() != open(two, "rb").read():
                failures.append(f"{case}: two runs differ")
        folder = os.path.join(tmp, "redacted", case)
        os.makedirs(os.path.join(folder, "bundle"))
        t.extractall(os.path.join(folder, "bundle"))
        shutil.copy(os.path.join(os.path.dirname(bundle), "expected.json"), folder)
    failures.extend(f"{case}: {leak}" for leak in leaks(one, originals(keys)))


def check_bundles(bundles):
    os.makedirs(os.path.join(tmp, "tars"))
    for i, bundle in enumerate(bundles):
        check_bundle(i, bundle)
    before, after = judgements(f"{root}/fixtures/bundles"), judgements(os.path.join(tmp, "redacted"))
    failures.extend(f"{case}: {said} became {after.get(case)}" for case, said in sorted(before.items()) if said != after.get(case))
    if len(before) != len(bundles):
        failures.append(f"{len(before)} of {len(bundles)} bundles were judged")
    # Nothing that looks private is left, and pseudonyms do not look so. One by one only where that is not so of all.
    tars = sorted(glob.glob(os.path.join(tmp, "tars", "*.tar")))
    if subprocess.run([tool, "redact", "--check", *tars, "--quiet"], capture_output=True, timeout=300).returncode != 0:
        for path in tars:
            run("redact", "--check", path, "--quiet")


def check_keys():
    """--check counts credentials, of which it shows none; what redact leaves of them it does not count."""
    folder, out = os.path.join(tmp, "keys"), os.path.join(tmp, "keys.tar")
    os.makedirs(folder)
    with open(os.path.join(folder, "job.log"), "w", encoding="utf-8") as f:
        f.write("password: hunter22\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\n")
    if run("redact", "--check", folder, wanted=1) != b"credential: 2\n":
        failures.append("--check does not count credentials")
    run("redact", folder, "-o", out, "--quiet")
    run("redact", "--check", out)


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
    check_keys()


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
check_bundles(bundles)
check_lines()
check_reports()
check_names()
check_refusals()
subprocess.run(["rm", "-rf", tmp], check=True)
print("\n".join(failures) or f"{len(bundles)} bundles say the same and name nobody")
sys.exit(bool(failures))
