/* One process group: the turn that it stands at, who waits in it, who never came, and of whom that cannot be said. */
#include "align_private.h"

typedef enum standing { WAITS, PASSED, MISSING, NOT_KNOWN } standing;

static standing stands(const seat *s, int64_t seq)
{
    const turn *here = ff_seat_turn(s, seq), *open = ff_turn_open(s);
    if (here && open && here >= open)
        return WAITS;
    /* A cut dump may still count an operation that it no longer shows: what was asked for there, nobody knows. */
    bool shown = here || !s->sheet->dump->truncated || (s->n_turns && s->turns[s->n_turns - 1].seq > seq);
    if (here || s->issued >= seq)
        return shown ? PASSED : NOT_KNOWN;
    return s->issued_exact ? MISSING : NOT_KNOWN;
}

static void look_at(finding *f, int64_t seq)
{
    f->seq = seq;
    f->n_waiting = f->n_missing = f->n_unknown = 0;
    for (uint32_t i = 0; i < f->t->n_seats; i++) {
        standing now = stands(f->t->seats[i], seq);
        if (now == WAITS)
            f->waiting[f->n_waiting++] = i;
        else if (now == MISSING)
            f->missing[f->n_missing++] = i;
        else if (now == NOT_KNOWN)
            f->unknown[f->n_unknown++] = i;
    }
}

/* The least first open turn of any seat above seq; -1: none. */
static int64_t next_open(const team *t, int64_t seq)
{
    int64_t next = -1;
    for (uint32_t i = 0; i < t->n_seats; i++) {
        const turn *open = ff_turn_open(t->seats[i]);
        if (open && open->seq > seq && (next < 0 || open->seq < next))
            next = open->seq;
    }
    return next;
}

static const ff_fr_entry *last_of(const seat *s, int64_t seq)
{
    const turn *t = ff_seat_turn(s, seq);
    return t ? entry_of(s, last_of_turn(t)) : NULL;
}

static const turn *last_turn(const seat *s) { return &s->turns[s->n_turns - 1]; }

/* All came. A rank whose call never returned is behind those that queued the operation. With start events, a rank
 * whose GPU has not begun is behind those whose GPUs have; without, one that did not end is behind those that did. */
static void look_for_lag(finding *f)
{
    uint32_t started = 0, timed = 0, inside = 0;
    for (uint32_t i = 0; i < f->n_waiting; i++) {
        const seat *s = f->t->seats[f->waiting[i]];
        const ff_fr_entry *e = last_of(s, f->seq);
        timed += s->sheet->dump->timing;
        started += e->state == FF_FR_STARTED;
        inside += s->inside && last_turn(s)->seq == f->seq;
    }
    f->n_behind = 0;
    if (inside && inside < f->n_waiting) {
        f->lag = LAG_ENQUEUED;
        for (uint32_t i = 0; i < f->n_waiting; i++)
            if (f->t->seats[f->waiting[i]]->inside && last_turn(f->t->seats[f->waiting[i]])->seq == f->seq)
                f->behind[f->n_behind++] = f->waiting[i];
    } else if (timed == f->n_waiting && started && started < f->n_waiting) {
        f->lag = LAG_STARTED;
        for (uint32_t i = 0; i < f->n_waiting; i++)
            if (last_of(f->t->seats[f->waiting[i]], f->seq)->state == FF_FR_SCHEDULED)
                f->behind[f->n_behind++] = f->waiting[i];
    } else if (f->n_waiting < f->t->n_seats) {
        f->lag = LAG_COMPLETED;
        for (uint32_t i = 0; i < f->n_waiting; i++)
            f->behind[f->n_behind++] = f->waiting[i];
    }
}

/* Ranks may stand at several turns: one that an operation left early is already at a later one. The first turn that
 * somebody never came to explains the others; where everybody came to every one, the earliest is told. */
void ff_align_front(finding *f, ff_arena *arena)
{
    uint32_t n = f->t->n_seats ? f->t->n_seats : 1;
    f->waiting = FF_NEW_N(arena, uint32_t, n);
    f->missing = FF_NEW_N(arena, uint32_t, n);
    f->unknown = FF_NEW_N(arena, uint32_t, n);
    f->behind = FF_NEW_N(arena, uint32_t, n);
    int64_t first = next_open(f->t, -1);
    f->seq = -1;
    for (int64_t seq = first; seq >= 0; seq = next_open(f->t, seq)) {
        look_at(f, seq);
        if (f->n_missing)
            break;
    }
    if (first >= 0 && !f->n_missing && f->seq != first)
        look_at(f, first);
    f->lag = f->n_missing ? LAG_ENQUEUED : LAG_NONE;
    if (f->seq >= 0 && !f->n_missing && !f->n_unknown && !f->t->n_absent)
        look_for_lag(f);
}
