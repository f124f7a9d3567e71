#!/usr/bin/env python3
"""Measures firstfault against what a user would type instead, on the same bytes.

    bench.py --prog build/release/firstfault [--size 256M] [--rounds 3] [--dir DIR] [PART ...]

Parts: tools, start, signatures, members, ranks, recorder, floods; growth only when asked for (sizes: --growth 256M,1G,4G).

Whole processes are measured: user + system CPU and peak memory as the kernel counts them (wait4). The machine is
assumed to be busy, so the commands of a table run in turn, round after round, after one round that does not count;
ratios are taken inside a round, and their median is what is printed. Standard output goes to a file, not to /dev/null:
GNU grep stops at its first hit when it sees that. Whatever is not installed is left out."""
import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


# A process starts with the peak memory of the one that started it, so that one has to be small.
RUNNER = """import os, sys, time
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
begin = time.monotonic()
pid = os.fork()
if pid == 0:
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.execvp(sys.argv[2], sys.argv[2:])
_, status, used = os.wait4(pid, 0)
print(used.ru_utime + used.ru_stime, time.monotonic() - begin, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


class Sample:
    def __init__(self, cpu, wall, peak, code):
        self.cpu, self.wall, self.peak, self.code = cpu, wall, peak, code


class Bench:
    def __init__(self, prog, folder, size, rounds):
        self.prog, self.dir, self.size, self.rounds = os.path.abspath(prog), folder, size, rounds
        self.env = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=self.path("cache"), TERM="dumb")
        os.makedirs(self.path("cache"), exist_ok=True)

    def path(self, *parts):
        return os.path.join(self.dir, *parts)

    def analyze(self, bundle, *options):
        return [self.prog, "analyze", "-q", "-o", self.path("report"), *options, bundle]

    def run(self, command):
        """command: a list, or text for the shell."""
        args = ["/bin/sh", "-c", command] if isinstance(command, str) else command
        told = subprocess.run([sys.executable, "-I", "-S", "-c", RUNNER, self.path("sink"), *args], check=True, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE).stdout.split()
        cpu, wall, peak, code = (float(t) for t in told)
        return Sample(cpu, wall, peak / 1024, int(code))

    def rounds_of(self, commands, rounds=None):
        """{name: command} -> {name: [Sample]}, measured in turn."""
        out = {name: [] for name in commands}
        for turn in range((rounds or self.rounds) + 1):
            for name, command in commands.items():
                sample = self.run(command)
                if turn:
                    out[name].append(sample)
        return out

    def make(self, name, command):
        """Makes a file once. command: a list or text for the shell; {} is the file."""
        target = self.path(name)
        if not os.path.exists(target):
            print(f"  making {name}", file=sys.stderr)
            part = target + ".part"
            command = command.replace("{}", part) if isinstance(command, str) else [part if a == "{}" else a for a in command]
            subprocess.run(command, shell=isinstance(command, str), check=True, stdout=subprocess.DEVNULL, env=self.env)
            os.rename(part, target)
        return target

    def corpus(self, size=None, nodes=8, gpus=8, extra=()):
        size = size or self.size
        name = f"n{nodes}g{gpus}s{size}" + "".join(extra).replace("-", "")
        tar = self.path(name + ".tar")
        if not os.path.exists(tar):
            print(f"  making {name}.tar", file=sys.stderr)
            subprocess.run([sys.executable, os.path.join(HERE, "gen_bundle.py"), "--nodes", str(nodes), "--gpus", str(gpus),
                            "--size", str(size), "--seed", "1", *extra, "--out", tar], check=True, stdout=subprocess.DEVNULL)
        return tar

    def packed(self, tar, kind):
        how = {"gz": "gzip -6", "zst": "zstd -q -3", "xz": "xz -1 -T1"}
        base = os.path.basename(tar)
        if kind in how:
            return self.make(f"{base}.{kind}", f"{how[kind]} -c '{tar}' > '{{}}'")
        folder = self.make(base[:-4] + ".d", f"mkdir '{{}}' && tar -xf '{tar}' -C '{{}}'")
        if kind == "zip":
            return self.make(base[:-4] + ".zip", f"cd '{folder}' && zip -q -r - . > '{{}}'")
        return folder

    def pack(self, count):
        folder, patterns = self.path(f"rules{count}"), self.path(f"patterns{count}")
        os.makedirs(folder, exist_ok=True)
        subprocess.run([sys.executable, os.path.join(HERE, "make_rules.py"), str(count), folder, patterns], check=True)
        return folder, patterns


def median(values):
    return statistics.median(values) if values else float("nan")


def table(title, head, rows):
    print(f"\n### {title}\n\n| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    sys.stdout.flush()


def ratio(samples, base, what):
    return median([getattr(a, what) / max(getattr(b, what), 1e-4) for a, b in zip(samples, base)])


def against(title, result, base, content):
    rows = []
    for name, samples in result.items():
        cpu = median([s.cpu for s in samples])
        broken = "" if all(s.code in (0, 1) for s in samples) else f" (exit {samples[-1].code})"
        rows.append([name + broken, f"{cpu:.2f}", f"{median([s.wall for s in samples]):.2f}", f"{content / cpu / 1e6:.0f}",
                     f"{max(s.peak for s in samples):.0f}", f"{ratio(samples, result[base], 'cpu'):.2f}",
                     f"{ratio(samples, result[base], 'wall'):.2f}"])
    table(title, ["command", "CPU s", "wall s", "MB/s of CPU", "peak MiB", f"CPU / {base}", f"wall / {base}"], rows)


def have(*names):
    return all(shutil.which(n) for n in names)


def tools(b):
    tar = b.corpus()
    content = os.path.getsize(tar)
    gz, zst, folder = b.packed(tar, "gz"), b.packed(tar, "zst"), b.packed(tar, "dir")
    rules, patterns = b.pack(600)
    with_rules = ["--rules", rules]
    one = {"firstfault": b.analyze(gz), "firstfault --jobs 1": b.analyze(gz, "--jobs", "1"),
           "firstfault + 600 rules": b.analyze(gz, *with_rules)}
    if have("igzip"):
        one["igzip -dc"] = ["igzip", "-dc", gz]
    one["gzip -dc"] = ["gzip", "-dc", gz]
    if have("rg"):
        one["rg -z -f 600"] = ["rg", "-z", "-a", "-f", patterns, gz]
    if have("zgrep"):
        one["zgrep -E -f 600"] = ["zgrep", "-a", "-E", "-f", patterns, gz]
    if have("ugrep"):
        one["ugrep -z -f 600"] = ["ugrep", "-z", "-a", "-f", patterns, gz]
    if have("lnav"):
        one["lnav -n (index only)"] = ["lnav", "-n", "-q", "-N", "-c", ":quit", gz]
    against(".tar.gz", b.rounds_of(one), "igzip -dc" if have("igzip") else "gzip -dc", content)
    two = {"firstfault": b.analyze(zst)}
    if have("zstd"):
        two["zstd -dc"] = ["zstd", "-q", "-dc", zst]
    if have("rg"):
        two["rg -z -f 600"] = ["rg", "-z", "-a", "-f", patterns, zst]
    against(".tar.zst", b.rounds_of(two), "zstd -dc", content)
    three = {"firstfault": b.analyze(folder), "firstfault --jobs 1": b.analyze(folder, "--jobs", "1"),
             "cat": f"find '{folder}' -type f -exec cat {{}} +", "grep -r -E -f 600": ["grep", "-r", "-a", "-E", "-f", patterns, folder]}
    if have("rg"):
        three["rg -f 600"] = ["rg", "-a", "-f", patterns, folder]
    against("folder", b.rounds_of(three), "firstfault", content)
    probe = b.rounds_of({"folder": b.analyze(folder)})["folder"]
    print(f"\nfolder: {median([s.cpu for s in probe]) / content * 1e9:.2f} CPU s per GB")


def start(b):
    os.makedirs(b.path("tiny"), exist_ok=True)
    with open(b.path("tiny", "node.log"), "w") as f:
        f.write("2026-01-01T00:00:00Z hello\n")
    runs = b.rounds_of({"with cache": b.analyze(b.path("tiny")), "--no-cache": b.analyze(b.path("tiny"), "--no-cache"),
                        "--help": [b.prog, "--help"]}, 10)
    table("start, on one line of text", ["", "CPU ms, least", "CPU ms", "wall ms, least"],
          [[k, f"{min(s.cpu for s in v) * 1e3:.0f}", f"{median([s.cpu for s in v]) * 1e3:.0f}",
            f"{min(s.wall for s in v) * 1e3:.0f}"] for k, v in runs.items()])


def signatures(b):
    tar = b.corpus()
    commands = {}
    for count in (100, 500, 1500, 5000):
        folder, _ = b.pack(count)
        commands[f"{count}"] = b.analyze(tar, "--rules", folder)
    runs = b.rounds_of(commands)
    table("signatures besides the built-in ones, .tar", ["signatures", "CPU s", "peak MiB", "CPU / 100"],
          [[k, f"{median([s.cpu for s in v]):.2f}", f"{max(s.peak for s in v):.0f}", f"{ratio(v, runs['100'], 'cpu'):.2f}"]
           for k, v in runs.items()])


def many_members(b, count):
    name = b.path(f"members{count}.tar")
    if not os.path.exists(name):
        import io
        import tarfile
        with tarfile.open(name + ".part", "w") as t:
            for i in range(count):
                text = "".join(f"2026-01-01T00:{k:02}:00Z node{i % 512} app[{i}]: step {k} loss 2.{i % 97}\n" for k in range(12))
                info = tarfile.TarInfo(f"node{i % 512}/app/{i}.log")
                info.size = len(text)
                t.addfile(info, io.BytesIO(text.encode()))
        os.rename(name + ".part", name)
    return name


def members(b):
    runs = b.rounds_of({f"{n}": b.analyze(many_members(b, n)) for n in (1000, 10000, 100000)}, 2)
    table("members of 600 bytes, .tar", ["members", "CPU s", "us a member", "peak MiB"],
          [[k, f"{median([s.cpu for s in v]):.2f}", f"{median([s.cpu for s in v]) / int(k) * 1e6:.0f}",
            f"{max(s.peak for s in v):.0f}"] for k, v in runs.items()])


def ranks(b):
    rows = []
    for nodes in (8, 64, 512):
        size = f"{nodes * 250}K"
        tar = b.corpus(size, nodes=nodes, extra=("--fr-entries", "20"))
        runs = b.rounds_of({"x": b.analyze(tar)}, 1)["x"]
        cpu = median([s.cpu for s in runs])
        rows.append([str(nodes * 8), f"{cpu:.2f}", f"{cpu / nodes / 8 * 1e3:.2f}", f"{max(s.peak for s in runs):.0f}"])
    table("ranks, 30 KB of logs each, .tar", ["ranks", "CPU s", "ms a rank", "peak MiB"], rows)


def recorder(b):
    tar = b.corpus("32M", nodes=4, extra=("--fr-entries", "2000"))
    folder = b.packed(tar, "dir")
    dumps = b.path("dumps")
    os.makedirs(dumps, exist_ok=True)
    size = 0
    for at, _, files in os.walk(folder):
        for f in files:
            if re.search(r"trace_rank_?\d+$", f):
                shutil.copy(os.path.join(at, f), dumps)
                size += os.path.getsize(os.path.join(at, f))
    load = "import pickle,sys,os,gc; gc.disable()\nfor f in os.listdir(sys.argv[1]): pickle.load(open(os.path.join(sys.argv[1],f),'rb'))"
    runs = b.rounds_of({"firstfault": b.analyze(dumps), "pickle.load": [sys.executable, "-c", load, dumps],
                        "pickle.load, collector on": [sys.executable, "-c", load.replace("gc.disable()", ""), dumps],
                        "python, nothing": [sys.executable, "-c", "pass"]})
    against(f"Flight Recorder dumps, pickle, {size / 1e6:.0f} MB", runs, "firstfault", size)


def flood_of(b, hosts):
    """250 Xid lines on each host: what a report of a whole cluster costs, once every line of it is a finding's evidence."""
    folder = b.path(f"flood{hosts}")
    if not os.path.exists(folder):
        buses = ("1b", "3b", "5d", "86", "9b", "af", "b8", "d8")
        for h in range(hosts):
            os.makedirs(os.path.join(folder, f"node{h:04}"))
            with open(os.path.join(folder, f"node{h:04}", "kern.log"), "w") as f:
                for i in range(250):
                    f.write(f"2026-05-03T10:{i // 8:02}:{i % 8 * 7:02}.{(h * 7919 + i * 104729) % 1000000:06}+00:00 node{h:04} kernel: NVRM: Xid "
                            f"(PCI:0000:{buses[(h + i * i) % 8]}:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n")
    return folder


def floods(b):
    rows = []
    for hosts in (40, 400, 4000):
        s = b.rounds_of({"x": b.analyze(flood_of(b, hosts))}, 1)["x"][0]
        size = {kind: os.path.getsize(b.path("report", "report." + kind)) / 1e6 for kind in ("html", "json", "xlsx")}
        rows.append([f"{hosts:,}", f"{s.cpu:.2f}", f"{s.cpu / hosts * 1e3:.1f}", f"{s.peak:.0f}", *(f"{v:.1f}" for v in size.values())])
    table("250 Xid lines a host", ["hosts", "CPU s", "ms a host", "peak MiB", "HTML MB", "JSON MB", "XLSX MB"], rows)


def growth(b, sizes):
    rows = []
    for size in sizes:
        tar = b.corpus(size, nodes=16)
        content = os.path.getsize(tar)
        for kind in ("dir", "gz", "zst", "xz", "zip"):
            bundle = b.packed(tar, kind)
            s = b.rounds_of({"x": b.analyze(bundle)}, 1)["x"][0]
            rows.append([size, kind, f"{s.cpu:.2f}", f"{s.cpu / content * 1e9:.2f}", f"{s.wall:.2f}", f"{s.peak:.0f}"])
    table("growth with size, 128 ranks", ["size", "packed as", "CPU s", "CPU s per GB", "wall s", "peak MiB"], rows)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--prog", required=True)
    p.add_argument("--dir", default=os.environ.get("BENCH_DIR", "build/bench"))
    p.add_argument("--size", default=os.environ.get("BENCH_SIZE", "256M"))
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--growth", default="256M,1G,4G")
    p.add_argument("parts", nargs="*")
    a = p.parse_args()
    os.makedirs(a.dir, exist_ok=True)
    b = Bench(a.prog, os.path.abspath(a.dir), a.size, a.rounds)
    known = {"tools": tools, "start": start, "signatures": signatures, "members": members, "ranks": ranks, "recorder": recorder, "floods": floods,
             "growth": lambda b: growth(b, a.growth.split(","))}
    for part in a.parts or ["tools", "start", "signatures", "members", "ranks", "recorder", "floods"]:
        if part not in known:
            p.error(f"no part {part}")
        known[part](b)


main()
