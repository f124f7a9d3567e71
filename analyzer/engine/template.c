/* "{usage_kib:kib} of {limit_kib:kib}" -> text. */
#include "engine_private.h"

#include "../base/text.h"

#define FILLED_BYTES 4096

const char *const ff_who_names[] = { "host",      "rank", "local_rank", "pid",    "process", "gpu",
                                     "gpu_index", "pod",  "container",  "cgroup", "count",   NULL };

typedef struct part { /* a piece of plain text, then a name (or none at the end) */
    ff_bytes plain, name, style;
    bool has_name;
} part;

static bool take_part(ff_bytes *in, part *out)
{
    if (in->n == 0)
        return false;
    *out = (part){ 0 };
    ff_bytes rest = *in, inside = { 0 };
    if (!ff_take_until(&rest, '{', &out->plain)) {
        out->plain = *in;
        *in = ff_skip_n(*in, in->n);
        return true;
    }
    ff_bytes after = rest;
    if (!ff_take_until(&after, '}', &inside)) { /* a brace that is never closed is a brace */
        out->plain = *in;
        *in = ff_skip_n(*in, in->n);
        return true;
    }
    *in = after;
    out->has_name = true;
    out->name = inside;
    if (ff_take_until(&inside, ':', &out->name))
        out->style = inside;
    return true;
}

static const ff_field *field_find(const ff_field *fields, uint32_t n, ff_bytes name)
{
    for (uint32_t i = 0; i < n; i++)
        if (ff_equal(fields[i].name, name))
            return &fields[i];
    return NULL;
}

static bool is_number(ff_field_type t)
{
    return t == FF_FIELD_INT || t == FF_FIELD_HEX || t == FF_FIELD_PID || t == FF_FIELD_RANK ||
           t == FF_FIELD_LOCAL_RANK || t == FF_FIELD_GPU;
}

static void add_value(ff_text *t, const ff_field *f, ff_bytes style)
{
    if (!f)
        ff_text_adds(t, "?");
    else if (ff_equal(style, FF_LIT("kib")) && is_number(f->type) && f->i >= 0)
        ff_text_add_kib(t, (uint64_t)f->i);
    else if (ff_equal(style, FF_LIT("span")) && is_number(f->type))
        ff_text_add_span(t, f->i);
    else if (f->s.n > 0)
        ff_text_add(t, f->s);
    else if (is_number(f->type))
        ff_text_addf(t, "%lld", (long long)f->i);
    else if (f->is_float)
        ff_text_addf(t, "%.6g", f->f);
}

ff_bytes ff_fill_template(ff_bytes text, const ff_field *fields, uint32_t n, ff_arena *arena)
{
    ff_text t;
    ff_text_init(&t, FILLED_BYTES);
    part p;
    while (take_part(&text, &p)) {
        ff_text_add(&t, p.plain);
        if (p.has_name)
            add_value(&t, field_find(fields, n, p.name), p.style);
    }
    ff_bytes filled = ff_arena_copy(arena, ff_text_view(&t));
    ff_text_done(&t);
    return filled;
}

bool ff_template_unknown(ff_bytes text, const ff_bytes *names, uint32_t n, ff_bytes *unknown)
{
    part p;
    while (take_part(&text, &p)) {
        bool known = !p.has_name;
        for (uint32_t i = 0; i < n && !known; i++)
            known = ff_equal(names[i], p.name);
        bool styled = p.style.n == 0 || ff_equal(p.style, FF_LIT("kib")) || ff_equal(p.style, FF_LIT("span"));
        if (known && styled)
            continue;
        *unknown = known ? p.style : p.name;
        return true;
    }
    return false;
}

/* ---- summaries ---- */

static void add_text(ff_field *at, uint32_t *n, const char *name, ff_bytes value)
{
    if (value.n > 0)
        at[(*n)++] = (ff_field){ .name = ff_str(name), .type = FF_FIELD_TEXT, .s = value };
}

static void add_int(ff_field *at, uint32_t *n, const char *name, int64_t value)
{
    if (value != FF_NO_NUMBER)
        at[(*n)++] = (ff_field){ .name = ff_str(name), .type = FF_FIELD_INT, .i = value };
}

ff_bytes ff_summary_fill(const ff_session *s, ff_bytes text, uint32_t ref, const ff_finding *f)
{
    const ff_signal *signal = &s->evidence->signals[ref];
    ff_field *at = FF_NEW_N(s->arena, ff_field, f->n_facts + signal->n_fields + FF_COUNT(ff_who_names));
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->n_facts; i++)
        at[n++] = f->facts[i];
    for (uint32_t i = 0; i < signal->n_fields; i++)
        at[n++] = signal->fields[i];
    add_text(at, &n, "host", f->who.host);
    add_int(at, &n, "rank", f->who.rank);
    add_int(at, &n, "local_rank", f->who.local_rank);
    add_int(at, &n, "pid", f->who.pid);
    add_text(at, &n, "process", f->who.process);
    add_text(at, &n, "gpu", f->who.gpu);
    add_int(at, &n, "gpu_index", f->who.gpu_index);
    add_text(at, &n, "pod", f->who.pod);
    add_text(at, &n, "container", f->who.container);
    add_text(at, &n, "cgroup", f->who.cgroup);
    add_int(at, &n, "count", f->count);
    return ff_fill_template(text, at, n, s->arena);
}
