/* Inputs: each is a folder, an archive, a single file, or standard input. */
#include "intake_private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const ff_needle *ff_intake_needles(uint32_t n_signatures, ff_arena *arena, uint32_t *n)
{
    uint32_t total = 0;
    for (unsigned b = 0; b < ff_n_blocks; b++)
        for (const char *const *needle = ff_blocks[b]->needles; *needle; needle++)
            total++;
    ff_needle *all = FF_NEW_N(arena, ff_needle, total ? total : 1);
    *n = 0;
    for (unsigned b = 0; b < ff_n_blocks; b++)
        for (const char *const *needle = ff_blocks[b]->needles; *needle; needle++)
            all[(*n)++] = (ff_needle){ .literal = ff_str(*needle),
                                       .streams = ff_blocks[b]->streams,
                                       .owner = n_signatures + b };
    return all;
}

/* Two inputs of one name get "~2", "~3" behind it, in the order in which they were given. */
static ff_bytes distinct_name(ff_shared *sh, uint32_t input, ff_bytes name)
{
    ff_bytes tried = name;
    for (unsigned suffix = 2;; suffix++) {
        uint32_t i = 0;
        while (i < input && !ff_equal(sh->inputs[i].name, tried))
            i++;
        if (i == input)
            return tried;
        tried = ff_arena_format(sh->arena, "%.*s~%u", (int)name.n, name.p, suffix);
    }
}

static void walk_stream(ff_shared *sh, uint32_t input, int fd, const struct stat *st, ff_bytes name)
{
    ff_error error = { { 0 } };
    /* Unpacking costs a fifth of scanning what came out: the reader mostly waits, and would leave a core idle. */
    ff_pipe *pipe = ff_pipe_open(sh, sh->jobs > 1 ? sh->jobs : 0, &error);
    if (!pipe) {
        ff_give_up(sh, &error);
        return;
    }
    ff_walk walk;
    ff_walk_init(&walk, sh, pipe);
    walk.input = input;
    walk.unpackers = sh->jobs / 2;
    bool regular = S_ISREG(st->st_mode);
    ff_source *source = ff_file_source_open(&walk, fd, regular);
    ff_item item = { .name = name, .mtime_s = regular ? (int64_t)st->st_mtim.tv_sec : 0, .top = true };
    ff_walk_item(&walk, item, source);
    ff_pipe_close(pipe);
    ff_file_source_close(source);
    ff_walk_done(&walk);
}

static bool is_stream(const struct stat *st) { return S_ISREG(st->st_mode) || S_ISFIFO(st->st_mode); }

/* A path that the user gave is followed, wherever it leads; what lies below it is not. */
static bool walk_file(ff_shared *sh, uint32_t input, const char *path, const char **why)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        *why = ff_why_unread(errno);
        return false;
    }
    bool good = standard || is_stream(&st);
    if (good)
        walk_stream(sh, input, fd, &st, sh->inputs[input].file);
    else
        *why = "not a regular file";
    if (!standard)
        close(fd);
    return good;
}

static bool walk_input(ff_shared *sh, uint32_t input, const char *path, const char **why)
{
    struct stat st;
    bool standard = strcmp(path, "-") == 0;
    if (!standard && stat(path, &st) != 0) {
        *why = ff_why_unread(errno);
        return false;
    }
    bool folder = !standard && S_ISDIR(st.st_mode);
    pthread_mutex_lock(&sh->lock);
    ff_bytes file = ff_input_name(path, true, sh->arena);
    ff_bytes name = ff_input_name(path, folder, sh->arena);
    pthread_mutex_unlock(&sh->lock);
    sh->inputs[input].file = standard ? name : file;
    bool good = folder ? ff_walk_folder(sh, input, path, why) : walk_file(sh, input, path, why);
    ff_root *root = &sh->roots[input];
    if (root->name.n && !root->broken)
        name = root->name;
    sh->inputs[input].name = name;
    return good;
}

/* ---- several inputs are read side by side: one archive alone keeps no more cores busy than its unpacking feeds ----
 */
#define MOST_AT_ONCE 16u

typedef struct crew {
    ff_shared *shared;
    bool *opened; /* by input */
    const char **why;
    atomic_uint next;
} crew;

static void *walk_some(void *argument)
{
    crew *c = argument;
    ff_shared *sh = c->shared;
    unsigned i;
    while ((i = atomic_fetch_add(&c->next, 1)) < sh->n_inputs && !sh->failed)
        c->opened[i] = walk_input(sh, i, sh->options->inputs[i], &c->why[i]);
    return NULL;
}

/* Standard input can be named twice, and is then whose turn comes first: one after the other. So is what is tapped.
 */
static unsigned at_once(const ff_shared *sh)
{
    unsigned standard = 0, n = sh->n_inputs < MOST_AT_ONCE ? sh->n_inputs : MOST_AT_ONCE;
    for (uint32_t i = 0; i < sh->n_inputs; i++)
        standard += strcmp(sh->options->inputs[i], "-") == 0;
    return standard > 1 || sh->options->tap ? 1 : n < sh->jobs ? n : sh->jobs;
}

static void walk_all(crew *c)
{
    pthread_t threads[MOST_AT_ONCE];
    unsigned n = 1, want = at_once(c->shared);
    /* The first one is this thread. Fewer of them than wanted are slower, not wrong. */
    while (n < want && pthread_create(&threads[n], NULL, walk_some, c) == 0)
        n++;
    (void)walk_some(c);
    for (unsigned i = 1; i < n; i++)
        pthread_join(threads[i], NULL);
}

static ff_status walk_inputs(ff_shared *sh)
{
    uint32_t opened = 0;
    crew c = { .shared = sh,
               .opened = FF_NEW_N(sh->arena, bool, sh->n_inputs),
               .why = FF_NEW_N(sh->arena, const char *, sh->n_inputs) };
    walk_all(&c);
    if (sh->failed)
        return FF_FATAL;
    for (uint32_t i = 0; i < sh->n_inputs; i++) {
        const char *path = sh->options->inputs[i];
        opened += c.opened[i];
        if (!c.opened[i] && sh->n_inputs == 1)
            return ff_fail(sh->error, "cannot open %s: %s", path, c.why[i]);
        if (!c.opened[i]) {
            sh->inputs[i].name = ff_input_name(path, false, sh->arena);
            sh->inputs[i].unopened = c.why[i];
            ff_note_damage(sh, i, (ff_bytes){ NULL, 0 }, ff_arena_format(sh->arena, "not read: %s", c.why[i]));
        }
        sh->inputs[i].name = distinct_name(sh, i, sh->inputs[i].name);
    }
    return opened ? FF_OK : ff_fail(sh->error, "none of the %u inputs could be opened", sh->n_inputs);
}

static unsigned jobs_of(const ff_intake_options *o)
{
    if (o->jobs)
        return o->jobs;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (unsigned)cores : 1;
}

static void forget_rows(ff_shared *sh)
{
    for (uint32_t i = 0; i < sh->results.n; i++) {
        ff_free(sh->results.at[i]->signals);
        ff_free(sh->results.at[i]->samples);
        ff_free(sh->results.at[i]->dumps);
    }
}

ff_status ff_intake(const ff_intake_options *options, ff_matcher *matcher, const ff_signature *signatures,
                    uint32_t n_signatures, ff_arena *arena, ff_evidence *out, ff_error *error)
{
    if (options->n_inputs == 0)
        return ff_fail(error, "no input was given");
    ff_shared sh = { .options = options,
                     .matcher = matcher,
                     .signatures = signatures,
                     .n_signatures = n_signatures,
                     .jobs = jobs_of(options),
                     .inputs = FF_NEW_N(arena, ff_input, options->n_inputs),
                     .roots = FF_NEW_N(arena, ff_root, options->n_inputs),
                     .lone = FF_NEW_N(arena, bool, options->n_inputs),
                     .n_inputs = options->n_inputs,
                     .arena = arena,
                     .error = error };
    pthread_mutex_init(&sh.lock, NULL);
    ff_status status = walk_inputs(&sh);
    if (status == FF_OK)
        ff_gather(&sh, out);
    else
        forget_rows(&sh);
    pthread_mutex_destroy(&sh.lock);
    ff_free(sh.results.at);
    ff_free(sh.remarks.at);
    return status;
}
