/* More findings than a report holds: every rule keeps equally many for each cause, and of those each host its first
 * ones, so that a flood of one kind neither pushes out the others nor is shown on the first hosts only. */
#include "engine_private.h"

#include <stdlib.h>

typedef struct candidate {
    const ff_finding *f;
    uint32_t turn; /* how many of its kind its host had before */
} candidate;

static int by_kind(const ff_finding *a, const ff_finding *b)
{
    int order = ff_compare(a->rule, b->rule);
    return order ? order : (a->cause > b->cause) - (a->cause < b->cause);
}

static int by_age(const ff_finding *a, const ff_finding *b)
{
    if (a->evidence[0] != b->evidence[0])
        return a->evidence[0] < b->evidence[0] ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int by_host(const void *left, const void *right)
{
    const ff_finding *a = ((const candidate *)left)->f, *b = ((const candidate *)right)->f;
    int order = by_kind(a, b);
    order = order ? order : ff_compare(a->who.host, b->who.host);
    return order ? order : by_age(a, b);
}

static int by_turn(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    int order = by_kind(a->f, b->f);
    if (order == 0 && a->turn != b->turn)
        return a->turn < b->turn ? -1 : 1;
    return order ? order : by_age(a->f, b->f);
}

static uint32_t end_of_kind(const candidate *all, uint32_t n, uint32_t from)
{
    uint32_t end = from + 1;
    while (end < n && by_kind(all[end].f, all[from].f) == 0)
        end++;
    return end;
}

static uint32_t kept_with(const candidate *all, uint32_t n, uint32_t each)
{
    uint32_t total = 0;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = end_of_kind(all, n, i);
        total += end - i < each ? end - i : each;
    }
    return total;
}

/* The most that each kind may keep, so that together they are no more than `most`. */
static uint32_t share_of_kind(const candidate *all, uint32_t n, uint32_t most)
{
    uint32_t low = 0, high = most;
    while (low < high) {
        uint32_t middle = low + (high - low + 1) / 2;
        if (kept_with(all, n, middle) <= most)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static void tell(ff_session *s, const ff_finding *f, uint32_t kept, uint32_t of)
{
    ff_bytes cause = s->book->causes[f->cause].id;
    ff_problem_add(
        s->book, (ff_bytes){ 0 }, f->rule, 0,
        "%u of %u findings of %.*s are in this report, as it holds no more than %u: the first ones of each host",
        (unsigned)kept, (unsigned)of, (int)cause.n, cause.p, (unsigned)FF_CAP_FINDINGS);
}

uint32_t ff_findings_fewer(ff_session *s, ff_finding *findings, uint32_t n)
{
    if (n <= FF_CAP_FINDINGS)
        return n;
    candidate *all = ff_alloc(n * sizeof *all);
    for (uint32_t i = 0; i < n; i++)
        all[i] = (candidate){ .f = &findings[i] };
    qsort(all, n, sizeof *all, by_host);
    for (uint32_t i = 1; i < n; i++)
        if (by_kind(all[i].f, all[i - 1].f) == 0 && ff_equal(all[i].f->who.host, all[i - 1].f->who.host))
            all[i].turn = all[i - 1].turn + 1;
    qsort(all, n, sizeof *all, by_turn);
    uint32_t each = share_of_kind(all, n, FF_CAP_FINDINGS), kept = 0;
    ff_finding *out = ff_alloc((size_t)FF_CAP_FINDINGS * sizeof *out);
    for (uint32_t i = 0, end; i < n; i = end) {
        end = end_of_kind(all, n, i);
        for (uint32_t k = i; k < end && k - i < each; k++)
            out[kept++] = *all[k].f;
        if (end - i > each)
            tell(s, all[i].f, each, end - i);
    }
    for (uint32_t i = 0; i < kept; i++)
        findings[i] = out[i];
    ff_free(out);
    ff_free(all);
    return kept;
}
