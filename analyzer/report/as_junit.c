/* JUnit's XML, which CI systems show: the verdict is the first test case, each cause that was found is one more. A
 * cause fails where a finding of it is an error or worse; warnings and notes pass and are told in system-out. */
#include "html_private.h"

#include <inttypes.h>

#define SHOWN 20u /* findings told of one cause */

/* XML 1.0 has no place for U+FFFE and U+FFFF, which are valid UTF-8. */
static bool is_no_xml(ff_bytes b, size_t i)
{
    return i + 3 <= b.n && (unsigned char)b.p[i] == 0xEF && (unsigned char)b.p[i + 1] == 0xBF &&
           (unsigned char)b.p[i + 2] >= 0xBE;
}

static void text(ff_text *out, ff_bytes raw)
{
    ff_text clean;
    ff_text_init(&clean, 0);
    ff_text_add_clean(&clean, raw);
    ff_bytes b = ff_text_view(&clean);
    for (size_t i = 0; i < b.n; i++) {
        if (is_no_xml(b, i)) {
            ff_text_adds(out, "\xEF\xBF\xBD");
            i += 2;
            continue;
        }
        const char *as = b.p[i] == '&'    ? "&amp;"
                         : b.p[i] == '<'  ? "&lt;"
                         : b.p[i] == '>'  ? "&gt;"
                         : b.p[i] == '"'  ? "&quot;"
                         : b.p[i] == '\t' ? " "
                                          : NULL;
        if (as)
            ff_text_adds(out, as);
        else
            ff_text_addc(out, b.p[i]);
    }
    ff_text_done(&clean);
}

static void open_case(ff_text *out, ff_bytes class_name, ff_bytes name)
{
    ff_text_adds(out, "    <testcase classname=\"");
    text(out, class_name);
    ff_text_adds(out, "\" name=\"");
    text(out, name);
    ff_text_adds(out, "\">\n");
}

static void one_finding(ff_text *out, const ff_report *r, const ff_finding *f)
{
    const ff_signal *s = ff_view_first_of(r, f);
    ff_text t;
    ff_text_init(&t, 0);
    ff_text_addf(&t, "F%" PRIu32 " (%s, %s): ", f->id + 1, ff_severity_name(f->severity),
                 ff_confidence_name(f->confidence));
    ff_text_add(&t, f->summary);
    text(out, ff_text_view(&t));
    ff_text_addc(out, '\n');
    if (s) {
        t.n = 0;
        ff_say_place(&t, r, s->at);
        ff_text_adds(&t, ": ");
        ff_text_add(&t, ff_first_n(s->quote, FF_HTML_CONTEXT));
        text(out, ff_text_view(&t));
        ff_text_addc(out, '\n');
    }
    ff_text_done(&t);
}

static void findings_of(ff_text *out, const ff_report *r, uint32_t cause)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].cause == cause && n++ < SHOWN)
            one_finding(out, r, &r->findings[i]);
    if (n > SHOWN)
        ff_text_addf(out, "and %" PRIu32 " more in report.json\n", n - SHOWN);
}

static bool fails(const ff_report *r, uint32_t cause)
{
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].cause == cause && r->findings[i].severity >= FF_SEV_ERROR)
            return true;
    return false;
}

static bool is_found(const ff_report *r, uint32_t cause)
{
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (r->findings[i].cause == cause)
            return !ff_equal(ff_view_cause_id(r, cause), FF_LIT("healthy"));
    return false;
}

static void verdict_case(ff_text *out, const ff_report *r)
{
    bool healthy = ff_equal(ff_view_cause_id(r, r->verdict.cause), FF_LIT("healthy"));
    open_case(out, FF_LIT("firstfault.verdict"), ff_view_cause_id(r, r->verdict.cause));
    ff_text_adds(out, healthy ? "      <system-out>" : "      <failure type=\"");
    if (!healthy) {
        text(out, ff_view_cause_id(r, r->verdict.cause));
        ff_text_adds(out, "\" message=\"");
        text(out, r->verdict.summary);
        ff_text_adds(out, "\">");
    }
    text(out, r->verdict.summary);
    ff_text_addf(out, "\nConfidence: %s. ", ff_confidence_name(r->verdict.confidence));
    text(out, r->verdict.confidence_why);
    ff_text_addc(out, '\n');
    for (uint32_t i = 0; i < r->verdict.n_ceiling; i++) {
        ff_text_adds(out, "Could overturn this: ");
        text(out, r->verdict.ceiling[i]);
        ff_text_addc(out, '\n');
    }
    ff_text_adds(out, healthy ? "</system-out>\n    </testcase>\n" : "</failure>\n    </testcase>\n");
}

static void cause_case(ff_text *out, const ff_report *r, uint32_t cause)
{
    bool bad = fails(r, cause);
    open_case(out, FF_LIT("firstfault.cause"), ff_view_cause_id(r, cause));
    if (bad) {
        ff_text_adds(out, "      <failure type=\"");
        text(out, ff_view_cause_id(r, cause));
        ff_text_adds(out, "\" message=\"");
        text(out, ff_view_cause_title(r, cause));
        ff_text_adds(out, "\">");
    } else {
        ff_text_adds(out, "      <system-out>");
    }
    findings_of(out, r, cause);
    ff_text_adds(out, bad ? "</failure>\n    </testcase>\n" : "</system-out>\n    </testcase>\n");
}

void ff_write_junit(const ff_report *r, ff_text *out)
{
    uint32_t tests = 1;
    uint32_t failures = !ff_equal(ff_view_cause_id(r, r->verdict.cause), FF_LIT("healthy"));
    for (uint32_t c = 0; c < r->rules->n_causes; c++) {
        tests += is_found(r, c);
        failures += is_found(r, c) && fails(r, c);
    }
    ff_text_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    ff_text_addf(out,
                 "<testsuites name=\"firstfault\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\">\n",
                 tests, failures);
    ff_text_adds(out, "  <testsuite name=\"");
    text(out, r->evidence->n_inputs ? ff_view_no_path(r->evidence->inputs[0].name) : FF_LIT("bundle"));
    ff_text_addf(out, "\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32 "\" errors=\"0\" skipped=\"0\">\n", tests,
                 failures);
    verdict_case(out, r);
    for (uint32_t c = 0; c < r->rules->n_causes; c++)
        if (is_found(r, c))
            cause_case(out, r, c);
    ff_text_adds(out, "  </testsuite>\n</testsuites>\n");
}
