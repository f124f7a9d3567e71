/* Text members: lines at buffer borders, long and broken lines, context, folds, caps, blocks, times. */
#include "unit_intake.h"

#define BODY (256 * 1024) /* of a buffer */

static char *room;
static size_t room_n;

static void text_add(const char *p, size_t n)
{
    memcpy(room + room_n, p, n);
    room_n += n;
}

static void text_adds(const char *s) { text_add(s, strlen(s)); }

/* Numbered filler lines up to exactly `size` bytes. */
static void text_fill(size_t size)
{
    char line[64];
    for (unsigned i = 0; room_n < size; i++) {
        int n = snprintf(line, sizeof line, "filler line number %u\n", i);
        size_t take = size - room_n < (size_t)n ? size - room_n : (size_t)n;
        text_add(line, take);
        if (take < (size_t)n)
            room[room_n - 1] = '\n';
    }
}

static ff_evidence read_room(unsigned jobs, ff_arena *arena)
{
    write_bytes("t.log", room, room_n);
    return read_one("t.log", jobs, arena);
}

TEST(a_line_across_buffers_is_whole)
{
    /* BOOM stands at every position around the border in turn. */
    for (size_t back = 0; back < 14; back += 3) {
        room_n = 0;
        text_fill(BODY - back);
        text_adds("xx BOOM 77 yy\nnext\n");
        text_fill(2 * BODY + 100);
        ff_arena arena;
        ff_evidence e = read_room(1, &arena);
        CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
        const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 0);
        CHECK(s && s->at.offset == BODY - back && s->at.length == 13);
        if (s) {
            CHECK_TEXT(s->quote, "xx BOOM 77 yy");
            size_t lines = 1;
            for (size_t i = 0; i < s->at.offset; i++)
                lines += room[i] == '\n';
            CHECK_INT(s->at.line, lines);
        }
        ff_arena_done(&arena);
    }
}

TEST(context_reaches_across_buffers)
{
    static const char text[] = "b3\nb2\nb1\nBOOM 1\na1\na2\na3\n";
    for (size_t back = 0; back <= sizeof text; back++) {
        room_n = 0;
        text_fill(BODY - back);
        text_adds(text);
        text_fill(BODY + 5000);
        ff_arena arena;
        ff_evidence e = read_room(1, &arena);
        const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 0);
        CHECK(s && s->context && s->context->n_before == 3 && s->context->n_after == 3);
        if (s && s->context) {
            CHECK_TEXT(s->context->before[0], "b3");
            CHECK_TEXT(s->context->before[2], "b1");
            CHECK_TEXT(s->context->after[0], "a1");
            CHECK_TEXT(s->context->after[2], "a3");
        }
        ff_arena_done(&arena);
    }
}

TEST(line_ends_of_all_kinds)
{
    room_n = 0;
    text_adds("one\r\nBOOM 1\r\nthree\r\n\r\nBOOM 2");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(e.members[0].lines, 5);
    const ff_signal *a = signal_of_kind(&e, KIND(BOOM), 0), *b = signal_of_kind(&e, KIND(BOOM), 1);
    CHECK(a && b);
    if (a && b) {
        CHECK_TEXT(a->quote, "BOOM 1");
        CHECK_INT(a->at.line, 2);
        CHECK_INT(a->at.offset, 5);
        CHECK_INT(b->at.line, 5);
        CHECK_INT(b->context->n_after, 0);
        CHECK_TEXT(b->context->before[2], "");
    }
    ff_arena_done(&arena);
}

TEST(a_long_line_counts_with_its_first_bytes)
{
    for (unsigned shift = 0; shift < 3; shift++) {
        room_n = 0;
        text_adds("first BOOM 1\n");
        text_fill(13 + shift * 100000);
        size_t from = room_n;
        text_adds("BOOM 2 ");
        memset(room + room_n, 'x', 10000000);
        room_n += 10000000;
        text_adds(" BOOM 3\nBOOM 4\n");
        size_t lines = 3;
        for (size_t i = 13; i < from; i++)
            lines += room[i] == '\n';
        ff_arena arena;
        ff_evidence e = read_room(1, &arena);
        CHECK_INT(count_kind(&e, KIND(BOOM)), 3);
        const ff_signal *second = signal_of_kind(&e, KIND(BOOM), 1), *last = signal_of_kind(&e, KIND(BOOM), 2);
        CHECK(second && second->at.offset == from && second->quote.n == FF_CAP_EVIDENCE_TEXT);
        CHECK(last && last->fields[0].i == 4 && last->at.line == lines);
        CHECK_INT(e.members[0].lines, lines);
        CHECK(e.members[0].n_skips == 1 && e.members[0].skips[0].count == 1);
        CHECK_INT(e.members[0].skips[0].first_line, lines - 1);
        ff_arena_done(&arena);
    }
}

TEST(a_long_line_is_cut_alike_wherever_buffers_end)
{
    /* 100 KB with a mark before and one behind the cap; inside one buffer, and across a border. */
    for (size_t start = 0; start < 2; start++) {
        room_n = 0;
        text_fill(start ? BODY - 30000 : 1000);
        size_t from = room_n;
        memset(room + room_n, 'y', 100000);
        memcpy(room + from + 60000, " BOOM 5 ", 8);
        memcpy(room + from + 70000, " BOOM 6 ", 8);
        room_n += 100000;
        text_adds("\nBOOM 7\n");
        ff_arena arena;
        ff_evidence e = read_room(1, &arena);
        CHECK_INT(count_kind(&e, KIND(BOOM)), 2);
        CHECK(e.members[0].n_skips == 1 && e.members[0].skips[0].count == 1);
        ff_arena_done(&arena);
    }
}

TEST(nul_bytes_do_not_end_anything)
{
    room_n = 0;
    text_fill(5000);
    text_add("a\0b BOOM 1\0\n\0\0\nBOOM 2\n", 23);
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 2);
    CHECK_INT(signal_of_kind(&e, KIND(BOOM), 0)->quote.n, 11);
    ff_arena_done(&arena);
}

TEST(equal_lines_fold)
{
    room_n = 0;
    for (unsigned i = 0; i < 30000; i++) {
        char line[64];
        snprintf(line, sizeof line, "%06u tick %s\n", i, i % 3 == 2 ? "even" : "odd");
        text_adds(line);
    }
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(TICK)), 2);
    const ff_signal *odd = signal_of_kind(&e, KIND(TICK), 0), *even = signal_of_kind(&e, KIND(TICK), 1);
    CHECK(odd->count == 20000 && odd->at.line == 1 && odd->last_at.line == 29999);
    CHECK(even->count == 10000 && even->at.line == 3 && even->last_at.line == 30000);
    CHECK_INT(even->last_at.offset, room_n - 17);
    CHECK_INT(e.n_limits, 0);
    ff_arena_done(&arena);
}

TEST(distinct_folds_are_capped)
{
    room_n = 0;
    for (unsigned i = 0; i < 5000; i++) {
        char line[32];
        snprintf(line, sizeof line, "tick n%u\n", i);
        text_adds(line);
    }
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(TICK)), 4096);
    const ff_limit *limit = limit_named(&e, "distinct values of a folded signature");
    CHECK(limit && limit->count == 904);
    ff_arena_done(&arena);
}

TEST(signals_of_one_signature_are_capped)
{
    room_n = 0;
    for (unsigned i = 0; i < 1000; i++) {
        char line[32];
        snprintf(line, sizeof line, "flood %u\n", i);
        text_adds(line);
    }
    text_adds("BOOM 1\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(FLOOD)), FF_CAP_SIGNALS_EACH);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    const ff_signal *last = signal_of_kind(&e, KIND(FLOOD), FF_CAP_SIGNALS_EACH - 1);
    CHECK_INT(last->count, 1000 - FF_CAP_SIGNALS_EACH + 1);
    CHECK_INT(last->at.line, FF_CAP_SIGNALS_EACH);
    CHECK_INT(last->last_at.line, 1000);
    const ff_limit *limit = limit_named(&e, "signals of one signature");
    CHECK(limit && limit->count == 1000 - FF_CAP_SIGNALS_EACH);
    CHECK_TEXT(limit->where, "t.log");
    ff_arena_done(&arena);
}

TEST(several_hits_in_a_line_are_one_signal)
{
    room_n = 0;
    text_adds("BOOM 1 BOOM 2 BOOM 3\nBOOM\nBOOM x\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    CHECK_INT(signal_of_kind(&e, KIND(BOOM), 0)->fields[0].i, 1);
    ff_arena_done(&arena);
}

static void add_kernel_line(unsigned second, const char *text)
{
    char line[400];
    snprintf(line, sizeof line, "[%5u.000000] %s\n", second, text);
    text_adds(line);
}

static void add_oom_report(unsigned second)
{
    add_kernel_line(second, "python3 invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0");
    add_kernel_line(second, "CPU: 3 PID: 4242 Comm: python3 Not tainted 6.1.0 #1");
    add_kernel_line(second, "memory: usage 1048576kB, limit 1048576kB, failcnt 77");
    add_kernel_line(second, "Tasks state (memory values in pages):");
    add_kernel_line(second, "[  pid  ]   uid  tgid total_vm      rss pgtables_bytes swapents oom_score_adj name");
    add_kernel_line(second, "[   4242]     0  4242   500000   250000  4096000        0             0 python3");
    add_kernel_line(second,
                    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/job,"
                    "task_memcg=/job,task=python3,pid=4242,uid=0");
    add_kernel_line(second, "Memory cgroup out of memory: Killed process 4242 (python3) total-vm:2000000kB, "
                            "anon-rss:1000000kB, file-rss:0kB, shmem-rss:0kB, UID:0 pgtables:4000kB oom_score_adj:0");
}

TEST(a_block_across_buffers_is_one_report)
{
    for (size_t back = 0; back < 900; back += 150) {
        room_n = 0;
        for (unsigned i = 0; room_n + 100 + back < BODY; i++)
            add_kernel_line(i, "usb 1-1: new high-speed USB device, nothing to see here at all");
        size_t start = room_n;
        add_oom_report(90000);
        for (unsigned i = 0; i < 3000; i++)
            add_kernel_line(90001 + i, "usb 1-1: new high-speed USB device, nothing to see here at all");
        ff_arena arena;
        ff_evidence e = read_room(1, &arena);
        CHECK_INT(count_kind(&e, FF_FACT_OOM_REPORT), 1);
        const ff_signal *s = signal_of_kind(&e, FF_FACT_OOM_REPORT, 0);
        CHECK(s && s->at.offset >= start && s->at.offset < start + 1000 && s->said.kind == FF_STAMP_SINCE_BOOT);
        ff_arena_done(&arena);
    }
}

TEST(a_block_that_the_member_ends_in_is_still_read)
{
    room_n = 0;
    add_kernel_line(1, "usb 1-1: new high-speed USB device");
    add_kernel_line(1, "eth0: link up");
    add_oom_report(2);
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, FF_FACT_OOM_REPORT), 1);
    ff_arena_done(&arena);
}

TEST(samples_tell_the_span_of_a_log)
{
    room_n = 0;
    for (unsigned i = 0; i < 20000; i++)
        add_kernel_line(100 + i, "usb 1-1: new high-speed USB device, nothing to see here at all");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(e.members[0].first_said.ns, 100 * INT64_C(1000000000));
    CHECK_INT(e.members[0].last_said.ns, 20099 * INT64_C(1000000000));
    CHECK(e.n_samples >= room_n / 65536 && e.n_samples < room_n / 65536 + 8);
    for (uint32_t i = 1; i < e.n_samples; i++)
        CHECK(e.samples[i].line > e.samples[i - 1].line);
    CHECK_INT(e.samples[e.n_samples - 1].line, 20000);
    CHECK_INT(e.members[0].streams, FF_STREAM_KERNEL);
    ff_arena_done(&arena);
}

TEST(a_further_line_has_the_time_of_its_record)
{
    room_n = 0;
    for (unsigned i = 0; i < 40; i++)
        text_adds("2026-01-02T03:04:05.000000+00:00 gpu-a01 app[7]: plain words\n");
    text_adds("2026-01-02T03:04:06.000000+00:00 gpu-a01 app[7]: a record of\n");
    text_adds("  several lines, with BOOM 1\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 0);
    CHECK(s && s->said.kind == FF_STAMP_UTC && s->said.ns == INT64_C(1767323046000000000));
    CHECK(s && s->who.pid == 7);
    if (s)
        CHECK_TEXT(s->who.host, "gpu-a01");
    ff_arena_done(&arena);
}

TEST(a_record_that_tells_only_its_distance_has_the_time_before_it)
{
    room_n = 0;
    text_adds("[Mar11 06:40] usb 1-1: new device\n[Mar11 06:41] usb 1-2: new device\n");
    for (unsigned i = 0; i < 300; i++)
        text_adds("[  +0.000004] nothing to see here\n");
    text_adds("[  +0.000004] NVRM: Xid (PCI:0000:3b:00): 79\n");
    for (unsigned i = 0; i < 5; i++)
        text_adds("[  +0.000004] nothing to see here\n");
    text_adds("[  +0.000004] NVRM: Xid (PCI:0000:3b:00): 45\n[Mar11 06:50] nothing\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(XID)), 2);
    for (uint32_t i = 0; i < 2; i++) {
        const ff_signal *s = signal_of_kind(&e, KIND(XID), i);
        CHECK(s && s->said.kind == FF_STAMP_NO_YEAR && s->said.ns / INT64_C(60000000000) % 60 == 41);
        CHECK(s && s->said.grain_ns == INT64_C(60000000000));
    }
    ff_arena_done(&arena);
}

TEST(threads_and_one_thread_see_the_same)
{
    shell("rm -rf many && mkdir many");
    for (unsigned i = 0; i < 40; i++) {
        char path[32];
        room_n = 0;
        text_fill(1000 + i * 20000);
        text_adds("BOOM 1\ntick a\ntick b\ntick a\n");
        add_oom_report(i);
        snprintf(path, sizeof path, "many/f%02u.log", i * 7 % 40);
        write_bytes(path, room, room_n);
    }
    shell("tar czf many.tar.gz many; cp -r many twice; gzip twice/*5.log");
    CHECK_SAME("many", 1, "many", 4);
    CHECK_SAME("many", 1, "many.tar.gz", 1);
    CHECK_SAME("many", 1, "many.tar.gz", 2);
    CHECK_SAME("many", 1, "many.tar.gz", 4);
    CHECK_SAME("twice", 1, "twice", 3);
}

/* ---- text in another form ---- */

/* Every byte of an ASCII text as a unit of UTF-16, little end first. */
static void text_wide(const char *s)
{
    for (; *s; s++) {
        text_add(s, 1);
        text_add("\0", 1);
    }
}

TEST(utf16_with_a_mark_is_text)
{
    room_n = 0;
    text_add("\xff\xfe", 2);
    text_wide("first line of PowerShell\r\nxx BOOM 77 yy ");
    text_add("\x3d\xd8\x00\xde", 4); /* a pair: U+1F600 */
    text_add("\x00\xd8", 2);         /* half of one */
    text_wide("\r\nlast\r\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 0);
    if (s) {
        CHECK_INT(s->at.line, 2);
        CHECK_TEXT(s->quote, "xx BOOM 77 yy \xf0\x9f\x98\x80\xef\xbf\xbd");
    }
    ff_arena_done(&arena);
}

TEST(a_mark_alone_is_no_utf16)
{
    room_n = 0;
    text_add("\xff\xfe\x01\x80\x90\x02\x00\x00\x91\x92\x93\x94", 12);
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK(e.n_members == 1 && e.members[0].unread);
    ff_arena_done(&arena);
}

TEST(pieces_of_a_containers_line_are_one_text)
{
    room_n = 0;
    text_adds("2026-01-01T00:00:00.1Z stdout F a line\n"
              "2026-01-01T00:00:00.2Z stdout P xx BO\n"
              "2026-01-01T00:00:00.3Z stderr F BOOM 5\n"
              "2026-01-01T00:00:00.4Z stdout P OM 7\n"
              "2026-01-01T00:00:00.5Z stdout F 7 yy\n"
              "2026-01-01T00:00:00.6Z stdout F BOOM 6\n"
              "2026-01-01T00:00:00.7Z stderr P BOOM 8\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 4);
    const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 0);
    if (s) {
        CHECK_INT(s->at.line, 2);
        CHECK(s->n_fields == 1 && s->fields[0].i == 77);
    }
    ff_arena_done(&arena);
}

TEST(a_message_of_numbers_is_text)
{
    room_n = 0;
    text_adds("{\"__REALTIME_TIMESTAMP\":\"1767225600000000\",\"MESSAGE\":\"BOOM 1\"}\n"
              "{\"__REALTIME_TIMESTAMP\":\"1767225601000000\",\"MESSAGE\":[27,91,49,109,66,79,79,77,32,50]}\n"
              "{\"__REALTIME_TIMESTAMP\":\"1767225602000000\",\"MESSAGE\":[66,79,79]}\n");
    ff_arena arena;
    ff_evidence e = read_room(1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 2);
    const ff_signal *s = signal_of_kind(&e, KIND(BOOM), 1);
    CHECK(s && s->at.line == 2 && s->n_fields == 1 && s->fields[0].i == 2);
    ff_arena_done(&arena);
}

int main(void)
{
    bench_open();
    room = ff_alloc(32000000);
    RUN(a_line_across_buffers_is_whole);
    RUN(context_reaches_across_buffers);
    RUN(line_ends_of_all_kinds);
    RUN(a_long_line_counts_with_its_first_bytes);
    RUN(a_long_line_is_cut_alike_wherever_buffers_end);
    RUN(nul_bytes_do_not_end_anything);
    RUN(equal_lines_fold);
    RUN(distinct_folds_are_capped);
    RUN(signals_of_one_signature_are_capped);
    RUN(several_hits_in_a_line_are_one_signal);
    RUN(a_block_across_buffers_is_one_report);
    RUN(a_block_that_the_member_ends_in_is_still_read);
    RUN(samples_tell_the_span_of_a_log);
    RUN(a_further_line_has_the_time_of_its_record);
    RUN(a_record_that_tells_only_its_distance_has_the_time_before_it);
    RUN(threads_and_one_thread_see_the_same);
    RUN(utf16_with_a_mark_is_text);
    RUN(a_mark_alone_is_no_utf16);
    RUN(pieces_of_a_containers_line_are_one_text);
    RUN(a_message_of_numbers_is_text);
    ff_free(room);
    return bench_close();
}
