/* A pickle is a program for a stack; here it runs on places instead of values. */
#include "pickle_play.h"

#define CAP_CELLS 4000000u /* values on the stack */

static const uint8_t effects[256] = {
    ['('] = FF_PLAY_MARK,     ['e'] = FF_PLAY_FILL,    ['u'] = FF_PLAY_FILL,     [0x90] = FF_PLAY_FILL,
    ['t'] = FF_PLAY_COLLECT,  ['l'] = FF_PLAY_COLLECT, ['d'] = FF_PLAY_COLLECT,  [0x91] = FF_PLAY_COLLECT,
    ['a'] = FF_PLAY_APPEND,   ['s'] = FF_PLAY_SETITEM, [0x85] = FF_PLAY_TUPLE,   [0x86] = FF_PLAY_TUPLE,
    [0x87] = FF_PLAY_TUPLE,   ['0'] = FF_PLAY_POP,     ['1'] = FF_PLAY_POP_MARK, ['2'] = FF_PLAY_DUP,
    ['q'] = FF_PLAY_PUT,      ['r'] = FF_PLAY_PUT,     [0x94] = FF_PLAY_PUT,     [0x80] = FF_PLAY_NOTHING,
    [0x95] = FF_PLAY_NOTHING, [']'] = FF_PLAY_PUSH,    ['}'] = FF_PLAY_PUSH,     [')'] = FF_PLAY_PUSH,
    ['N'] = FF_PLAY_PUSH,     ['K'] = FF_PLAY_PUSH,    ['M'] = FF_PLAY_PUSH,     ['J'] = FF_PLAY_PUSH,
    ['G'] = FF_PLAY_PUSH,     ['h'] = FF_PLAY_PUSH,    ['j'] = FF_PLAY_PUSH,     ['X'] = FF_PLAY_PUSH,
    ['T'] = FF_PLAY_PUSH,     ['B'] = FF_PLAY_PUSH,    ['U'] = FF_PLAY_PUSH,     ['C'] = FF_PLAY_PUSH,
    [0x8f] = FF_PLAY_PUSH,    [0x88] = FF_PLAY_PUSH,   [0x89] = FF_PLAY_PUSH,    [0x8a] = FF_PLAY_PUSH,
    [0x8b] = FF_PLAY_PUSH,    [0x8c] = FF_PLAY_PUSH,   [0x8d] = FF_PLAY_PUSH,    [0x8e] = FF_PLAY_PUSH,
    [0x96] = FF_PLAY_PUSH,
};

ff_pickle_effect ff_pickle_effect_of(uint8_t op) { return (ff_pickle_effect)effects[op]; }

const uint8_t *ff_pickle_behind(const ff_pickle *c, const uint8_t *p)
{
    ff_bytes rest = { (const char *)p, (size_t)(c->end - p) };
    ff_pickle_span span;
    if (ff_pickle_effect_of(*p) == FF_PLAY_ENDS)
        return p + 1;
    bool whole = ff_pickle_measure(rest, &span) && span.body <= rest.n - span.head;
    return whole ? p + span.head + span.body : NULL;
}

static void push(ff_pickle_play *w, uint32_t at, const uint8_t *begin)
{
    if (w->cells.n == 1)
        w->second = begin;
    if (w->cells.n < CAP_CELLS)
        FF_PUSH(&w->cells, at);
    else
        w->too_much = true;
}

/* Takes n values off and puts one there that begins where the first of them did. */
static void join(const ff_pickle *c, ff_pickle_play *w, uint32_t n, uint32_t here)
{
    uint32_t at = n ? w->cells.at[w->cells.n - n] : here;
    w->cells.n -= n;
    push(w, at, c->from + at);
}

/* The effect of one opcode. False: it reaches below the ground, or ends the pickle. */
static bool act(ff_pickle *c, ff_pickle_play *w, bool put)
{
    uint32_t here = (uint32_t)(w->p - c->from), n = w->cells.n, from = 0;
    ff_pickle_effect e = ff_pickle_effect_of(*w->p);
    if (e == FF_PLAY_FILL || e == FF_PLAY_COLLECT || e == FF_PLAY_POP_MARK) {
        if (!w->n_marks || (from = w->marks[w->n_marks - 1]) > n || (e == FF_PLAY_FILL && !from))
            return false;
        w->n_marks--;
    }
    switch (e) {
    case FF_PLAY_PUSH:
        push(w, here, w->p);
        return true;
    case FF_PLAY_MARK:
        w->too_much = w->too_much || w->n_marks == FF_CAP_NESTING;
        if (!w->too_much)
            w->marks[w->n_marks++] = n;
        return true;
    case FF_PLAY_COLLECT:
        join(c, w, n - from, here);
        return true;
    case FF_PLAY_FILL:
    case FF_PLAY_POP_MARK:
        w->cells.n = from;
        return true;
    case FF_PLAY_TUPLE:
        if (n < *w->p - 0x84u)
            return false;
        join(c, w, *w->p - 0x84u, here);
        return true;
    case FF_PLAY_APPEND:
    case FF_PLAY_POP:
        w->cells.n -= n > (e == FF_PLAY_APPEND);
        return n > (e == FF_PLAY_APPEND);
    case FF_PLAY_SETITEM:
        w->cells.n -= n > 2 ? 2 : 0;
        return n > 2;
    case FF_PLAY_DUP:
        if (n)
            push(w, w->cells.at[n - 1], w->p);
        return n > 0;
    case FF_PLAY_PUT:
        w->puts = true;
        if (put && n) {
            c->p = w->p;
            (void)ff_pickle_take_put(c, w->cells.at[n - 1], 0);
        }
        return n > 0;
    case FF_PLAY_NOTHING:
        return true;
    case FF_PLAY_ENDS:
        break;
    }
    return false;
}

void ff_pickle_walk(ff_pickle *c, ff_pickle_play *w, const uint8_t *stop, bool put)
{
    w->cells.n = 0;
    w->n_marks = 0;
    w->puts = w->cut = w->too_much = false;
    for (w->p = c->p; w->p < stop;) {
        const uint8_t *next = ff_pickle_behind(c, w->p);
        w->cut = !next;
        if (!next || !act(c, w, put) || w->too_much || c->problem)
            break;
        w->p = next;
    }
    w->cut = w->cut || w->p == c->end;
    c->looked += (uint64_t)(w->p - c->p);
}
