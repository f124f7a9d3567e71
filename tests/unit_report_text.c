#include "report_fixture.h"

#include "../analyzer/report/text_private.h"
#include "../analyzer/clock/clock.h"

static ff_text out;

static void write(bool colour, unsigned width, bool verbose)
{
    ff_report r = fixture_report();
    ff_text_style style = { .colour = colour, .width = width, .verbose = verbose };
    out.n = 0;
    ff_write_text(&r, &style, &out);
}

static bool holds(const char *text) { return ff_contains(ff_text_view(&out), ff_str(text)); }

static unsigned widest(unsigned *lines)
{
    unsigned most = 0;
    ff_bytes rest = ff_text_view(&out), line;
    for (*lines = 0; ff_take_line(&rest, &line); ++*lines)
        if (ff_columns(line) > most)
            most = (unsigned)ff_columns(line);
    return most;
}

TEST(summary_fits_a_screen)
{
    unsigned lines = 0;
    write(false, 100, false);
    CHECK(widest(&lines) <= 100);
    CHECK(lines <= 40);
    write(false, 60, false);
    CHECK(widest(&lines) <= 60);
}

TEST(first_lines_say_what_broke_and_how_sure)
{
    write(false, 100, false);
    CHECK(ff_starts(ff_text_view(&out), FF_LIT("host.memcg_oom: container memory limit reached\n"
                                               "  The container used 640 GiB of its 640 GiB.\n")));
    CHECK(holds("likely: usage equals limit"));
    CHECK(holds("2026-03-11 06:41:32 UTC \xC2\xB1 1.0 s, over after 3 min 20 s"));
    CHECK(holds("host bw-a17; ranks 0-3,8; pod ml/trainer-0"));
}

TEST(chain_quotes_lines_and_says_what_order_is_proven)
{
    write(false, 100, false);
    CHECK(holds("n07/dmesg:76  memory: usage 671088640kB"));
    CHECK(holds("host.pin_failed (symptom of 1, +3.2 s): driver could not pin pages\n"));
    CHECK(holds("comm.init_failed (victim of 2, order not proven): communicator init failed\n"));
    CHECK(holds("(12 times)"));
}

TEST(a_distance_within_its_error_is_not_told)
{
    int64_t was = fixture_signals[1].at_err;
    fixture_signals[1].at_err = INT64_C(4000000000);
    write(false, 100, false);
    fixture_signals[1].at_err = was;
    CHECK(holds("host.pin_failed (symptom of 1): driver could not pin pages\n"));
}

TEST(a_finding_of_no_known_cause_is_headed_by_what_was_seen)
{
    ff_finding was = fixture_findings[1];
    fixture_findings[1].cause = FF_NONE;
    fixture_findings[1].summary = FF_LIT("A process ended with exit code 3");
    write(false, 100, false);
    fixture_findings[1] = was;
    CHECK(holds("unknown (symptom of 1, +3.2 s): A process ended with exit code 3\n"));
}

TEST(one_line_with_two_readings_is_one_step)
{
    ff_signal was = fixture_signals[1];
    fixture_signals[1].at = fixture_signals[0].at;
    write(false, 100, false);
    CHECK(!holds("host.pin_failed"));
    CHECK(holds("  \xE2\x86\x92 2. comm.init_failed (victim of 1, order not proven)"));
    write(false, 100, true);
    CHECK(holds("  \xE2\x86\x92 2. host.pin_failed"));
    fixture_signals[1] = was;
}

TEST(nothing_of_a_log_reaches_the_terminal_as_control)
{
    write(false, 100, true);
    for (size_t i = 0; i < out.n; i++)
        CHECK((unsigned char)out.p[i] >= 0x20 || out.p[i] == '\n');
    CHECK(!holds("\xE2\x80\xAE"));
    CHECK(!holds("\x7f"));
}

TEST(colour_is_closed_on_each_line)
{
    ff_bytes rest, line;
    write(true, 100, false);
    rest = ff_text_view(&out);
    while (ff_take_line(&rest, &line))
        if (ff_contains(line, FF_LIT("\033[")))
            CHECK(ff_ends(line, FF_LIT("\033[0m")));
}

TEST(long_words_and_wide_characters_are_cut_to_the_page)
{
    static const char wide[] = "\xE7\x9C\x8B\xE4\xBC\xBC\xE6\x95\x85\xE9\x9A\x9C";
    ff_page page = { .out = &out, .width = 20 };
    ff_bytes rest, line;
    CHECK_INT(ff_columns(FF_LIT(wide)), 8);
    CHECK_INT(ff_columns(FF_LIT("e\xCC\x81")), 1);
    out.n = 0;
    ff_page_flow(&page, FF_INK_PLAIN, "- ", 2, FF_LIT("0123456789012345678901234567890123456789 and more words"), 0);
    ff_page_flow(&page, FF_INK_PLAIN, "", 0, FF_LIT("one two three four five six seven eight"), 1);
    CHECK(ff_ends(ff_text_view(&out), FF_LIT("\xE2\x80\xA6\n")));
    rest = ff_text_view(&out);
    while (ff_take_line(&rest, &line))
        CHECK(ff_columns(line) <= 20);
}

TEST(a_date_without_a_year_is_the_one_that_was_said)
{
    static const char *const said[] = { "Jan 01 00:00:00", "Feb 28 23:59:59", "Feb 29 12:00:00",
                                        "Mar 01 00:00:00", "Mar 11 06:41:18", "Dec 31 23:59:59" };
    for (size_t i = 0; i < FF_COUNT(said); i++) {
        ff_bytes rest = ff_str(said[i]);
        ff_stamp stamp = { 0 };
        CHECK(ff_take_syslog_time(&rest, &stamp) && stamp.kind == FF_STAMP_NO_YEAR);
        ff_text t;
        ff_text_init(&t, 64);
        ff_view_add_said(&t, stamp);
        CHECK_TEXT(ff_text_view(&t), said[i]);
        ff_text_done(&t);
    }
}

int main(int argc, char **argv)
{
    ff_text_init(&out, 0);
    if (argc > 1 && strcmp(argv[1], "--print") == 0) {
        write(argc > 2, 100, argc > 2);
        (void)fwrite(out.p, 1, out.n, stdout);
    }
    RUN(summary_fits_a_screen);
    RUN(first_lines_say_what_broke_and_how_sure);
    RUN(chain_quotes_lines_and_says_what_order_is_proven);
    RUN(a_distance_within_its_error_is_not_told);
    RUN(a_finding_of_no_known_cause_is_headed_by_what_was_seen);
    RUN(one_line_with_two_readings_is_one_step);
    RUN(nothing_of_a_log_reaches_the_terminal_as_control);
    RUN(colour_is_closed_on_each_line);
    RUN(a_date_without_a_year_is_the_one_that_was_said);
    RUN(long_words_and_wide_characters_are_cut_to_the_page);
    ff_text_done(&out);
    return DONE();
}
