/* The numbers of an out-of-memory report, whatever kernel printed it. */
#include "oom.h"

#include <string.h>

#define MOST_TASKS_GIVEN 32
#define MOST_KILLED 64
#define NO_LIMIT_KIB INT64_C(9007199254740988) /* PAGE_COUNTER_MAX of 4 KiB pages */

typedef struct task {
    uint32_t line;                                        /* index into the block's lines */
    int64_t pid, uid, rss, anon, file, shmem, total, adj; /* pages; anon, file, shmem: -1 = not in this table */
    ff_bytes name;
} task;

typedef struct killed {
    int64_t pid, uid, total_kib, anon_kib, file_kib, shmem_kib;
    ff_bytes name;
} killed;

typedef enum number {
    USAGE,
    LIMIT,
    FAILCNT,
    SWAP_USAGE,
    ANON,
    FILE_BYTES,
    SHMEM,
    KERNEL,
    INVOKER_PID,
    ORDER,
    NUMBERS
} number;

typedef struct report {
    int64_t value[NUMBERS];
    bool has[NUMBERS];
    ff_bytes invoker, gfp, constraint, memcg, cgroup;
    bool memcg_said, global_said, group, pinning, inline_stats;
    killed dead[MOST_KILLED];
    uint32_t n_dead, n_killed;
    task *tasks;
    uint32_t n_tasks;
    ff_bytes columns; /* head of the task table */
} report;

static void set(report *r, number which, int64_t value)
{
    r->value[which] = value;
    r->has[which] = true;
}

static void add(report *r, number which, int64_t value) { set(r, which, r->value[which] + value); }

/* The number behind `key`: "usage 8388608kB". */
static bool number_behind(ff_bytes text, ff_bytes key, int64_t *out)
{
    size_t at = ff_find(text, key);
    ff_bytes rest = ff_skip_n(text, at <= text.n ? at + key.n : text.n);
    return at <= text.n && ff_take_int(&rest, out);
}

/* The text behind `key` up to a comma or the end; task_memcg= and oom_memcg= hold no commas. */
static ff_bytes text_behind(ff_bytes text, ff_bytes key)
{
    size_t at = ff_find(text, key);
    if (at > text.n)
        return (ff_bytes){ 0 };
    ff_bytes rest = ff_skip_n(text, at + key.n), value;
    return ff_take_until(&rest, ',', &value) ? value : ff_trim(rest);
}

static void read_invoked(report *r, ff_bytes text)
{
    int64_t order = 0;
    size_t at = ff_find(text, FF_LIT(" invoked oom-killer: "));
    r->invoker = ff_first_n(text, at);
    ff_bytes rest = ff_skip_n(text, at), gfp;
    size_t from = ff_find(rest, FF_LIT("gfp_mask="));
    if (from <= rest.n) {
        gfp = ff_skip_n(rest, from + 9);
        size_t end = ff_find(gfp, FF_LIT(", "));
        r->gfp = ff_first_n(gfp, end <= gfp.n ? end : gfp.n);
    }
    if (number_behind(rest, FF_LIT("order="), &order))
        set(r, ORDER, order);
}

static void read_usage(report *r, ff_bytes text)
{
    int64_t usage = 0, limit = 0, failcnt = 0;
    if (!number_behind(text, FF_LIT("usage "), &usage))
        return;
    if (ff_starts(text, FF_LIT("swap:"))) {
        set(r, SWAP_USAGE, usage);
    } else if (ff_starts(text, FF_LIT("kmem:"))) {
        if (!r->has[KERNEL])
            set(r, KERNEL, usage);
    } else if (ff_starts(text, FF_LIT("memory:"))) {
        set(r, USAGE, usage);
        if (number_behind(text, FF_LIT("limit "), &limit))
            set(r, LIMIT, limit);
        if (number_behind(text, FF_LIT("failcnt "), &failcnt))
            set(r, FAILCNT, failcnt);
        r->memcg_said = true;
    }
}

/* cgroup v1 before 5.3: one line for each cgroup below the limit, each without its children: the sum is the subtree.
 */
static void read_inline_stats(report *r, ff_bytes text)
{
    static const struct {
        const char *key;
        number which;
    } keys[] = { { " rss:", ANON }, { "cache:", FILE_BYTES }, { " shmem:", SHMEM } };
    for (size_t i = 0; i < FF_COUNT(keys); i++) {
        int64_t kib = 0;
        if (number_behind(text, ff_str(keys[i].key), &kib) && kib >= 0 && kib < NO_LIMIT_KIB)
            add(r, keys[i].which, kib);
    }
    r->inline_stats = true;
}

static void read_stats_head(report *r, ff_bytes text)
{
    ff_take_lit(&text, FF_LIT("Memory cgroup stats for "));
    size_t end = ff_find(text, FF_LIT(":"));
    ff_bytes path = ff_first_n(text, end <= text.n ? end : text.n);
    ff_bytes rest = ff_trim(ff_skip_n(text, end <= text.n ? end + 1 : text.n));
    if (ff_is_empty(r->memcg) && ff_starts(path, FF_LIT("/")))
        r->memcg = path;
    if (ff_contains(rest, FF_LIT("cache:")) || ff_contains(rest, FF_LIT("rss:")))
        read_inline_stats(r, rest);
    r->memcg_said = true;
}

static void read_stat(report *r, ff_bytes text)
{
    static const struct {
        const char *key;
        number which;
    } keys[] = { { "anon", ANON },        { "rss", ANON },    { "file", FILE_BYTES },
                 { "cache", FILE_BYTES }, { "shmem", SHMEM }, { "kernel", KERNEL } };
    ff_bytes rest = ff_trim(text), key;
    int64_t bytes = 0;
    if (r->inline_stats || !ff_take_word(&rest, &key) || !ff_take_spaces(&rest) || !ff_take_int(&rest, &bytes))
        return;
    for (size_t i = 0; i < FF_COUNT(keys); i++)
        if (ff_equal(key, ff_str(keys[i].key)))
            set(r, keys[i].which, bytes / 1024);
}

static void read_trace(report *r, ff_bytes text)
{
    int64_t pid = 0;
    if (ff_contains(text, FF_LIT("os_lock_user_pages")))
        r->pinning = true;
    if (ff_starts(text, FF_LIT("CPU: ")) && !r->has[INVOKER_PID] && number_behind(text, FF_LIT(" PID: "), &pid))
        set(r, INVOKER_PID, pid);
}

static void read_summary(report *r, ff_bytes text)
{
    ff_bytes rest = text;
    if (ff_starts(text, FF_LIT("oom-kill:"))) {
        r->constraint = text_behind(text, FF_LIT("constraint="));
        ff_bytes memcg = text_behind(text, FF_LIT("oom_memcg=")), cgroup = text_behind(text, FF_LIT("task_memcg="));
        if (!ff_is_empty(memcg)) {
            r->memcg = memcg;
            r->memcg_said = true;
        }
        r->global_said |= ff_contains(text, FF_LIT(",global_oom"));
        if (!ff_is_empty(cgroup))
            r->cgroup = cgroup;
        return;
    }
    size_t at = ff_find(rest, FF_LIT(" killed as a result of limit of "));
    if (at > rest.n)
        return;
    r->cgroup = ff_skip_n(ff_first_n(rest, at), sizeof "Task in " - 1);
    r->memcg = ff_trim(ff_skip_n(rest, at + sizeof " killed as a result of limit of " - 1));
    r->memcg_said = true;
}

/* "Killed process 41234 (python3) total-vm:..kB, anon-rss:..kB, ..."; a name may hold blanks and parentheses. */
static void read_killed(report *r, ff_bytes text)
{
    killed k = { .uid = -1, .total_kib = -1, .anon_kib = -1, .file_kib = -1, .shmem_kib = -1 };
    size_t at = ff_find(text, FF_LIT("Killed process "));
    if (at > text.n)
        return;
    ff_bytes rest = ff_skip_n(text, at + sizeof "Killed process " - 1);
    r->memcg_said |= ff_starts(text, FF_LIT("Memory cgroup out of memory"));
    r->global_said |= ff_starts(text, FF_LIT("Out of memory"));
    if (!ff_take_int(&rest, &k.pid))
        return;
    ff_take_char(&rest, ',');
    int64_t uid = 0;
    if (number_behind(rest, FF_LIT("UID:"), &uid) || number_behind(rest, FF_LIT("UID "), &uid))
        k.uid = uid;
    size_t open = ff_find(rest, FF_LIT("(")), close = ff_find(rest, FF_LIT(") total-vm:"));
    if (open < rest.n && close > rest.n)
        close = ff_find(rest, FF_LIT(")"));
    if (open < rest.n && close <= rest.n && close > open)
        k.name = (ff_bytes){ rest.p + open + 1, close - open - 1 };
    number_behind(rest, FF_LIT("total-vm:"), &k.total_kib);
    number_behind(rest, FF_LIT("anon-rss:"), &k.anon_kib);
    number_behind(rest, FF_LIT("file-rss:"), &k.file_kib);
    number_behind(rest, FF_LIT("shmem-rss:"), &k.shmem_kib);
    r->n_killed++;
    if (r->n_dead < MOST_KILLED)
        r->dead[r->n_dead++] = k;
}

/* ---- the task table: its columns differ between kernels, so its head is read; without one the count of numbers
 * tells. ---- */
static const char *columns_by_count(unsigned numbers)
{
    switch (numbers) {
    case 10:
        return "uid tgid total_vm rss rss_anon rss_file rss_shmem pgtables_bytes swapents oom_score_adj name";
    case 8:
        return "uid tgid total_vm rss nr_ptes nr_pmds swapents oom_score_adj name";
    default:
        return "uid tgid total_vm rss pgtables_bytes swapents oom_score_adj name";
    }
}

static unsigned count_numbers(ff_bytes row)
{
    unsigned n = 0;
    int64_t value = 0;
    while (ff_take_spaces(&row) && ff_take_int(&row, &value) && (row.n == 0 || row.p[0] == ' '))
        n++;
    return n;
}

static void set_column(task *t, ff_bytes column, int64_t value)
{
    const struct {
        const char *name;
        int64_t *at;
    } columns[] = { { "uid", &t->uid },          { "total_vm", &t->total }, { "rss", &t->rss },
                    { "rss_anon", &t->anon },    { "rss_file", &t->file },  { "rss_shmem", &t->shmem },
                    { "oom_score_adj", &t->adj } };
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        if (ff_equal(column, ff_str(columns[i].name)))
            *columns[i].at = value;
}

static bool read_task(ff_bytes head, ff_bytes text, task *t)
{
    ff_bytes column;
    int64_t value = 0;
    *t = (task){ .anon = -1, .file = -1, .shmem = -1 };
    if (!ff_take_char(&text, '[') || !ff_take_spaces(&text) || !ff_take_int(&text, &t->pid) ||
        !ff_take_char(&text, ']'))
        return false;
    if (ff_is_empty(head))
        head = ff_str(columns_by_count(count_numbers(text)));
    while (ff_take_spaces(&head) && ff_take_word(&head, &column)) {
        ff_take_spaces(&text);
        if (ff_equal(column, FF_LIT("name"))) {
            t->name = ff_trim(text);
            return true;
        }
        if (!ff_take_int(&text, &value))
            return false;
        set_column(t, column, value);
    }
    return false;
}

static void read_task_line(report *r, const ff_block_line *line, uint32_t index)
{
    task t;
    ff_bytes text = line->ev.text, bracket;
    if (ff_contains(text, FF_LIT("total_vm"))) {
        if (ff_take_until(&text, ']', &bracket))
            r->columns = text;
        return;
    }
    if (!read_task(r->columns, text, &t))
        return;
    t.line = index;
    r->tasks[r->n_tasks++] = t;
}

/* Records with several lines (5.3 to 6.3 print all statistics in one) are read line by line. */
static void read_lines(report *r, const ff_block_line *line, uint32_t index)
{
    ff_oom_part part = ff_oom_part_of(line->ev.text);
    ff_bytes rest = line->ev.text, text;
    if (part == FF_OOM_TASK || part == FF_OOM_TASKS) {
        read_task_line(r, line, index);
        return;
    }
    for (bool first = true; ff_take_line(&rest, &text); first = false) {
        switch (first ? part : FF_OOM_STAT) {
        case FF_OOM_INVOKED:
            read_invoked(r, text);
            break;
        case FF_OOM_TRACE:
            read_trace(r, text);
            break;
        case FF_OOM_USAGE:
            read_usage(r, text);
            break;
        case FF_OOM_STATS:
            read_stats_head(r, text);
            break;
        case FF_OOM_STAT:
            read_stat(r, text);
            break;
        case FF_OOM_SUMMARY:
            read_summary(r, text);
            break;
        case FF_OOM_GROUP:
            r->group = true;
            break;
        case FF_OOM_KILLED:
            read_killed(r, text);
            break;
        default:
            break;
        }
    }
}

static bool is_dead(const report *r, int64_t pid)
{
    for (uint32_t i = 0; i < r->n_dead; i++)
        if (r->dead[i].pid == pid)
            return true;
    return false;
}

static int64_t known(int64_t n) { return n > 0 ? n : 0; }

/* The victim stands in the table in pages and in the last line in kB: their ratio is the page size. */
static int64_t page_kib(const report *r)
{
    for (uint32_t i = 0; i < r->n_tasks && r->n_dead; i++) {
        const killed *k = &r->dead[0];
        if (r->tasks[i].pid != k->pid || r->tasks[i].rss < 256)
            continue;
        int64_t kib = known(k->anon_kib) + known(k->file_kib) + known(k->shmem_kib);
        int64_t ratio = kib / r->tasks[i].rss;
        return ratio >= 32 ? 64 : ratio >= 10 ? 16 : 4;
    }
    return 4;
}

static ff_bytes constraint_of(const report *r)
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

static void add_number(ff_fields *f, const report *r, number which, const char *name)
{
    if (r->has[which])
        ff_fields_int(f, name, FF_FIELD_INT, r->value[which]);
}

static void add_known(ff_fields *f, const char *name, ff_field_type type, int64_t value)
{
    if (value >= 0)
        ff_fields_int(f, name, type, value);
}

static void add_usage(ff_fields *f, const report *r)
{
    add_number(f, r, USAGE, "usage_kib");
    add_number(f, r, LIMIT, "limit_kib");
    add_number(f, r, FAILCNT, "failcnt");
    add_number(f, r, SWAP_USAGE, "swap_usage_kib");
    add_number(f, r, ANON, "anon_kib");
    add_number(f, r, FILE_BYTES, "file_kib");
    add_number(f, r, SHMEM, "shmem_kib");
    add_number(f, r, KERNEL, "kernel_kib");
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

static void add_victim(ff_fields *f, const report *r)
{
    if (r->n_dead == 0)
        return;
    const killed *k = &r->dead[0];
    add_known(f, "pid", FF_FIELD_PID, k->pid);
    ff_fields_text(f, "process", FF_FIELD_PROCESS, k->name);
    add_known(f, "victim_anon_kib", FF_FIELD_INT, k->anon_kib);
    add_known(f, "victim_file_kib", FF_FIELD_INT, k->file_kib);
    add_known(f, "victim_shmem_kib", FF_FIELD_INT, k->shmem_kib);
    add_known(f, "victim_total_kib", FF_FIELD_INT, k->total_kib);
    add_known(f, "uid", FF_FIELD_INT, k->uid);
}

static void add_context(ff_fields *f, const report *r, ff_bytes killed_pids)
{
    int64_t rss = 0;
    for (uint32_t i = 0; i < r->n_tasks; i++)
        rss += known(r->tasks[i].rss) < (INT64_C(1) << 40) ? known(r->tasks[i].rss) : 0;
    ff_fields_text(f, "invoker", FF_FIELD_TEXT, r->invoker);
    add_number(f, r, INVOKER_PID, "invoker_pid");
    ff_fields_text(f, "gfp", FF_FIELD_TEXT, r->gfp);
    add_number(f, r, ORDER, "order");
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

static ff_bytes list_killed(const report *r, ff_arena *arena)
{
    ff_bytes list = { 0 };
    for (uint32_t i = 0; i < r->n_dead; i++)
        list = ff_arena_format(arena, "%.*s%s%lld", (int)list.n, list.n ? list.p : "", i ? "," : "",
                               (long long)r->dead[i].pid);
    return list;
}

static ff_who who_of(const ff_block_line *line, const report *r, const ff_cgroup_owner *owner, ff_bytes cgroup)
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

static bool is_bigger(const task *a, const task *b) { return a->rss != b->rss ? a->rss > b->rss : a->line < b->line; }

/* The 32 largest to the front, by insertion: the table may have thousands of rows. */
static uint32_t keep_largest(task *tasks, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        task t = tasks[i];
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

static void emit_task(const report *r, const task *t, const ff_block_line *lines, ff_sink *out)
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

void ff_oom_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    report *r = FF_NEW(out->scratch, report);
    r->tasks = FF_NEW_N(out->scratch, task, n + 1);
    for (uint32_t i = 0; i < n; i++)
        read_lines(r, &lines[i], i);
    /* a lone accounting line or trace with nothing killed and nobody asking is no report */
    if (r->n_killed == 0 && !r->has[USAGE] && ff_is_empty(r->invoker) && ff_is_empty(r->constraint))
        return;
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
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "out-of-memory report is longer than the cap");
}
