/* firstfault redact: a bundle in which nothing names its site, and that says the same. Three times over the input:
 * what the analysis knows by name, what is private by form, and then the writing. */
#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../intake/intake.h"
#include "../intake/pack.h"
#include "../redact/redact.h"

enum { CARRY_MOST = 1 << 20 }; /* a line longer than this is cut where no word goes on */

typedef enum shape { SHAPE_TEXT, SHAPE_PICKLE, SHAPE_LEFT_OUT } shape;

typedef struct redaction {
    ff_redactor *redactor;
    ff_pack *pack; /* NULL: learning */
    bool many_inputs;
    /* the member at hand */
    ff_text carry, out, name;
    int64_t mtime_s;
    shape shape;
    bool known, in_key; /* known: its first bytes were seen */
    uint32_t written, left_out;
    ff_text left; /* names of what was left out */
} redaction;

/* ---- what the analysis knows by name ---- */
static void name_all(ff_redactor *r, const ff_run *run)
{
    const ff_evidence *e = &run->evidence;
    for (uint32_t i = 0; i < e->n_members; i++)
        ff_redactor_name(r, FF_SECRET_HOST, e->members[i].who.host);
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        ff_redactor_name(r, FF_SECRET_HOST, s->who.host);
        ff_redactor_name(r, FF_SECRET_NAME, s->who.pod);
        for (uint32_t k = 0; k < s->n_fields; k++) {
            if (s->fields[k].type == FF_FIELD_HOST)
                ff_redactor_name(r, FF_SECRET_HOST, s->fields[k].s);
            else if (s->fields[k].type == FF_FIELD_POD)
                ff_redactor_name(r, FF_SECRET_NAME, s->fields[k].s);
        }
    }
}

/* ---- members ---- */
static bool is_pickle(ff_bytes head)
{
    return head.n > 2 && (unsigned char)head.p[0] == 0x80 && (unsigned char)head.p[1] <= 5;
}

/* Text may hold the NULs of a crashed machine's log; a binary holds other control bytes too. */
static shape shape_of(ff_bytes head)
{
    enum { LOOK = 4096 };
    size_t nul = 0, control = 0;
    head = ff_first_n(head, LOOK);
    if (is_pickle(head))
        return SHAPE_PICKLE;
    for (size_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        nul += c == 0;
        control += c < 32 && c && !strchr("\t\n\r\f\b\x1b", c);
    }
    return control * 20 > head.n || nul * 3 > head.n ? SHAPE_LEFT_OUT : SHAPE_TEXT;
}

/* Members of archives inside lie in a folder of that archive's name; what it was packed with is gone. */
static void set_name(redaction *d, const ff_member *member, ff_bytes input)
{
    static const char *const endings[] = {
        ".tar.gz", ".tar.zst", ".tar.xz", ".tar.bz2", ".tgz", ".tar", ".zip", ".7z"
    };
    ff_text plain;
    ff_text_init(&plain, 0);
    if (d->many_inputs)
        ff_text_addf(&plain, "%.*s/", (int)input.n, input.p);
    ff_bytes rest = member->name, outer;
    while (ff_take_until(&rest, '!', &outer)) {
        for (size_t i = 0; i < FF_COUNT(endings); i++)
            if (ff_ends(outer, ff_str(endings[i])))
                outer = ff_first_n(outer, outer.n - strlen(endings[i]));
        ff_text_add(&plain, outer);
        ff_text_addc(&plain, '/');
    }
    ff_text_add(&plain, rest);
    d->name.n = 0;
    bool in_key = false;
    if (d->pack)
        ff_redactor_apply(d->redactor, ff_text_view(&plain), &in_key, &d->name);
    else
        ff_redactor_learn(d->redactor, ff_text_view(&plain));
    ff_text_done(&plain);
}

static bool begin(void *owner, const ff_member *member, ff_bytes input)
{
    redaction *d = owner;
    set_name(d, member, input);
    d->carry.n = 0;
    d->known = d->in_key = false;
    d->mtime_s = member->mtime_s;
    return true;
}

static bool take_piece(redaction *d, ff_bytes piece)
{
    bool pickle = d->shape == SHAPE_PICKLE;
    if (!d->pack) {
        pickle ? ff_redactor_learn_pickle(d->redactor, piece) : ff_redactor_learn(d->redactor, piece);
        return true;
    }
    d->out.n = 0;
    if (pickle)
        ff_redactor_apply_pickle(d->redactor, piece, &d->out);
    else
        ff_redactor_apply(d->redactor, piece, &d->in_key, &d->out);
    return ff_pack_add(d->pack, ff_text_view(&d->out));
}

static bool goes_on(char c) { return c > ' ' && !strchr("\"',;()[]{}<>|", c) && (unsigned char)c < 127; }

/* Up to the last whole line, or the last place where no word goes on. 0: wait for more. */
static size_t whole_of(ff_bytes b)
{
    for (size_t i = b.n; i > 0; i--)
        if (b.p[i - 1] == '\n')
            return i;
    if (b.n < CARRY_MOST)
        return 0;
    for (size_t i = b.n; i > b.n - CARRY_MOST / 2; i--)
        if (!goes_on(b.p[i - 1]))
            return i;
    return b.n;
}

static bool see_head(redaction *d, ff_bytes bytes)
{
    d->known = true;
    d->shape = shape_of(bytes);
    if (d->shape == SHAPE_LEFT_OUT && d->pack) {
        d->left_out++;
        ff_text_add_clean(&d->left, ff_text_view(&d->name));
        ff_text_addc(&d->left, '\n');
    }
    return d->shape == SHAPE_LEFT_OUT || !d->pack || ff_pack_begin(d->pack, ff_text_view(&d->name), d->mtime_s);
}

static bool take_bytes(void *owner, ff_bytes bytes)
{
    redaction *d = owner;
    if (!d->known && !see_head(d, bytes))
        return false;
    if (d->shape == SHAPE_LEFT_OUT)
        return true;
    ff_text_add(&d->carry, bytes);
    ff_bytes all = ff_text_view(&d->carry);
    size_t n = d->shape == SHAPE_PICKLE ? 0 : whole_of(all);
    if (!n)
        return true;
    if (!take_piece(d, ff_first_n(all, n)))
        return false;
    memmove(d->carry.p, d->carry.p + n, all.n - n);
    d->carry.n = all.n - n;
    return true;
}

static bool end(void *owner)
{
    redaction *d = owner;
    if (!d->known && !see_head(d, (ff_bytes){ NULL, 0 }))
        return false;
    if (d->shape == SHAPE_LEFT_OUT)
        return true;
    if (d->carry.n && !take_piece(d, ff_text_view(&d->carry)))
        return false;
    if (!d->pack)
        return true;
    d->written++;
    return ff_pack_end(d->pack);
}

static ff_status walk(redaction *d, const cli_settings *s, const ff_kit *kit, ff_error *error)
{
    ff_arena arena;
    ff_arena_init(&arena);
    ff_evidence evidence = { 0 };
    ff_tap tap = { begin, take_bytes, end, d };
    ff_intake_options options = {
        .inputs = s->words.at, .n_inputs = s->words.n, .jobs = 1, .tap = &tap, .most_bytes = s->most_bytes
    };
    ff_status status =
        ff_intake(&options, kit->matcher, kit->rules->signatures, kit->rules->n_signatures, &arena, &evidence, error);
    ff_arena_done(&arena);
    return status == FF_FATAL ? FF_FATAL : FF_OK;
}

/* ---- the command ---- */
typedef struct writing {
    redaction *d;
    const cli_settings *s;
    const ff_kit *kit;
    const char *folder;
    ff_bytes name;
} writing;

static ff_status write_archive(const void *what, const char *path, ff_error *error)
{
    const writing *w = what;
    w->d->pack = ff_pack_open(path, w->name, w->folder, error);
    if (!w->d->pack)
        return FF_FATAL;
    ff_status status = walk(w->d, w->s, w->kit, error);
    ff_status closed = ff_pack_close(w->d->pack);
    w->d->pack = NULL;
    return status == FF_OK ? closed : status;
}

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = cli_join(slash ? path : ".", "");
    folder[slash ? slash - path + 1 : 2] = 0;
    return folder;
}

static bool learn(redaction *d, const cli_settings *s, const ff_kit *kit)
{
    ff_run run;
    ff_error error = { 0 };
    ff_run_options options = { .inputs = s->words.at, .n_inputs = s->words.n, .jobs = s->jobs };
    bool good = ff_run_read(kit, &options, &run, &error) == FF_OK;
    if (good)
        name_all(d->redactor, &run);
    ff_run_done(&run);
    good = good && walk(d, s, kit, &error) == FF_OK && ff_redactor_settle(d->redactor, &error) == FF_OK;
    if (!good)
        cli_complain("%s", error.text);
    return good;
}

static void tell_residue(redaction *d, ff_text *out)
{
    for (unsigned kind = 0; kind < FF_SECRETS; kind++) {
        ff_text some;
        ff_text_init(&some, 0);
        uint32_t n = ff_redactor_add_residue(d->redactor, (ff_secret)kind, 10, &some);
        if (n)
            ff_text_addf(out, "%s: %u\n", ff_secret_name((ff_secret)kind), n);
        ff_bytes rest = ff_text_view(&some), line;
        while (ff_take_line(&rest, &line)) {
            ff_text_add_clean(out, line);
            ff_text_addc(out, '\n');
        }
        ff_text_done(&some);
    }
}

/* What a reader of the text could still find. Exit 1 when there is anything. */
static cli_exit check(redaction *d)
{
    ff_text out;
    ff_text_init(&out, 0);
    tell_residue(d, &out);
    bool clean = ff_text_view(&out).n == 0;
    if (clean)
        ff_text_adds(&out,
                     "Nothing that looks private, as far as form and labels tell. Addresses of 10.0.0.0/8 are taken "
                     "for pseudonyms, and plain words are not judged.\n");
    bool said = cli_say(&out);
    ff_text_done(&out);
    return !said ? CLI_FAILED : clean ? CLI_OK : CLI_NO;
}

static bool write_map(const redaction *d, const cli_settings *s)
{
    if (!s->map)
        return true;
    ff_text map;
    ff_text_init(&map, 0);
    ff_redactor_add_map(d->redactor, &map);
    bool good = cli_write_file(s->map, ff_text_view(&map));
    ff_text_done(&map);
    return good;
}

static void tell(const redaction *d, const cli_settings *s, const char *path)
{
    ff_text out;
    ff_text_init(&out, 0);
    ff_text_addf(&out, "%u members written to ", d->written);
    ff_text_add_clean(&out, ff_str(path));
    ff_text_adds(&out, "\nReplaced:");
    for (unsigned kind = 0; kind < FF_SECRETS; kind++)
        if (ff_redactor_count(d->redactor, (ff_secret)kind))
            ff_text_addf(&out, " %u %s", ff_redactor_count(d->redactor, (ff_secret)kind),
                         ff_secret_name((ff_secret)kind));
    ff_text_adds(&out, "\n");
    if (d->left_out) {
        ff_text_addf(&out, "Left out, since a binary cannot be judged: %u\n", d->left_out);
        if (s->verbose)
            ff_text_add(&out, ff_text_view(&d->left));
    }
    ff_text_adds(
        &out,
        "Read it before you send it: names that are everyday words stay. firstfault redact --check tells more.\n");
    (void)cli_say(&out);
    ff_text_done(&out);
}

static void open_all(redaction *d, const cli_settings *s)
{
    *d = (redaction){ .redactor = ff_redactor_open(), .many_inputs = s->words.n > 1 };
    ff_text_init(&d->carry, FF_CAP_DOCUMENT);
    ff_text_init(&d->out, 0);
    ff_text_init(&d->name, 0);
    ff_text_init(&d->left, (size_t)1 << 20);
}

static void close_all(redaction *d)
{
    ff_redactor_close(d->redactor);
    ff_text_done(&d->carry);
    ff_text_done(&d->out);
    ff_text_done(&d->name);
    ff_text_done(&d->left);
}

bool cli_redact_to(const cli_settings *s, const ff_kit *kit, const char *path, bool quiet)
{
    redaction d;
    char *folder = folder_of(path);
    open_all(&d, s);
    bool good = learn(&d, s, kit);
    writing w = { &d, s, kit, folder, ff_str(path) };
    good = good && cli_write_by(path, write_archive, &w) && write_map(&d, s);
    if (good && !quiet)
        tell(&d, s, path);
    close_all(&d);
    ff_free(folder);
    return good;
}

const char *cli_scratch_folder(const cli_settings *s)
{
    const char *temporary = getenv("TMPDIR");
    return s->out_dir ? s->out_dir : temporary && *temporary ? temporary : "/tmp";
}

static cli_exit check_bundle(const cli_settings *s, const ff_kit *kit)
{
    redaction d;
    cli_exit exit_code = CLI_FAILED;
    open_all(&d, s);
    if (learn(&d, s, kit))
        exit_code = check(&d);
    close_all(&d);
    return exit_code;
}

static cli_exit check_usage(const cli_settings *s)
{
    if (s->check)
        return CLI_OK;
    if (!s->out_dir || !ff_pack_can(ff_str(s->out_dir))) {
        cli_complain("redact needs -o FILE, ending in .tar, .tar.gz, .tar.zst, .tar.xz or .zip");
        return CLI_USAGE;
    }
    for (uint32_t i = 0; i < s->words.n; i++)
        if (strcmp(s->words.at[i], "-") == 0) {
            cli_complain("redact reads its input more than once, which standard input cannot bear");
            return CLI_USAGE;
        }
    return CLI_OK;
}

cli_exit cli_redact(const cli_settings *s)
{
    ff_kit kit;
    cli_exit exit_code = check_usage(s);
    if (exit_code == CLI_OK)
        exit_code = cli_open_kit(s, &kit);
    if (exit_code != CLI_OK)
        return exit_code;
    cli_confine(s);
    if (s->check)
        exit_code = check_bundle(s, &kit);
    else
        exit_code = cli_redact_to(s, &kit, s->out_dir, s->quiet) ? CLI_OK : CLI_FAILED;
    ff_kit_close(&kit);
    return exit_code;
}
