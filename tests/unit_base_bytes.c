/* The cursor that all text parsing uses: a take either fits and moves, or leaves everything alone. */
#include "../analyzer/base/bytes.h"

#include "check.h"

#define EMPTY ((ff_bytes){ 0 })

TEST(views)
{
    CHECK(ff_is_empty(ff_str(NULL)));
    CHECK(ff_is_empty(ff_str("")));
    CHECK_INT(ff_str("abc").n, 3);
    CHECK(ff_equal(EMPTY, ff_str("")));
    CHECK(ff_equal(FF_LIT("a\0b"), FF_LIT("a\0b")));
    CHECK(!ff_equal(FF_LIT("a\0b"), FF_LIT("a\0c")));
    CHECK(!ff_equal(FF_LIT("ab"), FF_LIT("abc")));
    CHECK(ff_equal_nocase(FF_LIT("GPU-a01"), FF_LIT("gpu-A01")));
    CHECK(!ff_equal_nocase(FF_LIT("\xc3\x84"), FF_LIT("\xc3\xa4"))); /* ASCII only */
    CHECK(!ff_equal_nocase(FF_LIT("@"), FF_LIT("`")));
    CHECK_TEXT(ff_skip_n(FF_LIT("abc"), 1), "bc");
    CHECK_TEXT(ff_skip_n(FF_LIT("abc"), 9), "");
    CHECK_TEXT(ff_first_n(FF_LIT("abc"), 2), "ab");
    CHECK_TEXT(ff_first_n(FF_LIT("abc"), 9), "abc");
    CHECK_INT(ff_skip_n(EMPTY, 4).n, 0);
}

TEST(comparing)
{
    CHECK_INT(ff_compare(FF_LIT("a"), FF_LIT("b")), -1);
    CHECK_INT(ff_compare(FF_LIT("b"), FF_LIT("a")), 1);
    CHECK_INT(ff_compare(FF_LIT("ab"), FF_LIT("ab")), 0);
    CHECK_INT(ff_compare(FF_LIT("a"), FF_LIT("ab")), -1);  /* a prefix sorts first */
    CHECK_INT(ff_compare(FF_LIT("\xff"), FF_LIT("a")), 1); /* bytes, not signed characters */
    CHECK_INT(ff_compare(EMPTY, EMPTY), 0);
    CHECK_INT(ff_compare(EMPTY, FF_LIT("a")), -1);
}

TEST(searching)
{
    CHECK_INT(ff_find(FF_LIT("hay needle"), FF_LIT("needle")), 4);
    CHECK_INT(ff_find(FF_LIT("aab"), FF_LIT("ab")), 1);
    CHECK_INT(ff_find(FF_LIT("hay"), FF_LIT("hayx")), 4); /* n + 1: absent */
    CHECK_INT(ff_find(FF_LIT("hay"), EMPTY), 0);
    CHECK_INT(ff_find(EMPTY, FF_LIT("a")), 1);
    CHECK_INT(ff_find(EMPTY, EMPTY), 0);
    CHECK_INT(ff_find(FF_LIT("a\0b\0c"), FF_LIT("\0c")), 3);
    CHECK(ff_contains(FF_LIT("abc"), FF_LIT("c")));
    CHECK(!ff_contains(FF_LIT("abc"), FF_LIT("d")));
    CHECK(ff_starts(FF_LIT("abc"), FF_LIT("ab")));
    CHECK(ff_starts(FF_LIT("abc"), EMPTY));
    CHECK(!ff_starts(FF_LIT("ab"), FF_LIT("abc")));
    CHECK(ff_ends(FF_LIT("abc"), FF_LIT("bc")));
    CHECK(ff_ends(EMPTY, EMPTY));
    CHECK(!ff_ends(FF_LIT("bc"), FF_LIT("abc")));
}

TEST(trimming)
{
    CHECK_TEXT(ff_trim(FF_LIT(" \t\r\nab c\r\n ")), "ab c");
    CHECK_TEXT(ff_trim(FF_LIT(" \t\r\n")), "");
    CHECK_INT(ff_trim(EMPTY).n, 0);
}

/* Ids that reports carry are made of it, so the value must not change: FNV-1a with its high bits folded in. */
TEST(hash_is_stable)
{
    CHECK(ff_hash(EMPTY) == UINT64_C(0xCBF29CE2DBB6C401));
    CHECK(ff_hash(FF_LIT("a")) == UINT64_C(0xAF63DC49FD1F0EE8));
    CHECK(ff_hash(FF_LIT("ab")) != ff_hash(FF_LIT("ba")));
    CHECK(ff_hash(FF_LIT("\xff")) != ff_hash(FF_LIT("\x7f")));
}

TEST(lines)
{
    ff_bytes in = FF_LIT("one\r\n\ntwo\rmid\nlast"), line = EMPTY;
    CHECK(ff_take_line(&in, &line));
    CHECK_TEXT(line, "one");
    CHECK(ff_take_line(&in, &line));
    CHECK_TEXT(line, "");
    CHECK(ff_take_line(&in, &line));
    CHECK_TEXT(line, "two\rmid");
    CHECK(ff_take_line(&in, &line));
    CHECK_TEXT(line, "last");
    CHECK(!ff_take_line(&in, &line));
    CHECK_TEXT(line, "last");
    in = FF_LIT("a\r");
    CHECK(ff_take_line(&in, &line));
    CHECK_INT(in.n, 0);
}

TEST(line_without_newline_is_returned_once)
{
    ff_bytes in = FF_LIT("\n"), line = FF_LIT("x");
    CHECK(ff_take_line(&in, &line));
    CHECK_INT(line.n, 0);
    CHECK(!ff_take_line(&in, &line));
}

TEST(words_and_literals)
{
    ff_bytes in = FF_LIT("key=a.b-c_9 rest"), out = EMPTY;
    CHECK(!ff_take_lit(&in, FF_LIT("keys")));
    CHECK(ff_take_lit(&in, FF_LIT("key")));
    CHECK(!ff_take_char(&in, ':'));
    CHECK(ff_take_char(&in, '='));
    CHECK(ff_take_name(&in, &out));
    CHECK_TEXT(out, "a.b-c_9");
    CHECK(!ff_take_word(&in, &out));
    CHECK(ff_take_spaces(&in));
    CHECK(ff_take_word(&in, &out));
    CHECK_TEXT(out, "rest");
    CHECK(!ff_take_word(&in, &out));
    CHECK(!ff_take_name(&in, &out));
    CHECK(!ff_take_char(&in, 'x'));
    CHECK(ff_take_spaces(&in));
    CHECK_TEXT(out, "rest");
}

TEST(until)
{
    ff_bytes in = FF_LIT("a]b"), out = FF_LIT("old");
    CHECK(!ff_take_until(&in, '|', &out));
    CHECK_TEXT(out, "old");
    CHECK_TEXT(in, "a]b");
    CHECK(ff_take_until(&in, ']', &out));
    CHECK_TEXT(out, "a");
    CHECK_TEXT(in, "b");
    in = EMPTY;
    CHECK(!ff_take_until(&in, ']', &out));
}

typedef struct number {
    const char *text;
    bool ok;
    uint64_t value;
    const char *rest;
} number;

static void check_numbers(bool (*function)(ff_bytes *, uint64_t *), const number *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ff_bytes in = ff_str(rows[i].text);
        uint64_t out = 77;
        CHECK_INT(function(&in, &out), rows[i].ok);
        CHECK(out == (rows[i].ok ? rows[i].value : 77));
        CHECK_TEXT(in, rows[i].rest);
    }
}

TEST(decimal_numbers)
{
    static const number rows[] = {
        { "0", true, 0, "" },
        { "42kB", true, 42, "kB" },
        { "0007x", true, 7, "x" },
        { "18446744073709551615 x", true, UINT64_MAX, " x" },
        { "18446744073709551616", false, 0, "18446744073709551616" },
        { "99999999999999999999999", false, 0, "99999999999999999999999" },
        { "-1", false, 0, "-1" },
        { "", false, 0, "" },
        { "x", false, 0, "x" },
    };
    check_numbers(ff_take_uint, rows, FF_COUNT(rows));
}

TEST(hex_numbers)
{
    static const number rows[] = {
        { "0x100000 pages", true, 0x100000, " pages" },
        { "DEADbeefg", true, 0xdeadbeef, "g" },
        { "ffffffffffffffff", true, UINT64_MAX, "" },
        { "10000000000000000", false, 0, "10000000000000000" },
        { "0x", true, 0, "x" },
        { "0xg", true, 0, "xg" },
        { "0X1f", true, 0x1f, "" },
        { "", false, 0, "" },
        { "g", false, 0, "g" },
    };
    check_numbers(ff_take_hex, rows, FF_COUNT(rows));
}

TEST(signed_numbers)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } rows[] = {
        { "-5", true, -5 },
        { "5", true, 5 },
        { "9223372036854775807", true, INT64_MAX },
        { "-9223372036854775807", true, -INT64_MAX },
        { "9223372036854775808", false, 0 },
        { "-", false, 0 },
        { "--5", false, 0 },
        { "+5", false, 0 },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes in = ff_str(rows[i].text);
        int64_t out = 77;
        CHECK_INT(ff_take_int(&in, &out), rows[i].ok);
        CHECK_INT(out, rows[i].ok ? rows[i].value : 77);
        CHECK_INT(in.n, rows[i].ok ? 0 : strlen(rows[i].text));
    }
}

TEST(exact_digits)
{
    ff_bytes in = FF_LIT("20260101T");
    int64_t n = 0;
    CHECK(ff_take_digits(&in, 4, &n));
    CHECK_INT(n, 2026);
    CHECK(!ff_take_digits(&in, 5, &n));
    CHECK_INT(n, 2026);
    CHECK(ff_take_digits(&in, 4, &n));
    CHECK_INT(n, 101);
    CHECK(!ff_take_digits(&in, 1, &n));
    CHECK(!ff_take_digits(&in, 0, &n));
    in = FF_LIT("99999999999999999999");
    CHECK(ff_take_digits(&in, 18, &n));
    CHECK_INT(n, INT64_C(999999999999999999));
    in = FF_LIT("9999999999999999999999");
    CHECK(!ff_take_digits(&in, 20, &n));
}

TEST(seconds)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t ns;
        const char *rest;
    } rows[] = {
        { "12345.678901] x", true, INT64_C(12345678901000), "] x" },
        { "7 x", true, INT64_C(7000000000), " x" },
        { "7.", true, INT64_C(7000000000), "." },
        { "0.1234567899", true, 123456789, "" },
        { "0.000001", true, 1000, "" },
        { ".5", false, 0, ".5" },
        { "-1.5", false, 0, "-1.5" },
        { "9223372035.5", true, INT64_C(9223372035500000000), "" },
        { "9223372036.0", false, 0, "9223372036.0" },
        { "99999999999999999999.0", false, 0, "99999999999999999999.0" },
        { "", false, 0, "" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes in = ff_str(rows[i].text);
        int64_t out = 77;
        CHECK_INT(ff_take_seconds(&in, &out), rows[i].ok);
        CHECK_INT(out, rows[i].ok ? rows[i].ns : 77);
        CHECK_TEXT(in, rows[i].rest);
    }
}

TEST(fractions)
{
    static const struct {
        const char *text;
        int64_t ns, grain;
        const char *rest;
    } rows[] = {
        { ".5 x", 500000000, 100000000, " x" },
        { ",123456+", 123456000, 1000, "+" },
        { ".123456789", 123456789, 1, "" },
        { ".1234567899Z", 123456789, 1, "Z" },
        { ".000", 0, 1000000, "" },
        { ". x", 0, 1000000000, ". x" },
        { "x", 0, 1000000000, "x" },
        { "", 0, 1000000000, "" },
        { ".", 0, 1000000000, "." },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_bytes in = ff_str(rows[i].text);
        int64_t ns = -1, grain = -1;
        ff_take_fraction(&in, &ns, &grain);
        CHECK_INT(ns, rows[i].ns);
        CHECK_INT(grain, rows[i].grain);
        CHECK_TEXT(in, rows[i].rest);
    }
}

TEST(last_parts_of_names)
{
    static const struct {
        const char *text, *after, *base;
    } rows[] = { { "", "", "" },   { "a", "a", "a" },    { "a/b.c", "b.c", "b.c" },  { "/", "", "" },
                 { "//", "", "" }, { "/x/y/", "", "y" }, { "ns/pod", "pod", "pod" }, { "a//", "", "a" } };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        CHECK_TEXT(ff_after_last(ff_str(rows[i].text), '/'), rows[i].after);
        CHECK_TEXT(ff_base_name(ff_str(rows[i].text)), rows[i].base);
    }
}

int main(void)
{
    RUN(views);
    RUN(comparing);
    RUN(searching);
    RUN(trimming);
    RUN(hash_is_stable);
    RUN(lines);
    RUN(line_without_newline_is_returned_once);
    RUN(words_and_literals);
    RUN(until);
    RUN(decimal_numbers);
    RUN(hex_numbers);
    RUN(signed_numbers);
    RUN(exact_digits);
    RUN(seconds);
    RUN(fractions);
    RUN(last_parts_of_names);
    return DONE();
}
