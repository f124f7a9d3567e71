#!/usr/bin/env python3
"""oom_shapes.py FIRSTFAULT [--show]: one out-of-memory kill as kernels from 3.10 to 6.18 report it, with cgroups of version 1 and 2, pages of 4
and 64 KiB, each limit of a hierarchy and each kind of memory. Whatever the shape, the same must be told: which limit, how much of what, who."""
import itertools, json, os, subprocess, sys, tempfile

UID = "6f2c1b0a-1111-4222-8333-944455566677"
ID = "c0ffee" + "0" * 58
POD = f"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
# path of the full cgroup, path of the task, what the report calls the level
PLACES = {
    "container": (f"{POD}/cri-containerd-{ID}.scope", f"{POD}/cri-containerd-{ID}.scope", "container"),
    "crio": (f"{POD}/crio-{ID}.scope", f"{POD}/crio-{ID}.scope", "container"),
    "cgroupfs": (f"/kubepods/burstable/pod{UID}/{ID}", f"/kubepods/burstable/pod{UID}/{ID}", "container"),
    "pod": (POD, f"{POD}/cri-containerd-{ID}.scope", "pod"),
    "all pods": ("/kubepods.slice", f"{POD}/cri-containerd-{ID}.scope", "slice of all pods"),
    "docker": (f"/docker/{ID}", f"/docker/{ID}", "container"),
    "docker scope": (f"/system.slice/docker-{ID}.scope", f"/system.slice/docker-{ID}.scope", "container"),
    "podman": (f"/machine.slice/libpod-{ID}.scope", f"/machine.slice/libpod-{ID}.scope/container", "container"),
    "step v1": ("/slurm/uid_1000/job_77/step_0", "/slurm/uid_1000/job_77/step_0/task_1", "Slurm step"),
    "job v1": ("/slurm/uid_1000/job_77", "/slurm/uid_1000/job_77/step_batch/task_0", "Slurm job"),
    "step v2": ("/system.slice/slurmstepd.scope/job_77/step_0", "/system.slice/slurmstepd.scope/job_77/step_0/user/task_1", "Slurm step"),
    "job v2": ("/system.slice/gpu-a01_slurmstepd.scope/job_77", "/system.slice/gpu-a01_slurmstepd.scope/job_77/step_0/user/task_1", "Slurm job"),
    "session": ("/user.slice/user-1000.slice", "/user.slice/user-1000.slice/session-4.scope", "cgroup"),
}
LIMIT = 6144000 # KiB
KINDS = {"anon": (6000000, 20, 1024), "shmem": (500000, 5600000, 5560000), "file": (300000, 5700000, 64)} # anon, file (with shmem), shmem in KiB
KERNELS = ["3.10", "4.18", "5.0", "5.2", "5.4", "6.1", "6.8", "6.18"]


def before(kernel, other):
    return tuple(map(int, kernel.split("."))) < tuple(map(int, other.split(".")))


def stats(kernel, v1, memcg, kind):
    anon, file, shmem = KINDS[kind]
    if before(kernel, "5.3"):
        pairs = f"cache:{file}KB rss:{anon}KB rss_huge:0KB" + ("" if before(kernel, "4.12") else f" shmem:{shmem}KB") + " mapped_file:0KB dirty:0KB writeback:0KB inactive_anon:0KB"
        return [f"Memory cgroup stats for {memcg}: {pairs}"]
    keys = [("anon" if not v1 or not before(kernel, "5.3") else "rss", anon * 1024), ("file", file * 1024), ("kernel_stack", 98304), ("shmem", shmem * 1024), ("file_mapped", 4096)]
    lines = [f"{k} {v}" for k, v in keys]
    return [f"Memory cgroup stats for {memcg}:"] + (["\n".join(lines)] if before(kernel, "6.4") else lines)


def tasks(kernel, kind, page):
    anon, file, shmem = (n // page for n in KINDS[kind])
    head = {True: "[ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name", False: "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name"}[before(kernel, "4.15")]
    if not before(kernel, "6.8"):
        return ["[  pid  ]   uid  tgid total_vm      rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name",
                f"[  52118]  1000 52118 22027805 {anon + shmem:8d} {anon:8d} {0:8d} {shmem:9d} 20582400        0           977 python3"]
    middle = "   20099       82" if before(kernel, "4.15") else " 20582400"
    return [head, f"[  52118]  1000 52118 22027805 {anon + shmem:8d}{middle}        0           977 python3"]


def report(kernel, place, kind, v1, page):
    memcg, task, _ = PLACES[place]
    anon, _, shmem = KINDS[kind]
    out = ["python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=977" if not before(kernel, "4.18") else "python3 invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=977",
           f"CPU: 7 PID: 52130 Comm: python3 Tainted: P           OE      {kernel}.0 #1", "Call Trace:", " dump_stack+0x41/0x60", " mem_cgroup_out_of_memory+0x131/0x150"]
    if before(kernel, "5.0"):
        out.append(f"Task in {task} killed as a result of limit of {memcg}")
    out.append(f"memory: usage {LIMIT}kB, limit {LIMIT}kB, failcnt 91")
    out += ["memory+swap: usage 6144000kB, limit 9007199254740988kB, failcnt 0", "kmem: usage 90112kB, limit 9007199254740988kB, failcnt 0"] if v1 else ["swap: usage 0kB, limit 0kB, failcnt 0"]
    out += stats(kernel, v1, memcg, kind)
    if not before(kernel, "4.18"):
        out.append("Tasks state (memory values in pages):")
    out += tasks(kernel, kind, page)
    sizes = f"total-vm:88111220kB, anon-rss:{anon - 100}kB, file-rss:0kB, shmem-rss:{shmem}kB"
    if before(kernel, "5.0"):
        return out + ["Memory cgroup out of memory: Kill process 52118 (python3) score 1976 or sacrifice child", f"Killed process 52118 (python3) {sizes}"]
    out.append(f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset={task.rsplit('/', 1)[1]},mems_allowed=0-1,oom_memcg={memcg},task_memcg={task},task=python3,pid=52118,uid=1000")
    if before(kernel, "5.1"):
        return out + ["Memory cgroup out of memory: Kill process 52118 (python3) score 1976 or sacrifice child", f"Killed process 52118 (python3) {sizes}"]
    tail = "" if before(kernel, "5.4") else ", UID:1000 pgtables:20100kB oom_score_adj:977"
    return out + [f"Memory cgroup out of memory: Killed process 52118 (python3) {sizes}{tail}", "oom_reaper: reaped process 52118 (python3), now anon-rss:0kB, file-rss:0kB, shmem-rss:0kB"]


def text_of(records):
    out, t = [], 7000.0
    for record in records:
        head = f"[{t:12.6f}] "
        out.append(head + record.replace("\n", "\n" + " " * len(head)))
        t += 0.000012
    return "\n".join(out) + "\n"


def global_report(kernel, constraint):
    """The node itself: Mem-Info stands where the accounting of the cgroup would; before 5.0 nothing names the constraint."""
    out = ["python3 invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE|__GFP_COMP), order=0, oom_score_adj=0", "CPU: 7 PID: 52130 Comm: python3 Not tainted", "Mem-Info:",
           "active_anon:100 inactive_anon:200 isolated_anon:0\n active_file:3 inactive_file:4 isolated_file:0", "Node 0 Normal free:1203kB boost:0kB min:4096kB low:5120kB high:6144kB", "33554432 pages RAM"]
    out += tasks(kernel, "anon", 4)
    sizes = "total-vm:88111220kB, anon-rss:5999900kB, file-rss:0kB, shmem-rss:1024kB"
    if before(kernel, "5.0"):
        return out + ["Out of memory: Kill process 52118 (python3) score 911 or sacrifice child", f"Killed process 52118 (python3) {sizes}"]
    return out + [f"oom-kill:constraint={constraint},nodemask={'1' if 'POLICY' in constraint else '(null)'},cpuset=/,mems_allowed=0-1,global_oom,task_memcg=/system.slice/x.service,task=python3,pid=52118,uid=1000",
                  f"Out of memory: Killed process 52118 (python3) {sizes}, UID:1000 pgtables:20100kB oom_score_adj:0"]


def group_report():
    """memory.oom.group: all of the cgroup goes; and behind it a kill whose report was left out for coming too soon."""
    one = report("6.1", "container", "anon", False, 4)[:-1]
    killed = "Memory cgroup out of memory: Killed process %d (pt_data_worker) total-vm:911220kB, anon-rss:1000kB, file-rss:0kB, shmem-rss:0kB, UID:1000 pgtables:2100kB oom_score_adj:977"
    return one + [f"Tasks in {PLACES['container'][1]} are going to be killed due to memory.oom.group set", killed % 52140, killed % 52141]


def cases():
    for kernel, v1, page in itertools.product(KERNELS, (False, True), (4, 64)):
        if not (before(kernel, "4.5") and not v1):
            for kind in KINDS:
                yield f"{kernel}-v{1 if v1 else 2}-{page}k-{kind}", text_of(report(kernel, "container", kind, v1, page)), "container", kind, kernel
    for place in PLACES:
        for kernel in ("4.18", "6.1", "6.18"):
            yield f"{kernel}-{place}".replace(" ", "_"), text_of(report(kernel, place, "anon", "v1" in place, 4)), place, "anon", kernel


    for kernel in KERNELS:
        for constraint in ("CONSTRAINT_NONE", "CONSTRAINT_CPUSET", "CONSTRAINT_MEMORY_POLICY")[:1 if before(kernel, "5.0") else 3]:
            yield f"{kernel}-{constraint}", text_of(global_report(kernel, constraint)), None, None, kernel
    yield "group", text_of(group_report()), "container", "group", "6.1"


def faults_of(got, place, kind, kernel):
    if place is None:
        named = [(f["cause"], f["facts"].get("pid")) for f in got["findings"] if f["severity"] != "note"]
        return [] if named == [("host.global_oom", "52118")] else [f"finds {named}"]
    found = [f for f in got["findings"] if f["severity"] != "note"]
    if [f["cause"] for f in found] != ["host.memcg_oom"]:
        return ["finds " + ", ".join(f["cause"] for f in found)]
    memcg, task, level = PLACES[place]
    anon, file, shmem = KINDS.get(kind, KINDS["anon"])
    want = {"limit_kib": LIMIT, "usage_kib": LIMIT, "failcnt": 91, "anon_kib": anon, "file_kib": file, "cgroup": memcg, "level": level, "killed": 1, "killed_pids": 52118, "process": "python3"}
    if kind == "group":
        want |= {"killed": 3, "killed_pids": "52118,52140,52141"}
    if not before(kernel, "4.12"):
        want["shmem_kib"] = shmem
    if ID in task:
        want["container"] = ID
    if "kubepods" in task:
        want["pod_uid"] = UID
    facts = found[0]["facts"]
    return [f"{k} is {facts.get(k)}, not {v}" for k, v in want.items() if facts.get(k) != str(v)]


def main():
    prog, showing = sys.argv[1], "--show" in sys.argv
    todo, bad = list(cases()), 0
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "out"))
        for name, text, *_ in todo:
            os.makedirs(os.path.join(folder, "in", name, "bundle"))
            with open(os.path.join(folder, "in", name, "bundle", "dmesg"), "w", encoding="utf-8") as log:
                log.write(text)
            with open(os.path.join(folder, "in", name, "expected.json"), "w", encoding="utf-8") as truth:
                truth.write('{"root_cause": "host.memcg_oom"}')
        subprocess.run([prog, "test", "--report-only", "-o", os.path.join(folder, "out"), os.path.join(folder, "in")], capture_output=True, check=False)
        for name, text, place, kind, kernel in todo:
            with open(os.path.join(folder, "out", name + ".json"), encoding="utf-8") as f:
                wrong = faults_of(json.load(f), place, kind, kernel)
            bad += bool(wrong)
            if wrong:
                print(f"{name}: {'; '.join(wrong)}")
                if showing:
                    print(text)
    print(f"{len(todo) - bad} of {len(todo)} reports")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
