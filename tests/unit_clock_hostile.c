/* Evidence that nobody would write: random stamps of all kinds, torn, far out of range, thousands of boots in a file.
 * What must hold whatever comes in. The numbers are pseudo-random but the same in every run. */
#include "../analyzer/clock/clock.h"

#include "check.h"

#include <time.h>

#define S INT64_C(1000000000)
#define MEMBERS 24u
#define SAMPLES 400u
#define SIGNALS 300u

static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static int64_t draw_ns(ff_stamp_kind kind)
{
    static const int64_t edges[] = { INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX };
    if (draw(20) == 0)
        return edges[draw(FF_COUNT(edges))];
    if (kind == FF_STAMP_SINCE_BOOT)
        return draw(100000) * (S / 10);
    if (kind == FF_STAMP_NO_YEAR)
        return draw(366 * 24) * 3600 * S + draw(3600) * S;
    return (INT64_C(1767225600) + draw(8) * 3600 * 24 * 90 + draw(86400)) * S + draw(1000000) * 1000;
}

static ff_stamp draw_stamp(void)
{
    static const int64_t grains[] = { 1, 1000, 1000000, S, S, INT64_MAX, INT64_MIN, 0 };
    ff_stamp_kind kind = (ff_stamp_kind)draw(5);
    return (ff_stamp){ kind, draw_ns(kind), grains[draw(FF_COUNT(grains))] };
}

static ff_bytes draw_name(void)
{
    static const char *const names[] = { "", "n1", "N1.example.com", "n2", "10.0.0.1", ".", "n3" };
    return ff_str(names[draw(FF_COUNT(names))]);
}

static void draw_bundle(ff_evidence *e, ff_arena *arena)
{
    static const char *const files[] = { "dmesg", "kern.log.1", "pstore/dmesg-erst-1", "stdout.log",
                                         "a/b!c.9999999999999" };
    *e = (ff_evidence){ .n_members = MEMBERS, .n_samples = SAMPLES, .n_signals = SIGNALS };
    e->members = FF_NEW_N(arena, ff_member, MEMBERS);
    e->samples = FF_NEW_N(arena, ff_sample, SAMPLES);
    e->signals = FF_NEW_N(arena, ff_signal, SIGNALS);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        e->members[i] = (ff_member){ .name = ff_str(files[draw(FF_COUNT(files))]), .streams = 1u << draw(10) };
        e->members[i].who = FF_WHO_NOBODY;
        e->members[i].who.host = draw_name();
        e->members[i].mtime_s = draw(4) ? 0 : draw_ns(FF_STAMP_UTC) / S;
        e->members[i].document = draw(8) == 0;
    }
    for (uint32_t i = 0; i < SAMPLES; i++)
        e->samples[i] = (ff_sample){ .member = draw(MEMBERS),
                                     .line = draw(200),
                                     .said = draw_stamp(),
                                     .also = draw_stamp(),
                                     .host = draw(3) ? (ff_bytes){ 0 } : draw_name() };
    for (uint32_t i = 0; i < SIGNALS; i++) {
        ff_signal *s = &e->signals[i];
        *s = (ff_signal){
            .said = draw_stamp(), .also = draw_stamp(), .last_said = draw_stamp(), .who = FF_WHO_NOBODY
        };
        s->at = (ff_record){ .member = draw(MEMBERS), .line = draw(200) };
        s->last_at.line = draw(300);
        s->count = draw(3);
        s->stream = 1u << draw(10);
        s->kind = draw(5);
        s->who.host = draw_name();
        s->who.boot = draw(5) ? (ff_bytes){ 0 } : draw_name();
        s->who.pid = (int32_t)draw(6) - 1;
        s->who.container = draw(2) ? (ff_bytes){ 0 } : draw_name();
        s->quote = FF_LIT("[    1.000000] NVRM: Xid (PCI:0000:3b:00): 79, fallen");
    }
}

static void check_signals(const ff_evidence *e, const ff_clocks *clocks)
{
    for (uint32_t i = 0; i < e->n_signals; i++) {
        const ff_signal *s = &e->signals[i];
        CHECK_INT(s->ref, i);
        CHECK(s->clock == FF_NONE || s->clock < clocks->n);
        CHECK(!s->has_utc || (s->frame == 1 && s->utc == s->at_ns && s->utc_err >= 0));
        CHECK(s->has_utc || s->frame != 1);
        CHECK(i == 0 || !s->has_utc || (e->signals[i - 1].has_utc && e->signals[i - 1].utc <= s->utc));
    }
}

static void check_pairs(const ff_evidence *e)
{
    static const ff_order turned[] = { FF_ORDER_UNKNOWN, FF_ORDER_AFTER, FF_ORDER_SAME, FF_ORDER_BEFORE };
    for (uint32_t i = 0; i < 2000; i++) {
        const ff_signal *a = &e->signals[draw(SIGNALS)], *b = &e->signals[draw(SIGNALS)];
        int64_t there = -1, back = -1;
        ff_order order = ff_signal_order(a, b);
        CHECK_INT(ff_signal_order(b, a), turned[order]);
        CHECK_INT(ff_signal_gap(a, b, &there), ff_signal_gap(b, a, &back));
        CHECK(there == back && there >= -1);
        if (order == FF_ORDER_BEFORE && a->has_utc && b->has_utc && a->at.member != b->at.member &&
            a->clock != b->clock)
            CHECK(a->ref < b->ref);
    }
}

TEST(whatever_comes_in)
{
    for (uint32_t turn = 0; turn < 60; turn++) {
        state = turn;
        ff_arena arena;
        ff_arena_init(&arena);
        ff_evidence e;
        draw_bundle(&e, &arena);
        ff_clocks clocks = ff_clocks_resolve(&e, &arena);
        check_signals(&e, &clocks);
        check_pairs(&e);
        ff_arena_done(&arena);
    }
}

/* Each costs a clock, and none of them may cost a comparison with all others. */
TEST(many_boots_many_hosts)
{
    ff_arena arena;
    ff_arena_init(&arena);
    uint32_t n = 60000;
    ff_evidence e = { .n_members = 2, .n_samples = 2 * n };
    e.members = FF_NEW_N(&arena, ff_member, 2);
    e.members[0] = (ff_member){ .name = FF_LIT("a"), .who = FF_WHO_NOBODY };
    e.members[1] = (ff_member){ .name = FF_LIT("b"), .who = FF_WHO_NOBODY };
    e.members[0].who.host = FF_LIT("n1");
    e.samples = FF_NEW_N(&arena, ff_sample, 2 * n);
    for (uint32_t i = 0; i < n; i++) {
        e.samples[i] =
            (ff_sample){ .member = 0, .line = i, .said = { FF_STAMP_SINCE_BOOT, (i % 2 ? 5 : 500 + i) * S, 1000 } };
        e.samples[n + i] = (ff_sample){ .member = 1, .line = i, .said = { FF_STAMP_NO_YEAR, i * S, S } };
        e.samples[n + i].host = ff_arena_format(&arena, "host%u", (i * 7919u) % 5000u);
    }
    clock_t start = clock();
    ff_clocks clocks = ff_clocks_resolve(&e, &arena);
    CHECK_INT(clocks.n, n / 2 + 1 + 5000);
    CHECK((clock() - start) / CLOCKS_PER_SEC < 60);
    ff_arena_done(&arena);
}

int main(void)
{
    RUN(whatever_comes_in);
    RUN(many_boots_many_hosts);
    return DONE();
}
