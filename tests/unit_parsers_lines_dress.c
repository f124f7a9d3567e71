/* What is kept of one line of NCCL's is what the whole way of undressing makes of the next, or is not used for it. */
#include "line_rows.h"

#include "../parsers/dress.h"

typedef struct pair {
    const char *first, *next;
    bool fits;
} pair;

static bool same_event(const ff_event *a, const ff_event *b)
{
    return a->stream == b->stream && ff_equal(a->text, b->text) && a->said.kind == b->said.kind &&
           (a->said.kind == NONE || a->said.ns == b->said.ns) && a->also.kind == b->also.kind &&
           ff_equal(a->who.host, b->who.host) && a->who.pid == b->who.pid && a->who.rank == b->who.rank &&
           a->who.local_rank == b->who.local_rank && a->who.gpu_index == b->who.gpu_index &&
           ff_equal(a->ident, b->ident);
}

static ff_event undressed(const ff_parser *parser, const char *line, ff_arena *arena)
{
    ff_event ev = { .stream = parser->streams, .who = FF_WHO_NOBODY, .scratch = arena };
    CHECK_ROW(parser->frame(ff_str(line), &ev));
    ff_undress(&ev);
    return ev;
}

static void check_pair(const ff_parser *parser, const pair *row)
{
    ff_arena arena;
    ff_dress dress = { .front = { NULL, 0 } };
    ff_arena_init(&arena);
    ff_arena_init(&dress.arena);
    failing = row->next;
    ff_event first = undressed(parser, row->first, &arena), next = undressed(parser, row->next, &arena);
    ff_event got = { .stream = parser->streams, .who = FF_WHO_NOBODY, .scratch = &arena };
    ff_dress_keep(&dress, ff_str(row->first), &first);
    bool fits = ff_dress_fits(&dress, ff_str(row->next), &got);
    CHECK_ROW(fits == row->fits);
    CHECK_ROW(!fits || same_event(&got, &next));
    ff_dress_forget(&dress);
    CHECK_ROW(!ff_dress_fits(&dress, ff_str(row->next), &got));
    ff_arena_done(&dress.arena);
    ff_arena_done(&arena);
}

TEST(next_line_of_a_thread_is_read_as_if_it_were_the_first)
{
    static const char plain[] = "gx-01:71:93 [3] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/IPC";
    static const char dated[] = "[2026-11-30 12:00:05] gx-01:71:93 [3] NCCL INFO Connected all rings";
    static const pair rows[] = {
        { plain, "gx-01:71:93 [3] NCCL INFO Channel 01/0 : 0[0] -> 1[1] via P2P/IPC", true },
        { plain, "gx-01:71:93 [3] NCCL INFO ", true },
        { dated, "[2026-11-30 12:00:06] gx-01:71:93 [3] NCCL INFO Connected all trees", true },
        /* another thread, process, host, device, level */
        { plain, "gx-01:71:94 [3] NCCL INFO text", false },
        { plain, "gx-01:72:93 [3] NCCL INFO text", false },
        { plain, "gx-02:71:93 [3] NCCL INFO text", false },
        { plain, "gx-01:71:93 [2] NCCL INFO text", false },
        { plain, "gx-01:71:93 [3] init.cc:12 NCCL WARN text", false },
        { plain, "gx-01:71:93 [3] NCCL IN", false },
        { plain, "", false },
        /* a time where there was none, none where there was one, one that is none */
        { plain, "[2026-11-30 12:00:06] gx-01:71:93 [3] NCCL INFO text", false },
        { dated, "gx-01:71:93 [3] NCCL INFO text", false },
        { dated, "[2026-11-31 12:00:06] gx-01:71:93 [3] NCCL INFO text", false },
        { dated, "[2026-11-30 12:00:6x] gx-01:71:93 [3] NCCL INFO text", false },
        /* a second writer in the line, and colours */
        { plain, "gx-01:71:93 [3] NCCL INFO Chan gx-01:72:99 [1] NCCL INFO text", false },
        { plain, "gx-01:71:93 [3] NCCL INFO text [FATAL ERROR]: text", false },
        { plain, "gx-01:71:93 [3] NCCL INFO \x1b[31mtext", false },
        /* what launchers put in front may say more than the speaker, and is not kept */
        { "[1,3]<stdout>:gx-01:71:93 [3] NCCL INFO text", "[1,3]<stdout>:gx-01:71:93 [3] NCCL INFO text two", false },
        { "[rank3]: gx-01:71:93 [3] NCCL INFO text", "[rank3]: gx-01:71:93 [3] NCCL INFO text two", false },
        { "3: gx-01:71:93 [3] NCCL INFO text", "3: gx-01:71:93 [3] NCCL INFO text two", false },
        { "2026-11-30T12:00:05Z gx-01:71:93 [3] NCCL INFO text",
          "2026-11-30T12:00:06Z gx-01:71:93 [3] NCCL INFO text", false },
        /* a warning, or a line of somebody else, is not kept */
        { "gx-01:71:93 [3] init.cc:12 NCCL WARN text", "gx-01:71:93 [3] NCCL INFO text", false },
        { "step 12 loss 2.0", "gx-01:71:93 [3] NCCL INFO text", false },
    };
    static const char *const parsers[] = { "plain", "nccl" };
    for (size_t p = 0; p < FF_COUNT(parsers); p++)
        for (size_t i = 0; i < FF_COUNT(rows); i++)
            check_pair(parser_named(parsers[p]), &rows[i]);
}

int main(void)
{
    RUN(next_line_of_a_thread_is_read_as_if_it_were_the_first);
    return DONE();
}
