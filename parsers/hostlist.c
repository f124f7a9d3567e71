/* Expansion of Slurm's lists of hosts. Format: Slurm src/common/hostlist.c. A range keeps the width of its first
 * number; a name may hold several brackets: rack[0-1]node[00-17]. */
#include "hostlist.h"

#include <string.h>

#define LONGEST_NAME 255u
#define MOST_BRACKETS 4u

typedef struct expansion {
    ff_arena *arena;
    ff_hostlist *out;
    uint32_t room;
    char name[LONGEST_NAME + 1];
} expansion;

static bool expand_name(expansion *e, size_t length, ff_bytes rest, unsigned depth);

static bool put(expansion *e, size_t length)
{
    if (!length)
        return false;
    if (e->out->n == e->room) {
        uint32_t room = e->room ? e->room * 2 : 16;
        if (room > FF_CAP_HOSTLIST)
            room = FF_CAP_HOSTLIST;
        if (room == e->room)
            return false;
        ff_bytes *more = FF_NEW_N(e->arena, ff_bytes, room);
        if (e->out->n)
            memcpy(more, e->out->at, e->out->n * sizeof *more);
        e->out->at = more;
        e->room = room;
    }
    e->out->at[e->out->n++] = ff_arena_copy(e->arena, (ff_bytes){ e->name, length });
    return true;
}

static bool append(expansion *e, size_t *length, ff_bytes part)
{
    if (part.n > LONGEST_NAME - *length)
        return false;
    if (part.n)
        memcpy(e->name + *length, part.p, part.n);
    *length += part.n;
    return true;
}

/* "07" or "01-03", then what stands behind the bracket */
static bool expand_range(expansion *e, size_t length, ff_bytes range, ff_bytes behind, unsigned depth)
{
    ff_bytes rest = range;
    uint64_t from = 0, to = 0;
    size_t width = ff_first_n(range, ff_find(range, FF_LIT("-"))).n;
    if (!ff_take_uint(&rest, &from))
        return false;
    to = from;
    if (ff_take_char(&rest, '-') && !ff_take_uint(&rest, &to))
        return false;
    if (rest.n || to < from || to - from >= FF_CAP_HOSTLIST || width > 18)
        return false;
    for (uint64_t i = from; i <= to; i++) {
        char digits[24];
        size_t at = sizeof digits, longer = length;
        uint64_t left = i;
        do {
            digits[--at] = (char)('0' + left % 10);
            left /= 10;
        } while (left);
        while (sizeof digits - at < width)
            digits[--at] = '0';
        if (!append(e, &longer, (ff_bytes){ digits + at, sizeof digits - at }) ||
            !expand_name(e, longer, behind, depth))
            return false;
    }
    return true;
}

static bool expand_name(expansion *e, size_t length, ff_bytes rest, unsigned depth)
{
    size_t open = ff_find(rest, FF_LIT("["));
    ff_bytes inside, range;
    if (!append(e, &length, ff_first_n(rest, open)))
        return false;
    if (open >= rest.n)
        return put(e, length);
    rest = ff_skip_n(rest, open + 1);
    if (depth == MOST_BRACKETS || !ff_take_until(&rest, ']', &inside))
        return false;
    while (ff_take_until(&inside, ',', &range))
        if (!expand_range(e, length, range, rest, depth + 1))
            return false;
    return expand_range(e, length, inside, rest, depth + 1);
}

/* The part up to the next comma outside of brackets. */
static ff_bytes take_item(ff_bytes *text)
{
    size_t i = 0;
    bool inside = false;
    while (i < text->n && (inside || text->p[i] != ',')) {
        inside = text->p[i] == '[' || (inside && text->p[i] != ']');
        i++;
    }
    ff_bytes item = ff_first_n(*text, i);
    *text = ff_skip_n(*text, i + 1);
    return item;
}

static bool is_name(ff_bytes item)
{
    for (size_t i = 0; i < item.n; i++) {
        char c = item.p[i];
        bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    memchr("-_.[],", c, 6) != NULL;
        if (!fine)
            return false;
    }
    return item.n > 0;
}

bool ff_hostlist_expand(ff_bytes text, ff_arena *arena, ff_hostlist *out)
{
    expansion e = { .arena = arena, .out = out };
    *out = (ff_hostlist){ .n = 0 };
    while (text.n) {
        ff_bytes item = take_item(&text);
        if (is_name(item) && expand_name(&e, 0, item, 0))
            continue;
        *out = (ff_hostlist){ .n = 0 };
        return false;
    }
    return out->n > 0;
}
