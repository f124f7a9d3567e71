/* What things are called, whatever they were packed in. Names are only ever compared and printed; none of them
 * becomes a path. */
#define _XOPEN_SOURCE 700 /* realpath is POSIX, and glibc shows it only so */
#include "intake_private.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool cut_suffix(ff_bytes *name, const char *suffix)
{
    ff_bytes s = ff_str(suffix);
    if (name->n <= s.n || !ff_equal_nocase(ff_skip_n(*name, name->n - s.n), s))
        return false;
    name->n -= s.n;
    return true;
}

static ff_bytes without_suffixes(ff_bytes name)
{
    static const char *const packed[] = { ".gz", ".bz2", ".xz", ".zst", ".lz4", ".lzma", ".Z" };
    static const char *const archive[] = { ".tar",  ".tgz",  ".tbz", ".tbz2", ".txz",
                                           ".tzst", ".tlz4", ".zip", ".7z",   ".cpio" };
    for (size_t i = 0; i < FF_COUNT(packed); i++)
        if (cut_suffix(&name, packed[i]))
            break;
    for (size_t i = 0; i < FF_COUNT(archive); i++)
        if (cut_suffix(&name, archive[i]))
            break;
    return name;
}

/* The root has no name but its slash. */
static ff_bytes base_name(ff_bytes path)
{
    ff_bytes name = ff_base_name(path);
    return ff_is_empty(name) ? ff_first_n(path, 1) : name;
}

ff_bytes ff_input_name(const char *path, bool folder, ff_arena *arena)
{
    ff_bytes name = base_name(ff_str(path));
    char *real = NULL;
    if (ff_equal(name, FF_LIT(".")) || ff_equal(name, FF_LIT("..")) || ff_equal(name, FF_LIT("/"))) {
        real = realpath(path, NULL);
        name = real ? base_name(ff_str(real)) : name;
    }
    if (ff_equal(name, FF_LIT("-")) && !folder)
        name = FF_LIT("stdin");
    name = ff_arena_copy(arena, folder ? name : without_suffixes(name));
    free(real);
    return name;
}

ff_bytes ff_entry_name(ff_bytes raw, bool *dot_slash)
{
    *dot_slash = ff_equal(raw, FF_LIT("."));
    while (ff_take_lit(&raw, FF_LIT("./"))) {
        *dot_slash = true;
        while (ff_take_char(&raw, '/'))
            ;
    }
    return raw;
}

static ff_bytes first_part(ff_bytes name)
{
    const char *slash = name.n ? memchr(name.p, '/', name.n) : NULL;
    return slash ? ff_first_n(name, (size_t)(slash - name.p)) : (ff_bytes){ name.p, name.n };
}

void ff_root_add(ff_root *root, ff_bytes entry, bool folder, bool dot_slash)
{
    ff_bytes first = first_part(entry);
    bool beside = dot_slash || first.n == 0 || ff_equal(first, FF_LIT("..")) || (first.n == entry.n && !folder);
    if (beside || (root->name.n && !ff_equal(root->name, first)))
        root->broken = true;
    if (!root->name.n)
        root->name = first;
}

ff_bytes ff_without_root(const ff_root *root, ff_bytes entry, uint32_t *cut)
{
    *cut = 0;
    if (root->name.n == 0 || entry.n < root->name.n + 2 || entry.p[root->name.n] != '/' ||
        !ff_starts(entry, root->name))
        return entry;
    size_t n = root->name.n;
    while (n < entry.n && entry.p[n] == '/')
        n++;
    if (n == entry.n)
        return entry;
    *cut = (uint32_t)n;
    return ff_skip_n(entry, n);
}
