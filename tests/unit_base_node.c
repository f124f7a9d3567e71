/* Document trees and the JSON reader. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "../analyzer/base/node.h"

static ff_tree tree;
static size_t end_of;

static ff_status read_bytes(ff_bytes text)
{
    ff_tree_done(&tree);
    ff_tree_init(&tree, text);
    return ff_json_read(&tree, &end_of);
}

static ff_status read_text(const char *text) { return read_bytes(ff_str(text)); }

static ff_bytes text_at(const char *path) { return ff_node_text(&tree, ff_node_path(&tree, 0, path)); }

static int64_t int_at(const char *path)
{
    int64_t value = -999;
    (void)ff_node_int(&tree, ff_node_path(&tree, 0, path), &value);
    return value;
}

TEST(plain_document_is_read)
{
    CHECK_INT(read_text("{\"a\": [1, -2, 3.5, true, false, null, \"x\"], \"b\": {\"c\": \"d\"}}\n"), FF_OK);
    CHECK_INT(ff_node_count(&tree, ff_node_get(&tree, 0, "a")), 7);
    CHECK_INT(int_at("a.0"), 1);
    CHECK_INT(int_at("a.1"), -2);
    CHECK(ff_node_at(&tree, ff_node_path(&tree, 0, "a.2"))->v.f == 3.5);
    CHECK(ff_node_true(&tree, ff_node_path(&tree, 0, "a.3")));
    CHECK(!ff_node_true(&tree, ff_node_path(&tree, 0, "a.4")));
    CHECK_INT(ff_node_at(&tree, ff_node_path(&tree, 0, "a.5"))->kind, FF_NODE_NULL);
    CHECK_TEXT(text_at("a.6"), "x");
    CHECK_TEXT(text_at("b.c"), "d");
    CHECK_TEXT(ff_node_key(&tree, 0, 1), "b");
    CHECK(!tree.truncated);
}

TEST(strings_are_unescaped)
{
    CHECK_INT(
        read_text("[\"a\\n\\t\\\"\\\\\\/\", \"\\u00e9\\u20ac\", \"\\ud83d\\ude00\", \"\\ud83d!\", \"\\q\\u12\"]"),
        FF_OK);
    CHECK_TEXT(text_at("0"), "a\n\t\"\\/");
    CHECK_TEXT(text_at("1"), "\xc3\xa9\xe2\x82\xac");
    CHECK_TEXT(text_at("2"), "\xf0\x9f\x98\x80");
    CHECK_TEXT(text_at("3"), "\xef\xbf\xbd!");
    CHECK_TEXT(text_at("4"), "\\q\\u12");
}

TEST(numbers_keep_their_value)
{
    CHECK_INT(
        read_text(
            "[9223372036854775807, -9223372036854775808, 18446744073709551615, 1e3, 1.5e-3, 0.1, 1796021583531939827,"
            "12345678901234567890123]"),
        FF_OK);
    CHECK_INT(int_at("0"), INT64_MAX);
    CHECK_INT(int_at("1"), INT64_MIN);
    CHECK_TEXT(text_at("2"), "18446744073709551615");
    CHECK_INT(int_at("3"), 1000);
    CHECK(ff_node_at(&tree, ff_node_path(&tree, 0, "4"))->v.f == 1.5e-3);
    CHECK(ff_node_at(&tree, ff_node_path(&tree, 0, "5"))->v.f == 0.1);
    CHECK_INT(int_at("6"), INT64_C(1796021583531939827));
    CHECK_TEXT(text_at("7"), "12345678901234567890123");
}

TEST(words_that_json_does_not_know_are_numbers)
{
    CHECK_INT(read_text("{\"a\": NaN, \"b\": -Infinity, \"c\": Infinity, \"d\": None, \"e\": True}"), FF_OK);
    CHECK(isnan(ff_node_at(&tree, ff_node_get(&tree, 0, "a"))->v.f));
    CHECK(ff_node_at(&tree, ff_node_get(&tree, 0, "b"))->v.f == -(double)INFINITY);
    CHECK(ff_node_at(&tree, ff_node_get(&tree, 0, "c"))->v.f == (double)INFINITY);
    CHECK_INT(ff_node_at(&tree, ff_node_get(&tree, 0, "d"))->kind, FF_NODE_NULL);
    CHECK(ff_node_true(&tree, ff_node_get(&tree, 0, "e")));
    int64_t value = 7;
    CHECK(!ff_node_int(&tree, ff_node_get(&tree, 0, "a"), &value));
    CHECK(!ff_node_int(&tree, ff_node_get(&tree, 0, "c"), &value));
    CHECK_INT(value, 7);
}

TEST(missing_and_surplus_commas_cost_nothing)
{
    CHECK_INT(read_text("{\"ranks\": [{\"r\": 0} {\"r\": 1}, {\"r\": 2},], \"n\": 3 \"m\": 4,}"), FF_OK);
    CHECK_INT(ff_node_count(&tree, ff_node_get(&tree, 0, "ranks")), 3);
    CHECK_INT(int_at("ranks.1.r"), 1);
    CHECK_INT(int_at("n"), 3);
    CHECK_INT(int_at("m"), 4);
    CHECK(!tree.truncated);
}

TEST(missing_value_is_null)
{
    CHECK_INT(read_text("{\"a\":, \"b\": 2}"), FF_OK);
    CHECK_INT(ff_node_at(&tree, ff_node_get(&tree, 0, "a"))->kind, FF_NODE_NULL);
    CHECK_INT(int_at("b"), 2);
}

TEST(garbage_costs_only_its_piece)
{
    CHECK_INT(read_text("{\"a\": 1, \"b\": <oops>, \"c\": 3}"), FF_OK);
    CHECK_INT(int_at("a"), 1);
    CHECK_INT(int_at("c"), 3);
    CHECK(tree.truncated);
    CHECK(tree.problem != NULL);
    CHECK_INT(tree.problem_at, 14);
}

TEST(text_that_is_no_json_is_bad)
{
    CHECK_INT(read_text("hello world"), FF_BAD);
    CHECK_INT(read_text(""), FF_BAD);
    CHECK_INT(read_text("   "), FF_BAD);
    CHECK_INT(read_text("nothing"), FF_BAD);
    CHECK_INT(read_text("]"), FF_BAD);
    CHECK_INT(read_bytes((ff_bytes){ "\0\0\0", 3 }), FF_BAD);
}

TEST(cut_end_keeps_what_was_read)
{
    CHECK_INT(read_text("{\"entries\": [{\"seq\": 1, \"op\": \"all_reduce\"}, {\"seq\": 2, \"op\": \"bro"), FF_OK);
    CHECK(tree.truncated);
    CHECK_INT(ff_node_count(&tree, ff_node_get(&tree, 0, "entries")), 2);
    CHECK_TEXT(text_at("entries.0.op"), "all_reduce");
    CHECK_TEXT(text_at("entries.1.op"), "bro");
    CHECK_INT(read_text("{\"a\": 1, \"b\":"), FF_OK);
    CHECK_INT(ff_node_count(&tree, 0), 1);
}

TEST(objects_stand_back_to_back)
{
    const char *text = "{\"a\": 1}\n{\"a\": 2} {\"a\": 3}x";
    ff_bytes rest = ff_str(text);
    for (int i = 1; i <= 3; i++) {
        CHECK_INT(read_bytes(rest), FF_OK);
        CHECK_INT(int_at("a"), i);
        rest = ff_skip_n(rest, end_of);
    }
    CHECK_TEXT(rest, "x");
}

TEST(invalid_utf8_is_kept)
{
    CHECK_INT(read_text("[\"a\xff\xfe\x80z\"]"), FF_OK);
    CHECK_TEXT(text_at("0"), "a\xff\xfe\x80z");
}

TEST(places_are_offsets_and_lines)
{
    CHECK_INT(read_text("{\n \"a\": 1,\n \"b\": [\n  2 ]\n}"), FF_OK);
    uint32_t b = ff_node_get(&tree, 0, "b");
    CHECK_INT(ff_node_at(&tree, b)->at, 17);
    CHECK_INT(ff_node_line(&tree, b), 3);
    CHECK_INT(ff_node_line(&tree, ff_node_item(&tree, b, 0)), 4);
    CHECK_INT(ff_node_line(&tree, 0), 1);
}

TEST(nesting_is_capped)
{
    enum { DEEP = 100000 };
    char *text = malloc(2 * DEEP + 1);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    CHECK_INT(read_bytes((ff_bytes){ text, 2 * DEEP }), FF_OK);
    CHECK(tree.truncated);
    CHECK_INT(tree.n_nodes, FF_CAP_NESTING + 1);
    CHECK_INT(end_of, 2 * DEEP);
    CHECK_INT(read_bytes((ff_bytes){ text, DEEP }), FF_OK);
    free(text);
}

TEST(access_never_fails)
{
    CHECK_INT(read_text("{\"a\": 1}"), FF_OK);
    CHECK(ff_node_at(&tree, FF_NONE) == NULL);
    CHECK_INT(ff_node_get(&tree, FF_NONE, "a"), FF_NONE);
    CHECK_INT(ff_node_get(&tree, 0, "b"), FF_NONE);
    CHECK_INT(ff_node_path(&tree, 0, "a.b.c"), FF_NONE);
    CHECK_INT(ff_node_item(&tree, 0, 5), FF_NONE);
    CHECK_INT(ff_node_count(&tree, 77), 0);
    CHECK_INT(ff_node_text(&tree, 0).n, 0);
    CHECK_INT(ff_node_key(&tree, 0, 3).n, 0);
    CHECK(!ff_node_true(&tree, 99));
}

TEST(every_cut_ends_cleanly)
{
    static const char text[] = "\xef\xbb\xbf{\"k\\u00e9y\": [1, -2.5e3, \"a\\\\\", {\"x\": {}}, [], NaN, true], "
                               "\"z\": \"\\ud83d\\ude00\" \"q\": null}";
    for (size_t n = 0; n < sizeof text; n++) {
        char *copy = malloc(n ? n : 1); /* exact size, so that reading past the end is seen */
        memcpy(copy, text, n);
        ff_status status = read_bytes((ff_bytes){ copy, n });
        CHECK(status == FF_OK || n < 4);
        CHECK(end_of <= n);
        ff_tree_done(&tree);
        free(copy);
    }
}

TEST(tree_is_used_again)
{
    ff_tree_done(&tree);
    ff_tree_init(&tree, FF_LIT("[1, 2, \"a\\n\"]"));
    CHECK_INT(ff_json_read(&tree, NULL), FF_OK);
    ff_tree_reset(&tree, FF_LIT("{\"b\": \"c\\t\"}"));
    CHECK_INT(ff_json_read(&tree, NULL), FF_OK);
    CHECK_TEXT(text_at("b"), "c\t");
    CHECK_INT(tree.n_nodes, 3);
}

int main(void)
{
    ff_tree_init(&tree, (ff_bytes){ 0 });
    RUN(plain_document_is_read);
    RUN(strings_are_unescaped);
    RUN(numbers_keep_their_value);
    RUN(words_that_json_does_not_know_are_numbers);
    RUN(missing_and_surplus_commas_cost_nothing);
    RUN(missing_value_is_null);
    RUN(garbage_costs_only_its_piece);
    RUN(text_that_is_no_json_is_bad);
    RUN(cut_end_keeps_what_was_read);
    RUN(objects_stand_back_to_back);
    RUN(invalid_utf8_is_kept);
    RUN(places_are_offsets_and_lines);
    RUN(nesting_is_capped);
    RUN(access_never_fails);
    RUN(every_cut_ends_cleanly);
    RUN(tree_is_used_again);
    ff_tree_done(&tree);
    return DONE();
}
