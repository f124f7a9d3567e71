/* Mounted file systems that a job works on, a row each: /proc/mounts, mount, findmnt.
 *     filer:/export /mnt/data nfs4 rw,relatime,vers=4.2,hard 0 0
 *     tmpfs on /dev/shm type tmpfs (rw,nosuid,nodev,size=65536k)
 *     ├─/dev/shm    tmpfs    tmpfs    rw,nosuid,nodev
 * Formats: kernel fs/proc_namespace.c, util-linux mount and findmnt. Only disks, network file systems and /dev/shm:
 * the others of a node are hundreds. Names with blanks are spelt \040 by the kernel and stay so. */
#include "tools.h"

typedef struct mount_row {
    ff_bytes device, mount, type, options;
} mount_row;

static bool is_wanted(const mount_row *row)
{
    static const char *const types[] = { "nfs",       "nfs4", "lustre", "gpfs",  "beegfs", "wekafs",    "ceph",
                                         "fuse.ceph", "ext4", "xfs",    "btrfs", "cifs",   "glusterfs", NULL };
    return row->mount.n && row->mount.p[0] == '/' && row->options.n > 1 &&
           (ff_starts(row->options, FF_LIT("rw")) || ff_starts(row->options, FF_LIT("ro"))) &&
           (ff_is_one_of(row->type, types) || ff_equal(row->mount, FF_LIT("/dev/shm")));
}

/* "DEVICE on MOUNT type TYPE (OPTIONS)" */
static bool read_mount(ff_bytes text, mount_row *row)
{
    ff_bytes rest = text;
    return ff_take_word(&rest, &row->device) && ff_take_lit(&rest, FF_LIT(" on ")) &&
           ff_take_word(&rest, &row->mount) && ff_take_lit(&rest, FF_LIT(" type ")) &&
           ff_take_word(&rest, &row->type) && ff_take_lit(&rest, FF_LIT(" (")) &&
           ff_take_until(&rest, ')', &row->options);
}

/* Four columns and the two numbers of fstab. */
static bool read_proc(ff_bytes text, mount_row *row)
{
    ff_bytes rest = text;
    return ff_take_word(&rest, &row->device) && ff_take_char(&rest, ' ') && ff_take_word(&rest, &row->mount) &&
           ff_take_char(&rest, ' ') && ff_take_word(&rest, &row->type) && ff_take_char(&rest, ' ') &&
           ff_take_word(&rest, &row->options) && ff_equal(ff_trim(rest), FF_LIT("0 0"));
}

/* Four columns, the first one in a tree that is drawn with lines. */
static bool read_findmnt(ff_bytes text, mount_row *row)
{
    size_t at = ff_find(text, FF_LIT("/"));
    ff_bytes rest = ff_skip_n(text, at);
    for (size_t i = 0; i < at && i < text.n; i++)
        if ((unsigned char)text.p[i] < 0x80 && text.p[i] != ' ' && text.p[i] != '|' && text.p[i] != '`' &&
            text.p[i] != '-')
            return false;
    return ff_take_word(&rest, &row->mount) && ff_take_spaces(&rest) && ff_take_word(&rest, &row->device) &&
           ff_take_spaces(&rest) && ff_take_word(&rest, &row->type) && ff_take_spaces(&rest) &&
           ff_take_word(&rest, &row->options) && !ff_trim(rest).n;
}

static bool read_row(ff_bytes text, mount_row *row)
{
    bool known = read_mount(text, row) || read_proc(text, row) || read_findmnt(text, row);
    return known && is_wanted(row);
}

static bool mounts_opens(const ff_event *ev)
{
    mount_row row;
    return read_row(ev->text, &row);
}

/* The value of "key=" among the options, or the empty view. */
static ff_bytes option(ff_bytes options, ff_bytes key)
{
    ff_bytes part = { 0 };
    while (options.n) {
        if (!ff_take_until(&options, ',', &part)) {
            part = options;
            options.n = 0;
        }
        if (ff_take_lit(&part, key))
            return part;
    }
    return (ff_bytes){ 0 };
}

/* tmpfs: "size=65536k", of the kernel always in KiB. */
static void add_size(ff_fields *f, ff_bytes options)
{
    ff_bytes size = option(options, FF_LIT("size="));
    uint64_t kib = 0;
    if (ff_take_uint(&size, &kib) && ff_equal(size, FF_LIT("k")))
        tool_add(f, "size_kib", kib);
}

static void mounts_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    mount_row row = { .type = { 0 } };
    ff_fields f = { .n = 0 };
    (void)n;
    (void)cut;
    if (!read_row(lines[0].ev.text, &row))
        return;
    ff_fields_text(&f, "mount", FF_FIELD_TEXT, row.mount);
    ff_fields_text(&f, "device", FF_FIELD_TEXT, row.device);
    ff_fields_text(&f, "type", FF_FIELD_TEXT, row.type);
    tool_add(&f, "read_only", tool_has_item(row.options, "ro"));
    tool_add(&f, "soft", tool_has_item(row.options, "soft"));
    add_size(&f, row.options);
    ff_fields_text(&f, "options", FF_FIELD_TEXT, ff_first_n(row.options, 200));
    tool_fact(out, &lines[0], FF_FACT_HOST_MOUNT, &f);
}

static const char *const mounts_needles[] = { " nfs4 ",   " nfs ",       " lustre ",  " gpfs ",      " beegfs",
                                              " wekafs ", " ceph ",      " ext4 ",    " xfs ",       " btrfs ",
                                              " cifs ",   " fuse.ceph ", "/dev/shm ", " glusterfs ", NULL };

const ff_block ff_block_mounts = {
    .name = "mounts", .streams = FF_STREAM_HOST, .needles = mounts_needles, .opens = mounts_opens, .read = mounts_read
};
