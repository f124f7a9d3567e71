#include "coll_kept.h"

#include <stdio.h>
#include <string.h>

#include "calls.h"
#include "intern.h"
#include "lines.h"

#define MOST_COMMS 64u
#define MOST_PROCESSES 64u
#define MOST_GROUPS 64u /* of a process */
#define MOST_PAIRS 256u /* peers that processes send to or receive from; those beyond are left out */
#define KEPT_FIRST 512u /* operations; what is kept of each rank has to fit into memory for thousands of them */
#define KEPT_LAST 512u
#define QUOTED 32u /* of each end, with their text: where logs differ it is in the beginning or at the end */
#define QUOTE 256u
#define MOST_MARKS 64u
#define FIRST_STEP 128u /* operations between two marks; twice as many whenever the marks are full */

typedef struct comm {
    ff_coll_comm said;
    uint32_t process, group; /* FF_NONE until it is used */
} comm;

typedef struct asked { /* an operation as it is kept */
    uint64_t offset;
    int64_t count, seq; /* of a send or receive: how many of the same pair came before */
    int32_t rank, peer; /* of a send or receive, in the communicator; else -1 */
    uint32_t line, record;
    uint8_t process, group, name, datatype;
} asked;

typedef struct team_of { /* a communicator in the dump of a process */
    ff_bytes id;
    int64_t next;
    uint64_t digest;
    uint32_t n_marks, step;
    ff_fr_mark marks[MOST_MARKS];
} team_of;

typedef struct process {
    int32_t pid, rank;
    int64_t widest; /* size of the communicator whose rank is the process's */
    uint32_t n_asked, n_kept;
    uint64_t begins;
    ff_bytes quote;
    team_of *teams;
    uint32_t n_teams;
} process;

typedef struct pair {
    uint8_t process, group, name;
    int32_t peer;
    int64_t next;
} pair;

typedef struct text {
    uint32_t n;
    char at[QUOTE];
} text;

struct ff_coll_kept {
    comm comms[MOST_COMMS];
    uint32_t n_comms;
    process processes[MOST_PROCESSES];
    uint32_t n_processes;
    pair pairs[MOST_PAIRS];
    uint32_t n_pairs;
    asked first[KEPT_FIRST], last[KEPT_LAST]; /* last: a ring */
    text first_texts[QUOTED], last_texts[QUOTED];
    uint64_t n; /* of all operations */
};

static const char *const names[] = { "AllReduce",     "Broadcast", "Reduce", "AllGather",
                                     "ReduceScatter", "AlltoAll",  "Send",   "Recv" };
enum { SEND = 6, RECV = 7 };

bool ff_coll_name_of(ff_bytes name, uint8_t *out)
{
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(name, ff_str(names[i]))) {
            *out = (uint8_t)i;
            return true;
        }
    return false;
}

static bool is_p2p(uint8_t name) { return name == SEND || name == RECV; }

ff_coll_kept *ff_coll_new(ff_arena *arena) { return FF_NEW(arena, ff_coll_kept); }

static comm *find_comm(ff_coll_kept *k, int32_t pid, uint64_t pointer)
{
    for (uint32_t i = 0; i < k->n_comms; i++)
        if (k->comms[i].said.pid == pid && k->comms[i].said.pointer == pointer)
            return &k->comms[i];
    return NULL;
}

/* A pointer is used again after a communicator was destroyed: the latest line counts. */
void ff_coll_see_comm(ff_coll_kept *k, ff_arena *arena, const ff_coll_comm *c)
{
    comm *at = find_comm(k, c->pid, c->pointer);
    if (at ? ff_equal(at->said.id, c->id) : k->n_comms == MOST_COMMS)
        return;
    if (!at)
        at = &k->comms[k->n_comms++];
    *at = (comm){ .said = *c, .process = FF_NONE, .group = FF_NONE };
    at->said.id = ff_arena_copy(arena, c->id);
}

static uint32_t process_of(ff_coll_kept *k, ff_arena *arena, int32_t pid, const ff_block_line *line)
{
    for (uint32_t i = 0; i < k->n_processes; i++)
        if (k->processes[i].pid == pid)
            return i;
    if (k->n_processes == MOST_PROCESSES)
        return FF_NONE;
    k->processes[k->n_processes] = (process){ .pid = pid,
                                              .rank = FF_NO_NUMBER,
                                              .begins = line->offset,
                                              .quote = ff_arena_copy(arena, ff_first_n(line->quote, QUOTE)),
                                              .teams = FF_NEW_N(arena, team_of, MOST_GROUPS) };
    return k->n_processes++;
}

/* The communicator's place in the dump of its process. False: there is no more room. */
static bool place(ff_coll_kept *k, ff_arena *arena, comm *c, const ff_block_line *line)
{
    if (c->group != FF_NONE)
        return true;
    c->process = process_of(k, arena, c->said.pid, line);
    process *p = c->process == FF_NONE ? NULL : &k->processes[c->process];
    if (!p || p->n_teams == MOST_GROUPS)
        return false;
    c->group = p->n_teams++;
    p->teams[c->group] = (team_of){ .id = c->said.id, .step = FIRST_STEP, .digest = UINT64_C(0xcbf29ce484222325) };
    if (c->said.nranks > p->widest) {
        p->widest = c->said.nranks;
        p->rank = (int32_t)c->said.rank;
    }
    return true;
}

/* The number of this send or receive among those of its pair. False: too many pairs. */
static bool count_pair(ff_coll_kept *k, const comm *c, const ff_coll_op *op, int64_t *number)
{
    pair *at = NULL;
    for (uint32_t i = 0; i < k->n_pairs && !at; i++) {
        pair *p = &k->pairs[i];
        if (p->process == c->process && p->group == c->group && p->name == op->name && p->peer == op->root)
            at = p;
    }
    if (!at && k->n_pairs == MOST_PAIRS)
        return false;
    if (!at) {
        at = &k->pairs[k->n_pairs++];
        *at = (pair){
            .process = (uint8_t)c->process, .group = (uint8_t)c->group, .name = op->name, .peer = (int32_t)op->root
        };
    }
    *number = at->next++;
    return true;
}

/* Every step-th prefix leaves its digest behind, so that two ranks have some at equal places. */
static void digest_op(team_of *t, const ff_coll_op *op)
{
    t->digest = ff_mix(ff_mix(ff_mix(t->digest, op->name), (uint64_t)op->count), (uint64_t)op->datatype);
    t->next++;
    if (t->next % t->step)
        return;
    if (t->n_marks == MOST_MARKS) {
        uint32_t n = 0;
        for (uint32_t i = 1; i < t->n_marks; i += 2)
            t->marks[n++] = t->marks[i];
        t->n_marks = n;
        t->step *= 2;
    }
    if (t->next % t->step == 0)
        t->marks[t->n_marks++] = (ff_fr_mark){ .seq = t->next, .digest = t->digest };
}

static void keep_text(text *to, ff_bytes quote)
{
    quote = ff_first_n(quote, QUOTE);
    to->n = (uint32_t)quote.n;
    if (quote.n)
        memcpy(to->at, quote.p, quote.n);
}

void ff_coll_see_op(ff_coll_kept *k, ff_arena *arena, const ff_block_line *line, const ff_coll_op *op)
{
    comm *c = find_comm(k, line->ev.who.pid, op->comm);
    bool p2p = is_p2p(op->name);
    int64_t seq = 0;
    if (!c || !place(k, arena, c, line) ||
        (p2p && (op->root < 0 || op->root >= c->said.nranks || !count_pair(k, c, op, &seq))))
        return;
    process *p = &k->processes[c->process];
    team_of *t = &p->teams[c->group];
    if (!p2p) {
        seq = t->next;
        digest_op(t, op);
    }
    asked a = { .offset = line->offset,
                .count = op->count,
                .seq = seq,
                .rank = (int32_t)c->said.rank,
                .peer = p2p ? (int32_t)op->root : -1,
                .line = line->line,
                .record = p->n_asked++,
                .process = (uint8_t)c->process,
                .group = (uint8_t)c->group,
                .name = op->name,
                .datatype = op->datatype >= 0 && op->datatype < 255 ? (uint8_t)op->datatype : 255 };
    if (k->n < KEPT_FIRST)
        k->first[k->n] = a;
    else
        k->last[(k->n - KEPT_FIRST) % KEPT_LAST] = a;
    keep_text(k->n < QUOTED ? &k->first_texts[k->n] : &k->last_texts[k->n % QUOTED], line->quote);
    k->n++;
}

/* ---- dumps ---- */
static ff_bytes type_name(ff_arena *arena, uint8_t type)
{
    static const char *const types[] = { "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
                                         "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2" };
    if (type < FF_COUNT(types))
        return ff_str(types[type]);
    return ff_arena_format(arena, "datatype %u", type);
}

typedef struct making {
    ff_dump dump;
    ff_calls calls;
    uint32_t *records, *lines; /* the dump's */
} making;

static const ff_fr_call *call_of(making *m, ff_intern *texts, const asked *a, ff_arena *arena)
{
    char size[32];
    int n = snprintf(size, sizeof size, "[[%lld]]", (long long)a->count);
    ff_bytes sizes = ff_intern_text(texts, (ff_bytes){ size, n > 0 ? (size_t)n : 0 });
    bool p2p = is_p2p(a->name);
    ff_fr_call call = { .op = ff_intern_text(texts, ff_str(names[a->name])),
                        .in_sizes = sizes,
                        .out_sizes = sizes,
                        .dtypes = ff_intern_text(texts, type_name(arena, a->datatype)),
                        .in_numel = a->count,
                        .out_numel = a->count,
                        .timeout_ms = -1,
                        .is_p2p = p2p,
                        .src = !p2p              ? -1
                               : a->name == SEND ? a->rank
                                                 : a->peer,
                        .dst = !p2p              ? -1
                               : a->name == SEND ? a->peer
                                                 : a->rank };
    return ff_calls_add(&m->calls, &call);
}

static void begin_dump(making *m, const process *p, ff_arena *arena)
{
    m->dump = (ff_dump){ .rank = p->rank,
                         .backend = FF_LIT("nccl"),
                         .from_log = true,
                         .begins = p->begins,
                         .quote = p->quote,
                         .n_groups = p->n_teams,
                         .groups = FF_NEW_N(arena, ff_fr_group, p->n_teams + 1),
                         .entries = FF_NEW_N(arena, ff_fr_entry, (size_t)p->n_kept + 1),
                         .times = FF_NEW_N(arena, ff_fr_times, (size_t)p->n_kept + 1),
                         .quotes = FF_NEW_N(arena, ff_fr_quote, 2 * QUOTED) };
    for (uint32_t i = 0; i < p->n_teams; i++)
        m->dump.groups[i] = (ff_fr_group){ .name = p->teams[i].id,
                                           .last_enqueued = -1,
                                           .last_started = -1,
                                           .last_completed = -1,
                                           .marks = p->teams[i].marks,
                                           .n_marks = p->teams[i].n_marks };
    m->dump.records = m->records = FF_NEW_N(arena, uint32_t, (size_t)p->n_kept + 1);
    m->dump.lines = m->lines = FF_NEW_N(arena, uint32_t, (size_t)p->n_kept + 1);
    ff_calls_init(&m->calls, arena);
}

static uint32_t narrow(uint64_t offset) { return offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX; }

/* Whatever the host asked for is taken as done: only what was asked is compared here. */
static void add_entry(making *m, ff_intern *texts, const asked *a, const text *quote, ff_arena *arena)
{
    ff_dump *d = &m->dump;
    bool p2p = is_p2p(a->name);
    if (quote)
        d->quotes[d->n_quotes++] = (ff_fr_quote){ .entry = d->n_entries, .text = { quote->at, quote->n } };
    m->records[d->n_entries] = a->record;
    m->lines[d->n_entries] = a->line;
    d->times[d->n_entries] = (ff_fr_times){ .ended_ms = -1, .duration_ms = -1 };
    d->entries[d->n_entries++] = (ff_fr_entry){ .group = a->group,
                                                .seq = p2p ? -1 : (int32_t)a->seq,
                                                .p2p_seq = p2p ? (int32_t)a->seq : -1,
                                                .call = call_of(m, texts, a, arena),
                                                .state = FF_FR_COMPLETED,
                                                .retired = true,
                                                .offset = narrow(a->offset - d->begins) };
}

static const asked *kept_at(const ff_coll_kept *k, uint64_t i)
{
    return i < KEPT_FIRST ? &k->first[i] : &k->last[(i - KEPT_FIRST) % KEPT_LAST];
}

static const text *text_at(const ff_coll_kept *k, uint64_t i)
{
    return i < QUOTED ? &k->first_texts[i] : i + QUOTED >= k->n ? &k->last_texts[i % QUOTED] : NULL;
}

/* The next that is kept, behind i. */
static uint64_t next_kept(const ff_coll_kept *k, uint64_t i)
{
    bool over = i + 1 == KEPT_FIRST && k->n > KEPT_FIRST + KEPT_LAST;
    return over ? k->n - KEPT_LAST : i + 1;
}

void ff_coll_give(ff_coll_kept *k, bool cut, ff_sink *out)
{
    ff_intern texts;
    making *all = FF_NEW_N(out->scratch, making, k->n_processes ? k->n_processes : 1);
    ff_intern_init(&texts, out->scratch);
    for (uint64_t i = 0; i < k->n; i = next_kept(k, i))
        k->processes[kept_at(k, i)->process].n_kept++;
    for (uint32_t i = 0; i < k->n_processes; i++)
        begin_dump(&all[i], &k->processes[i], out->scratch);
    for (uint64_t i = 0; i < k->n; i = next_kept(k, i))
        add_entry(&all[kept_at(k, i)->process], &texts, kept_at(k, i), text_at(k, i), out->scratch);
    for (uint32_t i = 0; i < k->n_processes; i++) {
        ff_calls_give(&all[i].calls, &all[i].dump);
        ff_calls_done(&all[i].calls);
        all[i].dump.truncated = cut;
        if (all[i].dump.rank >= 0)
            out->dump(out->owner, &all[i].dump);
    }
    ff_intern_done(&texts);
    if (k->n > KEPT_FIRST + KEPT_LAST && k->n_processes)
        out->skip(
            out->owner, kept_at(k, KEPT_FIRST - 1)->line,
            "of a long NCCL log the first and the last collectives are compared one by one, those between by digest");
}
