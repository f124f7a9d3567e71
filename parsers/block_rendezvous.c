/* What torchrun's agent says when all agents have come, once a node and attempt, where its log level is INFO.
 *     [default] Rendezvous complete for workers. Result:
 *       restart_count=0
 *       master_addr=gpu-a01
 *       master_port=37117
 *       group_rank=1
 *       group_world_size=2
 *       local_ranks=[0, 1]
 *       role_ranks=[2, 3]
 *       global_ranks=[2, 3]
 *       role_world_sizes=[4, 4]
 *       global_world_sizes=[4, 4]
 * Format: torch/distributed/elastic/agent/server/api.py, _rendezvous. Some releases give each line a prefix of its
 * own.
 */
#include "lines.h"

#define MOST_LINES 16u

static bool rendezvous_opens(const ff_event *ev)
{
    return ff_contains(ev->text, FF_LIT("] Rendezvous complete for workers. Result:"));
}

static bool take_pair(ff_bytes text, ff_bytes *key, ff_bytes *value)
{
    if (!ff_starts(text, FF_LIT("  ")))
        return false;
    text = ff_trim(text);
    if (!ff_take_until(&text, '=', key) || !key->n)
        return false;
    *value = text;
    return true;
}

static ff_block_say rendezvous_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes key, value;
    if (!ff_equal(next->who.host, lines[0].ev.who.host) || (next->stream && !(next->stream & FF_STREAM_APP)) ||
        !take_pair(next->text, &key, &value))
        return n > 1 ? FF_BLOCK_END : FF_BLOCK_NOT_MINE;
    return ff_equal(key, FF_LIT("global_world_sizes")) ? FF_BLOCK_LAST : FF_BLOCK_MINE;
}

/* "[2, 3]" */
static ff_bytes inside(ff_bytes list)
{
    ff_bytes items = { 0 };
    return ff_take_char(&list, '[') && ff_take_until(&list, ']', &items) ? items : (ff_bytes){ 0 };
}

static void rendezvous_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    static const struct {
        const char *name;
        bool list, text;
    } wanted[] = { { "restart_count", false, false },    { "master_addr", false, true },
                   { "master_port", false, false },      { "group_rank", false, false },
                   { "group_world_size", false, false }, { "local_ranks", true, true },
                   { "global_ranks", true, true } };
    ff_fields f = { .n = 0 };
    (void)cut;
    for (uint32_t i = 1; i < n; i++) {
        ff_bytes key = { 0 }, value = { 0 };
        int64_t number = 0;
        if (!take_pair(lines[i].ev.text, &key, &value))
            continue;
        for (size_t k = 0; k < FF_COUNT(wanted); k++) {
            ff_bytes rest = value;
            if (!ff_equal(key, ff_str(wanted[k].name)))
                continue;
            if (wanted[k].text)
                ff_fields_text(&f, wanted[k].name, FF_FIELD_TEXT, wanted[k].list ? inside(value) : value);
            else if (ff_take_int(&rest, &number) && !rest.n)
                ff_fields_int(&f, wanted[k].name, FF_FIELD_INT, number);
        }
    }
    if (!f.n)
        return;
    ff_fact fact = { .id = FF_FACT_RENDEZVOUS,
                     .line = lines[0].line,
                     .offset = lines[0].offset,
                     .quote = lines[0].quote,
                     .said = lines[0].ev.said,
                     .who = lines[0].ev.who,
                     .fields = f.at,
                     .n_fields = f.n };
    fact.who.rank = fact.who.local_rank = FF_NO_NUMBER;
    out->fact(out->owner, &fact);
}

static const char *const rendezvous_needles[] = { "Rendezvous complete for workers", NULL };

const ff_block ff_block_rendezvous = { .name = "rendezvous",
                                       .streams = FF_STREAM_APP,
                                       .needles = rendezvous_needles,
                                       .max_lines = MOST_LINES,
                                       .opens = rendezvous_opens,
                                       .take = rendezvous_take,
                                       .read = rendezvous_read };
