/* Inputs that would like to be more than they may: each ends at its cap, and the cap is named. Where the cap is too
 * large for a test, it is lowered. */
#include "unit_intake.h"

static ff_evidence read_at_most(const char *input, uint32_t members, uint64_t bytes, unsigned jobs, ff_arena *arena)
{
    const char *inputs[] = { input };
    ff_intake_options options = { .inputs = inputs,
                                  .n_inputs = 1,
                                  .jobs = jobs,
                                  .first_signature_kind = FF_FACTS,
                                  .most_members = members,
                                  .most_bytes = bytes };
    ff_error error = { { 0 } };
    ff_evidence e = { 0 };
    ff_arena_init(arena);
    CHECK_INT(ff_intake(&options, bench_matcher, bench_signatures, SIGNATURES, arena, &e, &error), FF_OK);
    return e;
}

TEST(archives_deeper_than_the_cap_stay_closed)
{
    shell("rm -rf d && mkdir d && echo 'BOOM 1' > d/x && tar cf d/1.tar -C d x && rm d/x;"
          "cd d; for i in 2 3 4 5 6 7 8; do tar cf $i.tar $((i-1)).tar; rm $((i-1)).tar; done");
    ff_arena arena;
    ff_evidence e = read_one("d/8.tar", 1, &arena);
    CHECK_INT(e.n_members, 1);
    CHECK(limit_named(&e, "archive depth") != NULL);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 0);
    ff_arena_done(&arena);
    e = read_one("d", 1, &arena);
    CHECK_INT(e.n_members, 1);
    ff_arena_done(&arena);
}

TEST(bombs_end_at_the_ratio)
{
    /* A quarter of a gigabyte of zeros, packed twice, is a few kilobytes. */
    shell("rm -rf z && mkdir z; head -c 250000000 /dev/zero | gzip -9 | gzip -9 > z/bomb.gz; tar cf z.tar z");
    ff_arena arena;
    ff_evidence e = read_one("z", 1, &arena);
    CHECK(limit_named(&e, "unpacked to packed ratio") != NULL);
    CHECK_INT(e.inputs[0].truncated, 1);
    CHECK(e.members[0].bytes < 200000000);
    ff_arena_done(&arena);
}

TEST(sparse_files_end_somewhere)
{
    shell("rm -rf s && mkdir s && echo 'BOOM 1' > s/big && truncate -s 4T s/big && echo 'BOOM 2' > s/small;"
          "truncate -s 100000 s/small; echo 'BOOM 3' >> s/small; tar cSf s.tar s");
    ff_arena arena;
    ff_evidence e = read_one("s", 1, &arena);
    CHECK(member_named(&e, "big")->truncated);
    CHECK_INT(e.inputs[0].truncated, 1);
    uint64_t low = member_named(&e, "small")->print_low;
    CHECK_INT(member_named(&e, "small")->bytes, 100007);
    ff_arena_done(&arena);
    e = read_one("s.tar", 2, &arena);
    CHECK(member_named(&e, "small")->print_low == low);
    CHECK(member_named(&e, "big")->truncated);
    ff_arena_done(&arena);
}

TEST(members_end_at_their_number)
{
    shell("rm -rf n && mkdir n; for i in $(seq 100 139); do echo \"BOOM $i\" > n/$i; done; tar cf n.tar n; zip -qr "
          "n.zip n");
    const char *inputs[] = { "n.tar", "n.zip", "n" };
    for (size_t i = 0; i < FF_COUNT(inputs); i++) {
        ff_arena arena;
        ff_evidence e = read_at_most(inputs[i], 25, 0, 1, &arena);
        CHECK_INT(e.n_members, 25);
        CHECK_INT(count_kind(&e, KIND(BOOM)), 25);
        CHECK(limit_named(&e, "members") != NULL);
        CHECK_INT(e.inputs[0].truncated, 1);
        ff_arena_done(&arena);
        e = read_at_most(inputs[i], 40, 0, 2, &arena);
        CHECK_INT(e.n_members, 40);
        CHECK(limit_named(&e, "members") == NULL);
        ff_arena_done(&arena);
    }
}

/* A stream without end, bare and packed, alone and as an entry of an archive that never ends. */
TEST(a_stream_without_end_ends_at_its_bytes)
{
    const char *streams[] = { "yes 'BOOM 1'", "yes 'BOOM 1' | gzip -1", "yes 'BOOM 1' | zstd -q",
                              "{ tar cf - --record-size=512 x | head -c 1024; yes 'BOOM 1'; }" };
    shell("echo 'BOOM 0' > x; truncate -s 8G x");
    for (size_t i = 0; i < FF_COUNT(streams); i++) {
        char command[256];
        (void)snprintf(command, sizeof command, "rm -f endless; mkfifo endless; (%s > endless) 2>/dev/null &",
                       streams[i]);
        shell(command);
        ff_arena arena;
        ff_evidence e = read_at_most("endless", 0, 8 << 20, 1 + i % 2, &arena);
        CHECK_INT(e.n_members, 1);
        CHECK(limit_named(&e, "bytes unpacked") != NULL);
        CHECK_INT(e.inputs[0].truncated, 1);
        CHECK(e.members[0].bytes > (6 << 20) && e.members[0].bytes < (12 << 20));
        CHECK(count_kind(&e, KIND(BOOM)) > 0);
        ff_arena_done(&arena);
    }
}

int main(void)
{
    bench_open();
    RUN(archives_deeper_than_the_cap_stay_closed);
    RUN(bombs_end_at_the_ratio);
    RUN(sparse_files_end_somewhere);
    RUN(members_end_at_their_number);
    RUN(a_stream_without_end_ends_at_its_bytes);
    return bench_close();
}
