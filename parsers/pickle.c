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
#include "pickle_play.h"

#include <string.h>

#define CAP_MEMO_GAP 65536u /* memo numbers that may be left out */
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
    c->rewritten = c->rewritten || (c->memo.at[number].at != FF_NONE && c->memo.at[number].at != at);
    c->memo.at[number] = (ff_pickle_slot){ at, made };
}

uint32_t ff_pickle_take_put(ff_pickle *c, uint32_t at, uint32_t made)
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
    while (ff_pickle_take_put(c, at, 0) != FF_NONE && !c->problem)
        ;
}

/* ---- texts ---- */

/* Is there a whole text at p, which may be the end? end: behind it. */
static bool text_at(const ff_pickle *c, const uint8_t *p, ff_bytes *text, const uint8_t **end)
{
    ff_bytes rest = { (const char *)p, (size_t)(c->end - p) };
    ff_pickle_span span;
    if (!rest.n || !ff_pickle_measure(rest, &span) || span.body > rest.n - span.head ||
        (span.kind != FF_PICKLE_TEXT && span.kind != FF_PICKLE_BYTES))
        return false;
    *text = ff_first_n(ff_skip_n(rest, span.head), (size_t)span.body);
    *end = p + span.head + span.body;
    return true;
}

/* ---- looking ahead ---- */

static bool starts_value(uint8_t op)
{
    ff_pickle_effect e = ff_pickle_effect_of(op);
    return e == FF_PLAY_PUSH || e == FF_PLAY_MARK;
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
    ff_pickle_play w = { .n_marks = 0 };
    if (!may_look(c))
        return false;
    ff_pickle_walk(c, &w, c->end, false);
    bool yes = !w.cut && !w.too_much && *w.p == (map ? 's' : 'a') && w.cells.n == (map ? 2 : 1);
    ff_free(w.cells.at);
    return yes;
}

static void refuse(ff_pickle *c)
{
    static const uint8_t running[] = { 'c', 'R', 'i', 'o', 'b', 'P', 'Q', 0x81, 0x82, 0x83, 0x84, 0x92, 0x93 };
    uint8_t op = ff_pickle_peek(c);
    bool runs = op && memchr(running, op, sizeof running);
    bool known = op == '.' || ff_pickle_effect_of(op) != FF_PLAY_ENDS;
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
    if ((op != 'h' && op != 'j') || !ff_pickle_behind(c, c->p))
        return false;
    bool nothing = !ff_pickle_get(c, &slot) || c->memo.at[slot].at == FF_NONE;
    c->p = from;
    return nothing;
}

void ff_pickle_skip(ff_pickle *c)
{
    ff_pickle_play w = { .n_marks = 0 };
    if (gets_nothing(c))
        ff_pickle_fail(c, "a broken pickle: memo number", c->p);
    if (c->problem || !may_look(c))
        return;
    const uint8_t *from = c->p;
    ff_pickle_walk(c, &w, c->end, false);
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
        ff_pickle_walk(c, &w, end, true);
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
    const uint8_t *end = op == 0x8a || op == 0x8b ? ff_pickle_behind(c, c->p) : NULL;
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
    const uint8_t *from = c->p, *end;
    *slot = FF_NONE;
    if (ff_pickle_get(c, slot)) {
        uint32_t at = c->memo.at[*slot].at;
        if (at != FF_NONE && text_at(c, c->from + at, out, &end))
            return true;
        c->p = from;
        return false;
    }
    (void)ff_pickle_peek(c); /* past frames */
    uint32_t at = (uint32_t)(c->p - c->from);
    if (!text_at(c, c->p, out, &end))
        return false;
    c->p = end;
    for (uint32_t put; !c->problem && (put = ff_pickle_take_put(c, at, 0)) != FF_NONE;)
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
    while (!c->problem && ff_pickle_take_put(c, at, items->tuple ? items->at : 0) != FF_NONE)
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
        while (!c->problem && ff_pickle_take_put(c, here, at) != FF_NONE)
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
