/* The parts of the JSON report, and the small shapes that several of them use. */
#ifndef FF_JSON_PRIVATE_H
#define FF_JSON_PRIVATE_H

#include "../base/digest.h"
#include "../base/json.h"
#include "report_private.h"

/* ---- shapes (json_shapes.c) ---- */
void ff_json_number_id(ff_json *j, const char *key, char letter, uint32_t index); /* "F1"; null for FF_NONE */
void ff_json_known(ff_json *j, const char *key, ff_bytes value);                  /* null when empty */
void ff_json_number(ff_json *j, const char *key, int32_t value);                  /* null for FF_NO_NUMBER */
void ff_json_sequence(ff_json *j, const char *key, int64_t value);                /* string; null below 0 */
void ff_json_said(ff_json *j, const char *key, ff_stamp said);                    /* {kind, text} or null */
void ff_json_time(ff_json *j, const char *key, const ff_signal *s); /* {utc, err_ns, said}; NULL: all null */
void ff_json_who(ff_json *j, const char *key, const ff_who *who);
void ff_json_place(ff_json *j, const ff_report *r, const char *key, const ff_signal *s); /* an evidence line */
/* Field i of a list as a member; one whose name came before is left out, since a key may stand only once. */
void ff_json_field(ff_json *j, const ff_field *fields, uint32_t i);

/* ---- parts: each writes its own keys ---- */
void ff_json_clocks(ff_json *j, const ff_report *r);      /* clocks */
void ff_json_collectives(ff_json *j, const ff_report *r); /* collectives */
void ff_json_environment(ff_json *j, const ff_report *r); /* environment */
void ff_json_fingerprint(ff_json *j, const ff_report *r); /* fingerprint */
void ff_json_coverage(ff_json *j, const ff_report *r);    /* coverage, not_judged, limits */

#endif
