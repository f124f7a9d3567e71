#include "digest.h"
#include "arena.h"

#include <nettle/sha2.h>
#include <string.h>
#include <xxhash.h>
#ifdef FF_XXH_DISPATCH
#include <xxh_x86dispatch.h>
#endif

struct ff_printer {
    XXH3_state_t *state;
};

void ff_sha256(ff_bytes b, uint8_t out[32]) { ff_sha256_of(&b, 1, out); }

void ff_sha256_of(const ff_bytes *parts, size_t n, uint8_t out[32])
{
    struct sha256_ctx state;
    sha256_init(&state);
    for (size_t i = 0; i < n; i++)
        if (parts[i].n)
            sha256_update(&state, parts[i].n, (const uint8_t *)parts[i].p);
    sha256_digest(&state, SHA256_DIGEST_SIZE, out);
}

void ff_hex(const uint8_t *p, size_t n, char *out)
{
    static const char digit[] = "0123456789abcdef";
    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[p[i] >> 4];
        out[2 * i + 1] = digit[p[i] & 15];
    }
    out[2 * n] = 0;
}

ff_printer *ff_printer_open(void)
{
    ff_printer *p = ff_alloc(sizeof *p);
    p->state = XXH3_createState();
    if (!p->state) /* as in the arena: no memory ends the process */
        p->state = ff_realloc(NULL, SIZE_MAX);
    ff_printer_restart(p);
    return p;
}

void ff_printer_restart(ff_printer *p) { (void)XXH3_128bits_reset(p->state); }

void ff_printer_add(ff_printer *p, ff_bytes b)
{
    if (b.n)
        (void)XXH3_128bits_update(p->state, b.p, b.n);
}

ff_print128 ff_printer_value(const ff_printer *p)
{
    XXH128_hash_t h = XXH3_128bits_digest(p->state);
    return (ff_print128){ .low = h.low64, .high = h.high64 };
}

void ff_printer_close(ff_printer *p)
{
    if (!p)
        return;
    (void)XXH3_freeState(p->state);
    ff_free(p);
}
