/* What several writers say in the same way. Nothing here decides anything: it looks up, names and shortens. */
#ifndef FF_REPORT_PRIVATE_H
#define FF_REPORT_PRIVATE_H

#include "report.h"

#define FF_VIEW_EVIDENCE 64u  /* evidence lines that a writer shows of one finding; evidence_total tells the rest */
#define FF_VIEW_PLACES 60000u /* of all findings: with thousands of them each shows fewer, */
#define FF_VIEW_EVIDENCE_LEAST 3u /* but never fewer than these */

uint32_t ff_view_evidence(const ff_report *r); /* how many each finding of this report shows */

/* Lookups that never fail: a wrong index gives NULL or the empty view. */
const ff_cause *ff_view_cause(const ff_report *r, uint32_t cause);
ff_bytes ff_view_cause_id(const ff_report *r, uint32_t cause);    /* "unknown" where there is no such cause */
ff_bytes ff_view_cause_title(const ff_report *r, uint32_t cause); /* its id where it has no title */
/* The same of the verdict; where no failure was seen at all, "unknown" is none that no rule explains. */
ff_bytes ff_view_verdict_title(const ff_report *r);
/* What a finding is headed by: its cause's title, or, where the cause is not known, what was seen. */
ff_bytes ff_view_headline(const ff_report *r, const ff_finding *f);
const ff_finding *ff_view_finding(const ff_report *r, uint32_t finding);
const ff_signal *ff_view_signal(const ff_report *r, uint32_t ref);
ff_bytes ff_view_member_name(const ff_report *r, uint32_t member);
const ff_incident *ff_view_incident(const ff_report *r); /* the one that the verdict is about, or NULL */
bool ff_view_shows_failure(const ff_report *r); /* the verdict is about an incident, or about an effect without one */
/* Earliest signal of the root, or of the effect that the verdict is about; NULL when there is none. */
const ff_signal *ff_view_first_evidence(const ff_report *r);
/* The same among evidence and symptoms of the root: when it began, which may be before the line that names it. */
const ff_signal *ff_view_first_sign(const ff_report *r);
/* The first sign of the root has no time on UTC: what the incident's begin says is the time of what followed. */
bool ff_view_began_before(const ff_report *r, const ff_incident *in);
const ff_signal *ff_view_first_of(const ff_report *r, const ff_finding *f); /* its earliest evidence, or NULL */
const ff_signal *ff_view_last_of(const ff_report *r, const ff_finding *f);

/* "utc", "since_boot", "local", "no_year"; NULL for no stamp. */
const char *ff_view_stamp_kind(ff_stamp_kind kind);
/* The time as the text said it, with as many digits as the text had: "701.635013", "2026-03-11T06:41:32.5",
 * "Mar 11 06:41:32". Nothing for no stamp. */
void ff_view_add_said(ff_text *out, ff_stamp said);

/* What a field's value reads like: numbers in decimal (HEX with 0x), everything else its text. */
void ff_view_add_value(ff_text *out, const ff_field *f);

/* Appends the names of the streams in mask, joined by ", ". */
void ff_view_add_streams(ff_text *out, uint32_t mask);

/* Streams (bits) for want of which a rule could not be judged on some machine; 0 if all were judged everywhere. */
uint32_t ff_view_missing_streams(const ff_report *r);

/* An absolute path reads differently on each machine, so a report holds its last part only. */
ff_bytes ff_view_no_path(ff_bytes name);

/* "certain" -> "certain", "likely" -> "likely", "possible" -> "possible, not more": confidence for people. */
const char *ff_view_confidence_words(ff_confidence c);

#endif
