#!/usr/bin/env python3
"""log_shapes.py FIRSTFAULT [--show]: one kernel log in every shape that dmesg, journalctl, syslog daemons and the kernel itself give it.
A GPU is lost, and two hours later a memory cgroup is full; the report of that is one record of several lines. In each shape both must be
found, with the accounting of the cgroup, on their lines, at their times as far as the shape tells one, and nothing else."""
import datetime, json, os, subprocess, sys, tempfile

BOOT = 1767225600.0 # 2026-01-01T00:00:00Z
HOST = "gpu-k07"
KILLED = "Memory cgroup out of memory: Killed process 52118 (python3) total-vm:88111222kB, anon-rss:6000100kB, file-rss:20kB, shmem-rss:1024kB, UID:1000 pgtables:20100kB oom_score_adj:977"
CHOICE = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x.scope,mems_allowed=0-1,oom_memcg=/user.slice/x.scope,task_memcg=/user.slice/x.scope,task=python3,pid=52118,uid=1000"
# seconds since boot, level, text
LOG = [(4.5, 6, "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.124.06  Release Build"),
       (3600.25, 4, "NVRM: Xid (PCI:0000:b1:00): 79, GPU has fallen off the bus."),
       (3660.000001, 6, "mlx5_core 0000:8a:00.0 ens7f0np0: Link up"),
       (10800.125, 4, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=977"),
       (10800.1251, 6, "memory: usage 6144000kB, limit 6144000kB, failcnt 512"),
       (10800.1252, 6, "Memory cgroup stats for /user.slice/x.scope:"), (10800.12525, 6, "anon 6144102400\nfile 20480\nshmem 1048576"),
       (10800.1253, 6, "Tasks state (memory values in pages):"),
       (10800.1254, 6, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"),
       (10800.1255, 6, "[  52118]  1000 52118 22027805  1500281 20582400        0           977 python3"),
       (10800.1256, 6, CHOICE), (10800.1257, 3, KILLED)]
LEVEL = ["emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"]
SHAPES = {}


def shape(name):
    """A shape gives the text of a member from LOG. The name of the member is the shape's own, with a folder where that says what it is."""
    def keep(f):
        SHAPES[name] = f
        return f
    return keep


def when(t):
    return datetime.datetime.fromtimestamp(BOOT + t, datetime.timezone.utc)


def lines(prefix, indent=None, newline=None):
    """Each record behind its prefix; later lines of it are indented by its width, carry it again, or stand behind an escape."""
    out = []
    for t, level, text in LOG:
        head = prefix(t, level)
        if newline:
            out.append(head + text.replace("\n", newline))
            continue
        first, *rest = text.split("\n")
        out.append(head + first)
        out += [(head if indent == "again" else " " * len(head)) + r for r in rest]
    return "\n".join(out) + "\n"


def since(t):
    return f"[{t:12.6f}] "


# ---- dmesg
shape("dmesg")(lambda: lines(lambda t, p: since(t)))
shape("dmesg_forced")(lambda: lines(lambda t, p: since(t), "again"))
shape("dmesg_caller")(lambda: lines(lambda t, p: since(t)[:-1] + "[   C12] "))
shape("dmesg_caller_apart")(lambda: lines(lambda t, p: since(t) + "[ T4120] "))
shape("dmesg_-T")(lambda: lines(lambda t, p: when(t).strftime("[%a %b %e %H:%M:%S %Y] ")))
shape("dmesg_iso")(lambda: lines(lambda t, p: when(t).strftime("%Y-%m-%dT%H:%M:%S,%f+00:00 ")))
shape("dmesg_iso_old")(lambda: lines(lambda t, p: when(t).strftime("%Y-%m-%dT%H:%M:%S,%f+0000 ")))
shape("dmesg_-d")(lambda: lines(lambda t, p: since(t)[:-2] + " <    0.000100>] "))
shape("dmesg_-t")(lambda: lines(lambda t, p: "", "again"))
shape("dmesg_-x")(lambda: lines(lambda t, p: f"{'kern':<6}:{LEVEL[p]:<6}: " + since(t)))
shape("dmesg_-xT")(lambda: lines(lambda t, p: f"{'kern':<6}:{LEVEL[p]:<6}: " + when(t).strftime("[%a %b %e %H:%M:%S %Y] ")))
shape("dmesg_-r")(lambda: lines(lambda t, p: f"<{p}>" + since(t), "again"))
shape("vmcore-dmesg.txt")(lambda: lines(lambda t, p: since(t)))


@shape("dmesg_-e")
def reltime():
    last = [None, 0.0]
    def head(t, _):
        minute, gap = int(t // 60), t - last[1]
        text = when(t).strftime("[%b%e %H:%M] ") if minute != last[0] else f"[{'+' + format(gap, '.6f'):>11}] "
        last[:] = [minute, t]
        return text
    return lines(head)


@shape("dmesg.json")
def dmesg_json():
    return json.dumps({"dmesg": [{"pri": p, "time": t, "msg": text} for t, p, text in LOG]}, indent=3) + "\n"


@shape("dmesg_-x.json")
def dmesg_json_names():
    return json.dumps({"dmesg": [{"fac": "kern", "pri": LEVEL[p], "time": t, "msg": text} for t, p, text in LOG]}, indent=3) + "\n"


@shape("kmsg")
def dev_kmsg():
    return "".join(f"{p},{900 + i},{round(t * 1e6)},-;" + text.replace("\n", "\\x0a") + "\n SUBSYSTEM=pci\n" for i, (t, p, text) in enumerate(LOG))


@shape("pstore")
def pstore():
    text = lines(lambda t, p: f"<{p}>" + since(t), "again").splitlines(True)
    return {"sys/fs/pstore/dmesg-erst-7301": "Panic#1 Part2\n" + "".join(text[:3]), "sys/fs/pstore/dmesg-erst-7302": "Panic#1 Part1\n" + "".join(text[3:])}


# ---- syslog
def syslog(stamp, **how):
    return lambda: lines(lambda t, p: stamp(t, p), **how)


shape("var/log/kern.log")(syslog(lambda t, p: when(t).strftime(f"%b %e %H:%M:%S {HOST} kernel: ") + since(t), newline="#012"))
shape("var/log/messages")(syslog(lambda t, p: when(t).strftime(f"%b %e %H:%M:%S {HOST} kernel: "), newline="#012"))
shape("klogd/kern.log")(syslog(lambda t, p: when(t).strftime(f"%b %e %H:%M:%S {HOST} kernel: "), indent="again"))
shape("var/log/syslog")(syslog(lambda t, p: when(t).strftime(f"%Y-%m-%dT%H:%M:%S.%f+00:00 {HOST} kernel: "), newline="#012"))
shape("rfc5424.log")(syslog(lambda t, p: f"<{p}>1 " + when(t).strftime(f"%Y-%m-%dT%H:%M:%S.%fZ {HOST} kernel - - - "), newline="#012"))

# ---- journalctl -o
OF = f"{HOST} kernel: "
shape("journalctl_short")(lambda: lines(lambda t, p: when(t).strftime("%b %d %H:%M:%S ") + OF))
shape("journalctl_short-full")(lambda: lines(lambda t, p: when(t).strftime("%a %Y-%m-%d %H:%M:%S UTC ") + OF))
shape("journalctl_with-unit")(lambda: lines(lambda t, p: when(t).strftime("%a %Y-%m-%d %H:%M:%S UTC ") + OF))
shape("journalctl_short-iso")(lambda: lines(lambda t, p: when(t).strftime("%Y-%m-%dT%H:%M:%S+0000 ") + OF))
shape("journalctl_short-iso_colon")(lambda: lines(lambda t, p: when(t).strftime("%Y-%m-%dT%H:%M:%S+00:00 ") + OF))
shape("journalctl_short-iso-precise")(lambda: lines(lambda t, p: when(t).strftime("%Y-%m-%dT%H:%M:%S.%f+0000 ") + OF))
shape("journalctl_short-precise")(lambda: lines(lambda t, p: when(t).strftime("%b %d %H:%M:%S.%f ") + OF))
shape("journalctl_short-unix")(lambda: lines(lambda t, p: f"{BOOT + t:.6f} " + OF))
shape("journalctl_short-monotonic")(lambda: lines(lambda t, p: since(t) + OF))
shape("journalctl_short-delta")(lambda: lines(lambda t, p: since(t)[:-2] + " <    0.000100 >] " + OF))
shape("journalctl_cat")(lambda: lines(lambda t, p: "", "again"))
shape("journalctl_begins")(lambda: "-- Journal begins at Thu 2026-01-01 00:00:00 UTC, ends at Thu 2026-01-01 04:00:00 UTC. --\n" + SHAPES["journalctl_short"]())


@shape("journalctl_reversed_back") # sosreport: the newest first, and the lines turned round again
def sos():
    out = []
    for t, _, text in LOG:
        head = when(t).strftime("%b %d %H:%M:%S ") + OF
        first, *rest = text.split("\n")
        out += [" " * len(head) + r for r in reversed(rest)] + [head + first]
    return "\n".join(out) + "\n"


def entry(t, p, text):
    us = round(t * 1e6)
    return {"__REALTIME_TIMESTAMP": str(round(BOOT * 1e6) + us), "__MONOTONIC_TIMESTAMP": str(us), "_BOOT_ID": "5a" * 16, "_HOSTNAME": HOST, "_TRANSPORT": "kernel",
            "PRIORITY": str(p), "SYSLOG_IDENTIFIER": "kernel", "_SOURCE_MONOTONIC_TIMESTAMP": str(us), "MESSAGE": text}


shape("journal.json")(lambda: "".join(json.dumps(entry(*r)) + "\n" for r in LOG))
shape("journal_pretty.json")(lambda: "".join(json.dumps(entry(*r), indent="\t", separators=(",", " : ")) + "\n" for r in LOG))
shape("journal_seq.json")(lambda: "".join("\x1e" + json.dumps(entry(*r)) + "\n" for r in LOG))
shape("journal_sse.json")(lambda: "".join("data: " + json.dumps(entry(*r)) + "\n\n" for r in LOG))
# what is not text is given as numbers
shape("journal_bytes.json")(lambda: "".join(json.dumps({**entry(*r), "MESSAGE": list(r[2].encode() + b"\x1b") if "Link up" in r[2] else r[2]}) + "\n" for r in LOG))


@shape("journal.export")
def export():
    out = b""
    for r in LOG:
        for key, value in entry(*r).items():
            raw = value.encode()
            out += key.encode() + (b"\n" + len(raw).to_bytes(8, "little") + raw if b"\n" in raw else b"=" + raw) + b"\n"
        out += b"\n"
    return out


@shape("journalctl_verbose")
def verbose():
    out = []
    for t, p, text in LOG:
        out.append(when(t).strftime("%a %Y-%m-%d %H:%M:%S.%f UTC ") + f"[s={'7' * 32};i=1;b={'5a' * 16};m={round(t * 1e6):x};t={round((BOOT + t) * 1e6):x};x=1]")
        for key, value in entry(t, p, text).items():
            if not key.startswith("__"):
                out.append("    " + key + "=" + value.replace("\n", "\n" + " " * (len(key) + 5)))
    return "\n".join(out) + "\n"


# ---- one run for all shapes, then what each must show
def write(folder, name):
    made = SHAPES[name]()
    for path, text in (made if isinstance(made, dict) else {name: made}).items():
        path = os.path.join(folder, "bundle", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as truth:
        truth.write('{"root_cause": "gpu.fell_off_bus"}')


TIMELESS = ("dmesg_-t", "journalctl_cat")


def faults_of(name, report):
    found = {f["cause"]: f for f in report["findings"]}
    if sorted(found) != ["gpu.fell_off_bus", "host.memcg_oom"]:
        return ["finds " + ", ".join(sorted(found))]
    lost, full = found["gpu.fell_off_bus"], found["host.memcg_oom"]
    wrong = [] if "b1:00" in json.dumps(lost["evidence"][0]) else ["the evidence of the loss is another line"]
    said = (lost["time"]["said"] or {}).get("text", "")
    if name not in TIMELESS and not ("01:00:00" in said or said.startswith("3600.25")):
        wrong.append(f"the loss is dated {said or 'not at all'}")
    if lost["who"]["host"] not in (None, HOST):
        wrong.append(f"the host is {lost['who']['host']}")
    if lost["time"]["utc"] is not None and not lost["time"]["utc"].startswith("2026-01-01T01:00:00"):
        wrong.append(f"in UTC it is {lost['time']['utc']}")
    for key, want in (("limit_kib", "6144000"), ("anon_kib", "6000100"), ("shmem_kib", "1024"), ("killed", "1"), ("cgroup", "/user.slice/x.scope")):
        if full["facts"].get(key) != want:
            wrong.append(f"{key} is {full['facts'].get(key)}, not {want}")
    return wrong


def main():
    prog, showing = sys.argv[1], "--show" in sys.argv
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "out"))
        for name in SHAPES:
            os.makedirs(os.path.join(folder, "in", name.replace("/", "-")))
            write(os.path.join(folder, "in", name.replace("/", "-")), name)
        subprocess.run([prog, "test", "--report-only", "-o", os.path.join(folder, "out"), os.path.join(folder, "in")], capture_output=True, check=False)
        for name in SHAPES:
            with open(os.path.join(folder, "out", name.replace("/", "-") + ".json"), encoding="utf-8") as f:
                report = json.load(f)
            wrong = faults_of(name, report)
            bad += bool(wrong)
            if wrong or showing:
                print(f"{name}: {'; '.join(wrong) or 'right'}")
    print(f"{len(SHAPES) - bad} of {len(SHAPES)} shapes")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
