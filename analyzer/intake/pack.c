/* The other way round: members into a new archive. The size of an entry stands before its bytes, so each goes through
 * a file without a name first; nothing is held in memory. */
/* O_TMPFILE is Linux's own. */
#define _GNU_SOURCE

#include "pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { CHUNK = 1 << 18 };

struct ff_pack {
    struct archive *archive;
    struct archive_entry *entry;
    int spool;
    uint64_t bytes; /* of the member at hand */
    char *chunk;
    ff_error *error;
};

bool ff_pack_can(ff_bytes path)
{
    static const char *const endings[] = { ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".zip" };
    for (size_t i = 0; i < FF_COUNT(endings); i++)
        if (ff_ends(path, ff_str(endings[i])))
            return true;
    return false;
}

static int choose_format(struct archive *a, ff_bytes name)
{
    if (ff_ends(name, FF_LIT(".zip")))
        return archive_write_set_format_zip(a);
    if (ff_ends(name, FF_LIT("gz")))
        (void)archive_write_add_filter_gzip(a);
    else if (ff_ends(name, FF_LIT(".zst")))
        (void)archive_write_add_filter_zstd(a);
    else if (ff_ends(name, FF_LIT(".xz")))
        (void)archive_write_add_filter_xz(a);
    /* gzip's own time stamp would make two runs differ */
    (void)archive_write_set_filter_option(a, "gzip", "timestamp", NULL);
    /* GNU's format holds names as bytes. pax would convert them by a locale, whose files the sandbox does not open,
     * or say in every header that it did not. */
    return archive_write_set_format_gnutar(a);
}

/* Where the file system cannot make a file without a name, one that loses its name at once. */
static int open_spool(const char *folder)
{
    int unnamed = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0)
        return unnamed;
    ff_text path;
    ff_text_init(&path, 0);
    ff_text_addf(&path, "%s/.firstfault.XXXXXX", folder);
    int fd = mkstemp(path.p);
    int why = errno;
    if (fd >= 0)
        (void)unlink(path.p);
    ff_text_done(&path);
    errno = why;
    return fd;
}

ff_pack *ff_pack_open(const char *path, ff_bytes name, const char *spool_folder, ff_error *error)
{
    ff_pack *p = ff_alloc(sizeof *p);
    *p = (ff_pack){ .archive = archive_write_new(), .entry = archive_entry_new(), .error = error };
    p->chunk = ff_alloc(CHUNK);
    p->spool = open_spool(spool_folder);
    if (p->spool < 0) {
        (void)ff_fail(error, "%s: %s", spool_folder, strerror(errno));
    } else if (!p->archive || !p->entry || choose_format(p->archive, name) != ARCHIVE_OK ||
               archive_write_open_filename(p->archive, path) != ARCHIVE_OK) {
        (void)ff_fail(error, "%s", p->archive ? archive_error_string(p->archive) : "out of memory");
    } else {
        return p;
    }
    (void)ff_pack_close(p);
    return NULL;
}

bool ff_pack_begin(ff_pack *p, ff_bytes name, int64_t mtime_s)
{
    ff_text text;
    ff_text_init(&text, 0);
    ff_text_add_clean(&text, name);
    archive_entry_clear(p->entry);
    archive_entry_set_pathname(p->entry, ff_text_view(&text).p);
    ff_text_done(&text);
    archive_entry_set_filetype(p->entry, AE_IFREG);
    archive_entry_set_perm(p->entry, 0644);
    archive_entry_set_mtime(p->entry, mtime_s, 0);
    p->bytes = 0;
    if (ftruncate(p->spool, 0) == 0 && lseek(p->spool, 0, SEEK_SET) == 0)
        return true;
    (void)ff_fail(p->error, "%s", strerror(errno));
    return false;
}

bool ff_pack_add(ff_pack *p, ff_bytes bytes)
{
    p->bytes += bytes.n;
    while (bytes.n) {
        ssize_t n = write(p->spool, bytes.p, bytes.n);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            (void)ff_fail(p->error, "%s", strerror(errno));
            return false;
        }
        bytes = ff_skip_n(bytes, (size_t)n);
    }
    return true;
}

static bool copy_spool(ff_pack *p)
{
    ssize_t n;
    if (lseek(p->spool, 0, SEEK_SET) != 0)
        return ff_fail(p->error, "%s", strerror(errno)) == FF_OK;
    while ((n = read(p->spool, p->chunk, CHUNK)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return ff_fail(p->error, "%s", strerror(errno)) == FF_OK;
        if (archive_write_data(p->archive, p->chunk, (size_t)n) != n)
            return ff_fail(p->error, "%s", archive_error_string(p->archive)) == FF_OK;
    }
    return true;
}

bool ff_pack_end(ff_pack *p)
{
    archive_entry_set_size(p->entry, (int64_t)p->bytes);
    if (archive_write_header(p->archive, p->entry) == ARCHIVE_OK)
        return copy_spool(p);
    (void)ff_fail(p->error, "%s", archive_error_string(p->archive));
    return false;
}

ff_status ff_pack_close(ff_pack *p)
{
    ff_status status = FF_OK;
    if (p->archive && p->spool >= 0 && archive_write_close(p->archive) != ARCHIVE_OK)
        status = ff_fail(p->error, "%s", archive_error_string(p->archive));
    (void)archive_write_free(p->archive);
    archive_entry_free(p->entry);
    if (p->spool >= 0)
        (void)close(p->spool);
    ff_free(p->chunk);
    ff_free(p);
    return status;
}

static bool read_entry(struct archive *a)
{
    const void *block;
    size_t n;
    la_int64_t at;
    int got;
    while ((got = archive_read_data_block(a, &block, &n, &at)) == ARCHIVE_OK)
        ;
    return got == ARCHIVE_EOF;
}

ff_status ff_pack_verify(const char *path, ff_error *error)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry;
    if (!a)
        return ff_fail(error, "out of memory");
    (void)archive_read_support_format_zip_seekable(a);
    int got = archive_read_open_filename(a, path, CHUNK);
    unsigned entries = 0;
    while (got == ARCHIVE_OK && (got = archive_read_next_header(a, &entry)) == ARCHIVE_OK) {
        entries++;
        if (!read_entry(a))
            got = ARCHIVE_FATAL;
    }
    bool whole = got == ARCHIVE_EOF && entries > 0;
    if (!whole)
        (void)ff_fail(error, "what was written cannot be read back: %s",
                      archive_error_string(a) ? archive_error_string(a) : "it is cut");
    (void)archive_read_free(a);
    return whole ? FF_OK : FF_FATAL;
}
