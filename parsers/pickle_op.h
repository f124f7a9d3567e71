/* The opcodes of pickle by themselves: how many bytes each takes and what it carries. What they do is the reader's
 * affair (pickle.h); who only wants the texts of a pickle needs no more than this. */
#ifndef FF_PICKLE_OP_H
#define FF_PICKLE_OP_H

#include "../analyzer/base/bytes.h"

typedef enum ff_pickle_kind {
    FF_PICKLE_UNKNOWN,
    FF_PICKLE_PLAIN, /* an argument of known size, or none */
    FF_PICKLE_LINES, /* lines of text: protocol 0, and what imports */
    FF_PICKLE_COUNTED,
    FF_PICKLE_BYTES,
    FF_PICKLE_TEXT
} ff_pickle_kind;

typedef struct ff_pickle_span { /* of one opcode */
    ff_pickle_kind kind;
    size_t head;   /* bytes of the opcode and its argument, or of its count */
    uint64_t body; /* bytes that the count promises; the source may end before */
} ff_pickle_span;

/* Least byte first, as all its numbers are. */
static inline uint32_t ff_pickle_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t ff_pickle_u64(const uint8_t *p)
{
    return (uint64_t)ff_pickle_u32(p) | (uint64_t)ff_pickle_u32(p + 4) << 32;
}

typedef struct ff_pickle_shape {
    uint8_t kind; /* ff_pickle_kind */
    uint8_t n;    /* bytes of the argument or the count; or lines */
} ff_pickle_shape;
extern const ff_pickle_shape ff_pickle_shapes[256]; /* by code */
bool ff_pickle_measure_lines(ff_bytes rest, ff_pickle_span *out);

/* The opcode at the start of rest, which is not empty. False: it is not known, or rest ends inside its head. Every
 * value of a dump comes through here. */
static inline bool ff_pickle_measure(ff_bytes rest, ff_pickle_span *out)
{
    const uint8_t *p = (const uint8_t *)rest.p;
    ff_pickle_shape s = ff_pickle_shapes[*p];
    *out = (ff_pickle_span){ .kind = (ff_pickle_kind)s.kind, .head = 1 };
    if (s.kind == FF_PICKLE_UNKNOWN)
        return false;
    if (s.kind == FF_PICKLE_LINES)
        return ff_pickle_measure_lines(rest, out);
    out->head += s.n;
    if (out->head > rest.n)
        return false;
    if (s.kind != FF_PICKLE_PLAIN)
        out->body = s.n == 1 ? p[1] : s.n == 4 ? ff_pickle_u32(p + 1) : ff_pickle_u64(p + 1);
    return true;
}

#endif
