/* Archives, by the archive library. Nothing is ever extracted: entries are streams with a name, and an archive inside
 * an archive is read through the entry that holds it. */
#include "intake_private.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>

#define PAGE 4096u
#define HEADER_BYTES 512u               /* what an entry without content still costs */
#define MOST_HOLE (INT64_C(1) << 30)    /* bytes of zeros that one sparse entry may stand for */
#define MOST_DAMAGES 65536u             /* headers in a row that are none, before an archive is given up */
#define MOST_HEADER ((uint64_t)1 << 26) /* bytes that the library may want between two entries: it holds them all */

/* ---- bytes into the library ---- */

typedef struct unpack {
    ff_walk *walk;
    ff_item item;
    ff_source *source;
    char *in;     /* FF_WINDOW_BODY bytes, page aligned */
    size_t ready; /* of them not yet handed over: the head that was read before */
    char *whole;  /* the archive in memory, where its format has to jump about and the source cannot; or NULL */
    size_t whole_n, whole_at;
    struct archive *archive;
    ff_arena names; /* of the entry at hand */
    bool can_jump;  /* zip and 7z have a table of contents, as large as their members are many */
    bool in_header; /* the library looks for the next entry; its header may still take so many bytes of the stream: */
    uint64_t header_left;
    uint64_t passed; /* content of the entry before that nobody read: it comes along with the header */
} unpack;

/* A header that names a length of gigabytes is read into memory by the library. False: that is enough. */
static bool spend_header(unpack *u, size_t n)
{
    if (!u->in_header || n <= u->header_left) {
        u->header_left -= u->in_header ? n : 0;
        return true;
    }
    u->header_left = 0;
    ff_note_limit(u->walk->shared, "bytes of an archive's header", u->walk->input, u->item.name, MOST_HEADER);
    archive_set_error(u->archive, ENOMEM, "a header is too large");
    return false;
}

static la_ssize_t give(struct archive *a, void *owner, const void **out)
{
    (void)a;
    unpack *u = owner;
    if (u->whole) {
        size_t n = u->whole_n - u->whole_at;
        *out = u->whole + u->whole_at;
        u->whole_at = u->whole_n;
        return (la_ssize_t)n;
    }
    size_t n = u->ready;
    u->ready = 0;
    /* A broken source looks like one that ended here: what came before the damage stays readable. */
    if (!n && !u->walk->stop)
        n = ff_source_fill(u->source, u->in, FF_WINDOW_BODY);
    *out = u->in;
    return spend_header(u, n) ? (la_ssize_t)n : -1;
}

static la_int64_t seek_whole(unpack *u, la_int64_t offset, int whence)
{
    int64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? (int64_t)u->whole_at : (int64_t)u->whole_n;
    if (offset < -from || offset > (int64_t)u->whole_n - from)
        return ARCHIVE_FATAL;
    u->whole_at = (size_t)(from + offset);
    return (la_int64_t)u->whole_at;
}

static la_int64_t jump(struct archive *a, void *owner, la_int64_t offset, int whence)
{
    (void)a;
    unpack *u = owner;
    if (u->whole)
        return seek_whole(u, offset, whence);
    u->ready = 0;
    int64_t at = u->source->seek(u->source, offset, whence);
    return at < 0 ? ARCHIVE_FATAL : at;
}

/* Formats with their table of contents at the end are read into memory when they cannot be jumped about in. False:
 * the archive is larger than we hold. */
static bool hold(unpack *u, ff_bytes head)
{
    size_t cap = head.n;
    u->whole = ff_alloc(cap);
    memcpy(u->whole, head.p, head.n);
    u->whole_n = head.n;
    for (;;) {
        if (u->whole_n == cap) {
            if (cap >= FF_CAP_DOCUMENT)
                return false;
            cap = cap * 2 > FF_CAP_DOCUMENT ? FF_CAP_DOCUMENT : cap * 2;
            u->whole = ff_realloc(u->whole, cap);
        }
        size_t n = ff_source_fill(u->source, u->whole + u->whole_n, cap - u->whole_n);
        u->whole_n += n;
        if (u->whole_n < cap || !ff_walk_spend(u->walk, u->item.name, n))
            return true;
    }
}

/* Filters that were built without their library would start a program of that name: those are left out. */
static void add_filter(struct archive *a, int (*filter)(struct archive *))
{
    struct archive *trial = archive_read_new();
    bool good = trial && filter(trial) == ARCHIVE_OK;
    archive_read_free(trial);
    if (good)
        (void)filter(a);
}

/* Either what is compressed, or what has entries: so every byte that a format asks for has come through our hands. */
static struct archive *new_archive(bool packed)
{
    struct archive *a = archive_read_new();
    if (!a)
        return NULL;
    if (packed) {
        add_filter(a, archive_read_support_filter_bzip2);
        add_filter(a, archive_read_support_filter_zstd);
        add_filter(a, archive_read_support_filter_lz4);
    } else {
        archive_read_support_format_tar(a);
        archive_read_support_format_cpio(a);
        archive_read_support_format_zip(a);
        archive_read_support_format_7zip(a);
    }
    archive_read_support_format_empty(a);
    archive_read_support_format_raw(a);
    return a;
}

static ff_bytes words_of(struct archive *a)
{
    const char *words = archive_error_string(a);
    return ff_str(words && *words ? words : "damaged archive");
}

/* ---- an entry as a source ---- */

typedef struct entry_source {
    ff_source source;
    unpack *unpack;
    ff_bytes name;
    const char *block;
    size_t left;
    int64_t block_at, at; /* where the block stands in the entry, and how far we have given it */
    int64_t holes;
    bool ended;
} entry_source;

static bool next_block(entry_source *e)
{
    const void *p = NULL;
    size_t n = 0;
    la_int64_t offset = 0;
    int status = archive_read_data_block(e->unpack->archive, &p, &n, &offset);
    if (status < ARCHIVE_WARN) {
        e->ended = true;
        e->source.problem = ff_arena_copy(&e->unpack->names, words_of(e->unpack->archive));
        return false;
    }
    e->ended = status == ARCHIVE_EOF;
    e->block = p;
    e->left = e->ended ? 0 : n;
    e->block_at = offset > e->at ? offset : e->at;
    e->holes += e->block_at - e->at;
    if (e->holes <= MOST_HOLE)
        return true;
    e->ended = true;
    e->left = 0;
    e->block_at = e->at;
    ff_walk *w = e->unpack->walk;
    e->source.problem = FF_LIT("the holes of a sparse file are too large");
    ff_note_limit(w->shared, "bytes of holes", w->input, e->name, (uint64_t)e->holes);
    return false;
}

/* Holes of a sparse file are zeros here, as they are when the file is read from a disk. */
static int64_t entry_read(ff_source *s, char *to, size_t n)
{
    entry_source *e = (entry_source *)s;
    while (!e->left && e->at == e->block_at && !e->ended)
        if (!next_block(e))
            return -1;
    if (e->at < e->block_at) {
        uint64_t hole = (uint64_t)(e->block_at - e->at);
        n = hole < n ? (size_t)hole : n;
        memset(to, 0, n);
    } else {
        n = e->left < n ? e->left : n;
        if (n)
            memcpy(to, e->block, n);
        e->block = n ? e->block + n : e->block;
        e->left -= n;
        e->block_at += (int64_t)n;
    }
    e->at += (int64_t)n;
    return e->source.problem.n ? -1 : (int64_t)n;
}

/* ---- entries ---- */

static ff_bytes raw_name(struct archive_entry *entry)
{
    const char *name = archive_entry_pathname(entry);
    if (!name)
        name = archive_entry_pathname_utf8(entry);
    return ff_str(name && *name ? name : "unnamed");
}

static ff_bytes whole_name(unpack *u, ff_bytes entry)
{
    if (u->item.top)
        return ff_arena_copy(&u->names, entry);
    return ff_arena_format(&u->names, "%.*s!%.*s", (int)u->item.name.n, u->item.name.p, (int)entry.n, entry.p);
}

static void add_to_root(unpack *u, ff_bytes entry, bool folder, bool dot_slash)
{
    ff_walk *w = u->walk;
    ff_root *root = &w->shared->roots[w->input];
    bool first = root->name.n == 0;
    ff_root_add(root, entry, folder, dot_slash);
    if (first && root->name.n)
        root->name = ff_arena_copy(&w->arena, root->name);
}

static void walk_entry(unpack *u, struct archive_entry *entry)
{
    ff_walk *w = u->walk;
    ff_arena_reset(&u->names);
    bool dot_slash = false;
    ff_bytes raw = ff_first_n(raw_name(entry), 2 * FF_CAP_PATH);
    ff_bytes name = ff_entry_name(raw, &dot_slash);
    bool folder = archive_entry_filetype(entry) == AE_IFDIR;
    if (u->item.top && (name.n || dot_slash))
        add_to_root(u, name, folder, dot_slash);
    u->passed = archive_entry_size_is_set(entry) ? (uint64_t)archive_entry_size(entry) : 0;
    if (folder || name.n == 0)
        return;
    ff_item item = { .name = whole_name(u, name),
                     .mtime_s = archive_entry_mtime_is_set(entry) ? (int64_t)archive_entry_mtime(entry) : 0,
                     .depth = u->item.depth + 1,
                     .in_root = u->item.top || u->item.in_root };
    const char *link = archive_entry_hardlink(entry);
    if (link && (!archive_entry_size_is_set(entry) || archive_entry_size(entry) == 0)) {
        ff_result *r = ff_walk_result(w, item);
        if (r)
            r->link = ff_arena_copy(&w->arena, whole_name(u, ff_entry_name(ff_str(link), &dot_slash)));
    } else if (archive_entry_filetype(entry) != AE_IFREG && !link) {
        ff_walk_unread(w, item, "not a regular file");
    } else if (archive_entry_is_data_encrypted(entry)) {
        ff_walk_unread(w, item, "encrypted");
    } else {
        entry_source e = { .source.read = entry_read, .unpack = u, .name = item.name };
        u->passed = 0;
        ff_walk_item(w, item, &e.source);
    }
}

/* Only compressed: the one nameless entry is the member itself. */
static void walk_raw(unpack *u)
{
    ff_item item = u->item;
    item.filters++;
    item.plain = archive_filter_count(u->archive) <= 1; /* looked like an archive and is none: do not ask again */
    entry_source e = { .source.read = entry_read, .unpack = u, .name = item.name };
    ff_walk_item(u->walk, item, &e.source);
}

static void note_damage(unpack *u)
{
    ff_bytes where = u->item.top ? (ff_bytes){ NULL, 0 } : u->item.name;
    ff_note_damage(u->walk->shared, u->walk->input, where, words_of(u->archive));
}

static bool next_entry(unpack *u, struct archive_entry **entry)
{
    u->header_left = MOST_HEADER + u->passed;
    u->passed = 0;
    for (unsigned damages = 0; damages < MOST_DAMAGES; damages++) {
        u->in_header = !u->can_jump;
        int status = archive_read_next_header(u->archive, entry);
        u->in_header = false;
        if (status == ARCHIVE_EOF)
            return false;
        if (status == ARCHIVE_OK || status == ARCHIVE_WARN)
            return true;
        if (damages == 0)
            note_damage(u);
        if (status != ARCHIVE_RETRY)
            return false;
    }
    return false;
}

static void walk_entries(unpack *u)
{
    struct archive_entry *entry = NULL;
    uint64_t n = 0;
    while (!u->walk->stop && next_entry(u, &entry)) {
        if (n++ == 0 && archive_format(u->archive) == ARCHIVE_FORMAT_RAW) {
            walk_raw(u);
            return;
        }
        if (ff_walk_spend(u->walk, u->item.name, HEADER_BYTES))
            walk_entry(u, entry);
    }
    bool empty_stream = archive_format(u->archive) == ARCHIVE_FORMAT_EMPTY;
    if (n == 0)
        ff_walk_unread(u->walk, u->item, empty_stream ? "empty" : "damaged archive");
}

static void open_and_walk(unpack *u, bool packed)
{
    u->archive = new_archive(packed);
    if (!u->archive)
        return;
    archive_read_set_callback_data(u->archive, u);
    archive_read_set_read_callback(u->archive, give);
    if (u->whole || u->source->seek)
        archive_read_set_seek_callback(u->archive, jump);
    if (archive_read_open1(u->archive) < ARCHIVE_WARN) {
        note_damage(u);
        ff_walk_unread(u->walk, u->item, "damaged archive");
    } else {
        walk_entries(u);
    }
    archive_read_free(u->archive);
}

/* The library converts names into the thread's character set; only with UTF-8 do all of them come through as they
 * are. */
static locale_t enter_utf8(locale_t *before)
{
    locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    *before = utf8 ? uselocale(utf8) : (locale_t)0;
    return utf8;
}

static void leave_utf8(locale_t utf8, locale_t before)
{
    if (!utf8)
        return;
    uselocale(before);
    freelocale(utf8);
}

/* False: it has to be held in memory and is too large for that. */
static bool take_head(unpack *u, ff_bytes head)
{
    u->can_jump = ff_is_seven_zip(head) || ff_is_zip(head);
    if (u->can_jump && !u->source->seek)
        return hold(u, head);
    u->in = ff_alloc_aligned(PAGE, FF_WINDOW_BODY);
    memcpy(u->in, head.p, head.n);
    u->ready = head.n;
    return true;
}

void ff_unpack(ff_walk *w, ff_item item, ff_source *source, ff_buffer *head)
{
    unpack u = { .walk = w, .item = item, .source = source };
    bool packed = ff_is_packed((ff_bytes){ head->bytes, head->n });
    bool taken = take_head(&u, (ff_bytes){ head->bytes, head->n });
    ff_pipe_give_back(w->pipe, head);
    if (taken) {
        locale_t before, utf8 = enter_utf8(&before);
        open_and_walk(&u, packed);
        leave_utf8(utf8, before);
    } else {
        ff_note_limit(w->shared, "archive that is read whole", w->input, item.name, FF_CAP_DOCUMENT);
        ff_walk_unread(w, item, "too large to be read inside another");
    }
    if (source->problem.n)
        ff_note_damage(w->shared, w->input, item.top ? (ff_bytes){ NULL, 0 } : item.name, source->problem);
    ff_arena_done(&u.names);
    ff_free(u.in);
    ff_free(u.whole);
}
