#!/usr/bin/python3
"""Golden and invariant tests of whole bundles: fixtures/bundles/CASE/{about.md,bundle/,expected.json,report.json}.

  golden.py FIRSTFAULT CASE_DIR golden      report.json is what the tool writes, byte for byte, and fits the schema
  golden.py FIRSTFAULT CASE_DIR packaging   the same bytes for folder, .tar, .tar.gz, .zip and members in another order
  golden.py FIRSTFAULT CASE_DIR prefilter   the same bytes with the literal prefilter off, and with one thread
  golden.py FIRSTFAULT CASE_DIR cut         cut at sampled bytes, the archive still gives a report and no crash
  golden.py FIRSTFAULT CASE_DIR ablation    without one source after the other the verdict never moves to a wrong cause, and says what is missing
  golden.py FIRSTFAULT CASE_DIR same        the same verdict with hosts renamed, all times moved by a week, another machine's noise mixed in, and
                                            one host's clock moved by two hours
  golden.py FIRSTFAULT CASE_DIR told        what the case lists is told: links that were considered and refused, sources that could overturn the verdict, facts of the root, suspects
  golden.py FIRSTFAULT CASE_DIR accept      writes report.json anew; read its diff like code

Several checks may be named in one call; each goes on after the findings of another.
File dates are set to "not known": a checkout's dates are no evidence."""
import datetime, functools, json, os, re, shutil, subprocess, sys, tarfile, tempfile

tool, case, checks = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
tmp = None  # of the check that runs
memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # the tool flushes each report that it writes: a disk would be waited for


class Finding(Exception):
    pass


def fail(text):
    raise Finding(f"{os.path.basename(case)}: {text}")


def analyse(path, *more):
    r = subprocess.run([tool, "analyze", path, "--json", "-", *more], capture_output=True, timeout=300)
    if r.returncode != 0:
        fail(f"exit code {r.returncode} on {os.path.basename(path)} {' '.join(more)}\n{r.stderr.decode(errors='replace')[-3000:]}")
    return r.stdout


def analyse_all(bundles):
    """The reports of folders or archives by name, out of one process, which costs one start; None where a bundle could not be opened. They are moved away."""
    batch, out = os.path.join(tmp, "batch"), os.path.join(tmp, "reports")
    os.makedirs(batch)
    for name, path in bundles.items():
        os.makedirs(os.path.join(batch, name))
        ending = os.path.basename(path).partition(".")[1:]
        os.rename(path, os.path.join(batch, name, "bundle" + "".join(ending)))
        with open(os.path.join(batch, name, "expected.json"), "w") as f:
            f.write('{"root_cause": "healthy"}')
    r = subprocess.run([tool, "test", batch, "-o", out, "--report-only"], capture_output=True, timeout=300)
    if bundles and r.returncode not in (0, 3):
        fail(f"exit code {r.returncode} of {len(bundles)} bundles\n{r.stderr.decode(errors='replace')[-3000:]}")
    kept = {}
    for name in bundles:
        path = os.path.join(out, name + ".json")
        kept[name] = open(path, "rb").read() if os.path.exists(path) else None
        if kept[name] is None and name.encode() not in r.stderr:
            fail(f"no report of {name}, and no word about it")
    shutil.rmtree(batch)
    shutil.rmtree(out, ignore_errors=True)
    return kept


@functools.cache
def untouched():
    """The report of the bundle as it is."""
    return analyse(lay_out("untouched/bundle"))


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
    names, want = members(folder), untouched()
    forms = {"bundle.tar": ("w", names), "bundle.tar.gz": ("w:gz", names), "other.tar": ("w", names[::-1]), "odd.tar.xz": ("w:xz", names[1::2] + names[::2])}
    for name, (mode, order) in forms.items():
        pack(folder, os.path.join(tmp, name), order, mode)
    subprocess.run(["tar", "-C", folder, "-cf", os.path.join(tmp, "dots.tar"), "."], check=True)
    for name, got in analyse_all({name: os.path.join(tmp, name) for name in [*forms, "dots.tar"]}).items():
        same(want, got or b"", f"folder and {name}")


def prefilter():
    folder = lay_out()
    want = untouched()
    same(want, analyse(folder, "--no-prefilter"), "prefilter on and off")
    same(want, analyse(folder, "--jobs", "1"), "many threads and one")


def cut():
    folder = lay_out()
    path = os.path.join(tmp, "bundle.tar.gz")
    pack(folder, path, members(folder), "w:gz")
    data = open(path, "rb").read()
    pieces = {f"cut at {k} of 8": os.path.join(tmp, f"cut{k}.tar.gz") for k in range(1, 8)}
    for k, piece in enumerate(pieces.values(), 1):
        with open(piece, "wb") as f:
            f.write(data[:len(data) * k // 8])
    for name, got in analyse_all(pieces).items():
        if got and not json.loads(got)["inputs"][0]["truncated"]:
            fail(f"{name}, and the input is not called truncated")


KINDS = {"kernel": "kernel log", "nccl": "NCCL log", "app": "job output", "k8s": "kubelet log or cluster objects", "runtime": "container runtime log", "slurm": "Slurm log",
         "gpu": "GPU state", "net": "network state", "host": "host state", "recorder": "Flight Recorder dumps"}


def without_each(names):
    """The reports of the bundle without one member after the other, by member."""
    folders = {}
    for i, m in enumerate(names):
        folders[f"without {i}"] = lay_out(f"without-{i}/bundle")
        os.unlink(os.path.join(folders[f"without {i}"], m))
    return {m: json.loads(got) for m, got in zip(names, analyse_all(folders).values()) if got}


def is_held_twice(report, m):
    """Others of the same kind, host and rank, so that nobody can tell that one of them is missing."""
    own = [c for c in report["coverage"] if c["member"] == m][0]
    like = lambda c: c["member"] != m and c["host"] == own["host"] and c["rank"] == own["rank"] and set(own["streams"]) & set(c["streams"])
    return not own["streams"] or any(like(c) for c in report["coverage"])


def ablation():
    """Without one source after the other the verdict moves to no wrong cause. Without the one that holds the first evidence it is the same and certain, or it
    says which kind of source could overturn it, unless the case lists that source as one whose absence is not noticed ("unmissed", with its why)."""
    with open(os.path.join(case, "expected.json")) as f:
        truth = json.load(f)
    allowed = {truth["root_cause"], "unknown", "healthy", *truth.get("also_acceptable", []), *truth.get("symptoms", []), *truth.get("weaker", [])}
    report = json.loads(untouched())
    first = (report["verdict"]["first_evidence"] or {}).get("member")
    wrong = []
    names = members(os.path.join(case, "bundle"))
    for m, got in without_each(names).items() if len(names) > 1 else ():
        verdict = got["verdict"]
        if verdict["cause"] not in allowed:
            wrong.append(f"without {m} the verdict moves to {verdict['cause']}, {verdict['confidence']}")
            continue
        decides = m == first and m not in truth.get("unmissed", []) and (verdict["cause"], verdict["confidence"]) != (report["verdict"]["cause"], "certain")
        kinds = [KINDS[s] for c in report["coverage"] if c["member"] == m for s in c["streams"]]
        host = [c["host"] for c in report["coverage"] if c["member"] == m][0]
        known = not host or host in json.dumps(got)  # of a machine that nothing else names nobody can say that its log is missing
        if decides and known and not is_held_twice(report, m) and not any(c.startswith(k) for c in verdict["ceiling"] for k in kinds):
            wrong.append(f"without {m} ({', '.join(kinds)}) the verdict is {verdict['cause']}, and what could overturn it is {verdict['ceiling']}")
    if wrong:
        fail("; ".join(wrong))


# ---- the same verdict, whatever does not matter ----
def told_sources(truth, report):
    """Words that an entry of the ceiling holds ("ceiling"), and words that none may hold ("not_in_ceiling")."""
    ceiling = report["verdict"]["ceiling"]
    missing = [w for w in truth.get("ceiling", []) if not any(w in c for c in ceiling)]
    wrong = [w for w in truth.get("not_in_ceiling", []) if any(w in c for c in ceiling)]
    if missing or wrong:
        fail(f"sources that are not named: {missing}; named without need: {wrong}; named: {ceiling}")


def told_root(truth, report):
    """What the root finding says of itself ("facts"), and the hosts that are suspects, no other ("suspects")."""
    roots = [f["facts"] for f in report["findings"] if f["id"] in {i["root"] for i in report["incidents"] if i["id"] == report["verdict"]["incident"]}]
    facts, want = roots[0] if roots else {}, truth.get("facts", {})
    if {k: facts.get(k) for k in want} != want:
        fail(f"facts of the root are {facts}, and should hold {want}")
    hosts = report["verdict"]["suspects"]["hosts"]
    if "suspects" in truth and hosts != truth["suspects"]:
        fail(f"suspects are {hosts}, and should be {truth['suspects']}")


def told():
    """The links that the case lists ("refused": [by, finding, reason]) are told as considered and refused, and no other of these pairs ("not_refused");
    so are its sources."""
    with open(os.path.join(case, "expected.json")) as f:
        truth = json.load(f)
    report = json.loads(untouched())
    cause = {f["id"]: f["cause"] for f in report["findings"]}
    links = [[cause[x["by"]], cause[x["finding"]], x["reason"]] for i in report["incidents"] for x in i["refused"]]
    missing = [x for x in truth.get("refused", []) if x not in links]
    wrong = [x for x in truth.get("not_refused", []) if x in [t[:2] for t in links]]
    if missing or wrong:
        fail(f"refused links that are not told: {missing}; told, and they hold: {wrong}; told: {links}")
    told_sources(truth, report)
    told_root(truth, report)


WEEK, MONTHS = 7 * 86400, "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def moved(seconds, year, month, day, hour, minute, second):
    return datetime.datetime(int(year), int(month), int(day), int(hour), int(minute), int(second)) + datetime.timedelta(seconds=seconds)


def shifted(data, seconds):
    """Moves every date and time of a text, in the spellings that logs use."""
    text = data.decode("utf-8", "surrogateescape")
    clock = r"(\d\d):(\d\d):(\d\d)"
    names = "|".join(MONTHS)

    def iso(m):
        t = moved(seconds, m[1], m[3], m[4], *m.groups()[5:8])
        return f"{t.year}{m[2]}{t.month:02}{m[2]}{t.day:02}{m[5]}{t:%H:%M:%S}"

    def ctime(m):
        t = moved(seconds, m[4 + 3], MONTHS.index(m[2]) + 1, m[3], *m.groups()[3:6])
        return f"{DAYS[t.weekday()]} {MONTHS[t.month - 1]} {t.day:{'02' if m[3][0] == '0' else '2'}} {t:%H:%M:%S} {t.year}"

    def syslog(m):
        t = moved(seconds, 2025, MONTHS.index(m[1]) + 1, m[2], *m.groups()[2:5])
        return f"{MONTHS[t.month - 1]} {t.day:{'02' if m[2][0] == '0' else '2'}} {t:%H:%M:%S}"

    def glog(m):
        t = moved(seconds, 2025, m[2], m[3], *m.groups()[3:6])
        return f"{m[1]}{t.month:02}{t.day:02} {t:%H:%M:%S}"

    def short(m):
        t = moved(seconds, 2025, m[2], m[3], *m.groups()[3:6])
        return f"{m[1]}{t.month:02}-{t.day:02} {t:%H:%M:%S}"

    def torch(m):
        t = moved(seconds, 2025, m[2], m[3], *m.groups()[3:6])
        return f"[{m[1]}{t.month}{t.day:02} {t:%H:%M:%S}."

    def epoch(m):
        return str(int(m[0]) + seconds * 10 ** (len(m[0]) - 10))

    text = re.sub(r"\b(20\d\d)([-/])(\d\d)\2(\d\d)([T _])" + clock, iso, text)
    text = re.sub(r"\b(%s) (%s) +(\d+) %s (20\d\d)" % ("|".join(DAYS), names, clock), ctime, text)
    text = re.sub(r"(?<!\w)(%s) +(\d{1,2}) %s(?! 20\d\d)" % (names, clock), syslog, text)
    text = re.sub(r"(?<![^\[ \n])([IWEF])(\d\d)(\d\d) %s" % clock, glog, text)
    text = re.sub(r"\[([IWEFC])(\d{1,2})(\d\d) %s\." % clock, torch, text)
    text = re.sub(r"((?:INFO|ERROR|WARNING) )(\d\d)-(\d\d) %s" % clock, short, text)
    text = re.sub(r"(?<![\d.x])1[5-8]\d{8}(?:\d{3}|\d{6}|\d{9})?(?![\d])", epoch, text)
    return text.encode("utf-8", "surrogateescape")


def is_text(data):
    return b"\0" not in data and not data.startswith((b"\x80", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK"))


def rewrite(folder, change, which=lambda name: True, rename=lambda name: name):
    was = {m: open(os.path.join(folder, m), "rb").read() for m in members(folder)}
    shutil.rmtree(folder)
    for m, data in was.items():
        path = os.path.join(folder, rename(m))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(change(data) if which(m) else data)
        os.utime(path, (0, 0))


def verdict_of(report):
    v = report["verdict"]
    return v["cause"], v["fault_class"], sorted(v["suspects"]["ranks"])


def hosts_of(report):
    names = {c["host"] for c in report["coverage"] if c.get("host")} | {f["who"]["host"] for f in report["findings"] if f["who"].get("host")}
    return sorted((h for h in names if len(h) > 2 and re.search(r"[a-z]", h)), key=len, reverse=True)


def new_name(host, used):
    """As long as the old one, nothing that reads like something else, and nobody else's."""
    for k in range(1, 10):
        name = re.sub(r"\d", lambda d: str((int(d[0]) + k) % 10), host)
        if name == host and host[-1].isalpha():
            name = host[:-1] + chr((ord(host[-1]) - ord("a") + k) % 26 + ord("a"))
        if name not in used:
            return name
    return host


def renamed(report):
    bundle = os.path.join(case, "bundle")
    used = "\n".join([m + "\n" + open(os.path.join(bundle, m), "rb").read().decode("utf-8", "replace") for m in members(bundle)])
    names = {h: new_name(h, used) for h in hosts_of(report)}
    if not names or len(set(names.values())) < len(names):
        return None
    rule = re.compile(r"(?<![A-Za-z0-9])(%s)(?![A-Za-z0-9])" % "|".join(re.escape(h) for h in names))
    folder = lay_out("renamed")
    swap = lambda text: rule.sub(lambda m: names[m[1]], text)
    rewrite(folder, lambda d: swap(d.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape") if is_text(d) else d, rename=swap)
    return folder


def a_week_later(report):
    folder = lay_out("week")
    rewrite(folder, lambda d: shifted(d, WEEK))
    return folder


def with_noise(report):
    if len({c["host"] for c in report["coverage"] if c.get("host")}) < 1 or any(not c.get("host") for c in report["coverage"]):
        return None  # with a second machine nobody could say whose the nameless files are
    folder = lay_out("noise")
    os.makedirs(os.path.join(folder, "zz-quiet-77"))
    for name, lines in {"dmesg": ["[    0.000000] Linux version 6.8.0-45-generic (buildd@lcy02) #45-Ubuntu SMP", "[  812.000000] eth0: renamed from veth1", "[ 9812.100000] IPv6: ADDRCONF(NETDEV_CHANGE): eth0: link becomes ready"],
                        "syslog": ["Jan 12 03:00:01 zz-quiet-77 CRON[811]: (root) CMD (true)", "Jan 12 03:10:01 zz-quiet-77 systemd[1]: Started Session 81 of User ops."]}.items():
        path = os.path.join(folder, "zz-quiet-77", name)
        with open(path, "w") as f:
            f.write("\n".join(lines) + "\n")
        os.utime(path, (0, 0))
    return folder


def lost_hosts(report, noisy):
    """Files without a name of a host are those of the only one, and beside a second machine nobody's."""
    was, now = ({c["member"] for c in r["coverage"] if c["host"]} for r in (report, noisy))
    return bool(was - now)


def with_a_wrong_clock(report):
    """Only where several hosts have members of their own: all those of one of them are moved. Not where the clock itself is
    what the case is about ("clock_decides", why)."""
    own = {}
    for c in report["coverage"]:
        if c["host"]:
            own.setdefault(c["host"], set()).add(c["member"])
    with open(os.path.join(case, "expected.json")) as f:
        if len(own) < 2 or json.load(f).get("clock_decides"):
            return None
    folder = lay_out("skewed")
    rewrite(folder, lambda d: shifted(d, 7200), which=lambda m: m in own[min(own)])
    return folder


def same_verdict():
    bundle = os.path.join(case, "bundle")
    if not all(is_text(open(os.path.join(bundle, m), "rb").read()) for m in members(bundle)):
        return
    report = json.loads(untouched())
    ways = [renamed, a_week_later, with_noise, with_a_wrong_clock]
    folders = {way.__name__: way(report) for way in ways}
    for name, got in analyse_all({name: folder for name, folder in folders.items() if folder}).items():
        got = json.loads(got)
        if name == "with_noise" and lost_hosts(report, got):
            continue
        got = verdict_of(got)
        alike = got[:2] == verdict_of(report)[:2] if name == "with_noise" else got == verdict_of(report)  # a file without a host may lose its ranks
        if not alike:
            fail(f"{name}: the verdict is {got}, and was {verdict_of(report)}")


def accept():
    with open(os.path.join(case, "report.json"), "wb") as f:
        f.write(analyse(lay_out()))


found = []
for check in checks:
    tmp = tempfile.mkdtemp(prefix="golden-", dir=memory)
    try:
        {"golden": golden, "packaging": packaging, "prefilter": prefilter, "cut": cut, "ablation": ablation, "same": same_verdict, "told": told, "accept": accept}[check]()
    except Finding as finding:
        found.append(f"{check}: {finding}" if len(checks) > 1 else str(finding))
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
print("\n".join(found), end="\n" if found else "")
sys.exit(1 if found else 0)
