#include "report_fixture.h"

#include "../analyzer/base/node.h"

static ff_text out;
static ff_tree tree;

static void write_and_read(const ff_report *r)
{
    size_t end = 0;
    out.n = 0;
    ff_write_json(r, &out);
    ff_tree_reset(&tree, ff_text_view(&out));
    CHECK(ff_json_read(&tree, &end) == FF_OK && !tree.truncated);
    CHECK_INT(end + 1, out.n);
}

static ff_bytes text(const char *path) { return ff_node_text(&tree, ff_node_path(&tree, 0, path)); }
static uint32_t count(const char *path) { return ff_node_count(&tree, ff_node_path(&tree, 0, path)); }
static bool is_null(const char *path)
{
    const ff_node *n = ff_node_at(&tree, ff_node_path(&tree, 0, path));
    return n && n->kind == FF_NODE_NULL;
}
static int64_t number(const char *path)
{
    const ff_node *n = ff_node_at(&tree, ff_node_path(&tree, 0, path));
    return n && n->kind == FF_NODE_INT ? n->v.i : -999;
}

TEST(every_promised_member_is_there)
{
    static const char *const keys[] = { "schema",     "tool",        "inputs",         "verdict",     "incidents",
                                        "findings",   "notes",       "contradictions", "identity",    "clocks",
                                        "timeline",   "collectives", "environment",    "fingerprint", "coverage",
                                        "not_judged", "limits" };
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_INT(ff_node_count(&tree, 0), FF_COUNT(keys));
    for (uint32_t i = 0; i < FF_COUNT(keys); i++)
        CHECK_TEXT(ff_node_key(&tree, 0, i), keys[i]);
}

TEST(verdict_points_at_its_first_line)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("schema"), "firstfault.report/1");
    CHECK_TEXT(text("verdict.cause"), "host.memcg_oom");
    CHECK_TEXT(text("verdict.incident"), "I1");
    CHECK_TEXT(text("verdict.confidence"), "likely");
    CHECK_TEXT(text("verdict.first_evidence.member"), "n07/dmesg");
    CHECK_INT(number("verdict.first_evidence.line"), 76);
    CHECK_INT(number("verdict.first_evidence.offset"), 5000);
    CHECK_TEXT(text("verdict.suspects.pods.0"), "ml/trainer-0");
    CHECK_INT(count("verdict.suspects.ranks"), 5);
}

TEST(chain_names_findings_by_number)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("incidents.0.root"), "F1");
    CHECK(is_null("incidents.0.chain.0.by"));
    CHECK_TEXT(text("incidents.0.chain.1.finding"), "F2");
    CHECK_TEXT(text("incidents.0.chain.1.order"), "proven");
    CHECK_TEXT(text("incidents.0.chain.2.order"), "possible");
    CHECK_TEXT(text("incidents.0.chain.2.by"), "F2");
    CHECK_TEXT(text("incidents.0.requests.0.to"), "2026-03-11T06:42:32.000000000Z");
    CHECK_TEXT(text("incidents.0.not_ruled_out.0.missing.0"), "ibstat");
    CHECK_TEXT(text("notes.0"), "F3");
}

TEST(numbers_that_may_be_large_are_strings)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("findings.0.facts.usage_kib"), "671088640");
    CHECK_TEXT(text("findings.0.facts.limit_kib"), "9223372036854775807");
    CHECK_TEXT(text("findings.0.facts.pages"), "0x100000");
    CHECK_INT(number("findings.0.facts.rank"), 4);
    CHECK_INT(count("findings.0.facts"), 4); /* a name that comes twice stands once */
    CHECK_TEXT(text("clocks.0.offset_ns"), "1773211292000000000");
    CHECK_TEXT(text("incidents.0.err_ns"), "1000000000");
}

TEST(time_is_told_as_said_and_null_where_unknown)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("findings.0.time.utc"), "2026-03-11T06:41:32.000000000Z");
    CHECK_TEXT(text("findings.0.time.said.kind"), "since_boot");
    CHECK_TEXT(text("findings.0.time.said.text"), "701.635013");
    CHECK(is_null("findings.2.time.utc"));
    CHECK(is_null("findings.2.time.err_ns"));
    CHECK_TEXT(text("findings.2.time.said.text"), "2026-03-11T06:41:32");
    CHECK_TEXT(text("findings.1.last"), "2026-03-11T06:41:41.000000000Z");
    CHECK(is_null("clocks.1.offset_ns"));
}

TEST(hostile_text_is_cleaned_and_paths_are_cut)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("findings.1.evidence.0.text"),
               "Cannot map \xef\xbf\xbd[31mmemory\xef\xbf\xbd with \xef\xbf\xbd base");
    CHECK_TEXT(text("coverage.1.member"), "n07/rank4 \"a\".log");
    CHECK_TEXT(text("tool.problems.0.file"), "x.lua");
    CHECK(!ff_contains(ff_text_view(&out), FF_LIT("/home/")));
}

TEST(the_rank_that_the_others_wait_for_heads_the_wait)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_INT(count("collectives"), 1);
    CHECK_TEXT(text("collectives.0.group"), "0");
    CHECK_INT(count("collectives.0.ranks"), 5);
    CHECK_INT(number("collectives.0.members.0.rank"), 4);
    CHECK_TEXT(text("collectives.0.members.1.last_enqueued"), "11");
    CHECK(is_null("collectives.0.members.1.last_started"));
    CHECK_INT(count("collectives.0.head"), 1);
    CHECK_INT(number("collectives.0.head.0"), 5);
    CHECK_INT(count("collectives.0.waits"), 1);
}

TEST(unread_members_and_limits_are_told)
{
    ff_report r = fixture_report();
    write_and_read(&r);
    CHECK_TEXT(text("coverage.2.unread"), "binary");
    CHECK(is_null("coverage.2.parser"));
    CHECK_TEXT(text("coverage.0.skipped.0.reason"), "no frame");
    CHECK_TEXT(text("coverage.0.gaps.longest_ns"), "40000000000");
    CHECK_TEXT(text("limits.0.cap"), "line length");
    CHECK_TEXT(text("not_judged.0.missing.0"), "net");
}

TEST(empty_report_is_whole)
{
    ff_evidence nothing = { 0 };
    ff_report r = { .evidence = &nothing,
                    .verdict = { .cause = FF_NONE, .incident = FF_NONE, .confidence = FF_POSSIBLE } };
    write_and_read(&r);
    CHECK_TEXT(text("verdict.cause"), "unknown");
    CHECK(is_null("verdict.incident"));
    CHECK(is_null("verdict.first_evidence"));
    CHECK(is_null("verdict.fault_class"));
    CHECK_INT(count("findings"), 0);
}

TEST(with_thousands_of_findings_each_shows_fewer_lines)
{
    static ff_finding many[10000];
    static uint32_t refs[200];
    ff_report r = fixture_report();
    for (uint32_t i = 0; i < FF_COUNT(many); i++) {
        many[i] = r.findings[0];
        many[i].id = i;
        many[i].evidence = refs;
        many[i].n_evidence = FF_COUNT(refs);
    }
    r.findings = many;
    r.n_findings = 900;
    write_and_read(&r);
    CHECK_INT(count("findings.899.evidence"), 64);
    r.n_findings = FF_COUNT(many);
    write_and_read(&r);
    CHECK_INT(count("findings.9999.evidence"), 6);
    CHECK_INT(number("findings.9999.evidence_total"), 200);
    CHECK(ff_find(ff_text_view(&out), FF_LIT("evidence lines shown of each finding")) < out.n);
}

int main(int argc, char **argv)
{
    ff_text_init(&out, 0);
    ff_tree_init(&tree, (ff_bytes){ 0 });
    if (argc > 1 && strcmp(argv[1], "--print") == 0) { /* for the schema test */
        ff_report r = fixture_report();
        ff_write_json(&r, &out);
        (void)fwrite(out.p, 1, out.n, stdout);
    }
    RUN(every_promised_member_is_there);
    RUN(verdict_points_at_its_first_line);
    RUN(chain_names_findings_by_number);
    RUN(numbers_that_may_be_large_are_strings);
    RUN(time_is_told_as_said_and_null_where_unknown);
    RUN(hostile_text_is_cleaned_and_paths_are_cut);
    RUN(the_rank_that_the_others_wait_for_heads_the_wait);
    RUN(unread_members_and_limits_are_told);
    RUN(empty_report_is_whole);
    RUN(with_thousands_of_findings_each_shows_fewer_lines);
    ff_tree_done(&tree);
    ff_text_done(&out);
    return DONE();
}
