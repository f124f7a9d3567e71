/* What the parts of the HTML page share. Every byte that comes from a bundle passes ff_html_text or ff_html_cut;
 * whatever goes out with ff_html_raw or ff_html_f is ours. Plain words (ff_say_*) are not escaped and serve the
 * workbook too. */
#ifndef FF_HTML_PRIVATE_H
#define FF_HTML_PRIVATE_H

#include "report_private.h"

#include "../base/json.h"

/* What one page shows at most; the JSON report has the rest. */
#define FF_HTML_ROWS 500u           /* rows of a table */
#define FF_HTML_ROWS_WHOLE 120u     /* of them with FF_HTML_QUOTES evidence lines; the others show the first */
#define FF_HTML_PAGE 4400000u       /* bytes of the page up to and with the table of findings: a mail takes 5 MB of it */
#define FF_HTML_DATA_BYTES 2200000u /* further findings, kept as data for the script's search; less when the page is full */
#define FF_HTML_MOMENTS 300u        /* lines of the time line; further ones are data */
#define FF_HTML_MOMENTS_BYTES 900000u
#define FF_HTML_QUOTES 4u    /* evidence lines shown of one finding */
#define FF_HTML_GROUP 24u    /* findings listed in one box of the chain */
#define FF_HTML_CHAIN 200u   /* boxes of one chain */
#define FF_HTML_LANES 24u    /* rows of a picture */
#define FF_HTML_CONTEXT 400u /* bytes of a neighbouring line */

/* What stands behind a time: the script hides it where it shows times of the reader's zone. */
#define FF_HTML_Z "<span class=\"z\"> UTC</span>"

typedef enum ff_html_home { FF_HOME_NONE = 0, FF_HOME_CHAIN, FF_HOME_TABLE } ff_html_home;

typedef struct ff_html {
    const ff_report *r;
    ff_text *out;
    ff_text clean;           /* scratch of ff_html_text */
    ff_arena arena;          /* scratch of the page */
    const ff_incident *main; /* the verdict's incident; NULL: none */
    uint8_t *home;           /* ff_html_home of each finding: where its anchor is, so that no link leads nowhere */
    uint8_t *role;           /* ff_role + 1 of each finding in the main incident, 0: not in it */
    uint32_t *owner;         /* incident whose chain holds the anchor, where home is FF_HOME_CHAIN */
    uint32_t *rows;          /* findings in the order of the table: worst first */
    uint32_t n_rows;         /* of them shown */
    size_t written;          /* bytes of the parts before this one */
    bool has_t0;
    bool t0_is_start; /* T+0 is when the incident began; else the first moment of the time line */
    int64_t t0_utc;
    bool *clock_has_t0; /* the same for each clock that has no UTC */
    int64_t *clock_t0;
} ff_html;

/* ---- plain words ---- */
void ff_say_count(ff_text *t, uint64_t n); /* 1,234,567 */
void ff_say_bytes(ff_text *t, uint64_t n);
void ff_say_ranks(ff_text *t, const int32_t *ranks, uint32_t n); /* "0-3, 7"; ascending input */
void ff_say_utc(ff_text *t, int64_t ns);                         /* 2026-03-11 06:41:32.123 */
void ff_say_stamp(ff_text *t, ff_stamp s);                       /* as the text says it, with its kind in words */
void ff_say_who(ff_text *t, const ff_who *who);                  /* "host a1, rank 4, GPU 0000:3b:00" */
void ff_say_place(ff_text *t, const ff_report *r, ff_record at); /* member:line, not cleaned */
void ff_say_value(ff_text *t, const ff_field *f);                /* sizes as people say them */
/* "T+9.3 s" from the report's first moment; false, and nothing said, when the signal has no usable time. */
void ff_say_source(ff_text *t, uint32_t streams); /* kinds of evidence; "not known" where the mask tells nothing */
bool ff_say_offset(ff_text *t, const ff_html *h, const ff_signal *s);
const char *ff_say_confidence(ff_confidence c); /* what the word promises, as a sentence */
const char *ff_say_fault_class(ff_bytes c);     /* "" for none */
const char *ff_say_role(ff_role role);          /* "Root cause" */

void ff_say_offset_ns(ff_text *t, int64_t ns); /* "T-2 min 3.4 s" */

/* Where T+0 is, on UTC and on each clock without it: fills has_t0 .. clock_t0 of h, from h->r and h->arena. */
void ff_html_find_starts(ff_html *h);
void ff_html_find_roles(ff_html *h); /* fills role, from h->r, h->main and h->arena */

/* ---- the cause of a finding or a list; never NULL ---- */
const ff_cause *ff_html_cause(const ff_html *h, uint32_t cause);

/* ---- writing ---- */
void ff_html_raw(ff_html *h, const char *ours);
void ff_html_f(ff_html *h, const char *format, ...) FF_PRINTF(2, 3);
void ff_html_text(ff_html *h, ff_bytes text);                  /* cleaned and escaped, for text and attributes */
void ff_html_cut(ff_html *h, ff_bytes text, size_t most);      /* the same, at most so many bytes, and says so */
void ff_html_sentence(ff_html *h, ff_bytes text, size_t most); /* the same, begun with a capital letter */
void ff_html_or_dash(ff_html *h, ff_bytes text);
void ff_html_open(ff_html *h, const char *id, const char *title); /* section with its h2 */
void ff_html_close(ff_html *h);
void ff_html_table(ff_html *h, const char *id, const char *caption, const char *const *heads, unsigned n);
void ff_html_table_end(ff_html *h);
/* A search field over the rows of a table; facets: data-... attributes of its rows that a choice is made of. */
void ff_html_filter(ff_html *h, const char *table, const char *facets, const char *hint);
void ff_html_more(ff_html *h, uint64_t shown, uint64_t all, const char *what);
void ff_html_utc(ff_html *h, bool known, int64_t ns);
void ff_html_place(ff_html *h, ff_record at);         /* member:line */
void ff_html_link(ff_html *h, uint32_t finding);      /* F3, a link where its anchor exists */
void ff_html_permanent(ff_html *h, uint32_t finding); /* the same beside the finding itself: a click copies it */
void ff_html_severity(ff_html *h, ff_severity s);
void ff_html_who(ff_html *h, const ff_who *who);
void ff_html_when(ff_html *h, const ff_signal *s); /* offset and error */
void ff_html_list(ff_html *h, const char *tag, const ff_bytes *items, uint32_t n);
/* One quoted line with its place, captures marked and neighbours around it. */
void ff_html_quote(ff_html *h, uint32_t ref, bool context);
void ff_html_fields(ff_html *h, const ff_signal *s); /* what was read from it, in one line */
/* The evidence of one finding in a closed part; nothing when it has none. */
void ff_html_evidence(ff_html *h, const ff_finding *f, uint32_t quotes); /* at most so many lines */

/* ---- rows that are kept as data: cells first, then a value for each facet, then what the script may need ---- */
typedef struct ff_html_data {
    ff_html *h;
    ff_text json, cell; /* cell: filled by the caller before ff_html_data_cell */
    ff_json j;
    size_t most;
    uint32_t n;
} ff_html_data;
void ff_html_data_open(ff_html_data *d, ff_html *h, size_t most_bytes, const char *const *facets, unsigned n);
bool ff_html_data_row(ff_html_data *d); /* false: no more room, and nothing was begun */
void ff_html_data_cell(ff_html_data *d);
void ff_html_data_row_end(ff_html_data *d);
void ff_html_data_close(ff_html_data *d, const char *table, const char *what); /* writes note and data */

/* ---- parts; each writes nothing when it has nothing to say ---- */
void ff_html_verdict(ff_html *h);
void ff_html_incident(ff_html *h); /* the chain of the main incident */
void ff_html_chain(ff_html *h, const ff_incident *in);
void ff_svg_chain(ff_html *h, const ff_incident *in); /* the same at a glance */
void ff_html_rivals(ff_html *h, const ff_incident *in);
void ff_html_timeline(ff_html *h);
void ff_svg_timeline(ff_html *h); /* picture of the same moments */
/* Indices into the time line, in its order: the incident's moments, then those nearest to it, which past the least
 * number lie within a distance. In h's arena. */
uint32_t *ff_html_nearest_moments(ff_html *h, uint32_t least, int64_t within_ns, uint32_t most, uint32_t *n);
void ff_html_memory(ff_html *h);
void ff_svg_memory(ff_html *h, const ff_signal *report);
void ff_html_gpus(ff_html *h);
void ff_html_bandwidth(ff_html *h);
void ff_html_topology(ff_html *h);
void ff_svg_coverage(ff_html *h); /* which host and source says something when */
void ff_html_next(ff_html *h);
void ff_html_next_of(ff_html *h, const ff_incident *in);
void ff_html_rulings(ff_html *h);
void ff_html_rulings_of(ff_html *h, const ff_incident *in);
void ff_html_collectives(ff_html *h);
void ff_html_operations(ff_html *h); /* a part of the section of collectives */
void ff_html_others(ff_html *h);
void ff_html_notes(ff_html *h);
void ff_html_contradictions(ff_html *h);
void ff_html_findings(ff_html *h);
void ff_html_environment(ff_html *h);
void ff_html_identity(ff_html *h);
void ff_html_clocks(ff_html *h);
void ff_html_coverage(ff_html *h);
void ff_html_limits(ff_html *h);
void ff_html_about(ff_html *h);

#endif
