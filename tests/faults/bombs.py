#!/usr/bin/python3
"""bombs.py FIRSTFAULT ROOT: small inputs that would like to be large. Each ends by itself within seconds and a cap of memory, with exit
code 0 or 3, and the report names the cap or says why it was not read."""
import gzip, io, json, os, re, shutil, signal, struct, subprocess, sys, tarfile, tempfile, time, zipfile, zlib

tool, root = map(os.path.abspath, sys.argv[1:3])
tmp = tempfile.mkdtemp(prefix="bombs-")
failures = []
MEMORY_MIB = 700


def path(name):
    return os.path.join(tmp, name)


def analyze(name, *more, seconds=100):
    """The report, or None; memory is measured of this one child."""
    code = "import resource, subprocess, sys; r = subprocess.run(sys.argv[1:], capture_output=True); " \
           "sys.stdout.buffer.write(r.stdout); sys.stderr.write(r.stderr.decode(errors='replace')[-300:]); " \
           "print(r.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    try:
        r = subprocess.run([sys.executable, "-c", code, tool, "analyze", path(name), "--json", "-", "--quiet", "--no-sandbox", *more],
                           capture_output=True, timeout=seconds, env={"PATH": os.environ["PATH"], "HOME": tmp})
    except subprocess.TimeoutExpired:
        failures.append(f"{name}: does not end")
        return None
    exit_code, kib = r.stderr.decode().split()[-2:]
    if exit_code not in ("0", "3"):
        failures.append(f"{name}: exit {exit_code}: {r.stderr.decode()}")
    if int(kib) > MEMORY_MIB * 1024:
        failures.append(f"{name}: {int(kib) // 1024} MiB")
    return json.loads(r.stdout) if r.stdout else None


def expect(name, report, *words):
    """One of the words stands in limits, notes, skips or reasons."""
    if report is None:
        return
    said = json.dumps([report.get("limits"), report.get("inputs"), report["coverage"], report["tool"]["problems"]])
    if not any(w in said for w in words):
        failures.append(f"{name}: none of {words} is said: {said[:400]}")


def packed(name, pieces):
    with gzip.open(path(name), "wb", 6) as g:
        for piece in pieces:
            g.write(piece)


def overlapping_zip(name, entries, size):
    """Every entry of the table of contents means the same packed bytes."""
    c = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = c.compress(b"\0" * size) + c.flush()
    crc = zlib.crc32(b"\0" * size)
    local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 33, crc, len(data), size, 1, 0) + b"a" + data
    table = b"".join(struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 33, crc, len(data), size, 6, 0, 0, 0, 0, 0, 0) +
                     b"%06d" % i for i in range(entries))
    end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, entries & 0xffff, entries & 0xffff, len(table), len(local), 0)
    with open(path(name), "wb") as f:
        f.write(local + table + end)


def cpio_name(name, size):
    """A header whose name is as long as the stream."""
    fields = (1, 0o100644, 0, 0, 1, 0, 0, 0, 0, 0, 0, size, 0)
    packed(name, [b"070701" + b"".join(b"%08x" % f for f in fields)] + [b"a" * (1 << 20)] * (size >> 20))


def stored(n):
    """The header of a block of n literal bytes."""
    return struct.pack("<BHH", 0, n, n ^ 0xffff)


def repeated(n):
    """A block of 40 bits that says the last n bytes, 17 to 20, once more: two copies, whose codes stand high bit first."""
    def mirrored(value, width):
        return int(format(value, f"0{width}b")[::-1], 2)
    value, at = 1 << 1, 3
    for length in (n - 10, 10):
        for code, width in ((mirrored(length - 2, 7), 7), (mirrored(8, 5), 5), (n - 17, 3)):
            value |= code << at
            at += width
    return value.to_bytes(5, "little")


def quine_of(crc, size):
    """A gzip file that unpacks to itself, if crc is its own (after R. Cox, "Zip Files All The Way Down")."""
    head = b"\x1f\x8b\x08\x08" + bytes(6) + b"r\0"
    tail = b"\x01\x00\x00\xff\xff" + struct.pack("<II", crc, size)
    lit, rep, h, t = stored, repeated, len(head) + 5, len(tail) + 5
    return b"".join([head, lit(h), head, lit(h), rep(h), lit(5), rep(h), lit(5), lit(5), lit(20), rep(h), lit(5), lit(5), lit(20), rep(20),
                     lit(20), rep(20), lit(20), rep(20), lit(20), rep(20), lit(20), rep(20), lit(0), lit(0), lit(t), rep(20), lit(0), lit(0),
                     lit(t), rep(t), tail, rep(t), tail])


def quine(name):
    """Its checksum stands in it: a sum over GF(2) of what each bit of it changes."""
    size = len(quine_of(0, 0))
    rest = zlib.crc32(quine_of(0, size))
    changes = [(zlib.crc32(quine_of(1 << i, size)) ^ 1 << i ^ rest, 1 << i) for i in range(32)]
    pivots, crc = {}, 0
    for value, bits in changes:
        while value and value.bit_length() in pivots:
            value, bits = value ^ pivots[value.bit_length()][0], bits ^ pivots[value.bit_length()][1]
        pivots[value.bit_length()] = value, bits
    while rest:
        value, bits = pivots[rest.bit_length()]
        rest, crc = rest ^ value, crc ^ bits
    data = quine_of(crc, size)
    assert gzip.decompress(data) == data
    write(name, data)


def line_of_4_gib(name):
    """64 MiB of one letter, packed once, 66 times; a line before it and one after."""
    letters = gzip.compress(b"y" * (64 << 20), 1)
    with open(path(name), "wb") as f:
        f.writelines([gzip.compress(LINE)] + [letters] * 66 + [gzip.compress(b"\n" + LINE)])


def many_members(name, n):
    with tarfile.open(path(name), "w:gz", compresslevel=1) as t:
        for i in range(n):
            t.addfile(tarfile.TarInfo(f"n{i % 97}/f{i}"))


def nested(name, levels):
    data = b"BOOM"
    for _ in range(levels):
        data = gzip.compress(data)
    with open(path(name), "wb") as f:
        f.write(data)


def in_archives(name, levels):
    data, inner = b"x\n", "x"
    for i in range(levels):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as z:
            z.writestr(inner, data)
        data, inner = out.getvalue(), f"{i}.zip"
    with open(path(name), "wb") as f:
        f.write(data)


def write(name, data):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "wb") as f:
        f.write(data)


def xids(n):
    return b"".join(b"[%5d.%06d] NVRM: Xid (PCI:%04x:%02x:00): 79, pid=%d, GPU has fallen off the bus.\n"
                    % (i // 1000, i % 1000 * 1000, i >> 8 & 0xffff, i & 255, i) for i in range(n))


def endless():
    """Bytes without end on a pipe: what they cost does not grow, and a signal ends it."""
    source = subprocess.Popen(["yes", LINE.decode().strip()], stdout=subprocess.PIPE)
    p = subprocess.Popen([tool, "analyze", "-", "--json", path("endless.json"), "--quiet", "--no-sandbox"], stdin=source.stdout, stderr=subprocess.PIPE,
                         env={"PATH": os.environ["PATH"], "HOME": tmp})
    source.stdout.close()
    time.sleep(1.5)
    with open(f"/proc/{p.pid}/status", encoding="ascii") as f:
        kib = int(re.search(r"VmHWM:\s*(\d+)", f.read())[1])
    p.terminate()
    said = p.communicate(timeout=20)[1].decode()
    source.wait(timeout=20)
    if p.returncode != -signal.SIGTERM or kib > 200 * 1024 or os.path.exists(path("endless.json")):
        failures.append(f"endless: exit {p.returncode}, {kib // 1024} MiB: {said}")


def endless_with_a_bound():
    """The same, when the user says how much is enough: an ordinary report, which says that it was cut."""
    source = subprocess.Popen(["yes", LINE.decode().strip()], stdout=subprocess.PIPE)
    r = subprocess.run([tool, "analyze", "-", "--max-bytes", "3M", "--json", "-", "--quiet"], stdin=source.stdout, capture_output=True, timeout=60,
                       env={"PATH": os.environ["PATH"], "HOME": tmp})
    source.stdout.close()
    source.wait(timeout=20)
    report = json.loads(r.stdout or b"{}")
    if r.returncode != 0 or not report["inputs"][0]["truncated"] or report["verdict"]["cause"] != "gpu.fell_off_bus":
        failures.append(f"endless with a bound: exit {r.returncode}: {r.stderr.decode()}")
    expect("endless with a bound", report, "bytes unpacked")
    if not 3 << 20 <= report["inputs"][0]["bytes"] < 4 << 20:
        failures.append(f"endless with a bound: {report['inputs'][0]['bytes']} bytes")


def idle():
    """A pipe on which nothing comes: it is waited for, as cat would, at no cost, and a signal ends it."""
    p = subprocess.Popen([tool, "analyze", "-", "--json", path("idle.json"), "--quiet", "--no-sandbox"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                         env={"PATH": os.environ["PATH"], "HOME": tmp})
    time.sleep(1.5)
    with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
        ticks = sum(map(int, f.read().rsplit(")", 1)[1].split()[11:13]))
    waits = p.poll() is None
    p.terminate()
    said = p.stderr.read().decode()
    p.wait(timeout=20)
    p.stdin.close()
    if not waits or p.returncode != -signal.SIGTERM or ticks > os.sysconf("SC_CLK_TCK") or os.path.exists(path("idle.json")):
        failures.append(f"idle: waits: {waits}, exit {p.returncode}, {ticks} ticks: {said}")


def long_header(name, kind, size):
    """A header of tar whose text, a name (L) or attributes (x), is as long as the stream."""
    t = tarfile.TarInfo("././@LongLink")
    t.type, t.size = kind, size
    packed(name, [t.tobuf(tarfile.GNU_FORMAT)] + [b"a" * (1 << 20)] * (size >> 20))


def holes(name, pieces):
    """A sparse file of pebibytes, as GNU tar writes it: a map of pieces, and next to no bytes."""
    table = b"%d\n" % pieces + b"".join(b"%d\n1\n" % (i << 40) for i in range(pieces))
    data = table + b"\0" * (-len(table) % 512) + b"x" * pieces
    t = tarfile.TarInfo("GNUSparseFile.0/job.log")
    t.size = len(data)
    t.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "job.log", "GNU.sparse.realsize": str(pieces << 40)}
    with tarfile.open(path(name), "w:gz", format=tarfile.PAX_FORMAT) as out:
        out.addfile(t, io.BytesIO(data))


LINE = b"[    1.000000] NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"

overlapping_zip("overlap.zip", 4000, 40 << 20)
report = analyze("overlap.zip")
if report and sum(i["bytes"] for i in report["inputs"]) > 1 << 30:
    failures.append("overlap.zip: the same bytes came again and again")
cpio_name("name.cpio.gz", 900 << 20)
expect("name.cpio.gz", analyze("name.cpio.gz"), "header", "damaged")
for ending, kind in (("name", tarfile.GNUTYPE_LONGNAME), ("attributes", tarfile.XHDTYPE)):
    long_header(f"{ending}.tar.gz", kind, 900 << 20)
    expect(f"{ending}.tar.gz", analyze(f"{ending}.tar.gz"), "header", "damaged", "Damaged", "xceeds")
holes("holes.tar.gz", 2000)
expect("holes.tar.gz", analyze("holes.tar.gz"), "hole", "bytes unpacked", "damaged")
quine("quine.gz")
expect("quine.gz", analyze("quine.gz"), "archive depth")
nested("nested.gz", 40)
expect("nested.gz", analyze("nested.gz"), "archive depth")
endless()
idle()
endless_with_a_bound()
for device in ("/dev/zero", "/dev/full"):
    if subprocess.run([tool, "analyze", device, "--quiet"], capture_output=True, timeout=20).returncode != 3:
        failures.append(f"{device} was read")
in_archives("in.zip", 12)
expect("in.zip", analyze("in.zip"), "archive depth")
many_members("many.tar.gz", 150000)
report = analyze("many.tar.gz")
if report and len(report["coverage"]) != 150000:
    failures.append(f"many.tar.gz: {len(report['coverage'])} members")
line_of_4_gib("line.log.gz")
report = analyze("line.log.gz")
expect("line.log.gz", report, "line too long")
if report and sorted({e["line"] for f in report["findings"] for e in f["evidence"]}) != [1, 3]:
    failures.append("line.log.gz: what stands before and after the line was not found there")
write("json/pod.json", b'{"kind":"Pod","apiVersion":"v1","metadata":' + b'{"a":' * 300000)
expect("json", analyze("json"), "deep", "nest", "JSON", "json")
write("yaml/pod.yaml", b"apiVersion: v1\nkind: Pod\nmetadata: " + b"[" * 300000)
expect("yaml", analyze("yaml"), "deep", "nest", "YAML", "yaml")
write("laughs/pod.yaml", b"apiVersion: v1\nkind: Pod\na0: &a0 [x,x]\n" +
      b"".join(b"a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n" % ((i, i) + (i - 1,) * 6) for i in range(1, 40)))
analyze("laughs")
write("pickle/nccl_trace_rank_0", b"\x80\x02" + b"]" * 400000)
write("pickle/nccl_trace_rank_1", b"\x80\x02]q\x00" + b"(h\x00h\x00h\x00h\x00l0" * 50000 + b"h\x00.")
write("pickle/nccl_trace_rank_2", b"\x80\x04\x8d" + struct.pack("<Q", 1 << 62) + b"x")
write("pickle/nccl_trace_rank_3", b"\x80\x04cos\nsystem\n(S'touch " + path("ran").encode() + b"'\ntR.")
analyze("pickle")
if os.path.exists(path("ran")):
    failures.append("pickle: it ran")
write("findings/dmesg", xids(10000) * 100)
expect("findings", analyze("findings"), "signals", "findings")
# A word begins at every second byte, and none of them is private: each may be looked at only so far.
write("words/job.log", b"".join(b"x " + unit * (300000 // len(unit)) + b"\n"
                                for unit in (b"a-", b"a.", b"a:", b"ab_", b"a@", b"/@", b"x=/a,", b"/checkpoints/", b"guid:", b"://a:", b"bearer ")))
try:
    r = subprocess.run([tool, "redact", path("words"), "-o", path("words.tar"), "--quiet"], capture_output=True, timeout=60)
    if r.returncode != 0:
        failures.append(f"words: redact: exit {r.returncode}: {r.stderr.decode(errors='replace')}")
except subprocess.TimeoutExpired:
    failures.append("words: redact does not end")
# Twenty bytes that name 65,536 hosts, in each of many lines: what is written is no longer than what is read, by far.
write("lists/gpu-a00001/job.log", b"gpu-a00001 up\n" + b"gpu-a[00001-60000]\n" * 20000)
r = subprocess.run([tool, "redact", path("lists"), "-o", path("lists.tar"), "--quiet"], capture_output=True, timeout=100)
if r.returncode != 0 or os.path.getsize(path("lists.tar")) > 2 << 20:
    failures.append(f"lists: redact: exit {r.returncode}: {r.stderr.decode(errors='replace')}")
for host in range(90):
    write(f"hosts/n{host:04}/dmesg", xids(250))
report = analyze("hosts")
expect("hosts", report, "20000 of 22500 findings")
if report and len(report["findings"]) != 20000:
    failures.append(f"hosts: {len(report['findings'])} findings")
write("rules/bad.lua", b'signature { id = "bad.slow", stream = "any", needles = { "aaaa" }, pattern = [[^(a+)+$]],\n'
                       b'  match = { "aaaa" }, ignore = { "b" } }\n')
write("slow/job.log", (b"a" * 5000 + b"!\n") * 2000)
expect("slow", analyze("slow", "--rules", path("rules")), "pattern", "bad.slow", "limit")
shutil.rmtree(tmp)
print("\n".join(failures) or "no bomb goes off")
sys.exit(bool(failures))
