/* Groups, reach, needs, order, episodes, and what a finding must hold. */
#include "engine_bench.h"

#define S INT64_C(1000000000)
#define RULES                                                                                                        \
    "cause { id = 'gpu.lost', title = 'GPU lost', severity = 'critical' }\n"                                         \
    "cause { id = 'comm.timeout', title = 'timeout' }\n"                                                             \
    "signature { id = 'k.a', stream = 'kernel', needles = { 'aaaa' }, pattern = 'aaaa (?<n>\\\\d+)',"                \
    " fields = { n = 'int' }, match = { 'aaaa 1' } }\n"                                                              \
    "signature { id = 'k.b', stream = 'kernel', needles = { 'bbbb' }, pattern = 'bbbb', match = { 'bbbb' } }\n"      \
    "signature { id = 'n.c', stream = 'nccl', needles = { 'cccc' }, pattern = 'cccc', match = { 'cccc' } }\n"
enum { KIND_A = FF_FACTS, KIND_B, KIND_C };

#define MOST 3000
static ff_signal signals[MOST];
static ff_member members[2];
static ff_evidence evidence;
static ff_arena arena;
static uint32_t present_streams;
static const char *absent_host;

static ff_signal *add(uint32_t kind, const char *host, int64_t utc_s)
{
    ff_signal *s = &signals[evidence.n_signals];
    *s = (ff_signal){ .ref = evidence.n_signals++,
                      .kind = kind,
                      .stream = FF_STREAM_KERNEL,
                      .at = { .line = 7 },
                      .said = { FF_STAMP_UTC, utc_s * S, 1 },
                      .who = FF_WHO_NOBODY,
                      .count = 1,
                      .clock = 0,
                      .has_utc = true,
                      .utc = utc_s * S };
    s->who.host = ff_str(host);
    return s;
}

static void field_int(ff_signal *s, const char *name, int64_t value)
{
    s->fields = FF_NEW(&arena, ff_field);
    s->n_fields = 1;
    s->fields[0] = (ff_field){
        .name = ff_str(name), .type = FF_FIELD_INT, .i = value, .s = ff_arena_format(&arena, "%lld", (long long)value)
    };
}

static void start(void)
{
    members[0] = (ff_member){ .name = FF_LIT("n1/dmesg") };
    members[1] = (ff_member){ .name = FF_LIT("n2/dmesg") };
    evidence = (ff_evidence){ .members = members, .n_members = 2, .signals = signals };
    present_streams = FF_STREAM_ANY;
    absent_host = NULL;
}

static bool present(const void *ctx, ff_bytes host, uint32_t streams)
{
    CHECK(ctx == &evidence);
    if (absent_host && ff_equal(host, ff_str(absent_host)))
        return false;
    return (present_streams & streams) != 0;
}

static ff_rulebook *book;

/* Judges with these rules on top of RULES. */
static ff_judged judge(const char *rules)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%s", RULES, rules);
    ff_error error;
    ff_rulebook_free(book);
    book = bench_load(text, &error);
    if (!book)
        fprintf(stderr, "rules: %s\n", error.text);
    CHECK(book != NULL);
    if (!book)
        return (ff_judged){ 0 };
    ff_clocks clocks = { 0 };
    return ff_judge(book, &evidence, &clocks, present, &evidence, &arena);
}

static const char *problem(uint32_t i)
{
    return book && i < book->n_problems ? ff_arena_str(&arena, book->problems[i].text) : "";
}

/* "rule:refs" of each finding, with its label in brackets. */
static const char *shown(ff_judged j)
{
    static char out[2048];
    size_t n = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < j.n && n < sizeof out - 100; i++) {
        const ff_finding *f = &j.findings[i];
        n += (size_t)snprintf(out + n, sizeof out - n, "%s[%.*s]", i ? " " : "", (int)f->summary.n, f->summary.p);
        for (uint32_t k = 0; k < f->n_evidence && k < 8; k++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%u", k ? "," : "", (unsigned)f->evidence[k]);
        for (uint32_t k = 0; k < f->n_symptoms && k < 8; k++)
            n += (size_t)snprintf(out + n, sizeof out - n, "%s%u", k ? "," : ">", (unsigned)f->symptoms[k]);
    }
    return out;
}

#define BY(group, reach, body)                                                                                       \
    "correlate { id = 'c.x', group = '" group "', uses = { 'k.a', 'k.b' }, " reach " judge = function(case)\n"       \
    "local on = case.signals " body " end }"
#define TELL                                                                                                         \
    "return { { cause = 'gpu.lost', confidence = 'likely', evidence = join(on['k.a'], on['k.b']), "                  \
    "summary = case.scope .. ' ' .. case.key } }"

static void four_places(void)
{
    start();
    ff_signal *s = add(KIND_A, "n2", 1);
    s->who.rank = 3, s->who.pid = 30, s->who.gpu = FF_LIT("0000:3b:00"), s->who.container = FF_LIT("c2");
    s = add(KIND_A, "n1", 2);
    s->who.rank = 10, s->who.pid = 30, s->who.gpu = FF_LIT("0000:3b:00"), s->who.pod_uid = FF_LIT("u1");
    s = add(KIND_B, "n1", 3);
    s->who.rank = 3, s->who.pid = 31, s->who.gpu = FF_LIT("0000:5e:00"), s->who.container = FF_LIT("c2");
    (void)add(KIND_B, "", 4);
}

TEST(signals_are_grouped_by_scope)
{
    four_places();
    CHECK_TEXT(ff_str(shown(judge(BY("host", "", TELL)))), "[host n2]0 [host n1]1,2 [host ]3");
    CHECK_TEXT(ff_str(shown(judge(BY("rank", "", TELL)))), "[rank 3]0,2 [rank 10]1 [rank ]3");
    CHECK_TEXT(ff_str(shown(judge(BY("gpu", "", TELL)))),
               "[gpu n2/0000:3b:00]0 [gpu n1/0000:3b:00]1 [gpu n1/0000:5e:00]2 [gpu ]3");
    CHECK_TEXT(ff_str(shown(judge(BY("process", "", TELL)))),
               "[process n2/30]0 [process n1/30]1 [process n1/31]2 [process ]3");
    CHECK_TEXT(ff_str(shown(judge(BY("container", "", TELL)))), "[container c2]0,2 [container u1]1 [container ]3");
    CHECK_TEXT(ff_str(shown(judge(BY("job", "", TELL)))), "[job ]0,1,2,3");
    CHECK_INT(book->n_problems, 0);
}

TEST(reach_is_the_whole_job_and_not_part_of_the_group)
{
    four_places();
    (void)add(KIND_C, "n3", 5);
    (void)add(KIND_C, "n1", 6);
    const char *rules = BY("host", "reach = { 'n.c' },",
                           "return { { cause = 'gpu.lost', confidence = 'likely', evidence = on['k.a'], "
                           "symptoms = on['n.c'], summary = case.key } }");
    ff_judged j = judge(rules);
    CHECK_TEXT(ff_str(shown(j)), "[n2]0>4,5 [n1]1>4,5"); /* the unknown host has no k.a: evidence is empty */
    CHECK_INT(book->n_problems, 1);
    CHECK_TEXT(ff_str(problem(0)), "finding: evidence is empty");
}

TEST(a_signal_tells_what_is_known_and_nothing_else)
{
    start();
    ff_signal *s = add(KIND_A, "n1", 100);
    field_int(s, "n", 42);
    s->at.member = 1;
    s->who.pod = FF_LIT("ns/p");
    s->count = 3;
    s->last_said = (ff_stamp){ FF_STAMP_UTC, 109 * S, 1 };
    s->last_utc = 109 * S;
    s->utc_err = 5;
    s->clock = 4;
    ff_signal *t = add(KIND_B, "", 0);
    t->said.kind = FF_STAMP_NONE, t->clock = FF_NONE, t->has_utc = false, t->stream = 3;
    ff_judged j =
        judge(BY("job", "",
                 "local s, t = on['k.a'][1], on['k.b'][1]\n"
                 "assert(s.ref == 0 and s.id == 'k.a' and s.clock == 4 and s.at == 100000000000)\n"
                 "assert(s.utc == s.at and s.err == 5 and s.last_utc == 109000000000 and s.last_at == s.last_utc)\n"
                 "assert(s.host == 'n1' and s.pod == 'ns/p' and s.count == 3 and s.fields.n == 42)\n"
                 "assert(s.member == 'n2/dmesg' and s.line == 7 and s.stream == 'kernel')\n"
                 "assert(s.pid == nil and s.rank == nil and s.gpu == nil and s.boot == nil)\n"
                 "assert(t.clock == nil and t.at == nil and t.utc == nil and t.stream == nil and t.host == nil)\n"
                 "for k in pairs(t.fields) do error('no fields') end"));
    CHECK_INT(j.n, 0);
    CHECK_TEXT(ff_str(problem(0)), "");
}

TEST(a_group_that_has_signals_is_judged_whatever_else_is_missing)
{
    four_places();
    char want[2048];
    snprintf(want, sizeof want, "%s", shown(judge(BY("host", "", TELL))));
    absent_host = "n1";
    ff_judged j = judge(BY("host", "needs = { 'kernel', 'nccl' },", TELL));
    CHECK_TEXT(ff_str(shown(j)), want);
    CHECK_INT(j.n_not_judged, 0);
}

TEST(without_its_streams_and_signals_a_rule_is_not_judged)
{
    start();
    (void)add(KIND_C, "n9", 1); /* no kernel log there, so no k.a either */
    absent_host = "n9";
    const char *rules = BY("host", "needs = { 'kernel' },", TELL);
    ff_judged j = judge(rules);
    CHECK_INT(j.n_not_judged, 1);
    CHECK_TEXT(j.not_judged[0].rule, "c.x");
    CHECK_TEXT(j.not_judged[0].group, "n9");
    CHECK_INT(j.not_judged[0].missing, FF_STREAM_KERNEL);
    absent_host = NULL;
    present_streams = FF_STREAM_NCCL;
    j = judge(rules);
    CHECK_INT(j.n_not_judged, 1); /* nowhere: said once */
    CHECK_TEXT(j.not_judged[0].group, "");
}

static void bad_finding(const char *finding, const char *want, int line)
{
    static char rules[2048];
    four_places();
    snprintf(rules, sizeof rules, "%s", "");
    snprintf(rules, sizeof rules, BY("host", "", "%s"), finding);
    (void)judge(rules);
    if (strcmp(problem(0), want) != 0)
        fprintf(stderr, "line %d: \"%s\", wanted \"%s\"\n", line, problem(0), want);
    CHECK(strcmp(problem(0), want) == 0);
    CHECK_INT(book->problems[0].line > 0, 1);
    CHECK_TEXT(book->problems[0].rule, "c.x");
}
#define BAD(finding, want) bad_finding(finding, want, __LINE__)
#define OK_PART "cause = 'gpu.lost', confidence = 'likely', evidence = join(on['k.a'], on['k.b'])"

TEST(a_finding_that_does_not_hold_is_refused)
{
    BAD("return { { confidence = 'likely', evidence = on['k.b'] } }", "finding: cause is missing");
    BAD("return { { cause = 'gpu.gone', confidence = 'likely', evidence = on['k.b'] } }",
        "finding: cause: unknown cause \"gpu.gone\"");
    BAD("return { { cause = 'gpu.lost', evidence = join(on['k.a'], on['k.b']) } }", "finding: confidence is missing");
    BAD("return { { cause = 'gpu.lost', confidence = 'likely' } }", "finding: evidence is empty");
    BAD("return { { cause = 'gpu.lost', confidence = 'likely', evidence = { { ref = 99 } } } }",
        "finding: evidence: element 1 is not a signal of this case");
    BAD("return { { cause = 'gpu.lost', confidence = 'likely', evidence = { { ref = case.key == 'n1' and 0 or 1 } } "
        "} }",
        "finding: evidence: element 1 is not a signal of this case");
    BAD("return { { cause = 'gpu.lost', confidence = 'likely', evidence = { 5 } } }",
        "finding: evidence: element 1 is not a signal of this case");
    BAD("return { { " OK_PART ", speed = 1 } }", "unknown key \"finding: speed\"");
    BAD("return { { " OK_PART ", severity = 'high' } }", "finding: severity: unknown word \"high\"");
    BAD("return { { " OK_PART ", rank = -1 } }", "finding: rank is not a whole number from 0 to 2147483647");
    BAD("return { { " OK_PART ", ranks = { 'x' } } }", "finding: ranks: element 1 is not a rank");
    BAD("return { { " OK_PART ", facts = { a = {} } } }", "finding: facts: a value is a table");
    BAD("return { " OK_PART " }", "judge returned one table with keys; a list of findings is wanted");
    BAD("return 5", "judge returned a number; a list of findings is wanted");
    BAD("return { 5 }", "finding 1 is a number; a table is wanted");
    BAD("return on['n.c']", "judging host \"\": \"n.c\" is named neither in uses nor in reach");
    BAD("return order({ ref = 1 }, { ref = 77 })",
        "judging host \"\": bad argument #1 to 'order' (not a signal of this case)");
    BAD("while true do end", "judging host \"\": instruction budget used up");
    BAD("local t = {} for i = 1, 1e9 do t[i] = { i } end", "judging host \"\": memory limit of 32 MiB reached");
    BAD("signature { id = 'x.y' }", "judging host \"\": signature{...} has a meaning only while rules are loaded");
}

TEST(a_rule_that_fails_does_not_stop_the_others)
{
    four_places();
    ff_judged j = judge("correlate { id = 'a.bad', group = 'host', uses = { 'k.a' }, judge = function(case)\n"
                        "  error('no') end }\n" BY("host", "", TELL));
    CHECK_TEXT(ff_str(shown(j)), "[host n2]0 [host n1]1,2 [host ]3");
    CHECK_INT(book->n_problems, 2);
    CHECK_TEXT(book->problems[0].rule, "a.bad");
    CHECK_INT(book->problems[0].line, 7);
    CHECK_TEXT(ff_str(problem(0)), "judging host \"n1\": no");
    CHECK_TEXT(ff_str(problem(1)), "failed in 2 of 2 groups");
}

TEST(a_finding_carries_everything_it_was_given)
{
    four_places();
    field_int(&signals[1], "n", 2048);
    ff_judged j = judge(
        BY("host", "",
           "if case.key ~= 'n1' then return end\n"
           "return { { cause = 'gpu.lost', confidence = 'possible', confidence_why = 'because', "
           "severity = 'warning', scope = 'rank', ranks = { 9, 4, 9 }, evidence = { on['k.b'][1], on['k.a'][1] }, "
           "summary = '{n:kib} {b} {host} {count}', facts = { b = 7, a = 'x', c = 1.5, d = true }, count = 12 } }"));
    CHECK_INT(j.n, 1);
    const ff_finding *f = &j.findings[0];
    CHECK_TEXT(f->summary, "2 MiB 7 n1 12");
    CHECK_TEXT(f->confidence_why, "because");
    CHECK_INT(f->confidence, FF_POSSIBLE);
    CHECK_INT(f->severity, FF_SEV_WARNING);
    CHECK_INT(f->scope, FF_SCOPE_RANK);
    CHECK_INT(f->n_ranks, 2);
    CHECK_INT(f->ranks[0], 4);
    CHECK_INT(f->ranks[1], 9);
    CHECK_INT(f->evidence[0], 1);
    CHECK_INT(f->evidence[1], 2);
    CHECK_INT(f->count, 12);
    CHECK_INT(f->n_facts, 4);
    CHECK_TEXT(f->facts[0].name, "a");
    CHECK_INT(f->facts[1].i, 7);
    CHECK(f->facts[2].f == 1.5);
    CHECK_TEXT(f->facts[3].s, "true");
    CHECK_TEXT(f->who.host, "n1");
    CHECK_INT(f->who.rank, 10);
    CHECK_TEXT(book->causes[f->cause].id, "gpu.lost");
}

TEST(who_comes_from_the_signal_that_speaks_of_the_same)
{
    four_places();
    ff_judged j = judge(BY("job", "",
                           "local all = join(on['k.a'], on['k.b'])\n"
                           "return { { cause = 'gpu.lost', confidence = 'likely', evidence = all, rank = 10 },\n"
                           "         { cause = 'gpu.lost', confidence = 'likely', evidence = all, rank = 77 },\n"
                           "         { cause = 'gpu.lost', confidence = 'likely', evidence = all } }"));
    CHECK_INT(j.n, 3);
    CHECK_TEXT(j.findings[0].who.host, "n1");
    CHECK_INT(j.findings[0].who.pid, 30);
    CHECK_INT(j.findings[1].who.rank, 77);
    CHECK_TEXT(j.findings[1].who.host, "");
    CHECK_INT(j.findings[1].who.pid, FF_NO_NUMBER);
    CHECK_TEXT(j.findings[2].who.host, "n2");
    CHECK_INT(j.findings[2].severity, FF_SEV_CRITICAL);
    CHECK_TEXT(j.findings[2].summary, "GPU lost");
}

#define SAYS                                                                                                         \
    "signature { id = 'k.s', stream = 'kernel', needles = { 'ssss' }, pattern = 'ssss (?<n>\\\\d+)', "               \
    "fields = { n = 'int' }, match = { 'ssss 1' }, says = { cause = 'gpu.lost', confidence = 'certain', "            \
    "scope = 'gpu', severity = 'error', summary = '{gpu} of {host}: {n}, {count} times' } }\n"

TEST(a_signature_says_one_finding_for_each_place)
{
    start();
    for (int i = 0; i < 4; i++) {
        ff_signal *s = add(KIND_C + 1, i < 3 ? "n1" : "n2", i);
        s->who.gpu = i == 1 ? FF_LIT("0000:5e:00") : FF_LIT("0000:3b:00");
        s->who.rank = i;
        s->count = 2;
        field_int(s, "n", 40 + i);
    }
    ff_judged j = judge(SAYS);
    CHECK_TEXT(ff_str(shown(j)), "[0000:3b:00 of n1: 40, 4 times]0,2 [0000:5e:00 of n1: 41, 2 times]1 "
                                 "[0000:3b:00 of n2: 43, 2 times]3");
    CHECK_INT(j.findings[0].count, 4);
    CHECK_INT(j.findings[0].severity, FF_SEV_ERROR);
    CHECK_INT(j.findings[0].confidence, FF_CERTAIN);
    CHECK_TEXT(j.findings[0].confidence_why, "this line alone settles it (rule k.s)");
    CHECK_TEXT(j.findings[1].rule, "k.s");
    CHECK_INT(j.findings[1].ranks[0], 1);
    for (uint32_t i = 0; i < j.n; i++)
        CHECK_INT(j.findings[i].id, i);
}

TEST(order_and_gap_ask_the_clocks)
{
    start();
    (void)add(KIND_A, "n1", 10);
    (void)add(KIND_B, "n1", 30);
    ff_signal *s = add(KIND_B, "n2", 0);
    s->clock = FF_NONE, s->has_utc = false, s->said.kind = FF_STAMP_NONE, s->at.member = 1;
    (void)judge(BY("job", "",
                   "local a, b, c = on['k.a'][1], on['k.b'][1], on['k.b'][2]\n"
                   "assert(order(a, b) == 'before' and order(b, a) == 'after' and order(a, c) == 'unknown')\n"
                   "assert(gap(a, b) == seconds(20) and gap(b, a) == seconds(20))\n"
                   "local ns, known = gap(a, c) assert(ns == 0 and known == false)\n"
                   "assert(select(2, gap(a, b)) == true)"));
    CHECK_TEXT(ff_str(problem(0)), "");
}

TEST(episodes_are_cut_at_the_window_and_never_by_an_unknown_time)
{
    start();
    (void)add(KIND_A, "n1", 0);          /* 0 */
    (void)add(KIND_B, "n1", 50);         /* 1 */
    (void)add(KIND_A, "n2", 200);        /* 2 */
    ff_signal *s = add(KIND_B, "n1", 0); /* 3: no time, host n1 */
    s->clock = FF_NONE, s->has_utc = false, s->said.kind = FF_STAMP_NONE;
    s = add(KIND_B, "n3", 0); /* 4: no time, a host nobody else speaks of */
    s->clock = FF_NONE, s->has_utc = false, s->said.kind = FF_STAMP_NONE, s->at.member = 1;
    (void)judge(BY("job", "",
                   "local out = {}\n"
                   "for i, run in ipairs(episodes(seconds(60), on['k.b'], on['k.a'])) do\n"
                   "  local refs = {} for k, s in ipairs(run) do refs[k] = s.ref end\n"
                   "  out[i] = table.concat(refs, '+')\n"
                   "end\n"
                   "assert(table.concat(out, ' ') == '0+1+3 2 4', table.concat(out, ' '))\n"
                   "assert(#episodes(1) == 0 and #episodes(seconds(1), nil, {}) == 0)"));
    CHECK_TEXT(ff_str(problem(0)), "");
}

TEST(list_words_work_on_signals)
{
    four_places();
    (void)judge(BY("job", "",
                   "local all = join(on['k.b'], on['k.a'], on['k.a'], nil)\n"
                   "assert(#all == 4 and all[1].ref == 0 and all[4].ref == 3)\n"
                   "assert(#only(all, 'k.b') == 2 and #keep(all, function(s) return s.host == 'n1' end) == 2)\n"
                   "assert(#keep(nil, error) == 0 and #only(nil, 'x') == 0)\n"
                   "assert(first(all).ref == 0 and last(all).ref == 3 and first({}) == nil and last(nil) == nil)\n"
                   "assert(table.concat(distinct(all, 'rank'), ' ') == '3 10')\n"
                   "assert(table.concat(distinct(all, 'host'), ' ') == 'n1 n2')\n"
                   "assert(table.concat(distinct(all, function(s) return s.pid end), ' ') == '30 31')\n"
                   "assert(#distinct(all, 'nothing') == 0)"));
    CHECK_TEXT(ff_str(problem(0)), "");
}

TEST(long_lists_are_cut_and_that_is_said)
{
    start();
    for (int i = 0; i < MOST; i++)
        (void)add(KIND_A, "n1", i);
    ff_judged j = judge(BY("host", "", "assert(#on['k.a'] == 2000) " TELL));
    CHECK_INT(j.n, 1);
    CHECK_INT(j.findings[0].n_evidence, 2000);
    CHECK_INT(book->n_problems, 1);
    CHECK_TEXT(ff_first_n(ff_str(problem(0)), 32), "more than 2000 signals in a list");
}

TEST(facts_are_signals_too)
{
    start();
    (void)add(FF_FACT_GPU_STATE, "n1", 1);
    ff_judged j =
        judge("correlate { id = 'g.x', group = 'host', uses = { 'gpu.state' }, judge = function(case)\n"
              "  return { { cause = 'gpu.lost', confidence = 'certain', evidence = case.signals['gpu.state'],\n"
              "             summary = case.signals['gpu.state'][1].id } } end }");
    CHECK_TEXT(ff_str(shown(j)), "[gpu.state]0");
}

TEST(signals_of_a_case_come_when_they_are_asked_for)
{
    four_places();
    (void)add(KIND_C, "n3", 5);
    ff_judged j =
        judge(BY("job", "reach = { 'n.c' },",
                 "local names = '' for id, list in pairs(on) do names = names .. id .. #list .. ' ' end "
                 "return { { cause = 'gpu.lost', confidence = 'likely', evidence = on['k.a'], summary = names } }"));
    CHECK_TEXT(ff_str(shown(j)), "[k.a2 k.b2 n.c1 ]0,1");
    CHECK_INT(book->n_problems, 0);
}

TEST(a_case_that_is_over_gives_nothing)
{
    four_places();
    ff_judged j = judge("local kept\n" BY("host", "reach = { 'n.c' },",
                                          "if kept then return { { cause = 'gpu.lost', confidence = 'likely', "
                                          "evidence = kept['k.a'] } } end kept = on"));
    CHECK_INT(j.n, 0);
    CHECK(strstr(problem(0), "the signals of a case that is over") != NULL);
}

/* 30 hosts with 1,000 findings each of one rule, and one of another: the report holds the first ones of each host. */
TEST(a_flood_of_findings_leaves_room_for_others)
{
    start();
    for (int i = 0; i < 30; i++)
        (void)add(KIND_A, "x", i);
    (void)add(KIND_B, "x", 100);
    for (uint32_t i = 0; i < evidence.n_signals; i++)
        signals[i].who.host = ff_arena_format(&arena, "h%u", (unsigned)i);
    ff_judged j =
        judge("correlate { id = 'c.many', group = 'host', uses = { 'k.a' }, judge = function(case)\n"
              "local found = {} for i = 1, 1000 do found[i] = { cause = 'gpu.lost', confidence = 'likely', "
              "evidence = case.signals['k.a'] } end return found end }\n"
              "correlate { id = 'c.one', group = 'host', uses = { 'k.b' }, judge = function(case)\n"
              "return { { cause = 'comm.timeout', confidence = 'likely', evidence = case.signals['k.b'] } } end }");
    uint32_t of_host[31] = { 0 };
    CHECK_INT(j.n, FF_CAP_FINDINGS);
    for (uint32_t i = 0; i < j.n; i++)
        of_host[j.findings[i].evidence[0]]++;
    CHECK_INT(of_host[30], 1);
    for (unsigned i = 0; i < 30; i++)
        CHECK(of_host[i] == 19999 / 30 || of_host[i] == 19999 / 30 + 1);
    CHECK_INT(book->n_problems, 1);
    CHECK(strstr(problem(0), "19999 of 30000 findings of gpu.lost") != NULL);
}

int main(void)
{
    ff_arena_init(&arena);
    RUN(signals_are_grouped_by_scope);
    RUN(reach_is_the_whole_job_and_not_part_of_the_group);
    RUN(a_signal_tells_what_is_known_and_nothing_else);
    RUN(a_group_that_has_signals_is_judged_whatever_else_is_missing);
    RUN(without_its_streams_and_signals_a_rule_is_not_judged);
    RUN(a_finding_that_does_not_hold_is_refused);
    RUN(a_rule_that_fails_does_not_stop_the_others);
    RUN(a_finding_carries_everything_it_was_given);
    RUN(who_comes_from_the_signal_that_speaks_of_the_same);
    RUN(a_signature_says_one_finding_for_each_place);
    RUN(order_and_gap_ask_the_clocks);
    RUN(episodes_are_cut_at_the_window_and_never_by_an_unknown_time);
    RUN(list_words_work_on_signals);
    RUN(long_lists_are_cut_and_that_is_said);
    RUN(facts_are_signals_too);
    RUN(signals_of_a_case_come_when_they_are_asked_for);
    RUN(a_case_that_is_over_gives_nothing);
    RUN(a_flood_of_findings_leaves_room_for_others);
    ff_rulebook_free(book);
    ff_arena_done(&arena);
    return DONE();
}
