#!/usr/bin/python3
"""seeds.py ROOT OUT: where each fuzz target begins. OUT/TARGET/ is filled from fixtures/ and rules/, OUT/TARGET.dict with the words
that the code under test looks for: its string literals, and what the formats are made of."""
import glob, io, os, random, re, struct, subprocess, sys, tarfile, tempfile

root, out = map(os.path.abspath, sys.argv[1:3])
MOST = 32768  # bytes of a seed: longer ones only slow the fuzzer down


def read(path):
    with open(path, "rb") as f:
        return f.read()


def files(pattern):
    return sorted(p for p in glob.glob(os.path.join(root, pattern), recursive=True) if os.path.isfile(p))


def put(target, name, data):
    os.makedirs(os.path.join(out, target), exist_ok=True)
    with open(os.path.join(out, target, re.sub(r"[^\w.-]+", "-", name)), "wb") as f:
        f.write(data[:MOST])


def name_of(path):
    return os.path.relpath(path, root).replace("fixtures/", "")


def parsers():
    listed = re.findall(r"^FF_PARSER\((\w+)\)$", read(f"{root}/parsers/list.h").decode(), re.M)
    own = {"fr_pickle": "pickle", "fr_json": "recorder", "nvidia_smi_xml": "xml", "k8s_yaml": "yaml"}
    for path in files("fixtures/parsers/*/*.in"):
        parser, data = os.path.basename(os.path.dirname(path)), read(path)
        if parser in listed:
            for target in ("parser", "frame"):
                put(target, name_of(path), bytes([listed.index(parser)]) + data)
        for target in (own.get(parser), "bundle", "redact"):
            if target:
                put(target, name_of(path), data)
        for i, line in enumerate(data.split(b"\n")[:3]):
            put("stamp", f"{name_of(path)}-{i}", line[:80])


def documents():
    dumps = [(p, read(p)) for p in files("fixtures/bundles/**/*") if os.path.getsize(p) < MOST]
    pickles = [(p, d) for p, d in dumps if d[:1] == b"\x80" and len(d) > 2 and d[1] <= 5]
    for path, data in pickles[:60]:
        for target in ("pickle", "redact"):
            put(target, name_of(path), data)
    for (path, one), (_, two) in zip(pickles[:60:2], pickles[1:60:2]):
        put("pickle", name_of(path) + "-pair", one + two)
    objects = [(p, d) for p, d in dumps if d[:1] and d[:1] in b"{["]
    for path, data in objects[::max(1, len(objects) // 200)]:
        put("json", name_of(path), data)
    recorded = [(p, d.replace(b"\n", b" ")[:MOST // 2]) for p, d in objects if b'"entries"' in d]
    for i, (path, data) in enumerate(recorded):
        put("recorder", name_of(path), data + b"\n" + recorded[i - 1][1])
    for path, data in dumps:
        if path.endswith((".yaml", ".yml")):
            put("yaml", name_of(path), data)
        if data[:8] == b"LPKSHHRH":
            put("journal", name_of(path), data)


def journal(compact, fields):
    """A header, then for each entry its data objects and itself: as small as a journal can be."""
    head, at, objects = 208 + 64, 208 + 64, b""

    def add(kind, body):
        nonlocal objects
        body = struct.pack("<BB6xQ", kind, 0, 16 + len(body)) + body
        place = at + len(objects)
        objects += body + bytes(-len(body) % 8)
        return place

    for number, entry in enumerate(fields):
        places = [add(1, bytes(56 if compact else 48) + field) for field in entry]
        items = b"".join(struct.pack("<I", p) if compact else struct.pack("<QQ", p, 0) for p in places)
        last = add(3, struct.pack("<QQQ16sQ", number + 1, 1767225600000000 + number, 5000000 + number, bytes(range(16)), 0) + items)
    header = b"LPKSHHRH" + struct.pack("<II", 0, 16 if compact else 0)
    header = header.ljust(88, b"\0") + struct.pack("<QQ", head, len(objects))
    return header.ljust(136, b"\0") + struct.pack("<Q", last) + bytes(head - 144) + objects


def journals():
    entries = [[b"MESSAGE=NVRM: Xid (PCI:0000:3b:00): 79", b"_HOSTNAME=gpu-a01", b"SYSLOG_IDENTIFIER=kernel", b"_TRANSPORT=kernel"],
               [b"MESSAGE=two\nlines", b"_PID=17", b"PRIORITY=3"], [b"MESSAGE=" + b"x" * 700]]
    for compact in (False, True):
        put("journal", f"made-{compact}", journal(compact, entries))
    put("journal", "made-cut", journal(True, entries)[:-100])


def rules():
    for path in files("rules/**/*.lua"):
        put("rules", name_of(path), read(path))
        text = read(path).decode()
        samples = re.findall(r'"((?:[^"\\\n]|\\.){12,})"', text)
        for i, pattern in enumerate(re.findall(r"pattern\s*=\s*\[\[(.*?)\]\]", text, re.S)):
            sample = samples[i % len(samples)] if samples else ""
            put("pattern", f"{name_of(path)}-{i}", pattern.encode() + b"\n" + sample.encode())


ODD_PATTERNS = ["(a+)+$\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "(?<n>x|xx)*y\n" + "x" * 60, r"(\w+\s?)*\$" + "\n" + "word " * 30,
                "(?R)?x\nxxx", r"(?<=a{1,9})b\1" + "\nab", "(?:(?:(?:(?:a?){9}){9}){9}){9}\naaa", r"\C\X\R\K(*COMMIT)(?C)" + "\nabc",
                "[[:alpha:][:^digit:]]{65535}\nabc", r"(?|(a)|(b))(?<n>)(?<n>)" + "\nab", r"(?(DEFINE)(?<q>a(?&q)?))(?&q)" + "\naaaa"]


def shell(command, folder):
    return subprocess.run(command, shell=True, cwd=folder, capture_output=True).returncode == 0


def archives():
    with tempfile.TemporaryDirectory() as t:
        os.makedirs(f"{t}/b/n07/deep")
        for name, text in (("n07/dmesg", "[    1.0] NVRM: Xid (PCI:0000:3b:00): 79\n" * 3), ("n07/deep/a.log", "x" * 900), ("e", "")):
            with open(f"{t}/b/{name}", "w", encoding="utf-8") as f:
                f.write(text)
        os.symlink("n07/dmesg", f"{t}/b/link")
        os.link(f"{t}/b/n07/dmesg", f"{t}/b/hard")
        for i, command in enumerate((
                "tar -cf OUT b", "tar -czf OUT b", "tar -cJf OUT b", "tar --zstd -cf OUT b", "tar -cjf OUT b", "tar --format=v7 -cf OUT b",
                "tar --format=gnu -cf OUT b", "tar --format=posix -cf OUT b", "tar -S -cf OUT b", "zip -qr OUT.zip b && mv OUT.zip OUT",
                "zip -q0r OUT.zip b && mv OUT.zip OUT", "7z a -bd OUT.7z b && mv OUT.7z OUT", "find b | cpio -o -H newc > OUT",
                "find b | cpio -o > OUT", "lz4 -q b/n07/dmesg OUT", "gzip -c b/n07/dmesg > OUT", "zstd -q b/n07/dmesg -o OUT",
                "tar -cf b/in.tar b/n07 && tar -czf OUT b", "zip -qr b/in.zip b/n07 && tar -cf OUT b", "gzip -c OLD > OUT")):
            path, old = f"{t}/out{i}", f"{t}/out{i - 1}"
            if shell(command.replace("OUT", path).replace("OLD", old), t) and os.path.exists(path):
                for target in ("archive", "bundle"):
                    put(target, f"made-{i}", read(path))
    bomb = io.BytesIO()
    with tarfile.open(fileobj=bomb, mode="w") as a:
        for name in ("../../etc/passwd", "/abs", "a//b/./c", "\udcff", "x" * 300):
            info = tarfile.TarInfo(name)
            info.size = 3
            a.addfile(info, io.BytesIO(b"abc"))
    put("archive", "made-paths", bomb.getvalue())


def dice():
    r = random.Random(1)
    for i in range(40):
        data = r.randbytes(200 * (i + 1))
        put("writers", f"rolled-{i}", bytes(b if r.random() < 0.5 else b & 15 for b in data))


def literals(*folders):
    words = set()
    for folder in folders:
        for path in files(f"{folder}/*.[ch]"):
            for text in re.findall(r'"((?:[^"\\\n]|\\.)+)"', read(path).decode()):
                if 3 <= len(text) <= 40 and text.isascii() and "\\" not in text and "%" not in text and not text.endswith(".h"):
                    words.add(text)
    return sorted(words)


DICTIONARIES = {
    "archive": (["analyzer/intake"], ["ustar  ", "ustar", "PK\\x03\\x04", "PK\\x01\\x02", "PK\\x05\\x06", "PK\\x06\\x06", "070701", "070707",
                                      "\\x1f\\x8b\\x08", "\\xfd7zXZ", "BZh9", "\\x28\\xb5\\x2f\\xfd", "\\x04\\x22\\x4d\\x18", "7z\\xbc\\xaf\\x27\\x1c",
                                      "GNU.sparse.map", "GNU.sparse.size", " path=", "././@LongLink", "TRAILER!!!", "../"]),
    "journal": ([], ["LPKSHHRH", "MESSAGE=", "_HOSTNAME=", "_PID=", "\\x03\\x00\\x00\\x00", "\\x01\\x00\\x00\\x00", "\\x28\\xb5\\x2f\\xfd"]),
    "pattern": ([], ["(?<n>", "(?:", "(?=", "(?!", "(?<=", "(?R)", "(?1)", "\\\\d+", "\\\\w*", "\\\\b", "{1,65535}", "[[:alpha:]]", "(*COMMIT)",
                     "(?|", "\\\\K", "\\\\X", "\\\\1", "+?", "*+", "(?i)", "(?s)", "(?x)"]),
    "pickle": (["parsers"], ["\\x80\\x02", "\\x80\\x04\\x95", "\\x8c", "\\x94", "}q", "]q", "(lp", "\\x8a\\x08", "\\x85", "\\x86", "\\x87", "h\\x00"]),
    "redact": (["analyzer/redact"], ["10.1.2.3", "fe80::1", "::ffff:10.0.0.1", "de:ad:be:ef:00:01", "-----BEGIN PRIVATE KEY-----", "-----END "]),
    "rules": (["analyzer/engine"], ["signature {", "correlate {", "cause {", "pattern = [[", "needles = {", "return", "function(case)", "end"]),
    "stamp": (["analyzer/clock"], ["2026-03-11T06:41:32Z", "Mar 11 06:41:32", "+05:30", "Feb 29", ".000000000"]),
    "json": (["parsers"], ["\\\\u0000", "\\\\ud800", "\\\\udc00", "1e308", "-0", "NaN", "Infinity", "[[[[", "{\\\"a\\\":"]),
}
for name in ("parser", "frame", "bundle", "recorder", "xml", "yaml"):
    DICTIONARIES[name] = (["parsers"], ["&#x41;", "<!DOCTYPE", "<![CDATA[", "&a", "*a", "!!str", "<<:", "---"])


def dictionaries():
    for target, (folders, more) in DICTIONARIES.items():
        with open(os.path.join(out, f"{target}.dict"), "w", encoding="utf-8") as f:
            f.writelines(f'"{word}"\n' for word in dict.fromkeys(literals(*folders) + more))


os.makedirs(out, exist_ok=True)
parsers()
documents()
journals()
rules()
for i, odd in enumerate(ODD_PATTERNS):
    put("pattern", f"odd-{i}", odd.encode())
put("redact", "lines", read(f"{root}/tests/data/redaction.tsv"))
archives()
dice()
dictionaries()
