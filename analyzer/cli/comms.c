/* firstfault comms: the communicators of NCCL, joined over the ranks by commId. It shows what the logs say and
 * accuses nobody. */
#include "comms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_ROWS = 24, MOST_COMMS = 12, MOST_LOOKS = 4096 };

bool comm_number(const ff_signal *s, const char *name, int64_t *out)
{
    ff_bytes text = ff_signal_text(s, name);
    return ff_take_int(&text, out) && text.n == 0;
}

static int compare_places(const void *left, const void *right)
{
    const ff_signal *a = *(const ff_signal *const *)left, *b = *(const ff_signal *const *)right;
    int order = (a->at.member > b->at.member) - (a->at.member < b->at.member);
    order = order ? order : (a->at.line > b->at.line) - (a->at.line < b->at.line);
    return order ? order : (a->ref > b->ref) - (a->ref < b->ref);
}

signal_list comm_signals(const ff_report *r, const char *kind, ff_arena *arena)
{
    const ff_evidence *e = r->evidence;
    uint32_t wanted = ff_kind_find(r->rules, ff_str(kind)), n = 0;
    signal_list out = { 0 };
    for (uint32_t i = 0; wanted != FF_NONE && i < e->n_signals; i++)
        n += e->signals[i].kind == wanted;
    out.at = FF_NEW_N(arena, const ff_signal *, (size_t)n + 1);
    for (uint32_t i = 0; n && i < e->n_signals; i++)
        if (e->signals[i].kind == wanted)
            out.at[out.n++] = &e->signals[i];
    if (out.n)
        qsort(out.at, out.n, sizeof(const ff_signal *), compare_places);
    return out;
}

uint32_t comm_first_of(const signal_list *l, uint32_t member)
{
    uint32_t low = 0, high = l->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (l->at[middle]->at.member < member)
            low = middle + 1;
        else
            high = middle;
    }
    return low < l->n && l->at[low]->at.member == member ? low : l->n;
}

/* ---- which lines are about one seat ---- */

typedef enum comm_phase { PHASE_START, PHASE_DONE, PHASE_END } comm_phase;

typedef struct entry {
    ff_bytes id;
    int64_t rank;
    comm_phase phase;
    const ff_signal *signal;
} entry;

typedef FF_VEC(entry) entries;

static int compare_entries(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    int order = ff_compare(a->id, b->id);
    order = order ? order : (a->rank > b->rank) - (a->rank < b->rank);
    order = order ? order : (a->phase > b->phase) - (a->phase < b->phase);
    return order ? order : (a->signal->ref > b->signal->ref) - (a->signal->ref < b->signal->ref);
}

static bool may_be_one_process(const ff_signal *a, const ff_signal *b)
{
    return a->who.pid < 0 || b->who.pid < 0 || a->who.pid == b->who.pid;
}

/* A line without commId names the address of its communicator: that of the latest start before it in its process. */
static ff_bytes id_of(const signal_list *starts, const ff_signal *s)
{
    ff_bytes id = ff_signal_text(s, "commid"), address = ff_signal_text(s, "comm");
    if (id.n)
        return id;
    unsigned looks = 0;
    for (uint32_t i = comm_first_of(starts, s->at.member); i < starts->n && looks < MOST_LOOKS; i++, looks++) {
        const ff_signal *start = starts->at[i];
        if (start->at.member != s->at.member || start->at.line >= s->at.line)
            break;
        if (ff_equal(ff_signal_text(start, "comm"), address) && may_be_one_process(start, s))
            id = ff_signal_text(start, "commid");
    }
    return id.n ? id : address;
}

static void gather(entries *all, const ff_report *r, const signal_list *starts, const char *kind, comm_phase phase,
                   ff_arena *arena)
{
    signal_list said = comm_signals(r, kind, arena);
    for (uint32_t i = 0; i < said.n; i++) {
        entry one = { .phase = phase, .signal = said.at[i] };
        if (!comm_number(one.signal, phase == PHASE_END ? "position" : "rank", &one.rank) || one.rank < 0)
            continue;
        one.id = id_of(starts, one.signal);
        FF_PUSH(all, one);
    }
}

static void sit(comm_view *c, const entry *e)
{
    comm_seat *seat = c->n_seats ? &c->seats[c->n_seats - 1] : NULL;
    if (!seat || seat->rank != e->rank) {
        seat = &c->seats[c->n_seats++];
        *seat = (comm_seat){ .rank = e->rank };
    }
    const ff_signal **place = e->phase == PHASE_START  ? &seat->start
                              : e->phase == PHASE_DONE ? &seat->done
                                                       : &seat->end;
    bool other = e->phase == PHASE_START && *place && !may_be_one_process(*place, e->signal);
    if (other && !seat->rival)
        seat->rival = e->signal;
    if (!*place || e->phase == PHASE_END)
        *place = e->signal;
    int64_t n = 0;
    if (comm_number(e->signal, "nranks", &n)) {
        c->sizes_differ = c->sizes_differ || (c->n_ranks && c->n_ranks != n);
        c->n_ranks = n > c->n_ranks ? n : c->n_ranks;
    }
}

static int compare_comms(const void *left, const void *right)
{
    const comm_view *a = left, *b = right;
    const comm_seat *s = &a->seats[0], *t = &b->seats[0];
    const ff_signal *first = s->start ? s->start : s->done, *second = t->start ? t->start : t->done;
    if (!first || !second)
        return (second != NULL) - (first != NULL);
    return (first->ref > second->ref) - (first->ref < second->ref);
}

static comm_list find_comms(const ff_report *r, ff_arena *arena)
{
    entries all = { 0 };
    signal_list starts = comm_signals(r, "nccl.init_start", arena);
    gather(&all, r, &starts, "nccl.init_start", PHASE_START, arena);
    gather(&all, r, &starts, "nccl.init_complete", PHASE_DONE, arena);
    gather(&all, r, &starts, "nccl.comm_end", PHASE_END, arena);
    if (all.n)
        qsort(all.at, all.n, sizeof *all.at, compare_entries);
    comm_list out = { .at = FF_NEW_N(arena, comm_view, (size_t)all.n + 1) };
    comm_seat *seats = FF_NEW_N(arena, comm_seat, (size_t)all.n + 1);
    for (uint32_t i = 0; i < all.n; i++) {
        if (i == 0 || !ff_equal(all.at[i].id, all.at[i - 1].id)) {
            out.at[out.n] = (comm_view){ .id = all.at[i].id, .seats = seats + i };
            out.n++;
        }
        sit(&out.at[out.n - 1], &all.at[i]);
    }
    ff_free(all.at);
    if (out.n)
        qsort(out.at, out.n, sizeof *out.at, compare_comms);
    return out;
}

/* ---- what a process said of itself before or while it joined ---- */

/* The last that this process said; else what its whole file agrees on; else nothing. */
static ff_bytes said_by(const signal_list *l, const ff_signal *whom, const char *field)
{
    ff_bytes own = { 0 }, common = { 0 };
    bool agreed = true;
    unsigned looks = 0;
    for (uint32_t i = comm_first_of(l, whom->at.member); i < l->n && looks < MOST_LOOKS; i++, looks++) {
        const ff_signal *s = l->at[i];
        if (s->at.member != whom->at.member)
            break;
        ff_bytes value = ff_signal_text(s, field);
        if (s->who.pid >= 0 && s->who.pid == whom->who.pid && s->at.line < whom->at.line)
            own = value;
        agreed = agreed && (!common.n || ff_equal(common, value));
        common = value;
    }
    return own.n ? own : agreed ? common : (ff_bytes){ 0 };
}

static void add_time(ff_text *out, const ff_signal *s)
{
    ff_text time;
    ff_text_init(&time, 64);
    if (s && s->has_utc)
        ff_text_add_utc(&time, s->utc);
    else if (s && s->said.kind == FF_STAMP_LOCAL)
        ff_text_add_utc(&time, s->said.ns);
    ff_bytes text = ff_first_n(ff_text_view(&time), 19);
    cli_add_cell(out, text.n ? text : FF_LIT("no time"), 19);
    ff_text_adds(out, s && s->has_utc ? "Z " : "  ");
    ff_text_done(&time);
}

static void add_ending(ff_text *out, const comm_seat *seat)
{
    const ff_signal *a = seat->start, *b = seat->done;
    if (!b)
        ff_text_adds(out, a ? "began, never complete" : "its start is not in the logs");
    else if (a && a->frame && a->frame == b->frame && b->at_ns >= a->at_ns) {
        int64_t took = b->at_ns - a->at_ns;
        bool coarse = took < a->said.grain_ns; /* stamps of whole seconds, say */
        ff_text_adds(out, coarse ? "complete in less than " : "complete after ");
        ff_text_add_span(out, coarse ? took + a->said.grain_ns : took);
    } else
        ff_text_adds(out, a ? "complete" : "complete; its start is not in the logs");
    if (seat->end) {
        bool whole = ff_equal(ff_signal_text(seat->end, "phase"), FF_LIT("COMPLETE"));
        bool destroyed = ff_equal(ff_signal_text(seat->end, "how"), FF_LIT("Destroy"));
        ff_text_adds(out, destroyed ? "; destroyed" : whole ? "; aborted" : "; abort began and did not end");
    }
    if (seat->rival)
        ff_text_addf(out, "; process %" PRId32 " joined as this rank too", seat->rival->who.pid);
}

typedef struct company { /* what is looked up for each seat */
    const ff_evidence *e;
    const ff_identity *identity;
    signal_list versions, interfaces, networks;
} company;

static void add_cell(ff_text *out, ff_bytes text, size_t width)
{
    cli_add_cell(out, text.n ? text : FF_LIT("-"), width);
}

static void add_seat(ff_text *out, const company *with, const comm_seat *seat)
{
    const ff_signal *s = seat->start ? seat->start : seat->done ? seat->done : seat->end;
    char number[24];
    ff_text_adds(out, "    ");
    (void)snprintf(number, sizeof number, "%" PRId64, seat->rank);
    cli_add_cell(out, ff_str(number), 5);
    add_cell(out, s->who.host, 20);
    (void)snprintf(number, sizeof number, "%" PRId32, s->who.pid);
    add_cell(out, s->who.pid >= 0 ? ff_str(number) : (ff_bytes){ 0 }, 8);
    add_cell(out, ff_signal_text(s, "gpu"), 3);
    add_cell(out, ff_signal_text(s, "bus"), 7);
    add_cell(out, said_by(&with->versions, s, "version"), 17);
    add_cell(out, said_by(&with->interfaces, s, "interface"), 10);
    add_cell(out, said_by(&with->networks, s, "network"), 13);
    add_time(out, seat->start);
    add_ending(out, seat);
    ff_text_adds(out, "  ");
    ff_text_add_clean(out, with->e->members[s->at.member].name);
    ff_text_addf(out, ":%" PRIu32 "\n", s->at.line);
}

static void add_seats(ff_text *out, const company *with, const comm_view *c, bool verbose)
{
    uint32_t told = 0;
    ff_text_adds(
        out, "    RANK  HOST                 PID      GPU BUS     VERSION           INTERFACE  NETWORK       BEGAN"
             "                INITIALISATION\n");
    for (int pass = 0; pass < 2; pass++) { /* those that did not finish are what one looks for */
        for (uint32_t i = 0; i < c->n_seats; i++) {
            bool odd = !c->seats[i].done || c->seats[i].rival;
            if (odd != (pass == 0) || (!verbose && told >= MOST_ROWS))
                continue;
            add_seat(out, with, &c->seats[i]);
            told++;
        }
    }
    if (told < c->n_seats)
        ff_text_addf(out, "    and %" PRIu32 " more ranks; --verbose shows them\n", c->n_seats - told);
}

static void add_gap(ff_text *out, int64_t from, int64_t to, unsigned *n)
{
    enum { MOST = 32 };
    if (from > to)
        return;
    if (*n < MOST)
        ff_text_addf(out, "%s%" PRId64, *n ? "," : "; no log of ranks ", from);
    if (*n < MOST && to > from)
        ff_text_addf(out, "-%" PRId64, to);
    if (*n == MOST)
        ff_text_adds(out, ",...");
    (*n)++;
}

static void add_missing(ff_text *out, const comm_view *c)
{
    int64_t next = 0;
    unsigned n = 0;
    for (uint32_t i = 0; i < c->n_seats; i++) {
        add_gap(out, next, c->seats[i].rank - 1, &n);
        next = c->seats[i].rank + 1;
    }
    add_gap(out, next, c->n_ranks - 1, &n);
}

/* What PyTorch calls it. */
static void add_group(ff_text *out, const ff_identity *id, ff_bytes commid)
{
    for (uint32_t i = 0; i < id->n_joins; i++) {
        const ff_join *j = &id->joins[i];
        if (!ff_equal(j->left_kind, FF_LIT("group")) || !ff_equal(j->right, commid))
            continue;
        ff_text_adds(out, ", group ");
        ff_text_add_clean(out, j->left);
        return;
    }
}

static void add_comm(ff_text *out, const company *with, const comm_view *c, bool verbose)
{
    uint32_t began = 0, done = 0;
    for (uint32_t i = 0; i < c->n_seats; i++) {
        began += c->seats[i].start != NULL;
        done += c->seats[i].done != NULL;
    }
    ff_text_adds(out, "Communicator ");
    ff_text_add_clean(out, c->id);
    add_group(out, with->identity, c->id);
    ff_text_addf(out, ": %" PRId64 " ranks, %" PRIu32 " began, %" PRIu32 " complete", c->n_ranks, began, done);
    if (c->sizes_differ)
        ff_text_adds(out, "; ITS RANKS NAME DIFFERENT SIZES");
    add_missing(out, c);
    ff_text_addc(out, '\n');
    add_seats(out, with, c, verbose);
}

static void add_all(ff_text *out, const ff_report *r, const comm_list *comms, ff_arena *arena, bool verbose)
{
    company with = { .e = r->evidence,
                     .identity = &r->identity,
                     .versions = comm_signals(r, "nccl.version", arena),
                     .interfaces = comm_signals(r, "nccl.bootstrap_using", arena),
                     .networks = comm_signals(r, "nccl.network", arena) };
    comm_layout *layout = comm_layout_read(r, comms, arena);
    for (uint32_t i = 0; i < comms->n; i++) {
        if (!verbose && i >= MOST_COMMS) {
            ff_text_addf(out, "%" PRIu32 " more communicators; --verbose shows them\n", comms->n - i);
            break;
        }
        add_comm(out, &with, &comms->at[i], verbose);
        comm_layout_add(out, layout, i, arena);
    }
    comm_layout_add_shared(out, layout);
}

static cli_exit tell(const cli_settings *s, const ff_run *run)
{
    const ff_report *r = &run->report;
    ff_arena arena;
    ff_arena_init(&arena);
    cli_exit exit_code = CLI_NO;
    comm_list comms = find_comms(r, &arena);
    if (!comms.n) {
        cli_complain("no line of the bundle tells of a communicator; NCCL_DEBUG=INFO writes them");
    } else {
        ff_text out;
        ff_text_init(&out, 0);
        add_all(&out, r, &comms, &arena, s->verbose);
        exit_code = cli_say(&out) ? CLI_OK : CLI_FAILED;
        ff_text_done(&out);
    }
    ff_arena_done(&arena);
    return exit_code;
}

cli_exit cli_comms(const cli_settings *s) { return cli_tell_judged(s, tell); }
