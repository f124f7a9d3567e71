"""sbom.py SBOM PROGRAM ROOT: the bill of materials is valid in shape, true to the tree, and names every library that is linked."""
import hashlib
import json
import re
import subprocess
import sys

SYSTEM = {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}
PACKAGE_OF = {"liblua5.4": "lua", "libxlsxwriter": "libxlsxwriter", "libyaml-0": "libyaml", "libpcre2-8": "pcre2",
              "libhs": "vectorscan", "libarchive": "libarchive", "libisal": "isa-l", "liblzma": "liblzma", "libxxhash": "xxhash",
              "libnettle": "nettle", "libseccomp": "libseccomp"}


def linked(program):
    text = subprocess.run(["readelf", "-dW", program], check=True, capture_output=True, text=True).stdout
    return {m.split(".so")[0] for m in re.findall(r"NEEDED.*\[(.+?)\]", text)} - SYSTEM


def wrong_of_files(sbom, root):
    for f in sbom["files"]:
        data = open(f"{root}/{f['fileName']}", "rb").read()
        sums = {c["algorithm"]: c["checksumValue"] for c in f["checksums"]}
        if sums != {"SHA1": hashlib.sha1(data).hexdigest(), "SHA256": hashlib.sha256(data).hexdigest()}:
            yield f"{f['fileName']}: another sum"


def wrong_of_libraries(sbom, program):
    packages = {p["name"]: p for p in sbom["packages"]}
    for library in linked(program):
        package = packages.get(PACKAGE_OF.get(library, library))
        if not package:
            yield f"{library} is linked and not in the bill"
        elif not re.match(r"\d+\.", package["versionInfo"]):
            yield f"{library}: version {package['versionInfo']!r}"


def wrong_of_links(sbom):
    ids = {"SPDXRef-DOCUMENT"} | {x["SPDXID"] for x in sbom["packages"] + sbom["files"]}
    if len(ids) != 1 + len(sbom["packages"]) + len(sbom["files"]):
        yield "an id is given twice"
    for r in sbom["relationships"]:
        if not {r["spdxElementId"], r["relatedSpdxElement"]} <= ids:
            yield f"a relation to nothing: {r}"
    if not all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids):
        yield "an id with a character that SPDX does not allow"


def main(path, program, root):
    sbom = json.load(open(path, encoding="utf-8"))
    wrong = [*wrong_of_files(sbom, root), *wrong_of_libraries(sbom, program), *wrong_of_links(sbom)]
    if sbom["spdxVersion"] != "SPDX-2.3" or not re.fullmatch(r"\d{4}-\d\d-\d\dT00:00:00Z", sbom["creationInfo"]["created"]):
        wrong.append("head of the document")
    print("\n".join(wrong) or f"{len(sbom['files'])} files, {len(sbom['packages'])} packages")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
