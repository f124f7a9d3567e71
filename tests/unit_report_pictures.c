/* Pictures and tables of the page: ranks, pairs of GPUs, courses over time, the chain. */
#include "page_checks.h"

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
    sample x;
    sample_init(&x);
    ff_text page = written(&x.report);
    ff_bytes picture = between(ff_text_view(&page), "id=\"chain-picture\"", "</svg>");
    CHECK(ff_contains(picture, FF_LIT("<a href=\"#f1\"><title>Root cause: ")));
    CHECK(ff_contains(picture, FF_LIT("class=\"c-arrow maybe\"")));
    CHECK_INT(count_of(picture, "c-box c-victim"), 1);
    ff_text_done(&page);
    sample_done(&x);
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

int main(void)
{
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
    return DONE();
}
