/* Which GPU a process was given: CUDA counts what CUDA_VISIBLE_DEVICES lists, in that order, and nvidia-smi counts
 * what the machine has. "cuda:0" of a process that was given "3" is GPU 3.
 *   A UUID says it outright, also of a MIG slice, whose GPU `nvidia-smi -L` tells. A number is nvidia-smi's only
 * where CUDA counts as that does (all GPUs of a kind, or CUDA_DEVICE_ORDER=PCI_BUS_ID) and where no container counts
 * for itself; under Slurm, whose cgroups do that, SLURM_STEP_GPUS and SLURM_JOB_GPUS name the machine's numbers. Of
 * several devices a process takes the one of its local rank. */
#include "identity_private.h"

#include "../base/sorted.h"

#include <stdlib.h>

#define MOST_DEVICES 64u
#define WEIGHS_LEAST 1  /* whatever else is said of a rank counts more */
#define UUID_LENGTH 40u /* "GPU-" and 36 */

typedef struct slice { /* of MIG */
    ff_bytes uuid, gpu_uuid;
} slice;

typedef struct card { /* a GPU as a tool names it; either may be empty */
    ff_bytes host, uuid, product;
} card;

typedef struct told { /* what the lines of one member say of their speaker */
    int32_t rank, local_rank;
    bool ranks, local_ranks; /* several */
    ff_bytes of_slurm;       /* the machine's numbers */
    bool of_step;            /* by the step, which may have fewer than the job */
    bool lists_differ;       /* it holds what several machines say */
    bool as_smi;             /* CUDA_DEVICE_ORDER=PCI_BUS_ID */
} told;

typedef struct given { /* one list of devices */
    const ff_signal *line;
    ff_bytes host, pid_scope, variable;
    const told *told;
    ff_bytes items[MOST_DEVICES];
    uint32_t n;
    bool inner; /* a pod's or container's */
} given;

typedef struct devices {
    ff_pairs *pairs;
    const ff_evidence *evidence;
    ff_arena *arena;
    FF_VEC(card) cards;   /* sorted by host */
    FF_VEC(slice) slices; /* sorted by uuid */
    told *told;           /* by member */
} devices;

/* ---- the machines' GPUs ---- */
static void note_card(devices *d, const ff_signal *s)
{
    bool lists = s->kind == FF_FACT_GPU_LISTED || s->kind == FF_FACT_GPU_STATE;
    ff_bytes mig = ff_signal_text(s, "mig_uuid");
    card c = { .host = ff_short_host(s->who.host), .uuid = s->who.gpu_uuid };
    c.product = lists ? ff_signal_text(s, "product") : (ff_bytes){ 0 };
    if (c.host.n && (c.uuid.n || c.product.n))
        FF_PUSH(&d->cards, c);
    if (mig.n && c.uuid.n)
        FF_PUSH(&d->slices, ((slice){ .uuid = mig, .gpu_uuid = c.uuid }));
}

static int by_host(const void *left, const void *right)
{
    const card *a = left, *b = right;
    int order = ff_compare(a->host, b->host);
    order = order ? order : ff_compare(a->uuid, b->uuid);
    return order ? order : ff_compare(a->product, b->product);
}

static int by_uuid(const void *left, const void *right)
{
    return ff_compare(((const slice *)left)->uuid, ((const slice *)right)->uuid);
}

/* A series of states names the same card again and again. */
static void sort_cards(devices *d)
{
    uint32_t n = 0;
    if (d->slices.n)
        qsort(d->slices.at, d->slices.n, sizeof *d->slices.at, by_uuid);
    if (d->cards.n)
        qsort(d->cards.at, d->cards.n, sizeof *d->cards.at, by_host);
    for (uint32_t i = 0; i < d->cards.n; i++)
        if (n == 0 || by_host(&d->cards.at[n - 1], &d->cards.at[i]) != 0)
            d->cards.at[n++] = d->cards.at[i];
    d->cards.n = n;
}

/* The first card of a host, and how many follow. */
static const card *cards_of(const devices *d, ff_bytes host, uint32_t *n)
{
    card key = { .host = host };
    uint32_t first = ff_sorted_slot(&key, d->cards.at, d->cards.n, sizeof key, by_host), end = first;
    while (end < d->cards.n && ff_equal(d->cards.at[end].host, host))
        end++;
    *n = end - first;
    return d->cards.at + first;
}

/* CUDA counts the fastest kind first; of one kind it counts as nvidia-smi does. */
static bool has_one_kind(const devices *d, ff_bytes host)
{
    uint32_t n = 0;
    const card *at = cards_of(d, host, &n);
    ff_bytes first = { 0 };
    for (uint32_t i = 0; i < n; i++) {
        if (first.n && at[i].product.n && !ff_equal(first, at[i].product))
            return false;
        first = at[i].product.n ? at[i].product : first;
    }
    return true;
}

/* ---- reading ---- */
static ff_bytes variable_of(const ff_signal *s)
{
    return s->kind == FF_FACT_POD_ENV || ff_signal_field(s, "value") ? ff_signal_text(s, "variable")
                                                                     : (ff_bytes){ 0 };
}

static void note_number(int32_t *one, bool *several, int32_t more)
{
    *several = *several || (*one >= 0 && more >= 0 && *one != more);
    *one = more >= 0 ? more : *one;
}

static void note_slurm(told *t, ff_bytes list, bool of_step)
{
    if (of_step && !t->of_step)
        t->of_slurm = (ff_bytes){ 0 };
    else if (t->of_step && !of_step)
        return;
    t->lists_differ = t->of_slurm.n && (t->lists_differ || !ff_equal(t->of_slurm, list));
    t->of_slurm = list;
    t->of_step = of_step;
}

static void note_line(devices *d, const ff_signal *s)
{
    told *t = &d->told[s->at.member];
    ff_bytes variable = variable_of(s), value = ff_signal_text(s, "value");
    if (ff_record_own_rank(s))
        note_number(&t->rank, &t->ranks, s->who.rank);
    if (ff_signal_field(s, "own_local"))
        note_number(&t->local_rank, &t->local_ranks, s->who.local_rank);
    if (ff_equal(variable, FF_LIT("SLURM_STEP_GPUS")) || ff_equal(variable, FF_LIT("SLURM_JOB_GPUS")))
        note_slurm(t, value, ff_equal(variable, FF_LIT("SLURM_STEP_GPUS")));
    t->as_smi =
        t->as_smi || (ff_equal(variable, FF_LIT("CUDA_DEVICE_ORDER")) && ff_equal(value, FF_LIT("PCI_BUS_ID")));
    note_card(d, s);
}

static bool ends_list(ff_bytes item) { return !item.n || item.p[0] == '-' || ff_equal(item, FF_LIT("NoDevFiles")); }

/* CUDA stops at the first item that it does not know. */
static uint32_t split(ff_bytes list, ff_bytes *items)
{
    uint32_t n = 0;
    ff_bytes item = { 0 };
    while (list.n && n < MOST_DEVICES) {
        if (!ff_take_until(&list, ',', &item)) {
            item = list;
            list = (ff_bytes){ 0 };
        }
        item = ff_trim(item);
        if (ends_list(item))
            break;
        items[n++] = item;
    }
    return n;
}

/* A list that gives devices; n stays 0 where the line is none. What the container's runtime was asked for has no
 * order, so that it says which device is which only of one. */
static given read_given(const devices *d, const ff_signal *s, ff_bytes pid_scope)
{
    ff_bytes variable = variable_of(s), list = ff_signal_text(s, "visible");
    given g = { .line = s, .host = ff_short_host(s->who.host), .pid_scope = pid_scope, .variable = variable };
    g.told = &d->told[s->at.member];
    g.inner = s->who.pod.n || s->who.container.n;
    bool asked = ff_equal(variable, FF_LIT("NVIDIA_VISIBLE_DEVICES"));
    if (asked || ff_equal(variable, FF_LIT("CUDA_VISIBLE_DEVICES")))
        list = ff_signal_text(s, "value");
    else
        g.variable = FF_LIT("CUDA_VISIBLE_DEVICES");
    g.n = split(list, g.items);
    if (asked && (g.n != 1 || !ff_starts(g.items[0], FF_LIT("GPU-"))))
        g.n = 0;
    return g;
}

/* ---- which GPU an item is ---- */
static bool take_number(ff_bytes item, int32_t *number)
{
    uint64_t value = 0;
    bool is = ff_take_uint(&item, &value) && !item.n && value < 4096;
    *number = is ? (int32_t)value : 0;
    return is;
}

/* The machine's number of an item; FF_NO_NUMBER: not to be said. */
static int32_t number_on_host(const devices *d, const given *g, uint32_t at)
{
    ff_bytes all[MOST_DEVICES];
    uint32_t n = split(g->told->of_slurm, all);
    int32_t number = 0, real = 0, other = 0;
    if (g->inner || g->told->lists_differ || !take_number(g->items[at], &number))
        return FF_NO_NUMBER;
    if (!n)
        return g->told->as_smi || has_one_kind(d, g->host) ? number : FF_NO_NUMBER;
    bool machines = false; /* are they the machine's numbers already? */
    for (uint32_t i = 0; i < n; i++)
        machines = machines || (take_number(all[i], &other) && other == number);
    bool of_cgroup = number >= 0 && (uint32_t)number < n && take_number(all[number], &real);
    if (machines && of_cgroup && real != number)
        return FF_NO_NUMBER; /* both would do */
    return machines ? number : of_cgroup ? real : FF_NO_NUMBER;
}

static ff_bytes without_slice(const devices *d, ff_bytes item)
{
    ff_bytes rest = item, uuid = { 0 };
    if (ff_take_lit(&rest, FF_LIT("MIG-")) && ff_starts(rest, FF_LIT("GPU-")))
        return ff_take_until(&rest, '/', &uuid) ? uuid
                                                : rest; /* MIG-GPU-<uuid>/<instance>/<slice>, of older drivers */
    slice key = { .uuid = item };
    uint32_t i = ff_sorted_slot(&key, d->slices.at, d->slices.n, sizeof key, by_uuid);
    if (i < d->slices.n && ff_equal(d->slices.at[i].uuid, item))
        return d->slices.at[i].gpu_uuid;
    return item;
}

/* Driver and CUDA take any beginning of a UUID that is the only one with it. */
static ff_bytes whole_uuid(const devices *d, ff_bytes host, ff_bytes begin)
{
    uint32_t n = 0;
    const card *at = cards_of(d, host, &n);
    ff_bytes found = { 0 };
    for (uint32_t i = 0; i < n && begin.n < UUID_LENGTH; i++) {
        if (!at[i].uuid.n || !ff_starts(at[i].uuid, begin))
            continue;
        if (found.n && !ff_equal(found, at[i].uuid))
            return (ff_bytes){ 0 };
        found = at[i].uuid;
    }
    return begin.n >= UUID_LENGTH ? begin : found;
}

/* The GPU of an item: its PCI address where that is known, else its UUID, else its number; kind NONE: not to be said.
 */
static ff_name gpu_of(const devices *d, const given *g, uint32_t at)
{
    ff_name n = { .kind = FF_NAME_UUID, .text = without_slice(d, g->items[at]) };
    if (ff_starts(n.text, FF_LIT("GPU-"))) {
        n.text = whole_uuid(d, g->host, n.text);
    } else {
        n = (ff_name){ .kind = FF_NAME_GPU_INDEX, .scope = g->host, .number = number_on_host(d, g, at) };
        n.kind = n.number < 0 || !g->host.n ? FF_NAME_NONE : n.kind;
    }
    if (n.kind == FF_NAME_UUID && !n.text.n)
        n.kind = FF_NAME_NONE;
    const ff_name *gpu = n.kind == FF_NAME_NONE ? NULL : ff_pairs_find(d->pairs, &n, FF_NAME_GPU);
    return gpu ? *gpu : n;
}

/* ---- joining ---- */
static void join_gpu(const devices *d, const given *g, uint32_t at, ff_name whose, bool outright)
{
    ff_name gpu = gpu_of(d, g, at);
    if (whose.kind == FF_NAME_NONE || gpu.kind == FF_NAME_NONE)
        return;
    const ff_name *known = ff_pairs_find(d->pairs, &whose, gpu.kind);
    ff_pair proto = { .left = whose,
                      .right = gpu,
                      .signal = g->line->ref,
                      .member = g->line->at.member,
                      .weight = WEIGHS_LEAST,
                      .device = FF_NO_NUMBER,
                      .inferred = !outright || ff_is_digit(g->items[at].p[0]),
                      .disputed = known && ff_name_compare(known, &gpu) != 0 };
    proto.why = ff_arena_format(d->arena, "device %u is %.*s by the %.*s of", at, FF_SHOW(g->items[at]),
                                FF_SHOW(g->variable));
    ff_pairs_add_one(d->pairs, &proto);
}

static ff_name rank_name(const given *g)
{
    const ff_who *who = &g->line->who;
    int32_t rank = who->rank >= 0 ? who->rank : g->told->ranks ? FF_NO_NUMBER : g->told->rank;
    ff_name n = { .kind = rank >= 0 ? FF_NAME_RANK : FF_NAME_NONE, .scope = who->job, .number = rank };
    return n;
}

static ff_name local_rank_name(const devices *d, const given *g)
{
    const ff_who *who = &g->line->who;
    ff_name rank = rank_name(g), n = { .kind = FF_NAME_LOCAL_RANK, .scope = g->host };
    n.number = who->local_rank >= 0 ? who->local_rank : g->told->local_ranks ? FF_NO_NUMBER : g->told->local_rank;
    const ff_name *known =
        rank.kind == FF_NAME_NONE || n.number >= 0 ? NULL : ff_pairs_find(d->pairs, &rank, FF_NAME_LOCAL_RANK);
    n.number = known ? known->number : n.number;
    n.kind = n.number < 0 || !g->host.n ? FF_NAME_NONE : n.kind;
    return n;
}

static void join_list(const devices *d, const given *g)
{
    const ff_who *who = &g->line->who;
    ff_name rank = rank_name(g), local = local_rank_name(d, g);
    for (uint32_t i = 0; i < g->n && who->pid >= 0; i++) {
        ff_name device = { .kind = FF_NAME_DEVICE, .scope = g->pid_scope, .number = (int32_t)i, .of = who->pid };
        join_gpu(d, g, i, device, true);
    }
    if (who->pod.n && g->n == 1)
        join_gpu(d, g, 0, (ff_name){ .kind = FF_NAME_POD, .text = who->pod }, true);
    if (g->n > 1 && (local.kind == FF_NAME_NONE || (uint32_t)local.number >= g->n))
        return;
    uint32_t own = g->n == 1 ? 0 : (uint32_t)local.number;
    join_gpu(d, g, own, rank.kind == FF_NAME_NONE ? local : rank, g->n == 1);
}

void ff_devices_join(ff_pairs *p, const ff_evidence *e, const ff_bytes *scopes, ff_arena *arena)
{
    devices d = { .pairs = p, .evidence = e, .arena = arena };
    d.told = ff_alloc(((size_t)e->n_members + 1) * sizeof *d.told);
    for (uint32_t i = 0; i < e->n_members; i++)
        d.told[i] = (told){ .rank = FF_NO_NUMBER, .local_rank = FF_NO_NUMBER };
    for (uint32_t i = 0; i < e->n_signals; i++)
        note_line(&d, &e->signals[i]);
    sort_cards(&d);
    for (uint32_t i = 0; i < e->n_signals; i++) {
        given g = read_given(&d, &e->signals[i], scopes[i]);
        if (g.n)
            join_list(&d, &g);
    }
    ff_free(d.cards.at);
    ff_free(d.slices.at);
    ff_free(d.told);
}
