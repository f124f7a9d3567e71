/* What the readers of command outputs share. */
#include "tools.h"

void tool_fact(ff_sink *out, const ff_block_line *line, ff_fact_id id, const ff_fields *fields)
{
    ff_fact fact = { .id = id,
                     .line = line->line,
                     .offset = line->offset,
                     .quote = line->quote,
                     .said = line->ev.said,
                     .who = line->ev.who,
                     .fields = fields->at,
                     .n_fields = fields->n };
    out->fact(out->owner, &fact);
}

bool tool_number(ff_bytes word, uint64_t *out) { return ff_take_uint(&word, out) && !word.n && *out <= INT64_MAX; }

bool tool_take_decimal(ff_bytes *in, double *out)
{
    int64_t billionths = 0;
    if (!ff_take_seconds(in, &billionths))
        return false;
    *out = (double)billionths / 1e9;
    return true;
}

ff_bytes tool_lower(ff_bytes in, ff_arena *arena)
{
    char *out = FF_NEW_N(arena, char, in.n + 1);
    for (size_t i = 0; i < in.n; i++)
        out[i] = in.p[i] >= 'A' && in.p[i] <= 'Z' ? (char)(in.p[i] + 32) : in.p[i];
    return (ff_bytes){ out, in.n };
}

bool tool_has_item(ff_bytes list, const char *item)
{
    ff_bytes part;
    while (ff_take_until(&list, ',', &part))
        if (ff_equal(part, ff_str(item)))
            return true;
    return ff_equal(list, ff_str(item));
}

void tool_add(ff_fields *f, const char *name, uint64_t value)
{
    if (value <= INT64_MAX)
        ff_fields_int(f, name, FF_FIELD_INT, (int64_t)value);
}

const char *tool_field_of(const tool_name *names, size_t n, ff_bytes printed)
{
    for (size_t i = 0; i < n; i++)
        if (ff_equal(printed, ff_str(names[i].printed)))
            return names[i].field;
    return NULL;
}
