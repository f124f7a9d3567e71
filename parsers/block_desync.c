/* The desync report of PyTorch's watchdog.
 *     	 - [0] Timeout at collective: ALLREDUCE, #12
 *     	 - To our best knowledge, ranks [1, 5] are the lagging ranks that caused this timeout. They never joined any
 * collectives
 *     	 - To our best knowledge, the lagging/dead/mismatched ranks that caused the desync are:
 *     	   - [2] joined but didn't finish collective #12 (count from 1)
 *     	     [1] finished collective #11, but didn't join collective #12 (count from 1)
 *     	 - Snapshot of ranks' latest states:
 * Format: torch/csrc/distributed/c10d/TraceUtils.h. Ranks in it are numbers inside the group. It is a hint, no proof:
 * a rank whose store key is gone is called one that never joined. */
#include "lines.h"

static const char timeout_at[] = "Timeout at collective: ";
static const char sentence[] = "To our best knowledge, ";

static bool desync_opens(const ff_event *ev) { return ff_contains(ev->text, ff_str(timeout_at)); }

static bool is_part(ff_bytes text)
{
    ff_bytes trimmed = ff_trim(text);
    ff_take_lit(&trimmed, FF_LIT("- "));
    return ff_starts(trimmed, FF_LIT("[")) || ff_starts(trimmed, ff_str(sentence)) ||
           ff_starts(trimmed, FF_LIT("Snapshot of ranks' latest states")) || ff_starts(trimmed, FF_LIT("#"));
}

static ff_block_say desync_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)n;
    bool tagged = next->who.rank != FF_NO_NUMBER && next->who.rank != lines[0].ev.who.rank;
    if (tagged || (next->stream && !(next->stream & FF_STREAM_APP)))
        return FF_BLOCK_NOT_MINE;
    if (ff_is_empty(next->text) || !(next->text.p[0] == '\t' || next->text.p[0] == ' '))
        return FF_BLOCK_END;
    if (ff_contains(next->text, ff_str(timeout_at)))
        return FF_BLOCK_END;
    return is_part(next->text) ? FF_BLOCK_MINE : FF_BLOCK_END;
}

typedef struct desync {
    ff_bytes reporter, op, lagging, text;
    int64_t seq, finished_seq;
    bool has_seq, has_finished, never_joined;
} desync;

static bool take_list(ff_bytes text, ff_bytes *ranks, ff_bytes *rest)
{
    size_t at = ff_find(text, FF_LIT("["));
    *rest = ff_skip_n(text, at <= text.n ? at + 1 : text.n);
    return at <= text.n && ff_take_until(rest, ']', ranks);
}

/* "[0] Timeout at collective: ALLREDUCE, #12". */
static void read_timeout(desync *d, ff_bytes text)
{
    ff_bytes rest = ff_skip_n(text, ff_find(text, ff_str(timeout_at)) + sizeof timeout_at - 1), op;
    ff_bytes reporter, behind;
    if (take_list(text, &reporter, &behind))
        d->reporter = ff_trim(reporter);
    if (!ff_take_until(&rest, ',', &op))
        return;
    d->op = ff_trim(op);
    ff_take_spaces(&rest);
    d->has_seq = ff_take_char(&rest, '#') && ff_take_int(&rest, &d->seq);
}

/* "1, 5" and what is known already -> "1,5". */
static void add_ranks(desync *d, ff_bytes list, ff_arena *arena)
{
    uint64_t rank = 0;
    while (list.n && d->lagging.n < 2048) {
        if (!ff_take_uint(&list, &rank)) {
            list = ff_skip_n(list, 1);
            continue;
        }
        d->lagging = ff_arena_format(arena, "%.*s%s%llu", (int)d->lagging.n, d->lagging.n ? d->lagging.p : "",
                                     d->lagging.n ? "," : "", (unsigned long long)rank);
    }
}

/* A line with ranks: who did not join lags; who joined and did not finish waits with the others. */
static void read_ranks(desync *d, ff_bytes text, ff_arena *arena)
{
    ff_bytes ranks, rest;
    if (!take_list(text, &ranks, &rest))
        return;
    size_t at = ff_find(rest, FF_LIT("finished collective #"));
    if (at <= rest.n && ff_contains(rest, FF_LIT("didn't join"))) {
        ff_bytes number = ff_skip_n(rest, at + sizeof "finished collective #" - 1);
        d->has_finished |= ff_take_int(&number, &d->finished_seq);
        add_ranks(d, ranks, arena);
    } else if (ff_contains(text, FF_LIT("are the lagging ranks"))) {
        add_ranks(d, ranks, arena);
    }
}

static void desync_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    desync d = { .seq = 0 };
    bool snapshot = false;
    for (uint32_t i = 0; i < n; i++) {
        ff_bytes rest = lines[i].ev.text, text;
        while (ff_take_line(&rest, &text)) {
            snapshot |= ff_contains(text, FF_LIT("Snapshot of ranks"));
            d.never_joined |= ff_contains(text, FF_LIT("never joined any collectives"));
            if (ff_contains(text, ff_str(timeout_at)))
                read_timeout(&d, text);
            else if (!snapshot)
                read_ranks(&d, text, out->scratch);
            if (ff_contains(text, ff_str(sentence)) && ff_is_empty(d.text))
                d.text = ff_trim(text);
        }
    }
    ff_fields f = { .n = 0 };
    ff_fields_text(&f, "reporter", FF_FIELD_TEXT, d.reporter);
    ff_fields_text(&f, "op", FF_FIELD_TEXT, d.op);
    if (d.has_seq)
        ff_fields_int(&f, "seq", FF_FIELD_INT, d.seq);
    if (d.has_finished)
        ff_fields_int(&f, "finished_seq", FF_FIELD_INT, d.finished_seq);
    ff_fields_text(&f, "lagging", FF_FIELD_TEXT, d.lagging);
    ff_fields_int(&f, "never_joined", FF_FIELD_INT, d.never_joined);
    ff_fields_text(&f, "text", FF_FIELD_TEXT, d.text);
    ff_fact fact = { .id = FF_FACT_DESYNC_REPORT,
                     .line = lines[0].line,
                     .offset = lines[0].offset,
                     .quote = lines[0].quote,
                     .said = lines[0].ev.said,
                     .who = lines[0].ev.who,
                     .fields = f.at,
                     .n_fields = f.n };
    out->fact(out->owner, &fact);
    if (cut)
        out->skip(out->owner, lines[n - 1].line, "desync report is longer than the cap");
}

static const char *const desync_needles[] = { timeout_at, NULL };

const ff_block ff_block_desync = { .name = "desync",
                                   .streams = FF_STREAM_APP,
                                   .needles = desync_needles,
                                   .max_lines = 2048,
                                   .opens = desync_opens,
                                   .take = desync_take,
                                   .read = desync_read };
