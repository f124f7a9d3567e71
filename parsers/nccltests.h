/* Results of nccl-tests, whichever way they were printed: what a table and a JSON file become (nccltests.c). */
#ifndef FF_NCCLTESTS_H
#define FF_NCCLTESTS_H

#include "parser.h"

typedef struct ff_test_half { /* out of place or in place */
    bool there;
    double time_us, algbw, busbw;
    double wrong;                                              /* -1: results were not checked */
    double iter_min_us, iter_max_us, iter_p99_us, iter_cv_pct; /* all 0: without -I 1 */
} ff_test_half;

typedef struct ff_test_row {
    uint64_t size, count;
    ff_bytes type, redop;
    int64_t root; /* -1: none */
    ff_test_half half[2];
} ff_test_row;

typedef struct ff_test_run { /* what all rows of one table share */
    ff_bytes collective;     /* "all_reduce"; empty where nothing names it */
    int64_t ranks, hosts;    /* of the list of devices; 0 unknown */
    ff_bytes host, device;   /* of the first of them */
} ff_test_run;

/* "all_reduce_perf", "./build/all_reduce_perf -b 8" -> "all_reduce"; empty: it names no test. */
ff_bytes ff_test_collective(ff_bytes text);
/* Decimal number with fraction and exponent. */
bool ff_test_number(ff_bytes *in, double *out);
/* The fields of nccltests.row. */
void ff_test_fields(const ff_test_run *run, const ff_test_row *row, ff_fields *f);

#endif
