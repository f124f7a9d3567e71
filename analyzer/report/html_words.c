/* Plain words for numbers, times and names: no mark-up here. */
#include "html_private.h"

#include "../base/sorted.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ff_say_count(ff_text *t, uint64_t n)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    for (int i = 0; i < len; i++) {
        if (i && (len - i) % 3 == 0)
            ff_text_addc(t, ',');
        ff_text_addc(t, digits[i]);
    }
}

void ff_say_bytes(ff_text *t, uint64_t n)
{
    if (n < 1024)
        ff_text_addf(t, "%" PRIu64 " B", n);
    else
        ff_text_add_kib(t, n / 1024);
}

void ff_say_ranks(ff_text *t, const int32_t *ranks, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t last = i + ff_sorted_run(ranks + i, n - i) - 1;
        ff_text_addf(t, "%s%" PRId32, i ? ", " : "", ranks[i]);
        if (last > i)
            ff_text_addf(t, "%s%" PRId32, last == i + 1 ? ", " : "-", ranks[last]);
        i = last + 1;
    }
}

void ff_say_utc(ff_text *t, int64_t ns)
{
    int64_t ms = ns / 1000000 - (ns % 1000000 < 0);
    int64_t of_day = (ms % 86400000 + 86400000) % 86400000;
    int64_t year = 0;
    unsigned month = 0, day = 0;
    ff_date_from_days((ms - of_day) / 86400000, &year, &month, &day);
    ff_text_addf(t, "%04" PRId64 "-%02u-%02u %02" PRId64 ":%02" PRId64 ":%02" PRId64 ".%03" PRId64, year, month, day,
                 of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60, of_day % 1000);
}

void ff_say_stamp(ff_text *t, ff_stamp s)
{
    static const char *const kind[] = { "no time", " UTC", " s since boot", " local time", ", year not given" };
    ff_view_add_said(t, s);
    ff_text_adds(t, kind[s.kind]);
}

static void say_named(ff_text *t, size_t from, const char *label, ff_bytes value)
{
    if (ff_is_empty(value))
        return;
    ff_text_addf(t, "%s%s ", t->n > from ? ", " : "", label);
    ff_text_add(t, value);
}

static void say_number(ff_text *t, size_t from, const char *label, int32_t value)
{
    if (value != FF_NO_NUMBER)
        ff_text_addf(t, "%s%s %" PRId32, t->n > from ? ", " : "", label, value);
}

void ff_say_who(ff_text *t, const ff_who *who)
{
    size_t from = t->n;
    say_named(t, from, "host", who->host);
    say_number(t, from, "rank", who->rank);
    if (ff_is_empty(who->gpu))
        say_number(t, from, "GPU index", who->gpu_index);
    say_named(t, from, "GPU", who->gpu);
    say_named(t, from, "pod", who->pod);
    if (ff_is_empty(who->pod))
        say_named(t, from, "pod UID", who->pod_uid);
    if (ff_is_empty(who->pod) && ff_is_empty(who->pod_uid))
        say_named(t, from, "container", ff_first_n(who->container, 12));
    say_number(t, from, "pid", who->pid);
    if (!ff_is_empty(who->process)) {
        ff_text_adds(t, t->n > from ? " (" : "process ");
        bool closes = ff_text_view(t).p[t->n - 1] == '(';
        ff_text_add(t, who->process);
        if (closes)
            ff_text_addc(t, ')');
    }
}

void ff_say_place(ff_text *t, const ff_report *r, ff_record at)
{
    ff_bytes name = ff_view_member_name(r, at.member);
    ff_text_add(t, ff_is_empty(name) ? FF_LIT("?") : ff_view_no_path(name));
    if (at.line)
        ff_text_addf(t, ":%" PRIu32, at.line);
}

void ff_say_value(ff_text *t, const ff_field *f)
{
    if (f->type == FF_FIELD_INT && ff_ends(f->name, FF_LIT("_kib")) && f->i >= 0)
        ff_text_add_kib(t, (uint64_t)f->i);
    else
        ff_view_add_value(t, f);
}

void ff_say_source(ff_text *t, uint32_t streams)
{
    unsigned n = 0;
    for (unsigned i = 0; i < FF_STREAMS; i++)
        n += streams >> i & 1u;
    if (n == 0 || n > 3)
        ff_text_adds(t, "source not known");
    else
        ff_view_add_streams(t, streams);
}

/* Finer than a duration is said elsewhere: rows minutes from the start still show which came first. */
void ff_say_offset_ns(ff_text *t, int64_t ns)
{
    ff_text_adds(t, ns < 0 ? "T-" : "T+");
    uint64_t whole = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns, s = whole / 1000000000u;
    if (ns == 0)
        ff_text_addc(t, '0');
    else if (s < 60)
        ff_text_add_span(t, (int64_t)whole);
    else if (s < 3600)
        ff_text_addf(t, "%" PRIu64 " min %" PRIu64 ".%" PRIu64 " s", s / 60, s % 60, whole / 100000000u % 10);
    else if (s < UINT64_C(48) * 3600)
        ff_text_addf(t, "%" PRIu64 " h %" PRIu64 " min %" PRIu64 " s", s / 3600, s / 60 % 60, s % 60);
    else
        ff_text_addf(t, "%" PRIu64 " d %" PRIu64 " h %" PRIu64 " min", s / 86400, s / 3600 % 24, s / 60 % 60);
}

bool ff_say_offset(ff_text *t, const ff_html *h, const ff_signal *s)
{
    int64_t ns = 0;
    if (s->has_utc && h->has_t0)
        ns = s->utc - h->t0_utc;
    else if (!s->has_utc && s->clock < h->r->clocks->n && h->clock_has_t0[s->clock])
        ns = s->said.ns - h->clock_t0[s->clock];
    else
        return false;
    ff_say_offset_ns(t, ns);
    return true;
}

const char *ff_say_confidence(ff_confidence c)
{
    switch (c) {
    case FF_CERTAIN:
        return "Certain";
    case FF_LIKELY:
        return "Likely";
    case FF_POSSIBLE:
        break;
    }
    return "Possible";
}

const char *ff_say_fault_class(ff_bytes c)
{
    static const struct {
        const char *id, *words;
    } all[] = {
        { "init", "setup never finished or failed" },
        { "desync", "ranks ran different collectives, or in a different order" },
        { "stall", "the transport stopped moving" },
        { "slow", "it makes progress, but below what it should" },
        { "lost", "a process, GPU or node is gone" },
    };
    for (size_t i = 0; i < FF_COUNT(all); i++)
        if (ff_equal(c, ff_str(all[i].id)))
            return all[i].words;
    return "";
}

const char *ff_say_role(ff_role role)
{
    switch (role) {
    case FF_ROLE_ROOT:
        return "Root cause";
    case FF_ROLE_CONTRIBUTING:
        return "Contributing";
    case FF_ROLE_SYMPTOM:
        return "Symptom";
    case FF_ROLE_VICTIM:
        return "Victim";
    case FF_ROLE_TEARDOWN:
        break;
    }
    return "Teardown";
}

/* The incident's begin, on UTC or on the clock of its first sign. */
static void start_at_incident(ff_html *h)
{
    const ff_incident *in = ff_view_incident(h->r);
    if (!in)
        return;
    if (in->has_time) {
        h->has_t0 = h->t0_is_start = true;
        h->t0_utc = in->began_utc;
        return;
    }
    const ff_signal *s = ff_view_first_evidence(h->r);
    if (!s || s->has_utc || s->clock >= h->r->clocks->n || s->said.kind == FF_STAMP_NONE)
        return;
    h->clock_has_t0[s->clock] = true;
    h->clock_t0[s->clock] = s->said.ns;
}

void ff_html_find_starts(ff_html *h)
{
    const ff_report *r = h->r;
    h->clock_has_t0 = FF_NEW_N(&h->arena, bool, r->clocks->n + 1);
    h->clock_t0 = FF_NEW_N(&h->arena, int64_t, r->clocks->n + 1);
    bool *fixed = FF_NEW_N(&h->arena, bool, r->clocks->n + 1);
    start_at_incident(h);
    memcpy(fixed, h->clock_has_t0, r->clocks->n * sizeof *fixed);
    for (uint32_t i = 0; i < r->n_timeline; i++) {
        const ff_signal *s = ff_view_signal(r, r->timeline[i].signal);
        if (!s)
            continue;
        if (s->has_utc && !h->t0_is_start && (!h->has_t0 || s->utc < h->t0_utc)) {
            h->t0_utc = s->utc;
            h->has_t0 = true;
        }
        if (s->has_utc || s->clock >= r->clocks->n || s->said.kind == FF_STAMP_NONE || fixed[s->clock])
            continue;
        if (!h->clock_has_t0[s->clock] || s->said.ns < h->clock_t0[s->clock])
            h->clock_t0[s->clock] = s->said.ns;
        h->clock_has_t0[s->clock] = true;
    }
}

void ff_html_find_roles(ff_html *h)
{
    h->role = FF_NEW_N(&h->arena, uint8_t, h->r->n_findings + 1);
    for (uint32_t i = 0; h->main && i < h->main->n_chain; i++)
        if (h->main->chain[i].finding < h->r->n_findings)
            h->role[h->main->chain[i].finding] = (uint8_t)(h->main->chain[i].role + 1);
    if (h->main && h->main->root < h->r->n_findings)
        h->role[h->main->root] = FF_ROLE_ROOT + 1;
}
