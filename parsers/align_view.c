/* The table of groups and ranks that the terminal and the reports show. */
#include "align.h"
#include "align_private.h"

static void count_states(ff_stand *to, const seat *s)
{
    to->issued = s->issued;
    to->started = to->completed = -1;
    for (uint32_t i = s->n_turns; i-- > 0 && to->completed < 0;) {
        const turn *t = &s->turns[i];
        bool begun = t->done || entry_of(s, last_of_turn(t))->state == FF_FR_STARTED;
        to->started = begun && to->started < 0 ? t->seq : to->started;
        to->completed = t->done ? t->seq : -1;
    }
    for (uint32_t i = 0; i < s->n_p2p; i++)
        to->open_p2p += !s->p2p[i].done;
}

static bool holds(const uint32_t *seats, uint32_t n, uint32_t i)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (seats[mid] < i)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && seats[low] == i;
}

static ff_standing standing_of(const finding *f, uint32_t i)
{
    if (f->seq < 0 && f->late_seq >= 0)
        return holds(f->late, f->n_late, i) ? FF_STANDS_LATE : FF_STANDS_WAITING;
    if (f->seq < 0 && f->split.kind != SAME)
        return f->split.class_of[i] == FF_NONE             ? FF_STANDS_UNKNOWN
               : f->split.class_of[i] == f->split.majority ? FF_STANDS_WAITING
                                                           : FF_STANDS_ODD;
    if (f->seq < 0)
        return FF_STANDS_IDLE;
    if (holds(f->waiting, f->n_waiting, i))
        return FF_STANDS_WAITING;
    if (holds(f->missing, f->n_missing, i))
        return FF_STANDS_MISSING;
    return holds(f->unknown, f->n_unknown, i) ? FF_STANDS_UNKNOWN : FF_STANDS_PASSED;
}

static ff_stand stand_of(const chain *c, const finding *f, uint32_t i)
{
    const seat *s = f->t->seats[i];
    const hold *h = hold_of(c, s);
    ff_stand out = { .rank = rank_of(s), .standing = standing_of(f, i), .inside = s->inside };
    count_states(&out, s);
    if (h->team != FF_NONE && &c->all[h->team] != f)
        out.waits_in = c->t->at[h->team].name;
    return out;
}

/* Members with a dump and without, in the order of ranks. */
static void fill(ff_group_view *v, const chain *c, const finding *f, ff_arena *arena)
{
    const team *t = f->t;
    uint32_t a = 0, s = 0;
    v->ranks = FF_NEW_N(arena, ff_stand, t->n_seats + t->n_absent + 1);
    while (a < t->n_absent || s < t->n_seats) {
        int32_t absent = a < t->n_absent ? t->ranks[t->absent[a]] : INT32_MAX;
        if (s < t->n_seats && rank_of(t->seats[s]) < absent) {
            v->ranks[v->n_ranks++] = stand_of(c, f, s++);
            continue;
        }
        v->ranks[v->n_ranks++] =
            (ff_stand){ .rank = absent, .standing = FF_STANDS_NO_DUMP, .issued = -1, .started = -1, .completed = -1 };
        a++;
    }
}

/* The turn that is shown, and a rank that stands there as it should. Where all is over (some backends retire what
 * timed out) it is the one at which ranks came late or differed. NULL: there is none. */
static const seat *shown_at(const finding *f, int64_t *seq)
{
    if (f->seq >= 0)
        return f->n_waiting ? f->t->seats[f->waiting[0]] : NULL;
    *seq = f->late_seq >= 0 ? f->late_seq : f->split.kind != SAME ? f->split.seq : -1;
    if (*seq < 0)
        return NULL;
    for (uint32_t i = 0; i < f->t->n_seats; i++)
        if (standing_of(f, i) == FF_STANDS_WAITING)
            return f->t->seats[i];
    return f->t->seats[0];
}

ff_group_views ff_align_view(const ff_dump_table *dumps, ff_arena *arena)
{
    ff_dump_table recorded = { .at = FF_NEW_N(arena, ff_dump *, dumps->n ? dumps->n : 1) };
    for (uint32_t i = 0; i < dumps->n; i++)
        if (!dumps->at[i]->from_log)
            recorded.at[recorded.n++] = dumps->at[i];
    teams all = ff_align_teams(&recorded, arena);
    finding *findings = FF_NEW_N(arena, finding, all.n ? all.n : 1);
    for (uint32_t i = 0; i < all.n; i++)
        ff_align_judge(&findings[i], &all.at[i], arena);
    chain c = ff_align_link(&all, findings, arena);
    ff_group_views out = { .at = FF_NEW_N(arena, ff_group_view, all.n ? all.n : 1), .n = all.n };
    for (uint32_t i = 0; i < all.n; i++) {
        const finding *f = &findings[i];
        ff_group_view *v = &out.at[i];
        *v = (ff_group_view){ .name = f->t->name, .desc = f->t->desc, .n_members = f->t->n_ranks, .seq = f->seq };
        v->n_dumps = f->t->n_seats;
        fill(v, &c, f, arena);
        const seat *s = shown_at(f, &v->seq);
        const turn *t = s ? ff_seat_turn(s, v->seq) : NULL;
        if (!t)
            continue;
        v->op = ff_turn_op(s, t, arena);
        v->frame = entry_of(s, t->first)->call->frame;
    }
    return out;
}
