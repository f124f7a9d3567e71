#include "check.h"
#include "sample_report.h"
#include "text_checks.h"

#include <stdlib.h>

typedef void (*text_writer)(const ff_report *r, ff_text *out);

static sample made;

static ff_text written(text_writer write)
{
    ff_text out;
    ff_text_init(&out, 0);
    write(&made.report, &out);
    return out;
}

/* Markdown puts its own zero-width blanks; everything else has none. */
static ff_text without_blanks(const ff_text *t)
{
    ff_text out;
    ff_text_init(&out, 0);
    for (size_t i = 0; i < t->n; i++) {
        if (i + 3 <= t->n && memcmp(t->p + i, "\xE2\x80\x8B", 3) == 0)
            i += 2;
        else
            ff_text_addc(&out, t->p[i]);
    }
    return out;
}

TEST(every_format_is_clean_and_the_same_twice)
{
    static const text_writer all[] = { ff_write_markdown, ff_write_junit, ff_write_sarif, ff_write_ndjson,
                                       ff_write_csv };
    for (size_t i = 0; i < FF_COUNT(all); i++) {
        ff_text a = written(all[i]), b = written(all[i]), plain = without_blanks(&a);
        CHECK(a.n > 500);
        CHECK(ff_equal(ff_text_view(&a), ff_text_view(&b)));
        CHECK(is_clean(ff_text_view(&plain)));
        CHECK(!has(&a, "\x1b"));
        CHECK(!has(&a, "\xE2\x80\xAE"));
        /* One line of the sample is a megabyte; evidence in the shape of the JSON report is as long as there. */
        CHECK(all[i] == ff_write_ndjson || a.n < 400000);
        ff_text_done(&plain);
        ff_text_done(&a);
        ff_text_done(&b);
    }
}

TEST(markdown_says_the_verdict_and_keeps_log_text_in_code)
{
    ff_text t = written(ff_write_markdown);
    CHECK(has(&t, "# Pod train/trainer-0 on bw-a17 used 640 GiB"));
    CHECK(has(&t, "- **Cause:** `host.memcg_oom`"));
    CHECK(has(&t, "- **Confidence:** certain: "));
    CHECK(has(&t, "- **Could overturn this:** kernel log of bw-a18 is absent"));
    CHECK(has(&t, "## What led to what"));
    CHECK(has(&t, "```text\njournalctl -k -o short-iso-precise --since '2026-03-11 06:41'"));
    CHECK(has(&t, "### Not ruled out"));
    CHECK(!has(&t, "<script"));
    ff_text_done(&t);
}

TEST(markdown_calls_nobody_and_opens_no_markup)
{
    ff_bytes kept = made.report.verdict.summary;
    made.report.verdict.summary = FF_LIT("@root see #12 <b>*x*</b> [a](http://evil.example) www.evil.example `r`");
    ff_text t = written(ff_write_markdown);
    made.report.verdict.summary = kept;
    CHECK(has(&t, "# \\@\xE2\x80\x8Broot see \\#\xE2\x80\x8B"
                  "12 &lt;b\\>\\*x\\*&lt;/b\\> \\[a\\](http:\xE2\x80\x8B//evil"));
    CHECK(has(&t, "www\xE2\x80\x8B.evil.example \\`r\\`"));
    ff_text_done(&t);
}

TEST(markdown_fences_are_longer_than_what_they_hold)
{
    ff_signal *s = &made.evidence.signals[made.report.findings[FIND_MEMCG].evidence[0]];
    ff_bytes kept = s->quote;
    s->quote = FF_LIT("``` end of code ````");
    ff_text t = written(ff_write_markdown);
    s->quote = kept;
    CHECK(has(&t, "`````text\n``` end of code ````\n`````\n"));
    ff_text_done(&t);
}

TEST(junit_counts_what_it_writes)
{
    ff_text t = written(ff_write_junit);
    unsigned cases = count_of(ff_text_view(&t), "<testcase "), failures = count_of(ff_text_view(&t), "<failure ");
    char want[96];
    (void)snprintf(want, sizeof want, "<testsuites name=\"firstfault\" tests=\"%u\" failures=\"%u\" errors=\"0\">",
                   cases, failures);
    CHECK(has(&t, want));
    CHECK_INT(count_of(ff_text_view(&t), "</testcase>"), cases);
    CHECK(failures >= 2);
    CHECK(has(&t, "<failure type=\"host.memcg_oom\" message=\"Pod train/trainer-0"));
    CHECK(!has(&t, "<script"));
    CHECK(has(&t, "&lt;script&gt;alert('x')&lt;/script&gt;"));
    ff_text_done(&t);
}

TEST(junit_of_a_healthy_job_passes)
{
    ff_verdict kept = made.report.verdict;
    uint32_t n = made.report.n_findings;
    made.report.verdict = (ff_verdict){ .cause = CAUSE_HEALTHY, .confidence = FF_LIKELY, .incident = FF_NONE };
    made.report.n_findings = 0;
    ff_text t = written(ff_write_junit);
    made.report.verdict = kept;
    made.report.n_findings = n;
    CHECK(has(&t, "tests=\"1\" failures=\"0\""));
    CHECK(!has(&t, "<failure"));
    ff_text_done(&t);
}

TEST(sarif_names_places_by_relative_uri)
{
    ff_text t = written(ff_write_sarif);
    CHECK(has(&t, "\"version\": \"2.1.0\""));
    CHECK(has(&t, "\"ruleId\": \"host.memcg_oom\""));
    CHECK(has(&t, "\"uri\": \"bw-a17/dmesg.txt\""));
    CHECK(!has(&t, "\"uri\": \"/"));
    CHECK(!has(&t, "<script>alert('x')</script> =HYPERLINK(\\\"http://evil.example/\\\",\\\"click\\\")\","));
    CHECK_INT(count_of(ff_text_view(&t), "\"partialFingerprints\""), SAMPLE_FINDINGS);
    ff_text_done(&t);
}

TEST(sarif_uri_never_leaves_the_bundle)
{
    ff_member *m = &made.evidence.members[0];
    ff_bytes kept = m->name;
    m->name = FF_LIT("../../etc/x y:z?#%");
    ff_text t = written(ff_write_sarif);
    m->name = kept;
    CHECK(has(&t, "\"uri\": \"%2E./%2E./etc/x%20y%3Az%3F%23%25\""));
    CHECK(!has(&t, "../"));
    ff_text_done(&t);
}

TEST(ndjson_is_one_object_a_line)
{
    ff_text t = written(ff_write_ndjson);
    ff_bytes rest = ff_text_view(&t), line;
    unsigned n = 0;
    for (; ff_take_line(&rest, &line); n++) {
        CHECK(ff_starts(line, FF_LIT("{\"n\":")));
        CHECK(ff_ends(line, FF_LIT("}")));
    }
    CHECK_INT(n, made.report.n_timeline);
    CHECK(has(&t, "\"cause\":\"host.memcg_oom\""));
    CHECK(has(&t, "\"role\":\"root\""));
    ff_text_done(&t);
}

/* A reader as simple as the format: fields of one record, quotes undone. False: no record left. */
static bool take_record(ff_bytes *in, ff_text *fields, unsigned *n)
{
    bool quoted = false;
    if (!in->n)
        return false;
    *n = 1;
    fields->n = 0;
    for (size_t i = 0; i < in->n; i++) {
        char c = in->p[i];
        if (c == '"' && quoted && i + 1 < in->n && in->p[i + 1] == '"') {
            ff_text_addc(fields, '"');
            i++;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            ff_text_addc(fields, '\n');
            ++*n;
        } else if (c == '\r' && !quoted) {
            *in = ff_skip_n(*in, i + 2);
            return true;
        } else {
            ff_text_addc(fields, c);
        }
    }
    return false;
}

TEST(csv_has_as_many_fields_as_its_head_and_no_formula)
{
    ff_text t = written(ff_write_csv), fields;
    ff_bytes rest = ff_text_view(&t);
    unsigned n = 0, records = 0;
    ff_text_init(&fields, 0);
    while (take_record(&rest, &fields, &n)) {
        CHECK_INT(n, 21);
        CHECK(!ff_contains(ff_text_view(&fields), FF_LIT("\n=")));
        CHECK(!ff_contains(ff_text_view(&fields), FF_LIT("\n@")));
        records++;
    }
    CHECK_INT(records, made.report.n_findings + 1);
    ff_text_done(&fields);
    ff_text_done(&t);
}

TEST(csv_puts_an_apostrophe_before_what_looks_like_a_formula)
{
    ff_finding *f = &made.report.findings[FIND_PIN];
    ff_bytes kept = f->summary;
    f->summary = FF_LIT("  " SAMPLE_FORMULA);
    ff_text t = written(ff_write_csv);
    f->summary = kept;
    CHECK(has(&t, ",\"'  =HYPERLINK(\"\"http://evil.example/\"\",\"\"click\"\")\","));
    ff_text_done(&t);
}

static void print(const char *format)
{
    static const struct {
        const char *name;
        text_writer write;
    } all[] = { { "markdown", ff_write_markdown },
                { "junit", ff_write_junit },
                { "sarif", ff_write_sarif },
                { "ndjson", ff_write_ndjson },
                { "csv", ff_write_csv } };
    for (size_t i = 0; i < FF_COUNT(all); i++) {
        if (strcmp(format, all[i].name) != 0)
            continue;
        ff_text t = written(all[i].write);
        (void)fwrite(t.p, 1, t.n, stdout);
        ff_text_done(&t);
    }
}

int main(int argc, char **argv)
{
    sample_init(&made);
    if (argc > 1) {
        print(argv[1]);
        sample_done(&made);
        return 0;
    }
    RUN(every_format_is_clean_and_the_same_twice);
    RUN(markdown_says_the_verdict_and_keeps_log_text_in_code);
    RUN(markdown_calls_nobody_and_opens_no_markup);
    RUN(markdown_fences_are_longer_than_what_they_hold);
    RUN(junit_counts_what_it_writes);
    RUN(junit_of_a_healthy_job_passes);
    RUN(sarif_names_places_by_relative_uri);
    RUN(sarif_uri_never_leaves_the_bundle);
    RUN(ndjson_is_one_object_a_line);
    RUN(csv_has_as_many_fields_as_its_head_and_no_formula);
    RUN(csv_puts_an_apostrophe_before_what_looks_like_a_formula);
    sample_done(&made);
    return DONE();
}
