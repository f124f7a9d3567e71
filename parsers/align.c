/* Flight Recorder dumps of all ranks side by side: who did not come, who did something else.
 *
 * For each process group the ranks' turns are compared by sequence number, never by the order of files: where they
 * differ, the majority decides who is odd, and without one nobody is. A rank is called missing only when its own dump
 * shows that it had not issued the operation that others wait in; a rank without a dump is reported as that. Turns
 * older than a rank's ring are unknown. That two ranks saw one operation in different states means nothing: the dumps
 * were taken at different times. */
#include "align_private.h"

static void align(const ff_dump_table *dumps, bool from_log, const teller *out)
{
    ff_arena *arena = out->arena;
    teams all = ff_align_teams(dumps, arena);
    finding *findings = FF_NEW_N(arena, finding, all.n ? all.n : 1);
    for (uint32_t i = 0; i < all.n; i++)
        ff_align_judge(&findings[i], &all.at[i], arena);
    chain c = ff_align_link(&all, findings, arena);
    ff_align_members(&c, out);
    for (uint32_t i = 0; i < all.n; i++) {
        int64_t seen_at = findings[i].split.kind == SAME ? -1 : findings[i].split.seq;
        if (!from_log || !ff_align_between(&all.at[i], seen_at, out))
            ff_align_tell(&c, &findings[i], out);
        if (from_log)
            ff_align_pairs(&all.at[i], out);
        else
            (void)ff_align_p2p(&c, &all.at[i], out);
    }
    if (from_log)
        ff_align_last(&all, out);
    else
        ff_align_pace(&c, false, out);
}

/* A run to compare with: how it ended is nobody's business. */
static void measure_baseline(const ff_dump_table *dumps, const teller *out)
{
    teams all = ff_align_teams(dumps, out->arena);
    chain c = { .t = &all };
    ff_align_pace(&c, true, out);
}

static bool has_own(const ff_dump_table *dumps)
{
    bool own = false;
    for (uint32_t i = 0; i < dumps->n; i++)
        own = own || !(dumps->at[i]->from_log || dumps->at[i]->baseline);
    return own;
}

typedef enum origin { RECORDED, LOGGED, BASELINE } origin;

static ff_dump_table those(const ff_dump_table *dumps, origin of, ff_arena *arena)
{
    ff_dump_table out = { .at = FF_NEW_N(arena, ff_dump *, dumps->n ? dumps->n : 1) };
    bool own = has_own(dumps);
    for (uint32_t i = 0; i < dumps->n; i++) {
        const ff_dump *d = dumps->at[i];
        if (of == (d->from_log ? LOGGED : own && d->baseline ? BASELINE : RECORDED))
            out.at[out.n++] = dumps->at[i];
    }
    return out;
}

void ff_dumps_drop_baseline(ff_dump_table *dumps)
{
    uint32_t n = 0;
    for (uint32_t i = 0, own = has_own(dumps); i < dumps->n; i++)
        if (!own || !dumps->at[i]->baseline)
            dumps->at[n++] = dumps->at[i];
    dumps->n = n;
}

typedef struct log_facts {
    void (*fact)(void *owner, uint32_t member, const ff_fact *f);
    void *owner;
} log_facts;

/* A log says what was asked for: what did not end, or who is late, cannot be seen in it. */
static void take_log_fact(void *owner, uint32_t member, const ff_fact *f)
{
    const log_facts *to = owner;
    ff_fact copy = *f;
    if (f->id == FF_FACT_FR_OP_MISMATCH)
        copy.id = FF_FACT_COLL_OP_MISMATCH;
    else if (f->id == FF_FACT_FR_SHAPE_MISMATCH)
        copy.id = FF_FACT_COLL_SHAPE_MISMATCH;
    else
        return;
    to->fact(to->owner, member, &copy);
}

void ff_recorder_align(const ff_dump_table *dumps, ff_arena *arena,
                       void (*fact)(void *owner, uint32_t member, const ff_fact *f), void *owner)
{
    ff_dump_table recorded = those(dumps, RECORDED, arena), baseline = those(dumps, BASELINE, arena),
                  logged = those(dumps, LOGGED, arena);
    log_facts to = { .fact = fact, .owner = owner };
    teller plain = { .arena = arena, .fact = fact, .owner = owner },
           log = { .arena = arena, .fact = take_log_fact, .owner = &to };
    align(&recorded, false, &plain);
    measure_baseline(&baseline, &plain);
    align(&logged, true, &log);
}
