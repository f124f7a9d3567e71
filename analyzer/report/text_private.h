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
void ff_page_head(const ff_page *p, const char *title); /* a blank line and a heading */
void ff_page_blank(const ff_page *p);

#endif
