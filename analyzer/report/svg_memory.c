/* A bar of the memory in use against the limit, split into what the kernel told apart. */
#include "html_memory.h"

#include <inttypes.h>

const char *const ff_memory_usage[] = { "usage_kib", NULL };
const char *const ff_memory_limit[] = { "limit_kib", NULL };
const char *const ff_memory_anon[] = { "anon_kib", NULL };
const char *const ff_memory_shmem[] = { "shmem_kib", NULL };
const char *const ff_memory_file[] = { "file_kib", NULL };
const char *const ff_memory_kernel[] = { "kernel_kib", NULL };
const char *const ff_memory_rss[] = { "rss_kib", NULL };

#define LEFT 10.0
#define WIDTH 780.0

typedef struct part {
    const char *css, *name;
    int64_t kib;
} part;
enum { ANON, SHMEM, FILE_CACHE, KERNEL, OTHER, PARTS };

/* "file" of the kernel's accounting holds shmem, so what is plain page cache is the rest. */
static void split(const ff_signal *s, int64_t usage, part *parts)
{
    int64_t kib = 0;
    parts[ANON] = (part){ "anon", "anonymous", ff_memory_kib(s, ff_memory_anon, &kib) ? kib : 0 };
    parts[SHMEM] = (part){ "shmem", "shared memory and tmpfs", ff_memory_kib(s, ff_memory_shmem, &kib) ? kib : 0 };
    parts[FILE_CACHE] = (part){ "file", "files (page cache)", 0 };
    if (ff_memory_kib(s, ff_memory_file, &kib))
        parts[FILE_CACHE].kib = kib > parts[SHMEM].kib ? kib - parts[SHMEM].kib : 0;
    parts[KERNEL] = (part){ "kernel", "kernel", ff_memory_kib(s, ff_memory_kernel, &kib) ? kib : 0 };
    int64_t known = 0;
    for (int i = 0; i < OTHER; i++)
        known += parts[i].kib;
    parts[OTHER] = (part){ "other", known ? "not told apart" : "in use", usage > known ? usage - known : 0 };
}

static void legend(ff_html *h, const part *parts)
{
    ff_html_raw(h, "<ul class=\"legend\">\n");
    for (int i = 0; i < PARTS; i++) {
        if (!parts[i].kib)
            continue;
        ff_html_f(h,
                  "<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"%s\" width=\"10\" "
                  "height=\"10\"/></svg>%s <b>",
                  parts[i].css, parts[i].name);
        ff_text_add_kib(h->out, (uint64_t)parts[i].kib);
        ff_html_raw(h, "</b></li>\n");
    }
    ff_html_raw(h, "</ul>\n");
}

static void say_of(ff_html *h, int64_t usage, int64_t limit)
{
    if (usage > 0)
        ff_text_add_kib(h->out, (uint64_t)usage);
    else
        ff_html_raw(h, "an unknown amount");
    ff_html_raw(h, " used of ");
    if (limit > 0)
        ff_text_add_kib(h->out, (uint64_t)limit);
    else
        ff_html_raw(h, "an unknown limit");
}

void ff_svg_memory(ff_html *h, const ff_signal *report)
{
    int64_t usage = 0, limit = 0, known = 0;
    part parts[PARTS];
    (void)ff_memory_kib(report, ff_memory_usage, &usage);
    (void)ff_memory_kib(report, ff_memory_limit, &limit);
    split(report, usage, parts);
    for (int i = 0; i < PARTS; i++)
        known += parts[i].kib;
    int64_t full = limit > known ? limit : known;
    if (full <= 0)
        return;
    ff_html_raw(h, "<p><b>");
    say_of(h, usage ? usage : known, limit);
    ff_html_raw(
        h, "</b></p>\n<div class=\"picture narrow\" role=\"region\" tabindex=\"0\" aria-label=\"Memory picture\">\n"
           "<svg viewBox=\"0 0 800 56\" role=\"img\" aria-label=\"");
    say_of(h, usage ? usage : known, limit);
    ff_html_raw(h, "\">\n");
    double x = LEFT;
    for (int i = 0; i < PARTS; i++) {
        double width = (double)parts[i].kib / (double)full * WIDTH;
        if (parts[i].kib)
            ff_html_f(h,
                      "<rect class=\"%s\" x=\"%.1f\" y=\"12\" width=\"%.1f\" height=\"32\"><title>%s</title></rect>",
                      parts[i].css, x, width, parts[i].name);
        x += width;
    }
    ff_html_f(h, "<rect class=\"frame\" x=\"%.1f\" y=\"12\" width=\"%.1f\" height=\"32\"/>", LEFT, WIDTH);
    if (limit > 0) {
        double at = LEFT + (double)limit / (double)full * WIDTH;
        ff_html_f(h, "<line class=\"limit\" x1=\"%.1f\" x2=\"%.1f\" y1=\"4\" y2=\"52\"/>", at, at);
    }
    ff_html_raw(h, "\n</svg>\n</div>\n");
    legend(h, parts);
}

/* ---- by program ---- */
#define PROGRAMS 6u
#define ROW 30.0
#define BARS 250.0 /* where the bars begin; names stand before them */
#define BARS_WIDTH 350.0
#define SIZES 620.0

typedef struct program {
    ff_bytes name;
    uint32_t tasks, killed;
    int64_t kib;
} program;

static program *program_of(program *all, uint32_t *n, ff_bytes name)
{
    for (uint32_t i = 0; i < *n; i++)
        if (ff_equal(all[i].name, name))
            return &all[i];
    all[*n] = (program){ .name = name };
    return &all[(*n)++];
}

/* Largest first; what does not fit is one more row. */
static uint32_t sum_up(const ff_signal *const *tasks, uint32_t n, program *all)
{
    uint32_t n_all = 0;
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *s = tasks[i];
        int64_t kib = 0;
        program *p =
            program_of(all, &n_all, ff_is_empty(s->who.process) ? ff_signal_text(s, "process") : s->who.process);
        p->tasks++;
        p->killed += ff_signal_int(s, "killed", 0) == 1;
        p->kib += ff_memory_kib(s, ff_memory_rss, &kib) ? kib : 0;
    }
    for (uint32_t i = 1; i < n_all; i++) {
        program p = all[i];
        uint32_t k = i;
        for (; k > 0 &&
               (all[k - 1].kib < p.kib || (all[k - 1].kib == p.kib && ff_compare(p.name, all[k - 1].name) < 0));
             k--)
            all[k] = all[k - 1];
        all[k] = p;
    }
    for (uint32_t i = PROGRAMS; i < n_all; i++) {
        program *rest = &all[PROGRAMS - 1];
        rest->name = FF_LIT("other programs");
        rest->tasks += all[i].tasks;
        rest->killed += all[i].killed;
        rest->kib += all[i].kib;
    }
    return n_all < PROGRAMS ? n_all : PROGRAMS;
}

static void program_row(ff_html *h, const program *p, uint32_t i, int64_t full)
{
    double y = 4 + ROW * i, width = (double)p->kib / (double)full * BARS_WIDTH;
    ff_html_f(h, "<text font-size=\"14\" x=\"%.0f\" y=\"%.0f\">", LEFT, y + 18);
    ff_html_text(h, ff_first_n(ff_is_empty(p->name) ? FF_LIT("?") : p->name, 18));
    if (p->tasks > 1)
        ff_html_f(h, " \xC3\x97 %" PRIu32, p->tasks);
    ff_html_f(h, "</text>\n<rect class=\"%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"20\"/>",
              p->killed ? "anon" : "shmem", BARS, y + 3, width < 1 ? 1 : width);
    ff_html_f(h, "<text class=\"t-dim\" font-size=\"13\" x=\"%.1f\" y=\"%.0f\">", SIZES, y + 18);
    ff_text_add_kib(h->out, (uint64_t)p->kib);
    if (p->killed)
        ff_html_f(h, ", %" PRIu32 " killed", p->killed);
    ff_html_raw(h, "</text>\n");
}

void ff_svg_programs(ff_html *h, const ff_signal *report, const ff_signal *const *tasks, uint32_t n)
{
    program *all = FF_NEW_N(&h->arena, program, n + 1);
    uint32_t rows = sum_up(tasks, n, all);
    int64_t full = all[0].kib, limit = 0;
    bool limited = ff_memory_kib(report, ff_memory_limit, &limit) && limit > 0;
    full = limited && limit > full ? limit : full;
    if (!n || full <= 0)
        return;
    ff_html_raw(h, "<h3>By program</h3>\n<div class=\"picture narrow\" role=\"region\" tabindex=\"0\" "
                   "aria-label=\"Memory by program\">\n");
    ff_html_f(h,
              "<svg viewBox=\"0 0 800 %.0f\" role=\"img\" aria-label=\"Resident memory of each program; the table of "
              "tasks says "
              "the same\">\n",
              8 + ROW * rows);
    for (uint32_t i = 0; i < rows; i++)
        program_row(h, &all[i], i, full);
    if (limited)
        ff_html_f(h, "<line class=\"limit\" x1=\"%.1f\" x2=\"%.1f\" y1=\"2\" y2=\"%.0f\"/>\n",
                  BARS + (double)limit / (double)full * BARS_WIDTH, BARS + (double)limit / (double)full * BARS_WIDTH,
                  6 + ROW * rows);
    ff_html_f(h,
              "</svg>\n</div>\n<p class=\"note\">Resident memory; what tasks share counts for each of them.%s</p>\n",
              limited ? " The dashed line is the limit." : "");
}
