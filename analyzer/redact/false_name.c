/* Pseudonyms: by number in the order of all values of a kind, so they do not depend on who was read first. */
#include "redact_private.h"

#include <stdio.h>
#include <stdlib.h>

bool ff_is_open_part(ff_bytes part)
{
    static const char *const words[] = {
        "worker",        "workers",    "master",     "launcher", "head",      "leader",    "ps",      "chief",
        "node",          "rank",       "replica",    "pod",      "job",       "server",    "client",  "main",
        "host",          "gpu",        "nvidia",     "driver",   "daemonset", "device",    "plugin",  "dcgm",
        "exporter",      "operator",   "kube",       "system",   "proxy",     "coredns",   "calico",  "cilium",
        "flannel",       "mpi",        "ray",        "slurm",    "svc",       "cluster",   "local",   "default",
        "public",        "monitoring", "prometheus", "network",  "feature",   "discovery", "toolkit", "mig",
        "manager",       "validator",  "container",  "rdma",     "shared",    "dp",        "sriov",   "multus",
        "fabricmanager", "imex",       "kubeflow",   "volcano",  "kueue",     "batch",     "0"
    };
    for (size_t i = 0; i < FF_COUNT(words); i++)
        if (ff_equal_nocase(part, ff_str(words[i])))
            return true;
    return ff_is_digits(part);
}

void ff_each_part(ff_bytes name, void (*take)(void *owner, ff_bytes part, bool separator), void *owner)
{
    while (name.n) {
        bool separator = strchr("-._/", name.p[0]) != NULL && name.p[0];
        size_t n = 1;
        while (n < name.n && (name.p[n] && strchr("-._/", name.p[n]) != NULL) == separator)
            n++;
        take(owner, ff_first_n(name, n), separator);
        name = ff_skip_n(name, n);
    }
}

static int by_kind_and_value(const void *a, const void *b)
{
    const ff_thing *x = *(ff_thing *const *)a, *y = *(ff_thing *const *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return ff_compare(x->value, y->value);
}

typedef struct renaming {
    ff_redactor *r;
    ff_text text;
} renaming;

static void rename_part(void *owner, ff_bytes part, bool separator)
{
    renaming *n = owner;
    if (separator || ff_is_open_part(part)) {
        ff_text_add(&n->text, part);
        return;
    }
    const ff_thing *t = ff_store_find(n->r, FF_SECRET_NAME, part);
    ff_text_addf(&n->text, "n%u", t ? t->number : 0);
}

static ff_bytes rename_name(ff_redactor *r, const ff_thing *t)
{
    renaming n = { .r = r };
    ff_text_init(&n.text, 0);
    ff_each_part(t->value, rename_part, &n);
    ff_bytes result = ff_arena_copy(&r->arena, ff_text_view(&n.text));
    ff_text_done(&n.text);
    return result;
}

/* host.site.tld: the host keeps the name that it has alone. */
static ff_bytes rename_host(ff_redactor *r, const ff_thing *t)
{
    ff_bytes rest = t->value, label;
    if (!ff_take_until(&rest, '.', &label))
        return ff_arena_format(&r->arena, "host-%04u", t->number);
    const ff_thing *host = ff_store_find(r, FF_SECRET_HOST, label);
    const ff_thing *site = ff_store_find(r, FF_SECRET_NAME, rest);
    return ff_arena_format(&r->arena, "host-%04u.site-%u.invalid", host ? host->number : t->number,
                           site ? site->number : 0);
}

static ff_bytes rename_serial(ff_redactor *r, const ff_thing *t)
{
    int width = (int)(t->value.n < 32 ? t->value.n : 32);
    return ff_is_digits(t->value) ? ff_arena_format(&r->arena, "%0*u", width, t->number)
                                  : ff_arena_format(&r->arena, "SN%08u", t->number);
}

/* 32 hex digits. Link-local stays link-local, an address that holds an IPv4 one holds its pseudonym. */
static ff_bytes rename_ipv6(ff_redactor *r, const ff_thing *t)
{
    if (ff_starts(t->value, FF_LIT("00000000000000000000ffff"))) {
        const ff_thing *v4 = ff_store_find(r, FF_SECRET_IPV4, ff_skip_n(t->value, 24));
        unsigned o[4] = { 0 };
        char *text = v4 ? ff_arena_str(&r->arena, v4->pseudonym) : NULL;
        if (text && sscanf(text, "%3u.%3u.%3u.%3u", &o[0], &o[1], &o[2], &o[3]) == 4)
            return ff_arena_format(&r->arena, "00000000000000000000ffff%02x%02x%02x%02x", o[0], o[1], o[2], o[3]);
    }
    const char *net = ff_starts(t->value, FF_LIT("fe80")) ? "fe80000000000000" : "fd00000000000000";
    return ff_arena_format(&r->arena, "%s%016x", net, t->number);
}

static ff_bytes pseudonym_of(ff_redactor *r, const ff_thing *t)
{
    switch (t->kind) {
    case FF_SECRET_HOST:
        return rename_host(r, t);
    case FF_SECRET_NAME:
        return rename_name(r, t);
    case FF_SECRET_USER:
        return ff_arena_format(&r->arena, "user-%u", t->number);
    case FF_SECRET_IPV6:
        return rename_ipv6(r, t);
    case FF_SECRET_MAC:
        return ff_arena_format(&r->arena, "020000%06x", t->number & 0xffffff);
    case FF_SECRET_GUID:
        return ff_arena_format(&r->arena, "0200000000%06x", t->number & 0xffffff);
    case FF_SECRET_UUID:
        return ff_arena_format(&r->arena, "%08x000040008000%012x", t->number, t->number);
    case FF_SECRET_SERIAL:
        return rename_serial(r, t);
    case FF_SECRET_EMAIL:
        return ff_arena_format(&r->arena, "user-%u@mail.invalid", t->number);
    case FF_SECRET_PATH:
        return ff_arena_format(&r->arena, "dir-%u", t->number);
    default:
        return FF_LIT("REDACTED");
    }
}

/* 10.x: the /16 by its place among all, the /24 within it, the address within that. Network and broadcast ends stay.
 */
static void rename_ipv4s(ff_redactor *r, uint32_t from, uint32_t to)
{
    unsigned wide = 0, mid = 0, low = 0;
    ff_bytes before = { NULL, 0 };
    for (uint32_t i = from; i < to; i++) {
        ff_thing *t = r->things.at[i];
        bool new_wide = before.n && !ff_equal(ff_first_n(before, 4), ff_first_n(t->value, 4));
        bool new_mid = before.n && !ff_equal(ff_first_n(before, 6), ff_first_n(t->value, 6));
        wide += new_wide;
        mid = new_wide ? 0 : mid + new_mid;
        low = new_wide || new_mid ? 0 : low;
        ff_bytes last = ff_skip_n(t->value, 6);
        bool edge = ff_equal(last, FF_LIT("00")) || ff_equal(last, FF_LIT("ff"));
        unsigned own = edge ? (last.p[0] == '0' ? 0 : 255) : ++low;
        t->pseudonym = ff_arena_format(&r->arena, "%u.%u.%u.%u", 10 + wide / 256 % 246, wide % 256, mid, own);
        before = t->value;
    }
}

void ff_false_names(ff_redactor *r)
{
    if (r->things.n)
        qsort(r->things.at, r->things.n, sizeof *r->things.at, by_kind_and_value);
    for (uint32_t i = 0; i < r->things.n; i++)
        r->things.at[i]->number = ++r->counts[r->things.at[i]->kind];
    uint32_t from = 0;
    while (from < r->things.n && r->things.at[from]->kind < FF_SECRET_IPV4)
        from++;
    rename_ipv4s(r, from, from + r->counts[FF_SECRET_IPV4]);
    for (uint32_t i = 0; i < r->things.n; i++)
        if (r->things.at[i]->kind != FF_SECRET_IPV4)
            r->things.at[i]->pseudonym = pseudonym_of(r, r->things.at[i]);
}

/* Hex digits of the pseudonym over those of the original; separators and a leading 0x stay. */
static void add_over_hex(ff_bytes pseudonym, ff_bytes original, ff_text *out)
{
    size_t i = 0;
    if (ff_take_lit(&original, FF_LIT("0x")))
        ff_text_adds(out, "0x");
    for (size_t k = 0; k < original.n; k++)
        ff_text_addc(out, ff_is_hex(original.p[k]) && i < pseudonym.n ? pseudonym.p[i++] : original.p[k]);
}

static void add_ipv6(ff_bytes pseudonym, ff_bytes original, ff_text *out)
{
    bool whole = original.n == 39;
    if (whole) {
        add_over_hex(pseudonym, original, out);
        return;
    }
    char *end = NULL, low[17] = { 0 };
    memcpy(low, pseudonym.p + 16, 16);
    unsigned long long number = strtoull(low, &end, 16);
    ff_text_addf(out, "%.4s::%llx:%llx", pseudonym.p, number >> 16 & 0xffff, number & 0xffff);
}

/* A letter of the kind, then the number in base 36, as wide as what it replaces. */
static void add_in_length(const ff_thing *t, size_t n, ff_text *out)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    static const char letters[] = "hnuaamgdsepk";
    char text[FF_NORMAL_MOST];
    uint32_t number = t->number;
    for (size_t i = n; i-- > 0; number /= 36)
        text[i] = i == 0 ? letters[t->kind] : digits[number % 36];
    ff_text_add(out, (ff_bytes){ text, n });
}

/* Dots stay, the digits between them become those of the number. */
static void add_ipv4_in_length(const ff_thing *t, ff_bytes original, ff_text *out)
{
    char text[16];
    uint32_t number = t->number;
    size_t n = original.n < sizeof text ? original.n : sizeof text;
    for (size_t i = n; i-- > 0;) {
        bool dot = original.p[i] == '.';
        text[i] = dot ? '.' : (char)('0' + number % 10);
        number = dot ? number : number / 10;
    }
    ff_text_add(out, (ff_bytes){ text, n });
}

void ff_false_name_add(const ff_thing *t, ff_bytes original, bool in_place, ff_text *out)
{
    if (t->kind == FF_SECRET_UUID || t->kind == FF_SECRET_MAC || t->kind == FF_SECRET_GUID)
        add_over_hex(t->pseudonym, original, out);
    else if (in_place && t->kind == FF_SECRET_IPV4)
        add_ipv4_in_length(t, original, out);
    else if (in_place)
        add_in_length(t, original.n, out);
    else if (t->kind == FF_SECRET_IPV6)
        add_ipv6(t->pseudonym, original, out);
    else
        ff_text_add(out, t->pseudonym);
}

static bool is_numbered(ff_bytes value, const char *prefix)
{
    return ff_take_lit(&value, ff_str(prefix)) && ff_is_digits(value);
}

/* As in a pickle, in the length of what it replaced. */
static bool is_numbered_in_length(ff_bytes value, char letter)
{
    return ff_take_char(&value, letter) && (ff_is_digits(value) || (value.n > 1 && value.p[0] == '0'));
}

static void see_part(void *owner, ff_bytes part, bool separator)
{
    *(bool *)owner &= separator || ff_is_open_part(part) || is_numbered(part, "n");
}

bool ff_is_false_name(ff_secret kind, ff_bytes normal)
{
    bool open = true;
    switch (kind) {
    case FF_SECRET_HOST:
        return is_numbered(normal, "host-") || ff_ends(normal, FF_LIT(".invalid"));
    case FF_SECRET_NAME:
        ff_each_part(normal, see_part, &open);
        return open || ff_ends(normal, FF_LIT(".invalid"));
    case FF_SECRET_USER:
        return is_numbered(normal, "user-") || is_numbered_in_length(normal, 'u');
    case FF_SECRET_IPV4:
        return ff_starts(normal, FF_LIT("0a"));
    case FF_SECRET_IPV6:
        return ff_starts(normal, FF_LIT("fd00000000000000")) ||
               ff_starts(normal, FF_LIT("fe8000000000000000000000")) ||
               ff_starts(normal, FF_LIT("00000000000000000000ffff0a"));
    case FF_SECRET_MAC:
        return ff_starts(normal, FF_LIT("020000"));
    case FF_SECRET_GUID:
        return ff_starts(normal, FF_LIT("0200000000"));
    case FF_SECRET_UUID:
        return normal.n == 32 && memcmp(normal.p + 8, "000040008000", 12) == 0;
    case FF_SECRET_SERIAL:
        return ff_starts(normal, FF_LIT("00")) || ff_starts(normal, FF_LIT("sn0"));
    case FF_SECRET_EMAIL:
        return ff_ends(normal, FF_LIT(".invalid"));
    case FF_SECRET_PATH:
        return is_numbered(normal, "dir-") || is_numbered_in_length(normal, 'p');
    default:
        return ff_equal(normal, FF_LIT("redacted"));
    }
}
