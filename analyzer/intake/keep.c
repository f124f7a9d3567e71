/* What was recognised in the member at hand: signals, samples, skips, under their caps. Everything kept is copied to
 * the arena of the scan; equal short texts (hosts, units, programs) are kept once. */
#include "intake_private.h"

#include <stdlib.h>
#include <string.h>

#define INTERN_BYTES 128u

/* ---- copies ---- */

ff_bytes ff_cut_quote(ff_bytes line) { return ff_first_n(line, FF_CAP_EVIDENCE_TEXT); }

ff_bytes ff_keep_bytes(ff_scan *s, ff_bytes b)
{
    if (b.n == 0)
        return (ff_bytes){ NULL, 0 };
    if (b.n > INTERN_BYTES)
        return ff_arena_copy(&s->arena, b);
    ff_bytes *slot = &s->interned[ff_hash(b) % FF_COUNT(s->interned)];
    if (!ff_equal(*slot, b))
        *slot = ff_arena_copy(&s->arena, b);
    return *slot;
}

ff_who ff_keep_who(ff_scan *s, const ff_who *who)
{
    ff_who out = *who;
    out.host = ff_keep_bytes(s, who->host);
    out.boot = ff_keep_bytes(s, who->boot);
    out.unit = ff_keep_bytes(s, who->unit);
    out.pod = ff_keep_bytes(s, who->pod);
    out.pod_uid = ff_keep_bytes(s, who->pod_uid);
    out.container = ff_keep_bytes(s, who->container);
    out.cgroup = ff_keep_bytes(s, who->cgroup);
    out.gpu = ff_keep_bytes(s, who->gpu);
    out.gpu_uuid = ff_keep_bytes(s, who->gpu_uuid);
    out.process = ff_keep_bytes(s, who->process);
    return out;
}

ff_who ff_who_copy(const ff_who *who, ff_arena *arena)
{
    ff_who out = *who;
    ff_bytes *texts[] = { &out.host,      &out.boot,   &out.unit, &out.pod,      &out.pod_uid,
                          &out.container, &out.cgroup, &out.gpu,  &out.gpu_uuid, &out.process };
    for (size_t i = 0; i < FF_COUNT(texts); i++)
        if (texts[i]->n)
            *texts[i] = ff_arena_copy(arena, *texts[i]);
    return out;
}

void ff_who_fill(ff_who *who, const ff_who *from)
{
    ff_bytes *to[] = { &who->host,      &who->boot,   &who->unit, &who->pod,      &who->pod_uid,
                       &who->container, &who->cgroup, &who->gpu,  &who->gpu_uuid, &who->process };
    const ff_bytes *of[] = { &from->host,      &from->boot,   &from->unit, &from->pod,      &from->pod_uid,
                             &from->container, &from->cgroup, &from->gpu,  &from->gpu_uuid, &from->process };
    for (size_t i = 0; i < FF_COUNT(to); i++)
        if (to[i]->n == 0)
            *to[i] = *of[i];
    int32_t *numbers[] = { &who->pid, &who->rank, &who->local_rank, &who->gpu_index, &who->device };
    const int32_t other[] = { from->pid, from->rank, from->local_rank, from->gpu_index, from->device };
    for (size_t i = 0; i < FF_COUNT(numbers); i++)
        if (*numbers[i] == FF_NO_NUMBER)
            *numbers[i] = other[i];
}

static ff_field *copy_fields(const ff_field *fields, uint32_t n, ff_arena *arena)
{
    ff_field *out = n ? FF_NEW_N(arena, ff_field, n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = fields[i];
        out[i].name = ff_arena_copy(arena, fields[i].name);
        out[i].s = ff_arena_copy(arena, ff_first_n(fields[i].s, FF_CAP_LINE));
    }
    return out;
}

/* Fields of a signature keep the names of its declaration: those live as long as the rulebook. */
static ff_field *keep_fields(ff_scan *s, const ff_field *fields, uint32_t n)
{
    ff_field *out = n ? FF_NEW_N(&s->arena, ff_field, n) : NULL;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = fields[i];
        out[i].s = ff_keep_bytes(s, ff_first_n(fields[i].s, FF_CAP_EVIDENCE_TEXT));
    }
    return out;
}

/* ---- signals ---- */

/* Returns the new signal's index. */
static uint32_t add_signal(ff_scan *s, const ff_signal *signal)
{
    FF_PUSH(&s->signals, *signal);
    return s->signals.n - 1;
}

/* One more of this row (signature, or fact behind them) was seen; how many that makes. */
static uint32_t count_seen(ff_scan *s, uint32_t row)
{
    if (s->n_seen[row] == 0)
        FF_PUSH(&s->touched, row);
    if (s->n_seen[row] < UINT32_MAX)
        s->n_seen[row]++;
    return s->n_seen[row];
}

static void count_once_more(ff_signal *kept, const ff_event *ev, const ff_place *at)
{
    uint32_t times = ev->times ? ev->times : 1;
    kept->count = kept->count > UINT32_MAX - times ? UINT32_MAX : kept->count + times;
    kept->last_at = (ff_record){ kept->at.member, at->line, (uint32_t)(at->to - at->from), at->offset };
    if (ev->said.kind != FF_STAMP_NONE)
        kept->last_said = ev->said;
}

static ff_signal signal_of(ff_scan *s, uint32_t signature, const ff_event *ev, const ff_place *at,
                           const ff_field *fields, uint32_t n)
{
    ff_signal out = { .kind = s->shared->options->first_signature_kind + signature,
                      .stream = ev->stream,
                      .at = { 0, at->line, (uint32_t)(at->to - at->from), at->offset },
                      .quote = ff_keep_bytes(s, ff_cut_quote(at->text)),
                      .said = ev->said,
                      .also = ev->also,
                      .fields = keep_fields(s, fields, n),
                      .n_fields = n,
                      .count = ev->times ? ev->times : 1,
                      .last_said = ev->said,
                      .clock = FF_NONE };
    out.last_at = out.at;
    ff_who who = ev->who;
    for (uint32_t i = 0; i < n; i++)
        ff_field_into_who(&fields[i], &who);
    out.who = ff_keep_who(s, &who);
    return out;
}

/* ---- folding ---- */

static ff_bytes fold_text(ff_scan *s, const ff_signature *sig, const ff_field *fields, uint32_t n)
{
    ff_text t;
    ff_text_init(&t, FF_CAP_LINE);
    for (uint32_t k = 0; k < sig->n_fold; k++) {
        for (uint32_t i = 0; i < n; i++)
            if (ff_equal(fields[i].name, sig->fold[k]))
                ff_text_add(&t, fields[i].s);
        ff_text_addc(&t, '\x1f');
    }
    ff_bytes key = ff_arena_copy(&s->member_scratch, ff_text_view(&t));
    ff_text_done(&t);
    return key;
}

/* The slot of a key, or the free one where it belongs. */
static uint16_t *fold_slot(ff_scan *s, uint32_t signature, ff_bytes key, uint64_t hash)
{
    for (uint64_t i = hash;; i++) {
        uint16_t *slot = &s->fold_slots[i % FF_FOLD_SLOTS];
        if (*slot == 0)
            return slot;
        const ff_fold_key *k = &s->fold_keys[*slot - 1];
        if (k->hash == hash && k->signature == signature && ff_equal(k->key, key))
            return slot;
    }
}

/* True: there is such a line already, or no room for another kind of it. */
static bool folded(ff_scan *s, uint32_t signature, ff_bytes key, const ff_event *ev, const ff_place *at,
                   uint16_t **slot)
{
    *slot = fold_slot(s, signature, key, ff_hash(key) ^ ((uint64_t)signature * 0x9e3779b97f4a7c15u));
    if (**slot) {
        count_once_more(&s->signals.at[s->fold_keys[**slot - 1].signal], ev, at);
        return true;
    }
    if (s->n_fold_keys < FF_FOLD_KEYS)
        return false;
    s->over_folds++;
    return true;
}

static void keep_folded(ff_scan *s, uint32_t signature, const ff_event *ev, const ff_place *at,
                        const ff_field *fields, uint32_t n)
{
    uint16_t *slot = NULL;
    ff_bytes key = fold_text(s, &s->shared->signatures[signature], fields, n);
    if (folded(s, signature, key, ev, at, &slot))
        return;
    (void)count_seen(s, signature);
    ff_signal signal = signal_of(s, signature, ev, at, fields, n);
    uint32_t index = add_signal(s, &signal);
    uint64_t hash = ff_hash(key) ^ ((uint64_t)signature * 0x9e3779b97f4a7c15u);
    s->fold_keys[s->n_fold_keys++] = (ff_fold_key){ hash, signature, index, key };
    *slot = (uint16_t)s->n_fold_keys;
    ff_keep_context(s, index, at);
}

/* True: as many of this row are kept as one member may have, or as falls to it while there are so many members. */
static bool is_full(ff_scan *s, uint32_t row, uint32_t cap)
{
    uint32_t n = count_seen(s, row), share = ff_share_now(s->shared);
    s->over_each += n > cap;
    s->over_share += n <= cap && n > share;
    return n > cap || n > share;
}

void ff_keep_match(ff_scan *s, uint32_t signature, const ff_event *ev, const ff_place *at, const ff_field *fields,
                   uint32_t n)
{
    if (s->shared->signatures[signature].folds) {
        keep_folded(s, signature, ev, at, fields, n);
        return;
    }
    if (is_full(s, signature, FF_CAP_SIGNALS_EACH)) {
        count_once_more(&s->signals.at[s->last_kept[signature]], ev, at);
        return;
    }
    ff_signal signal = signal_of(s, signature, ev, at, fields, n);
    s->last_kept[signature] = add_signal(s, &signal);
    ff_keep_context(s, s->last_kept[signature], at);
}

/* ---- facts ---- */

ff_signal ff_signal_of_fact(const ff_fact *f, ff_arena *arena)
{
    ff_signal out = { .kind = (uint32_t)f->id,
                      .stream = ff_fact_stream((uint32_t)f->id),
                      .at = { 0, f->line, (uint32_t)(f->quote.n < UINT32_MAX ? f->quote.n : UINT32_MAX), f->offset },
                      .quote = ff_arena_copy(arena, ff_cut_quote(f->quote)),
                      .said = f->said,
                      .fields = copy_fields(f->fields, f->n_fields, arena),
                      .n_fields = f->n_fields,
                      .count = 1,
                      .last_said = f->said,
                      .clock = FF_NONE };
    out.last_at = out.at;
    ff_who who = f->who;
    for (uint32_t i = 0; i < f->n_fields; i++)
        ff_field_into_who(&f->fields[i], &who);
    out.who = ff_who_copy(&who, arena);
    return out;
}

void ff_keep_fact(ff_scan *s, const ff_fact *f)
{
    if ((uint32_t)f->id >= FF_FACTS)
        return;
    if (is_full(s, s->shared->n_signatures + (uint32_t)f->id, FF_FACTS_EACH))
        return;
    s->seen |= ff_fact_stream((uint32_t)f->id);
    ff_signal signal = ff_signal_of_fact(f, &s->arena);
    (void)add_signal(s, &signal);
}

/* ---- samples and skips ---- */

/* Every second one goes and the distance doubles, so that what stays is spread evenly. Of each two, one with both
 * times stays. */
static void thin_samples(ff_scan *s)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->samples.n; i += 2) {
        const ff_sample *first = &s->samples.at[i], *second = i + 1 < s->samples.n ? first + 1 : first;
        bool later = first->also.kind == FF_STAMP_NONE && second->also.kind != FF_STAMP_NONE;
        s->samples.at[n++] = later ? *second : *first;
    }
    s->samples.n = n;
    s->sample_step *= 2;
}

bool ff_tells_time_or_host(const ff_event *ev)
{
    return ev->said.kind != FF_STAMP_NONE || ev->also.kind != FF_STAMP_NONE || ev->who.host.n != 0;
}

void ff_keep_sample(ff_scan *s, const ff_event *ev, uint32_t line)
{
    if (!ff_tells_time_or_host(ev))
        return;
    if (s->samples.n == FF_SAMPLES_MEMBER)
        thin_samples(s);
    FF_PUSH(&s->samples, ((ff_sample){ .line = line,
                                       .said = ev->said,
                                       .also = ev->also,
                                       .host = ff_keep_bytes(s, ev->who.host),
                                       .boot = ff_keep_bytes(s, ev->who.boot) }));
}

void ff_keep_skip(ff_scan *s, uint32_t line, const char *reason)
{
    ff_member *m = &s->result->member;
    for (uint32_t i = 0; i < m->n_skips; i++)
        if (strcmp(m->skips[i].reason, reason) == 0) {
            m->skips[i].count++;
            return;
        }
    if (m->n_skips < FF_SKIP_KINDS)
        m->skips[m->n_skips++] = (ff_skip){ reason, 1, line };
}

/* ---- the member ---- */

void ff_keep_begin(ff_scan *s)
{
    s->signals.n = s->samples.n = s->dumps.n = s->waiting.n = 0;
    s->last_sample = (ff_sample){ 0 };
    s->n_inner = 0;
    s->sample_step = 1;
    s->n_before = 0;
    s->run = (ff_bytes){ NULL, 0 };
    for (uint32_t i = 0; i < s->touched.n; i++)
        s->n_seen[s->touched.at[i]] = 0;
    s->touched.n = 0;
    if (s->n_fold_keys)
        memset(s->fold_slots, 0, FF_FOLD_SLOTS * sizeof *s->fold_slots);
    s->n_fold_keys = 0;
    s->over_each = s->over_folds = s->over_share = 0;
    memset(s->line_cache, 0, sizeof s->line_cache);
}

/* By place, then kind, then as they came: ref carries the number among its kind. */
static int by_place(const void *a, const void *b)
{
    const ff_signal *x = a, *y = b;
    if (x->at.offset != y->at.offset)
        return x->at.offset < y->at.offset ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->ref < y->ref ? -1 : x->ref > y->ref;
}

static void note_limits(ff_scan *s)
{
    ff_bytes name = s->result->member.name;
    uint32_t input = s->result->member.input;
    if (s->over_each)
        ff_note_limit(s->shared, "signals of one signature", input, name, s->over_each);
    if (s->over_folds)
        ff_note_limit(s->shared, "distinct values of a folded signature", input, name, s->over_folds);
    if (s->doc_cut)
        ff_note_limit(s->shared, "document size", input, name, s->result->member.bytes);
}

/* Freed when it is gathered: the table of all has copies. */
static void *keep_array(const void *from, size_t n, size_t size)
{
    return n ? memcpy(ff_alloc(n * size), from, n * size) : NULL;
}

static void set_span(ff_scan *s, ff_member *m)
{
    for (uint32_t i = 0; i < s->samples.n; i++) {
        if (s->samples.at[i].said.kind == FF_STAMP_NONE || s->samples.at[i].collected)
            continue;
        m->last_said = s->samples.at[i].said;
        if (m->first_said.kind == FF_STAMP_NONE)
            m->first_said = m->last_said;
    }
}

void ff_keep_end(ff_scan *s)
{
    ff_result *r = s->result;
    if (s->last_sample.said.kind != FF_STAMP_NONE)
        FF_PUSH(&s->samples, s->last_sample);
    ff_share_count(s);
    if (s->signals.n)
        qsort(s->signals.at, s->signals.n, sizeof *s->signals.at, by_place);
    set_span(s, &r->member);
    r->n_signals = s->signals.n;
    r->n_samples = s->samples.n;
    r->n_dumps = s->dumps.n;
    r->over_share = s->over_share;
    r->signals = keep_array(s->signals.at, s->signals.n, sizeof *s->signals.at);
    r->samples = keep_array(s->samples.at, s->samples.n, sizeof *s->samples.at);
    r->dumps = keep_array(s->dumps.at, s->dumps.n, sizeof(ff_dump *));
    note_limits(s);
}
