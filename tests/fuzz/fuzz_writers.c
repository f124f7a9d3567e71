/* Every writer on a report made of the input's bytes: names, quotes, fields, times, places and links are what the
 * input says, as far as a finished report can hold it. Each hostile text carries a mark that no page may show
 * unescaped, and what is called JSON has to be read back. */
#include "dice.h"
#include "fuzz.h"

#include "../sample_report.h"

#include "../../analyzer/base/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MARK "<ffx a=\"'&"

static const char *const names[] = { "rank",         "ranks",
                                     "waiting",      "host",
                                     "group",        "desc",
                                     "seq",          "op",
                                     "time_us",      "index",
                                     "uuid",         "product",
                                     "power_w",      "temperature_c",
                                     "usage_kib",    "limit_kib",
                                     "anon_kib",     "file_kib",
                                     "shmem_kib",    "kernel_kib",
                                     "rss_kib",      "busbw",
                                     "algbw",        "size",
                                     "collective",   "test_host",
                                     "peer",         "link",
                                     "port",         "rate",
                                     "physical",     "interface",
                                     "seconds",      "from",
                                     "to",           "count",
                                     "missing",      "frame",
                                     "waits_in",     "waits_seq",
                                     "last_seq",     "last_op",
                                     "last_frame",   "state",
                                     "reason",       "steps",
                                     "step_s",       "slow_ms",
                                     "behind_ms",    "head",
                                     "names",        "values",
                                     "value",        "name",
                                     "device",       "pci",
                                     "pid",          "process",
                                     "level",        "link_gen",
                                     "link_width",   "utilization_pct",
                                     "power_course", "utilization_course",
                                     "moments",      "policy",
                                     "driver",       "cuda",
                                     "version",      "status",
                                     "killed",       "memory_total_mib" };

static ff_bytes take_text(dice *d, ff_arena *a)
{
    uint32_t n = take_byte(d);
    if (n == 255)
        n = 20000;
    char *text = ff_arena_take(a, n + sizeof MARK);
    size_t at = 0;
    if (n % 3 == 1) {
        memcpy(text, MARK, sizeof MARK - 1);
        at = sizeof MARK - 1;
    }
    for (uint32_t i = 0; i < n && (d->n || n < 255); i++)
        text[at++] = (char)take_byte(d);
    return (ff_bytes){ text, at };
}

static ff_who take_who(dice *d, ff_arena *a)
{
    ff_who w = FF_WHO_NOBODY;
    uint32_t has = take_byte(d);
    ff_bytes *texts[] = { &w.host, &w.boot, &w.unit, &w.pod, &w.container, &w.cgroup, &w.gpu, &w.process };
    for (size_t i = 0; i < FF_COUNT(texts); i++)
        if (has >> i & 1)
            *texts[i] = take_text(d, a);
    int32_t *numbers[] = { &w.pid, &w.rank, &w.local_rank, &w.gpu_index };
    for (size_t i = 0; i < FF_COUNT(numbers); i++)
        *numbers[i] = take_flag(d) ? (int32_t)(take_wide(d) & INT32_MAX) : (int32_t)take_below(d, 9) - 1;
    return w;
}

static void take_fields(dice *d, ff_arena *a, ff_field **out, uint32_t *n)
{
    *n = take_below(d, 12);
    *out = FF_NEW_N(a, ff_field, *n);
    for (uint32_t i = 0; i < *n; i++) {
        ff_field *f = &(*out)[i];
        f->name = take_below(d, 16) ? ff_str(names[take_below(d, FF_COUNT(names))]) : take_text(d, a);
        f->type = (ff_field_type)take_below(d, FF_FIELD_TYPES);
        f->is_float = f->type == FF_FIELD_FLOAT;
        f->i = take_wide(d);
        f->f = f->is_float ? (double)take_wide(d) / (double)(1 + take_byte(d)) : 0;
        f->s = take_text(d, a);
    }
}

static int64_t take_utc(dice *d)
{
    return take_below(d, 4) ? SAMPLE_T0 + take_below(d, 60000) * INT64_C(10000000) : take_wide(d);
}

static void roll_signal(dice *d, sample *x, ff_signal *s)
{
    ff_arena *a = &x->arena;
    s->kind = take_below(d, FF_FACTS + 1);
    s->stream = 1u << take_below(d, FF_STREAMS);
    s->at = (ff_record){ take_below(d, x->evidence.n_members), (uint32_t)take_wide(d), (uint32_t)take_wide(d),
                         (uint64_t)take_wide(d) };
    s->quote = take_text(d, a);
    s->who = take_who(d, a);
    take_fields(d, a, &s->fields, &s->n_fields);
    s->count = (uint32_t)take_wide(d) | 1;
    s->said = (ff_stamp){ (ff_stamp_kind)take_below(d, 5), take_wide(d), take_wide(d) };
    s->has_utc = take_flag(d);
    s->utc = take_utc(d);
    s->last_utc = take_utc(d);
    s->utc_err = take_wide(d) & INT64_MAX;
    s->context = NULL;
    if (take_flag(d))
        sample_context(x, s, "before", "after");
    if (s->context)
        s->context->before[0] = take_text(d, a);
}

static void roll_finding(dice *d, sample *x, ff_finding *f)
{
    ff_arena *a = &x->arena;
    f->rule = take_text(d, a);
    f->cause = take_below(d, x->rules.n_causes);
    f->severity = (ff_severity)take_below(d, 4);
    f->confidence = (ff_confidence)(1 + take_below(d, 3));
    f->confidence_why = take_text(d, a);
    f->scope = (ff_scope)take_below(d, 6);
    f->who = take_who(d, a);
    f->summary = take_text(d, a);
    f->count = (uint32_t)take_wide(d) | 1;
    f->n_evidence = take_below(d, 9);
    f->evidence = FF_NEW_N(a, uint32_t, f->n_evidence);
    for (uint32_t i = 0; i < f->n_evidence; i++)
        f->evidence[i] = take_below(d, x->evidence.n_signals);
    f->n_ranks = take_below(d, 5);
    f->ranks = FF_NEW_N(a, int32_t, f->n_ranks);
    for (uint32_t i = 0; i < f->n_ranks; i++)
        f->ranks[i] = (int32_t)(take_wide(d) & INT32_MAX);
    take_fields(d, a, &f->facts, &f->n_facts);
}

static void roll_places(dice *d, sample *x)
{
    ff_arena *a = &x->arena;
    for (uint32_t i = 0; i < x->evidence.n_members; i++) {
        ff_member *m = &x->evidence.members[i];
        m->name = take_text(d, a);
        m->who = take_who(d, a);
        m->bytes = (uint64_t)take_wide(d);
        m->lines = (uint64_t)take_wide(d);
        m->has_utc = take_flag(d);
        m->first_utc = take_utc(d);
        m->last_utc = take_utc(d);
        m->gap_ns = take_wide(d);
        m->streams = take_below(d, FF_STREAM_ANY + 1);
    }
    x->evidence.inputs[0].name = take_text(d, a);
    x->evidence.limits[0].where = take_text(d, a);
    for (uint32_t i = 0; i < x->clocks.n; i++) {
        x->clocks.at[i].host = take_text(d, a);
        x->clocks.at[i].offset_ns = take_wide(d);
        x->clocks.at[i].err_ns = take_wide(d);
        x->clocks.at[i].anchored = take_flag(d);
    }
}

static void roll_rest(dice *d, sample *x)
{
    ff_arena *a = &x->arena;
    ff_report *r = &x->report;
    ff_incident *in = &r->incidents[0];
    in->began_utc = take_utc(d);
    in->ended_utc = take_utc(d);
    in->err_ns = take_wide(d);
    in->decide = take_text(d, a);
    in->suspects.hosts[0] = take_text(d, a);
    in->suspects.pods[0] = take_text(d, a);
    in->asks[0].command = take_text(d, a);
    in->asks[0].host = take_text(d, a);
    in->asks[0].from_utc = take_utc(d);
    in->ruled_out->text = take_text(d, a);
    for (uint32_t i = 1; i < in->n_chain; i++) {
        in->chain[i].because = take_text(d, a);
        in->chain[i].by = in->chain[take_below(d, i)].finding;
        in->chain[i].role = (ff_role)(1 + take_below(d, 4));
    }
    for (uint32_t i = 0; i < r->n_timeline; i++)
        r->timeline[i].text = take_text(d, a);
    r->identity.joins[0].left = take_text(d, a);
    r->contradictions[0].text = take_text(d, a);
    r->variables[0].name = take_text(d, a);
    r->variables[0].value = take_text(d, a);
    r->verdict.summary = take_text(d, a);
    r->verdict.cause = take_below(d, x->rules.n_causes);
}

/* ---- what each writer promises ---- */
static void expect_json(ff_bytes text)
{
    ff_tree t;
    size_t end = 0;
    ff_tree_init(&t, text);
    if (ff_json_read(&t, &end) != FF_OK || ff_trim(ff_skip_n(text, end)).n)
        __builtin_trap();
    ff_tree_done(&t);
}

static void expect_escaped(ff_bytes text)
{
    if (ff_contains(text, FF_LIT("<ffx")))
        __builtin_trap();
}

static void expect_lines_of_json(ff_bytes text)
{
    ff_bytes line;
    while (ff_take_line(&text, &line))
        expect_json(line);
}

static void expect_no_control(ff_bytes text)
{
    for (size_t i = 0; i < text.n; i++)
        if ((unsigned char)text.p[i] < 32 && !strchr("\t\n\r", text.p[i]))
            __builtin_trap();
}

static void write_one(const ff_report *r, void (*write)(const ff_report *, ff_text *), void (*expect)(ff_bytes))
{
    ff_text out;
    ff_text_init(&out, 0);
    write(r, &out);
    expect(ff_text_view(&out));
    expect_no_control(ff_text_view(&out));
    ff_text_done(&out);
}

static void write_terminal(const ff_report *r, ff_text *out)
{
    ff_write_text(r, &(ff_text_style){ .width = 80, .verbose = true }, out);
}

static void expect_nothing(ff_bytes text) { (void)text; }

static void write_workbook(const ff_report *r)
{
    char path[] = "/tmp/firstfault-fuzz-XXXXXX";
    int fd = mkstemp(path);
    ff_error error = { 0 };
    if (fd < 0 || close(fd) != 0 || ff_write_xlsx(r, path, &error) != FF_OK)
        abort();
    (void)unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sample x;
    dice d = { data, size };
    sample_init(&x);
    x.evidence.signals[SIG_HOSTILE].quote.n = FF_CAP_EVIDENCE_TEXT; /* the sample's own is a megabyte */
    bool workbook = take_below(&d, 16) == 1; /* a hundred times as slow as the others */
    roll_rest(&d, &x);
    for (uint32_t i = 0; i < x.report.n_findings && d.n; i++)
        roll_finding(&d, &x, &x.report.findings[i]);
    for (uint32_t i = 0; i < x.evidence.n_signals && d.n; i++)
        roll_signal(&d, &x, &x.evidence.signals[i]);
    if (d.n)
        roll_places(&d, &x);
    write_one(&x.report, ff_write_json, expect_json);
    write_one(&x.report, ff_write_html, expect_escaped);
    write_one(&x.report, ff_write_markdown, expect_nothing); /* quotes stand in code */
    write_one(&x.report, ff_write_junit, expect_escaped);
    write_one(&x.report, ff_write_sarif, expect_json);
    write_one(&x.report, ff_write_ndjson, expect_lines_of_json);
    write_one(&x.report, ff_write_csv, expect_nothing);
    write_one(&x.report, write_terminal, expect_nothing);
    if (workbook)
        write_workbook(&x.report);
    sample_done(&x);
    return 0;
}
