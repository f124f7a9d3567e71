/* Writers of a finished report. They decide nothing; log text is hostile in every one of them. */
#ifndef FF_REPORT_H
#define FF_REPORT_H

#include "../base/text.h"
#include "../verdict/verdict.h"

void ff_write_json(const ff_report *r, ff_text *out);
void ff_write_html(const ff_report *r, ff_text *out);

typedef struct ff_text_style {
    bool colour;
    unsigned width; /* columns, 60..140 */
    bool verbose;
} ff_text_style;
void ff_write_text(const ff_report *r, const ff_text_style *style, ff_text *out);

/* Needs a path, since the workbook library writes files by itself; parent must exist. FF_FATAL: error is filled. */
ff_status ff_write_xlsx(const ff_report *r, const char *path, ff_error *error);

#endif
