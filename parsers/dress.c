#include "dress.h"
#include "lines.h"

#include <string.h>

#define DATE 19u /* bytes of "2026-01-01 00:00:00" */
#define MOST_FRONT 256u

static const char level[] = "NCCL INFO ";
enum { LEVEL = sizeof level - 1 };

static bool is_dated(ff_bytes line)
{
    return line.n > DATE + 3 && line.p[0] == '[' && line.p[DATE + 1] == ']' && line.p[DATE + 2] == ' ';
}

/* The time in the bracket; a zone or a fraction would be longer. */
static bool read_date(ff_bytes line, ff_stamp *out)
{
    ff_bytes inside = { line.p + 1, DATE };
    return ff_take_rfc3339(&inside, out) && inside.n == 0 && out->kind == FF_STAMP_LOCAL;
}

/* As read_date: lines of one minute differ in two digits. */
static bool read_date_again(ff_dress *d, ff_bytes line, ff_stamp *out)
{
    enum { MINUTE = sizeof d->minute };
    const char *p = line.p + 1;
    bool known = d->since.kind != FF_STAMP_NONE && memcmp(p, d->minute, MINUTE) == 0;
    if (known && p[MINUTE] >= '0' && p[MINUTE] < '6' && ff_is_digit(p[MINUTE + 1])) {
        *out = d->since;
        out->ns += ((p[MINUTE] - '0') * 10 + (p[MINUTE + 1] - '0')) * INT64_C(1000000000);
        return true;
    }
    ff_stamp first;
    char zero[DATE + 1];
    if (!read_date(line, out))
        return false;
    memcpy(zero, line.p, DATE + 1);
    zero[DATE - 1] = zero[DATE] = '0';
    d->since.kind = FF_STAMP_NONE;
    if (read_date((ff_bytes){ zero, sizeof zero }, &first)) {
        d->since = first;
        memcpy(d->minute, p, MINUTE);
    }
    return true;
}

void ff_dress_forget(ff_dress *d) { d->front = (ff_bytes){ NULL, 0 }; }

static ff_bytes kept(ff_dress *d, ff_bytes text) { return text.n ? ff_arena_copy(&d->arena, text) : text; }

/* Only what NCCL's lines carry: a line that says more is not kept. */
static bool says_only_speaker(const ff_event *ev)
{
    const ff_who *w = &ev->who;
    return ev->stream == FF_STREAM_NCCL && !ev->ident.n && !w->boot.n && !w->unit.n && !w->pod.n && !w->pod_uid.n &&
           !w->container.n && !w->cgroup.n && !w->gpu.n && !w->gpu_uuid.n && !w->process.n && !ev->in_container &&
           ev->part == 0 && !ev->since_before && !ev->goes_on && ev->also.kind == FF_STAMP_NONE;
}

/* "HOST:PID:TID " with nothing around it: frames of launchers and collectors may look further into the line. */
static bool begins_with_speaker(ff_bytes front)
{
    ff_bytes word, name;
    unsigned colons = 0;
    if (!front.n || !ff_is_alnum(front.p[0]) || !ff_take_until(&front, ' ', &word))
        return false;
    while (ff_take_name(&word, &name) && ff_take_char(&word, ':'))
        colons++;
    return colons == 2 && !word.n;
}

void ff_dress_keep(ff_dress *d, ff_bytes line, const ff_event *ev)
{
    size_t front = line.n - (ev->text.n < line.n ? ev->text.n : line.n);
    ff_stamp date = { 0 };
    bool suffix = front > 0 && front <= MOST_FRONT && ev->text.p == line.p + front;
    bool dated = is_dated(line) && read_date(line, &date);
    if (!suffix || !begins_with_speaker(ff_skip_n(ff_first_n(line, front), dated ? DATE + 3 : 0)) ||
        !ff_starts(ev->text, (ff_bytes){ level, LEVEL }) || !says_only_speaker(ev) ||
        (ev->said.kind != FF_STAMP_NONE && (!dated || date.ns != ev->said.ns)) ||
        (dated && ev->said.kind == FF_STAMP_NONE)) {
        ff_dress_forget(d);
        return;
    }
    ff_arena_reset(&d->arena);
    d->ev = *ev;
    d->ev.who.host = kept(d, ev->who.host);
    d->ev.text = (ff_bytes){ NULL, 0 };
    d->front = ff_arena_copy(&d->arena, ff_first_n(line, front));
    d->dated = dated;
}

/* Several writers can share a line, and then the last one counts. */
static bool holds_another(ff_bytes text)
{
    return (memchr(text.p, 'N', text.n) && ff_contains(text, FF_LIT("NCCL "))) ||
           (memchr(text.p, 'F', text.n) && ff_contains(text, FF_LIT("[FATAL ERROR]")));
}

bool ff_dress_fits(ff_dress *d, ff_bytes line, ff_event *ev)
{
    size_t from = d->dated ? DATE + 1 : 0, front = d->front.n;
    ff_stamp said = { 0 };
    if (front == 0 || line.n < front + LEVEL || memcmp(line.p + from, d->front.p + from, front - from) != 0 ||
        memcmp(line.p + front, level, LEVEL) != 0)
        return false;
    if (d->dated && (line.p[0] != '[' || !read_date_again(d, line, &said)))
        return false;
    ff_bytes text = ff_skip_n(line, front);
    if (holds_another(ff_skip_n(text, LEVEL)) || memchr(text.p, '\x1b', text.n))
        return false;
    ff_arena *scratch = ev->scratch;
    *ev = d->ev;
    ev->scratch = scratch;
    ev->text = text;
    if (d->dated)
        ev->said = said;
    return true;
}
