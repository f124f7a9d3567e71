#!/usr/bin/python3
"""Is what `firstfault collectives --perfetto` writes a trace that Perfetto and chrome://tracing read?

  trace_events.py FIRSTFAULT BUNDLE

Format: "Trace Event Format" (JSON object form): complete events (X), instants (i) and metadata (M); times in microseconds. Slices of
one track may nest but not overlap, or viewers drop them."""
import json, subprocess, sys


def number(x): return isinstance(x, (int, float)) and not isinstance(x, bool)


def problems(trace):
    events, tracks, named, ranks = trace["traceEvents"], {}, set(), set()
    if not isinstance(events, list) or not events:
        yield "no events"
    for n, e in enumerate(events):
        where = f"event {n} {e.get('name')!r}"
        if not isinstance(e.get("pid"), int) or not isinstance(e.get("tid"), int) or not e.get("name"):
            yield where + ": pid, tid or name"
        if e["ph"] == "M":
            named.add((e["pid"], e["tid"], e["name"]))
            if not e.get("args"):
                yield where + ": metadata without args"
            continue
        ranks.add(e["pid"])
        if e["ph"] not in "Xi" or not number(e.get("ts")) or e["ts"] < 0:
            yield where + ": phase or time"
        if (e["pid"], e["tid"], "thread_name") not in named:
            yield where + ": its track has no name"
        if e["ph"] == "i" and e.get("s") not in ("t", "p", "g"):
            yield where + ": an instant needs a scope"
        if e["ph"] == "X":
            if not number(e.get("dur")) or e["dur"] <= 0:
                yield where + ": duration"
            tracks.setdefault((e["pid"], e["tid"]), []).append((e["ts"], e["ts"] + e["dur"], where))
    for slices in tracks.values():
        slices.sort()
        for a, b in zip(slices, slices[1:]):
            if b[0] < a[1]:  # as viewers add: in floating numbers, and without tolerance
                yield f"{b[2]} begins before {a[2]} ends"
    for rank in ranks:
        if not any(p == rank and name == "process_name" for p, _, name in named):
            yield f"rank {rank} has no name"


def main():
    tool, bundle = sys.argv[1:3]
    out = subprocess.run([tool, "collectives", bundle, "--perfetto", "-"], capture_output=True, check=True).stdout
    trace = json.loads(out)
    found = list(problems(trace))
    print(len(trace["traceEvents"]), "events;", len(found), "problems")
    for f in found[:20]:
        print(f)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
