/* What the machines and the job ran with: versions and variables by rank, and a fingerprint of each host. */
#include "json_private.h"

#include <stdlib.h>
#include <string.h>

#define GPUS_SHOWN 256u /* of one host: sixteen is a large machine, so more is noise */

typedef FF_VEC(ff_bytes) name_list;

static int by_bytes(const void *a, const void *b) { return ff_compare(*(const ff_bytes *)a, *(const ff_bytes *)b); }

static void sort_unique(name_list *v)
{
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, by_bytes);
    uint32_t n = 0;
    for (uint32_t i = 0; i < v->n; i++)
        if (n == 0 || !ff_equal(v->at[n - 1], v->at[i]))
            v->at[n++] = v->at[i];
    v->n = n;
}

/* Writes the distinct values in byte order and frees them. */
static void add_values(ff_json *j, const char *key, name_list *values)
{
    sort_unique(values);
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < values->n; i++)
        ff_json_bytes(j, NULL, values->at[i]);
    ff_json_close(j, ']');
    ff_free(values->at);
}

static void add_settings(ff_json *j, const ff_report *r, const char *key, const ff_setting *at, uint32_t n)
{
    ff_json_open(j, key, '[');
    for (uint32_t i = 0; i < n; i++) {
        const ff_signal *s = ff_view_signal(r, at[i].signal);
        ff_json_open(j, NULL, '{');
        ff_json_bytes(j, "name", at[i].name);
        ff_json_bytes(j, "value", at[i].value);
        ff_json_known(j, "host", at[i].host);
        ff_json_number(j, "rank", at[i].rank);
        ff_json_bool(j, "differs", at[i].differs);
        ff_json_known(j, "member", s ? ff_view_member_name(r, s->at.member) : (ff_bytes){ 0 });
        ff_json_number(j, "line", s ? (int32_t)s->at.line : FF_NO_NUMBER);
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
}

static void add_differences(name_list *out, const ff_setting *at, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (at[i].differs)
            FF_PUSH(out, at[i].name);
}

void ff_json_environment(ff_json *j, const ff_report *r)
{
    name_list differences = { 0 };
    add_differences(&differences, r->versions, r->n_versions);
    add_differences(&differences, r->variables, r->n_variables);
    ff_json_open(j, "environment", '{');
    add_settings(j, r, "versions", r->versions, r->n_versions);
    add_settings(j, r, "variables", r->variables, r->n_variables);
    add_values(j, "differences", &differences);
    ff_json_close(j, '}');
}

/* ---- fingerprint ---- */

typedef struct owned { /* a row of another table, by the host it belongs to */
    ff_bytes host;
    uint32_t index;
} owned;

typedef struct owners { /* sorted by host; the rows of one host keep their order */
    owned *at;
    uint32_t n, cap;
} owners;

static int by_host(const void *left, const void *right)
{
    const owned *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* The rows of one host, and past them. */
static owners take_host(owners *rest, ff_bytes host)
{
    while (rest->n && ff_compare(rest->at[0].host, host) < 0) {
        rest->at++;
        rest->n--;
    }
    owners mine = { .at = rest->at };
    while (mine.n < rest->n && ff_equal(rest->at[mine.n].host, host))
        mine.n++;
    return mine;
}

static void sort_by_host(owners *v)
{
    if (v->n)
        qsort(v->at, v->n, sizeof *v->at, by_host);
}

static name_list take_hosts(const ff_report *r)
{
    name_list hosts = { 0 };
    for (uint32_t i = 0; i < r->evidence->n_members; i++)
        if (r->evidence->members[i].who.host.n)
            FF_PUSH(&hosts, r->evidence->members[i].who.host);
    for (uint32_t i = 0; i < r->n_versions; i++)
        if (r->versions[i].host.n)
            FF_PUSH(&hosts, r->versions[i].host);
    sort_unique(&hosts);
    return hosts;
}

static bool is_same_gpu(const ff_who *a, const ff_who *b)
{
    if (a->gpu.n && b->gpu.n)
        return ff_equal(a->gpu, b->gpu);
    if (a->gpu_uuid.n && b->gpu_uuid.n)
        return ff_equal(a->gpu_uuid, b->gpu_uuid);
    return a->gpu_index != FF_NO_NUMBER && a->gpu_index == b->gpu_index;
}

/* Two tools may list the same GPU: one row each. */
static void add_gpus(ff_json *j, const ff_report *r, const owners *mine)
{
    FF_VEC(const ff_signal *) told = { 0 };
    ff_json_open(j, "gpus", '[');
    for (uint32_t i = 0; i < mine->n; i++) {
        const ff_signal *s = ff_view_signal(r, mine->at[i].index);
        bool lists = s->kind == FF_FACT_GPU_LISTED || (s->kind == FF_FACT_GPU_STATE && ff_signal_field(s, "product"));
        bool known = !lists || told.n >= GPUS_SHOWN;
        for (uint32_t k = 0; k < told.n && !known; k++)
            known = is_same_gpu(&s->who, &told.at[k]->who);
        if (known)
            continue;
        FF_PUSH(&told, s);
        ff_json_open(j, NULL, '{');
        ff_json_number(j, "index", s->who.gpu_index);
        ff_json_known(j, "pci", s->who.gpu);
        ff_json_known(j, "uuid", s->who.gpu_uuid);
        ff_json_known(j, "name", ff_signal_text(s, "product"));
        ff_json_close(j, '}');
    }
    ff_json_close(j, ']');
    ff_free(told.at);
}

static bool is_letter(char c, char lower) { return c == lower || c == lower - 'a' + 'A'; }

static bool names(ff_bytes name, const char *word)
{
    size_t n = strlen(word), same = 0;
    for (size_t i = 0; i + n <= name.n && same < n; i++)
        for (same = 0; same < n && is_letter(name.p[i + same], word[same]);)
            same++;
    return same == n;
}

/* Distinct values of the versions whose name holds word, in any case, and of the fact field of that name. */
static void add_version(ff_json *j, const ff_report *r, const char *word, const owners *versions,
                        const owners *signals)
{
    name_list values = { 0 };
    for (uint32_t i = 0; i < versions->n; i++) {
        const ff_setting *v = &r->versions[versions->at[i].index];
        if (names(v->name, word))
            FF_PUSH(&values, v->value);
    }
    for (uint32_t i = 0; i < signals->n; i++) {
        const ff_signal *s = ff_view_signal(r, signals->at[i].index);
        if (s->kind == FF_FACT_GPU_STATE && ff_signal_text(s, word).n)
            FF_PUSH(&values, ff_signal_text(s, word));
    }
    add_values(j, word, &values);
}

/* "[0]mlx5_0:1/RoCE [1]mlx5_1:1/RoCE": what NCCL says that it uses. */
static void take_listed(name_list *out, ff_bytes list)
{
    ff_bytes number, name;
    while (ff_take_char(&list, '[') && ff_take_until(&list, ']', &number) && ff_take_until(&list, ':', &name)) {
        if (number.n && name.n)
            FF_PUSH(out, name);
        list = ff_skip_n(list, ff_find(list, FF_LIT("[")));
    }
}

/* NICs by the names that tools and NCCL's transports have for them. */
static void add_nics(ff_json *j, const ff_report *r, const owners *mine)
{
    name_list values = { 0 };
    for (uint32_t i = 0; i < mine->n; i++) {
        const ff_signal *s = ff_view_signal(r, mine->at[i].index);
        ff_bytes device = ff_signal_text(s, "device");
        if ((s->kind == FF_FACT_PORT || s->kind == FF_FACT_NET_COUNTERS) && device.n)
            FF_PUSH(&values, device);
        if (!(s->stream & FF_STREAM_NCCL))
            continue;
        take_listed(&values, ff_signal_text(s, "list"));
        if (ff_signal_text(s, "interface").n)
            FF_PUSH(&values, ff_signal_text(s, "interface"));
    }
    add_values(j, "nics", &values);
}

static ff_bytes topology_row(const ff_signal *s, ff_arena *arena)
{
    ff_text row;
    ff_text_init(&row, 0);
    ff_text_adds(&row, ff_fact_name(s->kind));
    for (uint32_t f = 0; f < s->n_fields; f++) {
        ff_text_addc(&row, ' ');
        ff_text_add(&row, s->fields[f].name);
        ff_text_addc(&row, '=');
        ff_view_add_value(&row, &s->fields[f]);
    }
    ff_bytes copy = ff_arena_copy(arena, ff_text_view(&row));
    ff_text_done(&row);
    return copy;
}

/* SHA-256 over the host's link and P2P facts in sorted order: equal machines give equal prints, whatever was read
 * first. */
static void add_topology(ff_json *j, const ff_report *r, const owners *mine)
{
    name_list rows = { 0 };
    ff_arena arena;
    ff_arena_init(&arena);
    for (uint32_t i = 0; i < mine->n; i++) {
        const ff_signal *s = ff_view_signal(r, mine->at[i].index);
        if (s->kind == FF_FACT_GPU_LINK || s->kind == FF_FACT_GPU_P2P)
            FF_PUSH(&rows, topology_row(s, &arena));
    }
    sort_unique(&rows);
    ff_text all;
    ff_text_init(&all, 0);
    for (uint32_t i = 0; i < rows.n; i++) {
        ff_text_add(&all, rows.at[i]);
        ff_text_addc(&all, '\n');
    }
    char hex[65] = "";
    uint8_t sum[32];
    if (rows.n) {
        ff_sha256(ff_text_view(&all), sum);
        ff_hex(sum, sizeof sum, hex);
    }
    ff_json_known(j, "topology", ff_str(hex));
    ff_text_done(&all);
    ff_free(rows.at);
    ff_arena_done(&arena);
}

static void add_host(ff_json *j, const ff_report *r, ff_bytes host, const owners *signals, const owners *versions)
{
    ff_json_open(j, NULL, '{');
    ff_json_bytes(j, "host", host);
    add_gpus(j, r, signals);
    add_version(j, r, "driver", versions, signals);
    add_version(j, r, "nccl", versions, signals);
    add_version(j, r, "cuda", versions, signals);
    add_nics(j, r, signals);
    add_topology(j, r, signals);
    ff_json_close(j, '}');
}

void ff_json_fingerprint(ff_json *j, const ff_report *r)
{
    name_list hosts = take_hosts(r);
    owners signals = { 0 }, versions = { 0 };
    for (uint32_t i = 0; i < r->evidence->n_signals; i++)
        if (r->evidence->signals[i].who.host.n)
            FF_PUSH(&signals, ((owned){ r->evidence->signals[i].who.host, i }));
    for (uint32_t i = 0; i < r->n_versions; i++)
        if (r->versions[i].host.n)
            FF_PUSH(&versions, ((owned){ r->versions[i].host, i }));
    sort_by_host(&signals);
    sort_by_host(&versions);
    owners rest_signals = signals, rest_versions = versions;
    ff_json_open(j, "fingerprint", '[');
    for (uint32_t i = 0; i < hosts.n; i++) {
        owners s = take_host(&rest_signals, hosts.at[i]), v = take_host(&rest_versions, hosts.at[i]);
        add_host(j, r, hosts.at[i], &s, &v);
    }
    ff_json_close(j, ']');
    ff_free(hosts.at);
    ff_free(signals.at);
    ff_free(versions.at);
}
