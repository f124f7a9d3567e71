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
