/* One member after the other: finds out what it is from its first buffer, then gives its bytes to whoever reads that.
 */
#include "intake_private.h"
#include "../../parsers/clock_date.h"

#include <assert.h>
#include <string.h>

#define PROBE_CONTROLS 32 /* of so many bytes one control byte is still text */

ff_scan *ff_scan_open(ff_shared *sh, ff_error *error)
{
    assert(ff_n_blocks <= FF_MOST_BLOCKS);
    ff_scanner *scanner = ff_scanner_open(sh->matcher, error);
    if (!scanner)
        return NULL;
    ff_scan *s = ff_alloc(sizeof *s);
    *s = (ff_scan){ .shared = sh, .scanner = scanner, .printer = ff_printer_open() };
    ff_arena_init(&s->arena);
    ff_arena_init(&s->scratch);
    for (unsigned i = 0; i < FF_OPEN_BLOCKS; i++)
        s->blocks[i] = &s->block_rooms[i];
    ff_arena_init(&s->member_scratch);
    ff_arena_init(&s->frame_arena);
    ff_arena_init(&s->dress.arena);
    uint32_t owners = sh->n_signatures + (ff_n_blocks > FF_FACTS ? ff_n_blocks : (uint32_t)FF_FACTS);
    s->n_seen = ff_arena_take(&s->arena, owners * sizeof *s->n_seen);
    s->last_kept = ff_arena_take(&s->arena, owners * sizeof *s->last_kept);
    s->seen_at = ff_arena_take(&s->arena, owners * sizeof *s->seen_at);
    s->fold_keys = ff_alloc(FF_FOLD_KEYS * sizeof *s->fold_keys);
    s->fold_slots = ff_arena_take(&s->arena, FF_FOLD_SLOTS * sizeof *s->fold_slots);
    s->carry = ff_alloc(FF_WINDOW_HEAD);
    for (unsigned i = 0; i < FF_CONTEXT_LINES; i++)
        s->before_room[i] = ff_alloc(FF_CAP_EVIDENCE_TEXT);
    s->kept_dumps = ff_dump_store_open(&s->arena);
    ff_sink_init(s);
    return s;
}

void ff_scan_close(ff_scan *s)
{
    if (!s)
        return;
    pthread_mutex_lock(&s->shared->lock);
    ff_arena_adopt(s->shared->arena, &s->arena);
    pthread_mutex_unlock(&s->shared->lock);
    ff_arena_done(&s->scratch);
    ff_arena_done(&s->member_scratch);
    ff_arena_done(&s->frame_arena);
    ff_arena_done(&s->dress.arena);
    for (unsigned i = 0; i < FF_OPEN_BLOCKS; i++) {
        ff_arena_done(&s->block_rooms[i].arena);
        ff_free(s->block_rooms[i].lines.at);
    }
    ff_free(s->signals.at);
    ff_free(s->samples.at);
    ff_free(s->dumps.at);
    ff_dump_store_close(s->kept_dumps);
    ff_free(s->waiting.at);
    ff_free(s->touched.at);
    ff_free(s->hits.at);
    ff_free(s->marks.at);
    ff_free(s->fold_keys);
    ff_free(s->carry);
    for (unsigned i = 0; i < FF_CONTEXT_LINES; i++)
        ff_free(s->before_room[i]);
    ff_free(s->doc);
    ff_printer_close(s->printer);
    ff_scanner_close(s->scanner);
    ff_free(s);
}

static bool is_text(ff_bytes head)
{
    size_t controls = 0;
    for (size_t i = 0; i < head.n; i++) {
        unsigned char c = (unsigned char)head.p[i];
        controls += c < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 27;
    }
    return head.n > 0 && controls <= head.n / PROBE_CONTROLS;
}

static const ff_parser *plain_parser(void)
{
    for (unsigned i = 0; i < ff_n_parsers; i++)
        if (strcmp(ff_parsers[i]->name, "plain") == 0)
            return ff_parsers[i];
    return NULL;
}

static void take_parser(ff_scan *s, const ff_parser *p)
{
    ff_member *m = &s->result->member;
    s->parser = p;
    m->parser = p->name;
    m->collected = p->collected;
    m->document = p->parse != NULL;
    s->mode = p->parse ? FF_SCAN_DOCUMENT : FF_SCAN_TEXT;
    s->mixed = p->frame && p->streams == FF_STREAM_ANY;
    s->loose = p->frame && (p->streams & (p->streams - 1)) != 0;
    if (s->mode == FF_SCAN_TEXT)
        ff_records_begin(s);
}

static void pass(ff_scan *s, const char *why)
{
    s->mode = FF_SCAN_PASS;
    s->result->member.unread = why;
}

/* Whole: there is no second buffer. It is so when the first one is not full; a member of exactly one buffer is not
 * worth a special case, since a probe never sees that far. */
static void detect(ff_scan *s, const ff_buffer *b)
{
    ff_probe probe = { .name = s->result->hint, .head = ff_first_n((ff_bytes){ b->bytes, b->n }, FF_PROBE_BYTES) };
    probe.whole = b->n == probe.head.n;
    if (ff_is_own_report(probe.head)) {
        pass(s, "report of firstfault");
        return;
    }
    const char *second = NULL;
    const ff_parser *p = ff_detect(&probe, &second);
    if (!p && is_text(probe.head))
        p = plain_parser();
    if (p) {
        take_parser(s, p);
        ff_bytes host = p->binary ? (ff_bytes){ 0 } : ff_host_of_head(probe.name, probe.head, probe.whole);
        s->result->member.who.host = ff_keep_bytes(s, host);
        s->result->member.host_why = host.n ? ff_why_head : host;
        ff_sample date = { .host = s->result->member.who.host, .collected = true };
        if (p->frame && ff_date_of_report(probe.head, &date.line, &date.said, &date.also))
            FF_PUSH(&s->samples, date);
        return;
    }
    pass(s, ff_is_office(probe.head) ? "office document" : "binary");
}

void ff_scan_begin(ff_scan *s, ff_result *r)
{
    s->result = r;
    s->parser = NULL;
    s->mode = FF_SCAN_HEAD;
    s->seen = 0;
    s->doc_cut = false;
    ff_printer_restart(s->printer);
    ff_arena_reset(&s->member_scratch);
    ff_keep_begin(s);
}

void ff_scan_add(ff_scan *s, ff_buffer *b)
{
    s->result->member.bytes += b->n;
    ff_printer_add(s->printer, (ff_bytes){ b->bytes, b->n });
    if (s->mode == FF_SCAN_HEAD)
        detect(s, b);
    if (s->mode == FF_SCAN_TEXT)
        ff_records_add(s, b->bytes, b->n);
    else if (s->mode == FF_SCAN_DOCUMENT)
        ff_document_add(s, (ff_bytes){ b->bytes, b->n });
}

/* A document that its parser can make nothing of is still text that may hold known lines. */
static void read_as_text(ff_scan *s)
{
    const ff_parser *plain = plain_parser();
    if (!plain || !plain->frame || !is_text(ff_first_n((ff_bytes){ s->doc, s->doc_n }, FF_PROBE_BYTES)))
        return;
    take_parser(s, plain);
    ff_buffer *b = ff_buffer_open();
    for (size_t at = 0; at < s->doc_n; at += FF_WINDOW_BODY) {
        b->n = s->doc_n - at < FF_WINDOW_BODY ? s->doc_n - at : FF_WINDOW_BODY;
        memcpy(b->bytes, s->doc + at, b->n);
        ff_records_add(s, b->bytes, b->n);
    }
    ff_buffer_close(b);
}

/* What a program printed, as schedulers and shells call it. */
static bool named_like_output(ff_bytes name)
{
    static const char *const ends[] = { ".out", ".err", "stdout", "stderr" };
    for (size_t i = 0; i < FF_COUNT(ends); i++)
        if (ff_ends(name, ff_str(ends[i])))
            return true;
    return false;
}

static bool named_like_a_log(ff_bytes name)
{
    return named_like_output(name) || ff_ends(name, FF_LIT(".log")) || ff_contains(name, FF_LIT(".log."));
}

/* A member of one kind stands for it even where nothing was recognised. Another is what was seen in it; with nothing
 * seen, a system log still speaks for the host, and what is named like a log for the job. */
static uint32_t streams_of(const ff_scan *s)
{
    if (!s->parser)
        return 0;
    if (!s->loose)
        return s->parser->streams | s->seen;
    if (s->seen == FF_STREAM_SLURM && s->mixed && named_like_output(s->result->hint))
        return s->seen | FF_STREAM_APP; /* Slurm writes its last words into the output of the job */
    if (s->seen)
        return s->seen;
    if (s->mixed)
        return named_like_a_log(s->result->hint) ? FF_STREAM_APP : 0;
    return s->parser->streams & FF_STREAM_HOST ? FF_STREAM_HOST : s->parser->streams;
}

void ff_scan_end(ff_scan *s, bool truncated)
{
    ff_member *m = &s->result->member;
    m->truncated = truncated;
    if (m->bytes == 0 && !m->unread)
        m->unread = "empty";
    if (s->mode == FF_SCAN_DOCUMENT && !ff_document_end(s, truncated))
        read_as_text(s);
    if (s->mode == FF_SCAN_TEXT)
        ff_records_end(s);
    ff_print128 print = ff_printer_value(s->printer);
    m->print_low = print.low;
    m->print_high = print.high;
    m->streams = streams_of(s);
    if (s->mode == FF_SCAN_TEXT)
        ff_last_words_end(s);
    ff_keep_end(s);
    ff_document_forget(s);
    s->result = NULL;
}
