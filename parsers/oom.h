/* An out-of-memory report of the kernel: the lines that make it up (block_oom.c), its numbers (oom_read.c) and
 * its facts (oom_facts.c). */
#ifndef FF_OOM_H
#define FF_OOM_H

#include "lines.h"

/* What one record of a report is. Records of other CPUs stand between them. */
typedef enum ff_oom_part {
    FF_OOM_OTHER = 0, /* no part of a report */
    FF_OOM_INVOKED,   /* "python3 invoked oom-killer: gfp_mask=..." */
    FF_OOM_TRACE,     /* CPU, hardware, call trace, registers */
    FF_OOM_USAGE,     /* "memory: usage 8388608kB, limit 8388608kB, failcnt 4711" and its siblings */
    FF_OOM_STATS,     /* "Memory cgroup stats for /a/b:" */
    FF_OOM_STAT,      /* "anon 8543211520": no mark of its own */
    FF_OOM_TASKS,     /* "Tasks state ..." and the table's head */
    FF_OOM_TASK,      /* "[  41234]  1000 41234 ..." */
    FF_OOM_SUMMARY,   /* "oom-kill:constraint=..." or "Task in /A killed as a result of limit of /B" */
    FF_OOM_GROUP,     /* "Tasks in /a/b are going to be killed due to memory.oom.group set" */
    FF_OOM_KILLED,    /* "... Killed process 41234 (python3) total-vm:..." */
    FF_OOM_CHOSEN,    /* before 5.1: "Kill process 41234 (python3) score 1995 or sacrifice child", then the kill */
    FF_OOM_REAPED,    /* "oom_reaper: ..." */
    FF_OOM_MEMINFO    /* Mem-Info of a global report */
} ff_oom_part;

ff_oom_part ff_oom_part_of(ff_bytes text);

/* Who a cgroup path belongs to; empty where the path does not say. */
typedef struct ff_cgroup_owner {
    char pod_uid[37]; /* with dashes, or "" */
    ff_bytes container, slurm_job, slurm_step;
} ff_cgroup_owner;
void ff_cgroup_read(ff_bytes path, ff_cgroup_owner *out);

#define FF_OOM_MOST_KILLED 64

typedef struct ff_oom_task {
    uint32_t line;                                        /* index into the block's lines */
    int64_t pid, uid, rss, anon, file, shmem, total, adj; /* pages; anon, file, shmem: -1 = not in this table */
    ff_bytes name;
} ff_oom_task;

typedef struct ff_oom_killed {
    int64_t pid, uid, total_kib, anon_kib, file_kib, shmem_kib;
    ff_bytes name;
} ff_oom_killed;

typedef enum ff_oom_number {
    FF_OOM_N_USAGE,
    FF_OOM_N_LIMIT,
    FF_OOM_N_FAILCNT,
    FF_OOM_N_SWAP_USAGE,
    FF_OOM_N_ANON,
    FF_OOM_N_FILE_BYTES,
    FF_OOM_N_SHMEM,
    FF_OOM_N_KERNEL,
    FF_OOM_N_INVOKER_PID,
    FF_OOM_N_ORDER,
    FF_OOM_N_NUMBERS
} ff_oom_number;

typedef struct ff_oom_report {
    int64_t value[FF_OOM_N_NUMBERS];
    bool has[FF_OOM_N_NUMBERS];
    ff_bytes invoker, gfp, constraint, memcg, cgroup;
    bool memcg_said, global_said, group, pinning, inline_stats;
    ff_oom_killed chosen; /* whom the summary names, pid 0 = nobody */
    ff_oom_killed dead[FF_OOM_MOST_KILLED];
    uint32_t n_dead, n_killed;
    ff_oom_task *tasks;
    uint32_t n_tasks;
    ff_bytes columns; /* head of the task table */
} ff_oom_report;

void ff_oom_give(const ff_oom_report *r, const ff_block_line *lines, ff_sink *out);
void ff_oom_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out);

#endif
