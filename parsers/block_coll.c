/* What each process asked NCCL to do, in order: the COLL lines of a log, as a dump that alignment can compare.
 *     gpu-a01:835:835 [0] NCCL INFO ncclCommInitRank comm 0x2fd2 rank 0 nranks 2 cudaDev 0 busId 60 commId 0x24 -
 * Init START gpu-a01:835:835 [0] NCCL INFO AllReduce: opCount 0 sendbuff 0x7f recvbuff 0x7f count 1048576 datatype 7
 * op 0 root 0 comm 0x2fd2 [nranks=2] stream (nil) Format: src/enqueue.cc and src/init.cc of NCCL, with
 * NCCL_DEBUG_SUBSYS=COLL. The line is written when the host asks, so it says nothing about the end. opCount is no
 * sequence number: lines are counted. The root of a send or receive is its peer. Operations with sizes of their own
 * on each rank are left out. What is kept of a long log: coll_kept.h. */
#include "coll_kept.h"
#include "lines.h"

#include <string.h>

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

/* To behind " KEY ", when it stands behind the word at hand. */
static bool take_next(ff_bytes *in, ff_bytes key)
{
    const char *p = in->p;
    size_t i = 0, n = in->n;
    while (i < n && p[i] != ' ')
        i++;
    if (n - i < key.n || memcmp(p + i, key.p, key.n) != 0)
        return false;
    *in = (ff_bytes){ p + i + key.n, n - i - key.n };
    return true;
}

/* The order of words of all releases known: told from others by comparing, without a search. */
static bool read_in_order(ff_bytes rest, ff_coll_op *out)
{
    return take_next(&rest, FF_LIT(" sendbuff ")) && take_next(&rest, FF_LIT(" recvbuff ")) &&
           take_next(&rest, FF_LIT(" count ")) && ff_take_int(&rest, &out->count) &&
           ff_take_lit(&rest, FF_LIT(" datatype ")) && ff_take_int(&rest, &out->datatype) &&
           ff_take_lit(&rest, FF_LIT(" op ")) && take_next(&rest, FF_LIT(" root ")) &&
           ff_take_int(&rest, &out->root) && ff_take_lit(&rest, FF_LIT(" comm ")) && ff_take_hex(&rest, &out->comm);
}

static bool read_anyhow(ff_bytes rest, ff_coll_op *out)
{
    return take_word_of(&rest, "count", 5) && ff_take_int(&rest, &out->count) && take_word_of(&rest, "datatype", 8) &&
           ff_take_int(&rest, &out->datatype) && take_word_of(&rest, "root", 4) && ff_take_int(&rest, &out->root) &&
           take_word_of(&rest, "comm", 4) && ff_take_hex(&rest, &out->comm);
}

/* "NCCL INFO AllReduce: opCount 0 ... count 1048576 datatype 7 op 0 root 0 comm 0x2fd2 [nranks=2]". */
static bool read_operation(ff_bytes text, ff_coll_op *out)
{
    ff_bytes rest = text, name;
    return ff_take_lit(&rest, FF_LIT("NCCL INFO ")) && ff_take_name(&rest, &name) &&
           ff_take_lit(&rest, FF_LIT(": opCount ")) && ff_coll_name_of(name, &out->name) &&
           (read_in_order(rest, out) || read_anyhow(rest, out));
}

static bool read_init(const ff_event *ev, ff_coll_comm *out)
{
    ff_bytes rest = ev->text;
    if (!ff_starts(rest, FF_LIT("NCCL INFO ")) || !ff_take_past(&rest, FF_LIT("comm 0x")) ||
        !ff_take_hex(&rest, &out->pointer) || !ff_take_past(&rest, FF_LIT("rank ")) ||
        !ff_take_int(&rest, &out->rank) || !ff_take_spaces(&rest))
        return false;
    if (!ff_take_lit(&rest, FF_LIT("nranks ")) && !ff_take_lit(&rest, FF_LIT("nRanks ")))
        return false;
    if (!ff_take_int(&rest, &out->nranks) || !ff_take_past(&rest, FF_LIT("commId ")) ||
        !ff_take_name(&rest, &out->id))
        return false;
    out->pid = ev->who.pid;
    return out->rank >= 0 && out->rank < out->nranks;
}

static bool coll_opens(const ff_event *ev)
{
    ff_coll_comm c;
    return read_init(ev, &c);
}

static bool coll_keep(void **state, const ff_block_line *line, ff_arena *arena)
{
    ff_coll_op op;
    ff_coll_comm c;
    if (!*state)
        *state = ff_coll_new(arena);
    if (read_operation(line->ev.text, &op))
        ff_coll_see_op(*state, arena, line, &op);
    else if (read_init(&line->ev, &c))
        ff_coll_see_comm(*state, arena, &c);
    else
        return false;
    return true;
}

static void coll_give(void *state, bool cut, ff_sink *out) { ff_coll_give(state, cut, out); }

static const char *const coll_needles[] = { " commId 0x", NULL };

const ff_block ff_block_coll = { .name = "coll",
                                 .streams = FF_STREAM_NCCL | FF_STREAM_APP,
                                 .needles = coll_needles,
                                 .opens = coll_opens,
                                 .keep = coll_keep,
                                 .give = coll_give };
