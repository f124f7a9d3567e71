/* Which moments of the time line a page shows first: those of the incident, then what lies nearest to it. A bundle
 * may hold days of other things before the failure. */
#include "html_private.h"

#include <stdlib.h>

typedef struct ranked {
    int64_t far; /* ns from the incident; less than 0: part of it */
    uint32_t moment;
} ranked;

#define FAR_ROOT (-2)
#define FAR_CHAIN (-1)

static int64_t distance(const ff_html *h, const ff_moment *m)
{
    if (m->finding < h->r->n_findings && h->role[m->finding])
        return h->role[m->finding] == FF_ROLE_ROOT + 1 ? FAR_ROOT : FAR_CHAIN;
    const ff_signal *s = ff_view_signal(h->r, m->signal);
    if (!s || !s->has_utc || !h->main || !h->main->has_time)
        return INT64_MAX;
    if (s->utc < h->main->began_utc)
        return h->main->began_utc - s->utc;
    return s->utc > h->main->ended_utc ? s->utc - h->main->ended_utc : 0;
}

static int nearest_first(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    if (a->far != b->far)
        return a->far < b->far ? -1 : 1;
    return (a->moment > b->moment) - (a->moment < b->moment);
}

uint32_t *ff_html_nearest_moments(ff_html *h, uint32_t least, int64_t within_ns, uint32_t most, uint32_t *n)
{
    uint32_t all = h->r->n_timeline;
    ranked *list = FF_NEW_N(&h->arena, ranked, all + 1);
    uint32_t *out = FF_NEW_N(&h->arena, uint32_t, all + 1);
    for (uint32_t i = 0; i < all; i++)
        list[i] = (ranked){ distance(h, &h->r->timeline[i]), i };
    qsort(list, all, sizeof *list, nearest_first);
    *n = 0;
    while (*n < all && *n < most && (*n < least || list[*n].far <= within_ns)) {
        out[*n] = list[*n].moment;
        ++*n;
    }
    qsort(out, *n, sizeof *out, ff_compare_u32);
    return out;
}
