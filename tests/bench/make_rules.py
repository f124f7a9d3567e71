#!/usr/bin/env python3
"""A made-up rule pack of N signatures, and the same patterns as a list for grep and its kin.

    make_rules.py N FOLDER PATTERNS.txt

Shapes as in real packs: half of them plain words, the others with numbers, addresses and choices in them. They are
written in the part of the regular expressions that POSIX ERE, Rust's regex and PCRE2 share. Hardly any of them matches
the generated corpus: what is measured is looking for them."""
import os
import random
import sys

PER_FILE = 500
PARTS = ["nvidia", "mlx5_core", "NVRM", "kubelet", "ib0", "xfs", "ext4", "pcieport", "nvme0n1", "mce", "systemd", "slurmd",
         "containerd", "EDAC", "lustre", "rdma", "bond0", "nvswitch", "fabric", "gdrdrv", "nfs4", "raid0", "watchdog"]
VERBS = ["failed to", "could not", "refused to", "timed out to", "gave up to", "was unable to", "stopped to", "lost a try to"]
ACTS = ["map", "register", "allocate", "attach", "resume", "probe", "flush", "commit", "reset", "train", "enumerate",
        "authenticate", "mount", "evict", "drain", "negotiate", "acquire", "release", "migrate", "unlock"]
THINGS = ["queue pair", "doorbell page", "completion ring", "memory window", "protection key", "lane margin", "page table",
          "inode cluster", "journal block", "cgroup slice", "device plugin", "image layer", "lease object", "link partner",
          "firmware slot", "thermal zone", "power rail", "namespace", "multicast group", "subnet prefix", "heap arena"]
TAILS = [(r"[0-9]+", "17"), (r"0x[0-9a-f]+", "0x1f"), (r"(status|code|errno) [0-9]+", "errno 5"),
         (r"on (port|lane|bank) [0-9]+", "on lane 3"), (r"after [0-9]+ (ms|s)", "after 30 s")]


def signature(rng, number, seen):
    while True:
        words = f"{rng.choice(PARTS)}: {rng.choice(VERBS)} {rng.choice(ACTS)} {rng.choice(THINGS)} {rng.randrange(10 ** 4)}"
        if words not in seen:
            seen.add(words)
            break
    pattern, sample = rng.choice(TAILS)
    return (words, words + ": " + pattern, words + ": " + sample) if number % 2 else (words, words, words)


def main():
    count, pack, patterns = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    rng, seen = random.Random(count), set()
    os.makedirs(pack, exist_ok=True)
    lua = None
    with open(patterns, "w", encoding="ascii") as plain:
        for number in range(count):
            if number % PER_FILE == 0:
                lua = open(os.path.join(pack, f"made_up_{number // PER_FILE}.lua"), "w", encoding="ascii")
                lua.write(f'pack {{ name = "made_up", version = "1" }}\n' if number == 0 else "")
            words, pattern, sample = signature(rng, number, seen)
            lua.write(f'signature {{ id = "made.up_{number}", stream = {{ "kernel", "nccl", "app", "k8s", "host" }},\n'
                      f'  needles = {{ "{words}" }}, pattern = [[{pattern}]], match = {{ "{sample}" }} }}\n')
            plain.write(pattern + "\n")


main()
