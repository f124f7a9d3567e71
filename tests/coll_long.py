"""Logs with thousands of COLL lines: what differs is found at the beginning and at the end by its line, between by digest; sends and
receives by their size. Usage: coll_long.py FIRSTFAULT"""
import json
import os
import subprocess
import sys
import tempfile

N = 5000
BASE = [("AllReduce" if i % 3 else "AllGather", 1024 * (1 + i % 7), 0) for i in range(N)]
ODD = ("AllReduce", 7, 0)


def log(path, rank, ranks, ops):
    head = f"gx-a:41{rank:02d}:41{rank:02d} [{rank}] NCCL INFO "
    comm = f"comm 0x55aa{rank:02d}"
    with open(path, "w", encoding="ascii") as f:
        for end in ("Init START", "Init COMPLETE"):
            f.write(f"{head}ncclCommInitRank {comm} rank {rank} nranks {ranks} cudaDev {rank} busId {rank}b000 commId 0x91f0c11d - {end}\n")
        for i, (op, count, root) in enumerate(ops):
            f.write(f"{head}{op}: opCount {i:x} sendbuff 0x7f00 recvbuff 0x7f00 count {count} datatype 7 op 0 root {root} "
                    f"{comm} [nranks={ranks}] stream 0x5581\n")


def report(binary, logs):
    with tempfile.TemporaryDirectory() as folder:
        for rank, ops in enumerate(logs):
            log(os.path.join(folder, f"nccl.{rank}.log"), rank, len(logs), ops)
        out = subprocess.run([binary, "analyze", folder, "--json", "-", "--quiet"], check=False, capture_output=True)
        return json.loads(out.stdout)


# name, what the three ranks asked for, cause, line of the odd rank (None: not asked), text in the summary
CASES = [
    ("equal", [BASE, BASE, BASE], "healthy", None, ""),
    ("one log ends earlier", [BASE, BASE[:-30], BASE], "healthy", None, ""),
    ("in the beginning", [BASE, BASE[:20] + [ODD] + BASE[21:], BASE], "comm.shape_mismatch", 23, "AllReduce 20 "),
    ("at the end", [BASE, BASE[:-1] + [ODD], BASE], "comm.shape_mismatch", N + 2, "AllReduce 4999 "),
    ("between", [BASE, BASE[:2600] + [ODD] + BASE[2601:], BASE], "comm.op_mismatch", None, "between operation 2560 and 2688 "),
    ("one less between", [BASE, BASE[:2600] + BASE[2601:], BASE], "comm.op_mismatch", None, "between operation 2560 and 2688 "),
    ("a send of another size", [BASE + [("Send", 4096, 1), ("Send", 999, 1)], BASE + [("Recv", 4096, 0)] * 2], "comm.shape_mismatch", N + 4, "Send 1 "),
    ("sends and receives that fit", [BASE + [("Send", 4096, 1)] * 2, BASE + [("Recv", 4096, 0)] * 2], "healthy", None, ""),
    ("a receive that is not there yet", [BASE + [("Send", 4096, 1)] * 2, BASE + [("Recv", 4096, 0)]], "healthy", None, ""),
]


def main():
    bad = 0
    for name, logs, cause, line, words in CASES:
        r = report(sys.argv[1], logs)
        got = r["verdict"]["cause"]
        first = next((f for f in r["findings"] if f["cause"] == cause), None)
        evidence = first["evidence"][0] if first and first["evidence"] else {}
        fine = got == cause and words in (first or {}).get("summary", "")
        if line is not None:
            fine = fine and evidence.get("line") == line and "NCCL INFO" in evidence.get("text", "")
        if not fine:
            bad += 1
            print(f"{name}: {got}, not {cause}; {first and first['summary']}; {evidence}")
    return bad != 0


sys.exit(main())
