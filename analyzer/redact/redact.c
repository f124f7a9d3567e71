#include "redact_private.h"

#include "../../parsers/hostlist.h"

#include <stdlib.h>

const char *ff_secret_name(ff_secret kind)
{
    static const char *const names[FF_SECRETS] = { "host", "name", "user",   "ipv4",  "ipv6", "mac",
                                                   "guid", "uuid", "serial", "email", "path", "credential" };
    return kind < FF_SECRETS ? names[kind] : "";
}

ff_redactor *ff_redactor_open(void)
{
    ff_redactor *r = ff_alloc(sizeof *r);
    *r = (ff_redactor){ 0 };
    ff_arena_init(&r->arena);
    ff_label_heads(r->heads);
    ff_shape_credential_heads(r->heads);
    return r;
}

void ff_redactor_close(ff_redactor *r)
{
    if (!r)
        return;
    ff_free(r->things.at);
    ff_store_done(r);
    ff_free(r->finds.at);
    ff_arena_done(&r->arena);
    ff_free(r);
}

/* Parts of names have numbers of their own, so that a job's name is seen inside its pods' names. */
static void add_part(void *owner, ff_bytes part, bool separator)
{
    if (!separator && !ff_is_open_part(part))
        (void)ff_store_add(owner, FF_SECRET_NAME, part);
}

/* A name of letters only may be any word of the language: it must be long enough to be none. */
static bool can_be_everywhere(ff_bytes normal)
{
    bool marked = false;
    for (size_t i = 0; i < normal.n; i++)
        marked |= ff_is_digit(normal.p[i]) || normal.p[i] == '-' || normal.p[i] == '.';
    return (marked ? normal.n >= 3 : normal.n >= 5) && !ff_is_open_part(normal) && !ff_is_nothing(normal);
}

static bool is_open_name(ff_bytes normal)
{
    bool open = true;
    while (normal.n && open) {
        size_t n = 0;
        while (n < normal.n && normal.p[n] != '-')
            n++;
        open = ff_is_open_part(ff_first_n(normal, n));
        normal = ff_skip_n(normal, n + 1);
    }
    return open;
}

static void add_thing(ff_redactor *r, ff_secret kind, ff_bytes normal)
{
    ff_thing *t = ff_store_add(r, kind, normal);
    if (!t)
        return;
    if (kind == FF_SECRET_NAME)
        ff_each_part(t->value, add_part, r);
    bool by_shape = kind == FF_SECRET_GUID || kind == FF_SECRET_SERIAL;
    if (by_shape ||
        ((kind == FF_SECRET_HOST || kind == FF_SECRET_NAME || kind == FF_SECRET_USER) && can_be_everywhere(t->value)))
        ff_store_widen(r, t);
}

static bool is_cluster_name(ff_bytes domain)
{
    return ff_contains(domain, FF_LIT(".svc")) || ff_ends(domain, FF_LIT("cluster.local"));
}

/* What a machine is for, at many sites: as a word of its own it names nobody, and rules may read it. */
static bool is_service(ff_bytes label)
{
    static const char *const words[] = { "www",     "storage",  "mail",       "login",     "auth",     "registry",
                                         "cache",   "data",     "download",   "downloads", "files",    "blob",
                                         "vault",   "gateway",  "metrics",    "logs",      "logging",  "grafana",
                                         "docs",    "database", "archive",    "packages",  "mirror",   "status",
                                         "console", "control",  "kubernetes", "training",  "security", "compute" };
    for (size_t i = 0; i < FF_COUNT(words); i++)
        if (ff_equal(label, ff_str(words[i])))
            return true;
    return false;
}

/* host.site.tld: the host by itself too, and the site. */
static void add_domain(ff_redactor *r, ff_bytes normal)
{
    if (is_cluster_name(normal)) {
        add_thing(r, FF_SECRET_NAME, normal);
        return;
    }
    ff_bytes rest = normal, label;
    if (ff_take_until(&rest, '.', &label) && label.n) {
        if (is_service(label))
            (void)ff_store_add(r, FF_SECRET_HOST, label);
        else
            add_thing(r, FF_SECRET_HOST, label);
        (void)ff_store_add(r, FF_SECRET_NAME, rest);
    }
    add_thing(r, FF_SECRET_HOST, normal);
}

/* What an earlier redaction left in a credential's place. */
static bool is_hidden(ff_bytes value)
{
    size_t n = 0;
    while (n < value.n && value.p[n] == 'x')
        n++;
    return n == value.n || ff_equal(value, FF_LIT("REDACTED"));
}

static bool is_host_list(ff_secret kind, ff_bytes value)
{
    return kind == FF_SECRET_HOST && value.n && memchr(value.p, '[', value.n);
}

static void add_value(ff_redactor *r, ff_secret kind, ff_bytes value);

/* Twenty bytes may name 65,536 hosts: what all lists together hold is bounded. */
static bool expand(ff_redactor *r, ff_bytes list, ff_arena *arena, ff_hostlist *out)
{
    if (r->listed > FF_LISTED_CAP || !ff_hostlist_expand(list, arena, out))
        return false;
    r->listed += out->n;
    return out->n > 0;
}

static void add_host_list(ff_redactor *r, ff_bytes list)
{
    ff_arena arena;
    ff_hostlist hosts;
    ff_arena_init(&arena);
    for (uint32_t i = 0, n = expand(r, list, &arena, &hosts) ? hosts.n : 0; i < n; i++)
        add_value(r, FF_SECRET_HOST, hosts.at[i]);
    ff_arena_done(&arena);
}

/* namespace/pod: each alone, too */
static void add_members(ff_redactor *r, ff_bytes normal)
{
    ff_bytes part;
    while (ff_take_until(&normal, '/', &part))
        add_thing(r, FF_SECRET_NAME, part);
    add_thing(r, FF_SECRET_NAME, normal);
}

static void add_value(ff_redactor *r, ff_secret kind, ff_bytes value)
{
    char scratch[FF_NORMAL_MOST];
    if (kind == FF_SECRET_CREDENTIAL) {
        r->counts[kind] += !is_hidden(value);
        return;
    }
    if (is_host_list(kind, value)) {
        add_host_list(r, value);
        return;
    }
    ff_bytes normal = ff_normal(kind, value, scratch);
    if (!normal.n)
        return;
    if (kind == FF_SECRET_NAME && memchr(normal.p, '/', normal.n))
        add_members(r, normal);
    if (kind == FF_SECRET_HOST && memchr(normal.p, '.', normal.n))
        add_domain(r, normal);
    else
        add_thing(r, kind, normal);
    if (kind == FF_SECRET_IPV6 && ff_starts(normal, FF_LIT("00000000000000000000ffff")))
        (void)ff_store_add(r, FF_SECRET_IPV4, ff_skip_n(normal, 24));
}

void ff_redactor_name(ff_redactor *r, ff_secret kind, ff_bytes value)
{
    char scratch[FF_NORMAL_MOST];
    ff_bytes space = { NULL, 0 };
    if (kind == FF_SECRET_NAME && ff_contains(value, FF_LIT("/")) && ff_take_until(&value, '/', &space))
        ff_redactor_name(r, kind, space);
    ff_bytes normal = ff_normal(kind, value, scratch);
    if (!can_be_everywhere(normal) || ff_shape_ipv4(value) == value.n ||
        (kind == FF_SECRET_NAME && is_open_name(normal)))
        return;
    if (kind == FF_SECRET_HOST)
        ff_add_family(r, normal);
    add_value(r, kind, value);
}

static bool begins_key(ff_bytes line)
{
    return ff_contains(line, FF_LIT("-----BEGIN ")) && ff_contains(line, FF_LIT("PRIVATE KEY-----"));
}

void ff_redactor_learn(ff_redactor *r, ff_bytes text)
{
    ff_bytes line;
    bool in_key = false;
    while (ff_take_line(&text, &line)) {
        if (in_key)
            r->counts[FF_SECRET_CREDENTIAL] += !is_hidden(line);
        in_key = begins_key(line);
        ff_find_all(r, line);
        for (uint32_t i = 0; i < r->finds.n; i++)
            add_value(r, r->finds.at[i].kind, (ff_bytes){ line.p + r->finds.at[i].at, r->finds.at[i].n });
    }
}

ff_status ff_redactor_settle(ff_redactor *r, ff_error *error)
{
    if (r->full)
        return ff_fail(error,
                       "more than %d private names and addresses: not redacted, since what is beyond would stay",
                       FF_SECRET_CAP);
    ff_false_names(r);
    r->listed = 0;
    r->settled = true;
    return FF_OK;
}

static void add_fill(size_t n, ff_text *out)
{
    for (size_t i = 0; i < n; i++)
        ff_text_addc(out, 'x');
}

/* "host-[0001-0003,0007]" in the order of the list, which is that of tasks. False: one of the hosts is not known. */
static bool add_false_list(const ff_redactor *r, const ff_hostlist *hosts, ff_text *out)
{
    char scratch[FF_NORMAL_MOST];
    uint32_t before = 0, run = 0;
    ff_text_adds(out, "host-[");
    for (uint32_t i = 0; i < hosts->n; i++) {
        const ff_thing *t = ff_store_find(r, FF_SECRET_HOST, ff_normal(FF_SECRET_HOST, hosts->at[i], scratch));
        if (!t)
            return false;
        bool goes_on = i && t->number == before + 1;
        if (!goes_on && run)
            ff_text_addf(out, "-%04u", before);
        if (!goes_on)
            ff_text_addf(out, i ? ",%04u" : "%04u", t->number);
        run = goes_on ? run + 1 : 0;
        before = t->number;
    }
    if (run)
        ff_text_addf(out, "-%04u", before);
    ff_text_addc(out, ']');
    return true;
}

static void replace_host_list(ff_redactor *r, ff_bytes list, ff_text *out)
{
    ff_arena arena;
    ff_hostlist hosts;
    size_t before = out->n;
    ff_arena_init(&arena);
    if (!expand(r, list, &arena, &hosts) || !add_false_list(r, &hosts, out)) {
        out->n = before;
        ff_text_adds(out, "REDACTED");
    }
    ff_arena_done(&arena);
}

enum { UUID_TELLING = 8 }; /* digits in which pseudonyms of UUIDs differ */

/* What is no thing of the store is a credential, or was cut in another place while learning: it goes as a whole. */
static void replace(ff_redactor *r, ff_secret kind, ff_bytes value, bool in_place, ff_text *out)
{
    char scratch[FF_NORMAL_MOST];
    if (is_host_list(kind, value) && !in_place) {
        replace_host_list(r, value, out);
        return;
    }
    ff_bytes normal = ff_normal(kind, value, scratch);
    if (kind == FF_SECRET_HOST && is_cluster_name(normal))
        kind = FF_SECRET_NAME;
    const ff_thing *t = kind == FF_SECRET_CREDENTIAL ? NULL : ff_store_find(r, kind, normal);
    bool begins = !t && kind == FF_SECRET_UUID && (t = ff_store_beginning(r, value)) != NULL;
    if (begins && !in_place && value.n < UUID_TELLING)
        ff_text_add(out, ff_first_n(t->pseudonym, UUID_TELLING));
    else if (t && t->pseudonym.n)
        ff_false_name_add(t, value, in_place, out);
    else if (in_place)
        add_fill(value.n, out);
    else
        ff_text_adds(out, "REDACTED");
}

/* The lines of a private key hold nothing but it. */
static bool hide_key(ff_bytes line, bool in_place, bool *in_key, ff_text *out)
{
    if (begins_key(line))
        *in_key = true;
    else if (*in_key && ff_contains(line, FF_LIT("-----END ")))
        *in_key = false;
    else if (*in_key) {
        in_place ? add_fill(line.n, out) : ff_text_adds(out, "REDACTED");
        return true;
    }
    return false;
}

static void apply_to_line(ff_redactor *r, ff_bytes line, bool in_place, ff_text *out)
{
    size_t done = 0;
    ff_find_all(r, line);
    for (uint32_t i = 0; i < r->finds.n; i++) {
        ff_spot f = r->finds.at[i];
        ff_text_add(out, (ff_bytes){ line.p + done, f.at - done });
        replace(r, f.kind, (ff_bytes){ line.p + f.at, f.n }, in_place, out);
        done = f.at + f.n;
    }
    ff_text_add(out, ff_skip_n(line, done));
}

static void apply_to_text(ff_redactor *r, ff_bytes text, bool in_place, bool *in_key, ff_text *out)
{
    ff_bytes rest = text, line;
    while (rest.n) {
        const char *begin = rest.p;
        (void)ff_take_line(&rest, &line);
        const char *end = rest.n ? rest.p : text.p + text.n;
        if (!hide_key(line, in_place, in_key, out))
            apply_to_line(r, line, in_place, out);
        const char *ending = begin + line.n;
        ff_text_add(out, (ff_bytes){ ending, (size_t)(end - ending) });
    }
}

void ff_redactor_apply(ff_redactor *r, ff_bytes text, bool *in_key, ff_text *out)
{
    apply_to_text(r, text, false, in_key, out);
}

void ff_redactor_learn_pickle(ff_redactor *r, ff_bytes pickle)
{
    ff_bytes string;
    while (ff_redact_next_text(&pickle, &string))
        ff_redactor_learn(r, string);
}

void ff_redactor_apply_pickle(ff_redactor *r, ff_bytes pickle, ff_text *out)
{
    ff_bytes rest = pickle, string;
    const char *done = pickle.p;
    bool in_key = false;
    while (ff_redact_next_text(&rest, &string)) {
        ff_text_add(out, (ff_bytes){ done, (size_t)(string.p - done) });
        apply_to_text(r, string, true, &in_key, out);
        done = string.p + string.n;
    }
    if (done)
        ff_text_add(out, (ff_bytes){ done, (size_t)(pickle.p + pickle.n - rest.n - done) });
}

uint32_t ff_redactor_count(const ff_redactor *r, ff_secret kind) { return r->counts[kind]; }

void ff_redactor_add_map(const ff_redactor *r, ff_text *out)
{
    ff_text_adds(out, "kind,original,pseudonym\n");
    for (uint32_t i = 0; i < r->things.n; i++) {
        const ff_thing *t = r->things.at[i];
        ff_text_addf(out, "%s,%.*s,%.*s\n", ff_secret_name(t->kind), (int)t->value.n, t->value.p, (int)t->pseudonym.n,
                     t->pseudonym.p);
    }
}

uint32_t ff_redactor_add_residue(const ff_redactor *r, ff_secret kind, uint32_t most, ff_text *out)
{
    uint32_t n = kind == FF_SECRET_CREDENTIAL ? r->counts[kind] : 0;
    for (uint32_t i = 0; i < r->things.n; i++) {
        const ff_thing *t = r->things.at[i];
        if (t->kind != kind || ff_is_false_name(kind, t->value))
            continue;
        if (n++ < most)
            ff_text_addf(out, "  %.*s\n", (int)t->value.n, t->value.p);
    }
    return n;
}
