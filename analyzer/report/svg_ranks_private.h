/* Rank by sequence as it is counted and as it is drawn. */
#ifndef FF_SVG_RANKS_PRIVATE_H
#define FF_SVG_RANKS_PRIVATE_H

#include "svg_ranks.h"

#define COLUMNS 32u
#define SINGLE 64u /* ranks up to which each has a row of its own */

enum {
    DONE = 'c',
    STARTED = 's',
    QUEUED = 'q',
    ASKED = 'u',
    NOT_HERE = 'n',
    ODD = 'x',
    NOT_KNOWN = '-',
    NO_DUMP = 'd'
};

typedef struct row {
    int32_t rank;
    const ff_seat *seat; /* NULL: no dump */
    int64_t last;        /* last collective that it issued, -1 not known */
    char state[COLUMNS + 1];
} row;

typedef struct band { /* rows that look alike */
    uint32_t from, n;
} band;

typedef struct ff_matrix {
    ff_html *h;
    row *rows;
    uint32_t n_rows;
    int64_t first, front; /* sequence number of column 0; of the first that not all finished, or -1 */
    uint32_t n_columns;
    ff_bytes op[COLUMNS];
    band *bands;
    uint32_t n_bands;
} ff_matrix;

/* Rows, columns, states, the front and bands of rows that look alike, all in h's arena. false: nothing to show. */
bool ff_matrix_fill(ff_matrix *m, const ff_seat *seats, uint32_t n);
int ff_matrix_by_rank(const void *left, const void *right);

#endif
