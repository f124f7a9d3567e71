/* Arithmetic on times that never overflows, and the few statistics that anchors need. */
#include "clock_private.h"

#include <stdlib.h>

#define WHOLE_ZONES 27u

void ff_numbers_sort(int64_t *v, uint32_t n)
{
    if (n > 1)
        qsort(v, n, sizeof *v, ff_compare_i64);
}

int64_t ff_add_capped(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

int64_t ff_distance(int64_t a, int64_t b)
{
    if (a < b)
        return ff_distance(b, a);
    if (b < 0 && a > INT64_MAX + b)
        return INT64_MAX;
    return a - b;
}

void ff_spread(int64_t *v, uint32_t n, int64_t *median, int64_t *spread)
{
    ff_numbers_sort(v, n);
    int64_t middle = v[(n - 1) / 2];
    for (uint32_t i = 0; i < n; i++)
        v[i] = ff_distance(v[i], middle);
    ff_numbers_sort(v, n);
    *median = middle;
    *spread = v[(uint32_t)(((uint64_t)n * 9 + 9) / 10 - 1)]; /* with fewer than ten, the farthest */
}

/* Zones that are in use besides the whole hours from -12:00 to +14:00; minutes east of UTC. */
static const int16_t odd_zones[] = { -570, -210, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825 };

static int64_t zone_at(unsigned i)
{
    int64_t minutes = i < WHOLE_ZONES ? ((int64_t)i - 12) * 60 : odd_zones[i - WHOLE_ZONES];
    return -minutes * FF_MINUTE;
}

unsigned ff_zones_between(int64_t low, int64_t high, int64_t *zone)
{
    unsigned n = 0;
    for (unsigned i = 0; i < WHOLE_ZONES + FF_COUNT(odd_zones); i++) {
        int64_t at = zone_at(i);
        if (at < low || at > high)
            continue;
        *zone = n++ && ff_distance(*zone, 0) < ff_distance(at, 0) ? *zone : at;
    }
    return n;
}

bool ff_zone_near(int64_t to_utc, int64_t *zone, int64_t *rest)
{
    int64_t best = FF_DAY;
    for (unsigned i = 0; i < WHOLE_ZONES + FF_COUNT(odd_zones); i++) {
        int64_t far = ff_distance(zone_at(i), to_utc);
        if (far < best) {
            best = far;
            *zone = zone_at(i);
        }
    }
    *rest = best;
    return best <= 10 * FF_MINUTE;
}

uint32_t ff_dial_add(ff_times *t, ff_stamp_kind kind, ff_bytes host, ff_bytes boot, uint32_t member)
{
    ff_dial dial = { .is = { .kind = kind, .host = host, .boot = boot, .member = member }, .dated = true };
    FF_PUSH(&t->dials, dial);
    return t->dials.n - 1;
}

void ff_link_add(ff_times *t, uint32_t a, uint32_t b, int64_t delta, int64_t err, uint32_t n, ff_bytes why)
{
    ff_link link = { .a = a, .b = b, .n = n, .delta = delta, .err = err, .why = why };
    FF_PUSH(&t->links, link);
}
