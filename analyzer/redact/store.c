/* Things by kind and value, each once. */
#include "redact_private.h"

static uint64_t hash_of(ff_secret kind, ff_bytes normal)
{
    return ff_hash(normal) + (uint64_t)kind * 0x9E3779B97F4A7C15u;
}

static uint32_t slot_of(const ff_table *t, uint64_t hash,
                        bool (*is)(const ff_thing *t, ff_secret kind, ff_bytes value), ff_secret kind, ff_bytes value)
{
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & (t->n_slots - 1);
    while (t->slots[at] && (t->hashes[at] != hash || !is(t->slots[at], kind, value)))
        at = (at + 1) & (t->n_slots - 1);
    return at;
}

static bool is_other(const ff_thing *t, ff_secret kind, ff_bytes value)
{
    (void)t, (void)kind, (void)value;
    return false;
}

static void done(ff_table *t)
{
    ff_free(t->slots);
    ff_free(t->hashes);
}

static void grow(ff_table *t)
{
    ff_table wider = { .n = t->n, .n_slots = t->n_slots ? t->n_slots * 2 : 1024 };
    wider.slots = ff_alloc(wider.n_slots * sizeof *wider.slots);
    wider.hashes = ff_alloc(wider.n_slots * sizeof *wider.hashes);
    memset(wider.slots, 0, wider.n_slots * sizeof *wider.slots);
    for (uint32_t i = 0; i < t->n_slots; i++)
        if (t->slots[i]) {
            uint32_t at = slot_of(&wider, t->hashes[i], is_other, t->slots[i]->kind, t->slots[i]->value);
            wider.slots[at] = t->slots[i];
            wider.hashes[at] = t->hashes[i];
        }
    done(t);
    *t = wider;
}

static void put(ff_table *t, uint64_t hash, ff_thing *thing)
{
    if (2 * (t->n + 1) > t->n_slots)
        grow(t);
    uint32_t at = slot_of(t, hash, is_other, thing->kind, thing->value);
    t->slots[at] = thing;
    t->hashes[at] = hash;
    t->n++;
}

void ff_store_done(ff_redactor *r)
{
    done(&r->by_value);
    done(&r->families);
    done(&r->words);
}

static bool is_thing(const ff_thing *t, ff_secret kind, ff_bytes value)
{
    return t->kind == kind && ff_equal(t->value, value);
}

static ff_thing *find(const ff_table *t, ff_secret kind, ff_bytes normal)
{
    return t->n ? t->slots[slot_of(t, hash_of(kind, normal), is_thing, kind, normal)] : NULL;
}

static ff_thing *thing_of(ff_redactor *r, ff_secret kind, ff_bytes normal)
{
    ff_thing *thing = FF_NEW(&r->arena, ff_thing);
    *thing = (ff_thing){ .value = ff_arena_copy(&r->arena, normal), .kind = kind };
    return thing;
}

ff_thing *ff_store_find(const ff_redactor *r, ff_secret kind, ff_bytes normal)
{
    return find(&r->by_value, kind, normal);
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
    thing = thing_of(r, kind, normal);
    put(&r->by_value, hash_of(kind, normal), thing);
    FF_PUSH(&r->things, thing);
    return thing;
}

bool ff_store_has_family(const ff_redactor *r, ff_bytes family)
{
    return find(&r->families, FF_SECRET_HOST, family) != NULL;
}

void ff_store_add_family(ff_redactor *r, ff_bytes family)
{
    if (!ff_store_has_family(r, family))
        put(&r->families, hash_of(FF_SECRET_HOST, family), thing_of(r, FF_SECRET_HOST, family));
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c + 32 : c); }

/* Grows byte by byte, so that all beginnings of a text are asked for at the cost of one. */
static uint64_t with_byte(uint64_t hash, char c) { return ff_mix(hash, (unsigned char)lower(c)); }

static bool is_word(const ff_thing *t, ff_secret kind, ff_bytes value)
{
    (void)kind;
    return ff_equal_nocase(t->value, value);
}

/* Of things with one value, the kind that comes first here is the one that is replaced. */
static unsigned place_of(ff_secret kind)
{
    static const ff_secret kinds[] = { FF_SECRET_HOST, FF_SECRET_NAME, FF_SECRET_USER, FF_SECRET_SERIAL,
                                       FF_SECRET_GUID };
    unsigned i = 0;
    while (i < FF_COUNT(kinds) && kinds[i] != kind)
        i++;
    return i;
}

static void mark_heads(ff_redactor *r, ff_bytes value)
{
    unsigned head = ff_head_of(value), behind = value.n < 3 ? 1u << (5 * (3 - value.n)) : 1;
    for (unsigned i = 0; i < behind; i++) {
        unsigned h = r->heads[head + i], length = h & FF_HEAD_LENGTH;
        r->heads[head + i] = (uint16_t)(h - length + (value.n > length ? value.n : length));
    }
}

void ff_store_widen(ff_redactor *r, ff_thing *t)
{
    if (t->everywhere)
        return;
    t->everywhere = true;
    r->lengths[t->value.n] = true;
    mark_heads(r, t->value);
    uint64_t hash = 0;
    for (size_t i = 0; i < t->value.n; i++)
        hash = with_byte(hash, t->value.p[i]);
    ff_thing **same = r->words.n ? &r->words.slots[slot_of(&r->words, hash, is_word, t->kind, t->value)] : NULL;
    if (!same || !*same)
        put(&r->words, hash, t);
    else if (place_of(t->kind) < place_of((*same)->kind))
        *same = t;
}

const ff_thing *ff_store_word(const ff_redactor *r, ff_bytes rest, size_t *n)
{
    const ff_thing *longest = NULL;
    uint64_t hash = 0;
    size_t most = r->heads[ff_head_of(rest)] & FF_HEAD_LENGTH;
    most = most < rest.n ? most : rest.n;
    for (size_t i = 0; i < most;) {
        hash = with_byte(hash, rest.p[i++]);
        if (!r->lengths[i] || (i < rest.n && ff_is_alnum(rest.p[i])))
            continue;
        const ff_thing *t = r->words.slots[slot_of(&r->words, hash, is_word, FF_SECRET_HOST, ff_first_n(rest, i))];
        longest = t ? t : longest;
        *n = t ? i : *n;
    }
    return longest;
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
    for (size_t i = 0; i < value.n; i++)
        scratch[i] = lower(value.p[i]);
    return (ff_bytes){ scratch, value.n };
}

const ff_thing *ff_store_beginning(const ff_redactor *r, ff_bytes text)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes hex = ff_normal(FF_SECRET_UUID, text, scratch);
    uint32_t low = 0, high = r->things.n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        const ff_thing *t = r->things.at[mid];
        if (t->kind < FF_SECRET_UUID || (t->kind == FF_SECRET_UUID && ff_compare(t->value, hex) < 0))
            low = mid + 1;
        else
            high = mid;
    }
    const ff_thing *t = low < r->things.n ? r->things.at[low] : NULL;
    return t && t->kind == FF_SECRET_UUID && ff_starts(t->value, hex) ? t : NULL;
}
