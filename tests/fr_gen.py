#!/usr/bin/python3
"""Flight Recorder dumps of an invented job, with a known culprit, and what must be said about them.

  fr_gen.py make DIR [--tp N --pp N --dp N --fault KIND --rank N --seed N ...]   writes the dumps of one job
  fr_gen.py check FIRSTFAULT [--seeds N] [--big]     makes many, removes and cuts dumps, and looks at what is said

The job is run, not drawn: each rank has a program of collectives, sends and receives, a host that runs ahead of its
device until it has to wait, and a device on which operations end when all their members have begun them. So who waits
where follows from the fault alone. Nothing here is shared with the code under test.

The property: whoever is named as the one that the others wait for is a culprit, however many dumps are gone or cut.
With all dumps whole, the culprit is named."""
import argparse, json, os, pickle, random, shutil, subprocess, sys, tempfile

T0 = 1764500000 * 10**9
MS = 10**6
FAULTS = ["missing", "op", "size", "dtype", "skip", "extra", "order", "inside", "held"]


class Op:
    __slots__ = ("kind", "group", "name", "ins", "outs", "dtype", "peer", "waits", "issued", "began", "ended", "seq", "p2p_seq",
                 "order", "inside", "src", "dst", "batch")

    def __init__(self, kind, group, name="all_reduce", ins=None, outs=None, dtype="Float", peer=None, waits=True):
        self.kind, self.group, self.name, self.dtype, self.peer, self.waits = kind, group, name, dtype, peer, waits
        self.ins = ins if ins is not None else [[64, 16]]
        self.outs = outs if outs is not None else self.ins
        self.issued = self.began = self.ended = None
        self.inside = False
        self.batch = None

    def same(self, other):
        return (self.name, self.ins, self.outs, self.dtype) == (other.name, other.ins, other.outs, other.dtype)


SYNC = Op("sync", None)


class Job:
    """TP innermost, then DP, then PP, as Megatron lays ranks out."""

    def __init__(self, tp, pp, dp, steps, rng, world_every=2):
        self.tp, self.pp, self.dp, self.rng = tp, pp, dp, rng
        self.n = tp * pp * dp
        self.groups = {"0": list(range(self.n))}  # name -> global ranks
        self.desc = {"0": "default_pg"}
        self.tp_of, self.dp_of, self.pp_of = {}, {}, {}
        name = 1
        for kind, size, of in (("tp", tp, self.tp_of), ("dp", dp, self.dp_of), ("pp", pp, self.pp_of)):
            if size == 1:
                continue
            seen = {}
            for r in range(self.n):
                t, d, p = r % tp, r // tp % dp, r // (tp * dp)
                key = {"tp": (d, p), "dp": (t, p), "pp": (t, d)}[kind]
                seen.setdefault(key, []).append(r)
            for ranks in seen.values():
                self.groups[str(name)], self.desc[str(name)] = ranks, "mesh_" + kind
                for r in ranks:
                    of[r] = str(name)
                name += 1
        self.programs = [self.program(r, steps, world_every) for r in range(self.n)]

    def program(self, r, steps, world_every):
        p, out = r // (self.tp * self.dp), []
        stride = self.tp * self.dp

        def tensor(k):
            if self.tp > 1:
                g = self.tp_of[r]
                if k % 3 == 2:
                    out.append(Op("c", g, "_all_gather_base", [[8, 16]], [[8 * self.tp, 16]], "BFloat16"))
                else:
                    out.append(Op("c", g, "all_reduce", [[32, 16 + k]], None, "BFloat16"))

        def p2p(kind, peer):
            if 0 <= peer < self.n:
                out.append(Op(kind, self.pp_of[r], kind, [[32, 16]], None, "BFloat16", peer))

        for step in range(steps):
            for micro in range(2):
                if p > 0:
                    p2p("recv", r - stride)
                tensor(0)
                tensor(1)
                if p < self.pp - 1:
                    p2p("send", r + stride)
            for micro in range(2):
                if p < self.pp - 1:
                    p2p("recv", r + stride)
                tensor(2)
                if p > 0:
                    p2p("send", r - stride)
            if self.dp > 1:
                out.append(Op("c", self.dp_of[r], "reduce_scatter_tensor_coalesced", [[16 * self.dp]], [[16]], "Float", None, step % 2 == 0))
                out.append(Op("c", self.dp_of[r], "all_reduce", [[7]], None, "Float"))
            if step % world_every == world_every - 1 or self.n == self.dp:
                out.append(Op("c", "0", "broadcast" if step % 4 == 3 else "all_reduce", [[1 + step % 2]], None, "Long"))
            if step % 2 == 0:
                out.append(SYNC)
        return out

    # ---- faults ----
    def spots(self, r, fits):
        program = self.programs[r]
        half = len(program) // 3
        return [i for i in range(half, len(program)) if program[i].kind == "c" and fits(program[i])]

    def break_it(self, fault, r):
        """Returns False where this rank has no place for that fault."""
        program, rng = self.programs[r], self.rng
        spots = self.spots(r, lambda o: len(self.groups[o.group]) > 1)
        if fault == "missing" and self.pp > 1:
            spots += [i for i in range(len(program) // 3, len(program)) if program[i].kind != "sync"]
        if not spots:
            return False
        i = rng.choice(spots)
        o = program[i]
        if fault in ("missing", "held"):
            del program[i:]
        elif fault == "inside":
            o.inside = True
            del program[i + 1:]
        elif fault == "op":
            program[i] = Op("c", o.group, "broadcast" if o.name != "broadcast" else "all_reduce", o.ins, o.outs, o.dtype)
        elif fault == "size":
            program[i] = Op("c", o.group, o.name, [[3, 5]], [[3, 5]], o.dtype)
        elif fault == "dtype":
            program[i] = Op("c", o.group, o.name, o.ins, o.outs, "Half")
        elif fault == "skip":
            del program[i]
        elif fault == "extra":
            program.insert(i, Op("c", o.group, "broadcast", [[9]], [[9]], "Int"))
        elif fault == "order":
            later = [k for k in range(i + 1, min(i + 8, len(program))) if program[k].kind == "c"
                     and (program[k].group != o.group or not program[k].same(o)) and SYNC not in program[i:k]
                     and len(self.groups[program[k].group]) > 1]
            if not later:
                return False
            k = later[0]
            program[i], program[k] = program[k], program[i]
        return True

    # ---- running ----
    def run(self):
        n = self.n
        self.done = [[] for _ in range(n)]  # issued operations of each rank
        pointer, clock, device = [0] * n, [T0] * n, [0] * n
        seqs = [{} for _ in range(n)]
        p2ps = [{} for _ in range(n)]
        pairs = [{} for _ in range(n)]
        arrived, mates = {}, {}
        todo = set(range(n))
        while todo:
            r = min(todo)
            todo.discard(r)
            program, issued = self.programs[r], self.done[r]
            while pointer[r] < len(program):
                o = program[pointer[r]]
                if o is SYNC or o.kind == "sync":
                    if any(x.ended is None for x in issued):
                        break
                    clock[r] = max([clock[r]] + [x.ended for x in issued[-8:]])
                    pointer[r] += 1
                    continue
                if len(issued) >= 12 and issued[-12].ended is None:
                    break  # the host runs ahead only so far
                clock[r] += self.rng.randrange(1, 4) * MS
                o.issued = clock[r]
                if o.kind == "c":
                    o.seq = seqs[r][o.group] = seqs[r].get(o.group, 0) + 1
                    o.p2p_seq = p2ps[r].get(o.group, 0)
                    o.src = o.dst = None
                else:
                    o.seq = seqs[r].get(o.group, 0)
                    o.p2p_seq = p2ps[r][o.group] = p2ps[r].get(o.group, 0) + 1
                    o.src, o.dst = (r, o.peer) if o.kind == "send" else (o.peer, r)
                    key = (o.group, o.src, o.dst)
                    o.order = pairs[r][key] = pairs[r].get(key, -1) + 1
                issued.append(o)
                pointer[r] += 1
                if o.inside:
                    break
            while device[r] < len(issued):
                o = issued[device[r]]
                if o.inside or any(x.waits and x.ended is None for x in issued[max(0, device[r] - 13):device[r]]):
                    break
                before = [x.ended for x in issued[max(0, device[r] - 13):device[r]] if x.waits and x.ended]
                o.began = max([o.issued] + before)
                device[r] += 1
                if o.kind == "c":
                    here = arrived.setdefault((o.group, o.seq), {})
                    here[r] = o
                    self.try_end(list(here.values()), len(self.groups[o.group]), list(here), todo)
                else:
                    here = mates.setdefault((o.group, o.src, o.dst, o.order), {})
                    here[o.kind] = (r, o)
                    if o.kind == "send" and self.eager:
                        o.ended = o.began + MS
                        todo.add(r)
                    self.try_end([x[1] for x in here.values()], 2, [x[0] for x in here.values()], todo)

    def try_end(self, ops, members, ranks, todo):
        if len(ops) < members or any(not o.same(ops[0]) for o in ops if o.kind == "c"):
            return
        end = max(o.began for o in ops) + self.rng.randrange(1, 3) * MS
        for o in ops:
            if o.ended is None:
                o.ended = end
        todo.update(ranks)

    # ---- dumps ----
    def dump(self, r, ring=2000, timing=True, active=False, version="2.10", status=True):
        ids, entries, offset = {}, [], self.offset.get(r, 0)
        counters = {}
        last = max([o.ended or o.issued for o in self.done[r]] or [T0])
        for i, o in enumerate(self.done[r]):
            pg = ids.setdefault(o.group, len(ids))
            count = counters.setdefault(pg, {"last_enqueued_collective": -1, "last_started_collective": -1, "last_completed_collective": -1})
            number = o.seq if o.kind == "c" else o.p2p_seq
            if not o.inside:
                count["last_enqueued_collective"] = number
            if o.began and timing:
                count["last_started_collective"] = number
            if o.ended:
                count["last_completed_collective"] = number
            members = self.groups[o.group]
            name = o.name
            if o.kind != "c":
                me, peer = members.index(r), members.index(o.peer)
                name = f"{o.kind} {me}{'->' if o.kind == 'send' else '<-'}{peer}"
            state = "completed" if o.ended else "started" if timing and o.began and not o.inside else "scheduled"
            e = {"frames": [{"name": o.name, "filename": "/x/site-packages/torch/distributed/c10d.py", "line": 9},
                            {"name": "step", "filename": "/srv/job/train.py", "line": 100 + i % 50}],
                 "record_id": i, "pg_id": pg, "process_group": (o.group, self.desc[o.group]), "collective_seq_id": o.seq,
                 "p2p_seq_id": o.p2p_seq, "op_id": i, "profiling_name": "nccl:" + name, "time_created_ns": o.issued + offset,
                 "input_sizes": o.ins, "input_dtypes": [o.dtype], "output_sizes": o.outs, "output_dtypes": [o.dtype], "state": state,
                 "time_discovered_started_ns": o.began + offset if o.began and timing else None,
                 "time_discovered_completed_ns": o.ended + offset if o.ended else None, "retired": bool(o.ended),
                 "timeout_ms": 600000, "is_p2p": o.kind != "c"}
            if timing and o.ended:
                e["duration_ms"] = (o.ended - o.began) / MS
            if not (active and o.ended):
                entries.append(e)
        entries = entries[-ring:] if ring else []
        known = [g for g in self.groups if g in ids]
        d = {"version": version, "pg_config": {g: {"name": g, "desc": self.desc[g], "ranks": str(self.groups[g])} for g in known},
             "comm_lib_version": "2.27.5", "pg_status": {str(k): v for k, v in counters.items()} if status else {}, "entries": entries}
        return d

    offset = {}
    eager = False


def write(d, path, form):
    if form == "json":
        for e in d["entries"]:
            e.pop("frames")
            e["process_group"] = list(e["process_group"])
            for k in ("time_discovered_started_ns", "time_discovered_completed_ns"):
                e[k] = e[k] or 0
        d["pg_status"] = {k: {a: str(b) for a, b in v.items()} for k, v in d["pg_status"].items()}
        data = json.dumps(d, sort_keys=True, separators=(",", ":")).encode()
    else:
        data = pickle.dumps(d, 2 if form == "pickle" else 4)
    with open(path, "wb") as f:
        f.write(data)


def make(folder, tp, pp, dp, fault, rank, rng, steps=4, form="pickle", eager=False, **dump):
    job = Job(tp, pp, dp, steps, rng)
    job.eager = eager
    job.offset = {r: rng.randrange(-40, 40) * MS for r in range(job.n)}
    if not job.break_it(fault, rank):
        return None
    job.run()
    if all(o.ended for ops in job.done for o in ops) and fault not in ("missing", "held"):
        return None  # the fault did no harm
    os.makedirs(folder, exist_ok=True)
    for r in range(job.n):
        write(job.dump(r, **dump), os.path.join(folder, f"nccl_trace_rank_{r}"), form)
    return job


# ---- what is said ----
def ranks_of(text):
    out = set()
    for part in (text or "").split(","):
        if "-" in part:
            a, b = part.split("-")
            out |= set(range(int(a), int(b) + 1))
        elif part:
            out.add(int(part))
    return out


def look(tool, folder):
    run = subprocess.run([tool, "analyze", folder, "--json", "-", "-q"], capture_output=True, timeout=300)
    if run.returncode != 0:
        raise SystemExit(f"exit {run.returncode}: {run.stderr.decode()[-500:]}")
    report = json.loads(run.stdout)
    blamed, possible, kinds = set(), set(), set()
    for g in report["collectives"]:
        for x in g["mismatches"] + g["waits"]:
            f, kind = x["facts"], x["kind"]
            kinds.add(kind + ":" + f.get("kind", ""))
            if kind == "fr.missing_rank":
                blamed.add(int(f["rank"]))
            elif kind in ("fr.op_mismatch", "fr.shape_mismatch"):
                (blamed if int(f["majority"]) else possible).update(ranks_of(f["ranks"]))
            elif kind == "fr.incomplete":
                possible |= ranks_of(f["ranks"])
            elif kind == "fr.stalled":
                possible |= ranks_of(f.get("behind"))
    return blamed, possible, kinds, report


def damage(folder, rng, how):
    names = sorted(os.listdir(folder))
    hit = rng.sample(names, min(len(names) - 1, rng.randrange(1, 9)))
    for name in hit:
        path = os.path.join(folder, name)
        kind = rng.choice(("gone", "cut", "empty", "head")) if how == "any" else how
        if kind == "gone":
            os.unlink(path)
            continue
        size = {"cut": rng.randrange(1, os.path.getsize(path)), "empty": 0, "head": 87}[kind]
        with open(path, "r+b") as f:
            f.truncate(size)
    return [int(n.rsplit("_", 1)[1]) for n in hit]


LAYOUTS = [(2, 1, 1), (4, 1, 1), (1, 1, 4), (1, 4, 1), (2, 2, 2), (2, 1, 4), (4, 2, 1), (1, 2, 4), (2, 4, 2), (4, 2, 4), (8, 1, 2)]


def one(tool, seed, layout, fault, problems, counts, verbose=False):
    rng = random.Random(seed)
    tp, pp, dp = layout
    rank = rng.randrange(tp * pp * dp)
    form, eager = rng.choice(("pickle", "pickle", "json", "pickle4")), rng.random() < 0.3
    options = dict(timing=rng.random() < 0.6, ring=rng.choice((2000, 2000, 9, 14)), active=rng.random() < 0.15)
    top = tempfile.mkdtemp(prefix="fr-")
    try:
        folder = os.path.join(top, "b")
        job = make(folder, tp, pp, dp, fault, rank, rng, form=form, eager=eager, **options)
        if not job:
            return
        label = f"seed {seed} {tp}x{pp}x{dp} {fault} rank {rank} {form} eager={eager} {options}"
        blamed, possible, kinds, _ = look(tool, folder)
        counts["jobs"] += 1
        counts["named"] += blamed == {rank}
        if fault == "held":
            pass
        if blamed - {rank}:
            problems.append(f"{label}: whole: blames {sorted(blamed)} {sorted(kinds)}")
        elif fault == "missing" and options["ring"] == 2000 and not options["active"] and blamed != {rank} and any(
                o.ended is None for ops in job.done for o in ops):
            problems.append(f"{label}: whole: names {sorted(blamed)}, possible {sorted(possible)} {sorted(kinds)}")
        if verbose and blamed != {rank}:
            print(label, "blamed", sorted(blamed), "possible", sorted(possible), sorted(kinds))
        if blamed != {rank}:
            counts.setdefault("not named: " + fault, 0)
            counts["not named: " + fault] += 1
        for how in ("gone", "any"):
            copy = os.path.join(top, how)
            shutil.copytree(folder, copy)
            hit = damage(copy, rng, how)
            if not any(os.path.getsize(os.path.join(copy, n)) > 100 for n in os.listdir(copy)):
                continue
            blamed, possible, kinds, _ = look(tool, copy)
            counts["damaged"] += 1
            counts["named still"] += blamed == {rank}
            if blamed - {rank}:
                problems.append(f"{label}: {how} {sorted(hit)}: blames {sorted(blamed)}, possible {sorted(possible)} {sorted(kinds)}")
    finally:
        shutil.rmtree(top)


def check(tool, seeds, big, first, verbose=False):
    problems, counts = [], {"jobs": 0, "named": 0, "damaged": 0, "named still": 0}
    for seed in range(first, first + seeds):
        one(tool, seed, LAYOUTS[seed % len(LAYOUTS)], FAULTS[seed // len(LAYOUTS) % len(FAULTS)], problems, counts, verbose)
    if big:
        for seed, layout in enumerate(((8, 4, 8), (8, 8, 16))):
            one(tool, 7000 + seed, layout, "missing", problems, counts)
    print(", ".join(f"{k} {v}" for k, v in sorted(counts.items())))
    for p in problems[:40]:
        print(p)
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    m = commands.add_parser("make")
    m.add_argument("folder")
    for name, value in (("tp", 2), ("pp", 1), ("dp", 2), ("rank", 1), ("seed", 1), ("steps", 4), ("ring", 2000)):
        m.add_argument("--" + name, type=int, default=value)
    m.add_argument("--fault", choices=FAULTS, default="missing")
    m.add_argument("--form", default="pickle")
    c = commands.add_parser("check")
    c.add_argument("tool")
    c.add_argument("--seeds", type=int, default=99)
    c.add_argument("--first", type=int, default=0)
    c.add_argument("--verbose", action="store_true")
    c.add_argument("--big", action="store_true")
    a = parser.parse_args()
    if a.command == "check":
        return check(os.path.abspath(a.tool), a.seeds, a.big, a.first, a.verbose)
    job = make(a.folder, a.tp, a.pp, a.dp, a.fault, a.rank, random.Random(a.seed), a.steps, a.form, ring=a.ring)
    return 0 if job else "this rank has no place for that fault with this seed"


if __name__ == "__main__":
    sys.exit(main())
