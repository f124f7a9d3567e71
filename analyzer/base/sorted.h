/* Looking things up in a sorted array, with the comparison that sorted it. */
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

#endif
