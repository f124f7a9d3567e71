/* Records that are not lines (objects.h). */
#include "objects.h"

size_t records_whole(ff_bytes run, record_length length)
{
    size_t whole = 0, n;
    while (whole < run.n && (n = length(ff_skip_n(run, whole))) != SIZE_MAX)
        whole += n;
    return whole;
}

ff_bytes records_at(ff_bytes run, size_t at, record_length length)
{
    for (size_t from = 0;;) {
        ff_bytes rest = ff_skip_n(run, from);
        size_t n = length(rest);
        if (n == SIZE_MAX || at < from + n)
            return n == SIZE_MAX ? rest : ff_first_n(rest, n);
        from += n;
    }
}

static size_t string_end(ff_bytes b, size_t at)
{
    for (at++; at < b.n && b.p[at] != '"'; at++)
        at += b.p[at] == '\\';
    return at;
}

static size_t object_length(ff_bytes run)
{
    int64_t depth = 0;
    for (size_t i = 0; i < run.n; i++) {
        char c = run.p[i];
        if (c == '"')
            i = string_end(run, i);
        else if (c == '{' && depth > 0 && i > 0 && run.p[i - 1] == '\n')
            return i;
        else if (c == '{')
            depth++;
        else if (c == '}' && --depth <= 0)
            return i + 1 < run.n && run.p[i + 1] == '\n' ? i + 2 : i + 1;
    }
    return SIZE_MAX;
}

size_t objects_whole(ff_bytes run) { return records_whole(run, object_length); }
ff_bytes objects_record(ff_bytes run, size_t at) { return records_at(run, at, object_length); }

static size_t blank_lead(ff_bytes b)
{
    size_t n = 0;
    while (n < b.n && (b.p[n] == ' ' || b.p[n] == '\n' || b.p[n] == '\t'))
        n++;
    return n;
}

static bool breaks_line(ff_bytes b)
{
    (void)ff_take_spaces(&b);
    (void)ff_take_char(&b, '\r');
    return ff_starts(b, FF_LIT("\n"));
}

bool object_first(ff_bytes head, ff_bytes *object)
{
    ff_bytes rest = head;
    bool listed = ff_take_lit(&rest, FF_LIT("data: ")) || ff_take_lit(&rest, FF_LIT("["));
    if (listed)
        rest = ff_skip_n(rest, blank_lead(rest));
    /* who prints an object over several lines breaks the first one behind its brace */
    if (!ff_starts(rest, FF_LIT("{")) || (!listed && !breaks_line(ff_skip_n(rest, 1))))
        return false;
    size_t n = object_length(rest);
    if (n == SIZE_MAX)
        return false;
    *object = ff_first_n(rest, n);
    return listed || ff_find(*object, FF_LIT("\n")) + 1 < n;
}
