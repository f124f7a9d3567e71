/* What each rank did at each of the last collectives of a group. The front, where the rows stop being finished, is
 * what is looked for: a rank that never came there is a hole in its row. */
#include "svg_ranks_private.h"

#include <stdlib.h>
#include <string.h>

static uint32_t group_index(const ff_seat *s) { return (uint32_t)(s->group - s->dump->groups); }

/* The group's own counters count point-to-point operations too, so the entries come first. */
static int64_t last_of(const ff_seat *s)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < s->dump->n_entries; i++) {
        const ff_fr_entry *e = &s->dump->entries[i];
        if (e->group == group_index(s) && !e->call->is_p2p && e->seq > last)
            last = e->seq;
    }
    return last >= 0 ? last : s->group->last_enqueued;
}

int ff_matrix_by_rank(const void *left, const void *right)
{
    const row *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    if (order == 0 && a->seat && b->seat)
        order = (a->seat->dump->member > b->seat->dump->member) - (a->seat->dump->member < b->seat->dump->member);
    return order;
}

static bool has_rank(const ff_matrix *m, int32_t rank)
{
    row key = { .rank = rank };
    return m->n_rows && bsearch(&key, m->rows, m->n_rows, sizeof key, ff_matrix_by_rank);
}

/* A rank may have dumped twice, or as pickle and as JSON: the one that goes further counts. */
static void drop_copies(ff_matrix *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        row *last = n ? &m->rows[n - 1] : NULL;
        if (!last || last->rank != m->rows[i].rank || last->rank == FF_NO_NUMBER)
            m->rows[n++] = m->rows[i];
        else if (m->rows[i].last > last->last)
            *last = m->rows[i];
    }
    m->n_rows = n;
}

/* Rows for the dumps, and for ranks that the group has and nobody dumped. */
static void take_rows(ff_matrix *m, const ff_seat *seats, uint32_t n)
{
    const ff_fr_group *widest = seats[0].group;
    for (uint32_t i = 1; i < n; i++)
        if (seats[i].group->n_ranks > widest->n_ranks)
            widest = seats[i].group;
    m->rows = FF_NEW_N(&m->h->arena, row, n + widest->n_ranks);
    for (uint32_t i = 0; i < n; i++)
        m->rows[m->n_rows++] = (row){ .rank = seats[i].dump->rank, .seat = &seats[i], .last = last_of(&seats[i]) };
    qsort(m->rows, m->n_rows, sizeof *m->rows, ff_matrix_by_rank);
    drop_copies(m);
    uint32_t all = m->n_rows;
    for (uint32_t i = 0; i < widest->n_ranks; i++)
        if (!has_rank(m, widest->ranks[i]))
            m->rows[all++] = (row){ .rank = widest->ranks[i], .last = -1 };
    m->n_rows = all;
    qsort(m->rows, m->n_rows, sizeof *m->rows, ff_matrix_by_rank);
}

/* The last collectives, from a little before the slowest rank; what came before is the same everywhere. */
static bool take_columns(ff_matrix *m)
{
    int64_t most = -1, least = -1, oldest = -1;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        int64_t last = m->rows[i].last;
        const ff_seat *s = m->rows[i].seat;
        if (last < 0)
            continue;
        most = last > most ? last : most;
        least = least < 0 || last < least ? last : least;
        for (uint32_t k = 0; k < s->dump->n_entries; k++) {
            const ff_fr_entry *e = &s->dump->entries[k];
            if (e->group == group_index(s) && !e->call->is_p2p && e->seq >= 0 && (oldest < 0 || e->seq < oldest))
                oldest = e->seq;
        }
    }
    if (most < 0)
        return false;
    m->first = least - 5 > most - 11 ? most - 11 : least - 5;
    m->first = m->first < most - (int64_t)COLUMNS + 1 ? most - (int64_t)COLUMNS + 1 : m->first;
    m->first = m->first < oldest ? oldest : m->first;
    m->first = m->first > most ? most : m->first < 0 ? 0 : m->first;
    m->n_columns = (uint32_t)(most - m->first + 1);
    return true;
}

/* Without start events "scheduled" only says that the end was not seen. */
static char state_of(const ff_dump *d, const ff_fr_entry *e)
{
    switch (e->state) {
    case FF_FR_COMPLETED:
        return DONE;
    case FF_FR_STARTED:
        return STARTED;
    case FF_FR_SCHEDULED:
        return d->timing ? QUEUED : ASKED;
    case FF_FR_UNKNOWN:
        break;
    }
    return e->retired ? DONE : ASKED;
}

/* What a dump says in no entry: before its ring it is finished if a later one is, behind its last it was not issued.
 */
static void fill_row(ff_matrix *m, row *r, const ff_fr_entry **at)
{
    int64_t done = r->seat ? r->seat->group->last_completed : -1;
    for (uint32_t c = 0; c < m->n_columns; c++) {
        int64_t seq = m->first + c;
        at[c] = NULL;
        r->state[c] = (char)(!r->seat || r->last < 0 ? NO_DUMP
                             : seq > r->last         ? NOT_HERE
                             : seq <= done           ? DONE
                                                     : NOT_KNOWN);
    }
    for (uint32_t i = 0; r->seat && i < r->seat->dump->n_entries; i++) {
        const ff_fr_entry *e = &r->seat->dump->entries[i];
        if (e->group != group_index(r->seat) || e->call->is_p2p || e->seq < m->first ||
            e->seq >= m->first + (int64_t)m->n_columns)
            continue;
        uint32_t c = (uint32_t)(e->seq - m->first);
        at[c] = e;
        r->state[c] = state_of(r->seat->dump, e);
    }
}

/* What most ranks did in a column; those that did something else are odd. Without a majority all that differ are. */
static void mark_odd(ff_matrix *m, const ff_fr_entry *const *at, uint32_t c)
{
    ff_bytes candidate = { 0 };
    uint32_t lead = 0, n = 0, same = 0;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        const ff_fr_entry *e = at[(size_t)i * COLUMNS + c];
        if (!e)
            continue;
        n++;
        if (!lead)
            candidate = e->call->op;
        lead = ff_equal(e->call->op, candidate) ? lead + 1 : lead - 1;
    }
    m->op[c] = candidate;
    for (uint32_t i = 0; i < m->n_rows; i++)
        same += at[(size_t)i * COLUMNS + c] && ff_equal(at[(size_t)i * COLUMNS + c]->call->op, candidate);
    for (uint32_t i = 0; i < m->n_rows && same < n; i++) {
        const ff_fr_entry *e = at[(size_t)i * COLUMNS + c];
        if (e && (same * 2 <= n || !ff_equal(e->call->op, candidate)))
            m->rows[i].state[c] = ODD;
    }
}

static void find_front(ff_matrix *m)
{
    /* Some backends never record an end: there only what was not issued, or differs, makes a front. */
    bool ends = false;
    m->front = -1;
    for (uint32_t i = 0; i < m->n_rows && !ends; i++)
        ends = memchr(m->rows[i].state, DONE, m->n_columns) != NULL;
    const char open[] = { STARTED, QUEUED, NOT_HERE, ODD, ends ? ASKED : ODD };
    for (uint32_t c = 0; c < m->n_columns && m->front < 0; c++)
        for (uint32_t i = 0; i < m->n_rows && m->front < 0; i++)
            if (memchr(open, m->rows[i].state[c], sizeof open))
                m->front = m->first + c;
}

static void fill(ff_matrix *m)
{
    const ff_fr_entry **at = FF_NEW_N(&m->h->arena, const ff_fr_entry *, (size_t)m->n_rows *COLUMNS);
    for (uint32_t i = 0; i < m->n_rows; i++)
        fill_row(m, &m->rows[i], at + (size_t)i * COLUMNS);
    for (uint32_t c = 0; c < m->n_columns; c++)
        mark_odd(m, at, c);
    find_front(m);
}

/* Those behind come first, then those without a dump: that is what the picture is looked at for. */
static int by_look(const void *left, const void *right)
{
    const row *a = left, *b = right;
    int64_t x = a->last < 0 ? INT64_MAX : a->last, y = b->last < 0 ? INT64_MAX : b->last;
    int order = (x > y) - (x < y);
    if (order == 0)
        order = strcmp(a->state, b->state);
    return order ? order : ff_matrix_by_rank(left, right);
}

static void take_bands(ff_matrix *m)
{
    m->bands = FF_NEW_N(&m->h->arena, band, m->n_rows);
    bool merge = m->n_rows > SINGLE;
    if (merge)
        qsort(m->rows, m->n_rows, sizeof *m->rows, by_look);
    for (uint32_t i = 0; i < m->n_rows; i++) {
        band *last = m->n_bands ? &m->bands[m->n_bands - 1] : NULL;
        if (merge && last && strcmp(m->rows[last->from].state, m->rows[i].state) == 0)
            last->n++;
        else
            m->bands[m->n_bands++] = (band){ i, 1 };
    }
}

bool ff_matrix_fill(ff_matrix *m, const ff_seat *seats, uint32_t n)
{
    take_rows(m, seats, n);
    if (!take_columns(m))
        return false;
    fill(m);
    take_bands(m);
    return true;
}
