/* What every fuzz target gives: one input in, no crash. libFuzzer drives it, or replay.c with files. */
#ifndef FF_FUZZ_TARGET_H
#define FF_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
