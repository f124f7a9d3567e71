/* The less frequent parts of the pull parser for pickles.
 *
 *     80 02 7d 28 58 07000000 "version" 71 00 58 04000000 "2.10" 71 01 ... 75 2e
 *
 * Format: CPython Lib/pickletools.py; the subset that PyTorch's C++ pickler writes for Flight Recorder dumps
 * (torch/csrc/jit/serialization/pickler.cpp), and what Python's own pickler adds when a tool rewrites such a dump.
 * Not understood: protocols 0 and 1 with their text opcodes, out-of-band buffers, and on purpose everything that
 * imports or calls.
 *
 * A pickle is a program for a stack. It reads like nested text, but for two things: a tuple is told by the opcode
 * behind its items, and Python fills a container of one item by an opcode behind that item. Where that matters, the
 * stack is played ahead (walk), with places instead of values on it. */
#include "pickle.h"

#include <string.h>

#define CAP_MEMO_GAP 65536u /* memo numbers that may be left out */
#define CAP_CELLS 4000000u  /* values on the stack while it is played */
#define CAP_AGAIN 8u        /* memo values inside memo values */
#define CAP_LOOKED 64u      /* times the source's length that may be looked at ahead */
#define BATCH 1000u         /* items that Python's pickler puts behind one mark */

void ff_pickle_open(ff_pickle *c, ff_bytes source)
{
    *c = (ff_pickle){ .from = (const uint8_t *)source.p };
    c->p = c->from;
    c->end = source.n ? c->from + source.n : c->from;
    if (source.n >= 2 && *c->p == 0x80)
        c->p += 2;
}

void ff_pickle_done(ff_pickle *c)
{
    ff_free(c->memo.at);
    c->memo.at = NULL;
}

void ff_pickle_fail(ff_pickle *c, const char *why, const uint8_t *at)
{
    if (!c->problem) {
        c->problem = why;
        c->problem_at = (size_t)(at - c->from);
    }
    c->p = c->end;
}

void ff_pickle_frame(ff_pickle *c)
{
    if (ff_pickle_left(c) >= 9)
        c->p += 9;
    else
        ff_pickle_fail(c, "the pickle ends inside a value", c->p);
}

/* ---- memo ---- */

static void put_slot(ff_pickle *c, uint64_t number, uint32_t at, uint32_t made)
{
    if (number > (uint64_t)c->memo.n + CAP_MEMO_GAP || number >= FF_CAP_NODES) {
        ff_pickle_fail(c, "a broken pickle: memo number", c->p);
        return;
    }
    while (c->memo.n <= number)
        FF_PUSH(&c->memo, ((ff_pickle_slot){ FF_NONE, 0 }));
    c->memo.at[number] = (ff_pickle_slot){ at, made };
}

/* Takes one opcode that puts the value which began at `at`; FF_NONE: there is none. */
static uint32_t take_put(ff_pickle *c, uint32_t at, uint32_t made)
{
    uint8_t op = ff_pickle_peek(c);
    const uint8_t *p = c->p;
    uint64_t number = c->memo.n;
    if (op == 'q' && ff_pickle_left(c) >= 2)
        number = p[1];
    else if (op == 'r' && ff_pickle_left(c) >= 5)
        number = ff_pickle_u32(p + 1);
    else if (op != 0x94)
        return FF_NONE;
    if (!c->again)
        put_slot(c, number, at, made);
    if (!c->problem)
        c->p += op == 'q' ? 2 : op == 'r' ? 5 : 1;
    return number < c->memo.n ? (uint32_t)number : FF_NONE;
}

void ff_pickle_put(ff_pickle *c, uint32_t at)
{
    while (take_put(c, at, 0) != FF_NONE && !c->problem)
        ;
}

/* ---- opcodes ---- */

/* Behind the opcode at p and its argument; NULL: the source ends before. */
static const uint8_t *behind(const ff_pickle *c, const uint8_t *p)
{
    size_t left = (size_t)(c->end - p), n = 1;
    unsigned width = 0; /* of a length that stands before as many bytes */
    switch (*p) {
    case 'K':
    case 'h':
    case 'q':
    case 0x80:
        n = 2;
        break;
    case 'M':
        n = 3;
        break;
    case 'J':
    case 'j':
    case 'r':
        n = 5;
        break;
    case 'G':
    case 0x95:
        n = 9;
        break;
    case 'U':
    case 'C':
    case 0x8a:
    case 0x8c:
        width = 1;
        break;
    case 'X':
    case 'T':
    case 'B':
    case 0x8b:
        width = 4;
        break;
    case 0x8d:
    case 0x8e:
    case 0x96:
        width = 8;
        break;
    default:
        break;
    }
    if (width) {
        if (left < 1 + width)
            return NULL;
        uint64_t body = width == 1 ? p[1] : width == 4 ? ff_pickle_u32(p + 1) : ff_pickle_u64(p + 1);
        if (body > left - 1 - width)
            return NULL;
        n = 1 + width + (size_t)body;
    }
    return n <= left ? p + n : NULL;
}

static bool is_text(uint8_t op) { return op && strchr("XTBUC\x8c\x8d\x8e\x96", op) != NULL; }

/* p: a whole opcode of a text. */
static ff_bytes text_at(const uint8_t *p)
{
    unsigned width = *p == 'U' || *p == 'C' || *p == 0x8c ? 1 : *p == 'X' || *p == 'T' || *p == 'B' ? 4 : 8;
    uint64_t n = width == 1 ? p[1] : width == 4 ? ff_pickle_u32(p + 1) : ff_pickle_u64(p + 1);
    return (ff_bytes){ (const char *)p + 1 + width, (size_t)n };
}

typedef enum effect {
    PUSH,
    MARK,
    FILL,
    COLLECT,
    APPEND,
    SETITEM,
    TUPLE,
    POP,
    POP_MARK,
    DUP,
    PUT,
    NOTHING,
    ENDS
} effect;

static effect effect_of(uint8_t op)
{
    switch (op) {
    case '(':
        return MARK;
    case 'e':
    case 'u':
    case 0x90:
        return FILL;
    case 't':
    case 'l':
    case 'd':
    case 0x91:
        return COLLECT;
    case 'a':
        return APPEND;
    case 's':
        return SETITEM;
    case 0x85:
    case 0x86:
    case 0x87:
        return TUPLE;
    case '0':
        return POP;
    case '1':
        return POP_MARK;
    case '2':
        return DUP;
    case 'q':
    case 'r':
    case 0x94:
        return PUT;
    case 0x80:
    case 0x95:
        return NOTHING;
    default:
        return op && strchr("]})\x8fNKMJGhjXTBUC\x88\x89\x8a\x8b\x8c\x8d\x8e\x96", op) ? PUSH : ENDS;
    }
}

static bool starts_value(uint8_t op)
{
    effect e = effect_of(op);
    return e == PUSH || e == MARK;
}

/* ---- playing the stack ---- */

typedef struct play {
    FF_VEC(uint32_t) cells; /* where each value on the stack begins */
    uint32_t marks[FF_CAP_NESTING], n_marks;
    const uint8_t *p, *second; /* where the second value above the ground begins */
    bool puts, cut, too_much;
} play;

static void push(play *w, uint32_t at, const uint8_t *begin)
{
    if (w->cells.n == 1)
        w->second = begin;
    if (w->cells.n < CAP_CELLS)
        FF_PUSH(&w->cells, at);
    else
        w->too_much = true;
}

/* Takes n values off and puts one there that begins where the first of them did. */
static void join(const ff_pickle *c, play *w, uint32_t n, uint32_t here)
{
    uint32_t at = n ? w->cells.at[w->cells.n - n] : here;
    w->cells.n -= n;
    push(w, at, c->from + at);
}

/* The effect of one opcode. False: it reaches below the ground, or ends the pickle. */
static bool act(ff_pickle *c, play *w, bool put)
{
    uint32_t here = (uint32_t)(w->p - c->from), n = w->cells.n, from = 0;
    effect e = effect_of(*w->p);
    if (e == FILL || e == COLLECT || e == POP_MARK) {
        if (!w->n_marks || (from = w->marks[w->n_marks - 1]) > n || (e == FILL && !from))
            return false;
        w->n_marks--;
    }
    switch (e) {
    case PUSH:
        push(w, here, w->p);
        return true;
    case MARK:
        w->too_much = w->too_much || w->n_marks == FF_CAP_NESTING;
        if (!w->too_much)
            w->marks[w->n_marks++] = n;
        return true;
    case COLLECT:
        join(c, w, n - from, here);
        return true;
    case FILL:
    case POP_MARK:
        w->cells.n = from;
        return true;
    case TUPLE:
        if (n < *w->p - 0x84u)
            return false;
        join(c, w, *w->p - 0x84u, here);
        return true;
    case APPEND:
    case POP:
        w->cells.n -= n > (e == APPEND);
        return n > (e == APPEND);
    case SETITEM:
        w->cells.n -= n > 2 ? 2 : 0;
        return n > 2;
    case DUP:
        if (n)
            push(w, w->cells.at[n - 1], w->p);
        return n > 0;
    case PUT:
        w->puts = true;
        if (put && n) {
            c->p = w->p;
            (void)take_put(c, w->cells.at[n - 1], 0);
        }
        return n > 0;
    case NOTHING:
        return true;
    case ENDS:
        break;
    }
    return false;
}

/* Plays from c->p up to stop, or until an opcode reaches below what lay on the stack here. put: memo opcodes count.
 */
static void walk(ff_pickle *c, play *w, const uint8_t *stop, bool put)
{
    w->cells.n = 0;
    w->n_marks = 0;
    w->puts = w->cut = w->too_much = false;
    for (w->p = c->p; w->p < stop;) {
        const uint8_t *next = behind(c, w->p);
        w->cut = !next;
        if (!next || !act(c, w, put) || w->too_much || c->problem)
            break;
        w->p = next;
    }
    w->cut = w->cut || w->p == c->end;
    c->looked += (uint64_t)(w->p - c->p);
}

static bool may_look(ff_pickle *c)
{
    if (c->looked / CAP_LOOKED <= (uint64_t)(c->end - c->from) + 4096)
        return true;
    ff_pickle_fail(c, "more tangled than the cap allows", c->p);
    return false;
}

/* Is the next value (a key and its value, in a map) put alone into the container before it? */
static bool fills_alone(ff_pickle *c, bool map)
{
    play w = { .n_marks = 0 };
    if (!may_look(c))
        return false;
    walk(c, &w, c->end, false);
    bool yes = !w.cut && !w.too_much && *w.p == (map ? 's' : 'a') && w.cells.n == (map ? 2 : 1);
    ff_free(w.cells.at);
    return yes;
}

static void refuse(ff_pickle *c)
{
    static const uint8_t running[] = { 'c', 'R', 'i', 'o', 'b', 'P', 'Q', 0x81, 0x82, 0x83, 0x84, 0x92, 0x93 };
    uint8_t op = ff_pickle_peek(c);
    bool runs = op && memchr(running, op, sizeof running);
    bool known = op == '.' || effect_of(op) != ENDS;
    ff_pickle_fail(c,
                   runs    ? "an opcode that would run code"
                   : known ? "a broken pickle: too few values"
                   : op    ? "an opcode that is not known"
                           : "the pickle ends before its last opcode",
                   c->p);
}

static bool gets_nothing(ff_pickle *c)
{
    uint8_t op = ff_pickle_peek(c);
    const uint8_t *from = c->p;
    uint32_t slot = 0;
    if ((op != 'h' && op != 'j') || !behind(c, c->p))
        return false;
    bool nothing = !ff_pickle_get(c, &slot) || c->memo.at[slot].at == FF_NONE;
    c->p = from;
    return nothing;
}

void ff_pickle_skip(ff_pickle *c)
{
    play w = { .n_marks = 0 };
    if (gets_nothing(c))
        ff_pickle_fail(c, "a broken pickle: memo number", c->p);
    if (c->problem || !may_look(c))
        return;
    const uint8_t *from = c->p;
    walk(c, &w, c->end, false);
    const uint8_t *end = w.cells.n > 1 ? w.second : w.p;
    if (w.too_much)
        ff_pickle_fail(c, "more values than the cap allows", from);
    else if (!w.cells.n && w.cut && w.p < c->end)
        ff_pickle_fail(c, "the pickle ends inside a value", from);
    else if (!w.cells.n)
        refuse(c);
    else if (w.cells.n == 1 && w.cut)
        ff_pickle_fail(c, "the pickle ends inside a value", from);
    else if (w.puts)
        walk(c, &w, end, true);
    ff_free(w.cells.at);
    if (!c->problem)
        c->p = end;
}

/* ---- scalars ---- */

/* Two's complement, least byte first; false: wider than 64 bits. */
static bool read_long(const uint8_t *digits, size_t n, int64_t *out)
{
    bool negative = n && (digits[n - 1] & 0x80);
    while (n > 8 && digits[n - 1] == (negative ? 0xff : 0) && (digits[n - 2] & 0x80) == (negative ? 0x80 : 0))
        n--;
    if (n > 8)
        return false;
    uint64_t value = negative && n < 8 ? ~UINT64_C(0) << (8 * n) : 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)digits[i] << (8 * i);
    *out = (int64_t)value;
    return true;
}

bool ff_pickle_wide(ff_pickle *c, int64_t *out)
{
    uint8_t op = ff_pickle_peek(c);
    if (op == 'N') {
        c->p++;
        return true;
    }
    const uint8_t *end = op == 0x8a || op == 0x8b ? behind(c, c->p) : NULL;
    if (!end)
        return false;
    const uint8_t *digits = c->p + (op == 0x8a ? 2 : 5);
    (void)read_long(digits, (size_t)(end - digits), out);
    c->p = end;
    return true;
}

bool ff_pickle_number(ff_pickle *c, double *out)
{
    int64_t whole = 0;
    if (ff_pickle_peek(c) == 'N') {
        c->p++;
        return true;
    }
    if (ff_pickle_peek(c) != 'G' || ff_pickle_left(c) < 9) {
        bool taken = ff_pickle_int(c, &whole);
        *out = taken ? (double)whole : *out;
        return taken;
    }
    uint64_t big = 0;
    for (int i = 1; i <= 8; i++)
        big = big << 8 | c->p[i];
    memcpy(out, &big, sizeof *out);
    c->p += 9;
    return true;
}

bool ff_pickle_text(ff_pickle *c, ff_bytes *out, uint32_t *slot)
{
    const uint8_t *from = c->p;
    *slot = FF_NONE;
    if (ff_pickle_get(c, slot)) {
        uint32_t at = c->memo.at[*slot].at;
        const uint8_t *text = at == FF_NONE ? NULL : c->from + at;
        if (text && is_text(*text) && behind(c, text)) {
            *out = text_at(text);
            return true;
        }
        c->p = from;
        return false;
    }
    const uint8_t *end = is_text(ff_pickle_peek(c)) ? behind(c, c->p) : NULL;
    if (!end)
        return false;
    uint32_t at = (uint32_t)(c->p - c->from);
    *out = text_at(c->p);
    c->p = end;
    for (uint32_t put; !c->problem && (put = take_put(c, at, 0)) != FF_NONE;)
        *slot = put;
    return true;
}

/* ---- containers ---- */

/* Opens what the memo holds, where it stands. */
static void enter_again(ff_pickle *c, ff_pickle_items *items, bool map)
{
    const uint8_t *from = c->p;
    uint32_t slot = 0;
    if (c->again == CAP_AGAIN || !ff_pickle_get(c, &slot))
        return;
    ff_pickle_slot s = c->memo.at[slot];
    uint8_t op = s.at == FF_NONE ? 0 : c->from[s.at];
    bool tuple = !map && op >= 0x85 && op <= 0x87;
    if (!tuple && op != (map ? '}' : ']')) {
        c->p = from;
        return;
    }
    *items = (ff_pickle_items){ .at = s.at, .map = map, .back = c->p };
    items->stop = tuple ? c->from + s.at : NULL;
    c->again++;
    c->p = c->from + (tuple ? s.made : s.at + 1);
    ff_pickle_put(c, s.at);
}

void ff_pickle_enter(ff_pickle *c, ff_pickle_items *items, bool map)
{
    uint8_t op = ff_pickle_peek(c);
    uint32_t at = (uint32_t)(c->p - c->from);
    if (op == 'h' || op == 'j') {
        enter_again(c, items, map);
        return;
    }
    *items = (ff_pickle_items){ .at = at, .map = map, .marked = op == '(', .tuple = op == '(' };
    c->p++;
    if (op != '(')
        ff_pickle_put(c, at);
}

static bool leave(ff_pickle *c, ff_pickle_items *items)
{
    if (items->back) {
        c->again--;
        if (!c->problem)
            c->p = items->back;
    }
    *items = (ff_pickle_items){ .at = items->at, .n = items->n };
    return false;
}

static void close_batch(ff_pickle *c, ff_pickle_items *items, uint8_t op)
{
    const char *closers = items->tuple ? "t" : items->map ? "u" : "e";
    if (op != (uint8_t)*closers) {
        ff_pickle_fail(c, op ? "a broken pickle: no mark" : "the pickle ends before its last opcode", c->p);
        return;
    }
    uint32_t at = items->tuple ? (uint32_t)(c->p - c->from) : items->at;
    c->p++;
    items->marked = false;
    while (!c->problem && take_put(c, at, items->tuple ? items->at : 0) != FF_NONE)
        ;
}

bool ff_pickle_more(ff_pickle *c, ff_pickle_items *items)
{
    if (items->stop) {
        items->n += c->p < items->stop;
        return c->p < items->stop && !c->problem ? true : leave(c, items);
    }
    if (items->one) {
        items->one = false;
        if (ff_pickle_peek(c) == (items->map ? 's' : 'a')) {
            c->p++;
            ff_pickle_put(c, items->at);
        } else if (!c->problem) {
            refuse(c);
        }
    }
    while (!c->problem) {
        uint8_t op = ff_pickle_peek(c);
        if (items->marked && op && op != 'e' && op != 'u' && op != 't') {
            items->n++;
            return true;
        }
        if (items->marked) {
            bool tuple = items->tuple;
            close_batch(c, items, op);
            if (tuple)
                break;
        } else if (op == '(') {
            c->p++;
            items->marked = true;
        } else if (items->n % BATCH == 0 && starts_value(op) && fills_alone(c, items->map)) {
            items->one = true;
            items->n++;
            return true;
        } else {
            break;
        }
    }
    return leave(c, items);
}

void ff_pickle_close(ff_pickle *c, ff_pickle_items *items)
{
    if (items->back) {
        (void)leave(c, items);
        return;
    }
    while (ff_pickle_next(c, items)) {
        ff_pickle_skip(c);
        if (items->map)
            ff_pickle_skip(c);
    }
}

bool ff_pickle_pair(ff_pickle *c, ff_bytes *one, ff_bytes *two)
{
    ff_pickle_items items;
    uint32_t slot, at = (uint32_t)(c->p - c->from);
    ff_bytes texts[2] = { { 0 }, { 0 } };
    if (ff_pickle_text(c, &texts[0], &slot)) {
        if (!ff_pickle_text(c, &texts[1], &slot) || ff_pickle_peek(c) != 0x86) {
            if (!c->problem)
                refuse(c);
            return false;
        }
        uint32_t here = (uint32_t)(c->p - c->from);
        c->p++;
        while (!c->problem && take_put(c, here, at) != FF_NONE)
            ;
    } else if (ff_pickle_list(c, &items)) {
        for (int i = 0; ff_pickle_next(c, &items); i++)
            if (i > 1 || !ff_pickle_text(c, &texts[i], &slot))
                ff_pickle_skip(c);
    } else {
        return false;
    }
    *one = texts[0];
    *two = texts[1];
    return true;
}
