/* The numbers of an out-of-memory report, whatever kernel printed it. */
#include "oom.h"

#define NO_LIMIT_KIB INT64_C(9007199254740988) /* PAGE_COUNTER_MAX of 4 KiB pages */

static void set(ff_oom_report *r, ff_oom_number which, int64_t value)
{
    r->value[which] = value;
    r->has[which] = true;
}

static void add(ff_oom_report *r, ff_oom_number which, int64_t value) { set(r, which, r->value[which] + value); }

/* The number behind `key`: "usage 8388608kB". */
static bool number_behind(ff_bytes text, ff_bytes key, int64_t *out)
{
    return ff_take_past(&text, key) && ff_take_int(&text, out);
}

/* The text behind `key` up to a comma or the end; task_memcg= and oom_memcg= hold no commas. */
static ff_bytes text_behind(ff_bytes text, ff_bytes key)
{
    ff_bytes value;
    if (!ff_take_past(&text, key))
        return (ff_bytes){ 0 };
    return ff_take_until(&text, ',', &value) ? value : ff_trim(text);
}

static void read_invoked(ff_oom_report *r, ff_bytes text)
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
        set(r, FF_OOM_N_ORDER, order);
}

static void read_usage(ff_oom_report *r, ff_bytes text)
{
    int64_t usage = 0, limit = 0, failcnt = 0;
    if (!number_behind(text, FF_LIT("usage "), &usage))
        return;
    if (ff_starts(text, FF_LIT("swap:"))) {
        set(r, FF_OOM_N_SWAP_USAGE, usage);
    } else if (ff_starts(text, FF_LIT("kmem:"))) {
        if (!r->has[FF_OOM_N_KERNEL])
            set(r, FF_OOM_N_KERNEL, usage);
    } else if (ff_starts(text, FF_LIT("memory:"))) {
        set(r, FF_OOM_N_USAGE, usage);
        if (number_behind(text, FF_LIT("limit "), &limit))
            set(r, FF_OOM_N_LIMIT, limit);
        if (number_behind(text, FF_LIT("failcnt "), &failcnt))
            set(r, FF_OOM_N_FAILCNT, failcnt);
        r->memcg_said = true;
    }
}

/* cgroup v1 before 5.3: one line for each cgroup below the limit, each without its children: the sum is the subtree.
 */
static void read_inline_stats(ff_oom_report *r, ff_bytes text)
{
    static const struct {
        const char *key;
        ff_oom_number which;
    } keys[] = { { " rss:", FF_OOM_N_ANON }, { "cache:", FF_OOM_N_FILE_BYTES }, { " shmem:", FF_OOM_N_SHMEM } };
    for (size_t i = 0; i < FF_COUNT(keys); i++) {
        int64_t kib = 0;
        if (number_behind(text, ff_str(keys[i].key), &kib) && kib >= 0 && kib < NO_LIMIT_KIB)
            add(r, keys[i].which, kib);
    }
    r->inline_stats = true;
}

static void read_stats_head(ff_oom_report *r, ff_bytes text)
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

static void read_stat(ff_oom_report *r, ff_bytes text)
{
    static const struct {
        const char *key;
        ff_oom_number which;
    } keys[] = { { "anon", FF_OOM_N_ANON },        { "rss", FF_OOM_N_ANON },    { "file", FF_OOM_N_FILE_BYTES },
                 { "cache", FF_OOM_N_FILE_BYTES }, { "shmem", FF_OOM_N_SHMEM }, { "kernel", FF_OOM_N_KERNEL } };
    ff_bytes rest = ff_trim(text), key;
    int64_t bytes = 0;
    if (r->inline_stats || !ff_take_word(&rest, &key) || !ff_take_spaces(&rest) || !ff_take_int(&rest, &bytes))
        return;
    for (size_t i = 0; i < FF_COUNT(keys); i++)
        if (ff_equal(key, ff_str(keys[i].key)))
            set(r, keys[i].which, bytes / 1024);
}

static void read_trace(ff_oom_report *r, ff_bytes text)
{
    int64_t pid = 0;
    if (ff_contains(text, FF_LIT("os_lock_user_pages")))
        r->pinning = true;
    if (ff_starts(text, FF_LIT("CPU: ")) && !r->has[FF_OOM_N_INVOKER_PID] &&
        number_behind(text, FF_LIT(" PID: "), &pid))
        set(r, FF_OOM_N_INVOKER_PID, pid);
}

static void choose(ff_oom_report *r, ff_bytes text, ff_bytes key, ff_bytes name)
{
    r->chosen = (ff_oom_killed){ .uid = -1, .total_kib = -1, .anon_kib = -1, .file_kib = -1, .shmem_kib = -1 };
    r->chosen.name = name;
    if (!number_behind(text, key, &r->chosen.pid))
        r->chosen.pid = 0;
}

static void read_summary(ff_oom_report *r, ff_bytes text)
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
        choose(r, text, FF_LIT(",pid="), text_behind(text, FF_LIT(",task=")));
        number_behind(text, FF_LIT(",uid="), &r->chosen.uid);
        return;
    }
    size_t at = ff_find(rest, FF_LIT(" killed as a result of limit of "));
    if (at > rest.n)
        return;
    r->cgroup = ff_skip_n(ff_first_n(rest, at), sizeof "Task in " - 1);
    r->memcg = ff_trim(ff_skip_n(rest, at + sizeof " killed as a result of limit of " - 1));
    r->memcg_said = true;
}

static void read_kind(ff_oom_report *r, ff_bytes text)
{
    r->memcg_said |= ff_starts(text, FF_LIT("Memory cgroup out of memory"));
    r->global_said |= ff_starts(text, FF_LIT("Out of memory"));
}

/* "Kill process 41234 (python3) score 1995 or sacrifice child" says which kind it is; the line of the kill behind it
 * does not. */
static void read_chosen(ff_oom_report *r, ff_bytes text)
{
    size_t open = ff_find(text, FF_LIT("(")), close = ff_find(text, FF_LIT(") score "));
    bool named = open < text.n && close <= text.n && close > open;
    read_kind(r, text);
    choose(r, text, FF_LIT("Kill process "),
           named ? (ff_bytes){ text.p + open + 1, close - open - 1 } : (ff_bytes){ 0 });
}

/* "Killed process 41234 (python3) total-vm:..kB, anon-rss:..kB, ..."; a name may hold blanks and parentheses. */
static void read_killed(ff_oom_report *r, ff_bytes text)
{
    ff_oom_killed k = { .uid = -1, .total_kib = -1, .anon_kib = -1, .file_kib = -1, .shmem_kib = -1 };
    size_t at = ff_find(text, FF_LIT("Killed process "));
    if (at > text.n)
        return;
    ff_bytes rest = ff_skip_n(text, at + sizeof "Killed process " - 1);
    read_kind(r, text);
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
    if (r->n_dead < FF_OOM_MOST_KILLED)
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

static void set_column(ff_oom_task *t, ff_bytes column, int64_t value)
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

static bool read_task(ff_bytes head, ff_bytes text, ff_oom_task *t)
{
    ff_bytes column;
    int64_t value = 0;
    *t = (ff_oom_task){ .anon = -1, .file = -1, .shmem = -1 };
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

static void read_task_line(ff_oom_report *r, const ff_block_line *line, uint32_t index)
{
    ff_oom_task t;
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
static void read_lines(ff_oom_report *r, const ff_block_line *line, uint32_t index)
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
        case FF_OOM_CHOSEN:
            read_chosen(r, text);
            break;
        case FF_OOM_KILLED:
            read_killed(r, text);
            break;
        default:
            break;
        }
    }
}

void ff_oom_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    ff_oom_report *r = FF_NEW(out->scratch, ff_oom_report);
    r->tasks = FF_NEW_N(out->scratch, ff_oom_task, n + 1);
    for (uint32_t i = 0; i < n; i++)
        read_lines(r, &lines[i], i);
    /* the kernel names its choice right before it kills: without the line of the kill (a filter, a crash) it is what
     * is left */
    if (r->n_killed == 0 && r->chosen.pid > 0) {
        r->dead[r->n_dead++] = r->chosen;
        r->n_killed = 1;
    }
    /* a lone accounting line or trace with nothing killed and nobody asking is no report */
    if (r->n_killed == 0 && !r->has[FF_OOM_N_USAGE] && ff_is_empty(r->invoker) && ff_is_empty(r->constraint))
        return;
    ff_oom_give(r, lines, out);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "out-of-memory report is longer than the cap");
}
