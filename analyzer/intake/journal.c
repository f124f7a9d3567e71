/* A binary file of the systemd journal as a source of text, as journalctl -o export prints it.
 * Format: systemd docs/JOURNAL_FILE_FORMAT.md. Objects stand one after the other behind a header, each with its type,
 * flags and size; an entry names the data objects ("KEY=value") that make it, and was appended when it happened. So
 * it is read from front to back, without its hash tables: a file that was cut or not closed gives what it has.
 * systemd's own library wants a file with a name to map, and there is none here. */
#include "intake_private.h"

#include <archive.h>
#include <archive_entry.h>
#include <string.h>

#define MOST_BYTES ((size_t)1 << 29) /* held in memory; journald's own limit for a file is 128 MiB */
#define MOST_VALUE ((size_t)FF_CAP_LINE / 2)
#define MOST_ITEMS 512u
#define HEADER_LEAST 208u
#define OBJECT_HEAD 16u
#define ENTRY_HEAD 64u
#define DATA_HEAD 64u
#define DATA_HEAD_COMPACT 72u

enum { OBJECT_DATA = 1, OBJECT_ENTRY = 3, OBJECT_LAST = 7 };
enum { FLAG_XZ = 1, FLAG_LZ4 = 2, FLAG_ZSTD = 4 };
enum { FILE_COMPACT = 16 };

struct ff_journal {
    ff_source source;
    char *bytes;
    size_t n, at; /* at: next object */
    size_t tail;  /* where the last object begins, as the header says */
    bool compact;
    ff_text text; /* the entry at hand */
    size_t given; /* bytes of it */
};

static uint64_t number_at(const ff_journal *j, size_t at, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n && at + i < j->n; i++)
        value |= (uint64_t)(unsigned char)j->bytes[at + i] << (8 * i);
    return value;
}

bool ff_is_journal(ff_bytes head) { return head.n >= HEADER_LEAST && memcmp(head.p, "LPKSHHRH", 8) == 0; }

/* True: there is a whole object at `at`. */
static bool object_at(const ff_journal *j, size_t at, unsigned *type, unsigned *flags, size_t *size)
{
    if (at % 8 || at > j->n || j->n - at < OBJECT_HEAD)
        return false;
    uint64_t n = number_at(j, at + 8, 8);
    *type = (unsigned char)j->bytes[at];
    *flags = (unsigned char)j->bytes[at + 1];
    *size = (size_t)n;
    return *type > 0 && *type <= OBJECT_LAST && n >= OBJECT_HEAD && n <= j->n - at;
}

/* LZ4 without a frame, behind eight bytes of its length: libarchive knows it with the head of the old frame. NULL: it
 * cannot be that. */
static char *framed_lz4(ff_bytes *packed)
{
    static const char magic[] = { 0x02, 0x21, 0x4c, 0x18 };
    ff_bytes block = ff_skip_n(*packed, 8);
    if (packed->n <= 8 || block.n > MOST_VALUE)
        return NULL;
    char *out = ff_alloc(block.n + 8);
    memcpy(out, magic, sizeof magic);
    for (unsigned i = 0; i < 4; i++)
        out[4 + i] = (char)(block.n >> (8 * i) & 0xff);
    memcpy(out + 8, block.p, block.n);
    *packed = (ff_bytes){ out, block.n + 8 };
    return out;
}

/* What libarchive cannot unpack gives nothing. */
static ff_bytes unpacked(ff_bytes packed, char *room, size_t size)
{
    struct archive *a = archive_read_new();
    struct archive_entry *entry = NULL;
    ff_bytes out = { room, 0 };
    if (!a)
        return out;
    bool open = archive_read_support_filter_zstd(a) == ARCHIVE_OK &&
                archive_read_support_filter_xz(a) == ARCHIVE_OK && archive_read_support_filter_lz4(a) == ARCHIVE_OK &&
                archive_read_support_format_raw(a) == ARCHIVE_OK &&
                archive_read_open_memory(a, packed.p, packed.n) == ARCHIVE_OK &&
                archive_read_next_header(a, &entry) == ARCHIVE_OK;
    while (open && out.n < size) {
        la_ssize_t n = archive_read_data(a, room + out.n, size - out.n);
        if (n <= 0)
            break;
        out.n += (size_t)n;
    }
    (void)archive_read_free(a);
    return out;
}

/* What frames, clocks and rules can use of an entry; the rest of its fields repeats itself. */
static bool is_wanted(ff_bytes field)
{
    static const char *const keys[] = {
        "MESSAGE=",    "_HOSTNAME=",         "SYSLOG_IDENTIFIER=",          "_COMM=",
        "_TRANSPORT=", "CONTAINER_ID_FULL=", "CONTAINER_PARTIAL_MESSAGE=",  "_PID=",
        "PRIORITY=",   "_SYSTEMD_UNIT=",     "_SOURCE_REALTIME_TIMESTAMP=", "_SOURCE_MONOTONIC_TIMESTAMP="
    };
    for (size_t i = 0; i < FF_COUNT(keys); i++)
        if (ff_starts(field, ff_str(keys[i])))
            return true;
    return false;
}

/* "KEY=value", or with control bytes in the value: the key, eight bytes of its length, the value. */
static void add_field(ff_text *t, ff_bytes field)
{
    ff_bytes rest = field, key;
    bool plain = true;
    if (!ff_take_until(&rest, '=', &key))
        return;
    for (size_t i = 0; i < rest.n && plain; i++)
        plain = (unsigned char)rest.p[i] >= 32 || rest.p[i] == '\t';
    ff_text_add(t, plain ? field : key);
    if (!plain) {
        char length[9] = { '\n' };
        for (unsigned i = 0; i < 8; i++)
            length[1 + i] = (char)((uint64_t)rest.n >> (8 * i) & 0xff);
        ff_text_add(t, (ff_bytes){ length, sizeof length });
        ff_text_add(t, rest);
    }
    ff_text_addc(t, '\n');
}

/* message: only the message, else everything but it. */
static void add_data(ff_journal *j, size_t at, bool message)
{
    unsigned type = 0, flags = 0;
    size_t size = 0, head = j->compact ? DATA_HEAD_COMPACT : DATA_HEAD;
    if (!object_at(j, at, &type, &flags, &size) || type != OBJECT_DATA || size <= head)
        return;
    ff_bytes field = { j->bytes + at + head, size - head };
    char *framed = flags & FLAG_LZ4 ? framed_lz4(&field) : NULL;
    char *room = flags & (FLAG_ZSTD | FLAG_XZ | FLAG_LZ4) ? ff_alloc(MOST_VALUE) : NULL;
    if (room)
        field = unpacked(field, room, MOST_VALUE);
    if (ff_starts(field, FF_LIT("MESSAGE=")) == message && is_wanted(field))
        add_field(&j->text, ff_first_n(field, MOST_VALUE));
    ff_free(room);
    ff_free(framed);
}

static void add_items(ff_journal *j, size_t at, size_t size, bool message)
{
    unsigned width = j->compact ? 4 : 16;
    for (size_t i = 0; i < MOST_ITEMS && ENTRY_HEAD + (i + 1) * width <= size; i++) {
        uint64_t item = number_at(j, at + ENTRY_HEAD + i * width, j->compact ? 4 : 8);
        if (item < j->n)
            add_data(j, (size_t)item, message);
    }
}

/* The message first: a quote of the entry begins with it. */
static void write_entry(ff_journal *j, size_t at, size_t size)
{
    ff_text_done(&j->text);
    ff_text_init(&j->text, 0);
    j->given = 0;
    add_items(j, at, size, true);
    ff_text_addf(&j->text, "__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%llu\n_BOOT_ID=",
                 (unsigned long long)number_at(j, at + 24, 8), (unsigned long long)number_at(j, at + 32, 8));
    for (unsigned i = 0; i < 16; i++)
        ff_text_addf(&j->text, "%02x", (unsigned)number_at(j, at + 40 + i, 1));
    ff_text_addc(&j->text, '\n');
    add_items(j, at, size, false);
    ff_text_addc(&j->text, '\n');
}

/* False: no further entry. Behind the last object there are zeros. */
static bool next_entry(ff_journal *j)
{
    unsigned type = 0, flags = 0;
    size_t size = 0;
    while (object_at(j, j->at, &type, &flags, &size)) {
        size_t at = j->at;
        j->at += (size + 7) / 8 * 8;
        if (type == OBJECT_ENTRY && size >= ENTRY_HEAD) {
            write_entry(j, at, size);
            return true;
        }
    }
    if (j->at <= j->tail)
        j->source.problem = FF_LIT("damaged systemd journal");
    return false;
}

static int64_t journal_read(ff_source *s, char *to, size_t n)
{
    ff_journal *j = (ff_journal *)s;
    if (j->given == ff_text_view(&j->text).n && (j->source.problem.n || !next_entry(j)))
        return j->source.problem.n ? -1 : 0;
    ff_bytes rest = ff_first_n(ff_skip_n(ff_text_view(&j->text), j->given), n);
    memcpy(to, rest.p, rest.n);
    j->given += rest.n;
    return (int64_t)rest.n;
}

static void hold(ff_journal *j, ff_source *below, ff_bytes head)
{
    size_t room = FF_WINDOW_BODY;
    j->bytes = ff_alloc(room);
    memcpy(j->bytes, head.p, head.n);
    j->n = head.n;
    while (j->n == room && room < MOST_BYTES) {
        room *= 2;
        j->bytes = ff_realloc(j->bytes, room);
        j->n += ff_source_fill(below, j->bytes + j->n, room - j->n);
    }
}

ff_source *ff_journal_open(ff_source *below, ff_bytes head)
{
    ff_journal *j = ff_alloc(sizeof *j);
    *j = (ff_journal){ .source = { .read = journal_read } };
    ff_text_init(&j->text, 0);
    hold(j, below, head);
    j->compact = number_at(j, 12, 4) & FILE_COMPACT;
    j->at = (size_t)number_at(j, 88, 8);
    j->tail = (size_t)number_at(j, 136, 8);
    return &j->source;
}

void ff_journal_close(ff_source *s)
{
    ff_journal *j = (ff_journal *)s;
    ff_text_done(&j->text);
    ff_free(j->bytes);
    ff_free(j);
}
