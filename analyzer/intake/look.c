/* A run of whole records: the prefilter names candidates, only those are framed and matched. Besides, a sparse sample
 * of records is framed for clocks and coverage, and while a block is open every record is. */
#include "intake_private.h"
#include "../../parsers/lines.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SAMPLES 4u /* framed records sampled at the start of a member */
#define NOTE_BYTES 8192u /* one record about every so many bytes is framed for its kind alone */
#define NOTE_UNTIL (UINT64_C(4) << 20)
#define SAMPLE_TRIES 8u /* records tried for one of the later samples */

/* ---- one record as an event ---- */

static void start_event(ff_scan *s, ff_event *ev, ff_bytes text)
{
    *ev = (ff_event){ .stream = s->parser->streams, .text = text, .who = FF_WHO_NOBODY, .scratch = &s->scratch };
}

static void note_seen(ff_scan *s, const ff_event *ev)
{
    bool one = ev->stream && (ev->stream & (ev->stream - 1)) == 0;
    if (one || !s->loose)
        s->seen |= ev->stream;
}

/* Where lines of all kinds are mixed, coats and readers are the frame. */
bool ff_look_frame(ff_scan *s, ff_bytes text, ff_event *ev)
{
    ff_arena_reset(&s->scratch);
    start_event(s, ev, text);
    bool may_repeat = !(s->parser->streams & ~(uint32_t)(FF_STREAM_NCCL | FF_STREAM_APP));
    if (may_repeat && ff_dress_fits(&s->dress, text, ev))
        return true;
    bool framed = s->parser->frame(text, ev);
    ev->goes_on = ev->goes_on && (!s->parser->piece || s->pieces);
    if (!framed)
        start_event(s, ev, text);
    bool dressed = (framed || s->loose) && ff_undress(ev);
    if (may_repeat && framed && dressed)
        ff_dress_keep(&s->dress, text, ev);
    return s->mixed ? dressed : framed;
}

/* ---- the frame that a further line belongs to ---- */

static bool is_frame_of_others(const ff_scan *s, const ff_event *ev)
{
    return !s->mixed || ev->said.kind != FF_STAMP_NONE;
}

static void remember_frame(ff_scan *s, const ff_event *ev, const ff_place *at)
{
    if (at->offset + 1 < s->frame.known_to || !is_frame_of_others(s, ev))
        return;
    ff_arena_reset(&s->frame_arena);
    s->frame = (ff_frame){ .has = true,
                           .said = ev->said,
                           .also = ev->also,
                           .who = ff_who_copy(&ev->who, &s->frame_arena),
                           .line = at->line,
                           .offset = at->offset,
                           .known_to = at->offset + 1 };
}

/* NULL: none within FF_LOOK_BACK lines in front of `from`. The scratch space is used. */
static const ff_frame *frame_before(ff_scan *s, size_t from, uint32_t line)
{
    size_t at = from;
    for (unsigned i = 0; i < FF_LOOK_BACK && at > 0 && s->run_offset + at > s->frame.known_to; i++) {
        ff_event ev;
        ff_place place = ff_place_at(s, at - 1);
        if (ff_look_frame(s, place.text, &ev) && is_frame_of_others(s, &ev)) {
            place.line = ff_line_of(s, place.from);
            remember_frame(s, &ev, &place);
            break;
        }
        at = place.from;
    }
    uint64_t offset = s->run_offset + from;
    s->frame.known_to = offset > s->frame.known_to ? offset : s->frame.known_to;
    bool near = s->frame.has && line - s->frame.line <= FF_LOOK_BACK;
    return near ? &s->frame : NULL;
}

/* The time of the next record that says one, within FF_LOOK_BACK lines of this run. The scratch space is used. */
static ff_stamp stamp_after(ff_scan *s, size_t from)
{
    uint64_t offset = s->run_offset + from;
    if (offset >= s->ahead.from && offset < s->ahead.to)
        return s->ahead.said;
    s->ahead = (ff_ahead){ .from = offset };
    for (unsigned i = 0; i < FF_LOOK_BACK && from < s->run.n && s->ahead.said.kind == FF_STAMP_NONE; i++) {
        ff_event ev;
        ff_place place = ff_place_at(s, from);
        (void)ff_look_frame(s, place.text, &ev);
        s->ahead.said = ev.said;
        s->ahead.to = place.offset + 1;
        from = place.next;
    }
    if (s->ahead.said.kind == FF_STAMP_NONE)
        s->ahead.to = s->ahead.from; /* a later place looks further */
    return s->ahead.said;
}

/* For records that only say how long after the one before they came: the last time that is said, however far back, as
 * long as every record between is seen. The scratch space is used. */
static ff_stamp stamp_before(ff_scan *s, size_t from)
{
    ff_stamp said = { 0 };
    size_t at = from;
    while (at > 0 && s->run_offset + at > s->dated.known_to && said.kind == FF_STAMP_NONE) {
        ff_event ev;
        ff_place place = ff_place_at(s, at - 1);
        (void)ff_look_frame(s, place.text, &ev);
        said = ev.said;
        at = place.from;
    }
    if (said.kind == FF_STAMP_NONE && s->run_offset + at <= s->dated.known_to)
        said = s->dated.said;
    s->dated = (ff_dated){ said, s->run_offset + from };
    return said;
}

/* A line without a time was written between its neighbours that have one. Not so far: the time of the one before. */
static bool stamp_between(ff_stamp before, ff_stamp after, ff_stamp *out)
{
    *out = before;
    if (after.kind != before.kind || after.ns < before.ns || after.ns - before.ns > INT64_MAX / 2)
        return false;
    int64_t grain = after.ns - before.ns + after.grain_ns;
    out->grain_ns = grain > before.grain_ns ? grain : before.grain_ns;
    return true;
}

/* Where lines of many writers are mixed, a bare line need not come from the one that wrote before: it gets a time
 * between its neighbours and the host, but not the rank or process. A line of which we know what it is, and that it
 * is no further line of another, gets a time only if both neighbours bound it. */
static void inherit(ff_scan *s, ff_event *ev, const ff_frame *frame, ff_stamp after)
{
    if (ev->said.kind == FF_STAMP_NONE && !s->mixed) {
        ev->said = frame->said;
    } else if (ev->said.kind == FF_STAMP_NONE) {
        ff_stamp between;
        if (stamp_between(frame->said, after, &between) || ev->continued)
            ev->said = between;
    }
    if (!s->mixed)
        ff_who_fill(&ev->who, &frame->who);
    else if (ev->continued && ev->who.host.n == 0)
        ev->who.host = frame->who.host;
    if (ev->who.boot.n == 0 && ff_equal(ev->who.host, frame->who.host))
        ev->who.boot = frame->who.boot;
}

static void try_signature(ff_scan *s, uint32_t signature, const ff_event *ev, const ff_place *at)
{
    if (!(ev->stream & s->shared->signatures[signature].streams))
        return;
    ff_field fields[FF_MATCH_FIELDS];
    uint32_t n = 0;
    bool gave_up = false;
    if (ff_match_one(s->scanner, signature, ev->text, fields, &n, &gave_up)) {
        s->result->member.events++;
        note_seen(s, ev);
        ff_keep_match(s, signature, ev, at, fields, n);
    }
    if (gave_up)
        ff_keep_skip(s, at->line, "a pattern gave up on it");
}

/* ---- a line that says only how often the one before it came again ---- */
#define REPEAT_BYTES 200u

static bool repeat_follows(const ff_scan *s, const ff_place *at)
{
    if (!(s->parser->streams & FF_STREAM_KERNEL) || at->next >= s->run.n)
        return false;
    ff_bytes ahead = ff_first_n(ff_skip_n(s->run, at->next), REPEAT_BYTES);
    return ff_contains(ahead, FF_LIT(" last message repeated "));
}

/* The record once more, as often and when that line says, standing there. The scratch space is used. */
static void look_at_repeat(ff_scan *s, const ff_place *of, const ff_hit *hits, uint32_t n)
{
    ff_event said, ev;
    uint64_t times = 0;
    ff_place at = ff_place_at(s, of->next);
    if (!ff_look_frame(s, at.text, &said) || !ff_is_repeat(said.text, &times))
        return;
    ff_bytes host = ff_keep_bytes(s, said.who.host);
    if (!ff_look_frame(s, of->text, &ev) || !ff_equal(ev.who.host, host))
        return;
    at.line = ff_line_of(s, at.from);
    ev.times = (uint32_t)times;
    ev.said = ev.said.kind == FF_STAMP_SINCE_BOOT ? ev.said : said.said;
    ev.also = ev.said.kind == FF_STAMP_SINCE_BOOT ? (ff_stamp){ 0 } : said.also;
    uint64_t number = ++s->event_no;
    for (uint32_t i = 0; i < n; i++) {
        if (hits[i].owner >= s->shared->n_signatures || s->seen_at[hits[i].owner] == number)
            continue;
        s->seen_at[hits[i].owner] = number;
        try_signature(s, hits[i].owner, &ev, &at);
    }
}

static void look_at_record(ff_scan *s, ff_place *at, const ff_hit *hits, uint32_t n)
{
    ff_event ev;
    at->line = ff_line_of(s, at->from);
    bool framed = ff_look_frame(s, at->text, &ev);
    if (framed && ev.since_before) {
        ff_stamp said = stamp_before(s, at->from);
        (void)ff_look_frame(s, at->text, &ev); /* again: looking around has used the scratch space */
        ev.said = said;
    }
    if (framed && is_frame_of_others(s, &ev)) {
        remember_frame(s, &ev, at);
    } else {
        const ff_frame *frame = frame_before(s, at->from, at->line);
        ff_stamp after = frame && s->mixed ? stamp_after(s, at->next) : (ff_stamp){ 0 };
        ev.continued = !ff_look_frame(s, at->text, &ev); /* again: looking around has used the scratch space */
        if (frame)
            inherit(s, &ev, frame, after);
    }
    ff_look_event(s, &ev, at, hits, n);
    if (n && repeat_follows(s, at))
        look_at_repeat(s, at, hits, n);
}

/* ---- samples ---- */

/* False: nothing that a clock or the coverage could use. */
static bool sample_record(ff_scan *s, ff_place *at)
{
    ff_event ev;
    if (at->text.n == 0 || !ff_look_frame(s, at->text, &ev) || !ff_tells_time_or_host(&ev))
        return false;
    at->line = ff_line_of(s, at->from);
    s->result->member.events++;
    note_seen(s, &ev);
    remember_frame(s, &ev, at);
    ff_keep_sample(s, &ev, at->line);
    return true;
}

/* The first few, and then those where another host begins to speak: a log of several hosts must not look like one of
 * one. Besides, what kind each line is, is noted. */
static void sample_start(ff_scan *s)
{
    size_t at = 0;
    for (unsigned lines = 0; lines < FF_LOOK_BACK && at < s->run.n; lines++) {
        ff_place place = ff_place_at(s, at);
        ff_event ev;
        at = place.next;
        if (!ff_look_frame(s, place.text, &ev))
            continue;
        note_seen(s, &ev);
        bool few = s->samples.n < FIRST_SAMPLES;
        if (few || (ev.who.host.n && !ff_equal(ev.who.host, s->samples.at[s->samples.n - 1].host)))
            (void)sample_record(s, &place);
    }
    s->next_sample = s->sample_step;
    s->frame = (ff_frame){ 0 }; /* it stands behind lines that were not looked at yet */
}

/* What else does a log of several kinds hold? Looked up more densely than times are, at its start. */
static void note_kinds(ff_scan *s, size_t limit)
{
    while (s->loose && s->next_note < s->run_offset + limit && s->next_note < NOTE_UNTIL) {
        ff_event ev;
        ff_place place = ff_place_at(s, s->next_note > s->run_offset ? (size_t)(s->next_note - s->run_offset) : 0);
        if (ff_look_frame(s, place.text, &ev))
            note_seen(s, &ev);
        s->next_note += NOTE_BYTES;
    }
}

static void sample_up_to(ff_scan *s, size_t limit)
{
    note_kinds(s, limit);
    while (s->next_sample < s->run_offset + limit) {
        size_t at = s->next_sample > s->run_offset ? (size_t)(s->next_sample - s->run_offset) : 0;
        ff_place place = ff_place_at(s, at);
        for (unsigned i = 0; i < SAMPLE_TRIES && !sample_record(s, &place) && place.next < limit; i++)
            place = ff_place_at(s, place.next);
        while (s->next_sample <= place.offset || s->next_sample < s->run_offset + at + 1)
            s->next_sample += s->sample_step;
    }
}

static void sample_last(ff_scan *s)
{
    if (s->last_sample.line && (s->samples.n == 0 || s->samples.at[s->samples.n - 1].line < s->last_sample.line))
        return;
    s->last_sample = (ff_sample){ 0 };
}

/* ---- events to those who want them ---- */

/* True: the line begins a text that is matched when it is whole. */
static bool opens_joined(ff_scan *s, const ff_event *ev, const ff_place *at, const ff_hit *hits, uint32_t n)
{
    unsigned open = s->n_blocks;
    for (uint32_t i = 0; i < n && s->n_blocks == open; i++)
        if (hits[i].owner >= s->shared->n_signatures && ff_blocks[hits[i].owner - s->shared->n_signatures]->joins)
            ff_blocks_try(s, hits[i].owner - s->shared->n_signatures, ev, at);
    return s->n_blocks > open;
}

void ff_look_event(ff_scan *s, const ff_event *ev, const ff_place *at, const ff_hit *hits, uint32_t n)
{
    bool claimed[FF_MOST_BLOCKS] = { false };
    uint64_t number = ++s->event_no;
    bool joined = s->n_blocks && !s->joining && ff_blocks_feed(s, ev, at, claimed);
    joined = joined || (!s->joining && opens_joined(s, ev, at, hits, n));
    for (uint32_t i = 0; i < n && !joined; i++) {
        uint32_t owner = hits[i].owner;
        if (hits[i].end > at->from + FF_CAP_LINE || s->seen_at[owner] == number)
            continue;
        s->seen_at[owner] = number;
        if (owner < s->shared->n_signatures)
            try_signature(s, owner, ev, at);
        else if (!claimed[owner - s->shared->n_signatures])
            ff_blocks_try(s, owner - s->shared->n_signatures, ev, at);
    }
    if (joined)
        ff_blocks_join(s);
}

/* Lines that go on in a later one, which no literal says. */
static void add_pieces(ff_scan *s)
{
    uint32_t before = s->hits.n, parts = ff_block_number(&ff_block_parts);
    for (size_t at = s->pieces ? s->parser->piece(s->run, 0) : s->run.n; at < s->run.n;
         at = s->parser->piece(s->run, ff_place_at(s, at).next))
        FF_PUSH(&s->hits, ((ff_hit){ .owner = s->shared->n_signatures + parts, .end = (uint32_t)at + 1 }));
    if (s->hits.n > before)
        qsort(s->hits.at, s->hits.n, sizeof *s->hits.at, ff_hit_order);
}

static void find_hits(ff_scan *s)
{
    const ff_hit *found = NULL;
    uint32_t n = 0, owners = s->shared->n_signatures + ff_n_blocks;
    s->hits.n = 0;
    if (ff_scan_run(s->scanner, s->parser->streams, s->run, &found, &n) != FF_OK) {
        ff_keep_skip(s, ff_line_of(s, 0), "could not be scanned");
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        if (found[i].owner < owners && found[i].end > 0 && found[i].end <= s->run.n)
            FF_PUSH(&s->hits, found[i]);
    add_pieces(s);
}

static void sample_inner(ff_scan *s, const ff_event *ev, uint32_t line)
{
    bool chosen = s->n_inner++ % s->sample_step == 0;
    if (chosen)
        ff_keep_sample(s, ev, line);
    s->last_sample = (ff_sample){ 0 };
    if (!chosen && ev->said.kind != FF_STAMP_NONE)
        s->last_sample = (ff_sample){ .line = line,
                                      .said = ev->said,
                                      .also = ev->also,
                                      .host = ff_keep_bytes(s, ev->who.host),
                                      .boot = ff_keep_bytes(s, ev->who.boot) };
}

void ff_look_inner(ff_scan *s, const ff_event *inner, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_event ev = *inner;
    ff_arena_reset(&s->scratch);
    ev.scratch = &s->scratch;
    (void)ff_undress(&ev);
    note_seen(s, &ev);
    s->result->member.events++;
    sample_inner(s, &ev, line);
    ff_place at = { .to = ev.text.n, .next = ev.text.n, .offset = offset, .line = line, .text = quote };
    ff_keep_after(s, quote, offset);
    const ff_hit *found = NULL;
    uint32_t n = 0;
    if (ev.text.n && ff_scan_run(s->scanner, ev.stream, ff_first_n(ev.text, FF_CAP_LINE), &found, &n) != FF_OK)
        n = 0;
    if (n || s->n_blocks) {
        ff_hit *own = ff_arena_take(&s->member_scratch, (n + 1) * sizeof *own);
        if (n)
            memcpy(own, found, n * sizeof *own);
        ff_look_event(s, &ev, &at, own, n);
    }
    ff_keep_before(s, quote, offset);
}

void ff_look_joined(ff_scan *s, const ff_event *joined, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_event ev = *joined;
    ff_bytes text = ff_first_n(ev.text, FF_CAP_LINE);
    ff_arena_reset(&s->scratch);
    ev.scratch = &s->scratch;
    (void)ff_undress(&ev);
    /* The line may lie in a run that has passed: then only what is kept of it is its context. */
    bool here = offset >= s->run_offset && offset - s->run_offset < s->run.n;
    ff_place at = here ? ff_place_at(s, (size_t)(offset - s->run_offset)) : (ff_place){ .offset = offset };
    at.line = line;
    at.text = quote;
    const ff_hit *found = NULL;
    uint32_t n = 0;
    if (text.n == 0 || ff_scan_run(s->scanner, s->parser->streams, text, &found, &n) != FF_OK || n == 0)
        return;
    ff_hit *own = ff_arena_take(&s->member_scratch, n * sizeof *own);
    for (uint32_t i = 0; i < n; i++)
        own[i] = (ff_hit){ .owner = found[i].owner, .end = (uint32_t)at.from + 1 };
    ff_look_event(s, &ev, &at, own, n);
}

/* ---- the run ---- */

/* The last record that is near the end of a run: the last one of the member, once that is over. */
static void keep_last(ff_scan *s, const ff_frame *frame)
{
    if (!frame)
        return;
    s->last_sample = (ff_sample){ .line = frame->line,
                                  .said = frame->said,
                                  .also = frame->also,
                                  .host = ff_keep_bytes(s, frame->who.host),
                                  .boot = ff_keep_bytes(s, frame->who.boot) };
}

static void give_waiting(ff_scan *s)
{
    size_t at = 0;
    for (unsigned i = 0; i < FF_CONTEXT_LINES && s->waiting.n && at < s->run.n; i++) {
        ff_place place = ff_place_at(s, at);
        ff_keep_after(s, place.text, place.offset);
        at = place.next;
    }
}

static void look_at_hits(ff_scan *s)
{
    size_t at = 0;
    uint32_t i = 0, n = s->hits.n;
    while (s->n_blocks ? at < s->run.n : i < n) {
        ff_place place = ff_place_at(s, s->n_blocks ? at : s->hits.at[i].end - 1);
        sample_up_to(s, place.from);
        uint32_t first = i;
        while (i < n && s->hits.at[i].end <= place.next)
            i++;
        const ff_hit *own = s->hits.at ? s->hits.at + first : NULL;
        look_at_record(s, &place, own, i - first);
        ff_line_passed(s, &place);
        at = place.next;
    }
}

void ff_look_run(ff_scan *s)
{
    s->pieces = s->parser->piece && s->parser->piece(s->run, 0) < s->run.n;
    give_waiting(s);
    if (s->first_run)
        sample_start(s);
    find_hits(s);
    look_at_hits(s);
    sample_up_to(s, s->run.n);
    keep_last(s, frame_before(s, s->run.n, ff_line_of(s, s->run.n)));
}

void ff_look_done(ff_scan *s)
{
    sample_last(s);
    ff_blocks_end(s, s->result->member.truncated);
}
