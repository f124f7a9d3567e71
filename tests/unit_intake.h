/* What the tests of intake share: a scratch folder, shell commands in it, three signatures, and the evidence as text.
 */
#ifndef FF_UNIT_INTAKE_H
#define FF_UNIT_INTAKE_H

#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "../analyzer/base/text.h"
#include "../analyzer/base/digest.h"
#include "../analyzer/intake/intake.h"

static char bench_home[] = "/tmp/ff-unit-XXXXXX";
static ff_arena bench_arena;
static ff_matcher *bench_matcher;

/* Signatures: 0 an Xid of the kernel, 1 "BOOM n" anywhere, 2 "tick word" folded by the word, 3 "flood n" anywhere. */
enum { XID, BOOM, TICK, FLOOD, SIGNATURES };
static ff_signature bench_signatures[SIGNATURES];
#define KIND(signature) ((uint32_t)FF_FACTS + (signature))

static void set_signature(unsigned i, const char *id, uint32_t streams, const char *needle, const char *pattern,
                          const char *field, ff_field_type type)
{
    ff_signature *s = &bench_signatures[i];
    *s = (ff_signature){ .id = ff_str(id), .streams = streams, .pattern = ff_str(pattern), .cause = FF_NONE };
    s->needles = FF_NEW(&bench_arena, ff_bytes);
    s->needles[0] = ff_str(needle);
    s->n_needles = 1;
    s->fields = FF_NEW(&bench_arena, ff_field_decl);
    s->fields[0] = (ff_field_decl){ ff_str(field), type };
    s->n_fields = 1;
    s->file = FF_LIT("test");
}

static void bench_open(void)
{
    ff_arena_init(&bench_arena);
    set_signature(XID, "t.xid", FF_STREAM_KERNEL, "NVRM: Xid", "NVRM: Xid \\(PCI:(?<bdf>[0-9a-fA-F:.]+)\\): \\d+",
                  "bdf", FF_FIELD_PCI);
    set_signature(BOOM, "t.boom", FF_STREAM_ANY, "BOOM", "BOOM (?<n>\\d+)", "n", FF_FIELD_INT);
    set_signature(TICK, "t.tick", FF_STREAM_ANY, "tick", "tick (?<word>[a-z0-9]+)", "word", FF_FIELD_TEXT);
    set_signature(FLOOD, "t.flood", FF_STREAM_ANY, "flood", "flood (?<n>\\d+)", "n", FF_FIELD_INT);
    bench_signatures[TICK].fold = FF_NEW(&bench_arena, ff_bytes);
    bench_signatures[TICK].fold[0] = FF_LIT("word");
    bench_signatures[TICK].n_fold = 1;
    bench_signatures[TICK].folds = true;
    uint32_t n = 0;
    const ff_needle *needles = ff_intake_needles(SIGNATURES, &bench_arena, &n);
    ff_error error = { { 0 } };
    bench_matcher = ff_matcher_open(bench_signatures, SIGNATURES, needles, n, &(ff_match_options){ 0 }, &error);
    if (!bench_matcher || !mkdtemp(bench_home) || chdir(bench_home) != 0) {
        fprintf(stderr, "cannot set up: %s\n", error.text);
        exit(1);
    }
}

static void shell(const char *command)
{
    fflush(NULL);
    if (system(command) != 0) {
        fprintf(stderr, "failed: %s\n", command);
        check_failed++;
    }
}

static int bench_close(void)
{
    ff_matcher_close(bench_matcher);
    ff_arena_done(&bench_arena);
    if (chdir("/") == 0 && strncmp(bench_home, "/tmp/ff-unit-", 13) == 0) {
        char command[64];
        snprintf(command, sizeof command, "rm -rf '%s'", bench_home);
        shell(command);
    }
    return DONE();
}

static inline void write_bytes(const char *path, const char *p, size_t n)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(p, 1, n, f) != n) {
        fprintf(stderr, "cannot write %s\n", path);
        check_failed++;
    }
    if (f)
        fclose(f);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

static uint32_t bench_most_signals; /* 0: the usual cap */

/* Two inputs at most; second may be NULL. */
static ff_status read_two(const char *first, const char *second, unsigned jobs, ff_arena *arena, ff_evidence *out)
{
    const char *inputs[] = { first, second };
    ff_intake_options options = { .inputs = inputs,
                                  .n_inputs = second ? 2 : 1,
                                  .jobs = jobs,
                                  .first_signature_kind = FF_FACTS,
                                  .most_signals = bench_most_signals };
    ff_error error = { { 0 } };
    ff_arena_init(arena);
    *out = (ff_evidence){ 0 };
    return ff_intake(&options, bench_matcher, bench_signatures, SIGNATURES, arena, out, &error);
}

static ff_evidence read_one(const char *input, unsigned jobs, ff_arena *arena)
{
    ff_evidence e;
    CHECK_INT(read_two(input, NULL, jobs, arena, &e), FF_OK);
    return e;
}

static inline const ff_member *member_named(const ff_evidence *e, const char *name)
{
    for (uint32_t i = 0; i < e->n_members; i++)
        if (ff_equal(e->members[i].name, ff_str(name)))
            return &e->members[i];
    fprintf(stderr, "no member %s\n", name);
    check_failed++;
    return NULL;
}

static inline const ff_limit *limit_named(const ff_evidence *e, const char *cap)
{
    for (uint32_t i = 0; i < e->n_limits; i++)
        if (strcmp(e->limits[i].cap, cap) == 0)
            return &e->limits[i];
    return NULL;
}

/* The k-th signal of a kind; NULL. */
static inline const ff_signal *signal_of_kind(const ff_evidence *e, uint32_t kind, uint32_t k)
{
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind == kind && k-- == 0)
            return &e->signals[i];
    return NULL;
}

static inline uint32_t count_kind(const ff_evidence *e, uint32_t kind)
{
    uint32_t n = 0;
    while (signal_of_kind(e, kind, n))
        n++;
    return n;
}

static inline const char *unread_of(const ff_member *m) { return m && m->unread ? m->unread : "(read)"; }

/* ---- the evidence as text, to compare two ways of reading the same things ---- */

static inline void dump_signal(ff_text *t, const ff_signal *s)
{
    ff_text_addf(t, "S %u %u line %u+%u at %llu stream %x said %d/%lld x%u last %u host ", s->kind, s->at.member,
                 s->at.line, s->at.length, (unsigned long long)s->at.offset, s->stream, (int)s->said.kind,
                 (long long)s->said.ns, s->count, s->last_at.line);
    ff_text_add(t, s->who.host);
    ff_text_adds(t, " ");
    ff_text_add(t, s->quote);
    for (uint32_t i = 0; i < s->n_fields; i++) {
        ff_text_adds(t, " | ");
        ff_text_add(t, s->fields[i].s);
    }
    for (unsigned i = 0; s->context && i < s->context->n_before; i++) {
        ff_text_adds(t, "\n  < ");
        ff_text_add(t, s->context->before[i]);
    }
    for (unsigned i = 0; s->context && i < s->context->n_after; i++) {
        ff_text_adds(t, "\n  > ");
        ff_text_add(t, s->context->after[i]);
    }
    ff_text_addc(t, '\n');
}

static inline void dump_evidence(ff_text *t, const ff_evidence *e)
{
    char hex[65];
    for (uint32_t i = 0; i < e->n_inputs; i++) {
        ff_hex(e->inputs[i].sha256, 32, hex);
        ff_text_addf(t, "I %.*s %s %llu %u %d\n", (int)e->inputs[i].name.n, e->inputs[i].name.p, hex,
                     (unsigned long long)e->inputs[i].bytes, e->inputs[i].members, e->inputs[i].truncated);
    }
    for (uint32_t i = 0; i < e->n_members; i++) {
        const ff_member *m = &e->members[i];
        ff_text_addf(t, "M %.*s %lld %llu lines %llu parser %s unread %s streams %x events %u signals %u skips %u\n",
                     (int)m->name.n, m->name.p, (long long)m->mtime_s, (unsigned long long)m->bytes,
                     (unsigned long long)m->lines, m->parser ? m->parser : "-", m->unread ? m->unread : "-",
                     m->streams, m->events, m->signals, m->n_skips);
    }
    for (uint32_t i = 0; i < e->n_signals; i++)
        dump_signal(t, &e->signals[i]);
    for (uint32_t i = 0; i < e->n_samples; i++)
        ff_text_addf(t, "T %u %u %lld\n", e->samples[i].member, e->samples[i].line, (long long)e->samples[i].said.ns);
    for (uint32_t i = 0; i < e->n_limits; i++)
        ff_text_addf(t, "L %s %.*s %llu\n", e->limits[i].cap, (int)e->limits[i].where.n, e->limits[i].where.p,
                     (unsigned long long)e->limits[i].count);
}

static inline void check_same(const char *file, int line, const char *a, unsigned jobs_a, const char *b,
                              unsigned jobs_b)
{
    ff_arena x, y;
    ff_text s, t;
    ff_text_init(&s, 0);
    ff_text_init(&t, 0);
    ff_evidence e = read_one(a, jobs_a, &x), f = read_one(b, jobs_b, &y);
    dump_evidence(&s, &e);
    dump_evidence(&t, &f);
    if (ff_equal(ff_text_view(&s), ff_text_view(&t))) {
        check_passed++;
    } else {
        check_failed++;
        fprintf(stderr, "%s:%d: %s with %u and %s with %u differ\n---\n%.4000s---\n%.4000s", file, line, a, jobs_a, b,
                jobs_b, s.p, t.p);
    }
    ff_text_done(&s);
    ff_text_done(&t);
    ff_arena_done(&x);
    ff_arena_done(&y);
}
#define CHECK_SAME(a, jobs_a, b, jobs_b) check_same(__FILE__, __LINE__, a, jobs_a, b, jobs_b)

#endif
