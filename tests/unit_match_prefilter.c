/* Literals against runs of lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../analyzer/match/match.h"
#include "check.h"

#define K FF_STREAM_KERNEL
#define N FF_STREAM_NCCL

static ff_matcher *open_needles(const ff_needle *needles, uint32_t n, const ff_match_options *options)
{
    ff_error error = { { 0 } };
    ff_matcher *m = ff_matcher_open(NULL, 0, needles, n, options, &error);
    if (!m)
        fprintf(stderr, "matcher: %s\n", error.text);
    return m;
}

/* Hits as text: "owner@end owner@end ..." */
static void hits_text(ff_scanner *s, uint32_t streams, ff_bytes run, char *out, size_t size)
{
    const ff_hit *hits = NULL;
    uint32_t n = 0;
    out[0] = 0;
    if (ff_scan_run(s, streams, run, &hits, &n) != FF_OK) {
        snprintf(out, size, "failed");
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s%u@%u", i ? " " : "", (unsigned)hits[i].owner, (unsigned)hits[i].end);
    }
}

static void expect(const ff_needle *needles, uint32_t n, const ff_match_options *options, uint32_t streams,
                   ff_bytes run, const char *want)
{
    char got[512];
    ff_matcher *m = open_needles(needles, n, options);
    CHECK(m != NULL);
    if (!m)
        return;
    ff_scanner *s = ff_scanner_open(m, NULL);
    hits_text(s, streams, run, got, sizeof got);
    CHECK_TEXT(ff_str(got), want);
    hits_text(s, streams, run, got, sizeof got); /* the second scan does not remember the first */
    CHECK_TEXT(ff_str(got), want);
    ff_scanner_close(s);
    ff_matcher_close(m);
}

TEST(literals_at_both_ends_of_a_run_are_found)
{
    ff_needle needles[] = { { FF_LIT("alpha"), false, K, 1 }, { FF_LIT("omega"), false, K, 2 } };
    expect(needles, 2, NULL, K, FF_LIT("alpha\n\nomega"), "1@5 2@12");
    expect(needles, 2, NULL, K, FF_LIT("omega\nalpha\n"), "2@5 1@11");
    expect(needles, 2, NULL, K, FF_LIT("alph\nomeg"), "");
    expect(needles, 2, NULL, K, FF_LIT("al\npha"), "");
    expect(needles, 2, NULL, K, (ff_bytes){ 0 }, "");
}

TEST(overlapping_literals_are_all_found)
{
    ff_needle needles[] = { { FF_LIT("abcd"), false, K, 9 },
                            { FF_LIT("bcd"), false, K, 3 },
                            { FF_LIT("cdab"), false, K, 5 },
                            { FF_LIT("abcdabcd"), false, K, 7 } };
    expect(needles, 4, NULL, K, FF_LIT("xabcdabcdx\n"), "3@5 9@5 5@7 7@9");
}

TEST(an_owner_gets_each_line_once)
{
    ff_needle needles[] = { { FF_LIT("fail"), false, K, 1 },
                            { FF_LIT("error"), false, K, 1 },
                            { FF_LIT("error"), false, K, 2 } };
    expect(needles, 3, NULL, K, FF_LIT("fail fail error\nerror fail\nfine\nerror\n"), "1@4 2@15 1@21 2@21 1@37 2@37");
}

TEST(case_is_a_matter_of_each_literal)
{
    ff_needle needles[] = { { FF_LIT("Timeout"), true, K, 1 },
                            { FF_LIT("Timeout"), false, K, 2 },
                            { FF_LIT("TIMEOUT"), true, K, 3 } };
    expect(needles, 3, NULL, K, FF_LIT("TIMEOUT\ntimeout\nTimeout\n"), "1@7 3@7 1@15 3@15 1@23 2@23 3@23");
}

TEST(streams_choose_who_is_asked)
{
    ff_needle needles[] = { { FF_LIT("shared"), false, K, 1 },
                            { FF_LIT("shared"), false, N, 2 },
                            { FF_LIT("shared"), false, K | N, 3 } };
    expect(needles, 3, NULL, K, FF_LIT("shared\n"), "1@6 3@6");
    expect(needles, 3, NULL, N, FF_LIT("shared\n"), "2@6 3@6");
    expect(needles, 3, NULL, K | N, FF_LIT("shared\n"), "1@6 2@6 3@6");
    expect(needles, 3, NULL, FF_STREAM_SLURM, FF_LIT("shared\n"), "");
}

TEST(bytes_of_any_value_are_text)
{
    ff_needle needles[] = { { FF_LIT("panic"), false, K, 1 } };
    expect(needles, 1, NULL, K, FF_LIT("\0\xff\xfe panic\0\n\x80panic"), "1@9 1@17");
}

TEST(without_the_prefilter_everyone_gets_every_line)
{
    ff_needle needles[] = { { FF_LIT("never"), false, K, 4 },
                            { FF_LIT("there"), false, K, 4 },
                            { FF_LIT("other"), false, K, 2 },
                            { FF_LIT("other"), false, N, 8 } };
    ff_match_options off = { .prefilter_off = true };
    expect(needles, 4, &off, K, FF_LIT("a\n\nbc\nd"), "2@1 4@1 2@5 4@5 2@7 4@7");
}

TEST(an_empty_literal_is_refused)
{
    ff_needle needle = { { NULL, 0 }, false, K, 1 };
    ff_error error = { { 0 } };
    CHECK(ff_matcher_open(NULL, 0, &needle, 1, NULL, &error) == NULL);
    CHECK(strstr(error.text, "empty needle") != NULL);
}

TEST(a_line_of_only_hits_is_cheap)
{
    ff_needle needle = { FF_LIT("aaaa"), false, K, 1 };
    size_t n = 1u << 22;
    char *run = malloc(n);
    memset(run, 'a', n);
    expect(&needle, 1, NULL, K, (ff_bytes){ run, n }, "1@4");
    free(run);
}

/* ---- many, and the cache ---- */

#define MANY 5000u

static ff_needle *many_needles(void)
{
    static char names[MANY][24];
    ff_needle *needles = calloc(MANY, sizeof *needles);
    for (uint32_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "sig-%u-end", (unsigned)i);
        needles[i] = (ff_needle){ ff_str(names[i]), i % 2 == 1, 1u << (i % FF_STREAMS), i };
    }
    return needles;
}

TEST(five_thousand_literals_find_their_own_lines)
{
    ff_needle *needles = many_needles();
    ff_matcher *m = open_needles(needles, MANY, NULL);
    ff_scanner *s = ff_scanner_open(m, NULL);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        char line[64], got[64], want[64];
        int n = snprintf(line, sizeof line, "xx sig-%u-end yy\n", (unsigned)i);
        snprintf(want, sizeof want, "%u@%d", (unsigned)i, n - 4);
        hits_text(s, FF_STREAM_ANY, (ff_bytes){ line, (size_t)n }, got, sizeof got);
        wrong += strcmp(got, want) != 0;
    }
    CHECK_INT(wrong, 0);
    ff_scanner_close(s);
    ff_matcher_close(m);
    free(needles);
}

static uint32_t count_files(const char *dir, char *one, size_t size)
{
    char command[512];
    snprintf(command, sizeof command, "ls -A '%s'", dir);
    FILE *f = popen(command, "r");
    uint32_t n = 0;
    char line[256];
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(one, size, "%s/%s", dir, line);
        n++;
    }
    if (f)
        pclose(f);
    return n;
}

static void damage(const char *path, long at)
{
    FILE *f = fopen(path, "r+b");
    if (!f)
        return;
    fseek(f, at, SEEK_SET);
    int c = fgetc(f);
    fseek(f, at, SEEK_SET);
    fputc(c ^ 0x55, f);
    fclose(f);
}

TEST(a_cached_database_finds_the_same)
{
    char dir[] = "/tmp/ff-cache-XXXXXX", path[512] = "";
    CHECK(mkdtemp(dir) != NULL);
    ff_match_options options = { .cache_dir = dir };
    ff_needle needles[] = { { FF_LIT("alpha"), false, K, 1 }, { FF_LIT("OMEGA"), true, K, 2 } };
    ff_bytes run = FF_LIT("alpha omega\n");
    expect(needles, 2, &options, K, run, "1@5 2@11");
    CHECK_INT(count_files(dir, path, sizeof path), 1);
    struct stat before, after;
    CHECK(stat(path, &before) == 0);
    expect(needles, 2, &options, K, run, "1@5 2@11"); /* loaded */
    CHECK(stat(path, &after) == 0);
    CHECK(before.st_ino == after.st_ino); /* not written again */
    damage(path, 100);
    expect(needles, 2, &options, K, run, "1@5 2@11"); /* compiled, and written anew */
    CHECK(stat(path, &after) == 0);
    CHECK(before.st_ino != after.st_ino);
    CHECK(truncate(path, 20) == 0);
    expect(needles, 2, &options, K, run, "1@5 2@11");
    CHECK(chmod(path, 0666) == 0); /* anyone could have written it */
    CHECK(stat(path, &before) == 0);
    expect(needles, 2, &options, K, run, "1@5 2@11");
    CHECK(stat(path, &after) == 0);
    CHECK(before.st_ino != after.st_ino);
    needles[0].owner = 7; /* not part of the literals, so the same database serves */
    expect(needles, 2, &options, K, run, "7@5 2@11");
    CHECK_INT(count_files(dir, path, sizeof path), 1);
    CHECK(unlink(path) == 0);
    CHECK(rmdir(dir) == 0);
}

TEST(a_cache_folder_that_cannot_be_used_does_not_matter)
{
    ff_match_options options = { .cache_dir = "/proc/nothing/here" };
    ff_needle needle = { FF_LIT("alpha"), false, K, 1 };
    expect(&needle, 1, &options, K, FF_LIT("alpha\n"), "1@5");
}

int main(void)
{
    RUN(literals_at_both_ends_of_a_run_are_found);
    RUN(overlapping_literals_are_all_found);
    RUN(an_owner_gets_each_line_once);
    RUN(case_is_a_matter_of_each_literal);
    RUN(streams_choose_who_is_asked);
    RUN(bytes_of_any_value_are_text);
    RUN(without_the_prefilter_everyone_gets_every_line);
    RUN(an_empty_literal_is_refused);
    RUN(a_line_of_only_hits_is_cheap);
    RUN(five_thousand_literals_find_their_own_lines);
    RUN(a_cached_database_finds_the_same);
    RUN(a_cache_folder_that_cannot_be_used_does_not_matter);
    return DONE();
}
