/* The facts of an out-of-memory report: one of the whole, and one for each of the largest tasks. */
#include "oom.h"

#include <string.h>

#define MOST_TASKS_GIVEN 32

static bool is_dead(const ff_oom_report *r, int64_t pid)
{
    for (uint32_t i = 0; i < r->n_dead; i++)
        if (r->dead[i].pid == pid)
            return true;
    return false;
}

static int64_t known(int64_t n) { return n > 0 ? n : 0; }

/* The victim stands in the table in pages and in the last line in kB: their ratio is the page size. */
static int64_t page_kib(const ff_oom_report *r)
{
    for (uint32_t i = 0; i < r->n_tasks && r->n_dead; i++) {
        const ff_oom_killed *k = &r->dead[0];
        if (r->tasks[i].pid != k->pid || r->tasks[i].rss < 256)
            continue;
        int64_t kib = known(k->anon_kib) + known(k->file_kib) + known(k->shmem_kib);
        int64_t ratio = kib / r->tasks[i].rss;
        return ratio >= 32 ? 64 : ratio >= 10 ? 16 : 4;
    }
    return 4;
}

static ff_bytes constraint_of(const ff_oom_report *r)
{
    static const struct {
        const char *kernel, *name;
    } names[] = { { "CONSTRAINT_MEMCG", "memcg" },
                  { "CONSTRAINT_NONE", "none" },
                  { "CONSTRAINT_CPUSET", "cpuset" },
                  { "CONSTRAINT_MEMORY_POLICY", "memory_policy" } };
    /* some kernels print NONE for a cgroup's limit; the accounting of the cgroup is the better witness */
    if (r->memcg_said && !r->global_said)
        return FF_LIT("memcg");
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(r->constraint, ff_str(names[i].kernel)))
            return ff_str(names[i].name);
    return r->global_said ? FF_LIT("none") : (ff_bytes){ 0 };
}

static void add_number(ff_fields *f, const ff_oom_report *r, ff_oom_number which, const char *name)
{
    if (r->has[which])
        ff_fields_int(f, name, FF_FIELD_INT, r->value[which]);
}

static void add_known(ff_fields *f, const char *name, ff_field_type type, int64_t value)
{
    if (value >= 0)
        ff_fields_int(f, name, type, value);
}

static void add_usage(ff_fields *f, const ff_oom_report *r)
{
    add_number(f, r, FF_OOM_N_USAGE, "usage_kib");
    add_number(f, r, FF_OOM_N_LIMIT, "limit_kib");
    add_number(f, r, FF_OOM_N_FAILCNT, "failcnt");
    add_number(f, r, FF_OOM_N_SWAP_USAGE, "swap_usage_kib");
    add_number(f, r, FF_OOM_N_ANON, "anon_kib");
    add_number(f, r, FF_OOM_N_FILE_BYTES, "file_kib");
    add_number(f, r, FF_OOM_N_SHMEM, "shmem_kib");
    add_number(f, r, FF_OOM_N_KERNEL, "kernel_kib");
    ff_fields_text(f, "constraint", FF_FIELD_TEXT, constraint_of(r));
    ff_fields_text(f, "memcg", FF_FIELD_TEXT, r->memcg);
}

static void add_owner(ff_fields *f, const ff_cgroup_owner *owner, ff_bytes cgroup)
{
    ff_fields_text(f, "cgroup", FF_FIELD_CGROUP, cgroup);
    ff_fields_text(f, "pod_uid", FF_FIELD_POD_UID, ff_str(owner->pod_uid));
    ff_fields_text(f, "container", FF_FIELD_CONTAINER, owner->container);
    ff_fields_text(f, "slurm_job", FF_FIELD_TEXT, owner->slurm_job);
    ff_fields_text(f, "slurm_step", FF_FIELD_TEXT, owner->slurm_step);
}

static void add_victim(ff_fields *f, const ff_oom_report *r)
{
    if (r->n_dead == 0)
        return;
    const ff_oom_killed *k = &r->dead[0];
    add_known(f, "pid", FF_FIELD_PID, k->pid);
    ff_fields_text(f, "process", FF_FIELD_PROCESS, k->name);
    add_known(f, "victim_anon_kib", FF_FIELD_INT, k->anon_kib);
    add_known(f, "victim_file_kib", FF_FIELD_INT, k->file_kib);
    add_known(f, "victim_shmem_kib", FF_FIELD_INT, k->shmem_kib);
    add_known(f, "victim_total_kib", FF_FIELD_INT, k->total_kib);
    add_known(f, "uid", FF_FIELD_INT, k->uid);
}

static void add_context(ff_fields *f, const ff_oom_report *r, ff_bytes killed_pids)
{
    int64_t rss = 0;
    for (uint32_t i = 0; i < r->n_tasks; i++)
        rss += known(r->tasks[i].rss) < (INT64_C(1) << 40) ? known(r->tasks[i].rss) : 0;
    ff_fields_text(f, "invoker", FF_FIELD_TEXT, r->invoker);
    add_number(f, r, FF_OOM_N_INVOKER_PID, "invoker_pid");
    ff_fields_text(f, "gfp", FF_FIELD_TEXT, r->gfp);
    add_number(f, r, FF_OOM_N_ORDER, "order");
    ff_fields_int(f, "page_kib", FF_FIELD_INT, page_kib(r));
    if (r->n_tasks) {
        ff_fields_int(f, "tasks", FF_FIELD_INT, r->n_tasks);
        ff_fields_int(f, "task_rss_kib", FF_FIELD_INT, rss * page_kib(r));
    }
    ff_fields_int(f, "killed", FF_FIELD_INT, r->n_killed);
    ff_fields_text(f, "killed_pids", FF_FIELD_TEXT, killed_pids);
    ff_fields_int(f, "oom_group", FF_FIELD_INT, r->group);
    ff_fields_int(f, "pinning", FF_FIELD_INT, r->pinning);
}

static ff_bytes list_killed(const ff_oom_report *r, ff_arena *arena)
{
    ff_bytes list = { 0 };
    for (uint32_t i = 0; i < r->n_dead; i++)
        list = ff_arena_format(arena, "%.*s%s%lld", (int)list.n, list.n ? list.p : "", i ? "," : "",
                               (long long)r->dead[i].pid);
    return list;
}

static ff_who who_of(const ff_block_line *line, const ff_oom_report *r, const ff_cgroup_owner *owner, ff_bytes cgroup)
{
    ff_who who = FF_WHO_NOBODY;
    who.host = line->ev.who.host;
    who.boot = line->ev.who.boot;
    who.unit = line->ev.who.unit;
    who.cgroup = cgroup;
    who.pod_uid = ff_str(owner->pod_uid);
    who.container = owner->container;
    if (r->n_dead) {
        who.process = r->dead[0].name;
        who.pid = r->dead[0].pid > 0 && r->dead[0].pid <= INT32_MAX ? (int32_t)r->dead[0].pid : FF_NO_NUMBER;
    }
    return who;
}

static void emit_at(const ff_block_line *line, ff_fact_id id, const ff_who *who, const ff_fields *f, ff_sink *out)
{
    ff_fact fact = { .id = id,
                     .line = line->line,
                     .offset = line->offset,
                     .quote = line->quote,
                     .said = line->ev.said,
                     .who = *who,
                     .fields = f->at,
                     .n_fields = f->n };
    out->fact(out->owner, &fact);
}

static bool is_bigger(const ff_oom_task *a, const ff_oom_task *b)
{
    return a->rss != b->rss ? a->rss > b->rss : a->line < b->line;
}

/* The 32 largest to the front, by insertion: the table may have thousands of rows. */
static uint32_t keep_largest(ff_oom_task *tasks, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        ff_oom_task t = tasks[i];
        uint32_t at = kept;
        while (at > 0 && is_bigger(&t, &tasks[at - 1]))
            at--;
        if (at >= MOST_TASKS_GIVEN)
            continue;
        if (kept < MOST_TASKS_GIVEN)
            kept++;
        memmove(&tasks[at + 1], &tasks[at], (kept - 1 - at) * sizeof *tasks);
        tasks[at] = t;
    }
    return kept;
}

static void emit_task(const ff_oom_report *r, const ff_oom_task *t, const ff_block_line *lines, ff_sink *out)
{
    ff_fields f = { .n = 0 };
    const ff_block_line *line = &lines[t->line];
    int64_t page = page_kib(r);
    ff_who who = FF_WHO_NOBODY;
    if (t->rss < 0 || t->rss > INT64_C(1) << 40 || t->total < 0 || t->total > INT64_C(1) << 40)
        return;
    who.host = line->ev.who.host;
    who.boot = line->ev.who.boot;
    who.process = t->name;
    who.pid = t->pid > 0 && t->pid <= INT32_MAX ? (int32_t)t->pid : FF_NO_NUMBER;
    add_known(&f, "pid", FF_FIELD_PID, t->pid);
    ff_fields_text(&f, "process", FF_FIELD_PROCESS, t->name);
    ff_fields_int(&f, "rss_kib", FF_FIELD_INT, t->rss * page);
    if (t->anon >= 0 && t->anon <= t->rss)
        ff_fields_int(&f, "anon_kib", FF_FIELD_INT, t->anon * page);
    if (t->file >= 0 && t->file <= t->rss)
        ff_fields_int(&f, "file_kib", FF_FIELD_INT, t->file * page);
    if (t->shmem >= 0 && t->shmem <= t->rss)
        ff_fields_int(&f, "shmem_kib", FF_FIELD_INT, t->shmem * page);
    ff_fields_int(&f, "total_kib", FF_FIELD_INT, t->total * page);
    ff_fields_int(&f, "uid", FF_FIELD_INT, t->uid);
    ff_fields_int(&f, "adj", FF_FIELD_INT, t->adj);
    ff_fields_int(&f, "killed", FF_FIELD_INT, is_dead(r, t->pid));
    emit_at(line, FF_FACT_OOM_TASK, &who, &f, out);
}

void ff_oom_give(const ff_oom_report *r, const ff_block_line *lines, ff_sink *out)
{
    ff_cgroup_owner owner;
    ff_bytes cgroup = ff_is_empty(r->cgroup) ? r->memcg : r->cgroup;
    ff_cgroup_read(cgroup, &owner);
    ff_who who = who_of(&lines[0], r, &owner, cgroup);
    ff_fields f = { .n = 0 };
    add_usage(&f, r);
    add_owner(&f, &owner, cgroup);
    add_victim(&f, r);
    add_context(&f, r, list_killed(r, out->scratch));
    emit_at(&lines[0], FF_FACT_OOM_REPORT, &who, &f, out);
    uint32_t kept = keep_largest(r->tasks, r->n_tasks);
    for (uint32_t i = 0; i < kept; i++)
        emit_task(r, &r->tasks[i], lines, out);
}
