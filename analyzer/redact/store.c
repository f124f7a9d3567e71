/* Things by kind and value, each once. */
#include "redact_private.h"

static uint64_t hash_of(ff_secret kind, ff_bytes normal)
{
    return ff_hash(normal) + (uint64_t)kind * 0x9E3779B97F4A7C15u;
}

static uint32_t slot_of(const ff_table *t, ff_secret kind, ff_bytes normal)
{
    uint32_t at = (uint32_t)hash_of(kind, normal) & (t->n_slots - 1);
    while (t->slots[at] && (t->slots[at]->kind != kind || !ff_equal(t->slots[at]->value, normal)))
        at = (at + 1) & (t->n_slots - 1);
    return at;
}

static void grow(ff_table *t)
{
    ff_table wider = { .n = t->n, .n_slots = t->n_slots ? t->n_slots * 2 : 1024 };
    wider.slots = ff_alloc(wider.n_slots * sizeof *wider.slots);
    memset(wider.slots, 0, wider.n_slots * sizeof *wider.slots);
    for (uint32_t i = 0; i < t->n_slots; i++)
        if (t->slots[i])
            wider.slots[slot_of(&wider, t->slots[i]->kind, t->slots[i]->value)] = t->slots[i];
    ff_free(t->slots);
    *t = wider;
}

ff_thing *ff_store_find(const ff_redactor *r, ff_secret kind, ff_bytes normal)
{
    const ff_table *t = &r->by_value;
    return t->n_slots ? t->slots[slot_of(t, kind, normal)] : NULL;
}

ff_thing *ff_store_add(ff_redactor *r, ff_secret kind, ff_bytes normal)
{
    ff_thing *thing = ff_store_find(r, kind, normal);
    if (thing)
        return thing;
    if (r->things.n >= FF_SECRET_CAP || r->settled) {
        r->full = true;
        return NULL;
    }
    if (2 * (r->by_value.n + 1) > r->by_value.n_slots)
        grow(&r->by_value);
    thing = FF_NEW(&r->arena, ff_thing);
    *thing = (ff_thing){ .value = ff_arena_copy(&r->arena, normal), .kind = kind };
    r->by_value.slots[slot_of(&r->by_value, kind, normal)] = thing;
    r->by_value.n++;
    FF_PUSH(&r->things, thing);
    return thing;
}

/* Five bits of a byte are the same for both cases of a letter. */
static unsigned head_of(ff_bytes value, size_t n)
{
    unsigned head = 0;
    for (size_t i = 0; i < 3; i++)
        head = head << 5 | (i < n ? (unsigned char)value.p[i] & 31u : 0u);
    return head;
}

void ff_store_widen(ff_redactor *r, ff_thing *t)
{
    r->heads[head_of(t->value, t->value.n)] = true;
    t->everywhere = true;
    r->lengths[t->value.n] = true;
    r->longest = t->value.n > r->longest ? t->value.n : r->longest;
    unsigned char first = (unsigned char)t->value.p[0];
    r->starts[first] = true;
    if (first >= 'a' && first <= 'z')
        r->starts[first - 'a' + 'A'] = true;
}

static const ff_thing *word_of(const ff_redactor *r, ff_bytes value)
{
    static const ff_secret kinds[] = { FF_SECRET_HOST, FF_SECRET_NAME, FF_SECRET_USER, FF_SECRET_SERIAL,
                                       FF_SECRET_GUID };
    for (size_t i = 0; i < FF_COUNT(kinds); i++) {
        const ff_thing *t = ff_store_find(r, kinds[i], value);
        if (t && t->everywhere)
            return t;
    }
    return NULL;
}

const ff_thing *ff_store_word(const ff_redactor *r, ff_bytes rest, size_t *n)
{
    char scratch[FF_NORMAL_MOST];
    if (!rest.n || !r->starts[(unsigned char)rest.p[0]])
        return NULL;
    bool any = false;
    for (size_t i = 1; i <= 3; i++)
        any |= r->heads[head_of(rest, i < rest.n ? i : rest.n)];
    if (!any)
        return NULL;
    for (size_t length = r->longest < rest.n ? r->longest : rest.n; length; length--) {
        if (!r->lengths[length] || (length < rest.n && ff_is_alnum(rest.p[length])))
            continue;
        const ff_thing *t = word_of(r, ff_normal(FF_SECRET_NAME, ff_first_n(rest, length), scratch));
        *n = length;
        if (t)
            return t;
    }
    return NULL;
}

static ff_bytes only_hex(ff_bytes value, char *scratch)
{
    size_t n = 0;
    value = ff_starts(value, FF_LIT("0x")) ? ff_skip_n(value, 2) : value;
    for (size_t i = 0; i < value.n && n < FF_NORMAL_MOST; i++)
        if (ff_is_hex(value.p[i]))
            scratch[n++] = (char)(value.p[i] | (ff_is_digit(value.p[i]) ? 0 : 0x20));
    return (ff_bytes){ scratch, n };
}

static void put_hex(char *to, unsigned value, unsigned digits)
{
    for (unsigned i = 0; i < digits; i++)
        to[digits - 1 - i] = "0123456789abcdef"[value >> 4 * i & 15];
}

/* Eight hex digits: sorted, they stand in the order of the addresses. */
static ff_bytes hex_of_ipv4(ff_bytes value, char *scratch)
{
    for (unsigned i = 0; i < 4; i++) {
        uint64_t octet = 0;
        (void)ff_take_uint(&value, &octet);
        (void)ff_take_char(&value, '.');
        put_hex(scratch + 2 * i, (unsigned)octet, 2);
    }
    return (ff_bytes){ scratch, 8 };
}

/* 32 hex digits, "::" filled up. */
static ff_bytes hex_of_ipv6(ff_bytes value, char *scratch)
{
    unsigned groups[8] = { 0 }, n = 0, gap = 8;
    while (value.n && n < 8) {
        if (ff_take_lit(&value, FF_LIT("::")))
            gap = n;
        else
            (void)ff_take_char(&value, ':');
        uint64_t group = 0;
        ff_bytes before = value;
        if (ff_take_hex(&value, &group))
            groups[n++] = (unsigned)group;
        else if (before.n == value.n)
            break;
    }
    for (unsigned i = 0; i < 8; i++) {
        unsigned moved = 8 - n;
        unsigned group = i < gap ? groups[i] : i < gap + moved ? 0 : groups[i - moved];
        put_hex(scratch + 4 * i, group, 4);
    }
    return (ff_bytes){ scratch, 32 };
}

ff_bytes ff_normal(ff_secret kind, ff_bytes value, char *scratch)
{
    if (value.n > FF_NORMAL_MOST)
        return (ff_bytes){ scratch, 0 };
    if (kind == FF_SECRET_IPV4)
        return hex_of_ipv4(value, scratch);
    if (kind == FF_SECRET_IPV6)
        return hex_of_ipv6(value, scratch);
    if (kind == FF_SECRET_UUID || kind == FF_SECRET_MAC || kind == FF_SECRET_GUID)
        return only_hex(value, scratch);
    for (size_t i = 0; i < value.n; i++) {
        char c = value.p[i];
        scratch[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    return (ff_bytes){ scratch, value.n };
}
