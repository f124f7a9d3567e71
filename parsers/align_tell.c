/* What was found, as facts. */
#include "align_private.h"

#define CAP_TOLD 64u /* facts about missing ranks of one turn; the text of all ranks stands in each */

ff_bytes ff_seat_ranks(const finding *f, const uint32_t *seats, uint32_t n, ff_arena *arena)
{
    int32_t *ranks = FF_NEW_N(arena, int32_t, n ? n : 1);
    for (uint32_t i = 0; i < n; i++)
        ranks[i] = rank_of(f->t->seats[seats[i]]);
    return ff_ranks_text(arena, ranks, n);
}

void ff_add_group(ff_fields *f, const team *t, int64_t seq)
{
    ff_fields_text(f, "group", FF_FIELD_TEXT, t->name);
    ff_fields_text(f, "desc", FF_FIELD_TEXT, t->desc);
    ff_fields_int(f, "seq", FF_FIELD_INT, seq);
    if (t->n_ranks)
        ff_fields_int(f, "members", FF_FIELD_INT, t->n_ranks);
}

/* How long the waiting ranks are known to have waited: what their dumps show to have happened later. */
void ff_add_wait(ff_fields *f, const finding *of, int64_t seq)
{
    int64_t waited = 0, timeout = -1;
    for (uint32_t i = 0; i < of->n_waiting; i++) {
        const seat *s = of->t->seats[of->waiting[i]];
        const turn *t = ff_seat_turn(s, seq);
        if (!t)
            continue;
        const ff_fr_entry *e = entry_of(s, last_of_turn(t));
        timeout = timeout < 0 ? e->call->timeout_ms : timeout;
        int64_t created_ns = times_of(s, last_of_turn(t))->created_ns;
        if (created_ns > 0 && s->sheet->newest_ns - created_ns > waited)
            waited = s->sheet->newest_ns - created_ns;
    }
    if (timeout >= 0)
        ff_fields_int(f, "timeout_ms", FF_FIELD_INT, timeout);
    ff_fields_int(f, "wait_ms", FF_FIELD_INT, waited / 1000000);
}

void ff_add_waiting(ff_fields *f, const finding *of, ff_arena *arena)
{
    const seat *s = of->t->seats[of->waiting[0]];
    const turn *t = ff_seat_turn(s, of->seq);
    ff_fields_text(f, "op", FF_FIELD_TEXT, ff_turn_op(s, t, arena));
    ff_fields_text(f, "waiting", FF_FIELD_TEXT, ff_seat_ranks(of, of->waiting, of->n_waiting, arena));
    ff_fields_int(f, "n_waiting", FF_FIELD_INT, of->n_waiting);
    ff_fields_text(f, "waiting_frame", FF_FIELD_TEXT, entry_of(s, t->first)->call->frame);
    ff_add_wait(f, of, of->seq);
}

/* What the rank did last: in the group if it did anything there, else anywhere. */
static uint32_t last_entry(const seat *s)
{
    if (s->n_turns)
        return last_of_turn(&s->turns[s->n_turns - 1]);
    return s->sheet->dump->n_entries ? s->sheet->dump->n_entries - 1 : FF_NONE;
}

static void add_last(ff_fields *f, const seat *s)
{
    uint32_t group = last_entry(s), any = s->sheet->dump->n_entries ? s->sheet->dump->n_entries - 1 : FF_NONE;
    if (s->n_turns)
        ff_fields_int(f, "last_seq", FF_FIELD_INT, s->turns[s->n_turns - 1].seq);
    if (group != FF_NONE)
        ff_fields_text(f, "last_op", FF_FIELD_TEXT, entry_of(s, group)->call->op);
    if (any != FF_NONE)
        ff_fields_text(f, "last_frame", FF_FIELD_TEXT, entry_of(s, any)->call->frame);
}

static void add_hold(ff_fields *f, const chain *c, const hold *h)
{
    ff_fields_text(f, "waits_in", FF_FIELD_TEXT, c->t->at[h->team].name);
    ff_fields_int(f, "waits_seq", FF_FIELD_INT, h->seq);
    if (h->p2p && h->peer != FF_NO_NUMBER)
        ff_fields_int(f, "waits_for", FF_FIELD_INT, h->peer);
}

/* What a rank did while the others already waited for it. */
static void add_progress(ff_fields *f, const seat *s, const finding *of)
{
    const seat *first = of->t->seats[of->waiting[0]];
    int64_t since = times_of(first, ff_seat_turn(first, of->seq)->first)->created_ns, last = 0, n = 0;
    const ff_dump *d = s->sheet->dump;
    for (uint32_t i = 0; i < d->n_entries && since > 0; i++) {
        if (d->times[i].created_ns <= since)
            continue;
        last = d->times[i].created_ns > last ? d->times[i].created_ns : last;
        n++;
    }
    ff_fields_int(f, "progress", FF_FIELD_INT, n);
    if (n)
        ff_fields_int(f, "progress_ms", FF_FIELD_INT, (last - since) / 1000000);
}

/* The same for one that came in the end, until it came. */
static void add_late_progress(ff_fields *f, const seat *s, const turn *t, int64_t since)
{
    int64_t last = 0, n = 0;
    for (uint32_t i = 0; i < t->first && since > 0; i++) {
        int64_t ns = times_of(s, i)->created_ns;
        last = ns > since && ns > last ? ns : last;
        n += ns > since;
    }
    ff_fields_int(f, "progress", FF_FIELD_INT, n);
    if (n)
        ff_fields_int(f, "progress_ms", FF_FIELD_INT, (last - since) / 1000000);
}

static ff_bytes head_ranks(const chain *c, const finding *f, ff_arena *arena)
{
    uint32_t n = 0, *heads = FF_NEW_N(arena, uint32_t, f->n_missing ? f->n_missing : 1);
    for (uint32_t i = 0; i < f->n_missing; i++)
        if (hold_of(c, f->t->seats[f->missing[i]])->team == FF_NONE)
            heads[n++] = f->missing[i];
    return ff_seat_ranks(f, heads, n, arena);
}

/* A rank in whose dump something is still open is held up itself: it is told as waiting, and what it waits in has its
 * own finding. Only a rank that waits nowhere is missing. Those come first, for not all may be told. */
static void tell_missing(const chain *c, const finding *f, const teller *out)
{
    ff_bytes all = ff_seat_ranks(f, f->missing, f->n_missing, out->arena), heads = head_ranks(c, f, out->arena);
    int32_t *unknown = NULL;
    uint32_t n_unknown = ff_list_unknown(f, out->arena, &unknown), told = 0;
    for (uint32_t k = 0; k < 2 * f->n_missing && told < CAP_TOLD; k++) {
        const seat *s = f->t->seats[f->missing[k % f->n_missing]];
        const hold *h = hold_of(c, s);
        if ((h->team != FF_NONE) != (k >= f->n_missing))
            continue;
        ff_fields fields = { .n = 0 };
        ff_add_group(&fields, f->t, f->seq);
        ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank_of(s));
        ff_add_waiting(&fields, f, out->arena);
        add_last(&fields, s);
        ff_fields_text(&fields, "missing", FF_FIELD_TEXT, all);
        ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_missing);
        ff_fields_text(&fields, "heads", FF_FIELD_TEXT, heads);
        ff_fields_int(&fields, "dump_missing", FF_FIELD_INT, n_unknown > 0);
        ff_fields_int(&fields, "head", FF_FIELD_INT, h->team == FF_NONE);
        add_progress(&fields, s, f);
        if (h->team != FF_NONE)
            add_hold(&fields, c, h);
        ff_tell(out, h->team != FF_NONE ? FF_FACT_FR_WAITS : FF_FACT_FR_MISSING, s, last_entry(s), rank_of(s),
                &fields);
        told++;
    }
}

/* The operation that came late stands last in the dump: where the rank was instead is the one before. If that one
 * took as long as the rank was late, the rank was held up in it. */
static void tell_one_late(const chain *c, const finding *f, const seat *s, const uint32_t *others, uint32_t n_others,
                          const teller *out)
{
    const seat *first = f->t->seats[others[0]];
    const turn *t = ff_seat_turn(s, f->late_seq), *theirs = ff_seat_turn(first, f->late_seq);
    const ff_fr_entry *mine = entry_of(s, t->first), *waited = entry_of(first, theirs->first);
    uint32_t held = ff_late_held(c, s, t, f->late_ns);
    ff_fields fields = { .n = 0 };
    ff_add_group(&fields, f->t, f->late_seq);
    ff_fields_text(&fields, "op", FF_FIELD_TEXT, ff_turn_op(first, theirs, out->arena));
    ff_fields_int(&fields, "rank", FF_FIELD_RANK, rank_of(s));
    ff_fields_text(&fields, "waiting", FF_FIELD_TEXT, ff_seat_ranks(f, others, n_others, out->arena));
    ff_fields_int(&fields, "n_waiting", FF_FIELD_INT, n_others);
    ff_fields_text(&fields, "waiting_frame", FF_FIELD_TEXT, waited->call->frame);
    ff_fields_int(&fields, "timeout_ms", FF_FIELD_INT, waited->call->timeout_ms);
    ff_fields_int(&fields, "wait_ms", FF_FIELD_INT, f->late_ns / 1000000);
    ff_fields_int(&fields, "late_ms", FF_FIELD_INT, f->late_ns / 1000000);
    if (t > s->turns) {
        ff_fields_int(&fields, "last_seq", FF_FIELD_INT, t[-1].seq);
        ff_fields_text(&fields, "last_op", FF_FIELD_TEXT, ff_turn_op(s, t - 1, out->arena));
        ff_fields_text(&fields, "last_frame", FF_FIELD_TEXT, entry_of(s, t[-1].first)->call->frame);
    }
    ff_fields_text(&fields, "missing", FF_FIELD_TEXT, ff_seat_ranks(f, f->late, f->n_late, out->arena));
    ff_fields_int(&fields, "n_missing", FF_FIELD_INT, f->n_late);
    ff_fields_int(&fields, "dump_missing", FF_FIELD_INT, f->t->n_absent > 0);
    ff_fields_int(&fields, "head", FF_FIELD_INT, held == FF_NONE);
    ff_fields_text(&fields, "frame", FF_FIELD_TEXT, mine->call->frame);
    add_late_progress(&fields, s, t, times_of(first, theirs->first)->created_ns);
    if (held != FF_NONE) {
        const ff_fr_entry *in = entry_of(s, held);
        ff_fields_text(&fields, "waits_in", FF_FIELD_TEXT, s->sheet->dump->groups[in->group].name);
        ff_fields_int(&fields, "waits_seq", FF_FIELD_INT, in->call->src >= 0 ? in->p2p_seq : in->seq);
    }
    ff_tell(out, held != FF_NONE ? FF_FACT_FR_WAITS : FF_FACT_FR_MISSING, s,
            t > s->turns ? last_of_turn(&t[-1]) : t->first, rank_of(s), &fields);
}

static void tell_late(const chain *c, const finding *f, const teller *out)
{
    uint32_t n_others = 0, *others = FF_NEW_N(out->arena, uint32_t, f->t->n_seats ? f->t->n_seats : 1);
    for (uint32_t i = 0, k = 0; i < f->t->n_seats; i++) {
        if (k < f->n_late && f->late[k] == i)
            k++;
        else
            others[n_others++] = i;
    }
    for (uint32_t i = 0; i < f->n_late && i < CAP_TOLD; i++)
        tell_one_late(c, f, f->t->seats[f->late[i]], others, n_others, out);
}

/* All members have a dump, all issued the same, and it does not end: nobody is missing, something does not move. */
static void tell_stalled(const chain *c, const finding *f, const teller *out)
{
    static const char *const lags[] = { "none", "enqueued", "started", "completed" };
    const seat *s = f->t->seats[f->waiting[0]];
    ff_fields fields = { .n = 0 };
    uint32_t inside = 0, overwritten = 0;
    for (uint32_t i = 0; i < f->n_waiting; i++)
        inside += f->t->seats[f->waiting[i]]->inside;
    for (uint32_t i = 0; i < f->n_behind; i++)
        overwritten += f->t->seats[f->behind[i]]->sheet->lost_open;
    ff_add_group(&fields, f->t, f->seq);
    ff_add_waiting(&fields, f, out->arena);
    ff_fields_int(&fields, "n_done", FF_FIELD_INT, (int64_t)f->t->n_seats - f->n_waiting);
    ff_fields_text(&fields, "lag", FF_FIELD_TEXT, ff_str(lags[f->lag]));
    ff_fields_text(&fields, "behind", FF_FIELD_TEXT, ff_seat_ranks(f, f->behind, f->n_behind, out->arena));
    ff_fields_int(&fields, "n_behind", FF_FIELD_INT, f->n_behind);
    ff_fields_int(&fields, "n_inside", FF_FIELD_INT, inside);
    if (overwritten)
        ff_fields_int(&fields, "n_overwritten", FF_FIELD_INT, overwritten);
    const hold *h = f->n_behind ? hold_of(c, f->t->seats[f->behind[0]]) : NULL;
    if (h && h->team != FF_NONE && &c->all[h->team] != f)
        add_hold(&fields, c, h);
    ff_tell(out, FF_FACT_FR_STALLED, s, last_of_turn(ff_seat_turn(s, f->seq)), FF_NO_NUMBER, &fields);
}

void ff_align_tell(const chain *c, const finding *f, const teller *out)
{
    bool split_first = f->split.kind != SAME && (f->seq < 0 || f->split.seq <= f->seq), p2p = false;
    uint32_t circle[64];
    if (f->split.kind != SAME)
        ff_align_tell_split(f, out);
    if (f->seq >= 0 && f->n_waiting && (f->t->n_absent + f->n_unknown || (!f->t->ranks && !f->n_missing)))
        ff_align_tell_silent(c, f, out);
    if (split_first)
        return;
    uint32_t n = f->seq >= 0 ? ff_chain_circle(c, f, circle, FF_COUNT(circle), &p2p) : 0;
    if (n && !(n == 2 && ff_equal(c->t->at[circle[0]].name, c->t->at[circle[1]].name)))
        ff_align_tell_circle(c, f, circle, n, p2p, out);
    if (f->seq >= 0 && f->n_missing) {
        tell_missing(c, f, out);
    } else if (f->late_seq >= 0 && f->n_late * 2 < f->t->n_seats + 1 && f->n_late < f->t->n_seats) {
        tell_late(c, f, out);
    } else if (f->seq >= 0 && f->t->ranks && !f->t->n_absent && !f->n_unknown) {
        tell_stalled(c, f, out);
    }
}
