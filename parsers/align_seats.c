/* The process groups that all dumps together describe.
 *
 * Two names of one group: the official name ("0", "7", a hash) and its set of ranks. Names alone repeat after
 * split_group; version 1 has no names at all, only numbers that each process counts for itself. */
#include "align_private.h"

#include <stdlib.h>
#include <string.h>

static bool has_own_numbers(const ff_dump *d) { return ff_starts(d->version, FF_LIT("1.")); }

/* ---- teams ---- */

typedef struct claim { /* a group as one dump describes it */
    const ff_fr_group *g;
    seat *seat;
    ff_bytes name;    /* empty where names count for one process only */
    uint32_t ordinal; /* of equal groups of one dump */
} claim;

/* Lists of members are kept once for all dumps that were read by one thread. */
static int compare_ranks(const ff_fr_group *a, const ff_fr_group *b)
{
    return a->ranks == b->ranks || !a->n_ranks ? 0 : memcmp(a->ranks, b->ranks, a->n_ranks * sizeof *a->ranks);
}

static int compare_claims(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    uint64_t m = 0, n = 0;
    ff_bytes p = x->name, q = y->name;
    bool numbers = ff_take_uint(&p, &m) && !p.n && ff_take_uint(&q, &n) && !q.n;
    if (numbers && m != n)
        return m < n ? -1 : 1;
    int order = ff_compare(x->name, y->name);
    if (order)
        return order;
    if (x->g->n_ranks != y->g->n_ranks)
        return x->g->n_ranks > y->g->n_ranks ? -1 : 1;
    order = compare_ranks(x->g, y->g);
    if (order)
        return order;
    if (x->ordinal != y->ordinal)
        return x->ordinal < y->ordinal ? -1 : 1;
    int32_t r = rank_of(x->seat), s = rank_of(y->seat);
    return (r > s) - (r < s);
}

static bool same_team(const claim *a, const claim *b)
{
    return ff_equal(a->name, b->name) && a->g->n_ranks == b->g->n_ranks && a->ordinal == b->ordinal &&
           compare_ranks(a->g, b->g) == 0;
}

uint32_t ff_team_place(const team *t, int32_t rank)
{
    const int32_t *at = t->ranks ? bsearch(&rank, t->ranks, t->n_ranks, sizeof rank, ff_compare_i32) : NULL;
    return at ? (uint32_t)(at - t->ranks) : FF_NONE;
}

static int compare_seats(const void *a, const void *b)
{
    int32_t x = rank_of(*(seat *const *)a), y = rank_of(*(seat *const *)b);
    return (x > y) - (x < y);
}

static uint32_t same_before(const ff_dump *d, uint32_t g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g && g < 64; i++)
        n += d->groups[i].n_ranks == d->groups[g].n_ranks && compare_ranks(&d->groups[i], &d->groups[g]) == 0;
    return n;
}

static uint32_t collect_claims(sheet *sheets, uint32_t n_sheets, ff_arena *arena, claim **out)
{
    uint32_t n = 0, at = 0;
    for (uint32_t i = 0; i < n_sheets; i++)
        n += sheets[i].dump->n_groups;
    *out = FF_NEW_N(arena, claim, n ? n : 1);
    for (uint32_t i = 0; i < n_sheets; i++) {
        const ff_dump *d = sheets[i].dump;
        bool unnamed = has_own_numbers(d);
        for (uint32_t g = 0; g < d->n_groups; g++)
            (*out)[at++] = (claim){ .g = &d->groups[g],
                                    .seat = &sheets[i].seats[g],
                                    .name = unnamed ? (ff_bytes){ 0 } : d->groups[g].name,
                                    .ordinal = unnamed ? same_before(d, g) : 0 };
    }
    if (n)
        qsort(*out, n, sizeof **out, compare_claims);
    return n;
}

/* Where a claim without ranks belongs: to the only team of its name that has its rank, else to those that do not know
 * their ranks either. Teams of one name stand together at the end of the table, those with ranks first. */
static uint32_t find_team(const teams *all, const claim *c)
{
    uint32_t found = FF_NONE, n_found = 0;
    for (uint32_t k = all->n; k-- > 0 && ff_equal(all->at[k].name, c->g->name);) {
        if (!all->at[k].ranks)
            return k;
        if (ff_team_place(&all->at[k], rank_of(c->seat)) != FF_NONE) {
            found = k;
            n_found++;
        }
    }
    return n_found == 1 ? found : FF_NONE;
}

static uint32_t place_claim(teams *all, const claim *c, bool same_as_last)
{
    const ff_fr_group *g = c->g;
    uint32_t found = same_as_last && g->n_ranks ? all->n - 1 : g->n_ranks ? FF_NONE : find_team(all, c);
    if (found != FF_NONE)
        return found;
    all->at[all->n] = (team){ .name = g->name,
                              .desc = g->desc,
                              .ranks = g->n_ranks ? g->ranks : NULL,
                              .n_ranks = g->n_ranks,
                              .own_numbers = has_own_numbers(c->seat->sheet->dump) };
    return all->n++;
}

/* Claims of one team stand together. */
static void build_teams(teams *all, const claim *claims, uint32_t n, ff_arena *arena)
{
    uint32_t *team_of = FF_NEW_N(arena, uint32_t, n ? n : 1);
    all->at = FF_NEW_N(arena, team, n ? n : 1);
    for (uint32_t i = 0; i < n; i++) {
        team_of[i] = place_claim(all, &claims[i], i && same_team(&claims[i - 1], &claims[i]));
        all->at[team_of[i]].n_seats++;
    }
    for (uint32_t t = 0; t < all->n; t++) {
        all->at[t].seats = FF_NEW_N(arena, seat *, all->at[t].n_seats ? all->at[t].n_seats : 1);
        all->at[t].n_seats = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        team *t = &all->at[team_of[i]];
        if (ff_is_empty(t->desc))
            t->desc = claims[i].g->desc;
        t->seats[t->n_seats++] = claims[i].seat;
    }
}

static sheet *find_sheet(const teams *all, int32_t rank)
{
    uint32_t low = 0, high = all->n_sheets;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (all->sheets[mid].dump->rank < rank)
            low = mid + 1;
        else
            high = mid;
    }
    return low < all->n_sheets && all->sheets[low].dump->rank == rank ? &all->sheets[low] : NULL;
}

/* Groups enter the table of a dump when their communicator is made. So a member whose complete table lacks the group
 * has not issued anything there. Gloo fills the table wrongly, so its silence says nothing. */
static bool knows_its_groups(const sheet *sh)
{
    const ff_dump *d = sh->dump;
    bool ring = !sh->whole && !sh->filtered && !d->truncated;
    if ((!ring && !ff_dump_shows_all(sh)) || ff_equal(d->backend, FF_LIT("gloo")))
        return false;
    for (uint32_t g = 0; g < d->n_groups; g++)
        if (!d->groups[g].n_ranks)
            return false;
    return d->n_groups > 0;
}

static void seat_the_rest(teams *all, team *t, ff_arena *arena)
{
    seat **seats = FF_NEW_N(arena, seat *, (size_t)t->n_seats + t->n_ranks);
    t->absent = FF_NEW_N(arena, uint32_t, t->n_ranks ? t->n_ranks : 1);
    uint32_t at = 0, n = 0;
    for (uint32_t i = 0; i < t->n_ranks; i++) {
        while (at < t->n_seats && rank_of(t->seats[at]) < t->ranks[i])
            at++;
        if (at < t->n_seats && rank_of(t->seats[at]) == t->ranks[i]) {
            seats[n++] = t->seats[at];
            continue;
        }
        sheet *sh = find_sheet(all, t->ranks[i]);
        if (!sh) {
            t->absent[t->n_absent++] = i;
            continue;
        }
        seats[n] = FF_NEW(arena, seat);
        bool knows = has_own_numbers(sh->dump) == t->own_numbers && knows_its_groups(sh);
        *seats[n++] = (seat){ .sheet = sh, .group = FF_NONE, .issued = -1, .issued_exact = knows };
    }
    for (uint32_t i = 0; !t->ranks && i < t->n_seats; i++)
        if (!n || rank_of(seats[n - 1]) != rank_of(t->seats[i]))
            seats[n++] = t->seats[i];
    t->seats = seats;
    t->n_seats = n;
}

teams ff_align_teams(const ff_dump_table *dumps, ff_arena *arena)
{
    teams all = { 0 };
    const ff_dump **chosen = NULL;
    claim *claims = NULL;
    all.n_sheets = ff_align_choose(dumps, arena, &chosen);
    all.sheets = FF_NEW_N(arena, sheet, all.n_sheets ? all.n_sheets : 1);
    ff_align_cut(all.sheets, chosen, all.n_sheets, arena);
    uint32_t n = collect_claims(all.sheets, all.n_sheets, arena, &claims);
    build_teams(&all, claims, n, arena);
    for (uint32_t t = 0; t < all.n; t++) {
        if (all.at[t].n_seats)
            qsort(all.at[t].seats, all.at[t].n_seats, sizeof *all.at[t].seats, compare_seats);
        seat_the_rest(&all, &all.at[t], arena);
    }
    return all;
}
