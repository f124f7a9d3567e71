/* Hand-made evidence: members, samples and signals whose stamps are written as logs write them. */
#ifndef FF_UNIT_CLOCK_BUNDLE_H
#define FF_UNIT_CLOCK_BUNDLE_H

#include "../analyzer/clock/clock.h"

#include "check.h"

#define MOST 64
#define S INT64_C(1000000000)
#define H (3600 * S)
#define NO_STAMP ((ff_stamp){ 0 })

static ff_arena arena;
static ff_member members[MOST];
static ff_sample samples[MOST];
static ff_signal signals[MOST];
static ff_evidence bundle;

static inline void begin(void)
{
    ff_arena_done(&arena);
    ff_arena_init(&arena);
    memset(members, 0, sizeof members);
    memset(samples, 0, sizeof samples);
    memset(signals, 0, sizeof signals);
    bundle = (ff_evidence){ .members = members, .samples = samples, .signals = signals };
}

/* A stamp as a log writes it; "[12.5]" is time since boot, and a 9 digit fraction without a year is torch's. */
static inline ff_stamp at(const char *text)
{
    ff_bytes in = ff_str(text);
    ff_stamp s = { 0 };
    if (ff_take_char(&in, '[') && ff_take_seconds(&in, &s.ns)) {
        s.kind = FF_STAMP_SINCE_BOOT;
        s.grain_ns = 1000;
        return s;
    }
    in = ff_str(text);
    if (!ff_take_rfc3339(&in, &s) && !ff_take_ctime(&in, &s) && !ff_take_syslog_time(&in, &s) &&
        !ff_take_torch_time(&in, &s))
        (void)ff_take_klog_time(&in, &s);
    CHECK(s.kind != FF_STAMP_NONE);
    return s;
}

static inline int64_t utc(const char *text) { return at(text).ns; }

static inline uint32_t add_member(const char *name, const char *host, uint32_t streams)
{
    ff_member *m = &members[bundle.n_members];
    *m = (ff_member){ .name = ff_str(name), .id = bundle.n_members, .streams = streams, .who = FF_WHO_NOBODY };
    m->who.host = ff_str(host);
    return bundle.n_members++;
}

static inline ff_sample *add_sample(uint32_t member, uint32_t line, ff_stamp said, ff_stamp also)
{
    ff_sample *s = &samples[bundle.n_samples++];
    *s = (ff_sample){ .member = member, .line = line, .said = said, .also = also };
    return s;
}

static inline ff_signal *add_signal(uint32_t member, uint32_t line, ff_stamp said, ff_stamp also)
{
    ff_signal *s = &signals[bundle.n_signals++];
    *s = (ff_signal){ .at = { .member = member, .line = line, .offset = 100 * (uint64_t)line },
                      .said = said,
                      .also = also,
                      .who = FF_WHO_NOBODY,
                      .count = 1 };
    s->stream = members[member].streams;
    s->who.host = members[member].who.host;
    return s;
}

static inline ff_clocks resolve(void) { return ff_clocks_resolve(&bundle, &arena); }

/* The signal at a place, after sorting. */
static inline const ff_signal *found(uint32_t member, uint32_t line)
{
    for (uint32_t i = 0; i < bundle.n_signals; i++)
        if (signals[i].at.member == member && signals[i].at.line == line)
            return &signals[i];
    CHECK(!"signal is there");
    return &signals[0];
}

#endif
