/* When two ranks did the same thing. What counts is what the library moves: elements and types, not the shape that
 * the program gave them. Each operation has its own idea of which sizes may differ between ranks. */
#include "align_private.h"

#include <stdlib.h>
#include <string.h>

typedef struct op_rule {
    const char *op;
    bool any_input, any_output; /* these sizes may differ between ranks */
    int ratio; /* own rule: 1 output = input, 2 output = input x members, 3 input = output x members */
} op_rule;

static const op_rule op_rules[] = {
    { "all_reduce", false, false, 1 },
    { "allreduce", false, false, 1 },
    { "allreduce_coalesced", false, false, 1 },
    { "all_gather", false, false, 2 },
    { "_all_gather_base", false, false, 2 },
    { "all_gather_single", false, false, 2 },
    { "all_gather_into_tensor_coalesced", false, false, 2 },
    { "all_gather_v", true, false, 0 },
    { "reduce_scatter", false, false, 3 },
    { "_reduce_scatter_base", false, false, 3 },
    { "reduce_scatter_single", false, false, 3 },
    { "reduce_scatter_tensor_coalesced", false, false, 3 },
    { "reduce_scatter_v", false, true, 0 },
    { "reduce", false, true, 0 },
    { "_reduce_oop", false, true, 0 },
    { "gather", false, true, 0 },
    { "scatter", true, false, 0 },
    { "all_to_all", true, true, 0 },
    { "all_to_all_single", true, true, 0 },
    { "all_to_all_v_single", true, true, 0 },
    { "alltoall", true, true, 0 },
    { "alltoall_base", true, true, 0 },
    { "split", true, true, 0 },
    { "new_window", true, true, 0 },
};

static const op_rule *rule_of(ff_bytes op)
{
    static const op_rule strict = { "", false, false, 0 };
    for (size_t i = 0; i < FF_COUNT(op_rules); i++)
        if (ff_equal(op, ff_str(op_rules[i].op)))
            return &op_rules[i];
    return &strict;
}

/* Takes "[4, 16]" and gives the product; false: no further list. */
static bool take_numel(ff_bytes *sizes, uint64_t *numel)
{
    ff_bytes skipped, inner;
    if (!ff_take_until(sizes, '[', &skipped) || !ff_take_until(sizes, ']', &inner))
        return false;
    *numel = 1;
    while (inner.n) {
        uint64_t dim = 0;
        if (ff_take_uint(&inner, &dim))
            *numel *= dim;
        else
            inner = ff_skip_n(inner, 1);
    }
    return true;
}

static bool has_any(ff_bytes sizes) { return sizes.n > 2; }

static bool is_cut(ff_bytes sizes) { return ff_contains(sizes, FF_LIT("... of ")); }

static uint64_t total(ff_bytes sizes, uint32_t *tensors)
{
    uint64_t sum = 0, one = 0;
    ff_bytes rest = ff_skip_n(sizes, 1);
    for (*tensors = 0; take_numel(&rest, &one); ++*tensors)
        sum += one;
    return sum;
}

static bool same_sizes(ff_bytes a, ff_bytes b)
{
    uint32_t n = 0, m = 0;
    if (!has_any(a) || !has_any(b) || ff_equal(a, b) || is_cut(a) || is_cut(b))
        return true;
    if (total(a, &n) != total(b, &m))
        return false;
    if (n != m)
        return true; /* one flat tensor against a list of its parts */
    ff_bytes p = ff_skip_n(a, 1), q = ff_skip_n(b, 1);
    uint64_t x = 0, y = 0;
    while (take_numel(&p, &x) && take_numel(&q, &y))
        if (x != y)
            return false;
    return true;
}

static bool same_shape(const ff_fr_entry *x, const ff_fr_entry *y)
{
    const op_rule *rule = rule_of(x->call->op);
    if (!rule->any_input && !same_sizes(x->call->in_sizes, y->call->in_sizes))
        return false;
    if (!rule->any_output && !same_sizes(x->call->out_sizes, y->call->out_sizes))
        return false;
    return ff_is_empty(x->call->dtypes) || ff_is_empty(y->call->dtypes) || ff_equal(x->call->dtypes, y->call->dtypes);
}

/* The entries of a turn, one after the other; NULL at the end. Between them stand entries of other groups. */
static const ff_fr_entry *next_entry(const seat *s, const turn *t, uint32_t *i)
{
    for (; *i <= last_of_turn(t); (*i)++) {
        const ff_fr_entry *e = entry_of(s, *i);
        if (e->group == s->group && e->seq == t->seq && !e->call->is_p2p && e->call->src < 0) {
            (*i)++;
            return e;
        }
    }
    return NULL;
}

/* Of the last turn of a cut dump, operations may be lost. */
static bool may_go_on(const seat *s, const turn *t)
{
    return s->sheet->dump->truncated && t == &s->turns[s->n_turns - 1];
}

bool ff_turn_may_be_cut(const seat *s, const turn *t) { return !s->sheet->whole && t->first == 0; }

/* Passes what t has and the shorter one has not, if that may have lost it. */
static void pass_lost(const seat *s, const turn *t, uint32_t *i, const seat *of, const turn *shorter)
{
    for (uint32_t more = ff_turn_may_be_cut(of, shorter) ? t->n : 0; more > shorter->n; more--)
        (void)next_entry(s, t, i);
}

verdict ff_turns_compare(const seat *a, const turn *x, const seat *b, const turn *y)
{
    uint32_t i = x->first, k = y->first;
    verdict found = SAME;
    if (x == y || (x->n == 1 && y->n == 1 && entry_of(a, i)->call == entry_of(b, k)->call))
        return SAME;
    if ((ff_turn_may_be_cut(a, x) && may_go_on(a, x)) || (ff_turn_may_be_cut(b, y) && may_go_on(b, y)))
        return SAME; /* which part of it is left, nobody knows */
    pass_lost(a, x, &i, b, y);
    pass_lost(b, y, &k, a, x);
    for (;;) {
        const ff_fr_entry *e = next_entry(a, x, &i), *f = next_entry(b, y, &k);
        if ((!e && !f) || (!e && may_go_on(a, x)) || (!f && may_go_on(b, y)))
            return found;
        if (!e || !f || !ff_equal(e->call->op, f->call->op))
            return OTHER_OP;
        if (!same_shape(e, f))
            found = OTHER_SHAPE;
    }
}

int ff_turn_keeps_rule(const seat *s, const turn *t, uint32_t members)
{
    const ff_fr_entry *e = entry_of(s, t->first);
    const op_rule *rule = rule_of(e->call->op);
    if (!rule->ratio || !has_any(e->call->in_sizes) || !has_any(e->call->out_sizes) || is_cut(e->call->in_sizes) ||
        is_cut(e->call->out_sizes))
        return -1;
    uint32_t tensors = 0;
    uint64_t in = total(e->call->in_sizes, &tensors), out = total(e->call->out_sizes, &tensors);
    if (rule->ratio == 1)
        return in == out;
    return rule->ratio == 2 ? out == in * members : in == out * members;
}

bool ff_turn_has_parts(const seat *s, const turn *t)
{
    ff_bytes op = entry_of(s, t->first)->call->op;
    return ff_starts(op, FF_LIT("all_to_all")) || ff_equal(op, FF_LIT("gather")) || ff_equal(op, FF_LIT("scatter"));
}

int ff_turn_is_root(const seat *s, const turn *t, uint32_t members)
{
    const ff_fr_entry *e = entry_of(s, t->first);
    bool gather = ff_equal(e->call->op, FF_LIT("gather"));
    ff_bytes sizes = gather ? e->call->out_sizes : e->call->in_sizes;
    uint32_t tensors = 0;
    if ((!gather && !ff_equal(e->call->op, FF_LIT("scatter"))) || members < 2 || is_cut(sizes))
        return -1;
    return total(sizes, &tensors) > 0 && tensors == members;
}

bool ff_turn_exchange(const seat *s, const turn *t, uint64_t *in, uint64_t *out)
{
    const ff_fr_entry *e = entry_of(s, t->first);
    ff_bytes version = s->sheet->dump->version;
    uint64_t major = 0, minor = 0;
    uint32_t tensors = 0;
    /* Below 2.4 not all sizes of an all_to_all were recorded. */
    if (!ff_starts(e->call->op, FF_LIT("all_to_all")) || t->n != 1 || !ff_take_uint(&version, &major) ||
        !ff_take_lit(&version, FF_LIT(".")) || !ff_take_uint(&version, &minor) || major < 2 ||
        (major == 2 && minor < 4) || !has_any(e->call->in_sizes) || !has_any(e->call->out_sizes) ||
        is_cut(e->call->in_sizes) || is_cut(e->call->out_sizes))
        return false;
    *in = total(e->call->in_sizes, &tensors);
    *out = total(e->call->out_sizes, &tensors);
    return true;
}

/* Exactly n tensors. */
static bool take_each(ff_bytes sizes, uint32_t n, uint64_t *out)
{
    ff_bytes rest = ff_skip_n(sizes, 1);
    uint64_t one = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!take_numel(&rest, &out[i]))
            return false;
    return !take_numel(&rest, &one);
}

bool ff_turn_parts(const seat *s, const turn *t, uint32_t members, uint64_t *sends, uint64_t *takes)
{
    const ff_fr_entry *e = entry_of(s, t->first);
    uint64_t in = 0, out = 0;
    return ff_equal(e->call->op, FF_LIT("all_to_all")) && ff_turn_exchange(s, t, &in, &out) &&
           take_each(e->call->in_sizes, members, sends) && take_each(e->call->out_sizes, members, takes);
}

ff_bytes ff_turn_op(const seat *s, const turn *t, ff_arena *arena)
{
    if (t->n == 1)
        return entry_of(s, t->first)->call->op;
    ff_bytes text = { 0 };
    uint32_t i = t->first;
    const ff_fr_entry *e;
    while ((e = next_entry(s, t, &i))) {
        if (text.n > 200)
            return ff_arena_format(arena, "%.*s+...", (int)text.n, text.p);
        text = text.n ? ff_arena_format(arena, "%.*s+%.*s", (int)text.n, text.p, (int)ff_first_n(e->call->op, 80).n,
                                        e->call->op.p)
                      : ff_first_n(e->call->op, 80);
    }
    return text;
}

ff_bytes ff_call_shape(const ff_fr_call *c, ff_arena *arena)
{
    ff_bytes in = c->in_sizes, out = c->out_sizes, types = c->dtypes;
    if (ff_equal(in, out) || !has_any(out))
        return ff_arena_format(arena, "%.*s %.*s", (int)in.n, in.p, (int)types.n, types.p);
    return ff_arena_format(arena, "%.*s to %.*s %.*s", (int)in.n, in.p, (int)out.n, out.p, (int)types.n, types.p);
}

static uint64_t bytes_of_type(ff_bytes type)
{
    static const struct {
        const char *name;
        uint64_t bytes;
    } types[] = { { "Double", 8 },   { "Long", 8 },  { "Float", 4 }, { "Int", 4 },  { "Half", 2 },
                  { "BFloat16", 2 }, { "Short", 2 }, { "Byte", 1 },  { "Char", 1 }, { "Bool", 1 } };
    for (size_t i = 0; i < FF_COUNT(types); i++)
        if (ff_equal(type, ff_str(types[i].name)))
            return types[i].bytes;
    return ff_starts(type, FF_LIT("Float8_")) ? 1 : 0;
}

uint64_t ff_call_bytes(const ff_fr_call *c, uint32_t members, double *factor)
{
    const op_rule *rule = rule_of(c->op);
    bool exchange = ff_starts(c->op, FF_LIT("all_to_all")) || ff_starts(c->op, FF_LIT("alltoall"));
    bool one_way = ff_equal(c->op, FF_LIT("broadcast")) || ff_equal(c->op, FF_LIT("reduce"));
    ff_bytes sizes = rule->ratio == 2 ? c->out_sizes : c->in_sizes;
    uint32_t tensors = 0;
    if (!(rule->ratio || exchange || one_way) || is_cut(sizes) || !members)
        return 0;
    double others = (double)(members - 1) / (double)members;
    *factor = rule->ratio == 1 ? 2 * others : one_way ? 1 : others;
    return total(sizes, &tensors) * bytes_of_type(c->dtypes);
}
