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
        for (uint32_t g = 0; g < dumps->at[i]->n_groups; g++)
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

static bool is_late(const seats *group, const seat *s)
{
    return s->group->last_enqueued >= 0 && s->group->last_enqueued < furthest(group);
}

static bool is_waiting(const seat *s) { return s->group->last_enqueued > s->group->last_completed; }

/* A late rank that waits in another group is itself held up there: then the chain goes on, and its head stands there.
 */
static bool is_held_elsewhere(const seats *all, const seats *group, const seat *late)
{
    for (uint32_t from = 0; from < all->n;) {
        seats other = group_from(all, from);
        from += other.n;
        if (is_same_group(other.at[0].group, group->at[0].group))
            continue;
        for (uint32_t i = 0; i < other.n; i++)
            if (other.at[i].dump->rank == late->dump->rank && is_waiting(&other.at[i]) &&
                !is_late(&other, &other.at[i]))
                return true;
    }
    return false;
}

static void add_head(ff_json *j, const seats *all, const seats *group)
{
    ff_json_open(j, "head", '[');
    for (uint32_t i = 0; i < group->n; i++) {
        const seat *s = &group->at[i];
        if (s->dump->rank != FF_NO_NUMBER && is_late(group, s) && !is_held_elsewhere(all, group, s))
            ff_json_int(j, NULL, s->dump->rank);
    }
    ff_json_close(j, ']');
}

static void add_seat(ff_json *j, const ff_report *r, const seats *group, const seat *s)
{
    ff_json_open(j, NULL, '{');
    ff_json_number(j, "rank", s->dump->rank);
    ff_json_bytes(j, "member", ff_view_member_name(r, s->dump->member));
    ff_json_sequence(j, "last_enqueued", s->group->last_enqueued);
    ff_json_sequence(j, "last_started", s->group->last_started);
    ff_json_sequence(j, "last_completed", s->group->last_completed);
    ff_json_bool(j, "waiting", is_waiting(s));
    ff_json_bool(j, "late", is_late(group, s));
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

/* A fact of the alignment names its group in the field "group"; without one it belongs to the dump's first group. */
static bool is_about(const ff_report *r, const ff_signal *s, const seats *group)
{
    for (uint32_t i = 0; i < s->n_fields; i++)
        if (ff_equal(s->fields[i].name, FF_LIT("group")))
            return ff_equal(s->fields[i].s, group->at[0].group->name) ||
                   (group->at[0].group->desc.n && ff_equal(s->fields[i].s, group->at[0].group->desc));
    const ff_dump_table *dumps = r->evidence->dumps;
    for (uint32_t i = 0; i < dumps->n; i++)
        if (dumps->at[i]->member == s->at.member)
            return dumps->at[i]->n_groups && is_same_group(&dumps->at[i]->groups[0], group->at[0].group);
    return false;
}

static void add_alignment(ff_json *j, const ff_report *r, const char *key, const seats *group, uint32_t first_kind,
                          uint32_t last_kind)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < r->evidence->n_signals; i++) {
        const ff_signal *s = &r->evidence->signals[i];
        if ((s->kind != first_kind && s->kind != last_kind) || !is_about(r, s, group))
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

static void add_group(ff_json *j, const ff_report *r, const seats *all, const seats *group)
{
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "group", group->at[0].group->name);
    ff_json_known(j, "description", group->at[0].group->desc);
    add_group_ranks(j, group);
    ff_json_open(j, "members", '[');
    for (uint32_t i = 0; i < group->n; i++)
        add_seat(j, r, group, &group->at[i]);
    ff_json_close(j, ']');
    add_alignment(j, r, "mismatches", group, FF_FACT_FR_OP_MISMATCH, FF_FACT_FR_SHAPE_MISMATCH);
    add_alignment(j, r, "waits", group, FF_FACT_FR_MISSING, FF_FACT_FR_INCOMPLETE);
    add_head(j, all, group);
    ff_json_close(j, '}');
}

void ff_json_collectives(ff_json *j, const ff_report *r)
{
    ff_json_open(j, "collectives", '[');
    if (r->evidence->dumps) {
        seats all = take_seats(r->evidence->dumps);
        for (uint32_t from = 0; from < all.n;) {
            seats group = group_from(&all, from);
            from += group.n;
            add_group(j, r, &all, &group);
        }
        ff_free(all.at);
    }
    ff_json_close(j, ']');
}
