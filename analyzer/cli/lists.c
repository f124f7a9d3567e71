/* What the program knows, as lists: rules, causes, versions. */
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

cli_exit cli_version(const cli_settings *s)
{
    (void)s;
    ff_text out;
    ff_text_init(&out, 0);
    ff_text_addf(&out, "firstfault %s\n%s\n", FF_VERSION, ff_match_library_version());
    return finish(&out, CLI_OK);
}
