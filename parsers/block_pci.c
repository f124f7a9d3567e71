/* A device of lspci -v, -vv, -vvv: what its link can do and does, and whether access control sends peers around.
 *     3b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)
 *     		LnkCap:	Port #0, Speed 32GT/s, Width x16, ASPM not supported
 *     		LnkSta:	Speed 16GT/s (downgraded), Width x8 (downgraded)
 *     		ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-
 *     	!!! Unknown header type 7f
 * Format: pciutils ls-caps.c, ls-ecaps.c. Without root the capabilities are missing, and nothing is said. */
#include "doc_private.h"
#include "lines.h"

static const char *const classes[] = { "PCI bridge",
                                       "3D controller",
                                       "VGA compatible controller",
                                       "Infiniband controller",
                                       "InfiniBand controller",
                                       "Ethernet controller",
                                       "Processing accelerators",
                                       "Network controller",
                                       NULL };

/* "0000:3b:00.0 " or "3b:00.0 " */
static bool take_address(ff_bytes *in, ff_bytes *address)
{
    ff_bytes rest = *in, word, part = { 0 };
    if (!ff_take_word(&rest, &word) || word.n < 7 || word.n > 16 || word.p[word.n - 2] != '.')
        return false;
    ff_bytes check = word;
    uint64_t number = 0;
    for (unsigned i = 0; ff_take_until(&check, ':', &part); i++)
        if (i > 1 || !ff_take_hex(&part, &number) || part.n)
            return false;
    *address = word;
    *in = rest;
    return check.n == 4 && ff_take_char(in, ' ');
}

static bool take_class(ff_bytes *in, ff_bytes *class)
{
    for (const char *const *c = classes; *c; c++)
        if (ff_starts_str(*in, *c)) {
            *class = ff_str(*c);
            *in = ff_skip_n(*in, class->n);
            return true;
        }
    return false;
}

static bool pci_opens(const ff_event *ev)
{
    ff_bytes rest = ev->text, address, class;
    return take_address(&rest, &address) && take_class(&rest, &class);
}

static ff_block_say pci_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    (void)lines;
    (void)n;
    bool inside = next->text.n && (next->text.p[0] == '\t' || next->text.p[0] == ' ');
    return inside ? FF_BLOCK_MINE : FF_BLOCK_END;
}

/* ---- reading ---- */
typedef struct device {
    ff_bytes address, class, name, driver, acs;
    double cap_speed, speed;
    uint64_t cap_width, width;
    bool gone;
    const ff_block_line *link, *control;
} device;

/* "Speed 32GT/s, Width x16" anywhere in text */
static bool read_link(ff_bytes text, double *speed, uint64_t *width)
{
    size_t at = ff_find(text, FF_LIT("Speed ")), to = ff_find(text, FF_LIT("Width x"));
    ff_bytes rest = ff_skip_n(text, at + 6), number = ff_skip_n(text, to + 7);
    int64_t ns = 0;
    if (at > text.n || to > text.n || !ff_take_seconds(&rest, &ns) || !ff_take_lit(&rest, FF_LIT("GT/s")) ||
        !ff_take_uint(&number, width))
        return false;
    *speed = (double)ns / 1e9;
    return true;
}

static void read_line(device *d, const ff_block_line *line)
{
    ff_bytes in = ff_trim(line->ev.text);
    if (ff_take_lit(&in, FF_LIT("LnkCap:"))) {
        (void)read_link(in, &d->cap_speed, &d->cap_width);
    } else if (ff_take_lit(&in, FF_LIT("LnkSta:"))) {
        d->link = read_link(in, &d->speed, &d->width) ? line : NULL;
    } else if (ff_take_lit(&in, FF_LIT("ACSCtl:"))) {
        d->acs = ff_trim(in);
        d->control = line;
    } else if (ff_take_lit(&in, FF_LIT("Kernel driver in use:"))) {
        d->driver = ff_trim(in);
    } else if (ff_starts(in, FF_LIT("!!! Unknown header type"))) {
        d->gone = true;
    }
}

static void give(const device *d, ff_sink *out, ff_fact_id id, const ff_block_line *at, const ff_fields *f)
{
    ff_fact fact = { .id = id,
                     .line = at->line,
                     .offset = at->offset,
                     .quote = at->quote,
                     .said = at->ev.said,
                     .who = at->ev.who,
                     .fields = f->at,
                     .n_fields = f->n };
    (void)d;
    out->fact(out->owner, &fact);
}

static void name_device(const device *d, ff_sink *out, ff_fields *f)
{
    bool gpu = ff_contains(d->name, FF_LIT("NVIDIA")) && !ff_equal(d->class, FF_LIT("PCI bridge"));
    ff_bytes address = doc_pci(ff_first_n(d->address, d->address.n - 2), out->scratch);
    ff_fields_text(f, gpu ? "gpu" : "device", gpu ? FF_FIELD_PCI : FF_FIELD_TEXT, address);
    ff_fields_text(f, "address", FF_FIELD_TEXT, d->address);
    ff_fields_text(f, "class", FF_FIELD_TEXT, d->class);
    ff_fields_text(f, "name", FF_FIELD_TEXT, ff_first_n(d->name, 120));
    ff_fields_text(f, "driver", FF_FIELD_TEXT, d->driver);
}

static void pci_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    device d = { .gone = false };
    ff_bytes rest = lines[0].ev.text;
    (void)cut;
    if (!take_address(&rest, &d.address) || !take_class(&rest, &d.class))
        return;
    size_t colon = ff_find(rest, FF_LIT(": "));
    d.name = ff_trim(ff_skip_n(rest, colon + 2));
    d.gone = ff_contains(rest, FF_LIT("(rev ff)"));
    for (uint32_t i = 1; i < n; i++)
        read_line(&d, &lines[i]);
    if ((d.link && d.cap_width) || d.gone) {
        ff_fields f = { .n = 0 };
        name_device(&d, out, &f);
        if (d.link && d.cap_width) {
            ff_fields_float(&f, "speed", d.speed);
            ff_fields_int(&f, "width", FF_FIELD_INT, (int64_t)d.width);
            ff_fields_float(&f, "speed_max", d.cap_speed);
            ff_fields_int(&f, "width_max", FF_FIELD_INT, (int64_t)d.cap_width);
        }
        ff_fields_int(&f, "gone", FF_FIELD_INT, d.gone);
        give(&d, out, FF_FACT_PCI_LINK, d.link ? d.link : &lines[0], &f);
    }
    if (d.control) {
        ff_fields f = { .n = 0 };
        name_device(&d, out, &f);
        ff_fields_text(&f, "acs", FF_FIELD_TEXT, d.acs);
        give(&d, out, FF_FACT_PCI_ACS, d.control, &f);
    }
}

/* The class follows the address, so that no other line is asked. */
static const char *const pci_needles[] = { ".0 PCI bridge",
                                           ".1 PCI bridge",
                                           ".2 PCI bridge",
                                           ".3 PCI bridge",
                                           ".4 PCI bridge",
                                           ".5 PCI bridge",
                                           ".6 PCI bridge",
                                           ".7 PCI bridge",
                                           " 3D controller",
                                           " VGA compatible controller",
                                           " Infiniband controller",
                                           " InfiniBand controller",
                                           " Ethernet controller",
                                           " Processing accelerators",
                                           NULL };

const ff_block ff_block_pci = { .name = "pci",
                                .streams = FF_STREAM_HOST,
                                .needles = pci_needles,
                                .max_lines = 400,
                                .opens = pci_opens,
                                .take = pci_take,
                                .read = pci_read };
