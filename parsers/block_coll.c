/* What each process asked NCCL to do, in order: the COLL lines of a log, as a dump that alignment can compare.
 *     gpu-a01:835:835 [0] NCCL INFO ncclCommInitRank comm 0x2fd2 rank 0 nranks 2 cudaDev 0 busId 60 commId 0x24 -
 * Init START gpu-a01:835:835 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f recvbuff 0x7f count 1048576 datatype 7
 * op 0 root 0 comm 0x2fd2 [nranks=2] stream (nil) Format: src/enqueue.cc and src/init.cc of NCCL, with
 * NCCL_DEBUG_SUBSYS=COLL. The line is written when the host asks, so it says nothing about the end. opCount is no
 * sequence number: lines are counted. Sends, receives and operations with sizes of their own on each rank are left
 * out. Only the first lines of a member are read (max_lines): the report says so. */
#include "calls.h"
#include "intern.h"
#include "lines.h"

#include <stdio.h>
#include <string.h>

#define MOST_COMMS 64u
#define MOST_PROCESSES 64u
#define MOST_LINES 1024u /* of a member: what is kept of each rank has to fit into memory for thousands of them */

typedef struct comm { /* a communicator of one process */
    int32_t pid;
    uint64_t pointer;
    ff_bytes id; /* commId, as its text */
    int64_t rank, nranks, next;
    uint32_t group; /* in the process's dump; FF_NONE until it is used */
} comm;

typedef struct operation {
    ff_bytes name;
    uint64_t comm;
    int64_t count, datatype;
} operation;

static bool take_behind(ff_bytes text, const char *key, ff_bytes *rest)
{
    ff_bytes word = ff_str(key);
    size_t at = ff_find(text, word);
    *rest = ff_skip_n(text, at <= text.n ? at + word.n : text.n);
    return at < text.n;
}

/* To behind the next word that is `key`, and the blank behind it. */
static bool take_word_of(ff_bytes *in, const char *key, size_t n)
{
    ff_bytes rest = *in, word;
    while (ff_take_until(&rest, ' ', &word))
        if (rest.n > n && rest.p[0] == key[0] && rest.p[n] == ' ' && memcmp(rest.p, key, n) == 0) {
            *in = ff_skip_n(rest, n + 1);
            return true;
        }
    return false;
}

/* "NCCL INFO AllReduce: opCount 0 ... count 1048576 datatype 7 op 0 root 0 comm 0x2fd2 [nranks=2]". */
static bool read_operation(ff_bytes text, operation *out)
{
    ff_bytes rest = text;
    if (!ff_take_lit(&rest, FF_LIT("NCCL INFO ")) || !ff_take_name(&rest, &out->name) ||
        !ff_starts(rest, FF_LIT(": opCount ")))
        return false;
    return take_word_of(&rest, "count", 5) && ff_take_int(&rest, &out->count) && take_word_of(&rest, "datatype", 8) &&
           ff_take_int(&rest, &out->datatype) && take_word_of(&rest, "comm", 4) && ff_take_hex(&rest, &out->comm);
}

/* Operations for which every rank passes the same count. */
static bool is_even(ff_bytes name)
{
    static const char *const names[] = { "AllReduce",     "Broadcast", "Reduce", "AllGather",
                                         "ReduceScatter", "AlltoAll",  NULL };
    return ff_is_one_of(name, names);
}

static bool read_init(const ff_event *ev, comm *out)
{
    ff_bytes rest;
    if (!ff_starts(ev->text, FF_LIT("NCCL INFO ")) || !take_behind(ev->text, "comm 0x", &rest) ||
        !ff_take_hex(&rest, &out->pointer) || !take_behind(rest, "rank ", &rest) || !ff_take_int(&rest, &out->rank) ||
        !ff_take_spaces(&rest))
        return false;
    if (!ff_take_lit(&rest, FF_LIT("nranks ")) && !ff_take_lit(&rest, FF_LIT("nRanks ")))
        return false;
    if (!ff_take_int(&rest, &out->nranks) || !take_behind(rest, "commId ", &rest) || !ff_take_name(&rest, &out->id))
        return false;
    out->pid = ev->who.pid;
    return out->rank >= 0 && out->rank < out->nranks;
}

static bool coll_opens(const ff_event *ev)
{
    comm c;
    return read_init(ev, &c);
}

static ff_block_say coll_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    operation op;
    comm c;
    (void)lines, (void)n;
    if (!ff_starts(next->text, FF_LIT("NCCL INFO ")))
        return FF_BLOCK_NOT_MINE;
    if (read_operation(next->text, &op))
        return is_even(op.name) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
    return read_init(next, &c) ? FF_BLOCK_MINE : FF_BLOCK_NOT_MINE;
}

static ff_bytes type_name(ff_arena *arena, int64_t type)
{
    static const char *const names[] = { "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
                                         "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2" };
    if (type >= 0 && (size_t)type < FF_COUNT(names))
        return ff_str(names[type]);
    return ff_arena_format(arena, "datatype %lld", (long long)type);
}

typedef struct reading {
    comm comms[MOST_COMMS];
    uint32_t n_comms;
    ff_dump dumps[MOST_PROCESSES];
    ff_calls calls[MOST_PROCESSES];
    int32_t pids[MOST_PROCESSES];
    int64_t widest[MOST_PROCESSES]; /* size of the communicator whose rank is the process's */
    uint32_t n_dumps;
    ff_arena *arena;
    ff_intern texts;
    uint32_t room[MOST_PROCESSES];   /* entries that fit into the dump */
    uint32_t *lines[MOST_PROCESSES]; /* where each of them stands */
} reading;

/* A pointer is used again after a communicator was destroyed: the latest line counts. */
static void see_comm(reading *r, const comm *c)
{
    for (uint32_t i = 0; i < r->n_comms; i++) {
        comm *known = &r->comms[i];
        if (known->pid != c->pid || known->pointer != c->pointer)
            continue;
        if (!ff_equal(known->id, c->id))
            *known = *c;
        return;
    }
    if (r->n_comms < MOST_COMMS)
        r->comms[r->n_comms++] = *c;
}

static comm *find_comm(reading *r, int32_t pid, uint64_t pointer)
{
    for (uint32_t i = 0; i < r->n_comms; i++)
        if (r->comms[i].pid == pid && r->comms[i].pointer == pointer)
            return &r->comms[i];
    return NULL;
}

static uint32_t dump_of(reading *r, int32_t pid, const ff_block_line *line)
{
    for (uint32_t i = 0; i < r->n_dumps; i++)
        if (r->pids[i] == pid)
            return i;
    if (r->n_dumps == MOST_PROCESSES)
        return FF_NONE;
    r->pids[r->n_dumps] = pid;
    r->dumps[r->n_dumps] = (ff_dump){ .rank = FF_NO_NUMBER,
                                      .backend = FF_LIT("nccl"),
                                      .from_log = true,
                                      .begins = line->offset,
                                      .groups = FF_NEW_N(r->arena, ff_fr_group, MOST_COMMS),
                                      .quote = line->quote };
    ff_calls_init(&r->calls[r->n_dumps], r->arena);
    return r->n_dumps++;
}

static void add_group(reading *r, uint32_t number, comm *c)
{
    ff_dump *d = &r->dumps[number];
    c->group = d->n_groups;
    d->groups[d->n_groups++] =
        (ff_fr_group){ .name = c->id, .last_enqueued = -1, .last_started = -1, .last_completed = -1 };
    if (c->nranks > r->widest[number]) {
        r->widest[number] = c->nranks;
        d->rank = (int32_t)c->rank;
    }
}

/* The entries of a dump, with room for one more. */
static ff_fr_entry *room_for_one(reading *r, uint32_t number)
{
    ff_dump *d = &r->dumps[number];
    if (d->n_entries < r->room[number])
        return d->entries;
    r->room[number] = r->room[number] ? 2 * r->room[number] : 64;
    ff_fr_entry *more = ff_arena_take(r->arena, r->room[number] * sizeof *more);
    uint32_t *lines = ff_arena_take(r->arena, r->room[number] * sizeof *lines);
    if (d->n_entries) {
        memcpy(more, d->entries, d->n_entries * sizeof *more);
        memcpy(lines, r->lines[number], d->n_entries * sizeof *lines);
    }
    d->lines = r->lines[number] = lines;
    return more;
}

static const ff_fr_call *call_of(reading *r, uint32_t number, const operation *op)
{
    char size[32];
    int n = snprintf(size, sizeof size, "[[%lld]]", (long long)op->count);
    ff_bytes sizes = ff_intern_text(&r->texts, (ff_bytes){ size, n > 0 ? (size_t)n : 0 });
    ff_fr_call call = { .op = ff_intern_text(&r->texts, op->name),
                        .in_sizes = sizes,
                        .out_sizes = sizes,
                        .dtypes = ff_intern_text(&r->texts, type_name(r->arena, op->datatype)),
                        .in_numel = op->count,
                        .out_numel = op->count,
                        .timeout_ms = -1,
                        .src = -1,
                        .dst = -1 };
    return ff_calls_add(&r->calls[number], &call);
}

static uint32_t narrow(uint64_t offset) { return offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX; }

/* Whatever the host asked for is taken as done: only what was asked is compared here. */
static void add_operation(reading *r, const ff_block_line *line, const operation *op)
{
    comm *c = find_comm(r, line->ev.who.pid, op->comm);
    uint32_t number = c ? dump_of(r, c->pid, line) : FF_NONE;
    if (number == FF_NONE)
        return;
    ff_dump *d = &r->dumps[number];
    if (c->group == FF_NONE && d->n_groups == MOST_COMMS)
        return;
    if (c->group == FF_NONE)
        add_group(r, number, c);
    d->entries = room_for_one(r, number);
    d->entries[d->n_entries] = (ff_fr_entry){ .group = (uint16_t)c->group,
                                              .seq = (int32_t)c->next,
                                              .p2p_seq = -1,
                                              .call = call_of(r, number, op),
                                              .state = FF_FR_COMPLETED,
                                              .retired = true,
                                              .ended_ms = -1,
                                              .duration_ms = -1,
                                              .offset = narrow(line->offset - d->begins) };
    r->lines[number][d->n_entries++] = line->line;
    c->next++;
}

static void coll_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    reading *r = FF_NEW(out->scratch, reading);
    *r = (reading){ .arena = out->scratch };
    ff_intern_init(&r->texts, r->arena);
    operation op;
    for (uint32_t i = 0; i < n; i++) {
        comm c = { .group = FF_NONE };
        if (read_operation(lines[i].ev.text, &op))
            add_operation(r, &lines[i], &op);
        else if (read_init(&lines[i].ev, &c))
            see_comm(r, &c);
    }
    for (uint32_t i = 0; i < r->n_dumps; i++) {
        ff_calls_give(&r->calls[i], &r->dumps[i]);
        ff_calls_done(&r->calls[i]);
        r->dumps[i].truncated = cut;
        if (r->dumps[i].rank >= 0)
            out->dump(out->owner, &r->dumps[i]);
    }
    ff_intern_done(&r->texts);
    if (cut && r->n_dumps)
        out->skip(out->owner, lines[n - 1].line, "only the first collectives of an NCCL log are compared");
}

static const char *const coll_needles[] = { " commId 0x", NULL };

const ff_block ff_block_coll = { .name = "coll",
                                 .streams = FF_STREAM_NCCL | FF_STREAM_APP,
                                 .needles = coll_needles,
                                 .max_lines = MOST_LINES,
                                 .opens = coll_opens,
                                 .take = coll_take,
                                 .read = coll_read };
