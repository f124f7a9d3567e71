/* Decisions out of fuzz bytes: numbers below a bound, wide numbers, texts. When the bytes are used up, all is zero.
 */
#ifndef FF_FUZZ_DICE_H
#define FF_FUZZ_DICE_H

#include "../../analyzer/base/arena.h"

typedef struct dice {
    const uint8_t *p;
    size_t n;
} dice;

static inline uint32_t take_byte(dice *d)
{
    if (!d->n)
        return 0;
    d->n--;
    return *d->p++;
}

static inline uint32_t take_below(dice *d, uint32_t bound)
{
    return bound ? (take_byte(d) | take_byte(d) << 8) % bound : 0;
}
static inline bool take_flag(dice *d) { return take_byte(d) & 1; }

/* Small ones and the ends of the range come often. */
static inline int64_t take_wide(dice *d)
{
    static const int64_t ends[] = { INT64_MAX, INT64_MIN, INT64_MAX - 1, -1, INT32_MAX, INT32_MIN, UINT32_MAX };
    uint32_t how = take_byte(d);
    if (how < 128)
        return how;
    if (how < 128 + FF_COUNT(ends))
        return ends[how - 128];
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | take_byte(d);
    return (int64_t)v;
}

#endif
