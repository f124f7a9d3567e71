#include "report_private.h"

#include <inttypes.h>

#define NS_PER_S INT64_C(1000000000)

const ff_cause *ff_view_cause(const ff_report *r, uint32_t cause)
{
    return r->rules && cause < r->rules->n_causes ? &r->rules->causes[cause] : NULL;
}

ff_bytes ff_view_cause_id(const ff_report *r, uint32_t cause)
{
    const ff_cause *c = ff_view_cause(r, cause);
    return c ? c->id : FF_LIT("unknown");
}

ff_bytes ff_view_cause_title(const ff_report *r, uint32_t cause)
{
    const ff_cause *c = ff_view_cause(r, cause);
    return c && c->title.n ? c->title : ff_view_cause_id(r, cause);
}

static bool is_unknown(const ff_report *r, uint32_t cause)
{
    return ff_equal(ff_view_cause_id(r, cause), FF_LIT("unknown"));
}

ff_bytes ff_view_headline(const ff_report *r, const ff_finding *f)
{
    return is_unknown(r, f->cause) && f->summary.n ? f->summary : ff_view_cause_title(r, f->cause);
}

bool ff_view_shows_failure(const ff_report *r) { return ff_view_incident(r) || r->verdict.shown_by != FF_NONE; }

ff_bytes ff_view_verdict_title(const ff_report *r)
{
    if (!ff_view_shows_failure(r) && is_unknown(r, r->verdict.cause))
        return FF_LIT("nothing can be said");
    return ff_view_cause_title(r, r->verdict.cause);
}

uint32_t ff_view_evidence(const ff_report *r)
{
    uint32_t share = r->n_findings ? FF_VIEW_PLACES / r->n_findings : FF_VIEW_EVIDENCE;
    share = share < FF_VIEW_EVIDENCE_LEAST ? FF_VIEW_EVIDENCE_LEAST : share;
    return share < FF_VIEW_EVIDENCE ? share : FF_VIEW_EVIDENCE;
}

const ff_finding *ff_view_finding(const ff_report *r, uint32_t finding)
{
    return finding < r->n_findings ? &r->findings[finding] : NULL;
}

const ff_signal *ff_view_signal(const ff_report *r, uint32_t ref)
{
    return r->evidence && ref < r->evidence->n_signals ? &r->evidence->signals[ref] : NULL;
}

ff_bytes ff_view_member_name(const ff_report *r, uint32_t member)
{
    return r->evidence && member < r->evidence->n_members ? r->evidence->members[member].name : (ff_bytes){ 0 };
}

const ff_incident *ff_view_incident(const ff_report *r)
{
    return r->verdict.incident < r->n_incidents ? &r->incidents[r->verdict.incident] : NULL;
}

const ff_signal *ff_view_first_of(const ff_report *r, const ff_finding *f)
{
    return f && f->n_evidence ? ff_view_signal(r, f->evidence[0]) : NULL;
}

const ff_signal *ff_view_last_of(const ff_report *r, const ff_finding *f)
{
    return f && f->n_evidence ? ff_view_signal(r, f->evidence[f->n_evidence - 1]) : NULL;
}

const ff_signal *ff_view_first_evidence(const ff_report *r)
{
    const ff_incident *i = ff_view_incident(r);
    if (!i)
        return ff_view_first_of(r, ff_view_finding(r, r->verdict.shown_by));
    const ff_signal *s = ff_view_signal(r, i->began_signal);
    return s ? s : ff_view_first_of(r, ff_view_finding(r, i->root));
}

const ff_signal *ff_view_first_sign(const ff_report *r)
{
    const ff_incident *i = ff_view_incident(r);
    const ff_signal *s = i ? ff_view_signal(r, i->first_sign) : NULL;
    return s ? s : ff_view_first_evidence(r);
}

bool ff_view_began_before(const ff_report *r, const ff_incident *in)
{
    const ff_signal *first = ff_view_first_evidence(r);
    return in->has_time && first && !first->has_utc;
}

const char *ff_view_stamp_kind(ff_stamp_kind kind)
{
    switch (kind) {
    case FF_STAMP_UTC:
        return "utc";
    case FF_STAMP_SINCE_BOOT:
        return "since_boot";
    case FF_STAMP_LOCAL:
        return "local";
    case FF_STAMP_NO_YEAR:
        return "no_year";
    case FF_STAMP_NONE:
        break;
    }
    return NULL;
}

/* How many digits behind the point a stamp of this grain carries. */
static int digits_of(int64_t grain_ns)
{
    int digits = 0;
    for (int64_t unit = NS_PER_S; unit > 1 && grain_ns < unit && digits < 9; unit /= 10)
        digits++;
    return digits;
}

static void add_fraction(ff_text *out, int64_t ns, int64_t grain_ns)
{
    static const int64_t power[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1 };
    int digits = digits_of(grain_ns);
    if (digits > 0)
        ff_text_addf(out, ".%0*" PRId64, digits, ns / power[digits]);
}

static void add_time_of_day(ff_text *out, int64_t second)
{
    ff_text_addf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, second / 3600, second / 60 % 60, second % 60);
}

static void add_date(ff_text *out, int64_t days, bool with_year)
{
    static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
    int64_t year = 0;
    unsigned month = 1, day = 1;
    ff_date_from_days(days, &year, &month, &day);
    if (with_year)
        ff_text_addf(out, "%04" PRId64 "-%02u-%02uT", year, month, day);
    else
        ff_text_addf(out, "%s %02u ", months[(month - 1) % 12], day);
}

void ff_view_add_said(ff_text *out, ff_stamp said)
{
    int64_t second = said.ns / NS_PER_S, ns = said.ns % NS_PER_S;
    if (ns < 0) {
        ns += NS_PER_S;
        second--;
    }
    if (said.kind == FF_STAMP_NONE)
        return;
    if (said.kind == FF_STAMP_SINCE_BOOT) {
        ff_text_addf(out, "%" PRId64, second);
        add_fraction(out, ns, said.grain_ns);
        return;
    }
    int64_t days = second / 86400, of_day = second % 86400;
    if (of_day < 0) {
        of_day += 86400;
        days--;
    }
    if (said.kind == FF_STAMP_NO_YEAR) /* counted from a January of a leap year */
        days += ff_days_from_date(1972, 1, 1);
    add_date(out, days, said.kind != FF_STAMP_NO_YEAR);
    add_time_of_day(out, of_day);
    add_fraction(out, ns, said.grain_ns);
    if (said.kind == FF_STAMP_UTC)
        ff_text_addc(out, 'Z');
}

void ff_view_add_value(ff_text *out, const ff_field *f)
{
    switch (f->type) {
    case FF_FIELD_INT:
    case FF_FIELD_PID:
    case FF_FIELD_RANK:
    case FF_FIELD_LOCAL_RANK:
    case FF_FIELD_GPU:
        ff_text_addf(out, "%" PRId64, f->i);
        return;
    case FF_FIELD_HEX:
        ff_text_addf(out, "0x%" PRIx64, (uint64_t)f->i);
        return;
    case FF_FIELD_FLOAT:
        if (!f->s.n) {
            ff_text_addf(out, "%.6g", f->f);
            return;
        }
        break;
    default:
        break;
    }
    ff_text_add_clean(out, f->s);
}

void ff_view_add_streams(ff_text *out, uint32_t mask)
{
    bool any = false;
    for (unsigned i = 0; i < FF_STREAMS; i++) {
        if (!(mask >> i & 1u))
            continue;
        if (any)
            ff_text_adds(out, ", ");
        ff_text_adds(out, ff_stream_name(i));
        any = true;
    }
}

uint32_t ff_view_missing_streams(const ff_report *r)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < r->n_not_judged; i++)
        mask |= r->not_judged[i].missing;
    return mask;
}

ff_bytes ff_view_no_path(ff_bytes name) { return name.n && name.p[0] == '/' ? ff_after_last(name, '/') : name; }

const char *ff_view_confidence_words(ff_confidence c)
{
    switch (c) {
    case FF_CERTAIN:
        return "certain";
    case FF_LIKELY:
        return "likely";
    case FF_POSSIBLE:
        break;
    }
    return "possible, not more";
}
