/* Members that are read whole: held under the cap, then given to their parser with a sink. */
#include "intake_private.h"

#include <string.h>

#define KEEP_BYTES ((size_t)1 << 20) /* of the room for a document, from one to the next */

void ff_document_add(ff_scan *s, ff_bytes b)
{
    size_t room = FF_CAP_DOCUMENT - s->doc_n;
    s->doc_cut = s->doc_cut || b.n > room;
    b = ff_first_n(b, room);
    if (s->doc_n + b.n > s->doc_cap) {
        s->doc_cap = s->doc_cap * 2 > s->doc_n + b.n ? s->doc_cap * 2 : s->doc_n + b.n;
        s->doc = ff_realloc(s->doc, s->doc_cap);
    }
    memcpy(s->doc + s->doc_n, b.p, b.n);
    s->doc_n += b.n;
}

/* ---- the sink ---- */

static void take_fact(void *owner, const ff_fact *fact) { ff_keep_fact(owner, fact); }

static void take_event(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_scan *s = owner;
    if (s->joining)
        ff_look_joined(s, ev, line, offset, quote);
    else if (!s->n_reading) /* its lines have been looked at already */
        ff_look_inner(s, ev, line, offset, quote);
}

static void take_skip(void *owner, uint32_t line, const char *reason) { ff_keep_skip(owner, line, reason); }

static void take_who(void *owner, const ff_who *who)
{
    ff_scan *s = owner;
    ff_member *m = &s->result->member;
    bool had_host = m->who.host.n != 0;
    ff_who kept = ff_keep_who(s, who);
    ff_who_fill(&m->who, &kept);
    if (!had_host && m->who.host.n)
        m->host_why = FF_LIT("the content says so");
}

static void take_dump(void *owner, struct ff_dump *dump)
{
    ff_scan *s = owner;
    FF_PUSH(&s->dumps, ff_dump_keep(s->kept_dumps, dump));
    if (!dump->from_log)
        s->seen |= FF_STREAM_RECORDER;
}

void ff_sink_init(ff_scan *s)
{
    s->sink = (ff_sink){ .owner = s,
                         .fact = take_fact,
                         .event = take_event,
                         .skip = take_skip,
                         .member_who = take_who,
                         .dump = take_dump,
                         .dumps = s->kept_dumps,
                         .scratch = &s->member_scratch };
}

bool ff_document_end(ff_scan *s, bool truncated)
{
    s->result->member.truncated = truncated || s->doc_cut;
    ff_doc doc = { .name = s->result->hint, .bytes = { s->doc, s->doc_n }, .truncated = s->result->member.truncated };
    ff_status status = s->parser->parse(&doc, &s->sink);
    ff_blocks_end(s, doc.truncated);
    bool nothing = status != FF_OK && s->signals.n == 0 && s->dumps.n == 0 && s->n_inner == 0;
    s->result->member.truncated = s->result->member.truncated || (status != FF_OK && !nothing);
    if (status != FF_OK)
        ff_keep_skip(s, 1, nothing ? "not understood as a document" : "document not understood to its end");
    return !nothing;
}

void ff_document_forget(ff_scan *s)
{
    s->doc_n = 0;
    if (s->doc_cap <= KEEP_BYTES)
        return;
    ff_free(s->doc);
    s->doc = NULL;
    s->doc_cap = 0;
}
