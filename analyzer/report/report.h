/* Writers of a finished report. They decide nothing; log text is hostile in every one of them. */
#ifndef FF_REPORT_H
#define FF_REPORT_H

#include "../base/text.h"
#include "../verdict/verdict.h"

void ff_write_json(const ff_report *r, ff_text *out);
void ff_write_html(const ff_report *r, ff_text *out);
void ff_write_markdown(const ff_report *r, ff_text *out); /* for a ticket */
void ff_write_junit(const ff_report *r, ff_text *out);    /* JUnit's XML, for CI */
void ff_write_sarif(const ff_report *r, ff_text *out);    /* SARIF 2.1.0 */
void ff_write_ndjson(const ff_report *r, ff_text *out);   /* the time line, one JSON object a line */
void ff_write_csv(const ff_report *r, ff_text *out);      /* findings, RFC 4180 */

typedef struct ff_text_style {
    bool colour;
    unsigned width; /* columns, 60..140 */
    bool verbose;
} ff_text_style;
void ff_write_text(const ff_report *r, const ff_text_style *style, ff_text *out);

/* Needs a path, since the workbook library writes files by itself; parent must exist. FF_FATAL: error is filled. */
ff_status ff_write_xlsx(const ff_report *r, const char *path, ff_error *error);

#endif
