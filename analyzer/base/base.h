/* Status, error text, and every cap with its unit and its reason. */
#ifndef FF_BASE_H
#define FF_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* FF_BAD: this piece of evidence is unusable, the rest goes on. FF_FATAL: the run cannot go on; ff_error says why. */
typedef enum ff_status { FF_OK = 0, FF_BAD, FF_FATAL } ff_status;

/* Filled once, where the facts are known: what was attempted, on which file and line, and why it failed. */
typedef struct ff_error {
    char text[1024];
} ff_error;

#if defined(__GNUC__)
#define FF_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define FF_PRINTF(fmt, args)
#endif

/* Writes the message, keeps the first one if the error is already filled, and returns FF_FATAL. error may be NULL. */
ff_status ff_fail(ff_error *error, const char *format, ...) FF_PRINTF(2, 3);

#define FF_NONE UINT32_MAX /* index that points nowhere */
#define FF_NO_NUMBER (-1)  /* pid, rank, gpu that the evidence does not say */
#define FF_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- caps: what a bundle may cost us. Each is reported in limits[] when it is reached. ---- */
#define FF_CAP_MEMBERS 2000000u           /* members of all inputs: a table row each */
#define FF_CAP_DEPTH 6                    /* archives inside archives: bundle > node > sosreport > journal.gz needs four */
#define FF_CAP_PATH 4096u                 /* bytes of a member name */
#define FF_CAP_TOTAL (INT64_C(1) << 44)   /* bytes unpacked in one run, 16 TiB */
#define FF_CAP_RATIO 20000                /* unpacked / packed bytes; xz and zstd of repeated logs reach 7,000 */
#define FF_CAP_RATIO_FLOOR (1 << 26)      /* bytes unpacked before the ratio counts at all */
#define FF_CAP_LINE (1u << 16)            /* bytes of a line; the rest of it is passed over and counted */
#define FF_CAP_DOCUMENT (1u << 28)        /* bytes of a document read whole: a dump of 2,000 entries has 1 MB */
#define FF_CAP_NODES 16000000u            /* nodes of one document tree, 40 bytes each */
#define FF_CAP_NESTING 200                /* depth of a document tree */
#define FF_CAP_SIGNALS_EACH 256u          /* signals kept of one signature in one member; more are counted */
#define FF_CAP_SIGNALS 400000u            /* signals kept in a run */
#define FF_CAP_EVIDENCE_TEXT 2048u        /* bytes quoted of one line */
#define FF_CAP_BLOCK_LINES 4096u          /* lines of one multi-line report (OOM task table, traceback) */
#define FF_CAP_FINDINGS 20000u            /* findings in a report */
#define FF_CONTEXT_LINES 3                /* lines kept before and after an evidence line */

#endif
