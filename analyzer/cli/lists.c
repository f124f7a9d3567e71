/* What the program knows, as lists: rules, causes, clocks of a bundle, versions. */
#include "cli.h"

#include <inttypes.h>
#include <string.h>

#include "../base/digest.h"

static cli_exit finish(ff_text *out, cli_exit exit_code)
{
    bool good = cli_say(out);
    ff_text_done(out);
    return good ? exit_code : CLI_FAILED;
}

/* Rules alone, without compiling what they look for. */
static cli_exit load_rules(const cli_settings *s, const cli_list *folders, ff_rulebook **out)
{
    (void)s;
    for (uint32_t i = 0; i < folders->n; i++) {
        if (cli_is_folder(folders->at[i]))
            continue;
        cli_complain("%s: no such folder", folders->at[i]);
        return CLI_USAGE;
    }
    ff_error error = { 0 };
    if (ff_rulebook_load(folders->at, folders->n, false, out, &error) == FF_OK)
        return CLI_OK;
    cli_complain("%s", error.text);
    return CLI_FAILED;
}

/* ---- rules list ---- */
static void add_pack(ff_text *out, const ff_pack *p)
{
    char hex[65];
    ff_hex(p->sha256, 32, hex);
    ff_text_adds(out, "pack ");
    ff_text_add_clean(out, p->name);
    ff_text_adds(out, " ");
    ff_text_add_clean(out, p->version);
    ff_text_addf(out, ": %" PRIu32 " signatures, %" PRIu32 " correlations, %" PRIu32 " causes, sha256 %.16s\n",
                 p->n_signatures, p->n_correlations, p->n_causes, hex);
}

static void add_stream_names(ff_text *out, uint32_t mask)
{
    ff_text names;
    ff_text_init(&names, 0);
    if (mask == FF_STREAM_ANY)
        ff_text_adds(&names, "any");
    for (unsigned i = 0; i < FF_STREAMS && mask != FF_STREAM_ANY; i++)
        if (mask >> i & 1u)
            ff_text_addf(&names, "%s%s", names.n ? "," : "", ff_stream_name(i));
    cli_add_cell(out, ff_text_view(&names), 16);
    ff_text_done(&names);
}

static void add_signature(ff_text *out, const ff_rulebook *b, const ff_signature *sig)
{
    cli_add_cell(out, sig->id, 44);
    add_stream_names(out, sig->streams);
    cli_add_cell(out, sig->cause < b->n_causes ? b->causes[sig->cause].id : FF_LIT("-"), 26);
    ff_text_add_clean(out, sig->file);
    ff_text_addf(out, ":%" PRIu32 "\n", sig->line);
}

static void add_correlation(ff_text *out, const ff_correlation *c)
{
    cli_add_cell(out, c->id, 44);
    add_stream_names(out, c->needs);
    cli_add_cell(out, FF_LIT("(correlation)"), 26);
    ff_text_add_clean(out, c->file);
    ff_text_addf(out, ":%" PRIu32 "\n", c->line);
}

cli_exit cli_rules_list(const cli_settings *s)
{
    ff_rulebook *b = NULL;
    cli_exit exit_code = load_rules(s, &s->rules, &b);
    if (exit_code != CLI_OK)
        return exit_code;
    ff_text out;
    ff_text_init(&out, 0);
    for (uint32_t i = 0; i < b->n_packs; i++)
        add_pack(&out, &b->packs[i]);
    for (uint32_t i = 0; i < b->n_signatures; i++)
        add_signature(&out, b, &b->signatures[i]);
    for (uint32_t i = 0; i < b->n_correlations; i++)
        add_correlation(&out, &b->correlations[i]);
    cli_tell_problems(b, true);
    ff_rulebook_free(b);
    return finish(&out, CLI_OK);
}

/* Rules that are right and slow. No problem: it changes nothing in any report. */
static void add_slow(void *owner, const ff_signature *sig, ff_bytes needle, ff_bytes line)
{
    ff_text *out = owner;
    ff_text_addf(out, "%.*s:%" PRIu32 ": %.*s: slow: the needle \"", (int)sig->file.n, sig->file.p, sig->line,
                 (int)sig->id.n, sig->id.p);
    ff_text_add_clean(out, needle);
    ff_text_adds(out, "\" stands in ordinary lines, such as: ");
    ff_text_add_clean(out, line);
    ff_text_addc(out, '\n');
}

cli_exit cli_rules_check(const cli_settings *s)
{
    ff_rulebook *b = NULL;
    cli_exit exit_code = load_rules(s, &s->words, &b);
    if (exit_code != CLI_OK)
        return exit_code;
    (void)ff_rulebook_check(b);
    cli_tell_problems(b, true);
    ff_text out;
    ff_text_init(&out, 0);
    ff_rulebook_slow(b, add_slow, &out);
    ff_text_addf(&out, "%" PRIu32 " signatures, %" PRIu32 " correlations, %" PRIu32 " causes: ", b->n_signatures,
                 b->n_correlations, b->n_causes);
    if (b->n_problems)
        ff_text_addf(&out, "%" PRIu32 " problem%s\n", b->n_problems, b->n_problems == 1 ? "" : "s");
    else
        ff_text_adds(&out, "no problems\n");
    exit_code = b->n_problems ? CLI_NO : CLI_OK;
    ff_rulebook_free(b);
    return finish(&out, exit_code);
}

/* ---- causes ---- */
static void add_paragraph(ff_text *out, const char *title, const ff_bytes *at, uint32_t n)
{
    if (n)
        ff_text_addf(out, "\n%s\n", title);
    for (uint32_t i = 0; i < n; i++) {
        ff_text_adds(out, "  - ");
        ff_text_add_clean(out, at[i]);
        ff_text_addc(out, '\n');
    }
}

static const char *same_name(ff_same same)
{
    static const char *const names[] = { "job", "host", "cgroup", "process", "rank", "GPU", "another rank" };
    return (size_t)same < FF_COUNT(names) ? names[same] : "job";
}

/* What an incident of this cause asks for, where the bundle lacks it. */
static void add_requests(ff_text *out, const ff_cause *c)
{
    if (c->n_requests)
        ff_text_adds(out, "\nAsk for\n");
    for (uint32_t i = 0; i < c->n_requests; i++) {
        ff_text_adds(out, "  - ");
        ff_text_add_clean(out, c->requests[i].command);
        ff_text_adds(out, "\n      ");
        ff_text_add_clean(out, c->requests[i].why);
        ff_text_addc(out, '\n');
    }
}

static void add_consequences(ff_text *out, const ff_cause *c)
{
    if (c->n_leads_to)
        ff_text_adds(out, "\nLeads to\n");
    for (uint32_t i = 0; i < c->n_leads_to; i++) {
        const ff_leads_to *l = &c->leads_to[i];
        ff_text_adds(out, "  ");
        cli_add_cell(out, l->cause, 28);
        ff_text_addf(out, "%s, %s%s, within ", ff_role_name(l->role), l->same == FF_SAME_OTHER_RANK ? "" : "same ",
                     same_name(l->same));
        ff_text_add_span(out, l->within_ns);
        ff_text_addc(out, '\n');
    }
}

static void add_cause_page(ff_text *out, const ff_cause *c)
{
    ff_text_add_clean(out, c->id);
    ff_text_adds(out, ": ");
    ff_text_add_clean(out, c->title);
    ff_text_adds(out, "\n  class ");
    ff_text_add_clean(out, c->fault_class.n ? c->fault_class : FF_LIT("n/a"));
    ff_text_addf(out, ", severity %s, settled by ", ff_severity_name(c->severity));
    if (c->settled_by)
        add_stream_names(out, c->settled_by);
    else
        ff_text_adds(out, "nothing: it can never be ruled out");
    while (out->n && out->p[out->n - 1] == ' ')
        out->n--;
    ff_text_addc(out, '\n');
    if (c->recovery.n) {
        ff_text_adds(out, "  recovery reaches the ");
        ff_text_add_clean(out, c->recovery);
        ff_text_addc(out, '\n');
    }
    add_consequences(out, c);
    add_requests(out, c);
    add_paragraph(out, "Do", c->act, c->n_act);
    add_paragraph(out, "Then check", c->verify, c->n_verify);
    add_paragraph(out, "Do not", c->avoid, c->n_avoid);
    add_paragraph(out, "Save first", c->save, c->n_save);
}

cli_exit cli_causes(const cli_settings *s)
{
    ff_rulebook *b = NULL;
    cli_exit exit_code = load_rules(s, &s->rules, &b);
    if (exit_code != CLI_OK)
        return exit_code;
    ff_text out;
    ff_text_init(&out, 0);
    uint32_t wanted = s->words.n ? ff_cause_find(b, ff_str(s->words.at[0])) : FF_NONE;
    if (s->words.n && wanted == FF_NONE) {
        cli_complain("%s: no such cause; firstfault causes lists them", s->words.at[0]);
        exit_code = CLI_USAGE;
    } else if (wanted != FF_NONE) {
        add_cause_page(&out, &b->causes[wanted]);
    } else {
        for (uint32_t i = 0; i < b->n_causes; i++) {
            const ff_cause *c = &b->causes[i];
            cli_add_cell(&out, c->id, 26);
            cli_add_cell(&out, c->fault_class.n ? c->fault_class : FF_LIT("n/a"), 7);
            cli_add_cell(&out, ff_str(ff_severity_name(c->severity)), 9);
            ff_text_add_clean(&out, c->title);
            ff_text_addc(&out, '\n');
        }
    }
    ff_rulebook_free(b);
    return finish(&out, exit_code);
}

/* ---- clocks ---- */
static const char *kind_name(ff_stamp_kind kind)
{
    static const char *const names[] = { "none", "UTC", "since boot", "local", "no year" };
    return (size_t)kind < FF_COUNT(names) ? names[kind] : "none";
}

static void add_clock(ff_text *out, const ff_run *run, const ff_clock *c)
{
    cli_add_cell(out, c->host.n ? c->host : FF_LIT("-"), 20);
    cli_add_cell(out, ff_first_n(c->boot.n ? c->boot : FF_LIT("-"), 8), 8);
    cli_add_cell(out, ff_str(kind_name(c->kind)), 10);
    ff_text cell;
    ff_text_init(&cell, 0);
    if (c->anchored)
        ff_text_addf(&cell, "%+.6f s", (double)c->offset_ns / 1e9);
    cli_add_cell(out, c->anchored ? ff_text_view(&cell) : FF_LIT("not anchored"), 22);
    cell.n = 0;
    ff_text_adds(&cell, "");
    if (c->anchored)
        ff_text_add_span(&cell, c->err_ns);
    cli_add_cell(out, ff_text_view(&cell), 12);
    ff_text_done(&cell);
    ff_text_addf(out, "%5" PRIu32 "  ", c->n_anchors);
    ff_text_add_clean(out, c->why);
    if (c->member < run->evidence.n_members) {
        ff_text_adds(out, " (only ");
        ff_text_add_clean(out, run->evidence.members[c->member].name);
        ff_text_addc(out, ')');
    }
    ff_text_addc(out, '\n');
}

static void add_seconds(ff_text *cell, int64_t ns) { ff_text_addf(cell, "%+.3f s", (double)ns / 1e9); }

/* What hosts that met say of each other's clocks, also of those that agree. */
static void add_pair(ff_text *out, const ff_run *run, const ff_clock_pair *p)
{
    const ff_record *at[] = { &p->left, &p->right };
    ff_text cell;
    cli_add_cell(out, p->b, 20);
    cli_add_cell(out, p->a.n ? p->a : FF_LIT("true time"), 20);
    ff_text_init(&cell, 0);
    add_seconds(&cell, p->low_ns);
    cli_add_cell(out, ff_text_view(&cell), 16);
    cell.n = 0;
    add_seconds(&cell, p->high_ns);
    cli_add_cell(out, ff_text_view(&cell), 16);
    ff_text_done(&cell);
    ff_text_addf(out, "%5" PRIu32 " ", p->n);
    for (size_t i = p->a.n ? 0 : 1; i < FF_COUNT(at); i++) {
        ff_text_addc(out, ' ');
        ff_text_add_clean(out, run->evidence.members[at[i]->member].name);
        ff_text_addf(out, ":%" PRIu32, at[i]->line);
    }
    ff_text_addc(out, '\n');
}

static void add_pairs(ff_text *out, const ff_run *run)
{
    static const struct {
        const char *title;
        size_t width;
    } columns[] = { { "CLOCK OF", 20 }, { "AGAINST", 20 }, { "AT LEAST", 16 }, { "AT MOST", 16 } };
    if (!run->clocks.n_pairs)
        return;
    ff_text_addc(out, '\n');
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        cli_add_cell(out, ff_str(columns[i].title), columns[i].width);
    ff_text_adds(out, "  MET  LINES\n");
    for (uint32_t i = 0; i < run->clocks.n_pairs; i++)
        add_pair(out, run, &run->clocks.pairs[i]);
}

static cli_exit tell_clocks(const cli_settings *s, const ff_run *run)
{
    static const struct {
        const char *title;
        size_t width;
    } columns[] = { { "HOST", 20 }, { "BOOT", 8 }, { "KIND", 10 }, { "OFFSET TO UTC", 22 }, { "ERROR", 12 } };
    ff_text out;
    (void)s;
    ff_text_init(&out, 0);
    for (size_t i = 0; i < FF_COUNT(columns); i++)
        cli_add_cell(&out, ff_str(columns[i].title), columns[i].width);
    ff_text_adds(&out, "SEEN   WHY\n");
    for (uint32_t i = 0; i < run->clocks.n; i++)
        add_clock(&out, run, &run->clocks.at[i]);
    if (!run->clocks.n)
        ff_text_adds(&out, "no time stamps were found\n");
    add_pairs(&out, run);
    return finish(&out, CLI_OK);
}

cli_exit cli_clocks(const cli_settings *s) { return cli_tell_read(s, tell_clocks); }

cli_exit cli_version(const cli_settings *s)
{
    (void)s;
    ff_text out;
    ff_text_init(&out, 0);
    ff_text_addf(&out, "firstfault %s\n%s\n", FF_VERSION, ff_match_library_version());
    return finish(&out, CLI_OK);
}
