#include "identity_private.h"

#include <stdlib.h>

#define ADAPTERS_READ 16u
#define CAP_PAIRS 400000u /* distinct pairs that are remembered: eight a process of a job with 50,000 */

static const char *const kind_names[FF_NAME_KINDS] = {
    "",        "pid",       "rank", "local_rank", "gpu",    "uuid",  "gpu_index",    "cuda_index",
    "device",  "container", "pod",  "pod_uid",    "cgroup", "host",  "process",      "nvml_index",
    "address", "adapter",   "job",  "step",       "boot",   "group", "communicator", "seat"
};

/* What is joined when both names stand in one record. one: the left thing has one right thing only, so that two are a
 * contradiction; elsewhere several are normal (restarts, threads, side cars), and then nothing is concluded. */
static const struct relation {
    ff_name_kind left, right;
    bool one;
} relations[] = {
    { FF_NAME_PID, FF_NAME_RANK, true },        { FF_NAME_DEVICE, FF_NAME_RANK, true },
    { FF_NAME_CUDA_INDEX, FF_NAME_PID, false }, { FF_NAME_PID, FF_NAME_LOCAL_RANK, true },
    { FF_NAME_PID, FF_NAME_GPU, false },        { FF_NAME_PID, FF_NAME_CONTAINER, false },
    { FF_NAME_PID, FF_NAME_POD, false },        { FF_NAME_PID, FF_NAME_CGROUP, false },
    { FF_NAME_PID, FF_NAME_PROCESS, false },    { FF_NAME_RANK, FF_NAME_HOST, false },
    { FF_NAME_RANK, FF_NAME_GPU, false },       { FF_NAME_RANK, FF_NAME_LOCAL_RANK, false },
    { FF_NAME_RANK, FF_NAME_POD, false },       { FF_NAME_RANK, FF_NAME_CONTAINER, false },
    { FF_NAME_GPU, FF_NAME_UUID, true },        { FF_NAME_GPU, FF_NAME_GPU_INDEX, false },
    { FF_NAME_GPU, FF_NAME_CUDA_INDEX, false }, { FF_NAME_UUID, FF_NAME_GPU_INDEX, false },
    { FF_NAME_CONTAINER, FF_NAME_POD, true },   { FF_NAME_CONTAINER, FF_NAME_POD_UID, true },
    { FF_NAME_POD_UID, FF_NAME_POD, true },     { FF_NAME_CGROUP, FF_NAME_CONTAINER, false },
    { FF_NAME_CGROUP, FF_NAME_POD_UID, true },  { FF_NAME_POD, FF_NAME_HOST, false },
    { FF_NAME_DEVICE, FF_NAME_NVML, true },     { FF_NAME_GPU, FF_NAME_NVML, false },
    { FF_NAME_ADDRESS, FF_NAME_HOST, false },   { FF_NAME_ADAPTER, FF_NAME_HOST, false },
    { FF_NAME_JOB, FF_NAME_HOST, false },       { FF_NAME_POD, FF_NAME_JOB, false },
    { FF_NAME_STEP, FF_NAME_HOST, false },      { FF_NAME_PID, FF_NAME_STEP, false },
    { FF_NAME_BOOT, FF_NAME_HOST, true },
};

static ff_name text_name(ff_name_kind kind, ff_bytes scope, ff_bytes text)
{
    if (!text.n)
        return (ff_name){ .kind = FF_NAME_NONE };
    return (ff_name){ .kind = kind, .scope = scope, .text = text };
}

static ff_name number_name(ff_name_kind kind, ff_bytes scope, int32_t number)
{
    if (number < 0)
        return (ff_name){ .kind = FF_NAME_NONE };
    return (ff_name){ .kind = kind, .scope = scope, .number = number };
}

/* The index in a job's line is the one that CUDA gives to what the process may see; nvidia-smi counts differently. */
static bool counts_as_cuda(uint32_t stream) { return (stream & (FF_STREAM_NCCL | FF_STREAM_APP)) != 0; }

/* Without a pid it means something only where each process of the host is said to use another index. */
static ff_name device_name(const ff_person *p)
{
    int32_t captured = counts_as_cuda(p->stream) ? p->who->gpu_index : FF_NO_NUMBER;
    ff_name n = number_name(FF_NAME_DEVICE, p->who->pid >= 0 ? p->pid_scope : ff_short_host(p->who->host),
                            captured >= 0 ? captured : p->who->device);
    n.of = n.kind == FF_NAME_NONE ? 0 : p->who->pid;
    return n;
}

ff_name ff_name_of(const ff_person *p, ff_name_kind kind)
{
    const ff_who *who = p->who;
    ff_bytes host = ff_short_host(who->host), none = { 0 };
    switch (kind) {
    case FF_NAME_PID:
        return number_name(kind, p->pid_scope, who->pid);
    case FF_NAME_RANK:
        return number_name(kind, who->job, who->rank); /* each job counts from 0 */
    case FF_NAME_LOCAL_RANK:
        return number_name(kind, host, who->local_rank);
    case FF_NAME_GPU:
        return text_name(kind, host, who->gpu);
    case FF_NAME_UUID:
        return text_name(kind, none, who->gpu_uuid);
    case FF_NAME_GPU_INDEX:
        return number_name(kind, host, counts_as_cuda(p->stream) ? FF_NO_NUMBER : who->gpu_index);
    case FF_NAME_CUDA_INDEX:
        return number_name(kind, host,
                           counts_as_cuda(p->stream) && who->gpu_index >= 0 ? who->gpu_index : who->device);
    case FF_NAME_DEVICE:
        return device_name(p);
    case FF_NAME_CONTAINER:
        return text_name(kind, none, who->container);
    case FF_NAME_POD:
        return text_name(kind, none, who->pod);
    case FF_NAME_POD_UID:
        return text_name(kind, none, who->pod_uid);
    case FF_NAME_CGROUP:
        return text_name(kind, none, who->cgroup);
    case FF_NAME_HOST:
        return text_name(kind, none, host);
    case FF_NAME_PROCESS:
        return text_name(kind, none, who->process);
    case FF_NAME_NVML:
        return number_name(kind, host, p->nvml);
    case FF_NAME_ADDRESS:
        return text_name(kind, none, p->address);
    case FF_NAME_JOB:
        return text_name(kind, none, who->job);
    case FF_NAME_STEP:
        return text_name(kind, none, p->step);
    case FF_NAME_BOOT:
        return text_name(kind, none, who->boot);
    case FF_NAME_GROUP: /* of several records: communicators.c */
    case FF_NAME_COMMUNICATOR:
    case FF_NAME_SEAT:
    case FF_NAME_ADAPTER: /* of a list: ff_pairs_add_adapters */
    case FF_NAME_NONE:
    case FF_NAME_KINDS:
        break;
    }
    return (ff_name){ .kind = FF_NAME_NONE };
}

int ff_name_compare(const ff_name *a, const ff_name *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    int order = ff_compare(a->scope, b->scope);
    order = order ? order : ff_compare(a->text, b->text);
    order = order ? order : (a->of > b->of) - (a->of < b->of);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

/* ---- collecting ---- */
void ff_pairs_init(ff_pairs *p)
{
    *p = (ff_pairs){ .n_slots = 1024 };
    p->slots = ff_alloc(p->n_slots * sizeof *p->slots);
    for (uint32_t i = 0; i < p->n_slots; i++)
        p->slots[i] = 0;
}

void ff_pairs_done(ff_pairs *p)
{
    ff_free(p->all.at);
    ff_free(p->more.at);
    ff_free(p->slots);
    ff_free(p->halves);
    ff_free(p->runs);
    *p = (ff_pairs){ 0 };
}

static uint64_t mix(uint64_t h, uint64_t value) { return (h ^ value) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29); }

static uint64_t hash_name(uint64_t h, const ff_name *n)
{
    h = mix(h, (uint64_t)n->kind);
    h = mix(h, (uint64_t)(int64_t)n->number);
    h = mix(h, (uint64_t)(int64_t)n->of);
    h = mix(h, ff_hash(n->scope));
    return mix(h, ff_hash(n->text));
}

static uint64_t hash_pair(const ff_pair *p)
{
    uint64_t h = mix(hash_name(hash_name(1, &p->left), &p->right), (uint64_t)p->weight);
    h = mix(h, ff_hash(p->communicator));
    return h ^ (h >> 31);
}

static bool is_same_pair(const ff_pair *a, const ff_pair *b)
{
    return a->weight == b->weight && ff_name_compare(&a->left, &b->left) == 0 &&
           ff_name_compare(&a->right, &b->right) == 0 && ff_equal(a->communicator, b->communicator);
}

static uint32_t *slot_of(const ff_pairs *p, const ff_pair *pair)
{
    uint32_t i = (uint32_t)(hash_pair(pair) & (p->n_slots - 1));
    while (p->slots[i] && !is_same_pair(&p->all.at[p->slots[i] - 1], pair))
        i = (i + 1) & (p->n_slots - 1);
    return &p->slots[i];
}

/* Sorting moves pairs: what is added behind that needs the table anew. */
static void fill_slots(ff_pairs *p, uint32_t n_slots)
{
    ff_free(p->slots);
    p->n_slots = n_slots;
    p->slots = ff_alloc(p->n_slots * sizeof *p->slots);
    for (uint32_t i = 0; i < p->n_slots; i++)
        p->slots[i] = 0;
    for (uint32_t i = 0; i < p->all.n; i++)
        *slot_of(p, &p->all.at[i]) = i + 1;
}

static void add_pair(ff_pairs *p, ff_pair pair)
{
    uint32_t *slot = slot_of(p, &pair);
    if (*slot || p->all.n == CAP_PAIRS)
        return; /* signals come in time order, so the first one is the earliest */
    *slot = p->all.n + 1;
    FF_PUSH(&p->all, pair);
    if (p->all.n > p->n_slots / 2)
        fill_slots(p, p->n_slots * 2);
}

/* While the look-up stands, nothing moves that it points to. */
static void add_or_wait(ff_pairs *p, ff_pair pair)
{
    if (!p->halves)
        add_pair(p, pair);
    else if (p->more.n < CAP_PAIRS)
        FF_PUSH(&p->more, pair);
}

static void take_more(ff_pairs *p)
{
    ff_free(p->halves);
    ff_free(p->runs);
    p->halves = NULL;
    p->runs = NULL;
    p->n_halves = p->n_runs = 0;
    for (uint32_t i = 0; i < p->all.n; i++)
        p->all.at[i].conflict = p->all.at[i].unused = false;
    fill_slots(p, p->n_slots);
    for (uint32_t i = 0; i < p->more.n; i++)
        add_pair(p, p->more.at[i]);
    p->more.n = 0;
}

void ff_pairs_add_one(ff_pairs *p, const ff_pair *pair) { add_or_wait(p, *pair); }

void ff_pairs_add_rank(ff_pairs *p, const ff_person *who, int32_t rank, const ff_pair *proto)
{
    ff_pair pair = *proto;
    pair.left = ff_name_of(who, FF_NAME_PID);
    pair.right = number_name(FF_NAME_RANK, who->who->job, rank);
    if (pair.left.kind != FF_NAME_NONE && pair.right.kind != FF_NAME_NONE)
        add_or_wait(p, pair);
}

void ff_pairs_add_same(ff_pairs *p, ff_bytes host, int32_t pid, ff_bytes space, int32_t inner, const ff_pair *proto)
{
    ff_pair pair = *proto;
    pair.left = number_name(FF_NAME_PID, host, pid);
    pair.right = number_name(FF_NAME_PID, space, inner);
    if (pair.left.kind != FF_NAME_NONE && pair.right.kind != FF_NAME_NONE)
        add_or_wait(p, pair);
}

void ff_pairs_add(ff_pairs *p, const ff_person *who, bool pod_is_here, const ff_pair *proto)
{
    ff_name names[FF_NAME_KINDS];
    for (unsigned k = 0; k < FF_NAME_KINDS; k++)
        names[k] = ff_name_of(who, (ff_name_kind)k);
    for (unsigned i = 0; i < FF_COUNT(relations); i++) {
        ff_pair pair = *proto;
        pair.left = names[relations[i].left];
        pair.right = names[relations[i].right];
        bool ranked = pair.left.kind == FF_NAME_RANK || pair.right.kind == FF_NAME_RANK;
        if (!ranked) {
            pair.weight = INT32_MAX;
            pair.communicator = (ff_bytes){ 0 };
        }
        bool elsewhere = pair.left.kind == FF_NAME_POD && pair.right.kind == FF_NAME_HOST && !pod_is_here;
        if (pair.left.kind != FF_NAME_NONE && pair.right.kind != FF_NAME_NONE && !elsewhere)
            add_pair(p, pair);
    }
}

void ff_pairs_add_adapters(ff_pairs *p, const ff_person *who, ff_bytes list, const ff_pair *proto)
{
    ff_bytes host = ff_short_host(who->who->host), item = { 0 };
    for (unsigned i = 0; host.n && list.n && i < ADAPTERS_READ; i++) {
        if (!ff_take_until(&list, ' ', &item)) {
            item = list;
            list = (ff_bytes){ 0 };
        }
        size_t open = ff_find(item, FF_LIT("]")), end = ff_find(item, FF_LIT("/"));
        ff_pair pair = *proto;
        pair.weight = INT32_MAX;
        pair.communicator = (ff_bytes){ 0 };
        pair.left = open < end ? text_name(FF_NAME_ADAPTER, host, ff_skip_n(ff_first_n(item, end), open + 1))
                               : (ff_name){ .kind = FF_NAME_NONE };
        pair.right = text_name(FF_NAME_HOST, (ff_bytes){ 0 }, host);
        if (pair.left.kind != FF_NAME_NONE)
            add_pair(p, pair);
    }
}

/* ---- settling ---- */
static int by_left(const void *left, const void *right)
{
    const ff_pair *a = left, *b = right;
    int order = ff_name_compare(&a->left, &b->left);
    order = order ? order : (a->right.kind > b->right.kind) - (a->right.kind < b->right.kind);
    order = order ? order : (a->weight < b->weight) - (a->weight > b->weight); /* the weightiest first */
    order = order ? order : ff_name_compare(&a->right, &b->right);
    order = order ? order : ff_compare(a->communicator, b->communicator);
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static bool is_one(const ff_pair *p)
{
    if (p->left.kind == FF_NAME_PID && p->right.kind == FF_NAME_PID)
        return true; /* of a node, and of a container */
    for (unsigned i = 0; i < FF_COUNT(relations) && p->left.of >= 0; i++)
        if (relations[i].left == p->left.kind && relations[i].right == p->right.kind)
            return relations[i].one;
    return false;
}

/* A rank that counts in a smaller communicator is another number than the rank in the job: only the widest counts. */
static bool is_narrower(const ff_pair *p, const ff_pair *widest) { return p->weight < widest->weight; }

/* Threads of one process, each with a device of its own, may each be a rank. */
static bool are_threads(const ff_pair *at, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (at[i].device < 0 || at[i].device == at[i - 1].device)
            return false;
    return at[0].device >= 0 && at[0].left.kind == FF_NAME_PID && at[0].right.kind == FF_NAME_RANK;
}

/* Pairs of one left name and one right kind, widest first: what is left out, what conflicts. */
static void settle_run(ff_pair *at, uint32_t n)
{
    uint32_t wide = 0;
    bool differ = false, same_world = true;
    for (uint32_t i = 0; i < n; i++) {
        at[i].unused = is_narrower(&at[i], &at[0]);
        if (at[i].unused)
            continue;
        wide = i + 1;
        differ = differ || ff_name_compare(&at[i].right, &at[0].right) != 0;
        same_world = same_world && ff_equal(at[i].communicator, at[0].communicator);
    }
    if (!differ || !is_one(&at[0]))
        return;
    bool threads = are_threads(at, wide);
    for (uint32_t i = 0; i < wide; i++) {
        at[i].conflict = same_world && !threads;
        at[i].unused = !same_world;
    }
}

static int by_from(const void *left, const void *right)
{
    const ff_half *a = left, *b = right;
    int order = ff_name_compare(a->from, b->from);
    order = order ? order : ff_name_compare(a->to, b->to);
    return order ? order : (a->pair > b->pair) - (a->pair < b->pair);
}

/* The slot of the first half from that name to that kind; 0: there is none, and it would stand here. */
static uint32_t *run_of(const ff_pairs *p, const ff_name *from, ff_name_kind kind)
{
    uint64_t hash = mix(hash_name(2, from), (uint64_t)kind);
    for (uint64_t i = hash ^ (hash >> 31);; i++) {
        uint32_t *slot = &p->runs[i & (p->n_runs - 1)];
        const ff_half *h = *slot ? &p->halves[*slot - 1] : NULL;
        if (!h || (h->to->kind == kind && ff_name_compare(h->from, from) == 0))
            return slot;
    }
}

static void index_halves(ff_pairs *p)
{
    for (p->n_runs = 1024; p->n_runs / 2 < p->n_halves; p->n_runs *= 2)
        ;
    p->runs = ff_alloc(p->n_runs * sizeof *p->runs);
    memset(p->runs, 0, p->n_runs * sizeof *p->runs);
    for (uint32_t i = 0; i < p->n_halves; i++) {
        uint32_t *slot = run_of(p, p->halves[i].from, p->halves[i].to->kind);
        *slot = *slot ? *slot : i + 1;
    }
}

void ff_pairs_settle(ff_pairs *p)
{
    if (p->halves)
        take_more(p);
    if (p->all.n)
        qsort(p->all.at, p->all.n, sizeof *p->all.at, by_left);
    for (uint32_t i = 0, end = 0; i < p->all.n; i = end) {
        while (end < p->all.n && p->all.at[end].right.kind == p->all.at[i].right.kind &&
               ff_name_compare(&p->all.at[end].left, &p->all.at[i].left) == 0)
            end++;
        settle_run(p->all.at + i, end - i);
    }
    p->halves = ff_alloc((size_t)p->all.n * 2 * sizeof *p->halves);
    for (uint32_t i = 0; i < p->all.n; i++) {
        const ff_pair *one = &p->all.at[i];
        if (one->unused || one->disputed)
            continue;
        p->halves[p->n_halves++] = (ff_half){ .from = &one->left, .to = &one->right, .pair = one };
        p->halves[p->n_halves++] = (ff_half){ .from = &one->right, .to = &one->left, .pair = one };
    }
    qsort(p->halves, p->n_halves, sizeof *p->halves, by_from);
    index_halves(p);
}

const ff_name *ff_pairs_find(const ff_pairs *p, const ff_name *from, ff_name_kind kind)
{
    uint32_t low = *run_of(p, from, kind);
    low = low ? low - 1 : p->n_halves;
    const ff_name *found = NULL;
    for (; low < p->n_halves; low++) {
        const ff_half *h = &p->halves[low];
        if (h->to->kind != kind || ff_name_compare(h->from, from) != 0)
            break;
        if (h->pair->conflict || (found && ff_name_compare(found, h->to) != 0))
            return NULL;
        found = h->to;
    }
    return found;
}

/* ---- for the report ---- */
static ff_bytes print_name(const ff_name *n, ff_arena *arena)
{
    if (n->text.n && !n->scope.n)
        return n->text;
    if (n->kind == FF_NAME_DEVICE && n->of >= 0)
        return ff_arena_format(arena, "%.*s/%d/%d", FF_SHOW(n->scope), (int)n->of, (int)n->number);
    if (n->text.n)
        return ff_arena_format(arena, "%.*s/%.*s", FF_SHOW(n->scope), FF_SHOW(n->text));
    if (n->scope.n)
        return ff_arena_format(arena, "%.*s/%d", FF_SHOW(n->scope), (int)n->number);
    return ff_arena_format(arena, "%d", (int)n->number);
}

static ff_join print_pair(const ff_pair *p, const ff_evidence *e, ff_arena *arena)
{
    bool conflict = p->conflict || p->disputed;
    ff_join j = { .left_kind = ff_str(kind_names[p->left.kind]),
                  .left = print_name(&p->left, arena),
                  .right_kind = ff_str(kind_names[p->right.kind]),
                  .right = print_name(&p->right, arena),
                  .signal = p->signal,
                  .confidence = conflict      ? FF_POSSIBLE
                                : p->inferred ? FF_LIKELY
                                              : FF_CERTAIN,
                  .conflict = conflict };
    if (p->why.n)
        j.rests_on = ff_arena_format(arena, "%.*s %.*s:%u", FF_SHOW(p->why), FF_SHOW(e->members[p->member].name),
                                     e->signals[p->signal].at.line);
    else if (p->signal == FF_NONE)
        j.rests_on = ff_arena_format(arena, "holds for all of %.*s", FF_SHOW(e->members[p->member].name));
    else if (p->inferred)
        j.rests_on = ff_arena_format(arena, "one process speaks in %.*s, and line %u names its rank",
                                     FF_SHOW(e->members[p->member].name), e->signals[p->signal].at.line);
    else
        j.rests_on = ff_arena_format(arena, "both stand in %.*s:%u", FF_SHOW(e->members[p->member].name),
                                     e->signals[p->signal].at.line);
    return j;
}

static int by_text(const void *left, const void *right)
{
    const ff_join *a = left, *b = right;
    int order = ff_compare(a->left_kind, b->left_kind);
    order = order ? order : ff_compare(a->left, b->left);
    order = order ? order : ff_compare(a->right_kind, b->right_kind);
    order = order ? order : ff_compare(a->right, b->right);
    order = order ? order : (a->confidence < b->confidence) - (a->confidence > b->confidence); /* the surest stands */
    return order ? order : (a->signal > b->signal) - (a->signal < b->signal);
}

static bool is_same_join(const ff_join *a, const ff_join *b)
{
    return ff_equal(a->left_kind, b->left_kind) && ff_equal(a->left, b->left) &&
           ff_equal(a->right_kind, b->right_kind) && ff_equal(a->right, b->right);
}

ff_identity ff_pairs_joins(const ff_pairs *p, const ff_evidence *e, ff_arena *arena)
{
    uint32_t most = p->all.n < FF_CAP_JOINS ? p->all.n : FF_CAP_JOINS;
    ff_identity id = { .joins = FF_NEW_N(arena, ff_join, (size_t)most + 1) };
    for (uint32_t i = 0; i < p->all.n && id.n_joins < most; i++) {
        if (p->all.at[i].unused && !p->all.at[i].disputed)
            continue;
        id.joins[id.n_joins++] = print_pair(&p->all.at[i], e, arena);
    }
    qsort(id.joins, id.n_joins, sizeof *id.joins, by_text);
    uint32_t n = 0;
    for (uint32_t i = 0; i < id.n_joins; i++)
        if (n == 0 || !is_same_join(&id.joins[n - 1], &id.joins[i]))
            id.joins[n++] = id.joins[i];
    id.n_joins = n;
    return id;
}
