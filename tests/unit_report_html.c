#include "check.h"
#include "sample_report.h"

#include "../analyzer/base/digest.h"
#include "../parsers/recorder.h"
#include "../analyzer/base/embedded.h"

#include <stdlib.h>

static bool has(const ff_text *page, const char *text) { return ff_contains(ff_text_view(page), ff_str(text)); }

static ff_text written(const ff_report *r)
{
    ff_text page;
    ff_text_init(&page, 0);
    ff_write_html(r, &page);
    return page;
}

static ff_bytes between(ff_bytes all, const char *from, const char *to)
{
    ff_bytes start = ff_skip_n(all, ff_find(all, ff_str(from)));
    start = ff_skip_n(start, strlen(from));
    return ff_first_n(start, ff_find(start, ff_str(to)));
}

/* ---- a checker just large enough: every element that is opened is closed in order ---- */
static bool is_void(ff_bytes tag)
{
    static const char *const names[] = { "meta", "br", "input", "!doctype" };
    for (size_t i = 0; i < FF_COUNT(names); i++)
        if (ff_equal(tag, ff_str(names[i])))
            return true;
    return false;
}

static bool is_balanced(ff_bytes in)
{
    ff_bytes stack[64], inside;
    unsigned n = 0;
    while (in.n) {
        size_t at = ff_find(in, FF_LIT("<"));
        if (at > in.n)
            break;
        in = ff_skip_n(in, at + 1);
        if (!ff_take_until(&in, '>', &inside))
            return false;
        bool closes = ff_take_char(&inside, '/'), alone = ff_ends(inside, FF_LIT("/"));
        size_t len = 0;
        while (len < inside.n && inside.p[len] != ' ' && inside.p[len] != '\n' && inside.p[len] != '/')
            len++;
        ff_bytes tag = ff_first_n(inside, len);
        if (closes) {
            if (!n || !ff_equal(stack[n - 1], tag)) {
                fprintf(stderr, "</%.*s> closes <%.*s>\n", (int)tag.n, tag.p, n ? (int)stack[n - 1].n : 0,
                        n ? stack[n - 1].p : "");
                return false;
            }
            n--;
            continue;
        }
        if (alone || is_void(tag))
            continue;
        if (n == FF_COUNT(stack))
            return false;
        stack[n++] = tag;
        if (ff_equal(tag, FF_LIT("style")) || ff_equal(tag, FF_LIT("script"))) {
            ff_bytes end = ff_equal(tag, FF_LIT("style")) ? FF_LIT("</style>") : FF_LIT("</script>");
            in = ff_skip_n(in, ff_find(in, end));
        }
    }
    return n == 0;
}

static unsigned count_of(ff_bytes in, const char *what)
{
    unsigned n = 0;
    for (size_t at = ff_find(in, ff_str(what)); at <= in.n; at = ff_find(in, ff_str(what))) {
        n++;
        in = ff_skip_n(in, at + strlen(what));
    }
    return n;
}

/* Each href="#x" has exactly one id="x". */
static bool links_arrive(ff_bytes page)
{
    bool good = true;
    for (ff_bytes in = page;;) {
        size_t at = ff_find(in, FF_LIT("href=\"#"));
        if (at > in.n)
            return good;
        in = ff_skip_n(in, at + 7);
        ff_bytes id = ff_first_n(in, ff_find(in, FF_LIT("\"")));
        char want[80];
        (void)snprintf(want, sizeof want, " id=\"%.*s\"", (int)id.n, id.p);
        if (count_of(page, want) != 1) {
            fprintf(stderr, "%s: %u times\n", want, count_of(page, want));
            good = false;
        }
    }
}

static bool has_control_bytes(ff_bytes b)
{
    for (size_t i = 0; i < b.n; i++)
        if (((unsigned char)b.p[i] < 0x20 && b.p[i] != '\n' && b.p[i] != '\t') || b.p[i] == 0x7F)
            return true;
    return false;
}

static bool is_clean(ff_bytes b)
{
    ff_text again;
    ff_text_init(&again, 0);
    for (ff_bytes line; ff_take_line(&b, &line);) {
        again.n = 0;
        ff_text_add_clean(&again, line);
        if (!ff_equal(ff_text_view(&again), line))
            break;
    }
    ff_text_done(&again);
    return b.n == 0;
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

/* Dumps of n ranks that ran 40 collectives; rank odd never issued the last, rank 7 ran another one before. */
static void make_ranks(sample *x, uint32_t n, uint32_t odd)
{
    sample_init(x);
    ff_arena *a = &x->arena;
    ff_dump_table *t = FF_NEW(a, ff_dump_table);
    int32_t *ranks = FF_NEW_N(a, int32_t, n + 1);
    t->at = FF_NEW_N(a, ff_dump *, n);
    for (uint32_t r = 0; r < n; r++) {
        uint32_t last = r == odd ? 39 : 40;
        ff_dump *d = FF_NEW(a, ff_dump);
        ranks[r] = (int32_t)r;
        *d = (ff_dump){ .member = 0, .rank = (int32_t)r, .timing = true, .n_groups = 1, .n_entries = last };
        d->groups = FF_NEW(a, ff_fr_group);
        d->groups[0] = (ff_fr_group){ .name = FF_LIT("0"),
                                      .desc = FF_LIT("default_pg " SAMPLE_SCRIPT),
                                      .ranks = ranks,
                                      .n_ranks = n + 1,
                                      .last_enqueued = last,
                                      .last_started = last,
                                      .last_completed = 39 };
        ff_fr_call *calls = FF_NEW_N(a, ff_fr_call, 2);
        calls[0].op = FF_LIT("all_reduce");
        calls[1].op = FF_LIT(SAMPLE_SCRIPT);
        d->entries = FF_NEW_N(a, ff_fr_entry, last);
        for (uint32_t i = 0; i < last; i++)
            d->entries[i] = (ff_fr_entry){ .seq = (int32_t)i + 1,
                                           .call = &calls[r == 7 && i == 38],
                                           .state = i < 39 ? FF_FR_COMPLETED : FF_FR_STARTED };
        t->at[t->n++] = d;
    }
    ranks[n] = (int32_t)n;
    x->evidence.dumps = t;
}

TEST(ranks_by_sequence_shows_the_front_and_who_never_came)
{
    sample x;
    make_ranks(&x, 8, 5);
    ff_text page = written(&x.report);
    CHECK(has(&page, "<b>The front is no. 39, all_reduce</b>"));
    CHECK(has(&page, "<title>rank 5, no. 40 all_reduce: never issued</title>"));
    CHECK(has(&page, "<title>rank 7, no. 39 all_reduce: another operation than the others</title>"));
    CHECK(has(&page, ": no dump of this rank</title>"));
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(thousands_of_ranks_share_rows_and_have_a_map)
{
    sample x;
    make_ranks(&x, 4096, 1234);
    ff_text page = written(&x.report);
    CHECK(page.n < 1500000);
    CHECK(has(&page, "<title>rank 1234, no. 40 all_reduce: never issued</title>"));
    CHECK(has(&page, "One square for each of 4097 ranks"));
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(dumps_of_one_rank_count_once)
{
    sample x;
    make_ranks(&x, 8, 5);
    x.evidence.dumps->at[7]->rank = 3;
    ff_text page = written(&x.report);
    CHECK_INT(count_of(ff_text_view(&page), ">rank 3</text>"), 1);
    ff_text_done(&page);
    sample_done(&x);
}

static void add_pair(sample *x, ff_signal *s, const char *left, const char *right, const char *link)
{
    *s = (ff_signal){
        .kind = FF_FACT_GPU_LINK, .at = { 0, 2, 0, 0 }, .who = FF_WHO_NOBODY, .count = 1, .clock = FF_NONE
    };
    sample_field(&x->arena, s, "a", FF_FIELD_TEXT, 0, left);
    sample_field(&x->arena, s, "b", FF_FIELD_TEXT, 0, right);
    sample_field(&x->arena, s, "link", FF_FIELD_TEXT, 0, link);
}

TEST(pairs_of_gpus_that_are_off_are_marked)
{
    sample x;
    sample_init(&x);
    uint32_t n = x.evidence.n_signals;
    ff_signal *all = FF_NEW_N(&x.arena, ff_signal, n + 4);
    memcpy(all, x.evidence.signals, n * sizeof *all);
    all[n] = (ff_signal){
        .kind = FF_FACT_GPU_TOPOLOGY, .at = { 0, 1, 0, 0 }, .who = FF_WHO_NOBODY, .count = 1, .clock = FF_NONE
    };
    sample_field(&x.arena, &all[n], "gpus", FF_FIELD_INT, 3, "3");
    add_pair(&x, &all[n + 1], "GPU0", "GPU1", "NV18");
    add_pair(&x, &all[n + 2], "GPU0", "GPU2", "NV18");
    add_pair(&x, &all[n + 3], "GPU1", "GPU2", "SYS<b>");
    x.evidence.signals = all;
    x.evidence.n_signals = n + 4;
    ff_text page = written(&x.report);
    CHECK_INT(count_of(ff_text_view(&page), "<td class=\"off\"><b>SYS&lt;b&gt;</b></td>"), 2);
    CHECK_INT(count_of(ff_text_view(&page), "<td class=\"has\">NV18</td>"), 4);
    CHECK(is_balanced(ff_text_view(&page)));
    CHECK(links_arrive(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(matrix_with_nothing_off_is_closed)
{
    sample x;
    sample_init(&x);
    uint32_t n = x.evidence.n_signals;
    ff_signal *all = FF_NEW_N(&x.arena, ff_signal, n + 2);
    memcpy(all, x.evidence.signals, n * sizeof *all);
    all[n] = (ff_signal){
        .kind = FF_FACT_GPU_TOPOLOGY, .at = { 0, 1, 0, 0 }, .who = FF_WHO_NOBODY, .count = 1, .clock = FF_NONE
    };
    sample_field(&x.arena, &all[n], "gpus", FF_FIELD_INT, 2, "2");
    add_pair(&x, &all[n + 1], "GPU0", "GPU1", "SYS");
    x.evidence.signals = all;
    x.evidence.n_signals = n + 2;
    ff_text page = written(&x.report);
    CHECK(has(&page, "<details><summary>Links between GPUs: nothing off in 1 pairs</summary>"));
    ff_text_done(&page);
    sample_done(&x);
}

static ff_signal *with_more(sample *x, uint32_t n)
{
    ff_signal *all = FF_NEW_N(&x->arena, ff_signal, x->evidence.n_signals + n);
    memcpy(all, x->evidence.signals, x->evidence.n_signals * sizeof *all);
    ff_signal *first = all + x->evidence.n_signals;
    for (uint32_t i = 0; i < n; i++)
        first[i] =
            (ff_signal){ .ref = x->evidence.n_signals + i, .who = FF_WHO_NOBODY, .count = 1, .clock = FF_NONE };
    x->evidence.signals = all;
    x->evidence.n_signals += n;
    return first;
}

TEST(course_of_a_gpu_is_drawn_with_its_gaps_and_the_incident)
{
    sample x;
    sample_init(&x);
    ff_signal *s = with_more(&x, 2);
    for (int i = 0; i < 2; i++) {
        s[i].kind = FF_FACT_GPU_SAMPLES;
        s[i].has_utc = true;
        s[i].utc = SAMPLE_T0;
        s[i].who.host = FF_LIT("<b>host");
        s[i].who.gpu_index = i;
        sample_field(&x.arena, &s[i], "step_s", FF_FIELD_INT, 10, "10");
    }
    sample_field(&x.arena, &s[0], "utilization_course", FF_FIELD_TEXT, 0, "100,0,,50");
    sample_field(&x.arena, &s[1], "utilization_course", FF_FIELD_TEXT, 0, "<script>,-1,99999999999999999999");
    ff_text page = written(&x.report);
    ff_bytes part = between(ff_text_view(&page), "<section id=\"gpus\"", "</section>");
    CHECK(ff_contains(part, FF_LIT("M230.0 36.0V8.0H415.0V36.0H600.0V36.0zM785.0 36.0V22.0H970.0V36.0z")));
    CHECK(ff_contains(part, FF_LIT("&lt;b&gt;host GPU 0")));
    CHECK(ff_contains(part, FF_LIT("class=\"band\"")));
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(rows_of_tests_become_a_line_for_each_run)
{
    sample x;
    sample_init(&x);
    static const struct {
        uint32_t member;
        int64_t size;
        double busbw;
    } rows[] = { { 0, 1024, 1 }, { 0, 1048576, 100 }, { 0, 1024, 2 }, { 1, 2048, 50 }, { 1, 0, 7 }, { 1, 4096, -1 } };
    ff_signal *s = with_more(&x, FF_COUNT(rows));
    for (uint32_t i = 0; i < FF_COUNT(rows); i++) {
        s[i].kind = FF_FACT_TEST_ROW;
        s[i].at = (ff_record){ rows[i].member, i + 1, 0, i };
        sample_field(&x.arena, &s[i], "collective", FF_FIELD_TEXT, 0, SAMPLE_SCRIPT);
        sample_field(&x.arena, &s[i], "size", FF_FIELD_INT, rows[i].size, "");
        sample_field(&x.arena, &s[i], "busbw", FF_FIELD_FLOAT, 0, "");
        s[i].fields[s[i].n_fields - 1].is_float = true;
        s[i].fields[s[i].n_fields - 1].f = rows[i].busbw;
    }
    ff_text page = written(&x.report);
    ff_bytes part = between(ff_text_view(&page), "<section id=\"bandwidth\"", "</section>");
    CHECK_INT(count_of(part, "<path class=\"run run-"), 6); /* three, in the picture and in the legend */
    CHECK_INT(count_of(part, "<circle "), 4);
    CHECK(ff_contains(part, FF_LIT("<b>100 GB/s</b> at 1 MiB")));
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

/* Two thousand moments of the days before, then the incident: rows and picture show the incident, data has the rest.
 */
TEST(time_line_begins_at_the_incident_however_much_came_before)
{
    sample x;
    sample_init(&x);
    uint32_t n = x.evidence.n_signals, old = x.report.n_timeline, early = 2000;
    ff_signal *signals = FF_NEW_N(&x.arena, ff_signal, n + early);
    ff_moment *moments = FF_NEW_N(&x.arena, ff_moment, old + early);
    memcpy(signals, x.evidence.signals, n * sizeof *signals);
    memcpy(moments + early, x.report.timeline, old * sizeof *moments);
    for (uint32_t i = 0; i < early; i++) {
        signals[n + i] = (ff_signal){ .ref = n + i,
                                      .kind = FF_FACTS,
                                      .stream = FF_STREAM_KERNEL,
                                      .who = FF_WHO_NOBODY,
                                      .count = 1,
                                      .clock = 0,
                                      .has_utc = true,
                                      .utc = SAMPLE_T0 - (int64_t)(early - i) * 3600 * SAMPLE_S };
        moments[i] = (ff_moment){ n + i, FF_NONE, FF_LIT("older</script>" SAMPLE_SCRIPT) };
    }
    x.evidence.signals = signals;
    x.evidence.n_signals = n + early;
    x.report.timeline = moments;
    x.report.n_timeline = old + early;
    ff_text page = written(&x.report);
    ff_bytes timeline = between(ff_text_view(&page), "<section id=\"timeline\"", "</section>");
    CHECK(ff_contains(timeline, FF_LIT("the first sign of this incident")));
    CHECK(ff_contains(timeline, FF_LIT("class=\"m-root\"")));
    CHECK(ff_contains(timeline, FF_LIT("<tr class=\"is-root\"")));
    CHECK(ff_contains(timeline, FF_LIT("id=\"moments-data\"")));
    CHECK(ff_contains(timeline, FF_LIT("older\\u003c/script>")));
    CHECK(ff_contains(timeline, FF_LIT("T-83 d ")));
    CHECK(is_balanced(ff_text_view(&page)));
    ff_text_done(&page);
    sample_done(&x);
}

TEST(boxes_at_a_glance_lead_to_their_evidence)
{
    ff_text page = written(&made.report);
    ff_bytes picture = between(ff_text_view(&page), "id=\"chain-picture\"", "</svg>");
    CHECK(ff_contains(picture, FF_LIT("<a href=\"#f1\"><title>Root cause: ")));
    CHECK(ff_contains(picture, FF_LIT("class=\"c-arrow maybe\"")));
    CHECK_INT(count_of(picture, "c-box c-victim"), 1);
    ff_text_done(&page);
}

TEST(circles_and_wrong_numbers_in_a_chain_do_no_harm)
{
    sample x;
    sample_init(&x);
    ff_link *chain = x.report.incidents[0].chain;
    chain[1].by = FIND_INIT;
    chain[2].by = FIND_PIN;
    chain[3].by = 4000000;
    chain[4].finding = 4000000;
    x.report.timeline[0].signal = FF_NONE;
    x.report.timeline[1].finding = 99999;
    x.report.findings[FIND_PIN].evidence[0] = 99999;
    x.report.findings[FIND_INIT].cause = FF_NONE;
    ff_text page = written(&x.report);
    CHECK(is_balanced(ff_text_view(&page)));
    CHECK(links_arrive(ff_text_view(&page)));
    CHECK_INT(count_of(ff_text_view(&page), "id=\"f2\""), 1);
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
    RUN(ranks_by_sequence_shows_the_front_and_who_never_came);
    RUN(thousands_of_ranks_share_rows_and_have_a_map);
    RUN(dumps_of_one_rank_count_once);
    RUN(pairs_of_gpus_that_are_off_are_marked);
    RUN(matrix_with_nothing_off_is_closed);
    RUN(course_of_a_gpu_is_drawn_with_its_gaps_and_the_incident);
    RUN(rows_of_tests_become_a_line_for_each_run);
    RUN(time_line_begins_at_the_incident_however_much_came_before);
    RUN(boxes_at_a_glance_lead_to_their_evidence);
    RUN(circles_and_wrong_numbers_in_a_chain_do_no_harm);
    RUN(same_report_gives_same_bytes);
    sample_done(&made);
    return DONE();
}
