/* Flight Recorder dumps as trace events, which Perfetto and chrome://tracing open: a process for each rank, a track
 * for each process group. Format: "Trace Event Format", JSON object with traceEvents; times in microseconds. */
#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../parsers/recorder.h"
#include "../base/json.h"

typedef struct trace {
    FILE *file;
    ff_text out;
    ff_json j;
    bool any;
    int64_t from_ns, to_ns; /* first and last time of all dumps */
} trace;

static void find_span(trace *t, const ff_dump_table *dumps)
{
    t->from_ns = INT64_MAX;
    for (uint32_t i = 0; i < dumps->n; i++) {
        const ff_dump *d = dumps->at[i];
        t->to_ns = d->seen_ns > t->to_ns ? d->seen_ns : t->to_ns;
        for (uint32_t k = 0; k < d->n_entries && !d->from_log; k++) {
            int64_t created = d->times[k].created_ns;
            t->from_ns = created > 0 && created < t->from_ns ? created : t->from_ns;
        }
    }
    t->from_ns = t->from_ns == INT64_MAX ? 0 : t->from_ns;
}

/* Microseconds with three digits, as text: the writer knows whole numbers only. */
static void add_us(trace *t, const char *key, int64_t ns)
{
    ff_text_addf(&t->out, ",\"%s\":%" PRId64 ".%03d", key, ns / 1000, (int)(ns % 1000));
}

static void begin(trace *t, const char *phase, int32_t rank, uint32_t track)
{
    ff_text_adds(&t->out, t->any ? ",\n{" : "\n{");
    t->any = true;
    ff_text_addf(&t->out, "\"ph\":\"%s\",\"pid\":%" PRId32 ",\"tid\":%" PRIu32, phase, rank, track);
}

/* A string as JSON, escaped by the one writer that does so. */
static void add_text(trace *t, const char *key, ff_bytes value)
{
    ff_text one;
    ff_json j;
    ff_text_init(&one, 0);
    ff_json_init(&j, &one);
    j.compact = true;
    ff_json_open(&j, NULL, '[');
    ff_json_bytes(&j, NULL, value);
    ff_json_close(&j, ']');
    ff_bytes text = ff_text_view(&one);
    size_t from = 1, to = text.n;
    while (from < text.n && text.p[from] != '"')
        from++;
    while (to && text.p[to - 1] != '"')
        to--;
    ff_text_addf(&t->out, "\"%s\":", key);
    ff_text_add(&t->out, (ff_bytes){ text.p + from, to - from });
    ff_text_done(&one);
}

static void name_track(trace *t, const char *what, int32_t rank, uint32_t track, ff_bytes name)
{
    begin(t, "M", rank, track);
    ff_text_addf(&t->out, ",\"name\":\"%s\",\"args\":{", what);
    add_text(t, "name", name);
    ff_text_adds(&t->out, "}}");
}

static const char *state_of(const ff_fr_entry *e)
{
    static const char *const names[] = { "scheduled", "started", "completed", "unknown" };
    return names[e->state];
}

static void add_args(trace *t, const ff_dump *d, const ff_fr_entry *e)
{
    ff_text_addf(&t->out,
                 ",\"args\":{\"seq\":%" PRId32 ",\"p2p_seq\":%" PRId32 ",\"record\":%" PRId64 ",\"state\":\"%s\",",
                 e->seq, e->p2p_seq, ff_fr_record_id(d, e), state_of(e));
    add_text(t, "in", e->call->in_sizes);
    ff_text_addc(&t->out, ',');
    add_text(t, "out", e->call->out_sizes);
    ff_text_addc(&t->out, ',');
    add_text(t, "types", e->call->dtypes);
    ff_text_addc(&t->out, ',');
    add_text(t, "frame", e->call->frame);
    ff_text_adds(&t->out, "}}");
}

static bool is_ended(const ff_fr_entry *e)
{
    return e->state == FF_FR_COMPLETED || (e->retired && e->state != FF_FR_STARTED);
}

/* When it ran: slices of one track must not overlap, so it begins behind the end of the one before. By a nanosecond:
 * viewers add beginning and duration as floating numbers, and where two only meet, they take the second for a part of
 * the first. */
static void add_entry(trace *t, const ff_dump *d, const ff_fr_entry *e, int64_t *busy_until, bool *open)
{
    bool p2p = e->call->is_p2p || e->call->src >= 0, ended = is_ended(e);
    uint32_t track = (uint32_t)e->group * 2 + p2p;
    const ff_fr_times *when = ff_fr_times_of(d, e);
    int64_t from = when->created_ns, to = when->ended_ms > 0 ? ff_fr_completed_ns(when) : from;
    if (from <= 0)
        return;
    if (ended && when->duration_ms > 0 && when->duration_ms < 1e9 && to > from) {
        int64_t began = to - (int64_t)((double)when->duration_ms * 1e6);
        from = began > from ? began : from;
    }
    to = ended ? to : t->to_ns;
    from = from <= busy_until[track] ? busy_until[track] + 1 : from;
    bool slice = to > from && !(open[track] && !ended);
    begin(t, slice ? "X" : "i", d->rank, track);
    add_us(t, "ts", (slice ? from : when->created_ns) - t->from_ns);
    if (slice)
        add_us(t, "dur", to - from);
    else
        ff_text_adds(&t->out, ",\"s\":\"t\"");
    ff_text_addc(&t->out, ',');
    ff_arena arena;
    ff_arena_init(&arena);
    int64_t number = p2p ? e->p2p_seq : e->seq;
    add_text(t, "name",
             ff_arena_format(&arena, "%.*s #%" PRId64 "%s", (int)e->call->op.n, e->call->op.p, number,
                             ended ? "" : " (not ended)"));
    ff_arena_done(&arena);
    ff_text_addf(&t->out, ",\"cat\":\"%s\"", ended ? "ended" : "open");
    add_args(t, d, e);
    if (slice)
        busy_until[track] = to;
    open[track] = open[track] || !ended;
}

static void flush(trace *t)
{
    ff_bytes text = ff_text_view(&t->out);
    (void)fwrite(text.p, 1, text.n, t->file);
    ff_text_done(&t->out);
    ff_text_init(&t->out, 0);
}

static void add_dump(trace *t, const ff_dump *d)
{
    ff_arena arena;
    ff_arena_init(&arena);
    int64_t *busy_until = FF_NEW_N(&arena, int64_t, (size_t)2 * d->n_groups + 2);
    bool *open = FF_NEW_N(&arena, bool, (size_t)2 * d->n_groups + 2);
    name_track(t, "process_name", d->rank, 0, ff_arena_format(&arena, "rank %" PRId32, d->rank));
    begin(t, "M", d->rank, 0);
    ff_text_addf(&t->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%" PRId32 "}}", d->rank);
    for (uint32_t g = 0; g < d->n_groups; g++) {
        const ff_fr_group *group = &d->groups[g];
        ff_bytes name =
            ff_arena_format(&arena, "group %.*s %.*s", (int)group->name.n, group->name.n ? group->name.p : "",
                            (int)group->desc.n, group->desc.n ? group->desc.p : "");
        name_track(t, "thread_name", d->rank, g * 2, name);
        name_track(t, "thread_name", d->rank, g * 2 + 1,
                   ff_arena_format(&arena, "%.*s, sends and receives", (int)name.n, name.p));
    }
    for (uint32_t i = 0; i < d->n_entries; i++) {
        if (d->entries[i].group < d->n_groups)
            add_entry(t, d, &d->entries[i], busy_until, open);
        if (t->out.n > 1 << 20)
            flush(t);
    }
    ff_arena_done(&arena);
}

/* One dump a rank: the one with the newest entry. */
static bool is_newest(const ff_dump_table *dumps, uint32_t i)
{
    const ff_dump *d = dumps->at[i];
    int64_t mine = d->n_entries ? d->times[d->n_entries - 1].created_ns : 0;
    for (uint32_t k = 0; k < dumps->n; k++) {
        const ff_dump *o = dumps->at[k];
        int64_t theirs = o->n_entries ? o->times[o->n_entries - 1].created_ns : 0;
        if (k != i && !o->from_log && o->rank == d->rank && (theirs > mine || (theirs == mine && k < i)))
            return false;
    }
    return !d->from_log;
}

static void write_events(trace *t, const ff_dump_table *dumps)
{
    find_span(t, dumps);
    ff_text_init(&t->out, 0);
    ff_text_adds(&t->out, "{\"displayTimeUnit\":\"ms\",\"otherData\":{\"from\":\"");
    ff_text_add_utc(&t->out, t->from_ns);
    ff_text_adds(&t->out, "\"},\"traceEvents\":[");
    for (uint32_t i = 0; i < dumps->n; i++) {
        if (dumps->at[i]->rank < 0 || !is_newest(dumps, i))
            continue;
        add_dump(t, dumps->at[i]);
        flush(t);
    }
    ff_text_adds(&t->out, "\n]}\n");
    flush(t);
    ff_text_done(&t->out);
}

static ff_status write_trace(const void *what, const char *path, ff_error *error)
{
    const ff_evidence *e = what;
    trace t = { .file = fopen(path, "wb") };
    if (!t.file)
        return ff_fail(error, "%s", strerror(errno));
    write_events(&t, e->dumps);
    bool bad = ferror(t.file) != 0;
    int why = errno;
    if (fclose(t.file) != 0 && !bad) {
        bad = true;
        why = errno;
    }
    return bad ? ff_fail(error, "%s", strerror(why)) : FF_OK;
}

bool cli_write_trace(const char *path, const ff_evidence *e)
{
    static const ff_dump_table none = { 0 };
    ff_evidence empty = *e;
    empty.dumps = empty.dumps ? empty.dumps : (ff_dump_table *)(uintptr_t)&none;
    if (strcmp(path, "-") != 0)
        return cli_write_by(path, write_trace, &empty);
    trace t = { .file = stdout };
    write_events(&t, empty.dumps);
    return fflush(stdout) == 0;
}
