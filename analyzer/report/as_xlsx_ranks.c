/* Sheets about ranks: who each is, and where it stood in each process group. */
#include "as_xlsx_private.h"

#include "../../parsers/recorder.h"

#include <inttypes.h>
#include <stdlib.h>

#define MOST_RANKS 65536

typedef struct rank_row {
    bool seen;
    ff_who who; /* the first that is known of each */
    uint32_t findings, signals;
    int worst; /* severity, -1 none */
    uint8_t role;
    uint64_t last_enqueued, last_completed; /* of its widest group; only where dump is set */
    bool has_dump, late;
} rank_row;

typedef struct rank_table {
    rank_row *at;
    int32_t n;
} rank_table;

static int32_t highest(const ff_report *r)
{
    int32_t most = -1;
    const ff_evidence *e = r->evidence;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].who.rank > most && e->signals[i].who.rank < MOST_RANKS)
            most = e->signals[i].who.rank;
    for (uint32_t i = 0; e->dumps && i < e->dumps->n; i++)
        if (e->dumps->at[i]->rank > most && e->dumps->at[i]->rank < MOST_RANKS)
            most = e->dumps->at[i]->rank;
    for (uint32_t i = 0; i < r->n_findings; i++)
        for (uint32_t k = 0; k < r->findings[i].n_ranks; k++)
            if (r->findings[i].ranks[k] > most && r->findings[i].ranks[k] < MOST_RANKS)
                most = r->findings[i].ranks[k];
    return most;
}

static void know(ff_bytes *slot, ff_bytes value)
{
    if (ff_is_empty(*slot))
        *slot = value;
}

static void add_signal(rank_row *row, const ff_who *who)
{
    row->seen = true;
    row->signals++;
    know(&row->who.host, who->host);
    know(&row->who.gpu, who->gpu);
    know(&row->who.pod, who->pod);
    know(&row->who.process, who->process);
    if (row->who.pid == FF_NO_NUMBER)
        row->who.pid = who->pid;
    if (row->who.local_rank == FF_NO_NUMBER)
        row->who.local_rank = who->local_rank;
    if (row->who.gpu_index == FF_NO_NUMBER)
        row->who.gpu_index = who->gpu_index;
}

static void add_finding(rank_row *row, const ff_finding *f, uint8_t role)
{
    row->seen = true;
    row->findings++;
    if ((int)f->severity > row->worst)
        row->worst = (int)f->severity;
    if (role && (!row->role || role < row->role))
        row->role = role;
}

static const ff_fr_group *widest_of(const ff_dump *d)
{
    const ff_fr_group *widest = d->n_groups ? &d->groups[0] : NULL;
    for (uint32_t g = 1; g < d->n_groups; g++)
        if (d->groups[g].n_ranks > widest->n_ranks)
            widest = &d->groups[g];
    return widest;
}

static void add_dumps(rank_table *t, const ff_dump_table *dumps)
{
    uint64_t most = 0;
    for (uint32_t i = 0; dumps && i < dumps->n; i++) {
        const ff_dump *d = dumps->at[i];
        const ff_fr_group *g = widest_of(d);
        if (!g || d->rank < 0 || d->rank >= t->n || g->last_enqueued < 0)
            continue;
        rank_row *row = &t->at[d->rank];
        row->seen = row->has_dump = true;
        row->last_enqueued = (uint64_t)g->last_enqueued;
        row->last_completed = g->last_completed < 0 ? 0 : (uint64_t)g->last_completed;
        most = row->last_enqueued > most ? row->last_enqueued : most;
    }
    for (int32_t i = 0; i < t->n; i++)
        t->at[i].late = t->at[i].has_dump && t->at[i].last_enqueued < most;
}

static rank_table take_ranks(ff_book *b)
{
    const ff_report *r = b->h.r;
    rank_table t = { .n = highest(r) + 1 };
    t.at = FF_NEW_N(&b->h.arena, rank_row, (size_t)t.n + 1);
    for (int32_t i = 0; i < t.n; i++)
        t.at[i] = (rank_row){ .who = FF_WHO_NOBODY, .worst = -1 };
    for (uint32_t i = 0; i < r->evidence->n_signals; i++) {
        int32_t rank = r->evidence->signals[i].who.rank;
        if (rank >= 0 && rank < t.n)
            add_signal(&t.at[rank], &r->evidence->signals[i].who);
    }
    for (uint32_t i = 0; i < r->n_findings; i++) {
        const ff_finding *f = &r->findings[i];
        if (!f->n_ranks && f->who.rank >= 0 && f->who.rank < t.n)
            add_finding(&t.at[f->who.rank], f, b->h.role[i]);
        for (uint32_t k = 0; k < f->n_ranks; k++)
            if (f->ranks[k] >= 0 && f->ranks[k] < t.n)
                add_finding(&t.at[f->ranks[k]], f, b->h.role[i]);
    }
    add_dumps(&t, r->evidence->dumps);
    return t;
}

static void rank_cells(ff_sheet *s, int32_t rank, const rank_row *row)
{
    ff_cell_number(s, 0, rank);
    ff_cell_text(s, 1, row->who.host);
    ff_cell_number(s, 2, row->who.local_rank);
    ff_cell_number(s, 3, row->who.pid);
    ff_cell_text(s, 4, row->who.gpu);
    ff_cell_number(s, 5, row->who.gpu_index);
    ff_cell_text(s, 6, row->who.pod);
    ff_cell_text(s, 7, row->who.process);
    if (row->worst >= 0)
        ff_cell_str(s, 8, ff_severity_name((ff_severity)row->worst));
    ff_cell_str(s, 9, row->role ? ff_role_name((ff_role)(row->role - 1)) : NULL);
    ff_cell_count(s, 10, row->findings);
    ff_cell_count(s, 11, row->signals);
    if (row->has_dump) {
        ff_cell_count(s, 12, row->last_enqueued);
        ff_cell_count(s, 13, row->last_completed);
        ff_cell_str(s, 14,
                    row->late                                  ? "behind"
                    : row->last_enqueued > row->last_completed ? "waiting"
                                                               : "nothing open");
    }
}

void ff_xlsx_ranks(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Rank", 7 },       { "Host", 18 },   { "Local rank", 10 },  { "PID", 10 },           { "GPU", 15 },
        { "GPU index", 10 }, { "Pod", 24 },    { "Process", 16 },     { "Worst finding", 13 }, { "Role", 12 },
        { "Findings", 9 },   { "Signals", 9 }, { "Last queued", 12 }, { "Last finished", 13 }, { "State", 13 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    rank_table t = take_ranks(b);
    for (int32_t i = 0; i < t.n; i++)
        if (t.at[i].seen && ff_sheet_next(&s))
            rank_cells(&s, i, &t.at[i]);
    ff_sheet_colour(&s, 8);
    ff_sheet_mark(&s, 14, "behind", b->bad);
    ff_sheet_close(&s);
}

/* ---- process groups ---- */
typedef struct seat {
    const ff_dump *dump;
    const ff_fr_group *group;
    int64_t most; /* furthest of its group */
} seat;

static bool is_same_group(const seat *a, const seat *b)
{
    return ff_equal(a->group->name, b->group->name) && ff_equal(a->group->desc, b->group->desc);
}

static int by_group_then_rank(const void *left, const void *right)
{
    const seat *a = left, *b = right;
    int order = ff_compare(a->group->name, b->group->name);
    if (order == 0)
        order = ff_compare(a->group->desc, b->group->desc);
    if (order == 0)
        order = (a->dump->rank > b->dump->rank) - (a->dump->rank < b->dump->rank);
    return order ? order : (a->dump->member > b->dump->member) - (a->dump->member < b->dump->member);
}

static uint32_t take_seats(ff_book *b, seat **out)
{
    const ff_dump_table *dumps = b->h.r->evidence->dumps;
    uint32_t n = 0;
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        n += dumps->at[i]->from_log ? 0 : dumps->at[i]->n_groups;
    *out = FF_NEW_N(&b->h.arena, seat, n + 1);
    n = 0;
    for (uint32_t i = 0; dumps && i < dumps->n; i++)
        for (uint32_t g = 0; g < dumps->at[i]->n_groups && !dumps->at[i]->from_log; g++)
            (*out)[n++] = (seat){ dumps->at[i], &dumps->at[i]->groups[g], -1 };
    if (n)
        qsort(*out, n, sizeof **out, by_group_then_rank);
    for (uint32_t from = 0, to; from < n; from = to) {
        int64_t most = -1;
        for (to = from; to < n && is_same_group(&(*out)[from], &(*out)[to]); to++)
            most = (*out)[to].group->last_enqueued > most ? (*out)[to].group->last_enqueued : most;
        for (uint32_t i = from; i < to; i++)
            (*out)[i].most = most;
    }
    return n;
}

static void sequence(ff_sheet *s, uint16_t column, int64_t n)
{
    if (n >= 0)
        ff_cell_count(s, column, (uint64_t)n);
}

void ff_xlsx_collectives(ff_book *b, lxw_worksheet *sheet)
{
    static const ff_column columns[] = {
        { "Group", 12 },        { "Description", 20 },   { "Rank", 7 },       { "Last queued", 12 },
        { "Last started", 12 }, { "Last finished", 13 }, { "Behind by", 10 }, { "State", 13 },
        { "Cut", 6 },           { "Dump", 40 },
    };
    ff_sheet s = ff_sheet_open(b, sheet, columns, FF_COUNT(columns));
    seat *seats = NULL;
    uint32_t n = take_seats(b, &seats);
    for (uint32_t i = 0; i < n; i++) {
        const ff_fr_group *g = seats[i].group;
        if (!ff_sheet_next(&s))
            continue;
        bool late = g->last_enqueued >= 0 && g->last_enqueued < seats[i].most;
        ff_cell_text(&s, 0, g->name);
        ff_cell_text(&s, 1, g->desc);
        ff_cell_number(&s, 2, seats[i].dump->rank);
        sequence(&s, 3, g->last_enqueued);
        sequence(&s, 4, g->last_started);
        sequence(&s, 5, g->last_completed);
        if (g->last_enqueued >= 0)
            ff_cell_count(&s, 6, (uint64_t)(seats[i].most - g->last_enqueued));
        ff_cell_str(&s, 7, late ? "behind" : g->last_enqueued > g->last_completed ? "waiting" : "nothing open");
        ff_cell_str(&s, 8, seats[i].dump->truncated ? "yes" : NULL);
        ff_cell_text(&s, 9, ff_view_no_path(ff_view_member_name(b->h.r, seats[i].dump->member)));
    }
    ff_sheet_mark(&s, 7, "behind", b->bad);
    ff_sheet_close(&s);
}
