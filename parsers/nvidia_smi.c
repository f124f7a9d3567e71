/* Everything that nvidia-smi prints: a member of its own, or a piece of a log.
 *
 * A member that is mostly nvidia-smi's is a document; what is not understood in it is passed on as lines. In any
 * other text the same outputs are found as blocks. */
#include "smi.h"

#include <string.h>

#include "lines.h"

#define PROBE_LINES 400u

static int text_probe(const ff_probe *in)
{
    smi s;
    ff_bytes rest = in->head, line;
    if (memchr(in->head.p ? in->head.p : "", 0, in->head.n))
        return 0;
    /* a bug report holds the kernel's log and more besides: nvidia-smi's output in it is a block of its text */
    if (ff_contains(ff_first_n(in->head, 1024), FF_LIT("Start of NVIDIA bug report log file.")))
        return 0;
    smi_init(&s, NULL, in->name, in->head);
    unsigned most_strange = in->whole ? PROBE_LINES / 2 : PROBE_LINES / 10;
    for (unsigned i = 0; i < PROBE_LINES && s.n_lines - s.n_mine <= most_strange && ff_take_line(&rest, &line); i++)
        (void)smi_line(&s, line, 0);
    if (!s.n_sure || s.n_mine * 2 < s.n_lines || (!in->whole && s.n_mine * 10 < s.n_lines * 9))
        return 0;
    unsigned bits = 16 + 8 * (s.n_mine < 40 ? s.n_mine : 40);
    return (int)bits;
}

static void pass_on(const ff_sink *out, doc_lines *lines, ff_bytes line, uint64_t offset)
{
    ff_bytes whole;
    uint64_t begin = 0;
    ff_event ev = {
        .stream = FF_STREAM_GPU | FF_STREAM_HOST, .text = line, .who = FF_WHO_NOBODY, .scratch = out->scratch
    };
    (void)ff_undress(&ev);
    uint32_t number = doc_line_at(lines, offset, &whole, &begin);
    out->event(out->owner, &ev, number, begin, whole);
}

static ff_status text_parse(const ff_doc *doc, ff_sink *out)
{
    smi s;
    ff_bytes rest = doc->bytes, line;
    doc_lines lines;
    smi_init(&s, out, doc->name, doc->bytes);
    doc_lines_init(&lines, doc->bytes);
    while (ff_take_line(&rest, &line)) {
        uint64_t offset = (uint64_t)(line.p - doc->bytes.p);
        line = ff_first_n(line, FF_CAP_LINE);
        if (!smi_line(&s, line, offset))
            pass_on(out, &lines, line, offset);
    }
    smi_end(&s);
    return FF_OK;
}

static int xml_probe(const ff_probe *in)
{
    ff_bytes head = ff_first_n(in->head, 1024);
    return ff_contains(head, FF_LIT("<nvidia_smi_log")) ? 8 * 15 : 0;
}

static ff_status xml_parse(const ff_doc *doc, ff_sink *out)
{
    smi s;
    smi_init(&s, out, doc->name, doc->bytes);
    smi_read_xml(&s, doc->bytes);
    smi_flush(&s);
    return FF_OK;
}

const ff_parser ff_parser_nvidia_smi = {
    .name = "nvidia_smi", .streams = FF_STREAM_GPU, .collected = true, .probe = text_probe, .parse = text_parse
};
const ff_parser ff_parser_nvidia_smi_xml = {
    .name = "nvidia_smi_xml", .streams = FF_STREAM_GPU, .collected = true, .probe = xml_probe, .parse = xml_parse
};

/* ---- as a block of any text ---- */

static const char *const needles[] = { "| NVIDIA-SMI ", "=NVSMI LOG=", "(UUID: GPU-", "GPU0",
                                       "| GPU  Name",   "# gpu  ",     NULL };

static bool block_opens(const ff_event *ev)
{
    smi s;
    smi_init(&s, NULL, (ff_bytes){ 0 }, ev->text);
    return ff_trim(ev->text).n && smi_line(&s, ev->text, 0) && s.n_sure;
}

/* The next line belongs to it when it is one of the shapes that follow the first one. */
static ff_block_say block_take(const ff_block_line *lines, uint32_t n, const ff_event *next)
{
    ff_bytes first = lines[0].ev.text, line = ff_trim(next->text);
    bool query = ff_contains(first, FF_LIT("NVSMI LOG")), table = ff_starts(ff_trim(first), FF_LIT("|"));
    if (!line.n)
        return query || table ? FF_BLOCK_MINE : FF_BLOCK_END;
    if (ff_starts(first, FF_LIT("#")))
        return line.p[0] == '#' || (line.p[0] >= '0' && line.p[0] <= '9') ? FF_BLOCK_MINE : FF_BLOCK_END;
    if (table)
        return line.p[0] == '|' || line.p[0] == '+' ? FF_BLOCK_MINE : FF_BLOCK_END;
    if (query) {
        bool below = next->text.p[0] == ' ' || ff_starts(line, FF_LIT("GPU 0"));
        return below || (n < 8 && ff_contains(line, FF_LIT(" : "))) ? FF_BLOCK_MINE : FF_BLOCK_END;
    }
    if (ff_contains(first, FF_LIT("UUID")))
        return ff_starts(line, FF_LIT("GPU ")) || ff_starts(line, FF_LIT("Link")) || ff_starts(line, FF_LIT("MIG "))
                   ? FF_BLOCK_MINE
                   : FF_BLOCK_END;
    return ff_starts(line, FF_LIT("GPU")) || ff_starts(line, FF_LIT("NIC")) || ff_starts(line, FF_LIT("mlx5_"))
               ? FF_BLOCK_MINE
               : FF_BLOCK_END;
}

typedef struct relay { /* gives the facts of a block the places of its lines */
    ff_sink *out;
    const ff_block_line *lines;
    uint32_t n;
    const char *text; /* where the joined text begins */
} relay;

static void relay_fact(void *owner, const ff_fact *fact)
{
    const relay *r = owner;
    ff_fact f = *fact;
    uint32_t i = fact->line ? fact->line - 1 : 0;
    if (i >= r->n)
        i = r->n - 1;
    f.line = r->lines[i].line;
    f.offset = r->lines[i].offset;
    f.quote = r->lines[i].quote;
    if (f.said.kind == FF_STAMP_NONE)
        f.said = r->lines[i].ev.said;
    r->out->fact(r->out->owner, &f);
}

static void relay_event(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    (void)owner;
    (void)ev;
    (void)line;
    (void)offset;
    (void)quote;
}

static void block_read(const ff_block_line *lines, uint32_t n, bool cut, ff_sink *out)
{
    (void)cut;
    size_t size = 1;
    for (uint32_t i = 0; i < n; i++)
        size += lines[i].ev.text.n + 1;
    char *text = ff_arena_take(out->scratch, size), *to = text;
    for (uint32_t i = 0; i < n; i++) {
        if (lines[i].ev.text.n)
            memcpy(to, lines[i].ev.text.p, lines[i].ev.text.n);
        to += lines[i].ev.text.n;
        *to++ = '\n';
    }
    ff_bytes all = { text, (size_t)(to - text) }, rest = all, line;
    relay r = { .out = out, .lines = lines, .n = n };
    ff_sink sink = { .owner = &r, .fact = relay_fact, .event = relay_event, .scratch = out->scratch };
    smi s;
    smi_init(&s, &sink, (ff_bytes){ 0 }, all);
    while (ff_take_line(&rest, &line))
        (void)smi_line(&s, line, (uint64_t)(line.p - text));
    smi_end(&s);
}

const ff_block ff_block_nvidia_smi = { .name = "nvidia_smi",
                                       .streams = FF_STREAM_ANY,
                                       .needles = needles,
                                       .max_lines = FF_CAP_BLOCK_LINES,
                                       .opens = block_opens,
                                       .take = block_take,
                                       .read = block_read };
