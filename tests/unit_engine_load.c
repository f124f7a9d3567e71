/* What the loader takes and what it refuses, with its words. */
#include <sys/stat.h>
#include <unistd.h>

#include "engine_bench.h"

#define CAUSE "cause { id = 'gpu.lost', title = 'GPU lost' }\n"
/* A signature that holds, with `more` in it. */
#define SIG(more)                                                                                                    \
    CAUSE "signature { id = 'k.x', stream = 'kernel', needles = { 'NVRM: Xid' }, pattern = 'Xid \\\\d+', "           \
          "match = { 'NVRM: Xid 79' }, " more " }"
#define COR(more)                                                                                                    \
    SIG("") "\ncorrelate { id = 'c.x', group = 'host', uses = { 'k.x' }, judge = function() end, " more " }"

TEST(a_whole_rule_file_is_loaded)
{
    ff_error error;
    ff_rulebook *b = bench_load(
        "pack { name = 'mine', version = '3' }\n"
        "cause { id = 'host.full', class = 'lost', title = 'limit reached', severity = 'critical', rank = 7,\n"
        "  leads_to = { { 'host.full', same = 'cgroup', within = seconds(60), role = 'victim' },\n"
        "               { 'host.*', same = 'other_rank', within = 0 } },\n"
        "  settled_by = { 'kernel', 'k8s' }, ruled_out = 'no such line',\n"
        "  requests = { { stream = 'kernel', command = 'dmesg', why = 'it shows it' } },\n"
        "  act = { 'a', 'b' }, verify = 'c', avoid = {}, recovery = 'node' }\n"
        "signature { id = 'k.usage', stream = { 'kernel', 'app' }, needles = { 'memory: usage ', 'Memory' }, nocase "
        "= true,\n"
        "  pattern = [[usage (?<used>\\d+)kB, limit (?<limit>\\d+)kB]], fields = { used = 'int', limit = 'int' },\n"
        "  match = { 'memory: usage 1kB, limit 2kB' }, ignore = { 'swap' }, fold = { 'limit' }, tells = '{used:kib} "
        "used',\n"
        "  says = { cause = 'host.full', confidence = 'likely', scope = 'container', severity = 'warning',\n"
        "           summary = '{used:kib} of {limit:kib} on {host}' } }\n"
        "correlate { id = 'host.full.twice', needs = { 'kernel' }, group = 'gpu', uses = { 'k.usage', 'oom.report' "
        "},\n"
        "  reach = { 'gpu.state' }, judge = function(case) return {} end }\n",
        &error);
    CHECK(b != NULL);
    if (!b) {
        fprintf(stderr, "%s\n", error.text);
        return;
    }
    CHECK_INT(b->n_problems, 0);
    CHECK_TEXT(b->packs[0].name, "mine");
    CHECK_TEXT(b->packs[0].version, "3");
    CHECK_INT(b->packs[0].n_signatures, 1);
    const ff_cause *c = &b->causes[ff_cause_find(b, FF_LIT("host.full"))];
    CHECK_TEXT(c->fault_class, "lost");
    CHECK_INT(c->severity, FF_SEV_CRITICAL);
    CHECK_INT(c->rank, 7);
    CHECK_INT(c->n_leads_to, 2);
    CHECK_INT(c->leads_to[0].same, FF_SAME_CGROUP);
    CHECK_INT(c->leads_to[0].within_ns, 60000000000);
    CHECK_INT(c->leads_to[0].role, FF_ROLE_VICTIM);
    CHECK_INT(c->leads_to[1].same, FF_SAME_OTHER_RANK);
    CHECK_INT(c->leads_to[1].role, FF_ROLE_SYMPTOM);
    CHECK_INT(c->settled_by, FF_STREAM_KERNEL | FF_STREAM_K8S);
    CHECK_INT(c->requests[0].stream, FF_STREAM_KERNEL);
    CHECK_TEXT(c->act[1], "b");
    CHECK_INT(c->n_verify, 1);
    CHECK_INT(c->n_avoid, 0);
    const ff_signature *s = &b->signatures[0];
    CHECK_INT(s->streams, FF_STREAM_KERNEL | FF_STREAM_APP);
    CHECK(s->nocase && s->folds && s->has_severity);
    CHECK_TEXT(s->fields[0].name, "limit"); /* by name */
    CHECK_INT(s->scope, FF_SCOPE_CONTAINER);
    CHECK_INT(s->line, 8);
    CHECK_TEXT(s->file, "rules/t.lua");
    CHECK_INT(ff_kind_find(b, FF_LIT("k.usage")), FF_KIND_OF_SIGNATURE(0));
    CHECK_INT(ff_kind_find(b, FF_LIT("oom.report")), FF_FACT_OOM_REPORT);
    CHECK_INT(ff_kind_find(b, FF_LIT("no.such")), FF_NONE);
    CHECK_TEXT(ff_kind_name(b, FF_FACT_GPU_STATE), "gpu.state");
    CHECK(ff_kind_signature(b, FF_FACT_GPU_STATE) == NULL);
    const ff_correlation *k = &b->correlations[0];
    CHECK_INT(k->needs, FF_STREAM_KERNEL);
    CHECK_INT(k->group, FF_SCOPE_GPU);
    CHECK_INT(k->n_uses, 2);
    CHECK_INT(k->reach[0], FF_FACT_GPU_STATE);
    CHECK_INT(ff_rulebook_check(b), 0);
    ff_rulebook_free(b);
}

TEST(signatures_are_read_strictly)
{
    ACCEPTED(SIG(""));
    REFUSED(SIG("colour = 'red', blue = 1"), "2: k.x: unknown key \"blue\"");
    REFUSED(SIG("'x'"), "2: k.x: the table has a value without a key");
    REFUSED(SIG("nocase = 1"), "2: k.x: nocase is a number; true or false is wanted");
    REFUSED(SIG("fields = { a = 'int' }"), "2: k.x: field \"a\" is not a named group of the pattern");
    REFUSED(SIG("fields = { a = 'colour' }"), "2: k.x: field \"a\": unknown type \"colour\"");
    REFUSED(SIG("fold = { 'a' }"), "2: k.x: fold: \"a\" is not one of fields");
    REFUSED(SIG("tells = '{a} is lost'"), "2: k.x: tells: {a} is no field of this signature");
    REFUSED(SIG("says = { cause = 'gpu.lost', confidence = 'sure', scope = 'gpu' }"),
            "2: k.x: says.confidence: unknown word \"sure\"");
    REFUSED(SIG("says = { cause = 'gpu.lost', confidence = 'certain' }"), "2: k.x: says.scope is missing");
    REFUSED(SIG("says = { cause = 'gpu.gone', confidence = 'certain', scope = 'gpu' }"),
            "2: k.x: says.cause: unknown cause \"gpu.gone\"");
    REFUSED(SIG("says = { cause = 'gpu.lost', confidence = 'certain', scope = 'gpu', summary = '{x}' }"),
            "2: k.x: says.summary: {x} is no field of this signature");
    REFUSED("signature { id = 'A b' }", "1: A b: id is made of a-z, 0-9, _ and .");
    REFUSED("signature { stream = 'kernel' }", "1: id is missing");
    REFUSED("signature 'x'", "1: signature wants a table");
    REFUSED("signature { id = 'k.x', stream = 'kernels', needles = { 'abcd' }, pattern = 'x', match = { 'x' } }",
            "1: k.x: stream: unknown stream \"kernels\"");
    REFUSED("signature { id = 'k.x', stream = 'kernel', pattern = 'x', match = { 'x' } }",
            "1: k.x: needles is missing");
    REFUSED("signature { id = 'k.x', stream = 'kernel', needles = {}, pattern = 'x', match = { 'x' } }",
            "1: k.x: needles is empty");
    REFUSED("signature { id = 'k.x', stream = 'kernel', needles = { 'abcd' }, pattern = 'x' }",
            "1: k.x: match is missing");
    REFUSED("signature { id = 'k.x', stream = 'kernel', needles = { 'abcd' }, pattern = '(', match = { 'x' } }",
            "1: k.x: pattern is not valid at offset 1");
    REFUSED("signature { id = 'k.x', stream = 'kernel', needles = { 'abcd' }, pattern = '(?<a>x)', match = { 'x' } }",
            "1: k.x: group \"a\" of the pattern is not in fields");
    REFUSED("signature { id = 'k.x', stream = 'kernel', needles = { 'abcd', 5 }, pattern = 'x', match = { 'x' } }",
            "1: k.x: needles: element 2 is a number");
}

TEST(needles_hold_only_what_every_wrapping_keeps)
{
    static const char *const bad[] = { "say \\\"hi", "back\\\\slash", "tab\\there", "line\\nend", "caf\\xc3\\xa9" };
    char rules[512];
    for (size_t i = 0; i < FF_COUNT(bad); i++) {
        snprintf(rules, sizeof rules,
                 "signature { id = 'k.x', stream = 'any', needles = { \"%s\" }, pattern = 'x', match = { 'x' } }",
                 bad[i]);
        ff_error error;
        ff_rulebook *b = bench_load(rules, &error);
        CHECK(b == NULL &&
              strstr(error.text, "holds a quote, a backslash, a control byte or a byte that is not ASCII"));
        ff_rulebook_free(b);
    }
    REFUSED("signature { id = 'k.x', stream = 'any', needles = { 'abc' }, pattern = 'x', match = { 'x' } }",
            "1: k.x: needle \"abc\" is shorter than 4 bytes");
}

TEST(causes_are_read_strictly)
{
    REFUSED("cause { id = 'lost', title = 'x' }", "1: lost: id is made of a-z, 0-9, _ and ., with a dot");
    ACCEPTED("cause { id = 'unknown', title = 'x' } cause { id = 'healthy', class = 'n/a', title = 'y' }");
    REFUSED("cause { id = 'a.b' }", "1: a.b: title is missing");
    REFUSED("cause { id = 'a.b', title = 'x', class = 'bad' }", "1: a.b: class: unknown word \"bad\"");
    REFUSED("cause { id = 'a.b', title = 'x', rank = 100 }", "1: a.b: rank is not a whole number from 0 to 99");
    REFUSED("cause { id = 'a.b', title = 'x', severity = 'high' }", "1: a.b: severity: unknown word \"high\"");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { 'a.c' } }", "1: a.b: leads_to: element 1 is a string");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { { same = 'job', within = 1 } } }",
            "1: a.b: leads_to: each begins with the id of a cause");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { { 'a.b', same = 'town', within = 1 } } }",
            "1: a.b: leads_to.same: unknown word \"town\"");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { { 'a.b', same = 'job' } } }",
            "1: a.b: leads_to.within is missing");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { { 'a.c', same = 'job', within = 1 } } }",
            "1: a.b: leads_to: unknown cause \"a.c\"");
    REFUSED("cause { id = 'a.b', title = 'x', leads_to = { { 'c.*', same = 'job', within = 1 } } }",
            "1: a.b: leads_to: unknown cause \"c.*\"");
    REFUSED("cause { id = 'a.b', title = 'x', requests = { { stream = 'kernel', command = 'dmesg' } } }",
            "1: a.b: requests.why is missing");
    REFUSED("cause { id = 'a.b', title = 'x' }\ncause { id = 'a.b', title = 'y' }",
            "2: a.b: a cause of this id exists already:");
}

TEST(correlations_are_read_strictly)
{
    ACCEPTED(COR(""));
    REFUSED(COR("speed = 1"), "3: c.x: unknown key \"speed\"");
    REFUSED(COR("needs = { 'kern' }"), "3: c.x: needs: unknown stream \"kern\"");
    REFUSED(COR("reach = { 'k.y' }"), "3: c.x: unknown signature or fact \"k.y\"");
    REFUSED(COR("reach = { 'k.x' }"), "3: c.x: \"k.x\" is named twice in uses and reach");
    REFUSED("correlate { id = 'c.x', group = 'town', uses = { 'gpu.state' }, judge = function() end }",
            "1: c.x: group: unknown word \"town\"");
    REFUSED("correlate { id = 'c.x', group = 'job', uses = { 'gpu.state' } }", "1: c.x: judge is missing");
    REFUSED("correlate { id = 'c.x', group = 'job', uses = { 'gpu.state' }, judge = pairs }",
            "1: c.x: judge is function; a function is wanted");
    REFUSED(COR("") "\ncorrelate { id = 'c.x', group = 'host', uses = { 'k.x' }, judge = function() end }",
            "4: c.x: a correlation of this id exists already:");
    REFUSED(SIG("") SIG(""), "2: ");
    REFUSED(
        "signature { id = 'gpu.state', stream = 'gpu', needles = { 'abcd' }, pattern = 'abcd', match = { 'abcd' } }",
        "1: gpu.state: a fact has this name:");
    REFUSED("pack { name = 'x' }", "1: pack: version is missing");
    REFUSED("pack { name = 'x', version = '1' }\npack { name = 'x', version = '1' }",
            "2: pack: pack{...} stands twice");
}

static uint32_t check_samples(const char *samples, char *first, size_t size)
{
    char rules[1024];
    snprintf(
        rules, sizeof rules,
        "signature { id = 'k.x', stream = 'kernel', needles = { 'Xid (' }, fields = { bdf = 'pci', n = 'int' },\n"
        "pattern = [[Xid \\((?<bdf>.*?)\\): (?<n>\\d+)]], %s }",
        samples);
    ff_error error;
    ff_rulebook *b = bench_load(rules, &error);
    CHECK(b != NULL);
    if (!b)
        return 0;
    uint32_t n = ff_rulebook_check(b);
    CHECK_INT(b->n_problems, n);
    first[0] = 0;
    if (n > 0)
        snprintf(first, size, "%.*s", (int)b->problems[0].text.n, b->problems[0].text.p);
    ff_rulebook_free(b);
    return n;
}

TEST(samples_are_tried)
{
    char first[256];
    CHECK_INT(check_samples("match = { 'Xid (PCI:0000:3b:00): 79' }, ignore = { 'Xid: 79' }", first, sizeof first),
              0);
    CHECK_INT(check_samples("match = { 'Xid (PCI:0000:3b:00): 79', 'Xid (3b:00): x' }", first, sizeof first), 1);
    CHECK_TEXT(ff_str(first), "match sample 2 does not match the pattern");
    CHECK_INT(check_samples("match = { 'Xid (here): 79' }", first, sizeof first), 1);
    CHECK_TEXT(ff_str(first), "match sample 1 does not fit the type of field bdf");
    CHECK_INT(check_samples("match = { 'Xid (3b:00): 99999999999999999999' }", first, sizeof first), 1);
    CHECK_TEXT(ff_str(first), "match sample 1 does not fit the type of field n");
    CHECK_INT(check_samples("match = { 'Xid (3b:00): 1' }, ignore = { 'x', 'Xid (3b:00): 2' }", first, sizeof first),
              1);
    CHECK_TEXT(ff_str(first), "ignore sample 2 matches the pattern");
    ff_error error;
    ff_rulebook *b =
        bench_load("signature { id = 'k.x', stream = 'kernel', needles = { 'needle' }, pattern = 'hay',\n"
                   "match = { 'only hay' } }",
                   &error);
    CHECK_INT(ff_rulebook_check(b), 1);
    CHECK_TEXT(b->problems[0].text, "match sample 1 holds none of the needles");
    CHECK_TEXT(b->problems[0].rule, "k.x");
    CHECK_INT(b->problems[0].line, 1);
    ff_rulebook_free(b);
}

/* ---- packs in folders ---- */

static char top[64];

static void put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", top, name);
    FILE *f = fopen(path, "w");
    if (f) {
        fputs(text, f);
        fclose(f);
    }
}

static ff_rulebook *load_folder(bool strict, ff_error *error)
{
    static const char own[] = CAUSE;
    ff_embedded list[3] = { { 0 } };
    for (const ff_embedded *e = ff_embedded_rules; e->name; e++)
        if (strcmp(e->name, "rules/prelude.lua") == 0)
            list[0] = *e;
    list[1] = (ff_embedded){ .name = "rules/causes.lua", .bytes = own, .n = sizeof own - 1 };
    const char *folders[] = { top };
    ff_rulebook *b = NULL;
    *error = (ff_error){ { 0 } };
    (void)ff_rulebook_load_from(list, folders, 1, strict, &b, error);
    return b;
}

static void make_folder(void)
{
    char path[256];
    snprintf(top, sizeof top, "/tmp/ff-rules-XXXXXX");
    CHECK(mkdtemp(top) != NULL);
    snprintf(path, sizeof path, "%s/net", top);
    CHECK(mkdir(path, 0700) == 0);
}

static void drop_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", top);
    CHECK(system(command) == 0);
}

#define GOOD(id)                                                                                                     \
    "signature { id = '" id "', stream = 'net', needles = { 'link down' }, pattern = 'link down', "                  \
    "match = { 'link down' }, says = { cause = 'net.mine', confidence = 'possible', scope = 'host' } }\n"

TEST(a_pack_is_read_in_name_order_with_its_causes_first)
{
    ff_error error;
    make_folder();
    put("a.lua", GOOD("a.one"));
    put("net/b.lua", GOOD("b.one"));
    put("causes.lua", "pack { name = 'site', version = '7' } cause { id = 'net.mine', title = 'mine' }");
    put(".hidden.lua", "error('never run')");
    put("readme.txt", "not rules");
    ff_rulebook *b = load_folder(true, &error);
    CHECK(b != NULL);
    if (b) {
        CHECK_INT(b->n_packs, 2);
        CHECK_TEXT(b->packs[1].name, "site");
        CHECK_INT(b->packs[1].n_signatures, 2);
        CHECK_INT(b->packs[1].n_causes, 1);
        CHECK_TEXT(b->signatures[0].id, "a.one");
        CHECK_TEXT(b->signatures[1].id, "b.one");
        CHECK(ff_ends(b->signatures[1].file, FF_LIT("/net/b.lua")));
        CHECK(!ff_starts(b->signatures[1].file, FF_LIT("/")));
    }
    uint8_t before[32] = { 0 };
    if (b)
        memcpy(before, b->packs[1].sha256, sizeof before);
    ff_rulebook_free(b);
    put("readme.txt", "changed");
    b = load_folder(false, &error);
    CHECK(b && memcmp(before, b->packs[1].sha256, sizeof before) == 0);
    ff_rulebook_free(b);
    put("a.lua", GOOD("a.one") "-- changed");
    b = load_folder(false, &error);
    CHECK(b && memcmp(before, b->packs[1].sha256, sizeof before) != 0);
    ff_rulebook_free(b);
    drop_folder();
}

TEST(a_broken_rule_of_a_user_costs_only_itself_unless_strict)
{
    ff_error error;
    make_folder();
    put("causes.lua", "cause { id = 'net.mine', title = 'mine' }");
    put("a.lua", GOOD("a.one") "\nerror('here')");
    put("b.lua", "not lua at all");
    put("c.lua", GOOD("a.one") GOOD("c.one"));
    put("d.lua", "cause { id = 'gpu.lost', title = 'again' }");
    ff_rulebook *b = load_folder(false, &error);
    CHECK(b != NULL);
    if (b) {
        CHECK_INT(b->n_problems, 4);
        CHECK_INT(b->problems[0].line, 3);
        CHECK_TEXT(b->problems[0].text, "here");
        CHECK(ff_ends(b->problems[1].file, FF_LIT("/b.lua")));
        CHECK_INT(b->problems[1].line, 1);
        CHECK_INT(b->n_signatures, 2);
        CHECK_INT(b->n_causes, 2);
        CHECK_TEXT(b->causes[ff_cause_find(b, FF_LIT("gpu.lost"))].title, "GPU lost"); /* ours stands */
    }
    ff_rulebook_free(b);
    CHECK(load_folder(true, &error) == NULL);
    CHECK(strncmp(error.text, "loading rules: ", 15) == 0);
    CHECK(strstr(error.text, "/a.lua:3: here (4 problems in all)") != NULL);
    drop_folder();
    CHECK(load_folder(false, &error) == NULL);
    CHECK(strstr(error.text, "No such file or directory") != NULL);
}

TEST(strict_tries_the_samples_of_the_user)
{
    ff_error error;
    make_folder();
    put("a.lua",
        "signature { id = 'a.x', stream = 'net', needles = { 'link' }, pattern = 'down', match = { 'link up' } }");
    ff_rulebook *b = load_folder(false, &error);
    CHECK(b != NULL);
    ff_rulebook_free(b);
    CHECK(load_folder(true, &error) == NULL);
    CHECK(strstr(error.text, "match sample 1 does not match the pattern") != NULL);
    drop_folder();
}

TEST(special_files_and_links_are_no_trap)
{
    ff_error error;
    char path[256];
    make_folder();
    put("real.txt", GOOD("a.one"));
    put("causes.lua", "cause { id = 'net.mine', title = 'mine' }");
    snprintf(path, sizeof path, "%s/link.lua", top);
    CHECK(symlink("real.txt", path) == 0);
    snprintf(path, sizeof path, "%s/pipe.lua", top);
    CHECK(mkfifo(path, 0600) == 0);
    snprintf(path, sizeof path, "%s/net/up", top);
    CHECK(symlink("..", path) == 0);
    snprintf(path, sizeof path, "%s/zero.lua", top);
    CHECK(symlink("/dev/zero", path) == 0);
    ff_rulebook *b = load_folder(true, &error);
    CHECK(b != NULL);
    CHECK(b && b->n_signatures == 1);
    ff_rulebook_free(b);
    drop_folder();
}

/* ---- templates ---- */

TEST(templates_are_filled)
{
    ff_arena arena;
    ff_arena_init(&arena);
    ff_field fields[] = { { .name = FF_LIT("used"), .type = FF_FIELD_INT, .i = 671088640, .s = FF_LIT("671088640") },
                          { .name = FF_LIT("t"), .type = FF_FIELD_INT, .i = 200000000000 },
                          { .name = FF_LIT("name"), .type = FF_FIELD_TEXT, .s = FF_LIT("{used}") },
                          { .name = FF_LIT("f"), .type = FF_FIELD_FLOAT, .is_float = true, .f = 1.5 } };
    ff_bytes text = FF_LIT("{used} is {used:kib}, {t:span}, {t} ns, {name}, {f}, {gone}, { open");
    CHECK_TEXT(ff_fill_template(text, fields, 4, &arena),
               "671088640 is 640 GiB, 3 min 20 s, 200000000000 ns, {used}, 1.5, ?, { open");
    CHECK_TEXT(ff_fill_template((ff_bytes){ 0 }, fields, 4, &arena), "");
    ff_arena_done(&arena);
}

int main(void)
{
    RUN(a_whole_rule_file_is_loaded);
    RUN(signatures_are_read_strictly);
    RUN(needles_hold_only_what_every_wrapping_keeps);
    RUN(causes_are_read_strictly);
    RUN(correlations_are_read_strictly);
    RUN(samples_are_tried);
    RUN(a_pack_is_read_in_name_order_with_its_causes_first);
    RUN(a_broken_rule_of_a_user_costs_only_itself_unless_strict);
    RUN(strict_tries_the_samples_of_the_user);
    RUN(special_files_and_links_are_no_trap);
    RUN(templates_are_filled);
    return DONE();
}
