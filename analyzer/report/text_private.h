/* A page for a terminal: words flow into lines of a given width, and nothing but plain UTF-8 comes out. */
#ifndef FF_TEXT_PRIVATE_H
#define FF_TEXT_PRIVATE_H

#include "report_private.h"

typedef enum ff_ink { FF_INK_PLAIN, FF_INK_STRONG, FF_INK_BAD, FF_INK_WARN, FF_INK_GOOD, FF_INK_FAINT } ff_ink;

typedef struct ff_page {
    ff_text *out;
    unsigned width; /* columns */
    bool colour;
} ff_page;

/* Columns that clean UTF-8 text takes: East Asian wide characters count two, combining marks none. */
size_t ff_columns(ff_bytes text);

/* Writes text after lead, wrapped; further lines begin with `hang` blanks. At most max_lines lines (0 = all), the
 * last of them ends with an ellipsis when something had to go. Text and lead are cleaned first. */
void ff_page_flow(const ff_page *p, ff_ink ink, const char *lead, unsigned hang, ff_bytes text, unsigned max_lines);
void ff_page_blank(const ff_page *p);

/* How much of each list is told; 0 = all of it. */
typedef struct ff_room {
    uint32_t chain, rulings, asks, acts, ceiling; /* items */
    unsigned link_lines, item_lines;              /* lines of one */
} ff_room;

typedef struct ff_summary { /* while one is written */
    const ff_report *r;
    ff_page page;
    ff_text words; /* scratch for one paragraph */
    const ff_room *room;
    bool verbose;
} ff_summary;

ff_text *ff_summary_fresh(ff_summary *s); /* the scratch, emptied */
void ff_summary_flow(ff_summary *s, ff_ink ink, const char *lead, unsigned hang,
                     unsigned max_lines); /* the scratch */
/* A blank line and "TITLE" or, when less is told than there is, "TITLE (2 of 7)". Returns how many to tell. */
uint32_t ff_summary_head(ff_summary *s, const char *title, uint32_t n, uint32_t most);
void ff_summary_list(ff_summary *s, const char *title, const ff_bytes *at, uint32_t n, uint32_t most);
void ff_summary_place(ff_text *out, const ff_report *r, const ff_signal *sign); /* "n07/dmesg:76" */
int64_t ff_less(int64_t a, int64_t b); /* a - b; a text may claim any time, so the ends hold */

void ff_summary_chain(ff_summary *s, const ff_incident *in); /* text_chain.c */

/* ---- text_incident.c ---- */
void ff_summary_rivals(ff_summary *s, const ff_incident *in);
void ff_summary_rulings(ff_summary *s, const ff_incident *in);
void ff_summary_next(ff_summary *s, const ff_incident *in); /* what would settle it, what to do */

#endif
