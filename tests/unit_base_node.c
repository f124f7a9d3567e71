/* Documents as trees, and the JSON reader that loses only the piece that is broken. */
#include "../analyzer/base/node.h"

#include "check.h"

static ff_tree tree;

static ff_status read_text(ff_bytes text, size_t *end)
{
    ff_tree_reset(&tree, text);
    return ff_json_read(&tree, end);
}

static ff_status read_all(const char *text)
{
    size_t end = 0;
    return read_text(ff_str(text), &end);
}

static int64_t number_at(const char *path)
{
    int64_t n = -77;
    (void)ff_node_int(&tree, ff_node_path(&tree, 0, path), &n);
    return n;
}

static ff_bytes text_at(const char *path) { return ff_node_text(&tree, ff_node_path(&tree, 0, path)); }

TEST(a_document)
{
    CHECK_INT(
        read_all("{\"a\": 1, \"list\": [10, -20, {\"deep\": \"x\\ty\"}], \"t\": true, \"n\": null, \"f\": 2.5,\n"
                 "\"e\": {}, \"whole\": 3.0, \"word\": \"42\"}"),
        FF_OK);
    CHECK(!tree.truncated);
    CHECK_INT(ff_node_at(&tree, 0)->kind, FF_NODE_MAP);
    CHECK_INT(ff_node_count(&tree, 0), 8);
    CHECK_INT(number_at("a"), 1);
    CHECK_INT(number_at("list.1"), -20);
    CHECK_TEXT(text_at("list.2.deep"), "x\ty");
    CHECK(ff_node_true(&tree, ff_node_get(&tree, 0, "t")));
    CHECK_INT(ff_node_at(&tree, ff_node_get(&tree, 0, "n"))->kind, FF_NODE_NULL);
    CHECK(ff_node_at(&tree, ff_node_get(&tree, 0, "f"))->v.f == 2.5);
    CHECK_INT(ff_node_count(&tree, ff_node_get(&tree, 0, "e")), 0);
    CHECK_INT(number_at("whole"), 3);
    CHECK_INT(number_at("word"), 42);
    CHECK_INT(number_at("f"), -77);
    CHECK_TEXT(ff_node_key(&tree, 0, 1), "list");
    CHECK_INT(ff_node_line(&tree, ff_node_get(&tree, 0, "a")), 1);
    CHECK_INT(ff_node_line(&tree, ff_node_get(&tree, 0, "e")), 2);
}

TEST(what_is_not_there)
{
    CHECK_INT(read_all("{\"a\": [1]}"), FF_OK);
    CHECK_INT(ff_node_get(&tree, 0, "b"), FF_NONE);
    CHECK_INT(ff_node_path(&tree, 0, "a.7"), FF_NONE);
    CHECK_INT(ff_node_path(&tree, 0, "a.0.x.y"), FF_NONE);
    CHECK_INT(ff_node_item(&tree, FF_NONE, 0), FF_NONE);
    CHECK_INT(ff_node_item(&tree, ff_node_get(&tree, 0, "a"), 1), FF_NONE);
    CHECK(ff_node_at(&tree, FF_NONE) == NULL);
    CHECK(ff_node_at(&tree, 9999) == NULL);
    CHECK_INT(ff_node_text(&tree, 0).n, 0);
    CHECK_INT(ff_node_key(&tree, 0, 5).n, 0);
    CHECK_INT(ff_node_count(&tree, FF_NONE), 0);
    CHECK(!ff_node_true(&tree, FF_NONE));
}

TEST(strings)
{
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "[\"\"]", "" },
        { "[\"a\\\"b\\\\c\\/d\\n\"]", "a\"b\\c/d\n" },
        { "[\"\\u00e9\\u65e5\"]", "\xc3\xa9\xe6\x97\xa5" },
        { "[\"\\ud83d\\ude00\"]", "\xf0\x9f\x98\x80" },
        { "[\"\xff\"]", "\xff" },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        CHECK_INT(read_all(rows[i].in), FF_OK);
        CHECK_TEXT(text_at("0"), rows[i].out);
    }
}

TEST(numbers)
{
    CHECK_INT(read_all("[9223372036854775807, -9223372036854775808, 1e3, -0.5, 18446744073709551615, 1e999]"), FF_OK);
    CHECK_INT(number_at("0"), INT64_MAX);
    CHECK_INT(number_at("1"), INT64_MIN);
    CHECK_INT(number_at("2"), 1000);
    CHECK_INT(ff_node_count(&tree, 0), 6);
    CHECK_TEXT(text_at("4"), "18446744073709551615"); /* beyond int64: no digit is lost */
}

TEST(a_cut_document_keeps_what_was_read)
{
    static const char text[] = "{\"a\": 1, \"b\": [1, 2, {\"c\": \"long text\"}], \"d\": 5}";
    for (size_t n = 1; n < sizeof text - 1; n++) {
        size_t end = 0;
        ff_status status = read_text((ff_bytes){ text, n }, &end);
        CHECK(status == FF_OK || status == FF_BAD);
        if (status == FF_OK) {
            CHECK(tree.truncated);
            CHECK(tree.problem != NULL);
        }
        if (n >= 9)
            CHECK_INT(number_at("a"), 1);
        if (n >= 20)
            CHECK_INT(number_at("b.0"), 1);
    }
}

TEST(broken_pieces)
{
    CHECK_INT(read_all(""), FF_BAD);
    CHECK_INT(read_all("   "), FF_BAD);
    CHECK_INT(read_all("{\"a\": 1 \"b\": 2}"), FF_OK); /* a missing comma */
    CHECK_INT(number_at("a"), 1);
    CHECK_INT(number_at("b"), 2);
    CHECK_INT(read_all("[1, NaN, 3]"), FF_OK);
    CHECK_INT(ff_node_count(&tree, 0), 3);
    CHECK_INT(number_at("2"), 3);
}

TEST(objects_back_to_back)
{
    ff_bytes rest = FF_LIT("{\"i\": 0}\n{\"i\": 1}{\"i\": 2}  ");
    int64_t n = 0;
    size_t end = 0;
    while (read_text(rest, &end) == FF_OK && n < 9) {
        CHECK(end > 0 && end <= rest.n);
        CHECK_INT(number_at("i"), n);
        rest = ff_skip_n(rest, end);
        n++;
    }
    CHECK_INT(n, 3);
}

TEST(deep_nesting_is_no_recursion)
{
    static char deep[200000];
    memset(deep, '[', sizeof deep);
    size_t end = 0;
    ff_status status = read_text((ff_bytes){ deep, sizeof deep }, &end);
    CHECK(status == FF_BAD || tree.truncated);
    CHECK(tree.n_nodes <= FF_CAP_NESTING + 1);
}

int main(void)
{
    ff_tree_init(&tree, (ff_bytes){ 0 });
    RUN(a_document);
    RUN(what_is_not_there);
    RUN(strings);
    RUN(numbers);
    RUN(a_cut_document_keeps_what_was_read);
    RUN(broken_pieces);
    RUN(objects_back_to_back);
    RUN(deep_nesting_is_no_recursion);
    ff_tree_done(&tree);
    return DONE();
}
