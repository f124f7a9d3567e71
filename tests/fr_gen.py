#!/usr/bin/python3
"""Flight Recorder dumps of an invented job with a known culprit.

  fr_gen.py DIR [--tp N --pp N --dp N --ep N --fault KIND --rank N --seed N ...]   writes the dumps of one job

The job is run, not drawn: each rank has a program of collectives, sends and receives, a host that runs ahead of its
device until it has to wait, and a device on which operations end when all their members have begun them. So who waits
where follows from the fault alone. Nothing here is shared with the code under test; fr_check.py looks at what is said."""
import argparse, json, os, pickle, random, struct, sys

T0 = 1764500000 * 10**9
MS = 10**6
# Between ranks of one group, each found by comparing dumps; and ranks that stand still.
FAULTS = ["missing", "op", "size", "dtype", "skip", "extra", "order", "inside", "root", "count", "exchange", "pair_size", "members"]


class Op:
    """One operation of one rank: a collective (kind c), a send, a recv, or a batch of these two (kind batch).
    parts: the operations of a coalesced group, which are recorded before a closing entry."""
    __slots__ = ("kind", "group", "name", "ins", "outs", "dtype", "peer", "waits", "issued", "began", "ended", "seq", "p2p_seq", "order",
                 "inside", "parts", "root")

    def __init__(self, kind, group, name="all_reduce", ins=None, outs=None, dtype="Float", peer=None, waits=True, parts=None, root=None):
        self.kind, self.group, self.name, self.dtype, self.peer, self.waits = kind, group, name, dtype, peer, waits
        self.ins = ins if ins is not None else [[64, 16]]
        self.outs = outs if outs is not None else self.ins
        self.issued = self.began = self.ended = None
        self.inside, self.parts, self.root = False, parts, root

    def key(self):
        """What has to agree between ranks for the operation to end. Sizes of an exchange are looked at apart."""
        if self.parts:
            return [p.key() for p in self.parts]
        free = self.name.startswith("all_to_all")
        root = self.name in ("gather", "scatter")
        return (self.name, None if free or root else self.ins, None if free or root else self.outs, self.dtype, self.root if root else None)

    def same(self, other):
        return self.key() == other.key()


SYNC = Op("sync", None)


def ends(ops):
    """Do these, one of each member, end? All must do the same, and what all send must be what all take."""
    if any(not o.same(ops[0]) for o in ops):
        return False
    if ops[0].name.startswith("all_to_all") and not ops[0].parts:
        return sum(count(o.ins) for o in ops) == sum(count(o.outs) for o in ops)
    return True


def count(tensors):
    n = 0
    for t in tensors:
        one = 1
        for d in t:
            one *= d
        n += one
    return n


def share(group, turn, src, dst):
    """Elements that src sends to dst in the n-th exchange of a group: uneven, and the same whoever asks."""
    return 1 + (hash((int(group), turn, src, dst)) & 7)


class Job:
    """TP innermost, then DP, then PP, as Megatron lays ranks out. EP groups are runs of a DP group. shape: besides, one group of any
    ranks. gloo: each operation is waited for at once, and no events are recorded."""

    def __init__(self, tp, pp, dp, ep, steps, rng, world_every=2, shape=False, batched=False, gloo=False):
        self.tp, self.pp, self.dp, self.ep, self.rng, self.batched, self.gloo = tp, pp, dp, ep, rng, batched, gloo
        self.n = tp * pp * dp
        self.groups = {"0": list(range(self.n))}  # name -> global ranks
        self.desc = {"0": "default_pg"}
        self.of = {"tp": {}, "dp": {}, "pp": {}, "ep": {}, "any": {}}
        for kind, size in (("tp", tp), ("dp", dp), ("pp", pp), ("ep", ep)):
            seen = {}
            for r in range(self.n):
                t, d, p = r % tp, r // tp % dp, r // (tp * dp)
                key = {"tp": (d, p), "dp": (t, p), "pp": (t, d), "ep": (t, p, d // ep if ep > 1 else 0)}[kind]
                seen.setdefault(key, []).append(r)
            for ranks in seen.values() if size > 1 else ():
                self.add_group(kind, ranks)
        if shape and self.n > 3:
            self.add_group("any", sorted(rng.sample(range(self.n), rng.randrange(3, self.n))))
        self.programs = [self.program(r, steps, world_every) for r in range(self.n)]
        self.offset, self.eager, self.view = {}, False, {}

    def add_group(self, kind, ranks):
        name = str(len(self.groups))
        self.groups[name], self.desc[name] = ranks, "mesh_" + kind
        for r in ranks:
            self.of[kind][r] = name

    def exchange(self, r, group, turn, lists):
        """all_to_all of one rank: a tensor for each peer, or one whose parts the dump does not show."""
        ranks = self.groups[group]
        sends, takes = [[share(group, turn, r, x)] for x in ranks], [[share(group, turn, x, r)] for x in ranks]
        if lists:
            return Op("c", group, "all_to_all", sends, takes, "BFloat16")
        return Op("c", group, "all_to_all_single", [[count(sends)]], [[count(takes)]], "BFloat16")

    def rooted(self, r, group, name, root):
        n, me = len(self.groups[group]), r == self.groups[group][root]
        if name == "gather":
            return Op("c", group, name, [[4]], [[4]] * n if me else [[0]], "Float", root=root)
        return Op("c", group, name, [[4]] * n if me else [[0]], [[4]], "Float", root=root)

    def program(self, r, steps, world_every):
        p, out, stride, of = r // (self.tp * self.dp), [], self.tp * self.dp, self.of

        def tensor(k):
            if self.tp > 1:
                if k % 3 == 2:
                    out.append(Op("c", of["tp"][r], "_all_gather_base", [[8, 16]], [[8 * self.tp, 16]], "BFloat16"))
                else:
                    out.append(Op("c", of["tp"][r], "all_reduce", [[32, 16 + k]], None, "BFloat16"))

        def p2p(kind, peer):
            if 0 <= peer < self.n:
                out.append(Op(kind, of["pp"][r], kind, [[32, 16]], None, "BFloat16", peer))

        def batch(*ways):
            parts = [Op(kind, of["pp"][r], kind, [[32, 16]], None, "BFloat16", peer) for kind, peer in ways if 0 <= peer < self.n]
            if parts:
                out.append(Op("batch", of["pp"][r], "coalesced", [], [], "", parts=parts))

        for step in range(steps):
            for micro in range(2):
                if self.batched and self.pp > 1:
                    tensor(0)
                    batch(("send", r + stride), ("recv", r - stride))
                    continue
                if p > 0:
                    p2p("recv", r - stride)
                tensor(0)
                tensor(1)
                if p < self.pp - 1:
                    p2p("send", r + stride)
            for micro in range(2 if not self.batched else 0):
                if p < self.pp - 1:
                    p2p("recv", r + stride)
                tensor(2)
                if p > 0:
                    p2p("send", r - stride)
            if self.ep > 1:
                out.append(self.exchange(r, of["ep"][r], step, step % 2 == 0))
            if self.dp > 1:
                g = of["dp"][r]
                if self.batched:
                    out.append(Op("c", g, "coalesced", [], [], "Float", waits=step % 2 == 0,
                                  parts=[Op("c", g, "_reduce_scatter_base", [[16 * self.dp * k]], [[16 * k]], "Float") for k in (1, 2)]))
                else:
                    out.append(Op("c", g, "reduce_scatter_tensor_coalesced", [[16 * self.dp]], [[16]], "Float", None, step % 2 == 0))
                out.append(Op("c", g, "all_reduce", [[7]], None, "Float"))
            if r in of["any"]:
                g = of["any"][r]
                out.append(self.rooted(r, g, "gather" if step % 2 else "scatter", step % len(self.groups[g])))
                out.append(Op("c", g, "all_gather", [[3]], [[3]] * len(self.groups[g]), "Int"))
            if step % world_every == world_every - 1 or self.n == self.dp:
                out.append(Op("c", "0", "broadcast" if step % 4 == 3 else "all_reduce", [[1 + step % 2]], None, "Long"))
            if step % 2 == 0:
                out.append(SYNC)
        return out

    # ---- faults ----
    def break_it(self, fault, r):
        """Returns False where this rank has no place for that fault."""
        program, rng = self.programs[r], self.rng
        late = range(len(program) // 3, len(program))
        def spots(fits):
            return [i for i in late if program[i].kind == "c" and len(self.groups[program[i].group]) > 1 and fits(program[i])]
        plain = lambda o: not o.parts and o.root is None and not o.name.startswith("all_to_all")
        wanted = {"root": lambda o: o.root is not None, "count": lambda o: o.parts, "exchange": lambda o: o.name.startswith("all_to_all"),
                  "size": plain, "dtype": plain, "op": plain, "extra": plain, "order": plain}
        at = spots(wanted.get(fault, lambda o: True))
        if fault == "missing" and self.pp > 1:
            at += [i for i in late if program[i].kind != "sync"]
        if fault == "pair_size":
            at = [i for i in late if program[i].kind in ("send", "recv")]
        if not at:
            return False
        i = rng.choice(at)
        o = program[i]
        if fault == "missing":
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
            later = [k for k in range(i + 1, min(i + 8, len(program))) if program[k].kind == "c" and plain(program[k])
                     and (program[k].group != o.group or not program[k].same(o)) and SYNC not in program[i:k]
                     and len(self.groups[program[k].group]) > 1]
            if not later:
                return False
            k = later[0]
            program[i], program[k] = program[k], program[i]
        elif fault == "root":
            n = len(self.groups[o.group])
            me = self.groups[o.group].index(r)
            if me == o.root:
                return False
            program[i] = self.rooted(r, o.group, o.name, me)
        elif fault == "count":
            o.parts.append(Op("c", o.group, o.parts[0].name, o.parts[0].ins, o.parts[0].outs, "Float"))
        elif fault == "exchange":
            o.ins = [[o.ins[0][0] + 3]] + o.ins[1:]
        elif fault == "pair_size":
            o.ins = o.outs = [[32, 15]]
        elif fault == "members":
            ranks = self.groups[o.group]
            if len(ranks) < 4:
                return False
            gone = rng.choice([x for x in ranks if x != r])
            self.view[r] = (o.group, [x for x in ranks if x != gone])
            del program[i + 1:]
        return True

    # ---- running ----
    def run(self):
        n = self.n
        self.done = [[] for _ in range(n)]  # issued operations of each rank
        self.arrived, self.mates, self.todo = {}, {}, set(range(n))
        self.pointer, self.clock, self.device = [0] * n, [T0] * n, [0] * n
        self.seqs, self.p2ps, self.pairs = [{} for _ in range(n)], [{} for _ in range(n)], [{} for _ in range(n)]
        while self.todo:
            r = min(self.todo)
            self.todo.discard(r)
            self.run_host(r)
            self.run_device(r)

    def run_host(self, r):
        program, issued = self.programs[r], self.done[r]
        while self.pointer[r] < len(program):
            o = program[self.pointer[r]]
            if o.kind == "sync" or (self.gloo and issued and issued[-1].ended is None):
                if any(x.ended is None for x in issued):
                    break
                self.clock[r] = max([self.clock[r]] + [x.ended for x in issued[-8:]])
                self.pointer[r] += o.kind == "sync"
                continue
            if len(issued) >= 12 and issued[-12].ended is None:
                break  # the host runs ahead only so far
            self.clock[r] += self.rng.randrange(1, 4) * MS
            self.issue(r, o)
            self.pointer[r] += 1
            if o.inside:
                break

    def issue(self, r, o):
        o.issued = self.clock[r]
        if o.kind == "c":
            o.seq = self.seqs[r][o.group] = self.seqs[r].get(o.group, 0) + 1
            o.p2p_seq = self.p2ps[r].get(o.group, 0)
        else:
            o.seq = self.seqs[r].get(o.group, 0)
            o.p2p_seq = self.p2ps[r][o.group] = self.p2ps[r].get(o.group, 0) + 1
            for x in o.parts or [o]:
                key = (o.group,) + self.way(r, x)
                x.order = self.pairs[r][key] = self.pairs[r].get(key, -1) + 1
        self.done[r].append(o)

    @staticmethod
    def way(r, o):
        return (r, o.peer) if o.kind == "send" else (o.peer, r)

    @staticmethod
    def is_behind(o, x):
        """Collectives of one group run one after the other, those of another where the program waits."""
        return x.waits or (x.kind == "c" and o.kind == "c" and x.group == o.group)

    def run_device(self, r):
        issued = self.done[r]
        while self.device[r] < len(issued):
            o = issued[self.device[r]]
            before = issued[max(0, self.device[r] - 13):self.device[r]]
            if o.inside or any(x.ended is None and self.is_behind(o, x) for x in before):
                break
            o.began = max([o.issued] + [x.ended for x in before if self.is_behind(o, x)])
            self.device[r] += 1
            if o.kind == "c":
                here = self.arrived.setdefault((o.group, o.seq), {})
                here[r] = o
                wrong = any(g == o.group for g, _ in self.view.values())
                if len(here) == len(self.groups[o.group]) and not wrong and ends(list(here.values())):
                    self.end(list(here.items()))
            else:
                self.meet(r, o)

    def meet(self, r, o):
        """Sends and receives: a batch ends when each of its own has met its partner."""
        for x in o.parts or [o]:
            here = self.mates.setdefault((o.group,) + self.way(r, x) + (x.order,), {})
            here[x.kind] = (r, o, x)
            if x.kind == "send" and self.eager and not o.parts:
                self.end([(r, o)])
            for rank, whole, _ in list(here.values()):
                if all(self.is_met(rank, y, whole) for y in whole.parts or [whole]):
                    self.end([(rank, whole)])

    def is_met(self, r, x, whole):
        here = self.mates.get((whole.group,) + self.way(r, x) + (getattr(x, "order", -1),), {})
        return len(here) == 2 and here["send"][2].ins == here["recv"][2].ins

    def end(self, ops):
        at = max(o.began for _, o in ops) + self.rng.randrange(1, 3) * MS
        for r, o in ops:
            o.ended = o.ended or at
            self.todo.add(r)

    def hung(self):
        return any(o.ended is None for ops in self.done for o in ops)

    # ---- dumps ----
    def entries_of(self, r, o, version):
        """(name, ins, outs, dtype, is_p2p, bare) for each entry of one operation. What stands inside a coalesced group has no events,
        and below 2.7 only sends and receives are recorded there."""
        def name_of(x):
            members = self.groups[x.group]
            if x.kind == "c":
                return x.name
            return f"{x.kind} {members.index(r)}{'->' if x.kind == 'send' else '<-'}{members.index(x.peer)}"
        if not o.parts:
            return [(name_of(o), o.ins, o.outs, o.dtype, o.kind != "c", False)]
        shown = [x for x in o.parts if x.kind != "c" or int(version.split(".")[1]) >= 7]
        return [(name_of(x), x.ins, x.outs, x.dtype, x.kind != "c", True) for x in shown] + [("coalesced", [], [], "", False, False)]

    def dump(self, r, ring=2000, timing=True, active=False, version="2.10", status=True, lost_config=(), late_ns=0, paths=True):
        """late_ns: how long after everything had come to rest the dump was taken shows in the end of a later operation only."""
        ids, entries, offset, counters, record = {}, [], self.offset.get(r, 0), {}, 0
        backend = "gloo" if self.gloo else "nccl"
        timing = timing and not self.gloo
        for i, o in enumerate(self.done[r]):
            pg = ids.setdefault(o.group, len(ids))
            at = counters.setdefault(pg, {"last_enqueued_collective": -1, "last_started_collective": -1, "last_completed_collective": -1})
            number = o.seq if o.kind == "c" else o.p2p_seq
            if not o.inside:
                at["last_enqueued_collective"] = number
            if o.began and timing:
                at["last_started_collective"] = number
            if o.ended:
                at["last_completed_collective"] = number
            for name, ins, outs, dtype, is_p2p, bare in self.entries_of(r, o, version):
                ended, began = o.ended and not bare, o.began and timing and not o.inside and not bare
                state = "scheduled" if self.gloo else "completed" if ended else "started" if began else "scheduled"
                e = {"frames": [{"name": o.name, "filename": "/x/site-packages/torch/distributed/c10d.py", "line": 9},
                                {"name": "step", "filename": "/srv/job/train.py", "line": 100 + i % 50}] if paths else [],
                     "record_id": record, "pg_id": pg, "process_group": (o.group, self.desc[o.group]), "collective_seq_id": o.seq,
                     "p2p_seq_id": o.p2p_seq, "op_id": record, "profiling_name": f"{backend}:{name}", "time_created_ns": o.issued + offset,
                     "input_sizes": ins, "input_dtypes": [dtype] if dtype else [], "output_sizes": outs, "output_dtypes": [dtype] if dtype else [],
                     "state": state, "time_discovered_started_ns": o.began + offset if began else None,
                     "time_discovered_completed_ns": o.ended + offset if ended and not self.gloo else None, "retired": bool(ended),
                     "timeout_ms": 600000, "is_p2p": is_p2p}
                if timing and ended:
                    e["duration_ms"] = (o.ended - o.began) / MS
                record += 1
                if not (active and ended):
                    entries.append(e)
        entries = entries[-ring:] if ring else []
        seen = dict(self.groups)
        if r in self.view:
            seen[self.view[r][0]] = self.view[r][1]
        config = {g: {"name": g, "desc": self.desc[g], "ranks": str(seen[g])} for g in self.groups if g in ids and g not in lost_config}
        if self.gloo:  # recorded before the group has a name: the last one is left
            config = {"": {"name": "", "desc": "", "ranks": str(seen[g])} for g in ids}
        d = {"version": version, "pg_config": config, "comm_lib_version": "" if self.gloo else "2.27.5",
             "pg_status": {str(k): v for k, v in counters.items()} if status else {}, "entries": entries}
        return old(d) if version.startswith("1.") else d


def old(d):
    """As torch 2.3 wrote it: numbers instead of names of groups, one sequence of all operations of a group."""
    d["pg_config"] = {e["pg_id"]: json.loads(d["pg_config"][e["process_group"][0]]["ranks"]) for e in d["entries"]
                      if e["process_group"][0] in d["pg_config"]}
    for e in d["entries"]:
        e["seq_id"] = e.pop("collective_seq_id")
        for k in ("p2p_seq_id", "is_p2p", "process_group", "input_dtypes", "output_dtypes", "timeout_ms"):
            e.pop(k)
    del d["pg_status"], d["comm_lib_version"]
    return d


class Watchdog:
    """Pickles as the C++ pickler does: protocol 2, texts shared by value, of containers only the call sites' frames."""

    def __init__(self):
        self.out, self.memo = bytearray(b"\x80\x02"), {}

    def put(self, key):
        n = self.memo[key] = len(self.memo)
        self.out += b"q%c" % n if n < 256 else b"r" + n.to_bytes(4, "little")

    def get(self, key):
        n = self.memo.get(key)
        if n is None:
            return False
        self.out += b"h%c" % n if n < 256 else b"j" + n.to_bytes(4, "little")
        return True

    def add(self, v):
        out = self.out
        if v is None or v is True or v is False:
            out += b"N" if v is None else b"\x88" if v else b"\x89"
        elif isinstance(v, int):
            if 0 <= v < 256:
                out += b"K%c" % v
            elif 0 <= v < 65536:
                out += b"M" + v.to_bytes(2, "little")
            elif -2 ** 31 <= v < 2 ** 31:
                out += b"J" + v.to_bytes(4, "little", signed=True)
            else:
                out += b"\x8a\x08" + v.to_bytes(8, "little", signed=True)
        elif isinstance(v, float):
            out += b"G" + struct.pack(">d", v)
        elif isinstance(v, str):
            if not self.get(v):
                data = v.encode()
                out += b"X" + len(data).to_bytes(4, "little") + data
                self.put(v)
        elif isinstance(v, tuple):
            for x in v:
                self.add(x)
            out += b"\x86"
        elif isinstance(v, list):
            out += b"]("
            for x in v:
                self.add(x)
            out += b"e"
        elif "filename" not in v or not self.get((v["name"], v["filename"], v["line"])):
            out += b"}("
            for k, x in v.items():
                self.add(k)
                self.add(x)
            out += b"u"
            if "filename" in v:
                self.put((v["name"], v["filename"], v["line"]))

    def dumps(self, v):
        self.add(v)
        return bytes(self.out) + b"."


def write(d, path, form):
    if form == "json":
        for e in d["entries"]:
            e.pop("frames")
            if "process_group" in e:
                e["process_group"] = list(e["process_group"])
            for k in ("time_discovered_started_ns", "time_discovered_completed_ns"):
                e[k] = e[k] or 0
        d["pg_status"] = {k: {a: str(b) for a, b in v.items()} for k, v in d.get("pg_status", {}).items()}
        data = json.dumps(d, sort_keys=True, separators=(",", ":")).encode()
    elif form == "watchdog":
        data = Watchdog().dumps(d)
    else:
        data = pickle.dumps(d, 2 if form == "pickle" else 4)
    with open(path, "wb") as f:
        f.write(data)


def make(folder, layout, fault, rank, rng, steps=4, form="pickle", eager=False, shape=False, batched=False, gloo=False, lost=False, mixed=False, **dump):
    """Writes the dumps of one job and returns it; None: this rank has no place for the fault, or it did no harm."""
    job = Job(*layout, steps, rng, shape=shape, batched=batched, gloo=gloo)
    job.eager = eager
    job.offset = {r: rng.randrange(-40, 40) * MS for r in range(job.n)}
    if not job.break_it(fault, rank):
        return None
    job.run()
    if not job.hung():
        return None
    os.makedirs(folder, exist_ok=True)
    for r in range(job.n):
        if mixed:  # hosts of different images, and dumps that went through different tools
            dump["version"], form = rng.choice(("2.10", "2.7", "2.4")), rng.choice(("watchdog", "pickle4", "json"))
        gone = [g for g in job.groups if rng.random() < 0.3] if lost and rng.random() < 0.5 else []
        write(job.dump(r, lost_config=gone, **dump), os.path.join(folder, f"nccl_trace_rank_{r}"), form)
    return job


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    for name, value in (("tp", 2), ("pp", 1), ("dp", 2), ("ep", 1), ("rank", 1), ("seed", 1), ("steps", 4), ("ring", 2000)):
        p.add_argument("--" + name, type=int, default=value)
    p.add_argument("--fault", choices=FAULTS, default="missing")
    p.add_argument("--form", default="pickle")
    p.add_argument("--version", default="2.10")
    for name in ("shape", "batched", "gloo", "lost", "eager"):
        p.add_argument("--" + name, action="store_true")
    a = p.parse_args()
    job = make(a.folder, (a.tp, a.pp, a.dp, a.ep), a.fault, a.rank, random.Random(a.seed), a.steps, a.form, a.eager, a.shape, a.batched,
               a.gloo, a.lost, ring=a.ring, version=a.version)
    return 0 if job else "this rank has no place for that fault with this seed, or it does no harm"


if __name__ == "__main__":
    sys.exit(main())
