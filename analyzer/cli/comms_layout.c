/* Rings, trees and transports of communicators. These lines name no communicator: they belong to the latest one that
 * began before them in their file, and to none where another began between the first and the last that a signal
 * stands for. */
#include "comms.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_RING = 1 << 16, MOST_EDGES = 1 << 20, MOST_CHANNELS = 4096, MOST_TOLD = 8, NOBODY = -1 };

typedef enum layout_kind { ORDERS, RINGS, TREES, P2P, VIA, LAYOUT_KINDS } layout_kind;

typedef struct owned {
    const ff_signal *signal;
    uint32_t comm; /* FF_NONE: could be of several */
} owned;

typedef struct start { /* where a communicator begins in a file */
    uint32_t member, line, comm;
    int32_t pid;
} start;

struct comm_layout {
    const ff_evidence *evidence;
    const comm_list *comms;
    owned *at[LAYOUT_KINDS];
    uint32_t n[LAYOUT_KINDS];
};

static int compare_starts(const void *left, const void *right)
{
    const start *a = left, *b = right;
    int order = (a->member > b->member) - (a->member < b->member);
    order = order ? order : (a->line > b->line) - (a->line < b->line);
    return order ? order : (a->comm > b->comm) - (a->comm < b->comm);
}

static uint32_t find_starts(const comm_list *comms, start **out, ff_arena *arena)
{
    uint32_t n = 0, most = 1;
    for (uint32_t i = 0; i < comms->n; i++)
        most += comms->at[i].n_seats;
    *out = FF_NEW_N(arena, start, most);
    for (uint32_t i = 0; i < comms->n; i++) {
        for (uint32_t k = 0; k < comms->at[i].n_seats; k++) {
            const ff_signal *s = comms->at[i].seats[k].start;
            if (s)
                (*out)[n++] = (start){ s->at.member, s->at.line, i, s->who.pid };
        }
    }
    qsort(*out, n, sizeof **out, compare_starts);
    return n;
}

static uint32_t first_start(const start *at, uint32_t n, uint32_t member)
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at[middle].member < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Processes of one file: lines that fold over several of them (one_process false) only look at the order. */
static uint32_t owner_of(const start *at, uint32_t n, const ff_signal *s, bool one_process)
{
    uint32_t owner = FF_NONE, last = s->count > 1 ? s->last_at.line : s->at.line;
    for (uint32_t i = first_start(at, n, s->at.member); i < n && at[i].member == s->at.member; i++) {
        if (at[i].line >= last)
            break;
        if (one_process && at[i].pid >= 0 && s->who.pid >= 0 && at[i].pid != s->who.pid)
            continue;
        if (at[i].line > s->at.line && at[i].comm != owner)
            return FF_NONE;
        owner = at[i].comm;
    }
    return owner;
}

comm_layout *comm_layout_read(const ff_report *r, const comm_list *comms, ff_arena *arena)
{
    static const char *const names[] = { "nccl.ring_order", "nccl.ring", "nccl.trees", "pcie.via_p2p", "nccl.via" };
    comm_layout *l = FF_NEW(arena, comm_layout);
    start *starts = NULL;
    uint32_t n_starts = find_starts(comms, &starts, arena);
    l->evidence = r->evidence;
    l->comms = comms;
    for (unsigned k = 0; k < LAYOUT_KINDS; k++) {
        signal_list said = comm_signals(r, names[k], arena);
        l->at[k] = FF_NEW_N(arena, owned, (size_t)said.n + 1);
        for (uint32_t i = 0; i < said.n; i++)
            l->at[k][l->n[k]++] = (owned){ said.at[i], owner_of(starts, n_starts, said.at[i], k <= TREES) };
    }
    return l;
}

/* ---- rings ---- */

typedef struct ring {
    int64_t *after, *before; /* by rank; NULL: no permutation of all ranks */
    uint32_t count;
} ring;

/* "0 1 2" as who follows whom; false: not each of n ranks once. */
static bool read_ring(ff_bytes order, int64_t n, ring *out, ff_arena *arena)
{
    if (n < 1 || n > MOST_RING || order.n < (size_t)n) /* too short for n numbers: no room taken for them */
        return false;
    int64_t *after = FF_NEW_N(arena, int64_t, (size_t)n), *before = FF_NEW_N(arena, int64_t, (size_t)n);
    int64_t first = NOBODY, last = NOBODY, rank = 0, seen = 0;
    for (int64_t i = 0; i < n; i++)
        after[i] = before[i] = NOBODY;
    for (ff_take_spaces(&order); ff_take_int(&order, &rank); ff_take_spaces(&order), seen++) {
        if (rank < 0 || rank >= n || before[rank] != NOBODY || rank == first)
            return false;
        if (first == NOBODY)
            first = rank;
        else {
            after[last] = rank;
            before[rank] = last;
        }
        last = rank;
    }
    if (seen != n)
        return false;
    after[last] = first;
    before[first] = last;
    out->after = after;
    out->before = before;
    return true;
}

static void add_at(ff_text *out, const comm_layout *l, const ff_signal *s)
{
    ff_text_adds(out, "  ");
    ff_text_add_clean(out, l->evidence->members[s->at.member].name);
    ff_text_addf(out, ":%" PRIu32 "\n", s->at.line);
}

/* The orders that rank 0 prints, of the first file that has them. */
static uint32_t add_orders(ff_text *out, const comm_layout *l, uint32_t comm, ring *rings, ff_arena *arena)
{
    uint32_t n = 0, told = 0, member = FF_NONE;
    for (uint32_t i = 0; i < l->n[ORDERS]; i++) {
        const ff_signal *s = l->at[ORDERS][i].signal;
        if (l->at[ORDERS][i].comm != comm || (member != FF_NONE && s->at.member != member) || n >= MOST_CHANNELS)
            continue;
        member = s->at.member;
        ring *one = &rings[n++];
        *one = (ring){ .count = s->count };
        bool whole = read_ring(ff_signal_text(s, "order"), l->comms->at[comm].n_ranks, one, arena);
        if (whole && told++ >= MOST_TOLD)
            continue;
        ff_text_addf(out, "    Ring of %" PRIu32 " channels: ", s->count);
        ff_text_add_clean(out, ff_first_n(ff_trim(ff_signal_text(s, "order")), 160));
        ff_text_adds(out, whole ? "" : "  NOT EACH RANK ONCE");
        add_at(out, l, s);
    }
    if (told > MOST_TOLD)
        ff_text_addf(out, "    and %" PRIu32 " more orders of rings\n", told - MOST_TOLD);
    return n;
}

static bool has_step(const ring *rings, uint32_t n, int64_t n_ranks, const ff_signal *s)
{
    int64_t before = 0, here = 0, after = 0;
    if (!comm_number(s, "before", &before) || !comm_number(s, "position", &here) || !comm_number(s, "after", &after))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (rings[i].after && here >= 0 && here < n_ranks && rings[i].after[here] == after &&
            rings[i].before[here] == before)
            return true;
    return false;
}

static void add_rings(ff_text *out, const comm_layout *l, uint32_t comm, ff_arena *arena)
{
    ring *rings = FF_NEW_N(arena, ring, (l->n[ORDERS] < MOST_CHANNELS ? l->n[ORDERS] : MOST_CHANNELS) + 1);
    uint32_t n = add_orders(out, l, comm, rings, arena), agree = 0, differ = 0;
    for (uint32_t i = 0; i < l->n[RINGS]; i++) {
        const ff_signal *s = l->at[RINGS][i].signal;
        if (l->at[RINGS][i].comm != comm)
            continue;
        if (!n || has_step(rings, n, l->comms->at[comm].n_ranks, s)) {
            agree++;
        } else if (differ++ < MOST_TOLD) {
            ff_text_adds(out, "    No ring of rank 0 has the neighbours that rank ");
            ff_text_add_clean(out, ff_signal_text(s, "position"));
            ff_text_adds(out, " names");
            add_at(out, l, s);
        }
    }
    if (n && agree + differ)
        ff_text_addf(out, "    Neighbours that ranks name in rings: %" PRIu32 " agree, %" PRIu32 " do not\n", agree,
                     differ);
    else if (!n)
        ff_text_adds(out, "    No order of rings in the logs: rank 0 prints it\n");
}

/* ---- trees ---- */

typedef struct edge { /* one rank in the tree of one channel */
    int64_t channel, rank, up, down[3];
    const ff_signal *signal;
} edge;

typedef FF_VEC(edge) edges;

static int compare_edges(const void *left, const void *right)
{
    const edge *a = left, *b = right;
    int order = (a->channel > b->channel) - (a->channel < b->channel);
    return order ? order : (a->rank > b->rank) - (a->rank < b->rank);
}

/* "[0] 1/-1/-1->0->-1 [1] ..." */
static void read_trees(edges *all, const ff_signal *s)
{
    ff_bytes rest = ff_signal_text(s, "trees");
    while (all->n < MOST_EDGES) {
        edge e = { .signal = s };
        ff_take_spaces(&rest);
        if (!ff_take_char(&rest, '[') || !ff_take_int(&rest, &e.channel) || !ff_take_lit(&rest, FF_LIT("] ")))
            return;
        for (int i = 0; i < 3; i++)
            if (!ff_take_int(&rest, &e.down[i]) || (i < 2 && !ff_take_char(&rest, '/')))
                return;
        if (!ff_take_lit(&rest, FF_LIT("->")) || !ff_take_int(&rest, &e.rank) || !ff_take_lit(&rest, FF_LIT("->")) ||
            !ff_take_int(&rest, &e.up))
            return;
        FF_PUSH(all, e);
    }
}

static const edge *edge_of(const edges *all, int64_t channel, int64_t rank)
{
    edge key = { .channel = channel, .rank = rank };
    return all->n && rank >= 0 ? bsearch(&key, all->at, all->n, sizeof *all->at, compare_edges) : NULL;
}

static bool leads_down_to(const edge *e, int64_t rank)
{
    return e->down[0] == rank || e->down[1] == rank || e->down[2] == rank;
}

/* The ranks that it names have to name it; those without a line cannot be asked. */
static bool is_answered(const edges *all, const edge *e)
{
    const edge *up = edge_of(all, e->channel, e->up);
    if (up && !leads_down_to(up, e->rank))
        return false;
    for (int i = 0; i < 3; i++) {
        const edge *down = edge_of(all, e->channel, e->down[i]);
        if (down && down->up != e->rank)
            return false;
    }
    return true;
}

static void add_trees(ff_text *out, const comm_layout *l, uint32_t comm)
{
    edges all = { 0 };
    uint32_t said = 0, differ = 0;
    for (uint32_t i = 0; i < l->n[TREES]; i++) {
        if (l->at[TREES][i].comm != comm)
            continue;
        read_trees(&all, l->at[TREES][i].signal);
        said++;
    }
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, compare_edges);
    for (uint32_t i = 0; i < all.n; i++) {
        const edge *e = &all.at[i];
        if (is_answered(&all, e) || differ++ >= MOST_TOLD)
            continue;
        ff_text_addf(out, "    Tree of channel %" PRId64 ": rank %" PRId64 " and its neighbours do not agree",
                     e->channel, e->rank);
        add_at(out, l, e->signal);
    }
    if (said)
        ff_text_addf(out,
                     "    Trees: lines of %" PRIu32 " of %" PRId64 " ranks, %" PRIu32
                     " channels in which parent and child differ\n",
                     said, l->comms->at[comm].n_ranks, differ);
    ff_free(all.at);
}

/* ---- transports ---- */

typedef struct carrier { /* what carries data: P2P/CUMEM, NET/IB/GDRDMA */
    ff_bytes family, kind, how;
    uint64_t lines;
    uint32_t files;
    const ff_signal *first;
} carrier;

static void count_carrier(carrier *all, uint32_t *n, carrier one)
{
    enum { MOST = 64 };
    for (uint32_t i = 0; i < *n; i++) {
        if (!ff_equal(all[i].family, one.family) || !ff_equal(all[i].kind, one.kind) ||
            !ff_equal(all[i].how, one.how))
            continue;
        all[i].lines += one.lines;
        all[i].files++;
        return;
    }
    if (*n < MOST)
        all[(*n)++] = one;
}

static void add_transports(ff_text *out, const comm_layout *l, uint32_t comm)
{
    carrier all[64];
    uint32_t n = 0;
    for (unsigned k = P2P; k <= VIA; k++) {
        for (uint32_t i = 0; i < l->n[k]; i++) {
            const ff_signal *s = l->at[k][i].signal;
            if (l->at[k][i].comm == comm)
                count_carrier(all, &n,
                              (carrier){ k == P2P ? FF_LIT("P2P/") : (ff_bytes){ 0 }, ff_signal_text(s, "kind"),
                                         ff_signal_text(s, "how"), s->count, 1, s });
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        ff_text_adds(out, "    Transport ");
        ff_text_add_clean(out, all[i].family);
        ff_text_add_clean(out, all[i].kind);
        ff_text_add_clean(out, all[i].how);
        ff_text_addf(out, ": %" PRIu64 " connections of channels, in %" PRIu32 " file%s", all[i].lines, all[i].files,
                     all[i].files == 1 ? "" : "s");
        add_at(out, l, all[i].first);
    }
}

void comm_layout_add(ff_text *out, const comm_layout *l, uint32_t comm, ff_arena *arena)
{
    bool any = false;
    for (unsigned k = 0; k < LAYOUT_KINDS; k++)
        for (uint32_t i = 0; i < l->n[k] && !any; i++)
            any = l->at[k][i].comm == comm;
    if (!any) {
        ff_text_adds(out, "    No rings, trees or transports in the logs\n");
        return;
    }
    add_rings(out, l, comm, arena);
    add_trees(out, l, comm);
    add_transports(out, l, comm);
}

void comm_layout_add_shared(ff_text *out, const comm_layout *l)
{
    uint32_t n = 0;
    for (unsigned k = 0; k < LAYOUT_KINDS; k++)
        for (uint32_t i = 0; i < l->n[k]; i++)
            n += l->at[k][i].comm == FF_NONE;
    if (!n)
        return;
    ff_text_addf(
        out, "Rings, trees and transports that cannot be told apart by communicator: %" PRIu32 " kinds of lines\n",
        n);
    add_transports(out, l, FF_NONE);
}
