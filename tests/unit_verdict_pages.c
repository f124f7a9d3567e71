/* Time line, environment, contradictions. */
#include "unit_verdict.h"

static bench *open_job(void)
{
    bench *b = bench_open();
    add_cause(b, "host.limit", 20, FF_STREAM_KERNEL);
    add_special(b);
    b->rules.n_signatures = 8;
    b->signatures[0].tells = FF_LIT("rank {rank} begins");
    return b;
}

TEST(time_line_has_what_findings_rest_on_and_what_signatures_tell)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/log", "a", FF_STREAM_APP, -9, 9);
    ff_signal *begins = add_signal(b, m, 0), *quiet = add_signal(b, m, 1), *oom = add_signal(b, m, 2),
              *more = add_signal(b, m, 3), *symptom = add_signal(b, m, 4);
    begins->kind = FF_KIND_OF_SIGNATURE(0);
    add_field(b, begins, "rank", FF_FIELD_TEXT, "4", 0);
    more->quote = FF_LIT("  oom-kill: more of it\n");
    (void)quiet;
    ff_finding *f = add_finding(b, "host.limit", FF_CERTAIN, oom);
    f->summary = FF_LIT("the limit was hit");
    f->evidence[f->n_evidence++] = more->ref;
    f->symptoms[f->n_symptoms++] = symptom->ref;
    ff_report r = conclude(b);
    CHECK_INT(r.n_timeline, 4);
    CHECK_TEXT(r.timeline[0].text, "rank 4 begins");
    CHECK_INT(r.timeline[0].finding, FF_NONE);
    CHECK_TEXT(r.timeline[1].text, "the limit was hit");
    CHECK_INT(r.timeline[1].finding, 0);
    CHECK_TEXT(r.timeline[2].text, "oom-kill: more of it");
    CHECK_INT(r.timeline[3].signal, symptom->ref);
    bench_close(b);
}

static void add_setting(bench *b, const ff_member *m, const char *what, const char *name, const char *how,
                        const char *value)
{
    ff_signal *s = add_signal(b, m, (int64_t)b->e.n_signals);
    add_field(b, s, what, FF_FIELD_TEXT, name, 0);
    add_field(b, s, how, FF_FIELD_TEXT, value, 0);
}

TEST(settings_that_differ_between_places_are_marked)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/log", "a", FF_STREAM_NCCL, -9, 9);
    ff_member *n = add_member(b, "b/log", "b", FF_STREAM_NCCL, -9, 9);
    add_setting(b, m, "component", "NCCL", "version", "2.21.5");
    add_setting(b, m, "component", "NCCL", "version", "2.21.5");
    add_setting(b, n, "component", "NCCL", "version", "2.20.5");
    add_setting(b, m, "variable", "NCCL_IB_HCA", "value", "mlx5_0");
    add_setting(b, n, "variable", "NCCL_IB_HCA", "value", "mlx5_0");
    add_setting(b, m, "variable", "NCCL_ALGO", "value", "Ring");
    add_setting(b, m, "variable", "NCCL_ALGO", "value", "Tree"); /* the same place, changed */
    ff_report r = conclude(b);
    CHECK_INT(r.n_versions, 2);
    CHECK(r.versions[0].differs && r.versions[1].differs);
    CHECK_TEXT(r.versions[0].value, "2.21.5");
    CHECK_INT(r.versions[0].signal, 0);
    CHECK_INT(r.n_variables, 4);
    for (uint32_t i = 0; i < r.n_variables; i++)
        CHECK(!r.variables[i].differs);
    bench_close(b);
}

TEST(version_without_its_build_is_the_same_version)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/log", "a", FF_STREAM_NCCL, -9, 9);
    ff_member *n = add_member(b, "b/log", "b", FF_STREAM_NCCL, -9, 9);
    add_setting(b, m, "component", "CUDA", "version", "12.4+a");
    add_setting(b, n, "component", "CUDA", "version", "12.4+b");
    add_setting(b, m, "component", "NCCL", "version", "2.28.9+cuda13.0");
    add_setting(b, n, "component", "NCCL", "version", "2.28.9");
    add_setting(b, m, "component", "PyTorch", "version", "2.1");
    add_setting(b, n, "component", "PyTorch", "version", "2.10");
    ff_report r = conclude(b);
    CHECK_INT(r.n_versions, 6);
    CHECK(r.versions[0].differs && r.versions[1].differs);
    CHECK(!r.versions[2].differs && !r.versions[3].differs);
    CHECK(r.versions[4].differs && r.versions[5].differs);
    bench_close(b);
}

TEST(note_that_contradicts_becomes_a_contradiction)
{
    bench *b = open_job();
    ff_member *m = add_member(b, "a/log", "a", FF_STREAM_APP, -9, 9);
    ff_signal *one = add_signal(b, m, 0), *two = add_signal(b, m, 1);
    ff_finding *f = add_finding(b, "host.limit", FF_LIKELY, one);
    f->severity = FF_SEV_NOTE;
    f->evidence[f->n_evidence++] = two->ref;
    ff_field fact = { .name = FF_LIT("contradicts"), .type = FF_FIELD_TEXT, .s = FF_LIT("alive and dead") };
    f->facts = &fact;
    f->n_facts = 1;
    ff_report r = conclude(b);
    CHECK_INT(r.n_contradictions, 1);
    CHECK_TEXT(r.contradictions[0].text, "alive and dead");
    CHECK_INT(r.contradictions[0].left, 0);
    CHECK_INT(r.contradictions[0].right, 1);
    CHECK_TEXT(verdict_cause(&r), "healthy");
    bench_close(b);
}

int main(void)
{
    RUN(time_line_has_what_findings_rest_on_and_what_signatures_tell);
    RUN(settings_that_differ_between_places_are_marked);
    RUN(version_without_its_build_is_the_same_version);
    RUN(note_that_contradicts_becomes_a_contradiction);
    return DONE();
}
