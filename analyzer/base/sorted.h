/* What a sorted array tells. */
#ifndef FF_SORTED_H
#define FF_SORTED_H

#include <stddef.h>
#include <stdint.h>

/* How many of the n sorted items come before key: where it stands, or would stand. For many that are equal to a key,
 * ask with one that sorts before them all, and go on from there. */
static inline uint32_t ff_sorted_slot(const void *key, const void *items, uint32_t n, size_t size,
                                      int (*order)(const void *, const void *))
{
    uint32_t low = 0, high = n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (order((const char *)items + middle * size, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How many of n ascending numbers, n > 0, follow each other by one from the first on: 4 of 0,1,2,3,8. */
static inline uint32_t ff_sorted_run(const int32_t *at, uint32_t n)
{
    uint32_t run = 1;
    while (run < n && (int64_t)at[run] - at[run - 1] == 1)
        run++;
    return run;
}

#endif
