/* All results of all threads into one table, in byte order of the final names. Nothing here depends on the order in
 * which members were read. */
#include "intake_private.h"

#include <stdlib.h>
#include <string.h>

const char ff_hard_link[] = "hard link to another member";

/* ---- names ---- */

static ff_bytes final_name(ff_shared *sh, const ff_result *r)
{
    ff_bytes name = r->member.name;
    uint32_t input = r->member.input;
    if (r->root && !sh->roots[input].broken)
        name = ff_skip_n(name, r->root);
    return name;
}

static ff_bytes prefixed(ff_shared *sh, uint32_t input, ff_bytes name)
{
    ff_bytes in = sh->inputs[input].name;
    if (sh->n_inputs == 1)
        return name;
    if (sh->lone[input])
        return in;
    return ff_arena_format(sh->arena, "%.*s/%.*s", (int)in.n, in.p, (int)name.n, name.p);
}

/* Equal names are put in an order that only their content decides. */
static int by_name(const void *a, const void *b)
{
    const ff_member *x = &(*(ff_result *const *)a)->member, *y = &(*(ff_result *const *)b)->member;
    int order = ff_compare(x->name, y->name);
    if (order)
        return order;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    if (x->print_high != y->print_high)
        return x->print_high < y->print_high ? -1 : 1;
    return x->print_low < y->print_low ? -1 : x->print_low > y->print_low;
}

static void sort_results(ff_shared *sh)
{
    if (sh->results.n)
        qsort(sh->results.at, sh->results.n, sizeof *sh->results.at, by_name);
}

/* A name that stands twice in an archive gets "~2", "~3" behind it. */
static void name_twins_apart(ff_shared *sh)
{
    bool any = false;
    for (uint32_t i = 1, twin = 1; i < sh->results.n; i++) {
        ff_bytes name = sh->results.at[i]->member.name;
        bool equal = ff_equal(name, sh->results.at[i - twin]->member.name);
        twin = equal ? twin + 1 : 1;
        if (equal)
            sh->results.at[i]->hint = ff_arena_format(sh->arena, "%.*s~%u", (int)name.n, name.p, twin);
        else
            sh->results.at[i]->hint = name;
        any = any || equal;
    }
    for (uint32_t i = 1; any && i < sh->results.n; i++)
        sh->results.at[i]->member.name = sh->results.at[i]->hint;
    if (any)
        sort_results(sh);
}

/* ---- hard links: one of the names has the bytes; it is the first one in name order, whichever the archive chose
 * ---- */

static ff_result *find_result(ff_shared *sh, uint32_t input, ff_bytes name)
{
    for (uint32_t low = 0, high = sh->results.n; low < high;) {
        uint32_t mid = low + (high - low) / 2;
        ff_result *r = sh->results.at[mid];
        int order = ff_compare(r->member.name, name);
        if (order == 0 && r->member.input == input && !r->link.n)
            return r;
        if (order < 0 || (order == 0 && r->member.input < input))
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

static void exchange_names(ff_result *a, ff_result *b)
{
    ff_bytes name = a->member.name;
    uint32_t root = a->root;
    a->member.name = b->member.name;
    a->root = b->root;
    b->member.name = name;
    b->root = root;
}

/* All targets are found before any name is exchanged: links name their target as the archive did. */
static void settle_links(ff_shared *sh)
{
    ff_result **targets = ff_alloc(sh->results.n * sizeof *targets);
    for (uint32_t i = 0; i < sh->results.n; i++) {
        ff_result *r = sh->results.at[i];
        targets[i] = r->link.n ? find_result(sh, r->member.input, r->link) : NULL;
        if (r->link.n)
            r->member.unread = targets[i] ? ff_hard_link : "hard link to a member that is not here";
    }
    for (uint32_t i = 0; i < sh->results.n; i++)
        if (targets[i] && ff_compare(sh->results.at[i]->member.name, targets[i]->member.name) < 0)
            exchange_names(sh->results.at[i], targets[i]);
    ff_free(targets);
}

/* ---- manifest ---- */

static void add_manifest_line(ff_text *t, const ff_member *m, ff_bytes name)
{
    ff_text_addf(t, "%016llx%016llx %llu ", (unsigned long long)m->print_high, (unsigned long long)m->print_low,
                 (unsigned long long)m->bytes);
    ff_text_add(t, name);
    ff_text_addc(t, '\n');
}

/* Names without the input's own in front, so that the sum does not depend on what was read besides. */
static void sum_input(ff_shared *sh, uint32_t input)
{
    ff_input *in = &sh->inputs[input];
    size_t prefix = sh->n_inputs > 1 && !sh->lone[input] ? in->name.n + 1 : 0;
    ff_text manifest;
    ff_text_init(&manifest, 0);
    for (uint32_t i = 0; i < sh->results.n; i++) {
        const ff_member *m = &sh->results.at[i]->member;
        if (m->input != input)
            continue;
        bool renamed = sh->n_inputs > 1 && sh->lone[input];
        add_manifest_line(&manifest, m, renamed ? in->file : ff_skip_n(m->name, prefix));
        in->bytes += m->bytes;
        in->members++;
        in->truncated = in->truncated || m->truncated;
    }
    ff_sha256(ff_text_view(&manifest), in->sha256);
    ff_text_done(&manifest);
}

/* ---- notes and limits ---- */

/* What is said of a member is said under its final name; what is said of an input, under the input's if there are
 * more. */
static ff_bytes settled_name(ff_shared *sh, const ff_remark *r)
{
    uint32_t cut = 0;
    if (r->where.n == 0)
        return sh->n_inputs > 1 && r->cap ? sh->inputs[r->input].name : r->where;
    ff_bytes name = sh->roots[r->input].broken ? r->where : ff_without_root(&sh->roots[r->input], r->where, &cut);
    return prefixed(sh, r->input, name);
}

static int by_text(const void *a, const void *b) { return ff_compare(*(const ff_bytes *)a, *(const ff_bytes *)b); }

static ff_bytes note_text(ff_shared *sh, const ff_remark *r)
{
    ff_bytes name = settled_name(sh, r);
    if (name.n == 0)
        return r->text;
    return ff_arena_format(sh->arena, "%.*s: %.*s", (int)name.n, name.p, (int)r->text.n, r->text.p);
}

static void gather_notes(ff_shared *sh, uint32_t input)
{
    ff_input *in = &sh->inputs[input];
    in->notes = FF_NEW_N(sh->arena, ff_bytes, (size_t)sh->remarks.n + 1);
    for (uint32_t i = 0; i < sh->remarks.n; i++)
        if (sh->remarks.at[i].input == input && !sh->remarks.at[i].cap)
            in->notes[in->n_notes++] = note_text(sh, &sh->remarks.at[i]);
    if (in->n_notes)
        qsort(in->notes, in->n_notes, sizeof *in->notes, by_text);
    uint32_t n = 0;
    for (uint32_t i = 0; i < in->n_notes; i++)
        if (n == 0 || !ff_equal(in->notes[i], in->notes[n - 1]))
            in->notes[n++] = in->notes[i];
    in->n_notes = n;
}

static int by_cap(const void *a, const void *b)
{
    const ff_limit *x = a, *y = b;
    int order = strcmp(x->cap, y->cap);
    if (order == 0)
        order = ff_compare(x->where, y->where);
    return order ? order : x->count < y->count ? -1 : x->count > y->count;
}

static void gather_limits(ff_shared *sh, ff_evidence *out)
{
    out->limits = FF_NEW_N(sh->arena, ff_limit, (size_t)sh->remarks.n + 1);
    for (uint32_t i = 0; i < sh->remarks.n; i++) {
        const ff_remark *r = &sh->remarks.at[i];
        if (r->cap)
            out->limits[out->n_limits++] = (ff_limit){ r->cap, settled_name(sh, r), r->count };
    }
    if (out->n_limits)
        qsort(out->limits, out->n_limits, sizeof *out->limits, by_cap);
}

/* ---- tables ---- */

static void gather_members(ff_shared *sh, ff_evidence *out)
{
    out->n_members = sh->results.n;
    out->members = FF_NEW_N(sh->arena, ff_member, (size_t)out->n_members + 1);
    for (uint32_t i = 0; i < out->n_members; i++) {
        ff_member *m = &out->members[i];
        *m = sh->results.at[i]->member;
        m->id = i;
    }
}

static void gather_samples(ff_shared *sh, ff_evidence *out)
{
    size_t total = 0;
    for (uint32_t i = 0; i < sh->results.n; i++)
        total += sh->results.at[i]->n_samples;
    out->samples = FF_NEW_N(sh->arena, ff_sample, total + 1);
    for (uint32_t i = 0; i < sh->results.n; i++)
        for (uint32_t k = 0; k < sh->results.at[i]->n_samples; k++) {
            ff_sample *sample = &out->samples[out->n_samples++];
            *sample = sh->results.at[i]->samples[k];
            sample->member = i;
        }
    for (uint32_t i = 0; i < sh->results.n; i++)
        ff_free(sh->results.at[i]->samples);
}

static void gather_dumps(ff_shared *sh, ff_evidence *out)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < sh->results.n; i++)
        total += sh->results.at[i]->n_dumps;
    if (total == 0)
        return;
    out->dumps = FF_NEW(sh->arena, ff_dump_table);
    out->dumps->at = FF_NEW_N(sh->arena, ff_dump *, total);
    for (uint32_t i = 0; i < sh->results.n; i++)
        for (uint32_t k = 0; k < sh->results.at[i]->n_dumps; k++) {
            ff_dump *d = sh->results.at[i]->dumps[k];
            d->member = i;
            d->baseline = ff_names_baseline(sh->results.at[i]->member.name);
            out->dumps->at[out->dumps->n++] = d;
        }
    for (uint32_t i = 0; i < sh->results.n; i++)
        ff_free(sh->results.at[i]->dumps);
    ff_dumps_join(out->dumps, sh->arena);
}

typedef struct aligned { /* what comparing the dumps gave */
    ff_shared *shared;
    uint32_t n_members, room;
    FF_VEC(ff_signal) signals;
} aligned;

static void add_aligned(void *owner, uint32_t member, const ff_fact *f)
{
    aligned *a = owner;
    if (member >= a->n_members || a->signals.n >= a->room)
        return;
    ff_signal s = ff_signal_of_fact(f, a->shared->arena);
    s.at.member = s.last_at.member = member;
    FF_PUSH(&a->signals, s);
}

static int by_place(const void *a, const void *b)
{
    const ff_signal *x = a, *y = b;
    if (x->at.member != y->at.member)
        return x->at.member < y->at.member ? -1 : 1;
    if (x->at.offset != y->at.offset)
        return x->at.offset < y->at.offset ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->ref < y->ref ? -1 : x->ref > y->ref;
}

/* Each member gets its share; if even one signal of each kind is too much, the rest goes in name order. */
static uint32_t cut_members(ff_shared *sh)
{
    uint32_t kinds = sh->options->first_signature_kind + sh->n_signatures, total = 0;
    uint32_t *by_kind = ff_alloc(((size_t)kinds + 1) * sizeof *by_kind);
    uint64_t dropped = 0;
    for (uint32_t i = 0; i < sh->results.n; i++) {
        ff_result *r = sh->results.at[i];
        dropped += ff_share_cut(sh, r, by_kind);
        if (r->n_signals > FF_CAP_SIGNALS - total) {
            dropped += r->n_signals - (FF_CAP_SIGNALS - total);
            r->n_signals = FF_CAP_SIGNALS - total;
        }
        total += r->n_signals;
    }
    ff_free(by_kind);
    if (dropped)
        ff_note_limit(sh, "signals", 0, (ff_bytes){ NULL, 0 }, dropped);
    return total;
}

static void gather_signals(ff_shared *sh, ff_evidence *out)
{
    uint32_t total = cut_members(sh);
    aligned more = { .shared = sh, .n_members = sh->results.n, .room = FF_CAP_SIGNALS - total };
    if (out->dumps) {
        ff_recorder_align(out->dumps, sh->arena, add_aligned, &more);
        ff_dumps_drop_baseline(out->dumps);
    }
    out->signals = FF_NEW_N(sh->arena, ff_signal, (size_t)total + more.signals.n + 1);
    for (uint32_t i = 0; i < sh->results.n; i++) {
        const ff_result *r = sh->results.at[i];
        for (uint32_t k = 0; k < r->n_signals; k++) {
            ff_signal *s = &out->signals[out->n_signals++];
            *s = r->signals[k];
            s->at.member = s->last_at.member = i;
        }
        ff_free(r->signals);
    }
    for (uint32_t i = 0; i < more.signals.n; i++)
        out->signals[out->n_signals++] = more.signals.at[i];
    ff_free(more.signals.at);
    for (uint32_t i = 0; i < out->n_signals; i++)
        out->signals[i].ref = i;
    if (out->n_signals > total)
        qsort(out->signals, out->n_signals, sizeof *out->signals, by_place);
    for (uint32_t i = 0; i < out->n_signals; i++) {
        out->signals[i].ref = i;
        out->members[out->signals[i].at.member].signals++;
    }
}

void ff_gather(ff_shared *sh, ff_evidence *out)
{
    *out = (ff_evidence){ .inputs = sh->inputs, .n_inputs = sh->n_inputs };
    sort_results(sh);
    settle_links(sh);
    for (uint32_t i = 0; i < sh->results.n; i++) {
        ff_member *m = &sh->results.at[i]->member;
        m->name = prefixed(sh, m->input, final_name(sh, sh->results.at[i]));
    }
    sort_results(sh);
    name_twins_apart(sh);
    for (uint32_t i = 0; i < sh->n_inputs; i++) {
        sum_input(sh, i);
        gather_notes(sh, i);
    }
    gather_members(sh, out);
    gather_samples(sh, out);
    gather_dumps(sh, out);
    gather_signals(sh, out);
    gather_limits(sh, out);
}
