#!/usr/bin/python3
"""One dump in every form that a pickler gives it says the same: fr_forms.py FIRSTFAULT

The watchdog's C++ pickler, Python's protocols 2 to 5, and JSON (without the frames, which it has not), at the numbers of entries where
Python's pickler changes its way: none, one (put without a mark), a batch of 1,000, and one more. All data invented."""
import json, os, pickle, re, subprocess, sys, tempfile

from fr_gen import Watchdog

T0, MS = 1764500000 * 10**9, 10**6
FRAMES = [{"name": n, "filename": f, "line": i} for n, f, i in (("all_reduce", "/x/site-packages/torch/distributed/distributed_c10d.py", 2501),
                                                               ("step", "/srv/job/train.py", 103), ("main", "/srv/job/main.py", 55))]


def entry(i, last):
    done, sizes = i < last, [[4 + i % 3, 70000]] if i % 5 else [[]]
    e = {"frames": FRAMES[i % 2:], "record_id": i, "pg_id": 0, "process_group": ("0", "default_pg"), "thread_name": "pt_main_thread",
         "thread_id": "139872612321088", "collective_seq_id": i + 1, "p2p_seq_id": 0, "op_id": i + 1, "profiling_name": "nccl:all_reduce",
         "time_created_ns": T0 + i * MS, "input_sizes": sizes, "input_dtypes": ["Float"], "output_sizes": sizes, "output_dtypes": ["Float"],
         "state": "completed" if done else "started", "time_discovered_started_ns": T0 + i * MS, "retired": done, "timeout_ms": 600000,
         "time_discovered_completed_ns": T0 + i * MS + 5 if done else None, "is_p2p": False, "vendor": {"a": [], "b": [i], "c": (1, 2)}}
    if done:
        e["duration_ms"] = 1.5
    return e


def dump(rank, n, behind):
    issued = n - behind
    return {"version": "2.10", "entries": [entry(i, n - 1) for i in range(issued)], "vendor_state": {}, "comm_lib_version": "2.27.5",
            "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}},
            "pg_status": {"0": {"last_enqueued_collective": issued or -1, "last_started_collective": issued or -1,
                                "last_completed_collective": min(issued, n - 1) or -1}}}


def plain(d):
    entries = [{k: v for k, v in e.items() if k != "frames"} for e in d["entries"]]
    return json.dumps(dict(d, entries=entries), sort_keys=True).encode()


FORMS = {"watchdog": lambda d: Watchdog().dumps(d), "json": plain,
         **{f"protocol {p}": lambda d, p=p: pickle.dumps(d, p) for p in range(2, pickle.HIGHEST_PROTOCOL + 1)}}


def said(tool, folder):
    run = subprocess.run([tool, "analyze", folder, "--json", "-", "-q"], capture_output=True, timeout=120)
    if run.returncode:
        raise SystemExit(f"exit {run.returncode}: {run.stderr.decode()[-300:]}")
    text = json.dumps(json.loads(run.stdout)["collectives"])
    return re.sub(r'"(offset|length)": \d+|"text": "(?:[^"\\]|\\.)*"|"[a-z_]*frame": "[^"]*",? ?', "", text)


def main():
    tool, problems = os.path.abspath(sys.argv[1]), 0
    for n in (1, 2, 5, 1000, 1001, 1002):
        first = None
        for form, write in FORMS.items():
            with tempfile.TemporaryDirectory(prefix="fr-") as folder:
                for rank in range(3):
                    with open(os.path.join(folder, f"nccl_trace_rank_{rank}"), "wb") as f:
                        f.write(write(dump(rank, n, rank == 2)))
                text = said(tool, folder)
            first = first or text
            if text != first or '"fr.missing_rank"' not in text:
                problems += 1
                print(f"{n} entries, {form}: says something else than the watchdog's dump\n{text}\n{first}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
