/* What a command may touch from here on follows from its arguments: the bundle to read, the outputs to write. */
#include "cli.h"

#include <string.h>
#include <sys/stat.h>

#include "../guard/guard.h"

#if FF_GUARD
/* A file is written beside its final name, so its folder is what must be open; a device or a pipe is opened as it is.
 */
static const char *place_of(const char *file, ff_arena *arena)
{
    struct stat st;
    if (stat(file, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return file;
    const char *slash = strrchr(file, '/');
    return slash ? ff_arena_str(arena, (ff_bytes){ file, (size_t)(slash - file) + 1 }) : ".";
}

/* The cache too: what is compiled for a stream is compiled when the bundle shows that it has one. */
static uint32_t list_writes(const cli_settings *s, const char *cache, const char **out, ff_arena *arena)
{
    const char *const files[] = CLI_OUTPUT_FILES(s);
    uint32_t n = 0;
    for (size_t i = 0; i < FF_COUNT(files); i++)
        if (files[i] && strcmp(files[i], "-") != 0)
            out[n++] = place_of(files[i], arena);
    if (s->out_dir)
        out[n++] = cli_is_folder(s->out_dir) ? s->out_dir : place_of(s->out_dir, arena);
    if (s->redact)
        out[n++] = cli_scratch_folder(s);
    if (cache)
        out[n++] = cache;
    return n;
}

void cli_confine(const cli_settings *s)
{
    if (s->sandbox_off)
        return;
    ff_arena arena;
    ff_arena_init(&arena);
    const char *writes[CLI_OUTPUTS + 3];
    char *cache = cli_cache_folder(s);
    ff_guard_plan plan = { .reads = s->words.at, .n_reads = s->words.n, .writes = writes };
    plan.n_writes = list_writes(s, cache, writes, &arena);
    ff_text missing;
    ff_text_init(&missing, 0);
    ff_guard(&plan, &missing);
    ff_bytes text = ff_text_view(&missing);
    if (text.n && !s->quiet)
        cli_complain("note: the sandbox lacks something here: %.*s", (int)text.n, text.p);
    ff_text_done(&missing);
    ff_free(cache);
    ff_arena_done(&arena);
}
#else
void cli_confine(const cli_settings *s) { (void)s; }
#endif
