/* What a written page is asked: markup, links, parts of it; and reports that are large on purpose. */
#ifndef FF_TEST_PAGE_CHECKS_H
#define FF_TEST_PAGE_CHECKS_H

#include "check.h"
#include "sample_report.h"
#include "text_checks.h"

#include "../parsers/recorder.h"

#include <stdlib.h>

static inline ff_text written(const ff_report *r)
{
    ff_text page;
    ff_text_init(&page, 0);
    ff_write_html(r, &page);
    return page;
}

static inline ff_bytes between(ff_bytes all, const char *from, const char *to)
{
    ff_bytes start = ff_skip_n(all, ff_find(all, ff_str(from)));
    start = ff_skip_n(start, strlen(from));
    return ff_first_n(start, ff_find(start, ff_str(to)));
}

/* ---- a checker just large enough: every element that is opened is closed in order ---- */
static inline bool is_void(ff_bytes tag)
{
    static const char *const names[] = { "meta", "br", "input", "!doctype" };
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(tag, ff_str(names[i])))
            return true;
    return false;
}

static inline bool is_balanced(ff_bytes in)
{
    ff_bytes stack[64], inside;
    unsigned n = 0;
    while (in.n) {
        size_t at = ff_find(in, FF_LIT("<"));
        if (at > in.n)
            break;
        in = ff_skip_n(in, at + 1);
        if (!ff_take_until(&in, '>', &inside))
            return false;
        bool closes = ff_take_char(&inside, '/'), alone = ff_ends(inside, FF_LIT("/"));
        size_t len = 0;
        while (len < inside.n && inside.p[len] != ' ' && inside.p[len] != '\n' && inside.p[len] != '/')
            len++;
        ff_bytes tag = ff_first_n(inside, len);
        if (closes) {
            if (!n || !ff_equal(stack[n - 1], tag)) {
                fprintf(stderr, "</%.*s> closes <%.*s>\n", (int)tag.n, tag.p, n ? (int)stack[n - 1].n : 0,
                        n ? stack[n - 1].p : "");
                return false;
            }
            n--;
            continue;
        }
        if (alone || is_void(tag))
            continue;
        if (n == FF_COUNT(stack))
            return false;
        stack[n++] = tag;
        if (ff_equal(tag, FF_LIT("style")) || ff_equal(tag, FF_LIT("script"))) {
            ff_bytes end = ff_equal(tag, FF_LIT("style")) ? FF_LIT("</style>") : FF_LIT("</script>");
            in = ff_skip_n(in, ff_find(in, end));
        }
    }
    return n == 0;
}

/* Each href="#x" has exactly one id="x". */
static inline bool links_arrive(ff_bytes page)
{
    bool good = true;
    for (ff_bytes in = page;;) {
        size_t at = ff_find(in, FF_LIT("href=\"#"));
        if (at > in.n)
            return good;
        in = ff_skip_n(in, at + 7);
        ff_bytes id = ff_first_n(in, ff_find(in, FF_LIT("\"")));
        char want[80];
        (void)snprintf(want, sizeof want, " id=\"%.*s\"", (int)id.n, id.p);
        if (count_of(page, want) != 1) {
            fprintf(stderr, "%s: %u times\n", want, count_of(page, want));
            good = false;
        }
    }
}

/* Dumps of n ranks that ran 40 collectives; rank odd never issued the last, rank 7 ran another one before. */
static inline void make_ranks(sample *x, uint32_t n, uint32_t odd)
{
    sample_init(x);
    ff_arena *a = &x->arena;
    ff_dump_table *t = FF_NEW(a, ff_dump_table);
    int32_t *ranks = FF_NEW_N(a, int32_t, n + 1);
    t->at = FF_NEW_N(a, ff_dump *, n);
    for (uint32_t r = 0; r < n; r++) {
        uint32_t last = r == odd ? 39 : 40;
        ff_dump *d = FF_NEW(a, ff_dump);
        ranks[r] = (int32_t)r;
        *d = (ff_dump){ .member = 0, .rank = (int32_t)r, .timing = true, .n_groups = 1, .n_entries = last };
        d->groups = FF_NEW(a, ff_fr_group);
        d->groups[0] = (ff_fr_group){ .name = FF_LIT("0"),
                                      .desc = FF_LIT("default_pg " SAMPLE_SCRIPT),
                                      .ranks = ranks,
                                      .n_ranks = n + 1,
                                      .last_enqueued = last,
                                      .last_started = last,
                                      .last_completed = 39 };
        ff_fr_call *calls = FF_NEW_N(a, ff_fr_call, 2);
        calls[0].op = FF_LIT("all_reduce");
        calls[1].op = FF_LIT(SAMPLE_SCRIPT);
        d->entries = FF_NEW_N(a, ff_fr_entry, last);
        d->times = FF_NEW_N(a, ff_fr_times, last);
        for (uint32_t i = 0; i < last; i++)
            d->entries[i] = (ff_fr_entry){ .seq = (int32_t)i + 1,
                                           .call = &calls[r == 7 && i == 38],
                                           .state = i < 39 ? FF_FR_COMPLETED : FF_FR_STARTED };
        t->at[t->n++] = d;
    }
    ranks[n] = (int32_t)n;
    x->evidence.dumps = t;
}

#endif
