/* Paths: what lies below homes, mounts and project folders is private; the system's own folders and everything from a
 * package folder on (site-packages/torch/...) is what rules and readers need. */
#include "redact_private.h"

static bool is_path(char c) { return ff_is_alnum(c) || (c && strchr("._+@%=,~/-", c)); }

static bool is_one_of(ff_bytes part, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (ff_equal(part, ff_str(words[i])))
            return true;
    return false;
}

static bool is_home(ff_bytes part)
{
    static const char *const homes[] = { "home", "Users", "users" };
    return is_one_of(part, homes, FF_COUNT(homes));
}

static bool is_private_root(ff_bytes part)
{
    static const char *const roots[] = { "mnt",    "data",        "scratch", "lustre",   "gpfs",   "nfs",
                                         "fsx",    "efs",         "project", "projects", "work",   "workspace",
                                         "shared", "storage",     "export",  "weka",     "beegfs", "datasets",
                                         "code",   "checkpoints", "srv" };
    return is_home(part) || is_one_of(part, roots, FF_COUNT(roots));
}

static ff_bytes part_at(ff_bytes path, size_t at)
{
    size_t n = 0;
    while (at + n < path.n && path.p[at + n] != '/')
        n++;
    return (ff_bytes){ path.p + at, n };
}

size_t ff_path_at(ff_bytes rest)
{
    enum { MOST_ROOT = 16 };
    size_t n = 0;
    if (!is_private_root(part_at(ff_first_n(rest, MOST_ROOT + 1), 1)))
        return 0;
    while (n < rest.n && is_path(rest.p[n]))
        n++;
    while (n && strchr(".,=", rest.p[n - 1]))
        n--;
    return n;
}

size_t ff_path_in_store(ff_bytes line, size_t at)
{
    static const char *const stores[] = { "s3:/",    "s3a:/",    "gs:/",           "abfs:/",
                                          "abfss:/", "oss:/",    "cos:/",          "swift:/",
                                          "r2:/",    "wandb.ai", "huggingface.co", "storage.googleapis.com" };
    ff_bytes before = ff_first_n(line, at), path = ff_skip_n(line, at);
    size_t n = 0;
    bool in_store = false;
    for (size_t i = 0; i < FF_COUNT(stores) && !in_store; i++)
        in_store = ff_ends(before, ff_str(stores[i]));
    while (in_store && n < path.n && is_path(path.p[n]))
        n++;
    while (n && strchr(".,=", path.p[n - 1]))
        n--;
    return n > 1 && path.p[1] != '/' ? n : 0;
}

static bool is_public_tail(ff_bytes part)
{
    static const char *const tails[] = { "site-packages", "dist-packages" };
    return is_one_of(part, tails, FF_COUNT(tails));
}

/* Folders that every installation has. */
static bool is_public_part(ff_bytes part)
{
    static const char *const words[] = { "lib",        "lib64",       "bin",    "envs",   "venv",  "conda",
                                         "miniconda3", "anaconda3",   "src",    "etc",    "usr",   "var",
                                         "log",        "logs",        "tmp",    "opt",    "share", "local",
                                         "include",    "checkpoints", "python", ".cache", ".local" };
    bool python = ff_starts(part, FF_LIT("python")) && part.n <= 10;
    bool open = part.n == 0 || ff_is_open_part(part);
    return open || python || is_one_of(part, words, FF_COUNT(words));
}

/* Without an ending of up to eleven letters and digits: what kind of file it is stays. */
static size_t stem_of(ff_bytes part)
{
    for (size_t i = part.n; i > 1; i--) {
        if (part.p[i - 1] == '.')
            return part.n - i <= 11 && part.n - i >= 1 ? i - 1 : part.n;
        if (!ff_is_alnum(part.p[i - 1]))
            break;
    }
    return part.n;
}

bool ff_path_next(ff_bytes path, size_t *from, ff_spot *out)
{
    ff_bytes root = part_at(path, 1);
    size_t at = *from ? *from : root.n + 2;
    bool first = at == root.n + 2;
    while (at < path.n) {
        ff_bytes part = part_at(path, at);
        if (is_public_tail(part))
            break;
        size_t next = at + part.n + 1;
        bool user = first && is_home(root);
        if ((user && part.n && !ff_is_nothing(part)) || (!user && !is_public_part(part))) {
            *out = (ff_spot){ at, user ? part.n : stem_of(part), user ? FF_SECRET_USER : FF_SECRET_PATH };
            *from = next;
            return true;
        }
        first = false;
        at = next;
    }
    *from = path.n;
    return false;
}
