/* Patterns and typed captures. */
#include <stdlib.h>
#include <time.h>

#include "../analyzer/match/match.h"
#include "check.h"

static ff_bytes lit(const char *s) { return ff_str(s); }

typedef struct one { /* a matcher of a single signature */
    ff_signature sig;
    ff_matcher *m;
    ff_scanner *s;
    ff_field fields[FF_MATCH_FIELDS];
    uint32_t n;
    bool limit;
} one;

static void one_open(one *o, const char *pattern, ff_field_decl *fields, uint32_t n_fields, bool nocase)
{
    static ff_bytes needle = { "need", 4 };
    *o = (one){ .sig = { .id = lit("t"),
                         .streams = FF_STREAM_ANY,
                         .needles = &needle,
                         .n_needles = 1,
                         .nocase = nocase,
                         .pattern = lit(pattern),
                         .fields = fields,
                         .n_fields = n_fields } };
    o->m = ff_matcher_open(&o->sig, 1, NULL, 0, NULL, NULL);
    o->s = ff_scanner_open(o->m, NULL);
}

static void one_close(one *o)
{
    ff_scanner_close(o->s);
    ff_matcher_close(o->m);
}

static bool try_text(one *o, ff_bytes text) { return ff_match_one(o->s, 0, text, o->fields, &o->n, &o->limit); }

static bool matches(const char *pattern, ff_bytes text, bool nocase)
{
    one o;
    one_open(&o, pattern, NULL, 0, nocase);
    bool got = try_text(&o, text);
    one_close(&o);
    return got;
}

TEST(captures_are_typed)
{
    ff_field_decl decl[] = { { lit("bdf"), FF_FIELD_PCI },
                             { lit("code"), FF_FIELD_INT },
                             { lit("opt"), FF_FIELD_TEXT } };
    one o;
    one_open(&o, "Xid \\((?<bdf>[^)]+)\\): (?<code>\\d+)(?:, (?<opt>\\w+))?", decl, 3, false);
    CHECK(try_text(&o, lit("NVRM: Xid (PCI:0000:3B:00): 79, lost")));
    CHECK_INT(o.n, 3);
    CHECK_TEXT(o.fields[0].s, "0000:3b:00");
    CHECK_INT(o.fields[1].i, 79);
    CHECK_TEXT(o.fields[1].s, "79");
    CHECK_TEXT(o.fields[2].name, "opt");
    CHECK(try_text(&o, lit("NVRM: Xid (PCI:0000:3B:00): 99999999999999999999")));
    CHECK_INT(o.n, 1); /* the number does not fit, the option took no part */
    ff_bytes unfit = { 0 };
    CHECK(ff_match_strict(o.s, 0, lit("Xid (here): 1, x"), o.fields, &o.n, NULL, &unfit));
    CHECK_TEXT(unfit, "bdf");
    CHECK_INT(o.n, 2);
    CHECK(!try_text(&o, lit("NVRM: nothing")));
    one_close(&o);
}

TEST(the_same_name_may_stand_in_each_branch)
{
    ff_field_decl decl[] = { { lit("n"), FF_FIELD_INT } };
    one o;
    one_open(&o, "a=(?<n>\\d+)|b=(?<n>\\d+)", decl, 1, false);
    CHECK(try_text(&o, lit("b=7")));
    CHECK_INT(o.fields[0].i, 7);
    CHECK(try_text(&o, lit("a=5")));
    CHECK_INT(o.fields[0].i, 5);
    one_close(&o);
}

TEST(anchors_are_the_ends_of_any_line_of_the_payload)
{
    CHECK(matches("^second$", lit("first\nsecond\nthird"), false));
    CHECK(matches("^second$", lit("first\r\nsecond\r\nthird"), false));
    CHECK(matches("^Traceback", lit(" 50%|#####\rTraceback"), false));
    CHECK(!matches("^cond$", lit("first\nsecond"), false));
    CHECK(!matches("first.second", lit("first\nsecond"), false));
}

TEST(case_is_ignored_on_request)
{
    CHECK(matches("time(d)? out", lit("TIMED OUT"), true));
    CHECK(!matches("time(d)? out", lit("TIMED OUT"), false));
}

TEST(invalid_utf8_is_only_a_hole)
{
    CHECK(matches("lost", FF_LIT("\xff\xfe\xc3 lost \x80"), false));
    CHECK(matches("a.*b", FF_LIT("a\0b"), false));
    CHECK(!matches("a.*b",
                   FF_LIT("a\xff"
                          "b"),
                   false)); /* no match runs over a broken byte */
    CHECK(matches("(?<!x)", (ff_bytes){ 0 }, false));
}

static double seconds_since(struct timespec from)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - from.tv_sec) + (double)(now.tv_nsec - from.tv_nsec) / 1e9;
}

TEST(a_catastrophic_pattern_gives_up_quickly)
{
    static const char *const bad[] = { "^(a+)+$", "^(a|aa)+$", "(a*)*[bc]", "(?:.*a){25}[cd]", "^(\\w+\\s?)*$" };
    char text[4097];
    memset(text, 'a', sizeof text - 1);
    text[4095] = '!';
    text[4096] = 0;
    for (size_t i = 0; i < FF_COUNT(bad); i++) {
        one o;
        one_open(&o, bad[i], NULL, 0, false);
        struct timespec from;
        clock_gettime(CLOCK_MONOTONIC, &from);
        CHECK(!try_text(&o, lit(text)));
        CHECK(o.limit);
        CHECK(seconds_since(from) < 0.5);
        CHECK(!try_text(&o, lit("!"))); /* usable afterwards */
        CHECK(!o.limit);
        one_close(&o);
    }
}

TEST(an_honest_pattern_on_a_long_line_does_not_give_up)
{
    size_t n = FF_CAP_LINE;
    char *text = malloc(n);
    memset(text, 'x', n);
    memcpy(text, "rank ", 5);
    memcpy(text + n - 4, " nan", 4);
    one o;
    one_open(&o, "rank.*iteration.*nan|rank .* nan$", NULL, 0, false);
    CHECK(try_text(&o, (ff_bytes){ text, n }));
    CHECK(!o.limit);
    one_close(&o);
    free(text);
}

static void refused(const char *pattern, ff_field_decl *fields, uint32_t n, const char *want)
{
    ff_signature s = { .pattern = lit(pattern), .fields = fields, .n_fields = n };
    ff_error error = { { 0 } };
    CHECK(!ff_signature_compiles(&s, &error));
    CHECK_TEXT(lit(error.text), want);
}

TEST(what_is_wrong_with_a_pattern_is_said)
{
    ff_field_decl a[] = { { lit("a"), FF_FIELD_TEXT } };
    refused("(", NULL, 0, "pattern is not valid at offset 1: missing closing parenthesis");
    refused("", NULL, 0, "pattern is empty");
    refused("(?<b>x)(?<a>y)", a, 1, "group \"b\" of the pattern is not in fields");
    refused("x", a, 1, "field \"a\" is not a named group of the pattern");
    ff_signature good = { .pattern = lit("(?<a>x)"), .fields = a, .n_fields = 1 };
    CHECK(ff_signature_compiles(&good, NULL));
}

TEST(needles_of_a_signature_are_found_as_its_case_says)
{
    ff_bytes needles[] = { FF_LIT("Timed Out"), FF_LIT("lost") };
    ff_signature s = { .needles = needles, .n_needles = 2 };
    CHECK(ff_signature_has_needle(&s, lit("is lost")));
    CHECK(!ff_signature_has_needle(&s, lit("timed out")));
    s.nocase = true;
    CHECK(ff_signature_has_needle(&s, lit("timed out")));
    CHECK(!ff_signature_has_needle(&s, lit("los")));
}

TEST(rule_code_can_try_patterns)
{
    ff_pattern_shelf *shelf = ff_pattern_shelf_open();
    ff_capture c[4];
    uint32_t n = 0;
    ff_error error = { { 0 } };
    CHECK(ff_pattern_try(shelf, lit("(\\d+)(x)?-(\\d+)"), lit("ab 12-345"), c, 4, &n, NULL) == FF_OK);
    CHECK_INT(n, 4);
    CHECK_INT(c[1].from, 3);
    CHECK_INT(c[1].to, 5);
    CHECK(!c[2].set);
    CHECK_INT(c[3].to, 9);
    CHECK(ff_pattern_try(shelf, lit("zzz"), lit("ab"), c, 4, &n, NULL) == FF_OK);
    CHECK_INT(n, 0);
    CHECK(ff_pattern_try(shelf, lit("("), lit("ab"), c, 4, &n, &error) == FF_BAD);
    CHECK(ff_starts(lit(error.text), FF_LIT("pattern is not valid")));
    for (int i = 0; i < 200; i++) { /* more patterns than the shelf holds */
        char pattern[16];
        snprintf(pattern, sizeof pattern, "^%d$", i);
        CHECK(ff_pattern_try(shelf, lit(pattern), lit(pattern + 1), c, 4, &n, NULL) == FF_OK);
        CHECK_INT(n, 0);
    }
    ff_pattern_shelf_close(shelf);
}

/* ---- field values ---- */

static ff_arena arena;

static const char *read_as(ff_field_type type, const char *text)
{
    ff_field f = { .name = lit("f") };
    if (!ff_field_read(type, lit(text), &arena, &f))
        return "refused";
    return ff_arena_str(&arena, f.s);
}

TEST(names_get_one_spelling)
{
    static const struct {
        ff_field_type type;
        const char *text, *want;
    } rows[] = {
        { FF_FIELD_PCI, "PCI:0000:3b:00", "0000:3b:00" },
        { FF_FIELD_PCI, "00000000:3B:00.0", "0000:3b:00" },
        { FF_FIELD_PCI, "3b:00.0", "0000:3b:00" },
        { FF_FIELD_PCI, "3b:00", "0000:3b:00" },
        { FF_FIELD_PCI, " 0000:C1:1f.7 ", "0000:c1:1f" },
        { FF_FIELD_PCI, "10000:e1:00.0", "10000:e1:00" },
        { FF_FIELD_PCI, "0000:3b:20", "refused" },
        { FF_FIELD_PCI, "0000:3b:00.8", "refused" },
        { FF_FIELD_PCI, "0000:3b", "refused" },
        { FF_FIELD_PCI, "0000:3b:00:1", "refused" },
        { FF_FIELD_PCI, "", "refused" },
        { FF_FIELD_POD_UID, "1f0a_22", "1f0a-22" },
        { FF_FIELD_POD_UID, "pod3f2504e0_4f89_11d3_9a0c_0305e82c3301.slice", "3f2504e0-4f89-11d3-9a0c-0305e82c3301" },
        { FF_FIELD_POD_UID, "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "3f2504e0-4f89-11d3-9a0c-0305e82c3301" },
        { FF_FIELD_CONTAINER, "containerd://abc123", "abc123" },
        { FF_FIELD_CONTAINER, "cri-containerd-abc123.scope", "abc123" },
        { FF_FIELD_CONTAINER, "abc/123", "refused" },
        { FF_FIELD_UUID, "GPU-5f0c", "GPU-5f0c" },
        { FF_FIELD_UUID, "3F2504E0-4F89-11D3-9A0C-0305E82C3301", "GPU-3f2504e0-4f89-11d3-9a0c-0305e82c3301" },
        { FF_FIELD_UUID, "5f0c", "refused" },
        { FF_FIELD_HOST, "gpu-a01", "gpu-a01" },
        { FF_FIELD_HOST, "gpu a01", "refused" },
        { FF_FIELD_TEXT, " as it is ", " as it is " },
        { FF_FIELD_TEXT, "", "" },
        { FF_FIELD_PROCESS, "", "refused" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++)
        CHECK_TEXT(lit(read_as(rows[i].type, rows[i].text)), rows[i].want);
}

TEST(numbers_that_do_not_fit_are_refused)
{
    static const struct {
        ff_field_type type;
        const char *text;
        bool fits;
        int64_t value;
    } rows[] = {
        { FF_FIELD_INT, "9223372036854775807", true, INT64_MAX },
        { FF_FIELD_INT, "9223372036854775808", false, 0 },
        { FF_FIELD_INT, "-12", true, -12 },
        { FF_FIELD_INT, "+12", true, 12 },
        { FF_FIELD_INT, "+-12", false, 0 },
        { FF_FIELD_INT, "12kB", false, 0 },
        { FF_FIELD_INT, "", false, 0 },
        { FF_FIELD_HEX, "0x100000", true, 0x100000 },
        { FF_FIELD_HEX, "ff", true, 255 },
        { FF_FIELD_HEX, "7fffffffffffffff", true, INT64_MAX },
        { FF_FIELD_HEX, "ffffffffffffffff", false, 0 },
        { FF_FIELD_RANK, "2147483647", true, INT32_MAX },
        { FF_FIELD_RANK, "2147483648", false, 0 },
        { FF_FIELD_PID, "-1", false, 0 },
        { FF_FIELD_GPU, "7", true, 7 },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_field f = { .i = 0 };
        CHECK(ff_field_read(rows[i].type, lit(rows[i].text), &arena, &f) == rows[i].fits);
        CHECK_INT(f.i, rows[i].value);
    }
}

TEST(floats_are_plain_decimals)
{
    static const struct {
        const char *text;
        bool fits;
    } rows[] = {
        { "12.5", true }, { "-0.25", true },  { ".5", true },     { "5.", true },
        { "1e-3", true }, { "1e999", false }, { "0x1p4", false }, { "nan", false },
        { "inf", false }, { "1.2.3", false }, { "1e", false },    { "", false },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_field f = { .i = 0 };
        CHECK(ff_field_read(FF_FIELD_FLOAT, lit(rows[i].text), &arena, &f) == rows[i].fits);
        CHECK(f.is_float == rows[i].fits);
    }
    ff_field f = { .i = 0 };
    CHECK(ff_field_read(FF_FIELD_FLOAT, lit("-12.5"), &arena, &f));
    CHECK(f.f == -12.5);
}

TEST(fields_say_who)
{
    ff_who who = FF_WHO_NOBODY;
    static const struct {
        ff_field_type type;
        const char *text;
    } rows[] = {
        { FF_FIELD_PCI, "3b:00" },    { FF_FIELD_PID, "41" },     { FF_FIELD_RANK, "3" },
        { FF_FIELD_LOCAL_RANK, "1" }, { FF_FIELD_GPU, "2" },      { FF_FIELD_UUID, "GPU-1" },
        { FF_FIELD_HOST, "n1" },      { FF_FIELD_POD, "ns/p" },   { FF_FIELD_POD_UID, "u" },
        { FF_FIELD_CONTAINER, "c1" }, { FF_FIELD_CGROUP, "/kb" }, { FF_FIELD_PROCESS, "python3" },
        { FF_FIELD_INT, "99" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_field f = { .i = 0 };
        CHECK(ff_field_read(rows[i].type, lit(rows[i].text), &arena, &f));
        ff_field_into_who(&f, &who);
    }
    CHECK_TEXT(who.gpu, "0000:3b:00");
    CHECK_INT(who.pid, 41);
    CHECK_INT(who.rank, 3);
    CHECK_INT(who.local_rank, 1);
    CHECK_INT(who.gpu_index, 2);
    CHECK_TEXT(who.gpu_uuid, "GPU-1");
    CHECK_TEXT(who.host, "n1");
    CHECK_TEXT(who.pod, "ns/p");
    CHECK_TEXT(who.pod_uid, "u");
    CHECK_TEXT(who.container, "c1");
    CHECK_TEXT(who.cgroup, "/kb");
    CHECK_TEXT(who.process, "python3");
}

TEST(versions_are_named)
{
    CHECK(ff_starts(lit(ff_match_library_version()), FF_LIT("vectorscan 5.")));
    CHECK(ff_contains(lit(ff_match_library_version()), FF_LIT(", pcre2 10.")));
}

int main(void)
{
    ff_arena_init(&arena);
    RUN(captures_are_typed);
    RUN(the_same_name_may_stand_in_each_branch);
    RUN(anchors_are_the_ends_of_any_line_of_the_payload);
    RUN(case_is_ignored_on_request);
    RUN(invalid_utf8_is_only_a_hole);
    RUN(a_catastrophic_pattern_gives_up_quickly);
    RUN(an_honest_pattern_on_a_long_line_does_not_give_up);
    RUN(what_is_wrong_with_a_pattern_is_said);
    RUN(needles_of_a_signature_are_found_as_its_case_says);
    RUN(rule_code_can_try_patterns);
    RUN(names_get_one_spelling);
    RUN(numbers_that_do_not_fit_are_refused);
    RUN(floats_are_plain_decimals);
    RUN(fields_say_who);
    RUN(versions_are_named);
    ff_arena_done(&arena);
    return DONE();
}
