/* What the memo of a dump holds, and what was made of it. */
#include "recorder_pattern.h"

const uint8_t *ff_memo_text_at(const ff_pickle *c, const uint8_t *p, ff_bytes *text)
{
    ff_bytes rest = { (const char *)p, (size_t)(c->end - p) };
    ff_pickle_span span;
    if (!rest.n || !ff_pickle_measure(rest, &span) || span.body > rest.n - span.head ||
        (span.kind != FF_PICKLE_TEXT && span.kind != FF_PICKLE_BYTES))
        return NULL;
    *text = ff_first_n(ff_skip_n(rest, span.head), (size_t)span.body);
    return p + span.head + span.body;
}

bool ff_memo_text(const ff_pickle *c, uint32_t slot, ff_bytes *text)
{
    uint32_t at = slot < c->memo.n ? c->memo.at[slot].at : FF_NONE;
    return at != FF_NONE && ff_memo_text_at(c, c->from + at, text);
}

uint8_t ff_memo_opcode(const ff_pickle *c, uint32_t slot)
{
    uint32_t at = slot < c->memo.n ? c->memo.at[slot].at : FF_NONE;
    return at == FF_NONE ? 0 : c->from[at];
}

bool ff_memo_word(ff_pickle *c, ff_distinct *words, uint32_t slot, uint32_t *word)
{
    ff_bytes text;
    uint32_t made = slot < c->memo.n ? c->memo.at[slot].made : 0;
    *word = made & FF_MADE_MASK;
    if ((made & ~FF_MADE_MASK) == FF_MADE_WORD)
        return true;
    if (!ff_memo_text(c, slot, &text))
        return false;
    *word = ff_distinct_add(words, text);
    if (!made && *word <= FF_MADE_MASK)
        c->memo.at[slot].made = FF_MADE_WORD | *word;
    return true;
}
