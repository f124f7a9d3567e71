/* JSON out, digests, and errors: the bytes are the contract. */
#include "../analyzer/base/digest.h"
#include "../analyzer/base/json.h"

#include "check.h"

TEST(layout)
{
    ff_text t;
    ff_json j;
    ff_text_init(&t, 0);
    ff_json_init(&j, &t);
    ff_json_open(&j, NULL, '{');
    ff_json_str(&j, "a", "x");
    ff_json_str(&j, "none", NULL);
    ff_json_open(&j, "list", '[');
    ff_json_int(&j, NULL, -5);
    ff_json_bool(&j, NULL, true);
    ff_json_null(&j, NULL);
    ff_json_close(&j, ']');
    ff_json_open(&j, "empty", '{');
    ff_json_close(&j, '}');
    ff_json_open(&j, "also", '[');
    ff_json_close(&j, ']');
    ff_json_big(&j, "big", INT64_MIN);
    ff_json_utc(&j, "at", true, INT64_C(1773211292000000000));
    ff_json_utc(&j, "unknown", false, 5);
    ff_json_key(&j, FF_LIT("from \"data\""));
    ff_json_bytes(&j, NULL, FF_LIT("v"));
    ff_json_close(&j, '}');
    CHECK_TEXT(ff_text_view(&t), "{\n \"a\": \"x\",\n \"none\": null,\n \"list\": [\n  -5,\n  true,\n  null\n ],\n"
                                 " \"empty\": {},\n \"also\": [],\n \"big\": \"-9223372036854775808\",\n"
                                 " \"at\": \"2026-03-11T06:41:32.000000000Z\",\n \"unknown\": null,\n"
                                 " \"from \\\"data\\\"\": \"v\"\n}");
    ff_text_done(&t);
}

TEST(compact)
{
    ff_text t;
    ff_json j;
    ff_text_init(&t, 0);
    ff_json_init(&j, &t);
    j.compact = true;
    ff_json_open(&j, NULL, '[');
    ff_json_open(&j, NULL, '{');
    ff_json_int(&j, "a", 1);
    ff_json_int(&j, "b", INT64_MAX);
    ff_json_close(&j, '}');
    ff_json_open(&j, NULL, '[');
    ff_json_close(&j, ']');
    ff_json_close(&j, ']');
    CHECK_TEXT(ff_text_view(&t), "[{\"a\":1,\"b\":9223372036854775807},[]]");
    ff_text_done(&t);
}

TEST(strings_are_escaped_and_clean)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "", "\"\"" },
        { "a\"b\\c\td/", "\"a\\\"b\\\\c\\td/\"" },
        { "\x01\n\xff", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
        { "\xe6\x97\xa5", "\"\xe6\x97\xa5\"" },
        { "</script>", "\"</script>\"" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_text t;
        ff_json j;
        ff_text_init(&t, 0);
        ff_json_init(&j, &t);
        ff_json_bytes(&j, NULL, ff_str(rows[i].in));
        CHECK_TEXT(ff_text_view(&t), rows[i].out);
        ff_text_done(&t);
    }
}

TEST(deep_levels_keep_their_commas)
{
    ff_text t;
    ff_json j;
    ff_text_init(&t, 0);
    ff_json_init(&j, &t);
    j.compact = true;
    for (int i = 0; i < 40; i++)
        ff_json_open(&j, NULL, '[');
    for (int i = 0; i < 40; i++) {
        ff_json_int(&j, NULL, i);
        ff_json_int(&j, NULL, i);
        ff_json_close(&j, ']');
    }
    CHECK(ff_starts(ff_text_view(&t), FF_LIT("[[[[")));
    CHECK(ff_ends(ff_text_view(&t), FF_LIT("37,37],38,38],39,39]")));
    ff_text_done(&t);
}

static void check_sha(ff_bytes in, const char *want)
{
    uint8_t digest[32];
    char hex[65];
    ff_sha256(in, digest);
    ff_hex(digest, sizeof digest, hex);
    CHECK_TEXT(ff_str(hex), want);
}

/* FIPS 180-4 examples. */
TEST(sha256_known_vectors)
{
    check_sha((ff_bytes){ 0 }, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check_sha(FF_LIT("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check_sha(FF_LIT("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
              "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(hex)
{
    static const uint8_t bytes[] = { 0x00, 0x0f, 0xf0, 0xff };
    char out[9];
    ff_hex(bytes, 4, out);
    CHECK_TEXT(ff_str(out), "000ff0ff");
    ff_hex(bytes, 0, out);
    CHECK_TEXT(ff_str(out), "");
}

/* XXH3 of 128 bits, seed 0; the empty input is in xxHash's own test vectors. */
TEST(print_does_not_depend_on_pieces)
{
    ff_printer *p = ff_printer_open();
    ff_print128 empty = ff_printer_value(p);
    CHECK(empty.low == UINT64_C(0x6001C324468D497F));
    CHECK(empty.high == UINT64_C(0x99AA06D3014798D8));
    char text[5000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * 31 % 251);
    ff_printer_add(p, (ff_bytes){ text, sizeof text });
    ff_print128 whole = ff_printer_value(p);
    ff_printer_restart(p);
    CHECK(ff_printer_value(p).low == empty.low);
    for (size_t i = 0; i < sizeof text; i += 7)
        ff_printer_add(p, (ff_bytes){ text + i, i + 7 <= sizeof text ? 7 : sizeof text - i });
    ff_printer_add(p, (ff_bytes){ 0 });
    CHECK(ff_printer_value(p).low == whole.low && ff_printer_value(p).high == whole.high);
    CHECK(whole.low != empty.low);
    ff_printer_close(p);
    ff_printer_close(NULL);
}

TEST(first_error_is_kept)
{
    ff_error error = { { 0 } };
    CHECK_INT(ff_fail(&error, "cannot open %s: %d", "x.tar", 2), FF_FATAL);
    CHECK_TEXT(ff_str(error.text), "cannot open x.tar: 2");
    CHECK_INT(ff_fail(&error, "second"), FF_FATAL);
    CHECK_TEXT(ff_str(error.text), "cannot open x.tar: 2");
    CHECK_INT(ff_fail(NULL, "nobody listens"), FF_FATAL);
    ff_error large = { { 0 } };
    CHECK_INT(ff_fail(&large, "%5000d", 1), FF_FATAL);
    CHECK_INT(strlen(large.text), sizeof large.text - 1);
}

int main(void)
{
    RUN(layout);
    RUN(compact);
    RUN(strings_are_escaped_and_clean);
    RUN(deep_levels_keep_their_commas);
    RUN(sha256_known_vectors);
    RUN(hex);
    RUN(print_does_not_depend_on_pieces);
    RUN(first_error_is_kept);
    return DONE();
}
