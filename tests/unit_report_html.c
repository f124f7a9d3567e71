/* The page as a whole: what it may hold, where its links lead, how large it becomes. */
#include "page_checks.h"

#include "../analyzer/base/digest.h"
#include "../analyzer/base/embedded.h"

static bool has_control_bytes(ff_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        if (((unsigned char)b.p[i] < 0x20 && b.p[i] != '\n' && b.p[i] != '\t') || b.p[i] == 0x7F)
            return true;
    return false;
}

static ff_bytes part(const char *name)
{
    for (const ff_embedded *e = ff_embedded_page; e->name; e++)
        if (ff_ends(ff_str(e->name), ff_str(name)))
            return (ff_bytes){ e->bytes, e->n };
    return (ff_bytes){ 0 };
}

/* The reverse of what the writer does, by hand: base64 to 32 bytes. */
static bool hash_is(ff_bytes base64, ff_bytes of)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t want[32], got[33] = { 0 };
    unsigned n = 0, bits = 0;
    uint32_t hold = 0;
    ff_sha256(of, want);
    for (size_t i = 0; i < base64.n && base64.p[i] != '=' && n < 32; i++) {
        const char *d = strchr(digits, base64.p[i]);
        if (!d)
            return false;
        hold = hold << 6 | (uint32_t)(d - digits);
        bits += 6;
        if (bits >= 8)
            got[n++] = (uint8_t)(hold >> (bits -= 8));
    }
    return n == 32 && memcmp(want, got, 32) == 0;
}

static sample made;

TEST(log_text_cannot_become_markup)
{
    ff_text page = written(&made.report);
    CHECK(!has(&page, "<script>alert"));
    CHECK(!has(&page, "<img"));
    CHECK(has(&page, "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
    CHECK(has(&page, "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;"));
    CHECK_INT(count_of(ff_text_view(&page), "<script>"), 1);
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
}

TEST(page_is_valid_utf8_without_control_or_bidi_marks)
{
    ff_text page = written(&made.report);
    CHECK(!has_control_bytes(ff_text_view(&page)));
    CHECK(is_clean(ff_text_view(&page)));
    ff_text_done(&page);
}

TEST(policy_names_style_and_script_by_hash)
{
    ff_text page = written(&made.report);
    ff_bytes view = ff_text_view(&page);
    ff_bytes policy = between(view, "Content-Security-Policy\" content=\"", "\">");
    CHECK(ff_starts(policy, FF_LIT("default-src 'none'; style-src 'sha256-")));
    CHECK(hash_is(between(policy, "style-src 'sha256-", "'"), between(view, "<style>", "</style>")));
    CHECK(hash_is(between(policy, "script-src 'sha256-", "'"), between(view, "<script>", "</script>")));
    CHECK(ff_equal(between(view, "<style>", "</style>"), part("page.css")));
    CHECK(!ff_contains(policy, FF_LIT("unsafe")));
    ff_text_done(&page);
}

TEST(page_needs_no_network_and_no_inline_style)
{
    ff_text page = written(&made.report);
    CHECK(!has(&page, " style=\""));
    CHECK(!has(&page, " src=\""));
    CHECK(!has(&page, "url("));
    CHECK(!has(&page, "@import"));
    CHECK(!has(&page, "href=\"http"));
    CHECK(!has(&page, " onclick="));
    ff_text_done(&page);
}

TEST(every_link_has_its_target)
{
    ff_text page = written(&made.report);
    CHECK(links_arrive(ff_text_view(&page)));
    ff_text_done(&page);
}

TEST(verdict_is_told_in_one_card)
{
    ff_text page = written(&made.report);
    ff_bytes card = between(ff_text_view(&page), "<section id=\"verdict\"", "</section>");
    CHECK(ff_contains(card, FF_LIT("640 GiB of its 640 GiB memory limit")));
    CHECK(ff_contains(card, FF_LIT("<code>host.memcg_oom</code>")));
    CHECK(ff_contains(card, FF_LIT("<b>Certain</b>: usage equals the limit")));
    CHECK(ff_contains(card, FF_LIT("kernel log of bw-a18 is absent")));
    CHECK(ff_contains(card, FF_LIT("ranks <code>0-7</code>")));
    CHECK(ff_contains(card, FF_LIT("2026-03-11 06:41:41.300")));
    CHECK(ff_contains(card, FF_LIT("bw-a17/dmesg.txt:71")));
    ff_text_done(&page);
}

TEST(ranks_that_share_a_fate_are_one_box)
{
    ff_text page = written(&made.report);
    ff_bytes chain = between(ff_text_view(&page), "<section id=\"chain\"", "</section>");
    CHECK_INT(count_of(chain, "class=\"box role-victim\""), 1);
    CHECK(ff_contains(chain, FF_LIT("Victim \xC3\x97 8")));
    CHECK_INT(count_of(chain, "class=\"maybe\""), 1);
    CHECK(ff_contains(chain, FF_LIT("usage <mark title=\"usage_kib\">671088640</mark>kB, limit <mark "
                                    "title=\"limit_kib\">671088640</mark>kB")));
    CHECK(ff_contains(chain, FF_LIT("oom_kill_process+0x10e")));
    ff_text_done(&page);
}

TEST(long_line_is_cut_and_says_so)
{
    ff_text page = written(&made.report);
    CHECK(has(&page, "1046528 more bytes"));
    CHECK(page.n < 300000);
    ff_text_done(&page);
}

TEST(healthy_report_without_incident_is_whole)
{
    sample x;
    sample_init(&x);
    x.report.n_incidents = x.report.n_timeline = x.report.n_findings = x.report.n_contradictions = 0;
    x.report.verdict = (ff_verdict){ .cause = CAUSE_HEALTHY, .confidence = FF_LIKELY, .incident = FF_NONE };
    ff_text page = written(&x.report);
    CHECK(has(&page, "class=\"card ok\""));
    CHECK(has(&page, "id=\"coverage\""));
    CHECK(!has(&page, "id=\"chain\""));
    CHECK(is_balanced(ff_text_view(&page)));
    CHECK(links_arrive(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

/* The sample with 10,000 findings in one chain. */
static void make_many(sample *x)
{
    sample_init(x);
    uint32_t n = 10000;
    ff_finding *many = FF_NEW_N(&x->arena, ff_finding, n);
    ff_link *chain = FF_NEW_N(&x->arena, ff_link, n);
    for (uint32_t i = 0; i < n; i++) {
        many[i] = x->report.findings[i < SAMPLE_FINDINGS ? i : FIND_INIT];
        many[i].id = i;
        if (i >= SAMPLE_FINDINGS)
            many[i].cause = i % SAMPLE_CAUSES;
        if (i == 9998) {
            many[i].summary = FF_LIT("needle</script>" SAMPLE_SCRIPT);
            many[i].severity = FF_SEV_NOTE;
        }
        chain[i] = (ff_link){ .finding = i, .role = i ? FF_ROLE_VICTIM : FF_ROLE_ROOT, .by = i ? i / 10 : FF_NONE };
    }
    x->report.findings = many;
    x->report.n_findings = n;
    x->report.incidents[0].chain = chain;
    x->report.incidents[0].n_chain = n;
}

TEST(ten_thousand_findings_stay_small_and_can_all_be_searched)
{
    sample x;
    make_many(&x);
    ff_text page = written(&x.report);
    CHECK(page.n < 4000000);
    CHECK(has(&page, "9,500 more findings are in this page"));
    CHECK_INT(count_of(ff_text_view(&page), "[\"F"), 9500);
    CHECK(has(&page, "needle\\u003c/script>"));
    CHECK(is_balanced(ff_text_view(&page)));
    CHECK(links_arrive(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

/* The worst that a cluster gives: as many findings as a report holds, with long words and several lines each, and
 * forty incidents with chains of their own. */
TEST(a_full_report_still_fits_into_a_mail)
{
    sample x;
    make_many(&x);
    uint32_t n = FF_CAP_FINDINGS;
    ff_finding *many = FF_NEW_N(&x.arena, ff_finding, n);
    char words[700];
    memset(words, 'w', sizeof words);
    for (uint32_t i = 0; i < n; i++) {
        many[i] = x.report.findings[i % 5000];
        many[i].id = i;
        many[i].summary = (ff_bytes){ words, sizeof words };
    }
    ff_incident *incidents = FF_NEW_N(&x.arena, ff_incident, 40);
    for (uint32_t i = 0; i < 40; i++) {
        incidents[i] = x.report.incidents[0];
        incidents[i].id = i;
        incidents[i].root = i * 400;
        incidents[i].chain = FF_NEW_N(&x.arena, ff_link, 300);
        incidents[i].n_chain = 300;
        for (uint32_t k = 0; k < 300; k++)
            incidents[i].chain[k] = (ff_link){ .finding = i * 400 + k,
                                               .role = k ? FF_ROLE_VICTIM : FF_ROLE_ROOT,
                                               .by = k ? i * 400 : FF_NONE };
    }
    x.report.findings = many;
    x.report.n_findings = n;
    x.report.incidents = incidents;
    x.report.n_incidents = 40;
    ff_text page = written(&x.report);
    CHECK(page.n < 5000000);
    CHECK(is_balanced(ff_text_view(&page)));
    CHECK(links_arrive(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(same_report_gives_same_bytes)
{
    sample x;
    sample_init(&x);
    ff_text a = written(&made.report), b = written(&x.report);
    CHECK(ff_equal(ff_text_view(&a), ff_text_view(&b)));
    ff_text_done(&a);
    ff_text_done(&b);
    sample_done(&x);
}

/* For people and for the tests in a browser: one of the made reports as a file. */
static int write_page(const char *path, const char *kind)
{
    sample x;
    if (strcmp(kind, "many") == 0)
        make_many(&x);
    else if (strcmp(kind, "ranks") == 0)
        make_ranks(&x, 4096, 1234);
    else
        sample_init(&x);
    ff_text page = written(&x.report);
    FILE *f = fopen(path, "wb");
    bool good = f && fwrite(page.p, 1, page.n, f) == page.n;
    if (f && fclose(f) != 0)
        good = false;
    ff_text_done(&page);
    sample_done(&x);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return write_page(argv[1], argc > 2 ? argv[2] : "sample");
    sample_init(&made);
    RUN(log_text_cannot_become_markup);
    RUN(page_is_valid_utf8_without_control_or_bidi_marks);
    RUN(policy_names_style_and_script_by_hash);
    RUN(page_needs_no_network_and_no_inline_style);
    RUN(every_link_has_its_target);
    RUN(verdict_is_told_in_one_card);
    RUN(ranks_that_share_a_fate_are_one_box);
    RUN(long_line_is_cut_and_says_so);
    RUN(healthy_report_without_incident_is_whole);
    RUN(ten_thousand_findings_stay_small_and_can_all_be_searched);
    RUN(a_full_report_still_fits_into_a_mail);
    RUN(same_report_gives_same_bytes);
    sample_done(&made);
    return DONE();
}
