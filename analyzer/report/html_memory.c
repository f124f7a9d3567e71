/* Who used the memory: for each OOM report among the evidence of an incident, usage against its limit, and the tasks.
 */
#include "html_private.h"
#include "html_memory.h"

#include <inttypes.h>
#include <stdio.h>

#define REPORTS 6u
#define TASKS 64u
#define FEW 8u /* tasks that are shown at once */

bool ff_memory_kib(const ff_signal *s, const char *const *names, int64_t *out)
{
    for (; *names; names++) {
        for (uint32_t i = 0; i < s->n_fields; i++) {
            const ff_field *f = &s->fields[i];
            if (f->type != FF_FIELD_INT || f->i < 0 || !ff_equal(f->name, ff_str(*names)))
                continue;
            *out = f->i;
            return true;
        }
    }
    return false;
}

typedef struct report_list {
    uint32_t refs[REPORTS];
    uint32_t n, more;
} report_list;

static void add_report(report_list *l, uint32_t ref)
{
    for (uint32_t i = 0; i < l->n; i++)
        if (l->refs[i] == ref)
            return;
    if (l->n == REPORTS)
        l->more++;
    else
        l->refs[l->n++] = ref;
}

static void add_reports(ff_html *h, report_list *l, const uint32_t *refs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *s = ff_view_signal(h->r, refs[i]);
        int64_t kib = 0;
        if (s && (s->kind == FF_FACT_OOM_REPORT ||
                  (ff_memory_kib(s, ff_memory_usage, &kib) && ff_memory_kib(s, ff_memory_limit, &kib))))
            add_report(l, refs[i]);
    }
}

static void add_reports_of(ff_html *h, report_list *l, uint32_t finding)
{
    const ff_finding *f = ff_view_finding(h->r, finding);
    if (!f)
        return;
    add_reports(h, l, f->evidence, f->n_evidence);
    add_reports(h, l, f->symptoms, f->n_symptoms);
}

static void find_reports(ff_html *h, report_list *l)
{
    for (uint32_t i = 0; i < h->main->n_chain; i++)
        add_reports_of(h, l, h->main->chain[i].finding);
    for (uint32_t i = 0; i < h->main->n_other_roots; i++)
        add_reports_of(h, l, h->main->other_roots[i]);
}

/* A whole report knows the split that its single lines do not: those are left out where it is there. */
static void keep_whole_reports(ff_html *h, report_list *l)
{
    uint32_t n = 0, whole = 0;
    for (uint32_t i = 0; i < l->n; i++)
        whole += ff_view_signal(h->r, l->refs[i])->kind == FF_FACT_OOM_REPORT;
    if (!whole)
        return;
    for (uint32_t i = 0; i < l->n; i++)
        if (ff_view_signal(h->r, l->refs[i])->kind == FF_FACT_OOM_REPORT)
            l->refs[n++] = l->refs[i];
    l->n = n;
}

/* The table of a report stands behind it in the same member, before the next report. */
static uint32_t end_line(const ff_html *h, const ff_signal *report)
{
    uint32_t end = UINT32_MAX;
    const ff_evidence *e = h->r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if (s->kind == FF_FACT_OOM_REPORT && s->at.member == report->at.member && s->at.line > report->at.line &&
            s->at.line < end)
            end = s->at.line;
    }
    return end;
}

static int64_t size_of(const ff_signal *s)
{
    int64_t kib = 0;
    return ff_memory_kib(s, ff_memory_rss, &kib) ? kib : -1;
}

/* Largest first, equal ones by pid: the order does not hang on how the kernel walked its list. */
static bool goes_before(const ff_signal *a, const ff_signal *b)
{
    int64_t x = size_of(a), y = size_of(b);
    return x != y ? x > y : a->who.pid < b->who.pid;
}

static uint32_t find_tasks(ff_html *h, const ff_signal *report, const ff_signal **tasks, uint32_t *all)
{
    const ff_evidence *e = h->r->evidence;
    uint32_t end = end_line(h, report), n = 0;
    *all = 0;
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        if (s->kind != FF_FACT_OOM_TASK || s->at.member != report->at.member || s->at.line < report->at.line ||
            s->at.line >= end)
            continue;
        ++*all;
        uint32_t k = n < TASKS ? n++ : TASKS - 1;
        if (*all > TASKS && !goes_before(s, tasks[k]))
            continue;
        for (; k > 0 && goes_before(s, tasks[k - 1]); k--)
            tasks[k] = tasks[k - 1];
        tasks[k] = s;
    }
    return n;
}

/* Sizes that a kernel may or may not list; a column that no task fills is left out. */
typedef struct size_column {
    const char *head;
    const char *const *names;
    bool shown;
} size_column;
enum { SIZES = 4 };

static void choose_columns(size_column *columns, const ff_signal *const *tasks, uint32_t n)
{
    int64_t kib = 0;
    columns[0] = (size_column){ "#Resident", ff_memory_rss, false };
    columns[1] = (size_column){ "#Anonymous", ff_memory_anon, false };
    columns[2] = (size_column){ "#Shared", ff_memory_shmem, false };
    columns[3] = (size_column){ "#File", ff_memory_file, false };
    for (int c = 0; c < SIZES; c++)
        for (uint32_t i = 0; i < n && !columns[c].shown; i++)
            columns[c].shown = ff_memory_kib(tasks[i], columns[c].names, &kib);
}

static bool any_rank(const ff_signal *const *tasks, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (tasks[i]->who.rank != FF_NO_NUMBER)
            return true;
    return false;
}

static bool was_killed(const ff_signal *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, FF_LIT("killed")))
            return s->fields[i].i == 1;
    return false;
}

static void size_cell(ff_html *h, const ff_signal *s, const char *const *names)
{
    int64_t kib = 0;
    ff_html_raw(h, "<td class=\"num\">");
    if (ff_memory_kib(s, names, &kib))
        ff_text_add_kib(h->out, (uint64_t)kib);
    else
        ff_html_raw(h, "\xE2\x80\x93");
    ff_html_raw(h, "</td>");
}

static void number_cell(ff_html *h, int32_t n)
{
    if (n == FF_NO_NUMBER)
        ff_html_raw(h, "<td class=\"num\">\xE2\x80\x93</td>");
    else
        ff_html_f(h, "<td class=\"num\">%" PRId32 "</td>", n);
}

static void task_row(ff_html *h, const ff_signal *s, const size_column *columns, bool ranks)
{
    ff_html_raw(h, "<tr><th scope=\"row\">");
    ff_html_or_dash(h, ff_is_empty(s->who.process) ? ff_signal_text(s, "process") : s->who.process);
    if (was_killed(s))
        ff_html_raw(h, " <span class=\"badge sev-error\">killed</span>");
    ff_html_raw(h, "</th>");
    number_cell(h, s->who.pid);
    if (ranks)
        number_cell(h, s->who.rank);
    for (int c = 0; c < SIZES; c++)
        if (columns[c].shown)
            size_cell(h, s, columns[c].names);
    ff_html_raw(h, "</tr>\n");
}

static void task_table(ff_html *h, const ff_signal *report)
{
    const ff_signal *tasks[TASKS];
    size_column columns[SIZES];
    const char *heads[3 + SIZES] = { "Process", "#PID" };
    uint32_t all = 0, n = find_tasks(h, report, tasks, &all);
    unsigned n_heads = 2;
    if (!n)
        return;
    bool ranks = any_rank(tasks, n);
    choose_columns(columns, tasks, n);
    if (ranks)
        heads[n_heads++] = "#Rank";
    for (int c = 0; c < SIZES; c++)
        if (columns[c].shown)
            heads[n_heads++] = columns[c].head;
    ff_svg_programs(h, report, tasks, n);
    ff_html_f(h, "<details%s><summary>Each of the ", n <= FEW ? " open" : "");
    ff_say_count(h->out, all);
    ff_html_raw(h, " tasks</summary>\n");
    char id[32];
    (void)snprintf(id, sizeof id, "tasks-%" PRIu32, report->ref);
    ff_html_table(h, id, "Tasks that the kernel listed, largest first", heads, n_heads);
    for (uint32_t i = 0; i < n; i++)
        task_row(h, tasks[i], columns, ranks);
    ff_html_table_end(h);
    ff_html_more(h, n, all, "tasks");
    ff_html_raw(h, "</details>\n");
}

static void heading(ff_html *h, const ff_signal *s)
{
    ff_html_who(h, &s->who);
    ff_html_raw(h, " <span class=\"dim\">");
    ff_html_when(h, s);
    ff_html_raw(h, "</span>");
}

static void one_report(ff_html *h, uint32_t ref)
{
    const ff_signal *s = ff_view_signal(h->r, ref);
    ff_bytes cgroup = ff_is_empty(s->who.cgroup) ? ff_signal_text(s, "cgroup") : s->who.cgroup;
    if (!ff_is_empty(cgroup)) {
        ff_html_raw(h, "<p class=\"note\">Memory cgroup <code>");
        ff_html_cut(h, cgroup, FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</code></p>\n");
    }
    ff_svg_memory(h, s);
    task_table(h, s);
    ff_html_raw(h, "<details><summary>The line this comes from</summary>\n");
    ff_html_quote(h, ref, true);
    ff_html_raw(h, "</details>\n");
}

/* The first report is the one that counts; those after it mostly show the same limit again. */
static void reports(ff_html *h, const report_list *list)
{
    ff_html_raw(h, "<h3>");
    heading(h, ff_view_signal(h->r, list->refs[0]));
    ff_html_raw(h, "</h3>\n");
    one_report(h, list->refs[0]);
    for (uint32_t i = 1; i < list->n; i++) {
        ff_html_raw(h, "<details><summary>Again: ");
        heading(h, ff_view_signal(h->r, list->refs[i]));
        ff_html_raw(h, "</summary>\n");
        one_report(h, list->refs[i]);
        ff_html_raw(h, "</details>\n");
    }
}

void ff_html_memory(ff_html *h)
{
    report_list list = { .n = 0 };
    if (!h->main)
        return;
    find_reports(h, &list);
    if (!list.n)
        return;
    keep_whole_reports(h, &list);
    ff_html_open(h, "memory", "Who used the memory");
    reports(h, &list);
    ff_html_more(h, list.n, list.n + list.more, "reports of this kind");
    ff_html_close(h);
}
