/* SHA-256 of bytes, and a fast 128-bit content print (not cryptographic) that is taken of every byte of every member. */
#ifndef FF_DIGEST_H
#define FF_DIGEST_H

#include "bytes.h"

void ff_sha256(ff_bytes b, uint8_t out[32]);
void ff_sha256_of(const ff_bytes *parts, size_t n, uint8_t out[32]); /* of the parts, one behind the other */
void ff_hex(const uint8_t *p, size_t n, char *out); /* out: 2 * n + 1 bytes, lower case, terminated */

typedef struct ff_print128 { uint64_t low, high; } ff_print128;
typedef struct ff_printer ff_printer; /* running print of a stream */
ff_printer *ff_printer_open(void);
void ff_printer_add(ff_printer *p, ff_bytes b);
ff_print128 ff_printer_value(const ff_printer *p);
void ff_printer_restart(ff_printer *p);
void ff_printer_close(ff_printer *p);

#endif
