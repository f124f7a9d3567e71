#!/usr/bin/python3
"""endings.py FIRSTFAULT ROOT: runs that are killed, interrupted, side by side, without a reader, without room, and inputs that
change while they are read. Outputs are whole or not there, nothing is left that the next run does not sweep, and the exit code says
what happened."""
import os, random, resource, shutil, signal, subprocess, sys, tempfile, threading, time

from outputs import wrong_with

tool, root = map(os.path.abspath, sys.argv[1:3])
tmp = tempfile.mkdtemp(prefix="endings-")
failures = []
r = random.Random(7)
bundle = f"{root}/fixtures/bundles/nccl-init-memcg-oom/bundle"
other = f"{root}/fixtures/bundles/real-missing-rank/bundle"
ENV = {"PATH": os.environ["PATH"], "HOME": tmp, "TMPDIR": tmp, "LC_ALL": "C"}


def fail(what):
    failures.append(what)


def start(*arguments, **more):
    return subprocess.Popen([tool, *arguments], stdout=more.pop("stdout", subprocess.DEVNULL), stderr=subprocess.PIPE, env=ENV, **more)


def expect_whole(what, folder, hidden_allowed):
    for name in os.listdir(folder):
        if name.startswith("."):
            if not hidden_allowed:
                fail(f"{what}: {name} is left behind")
        elif wrong_with(os.path.join(folder, name)):
            fail(f"{what}: {name} is not whole")


def fresh(name):
    path = os.path.join(tmp, name)
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(path)
    return path


def timed(arguments):
    began = time.monotonic()
    start(*arguments).communicate()
    return time.monotonic() - began


def ended_at_any_time(what, arguments, out, names, rounds):
    """Killed and interrupted all along the run; then one run that nobody disturbs."""
    timed(arguments) # fills the cache
    long = timed(arguments)
    for i in range(rounds):
        for sent in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            if sent != signal.SIGKILL:
                fresh(out)
            p = start(*arguments)
            time.sleep(long * (0.3 + 0.8 * (i + r.random()) / rounds))
            p.send_signal(sent)
            p.communicate()
            if p.returncode not in (0, -sent):
                fail(f"{what}: {sent.name}: exit {p.returncode}")
            expect_whole(f"{what}: {sent.name}", out, sent == signal.SIGKILL)
    open(os.path.join(out, ".firstfault.AbCdEf"), "w").close() # of a run that was killed before
    p = start(*arguments)
    p.communicate()
    expect_whole(f"{what}: afterwards", out, False)
    if p.returncode != 0 or sorted(n for n in os.listdir(out)) != names:
        fail(f"{what}: afterwards: exit {p.returncode}, {sorted(os.listdir(out))}")


def side_by_side():
    out = fresh("shared")
    for _ in range(4):
        runs = [start("analyze", b, "-o", out, "--quiet") for b in (bundle, other, bundle, other)]
        for p in runs:
            said = p.communicate()[1]
            if p.returncode != 0:
                fail(f"side by side: exit {p.returncode}: {said.decode()}")
        expect_whole("side by side", out, False)


def without_reader():
    for option in ("--json", "--html", "--markdown", "--csv", "--sarif", "--junit", "--ndjson"):
        read, write = os.pipe()
        os.close(read)
        p = start("analyze", bundle, option, "-", "--quiet", stdout=write)
        os.close(write)
        said = p.communicate()[1]
        if p.returncode not in (0, 3):
            fail(f"{option} - without a reader: exit {p.returncode}: {said.decode()}")


def without_room():
    """Files may not grow beyond some size: what a full disk or a quota does, without being root."""
    for size in (0, 700, 40000):
        out = fresh("small")
        more = {"preexec_fn": lambda s=size: resource.setrlimit(resource.RLIMIT_FSIZE, (s, s))}
        cases = [["analyze", bundle, "-o", out, "--no-cache", "--quiet"], ["redact", other, "-o", f"{out}/safe.tar.gz", "--no-cache", "--quiet"]]
        cases += [["analyze", bundle, f"--{kind}", f"{out}/r.{kind}", "--no-cache", "--quiet"]
                  for kind in ("json", "html", "markdown", "csv", "sarif", "junit", "ndjson", "xlsx")]
        for arguments in cases:
            p = start(*arguments, **more)
            said = p.communicate()[1]
            if p.returncode not in (0, 3) or (p.returncode == 3 and b"firstfault: " not in said):
                fail(f"{size} bytes of room: {arguments[2:4]}: exit {p.returncode}: {said.decode()}")
            expect_whole(f"{size} bytes of room: {arguments[2:4]}", out, False)


def changing(what, change):
    """A log of 48 MB in a folder, which changes while it is read."""
    folder, out = fresh("changing"), fresh("changed")
    path = os.path.join(folder, "messages")
    with open(path, "wb") as f:
        f.write(b"Mar 11 06:41:32 gpu-a01 kernel: usb 1-1: new device found here, nothing to see at all\n" * 560000)
    p = start("analyze", folder, "-o", out, "--quiet")
    thread = threading.Thread(target=change, args=(path, p))
    thread.start()
    said = p.communicate()[1]
    thread.join()
    if p.returncode not in (0, 3):
        fail(f"{what}: exit {p.returncode}: {said.decode()}")
    expect_whole(what, out, False)


def shrink(path, _):
    time.sleep(0.05)
    os.truncate(path, 1000)


def grow(path, p):
    with open(path, "ab") as f:
        for _ in range(3000):
            if p.poll() is not None:
                break
            f.write(b"Mar 11 06:41:33 gpu-a01 kernel: and one more\n" * 1000)


def vanish(path, _):
    time.sleep(0.03)
    os.rename(path, path + ".1")
    with open(path, "wb") as f:
        f.write(b"\x00" * 5000)


def out_of_cpu_time():
    """The limit of the sandbox, made short from outside: said, and nothing half is left."""
    out = fresh("spent")
    source = subprocess.Popen(["yes", "Mar 11 06:41:32 gpu-a01 kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1"], stdout=subprocess.PIPE)
    p = start("analyze", "-", "-o", out, "--quiet", stdin=source.stdout, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 30)))
    source.stdout.close()
    said = p.communicate(timeout=120)[1].decode()
    source.wait(timeout=20)
    if p.returncode != 3 or "CPU time" not in said or os.listdir(out):
        fail(f"out of CPU time: exit {p.returncode}, {os.listdir(out)}: {said}")


def in_the_way():
    """What lies in the output folder under a report's name: a pipe without a reader, a link to a file of somebody's."""
    out = fresh("way")
    victim = os.path.join(tmp, "victim")
    with open(victim, "w", encoding="utf-8") as f:
        f.write("keep")
    os.symlink(victim, os.path.join(out, "report.json"))
    os.mkfifo(os.path.join(out, "report.html"))
    p = start("analyze", bundle, "-o", out, "--quiet")
    said = p.communicate(timeout=60)[1].decode()
    expect_whole("in the way", out, False)
    if p.returncode != 0 or open(victim, encoding="utf-8").read() != "keep" or os.path.islink(os.path.join(out, "report.json")):
        fail(f"in the way: exit {p.returncode}: {said}")


three = ["report.html", "report.json", "report.xlsx"]
ended_at_any_time("analyze", ["analyze", bundle, "-o", f"{tmp}/a", "--quiet"], fresh("a"), three, 6)
ended_at_any_time("redact", ["redact", bundle, "-o", f"{tmp}/b/safe.tar.gz", "--quiet"], fresh("b"), ["safe.tar.gz"], 6)
side_by_side()
without_reader()
without_room()
out_of_cpu_time()
in_the_way()
for what, change in (("shrinks", shrink), ("grows", grow), ("is replaced", vanish)):
    changing(what, change)
shutil.rmtree(tmp)
print("\n".join(failures) or "every ending is clean")
sys.exit(bool(failures))
