/* Where each rank stood in each process group when its Flight Recorder was dumped, and who waits for whom. */
#include "json_private.h"

#include <stdlib.h>

#include "../../parsers/recorder.h"

typedef struct seat { /* one rank in one process group */
    const ff_dump *dump;
    const ff_fr_group *group;
} seat;

typedef struct seats {
    seat *at;
    uint32_t n;
} seats;

static int by_group_then_rank(const void *left, const void *right)
{
    const seat *a = left, *b = right;
    int order = ff_compare(a->group->name, b->group->name);
    if (order == 0)
        order = ff_compare(a->group->desc, b->group->desc);
    if (order == 0)
        order = (a->dump->rank > b->dump->rank) - (a->dump->rank < b->dump->rank);
    if (order == 0)
        order = (a->dump->member > b->dump->member) - (a->dump->member < b->dump->member);
    return order;
}

static bool is_same_group(const ff_fr_group *a, const ff_fr_group *b)
{
    return ff_equal(a->name, b->name) && ff_equal(a->desc, b->desc);
}

/* All seats, those of one group side by side and in rank order. */
static seats take_seats(const ff_dump_table *dumps)
{
    seats s = { 0 };
    uint32_t n = 0;
    for (uint32_t i = 0; i < dumps->n; i++)
        n += dumps->at[i]->n_groups;
    s.at = ff_alloc(n * sizeof *s.at);
    for (uint32_t i = 0; i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups && !dumps->at[i]->from_log; g++)
            s.at[s.n++] = (seat){ .dump = dumps->at[i], .group = &dumps->at[i]->groups[g] };
    qsort(s.at, s.n, sizeof *s.at, by_group_then_rank);
    return s;
}

static seats group_from(const seats *all, uint32_t from)
{
    seats s = { .at = all->at + from };
    while (from + s.n < all->n && is_same_group(s.at[0].group, s.at[s.n].group))
        s.n++;
    return s;
}

static int64_t furthest(const seats *group)
{
    int64_t most = -1;
    for (uint32_t i = 0; i < group->n; i++)
        if (group->at[i].group->last_enqueued > most)
            most = group->at[i].group->last_enqueued;
    return most;
}

static void add_seat(ff_json *j, const ff_report *r, const seat *s, int64_t most)
{
    ff_json_open(j, NULL, '{');
    ff_json_number(j, "rank", s->dump->rank);
    ff_json_bytes(j, "member", ff_view_member_name(r, s->dump->member));
    ff_json_sequence(j, "last_enqueued", s->group->last_enqueued);
    ff_json_sequence(j, "last_started", s->group->last_started);
    ff_json_sequence(j, "last_completed", s->group->last_completed);
    ff_json_bool(j, "waiting", s->group->last_enqueued > s->group->last_completed);
    ff_json_bool(j, "late", s->group->last_enqueued >= 0 && s->group->last_enqueued < most);
    ff_json_bool(j, "truncated", s->dump->truncated);
    ff_json_close(j, '}');
}

static void add_group_ranks(ff_json *j, const seats *group)
{
    const ff_fr_group *widest = group->at[0].group;
    for (uint32_t i = 1; i < group->n; i++)
        if (group->at[i].group->n_ranks > widest->n_ranks)
            widest = group->at[i].group;
    ff_json_open(j, "ranks", '[');
    for (uint32_t i = 0; i < widest->n_ranks; i++)
        ff_json_int(j, NULL, widest->ranks[i]);
    if (!widest->n_ranks)
        for (uint32_t i = 0; i < group->n; i++)
            if (group->at[i].dump->rank != FF_NO_NUMBER)
                ff_json_int(j, NULL, group->at[i].dump->rank);
    ff_json_close(j, ']');
}

/* ---- what the alignment of the dumps found ---- */
typedef FF_VEC(const ff_signal *) facts;

static facts take_facts(const ff_evidence *e)
{
    facts out = { 0 };
    for (uint32_t i = 0; i < e->n_signals; i++) {
        switch (e->signals[i].kind) {
        case FF_FACT_FR_OP_MISMATCH:
        case FF_FACT_FR_SHAPE_MISMATCH:
        case FF_FACT_FR_MISSING:
        case FF_FACT_FR_INCOMPLETE:
        case FF_FACT_FR_STALLED:
        case FF_FACT_FR_WAITS:
        case FF_FACT_FR_STRAGGLER:
        case FF_FACT_FR_SLOW_TAIL:
        case FF_FACT_FR_PACE:
            FF_PUSH(&out, &e->signals[i]);
            break;
        default:
            break;
        }
    }
    return out;
}

static bool is_about(const ff_signal *s, const ff_fr_group *group)
{
    const ff_field *name = ff_signal_field(s, "group"), *desc = ff_signal_field(s, "desc");
    return name && ff_equal(name->s, group->name) && (!desc || ff_equal(desc->s, group->desc));
}

static bool is_mismatch(const ff_signal *s)
{
    return s->kind == FF_FACT_FR_OP_MISMATCH || s->kind == FF_FACT_FR_SHAPE_MISMATCH;
}

static bool is_pace(const ff_signal *s) { return s->kind == FF_FACT_FR_PACE; }
static bool is_wait(const ff_signal *s) { return !is_mismatch(s) && !is_pace(s); }

static void add_alignment(ff_json *j, const ff_report *r, const char *key, const ff_fr_group *group, const facts *all,
                          bool (*belongs)(const ff_signal *))
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < all->n; i++) {
        const ff_signal *s = all->at[i];
        if (!belongs(s) || !is_about(s, group))
            continue;
        ff_json_open(j, NULL, '{');
        ff_json_str(j, "kind", ff_fact_name(s->kind));
        ff_json_open(j, "facts", '{');
        for (uint32_t f = 0; f < s->n_fields; f++)
            ff_json_field(j, s->fields, f);
        ff_json_close(j, '}');
        ff_json_place(j, r, "evidence", s);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

/* The alignment marks the missing ranks that wait for nobody elsewhere. */
static void add_head(ff_json *j, const seats *group, const facts *all)
{
    FF_VEC(int32_t) heads = { 0 };
    for (uint32_t i = 0; i < all->n; i++) {
        const ff_field *head = ff_signal_field(all->at[i], "head"), *rank = ff_signal_field(all->at[i], "rank");
        if (all->at[i]->kind == FF_FACT_FR_MISSING && head && head->i && rank &&
            is_about(all->at[i], group->at[0].group))
            FF_PUSH(&heads, (int32_t)rank->i);
    }
    if (heads.n)
        qsort(heads.at, heads.n, sizeof *heads.at, ff_compare_i32);
    ff_json_open(j, "head", '[');
    for (uint32_t i = 0; i < heads.n; i++)
        if (i == 0 || heads.at[i] != heads.at[i - 1])
            ff_json_int(j, NULL, heads.at[i]);
    ff_json_close(j, ']');
    ff_free(heads.at);
}

static void add_group(ff_json *j, const ff_report *r, const seats *group, const facts *found)
{
    const ff_fr_group *g = group->at[0].group;
    int64_t most = furthest(group);
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "group", g->name);
    ff_json_known(j, "description", g->desc);
    add_group_ranks(j, group);
    ff_json_open(j, "members", '[');
    for (uint32_t i = 0; i < group->n; i++)
        add_seat(j, r, &group->at[i], most);
    ff_json_close(j, ']');
    add_alignment(j, r, "mismatches", g, found, is_mismatch);
    add_alignment(j, r, "waits", g, found, is_wait);
    add_alignment(j, r, "operations", g, found, is_pace);
    add_head(j, group, found);
    ff_json_close(j, '}');
}

void ff_json_collectives(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "collectives", '[');
    if (r->evidence->dumps) {
        seats all = take_seats(r->evidence->dumps);
        facts found = take_facts(r->evidence);
        for (uint32_t from = 0; from < all.n;) {
            seats group = group_from(&all, from);
            from += group.n;
            add_group(j, r, &group, &found);
        }
        ff_free(found.at);
        ff_free(all.at);
    }
    ff_json_close(j, ']');
}
