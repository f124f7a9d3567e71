/* One bundle, however it is packed: folder, archives of all kinds, archives in archives, damaged and hostile ones. */
#include "unit_intake.h"

#define KERNEL_LOG                                                                                                   \
    "Jan  1 00:00:01 gpu-a01 kernel: [   10.000000] one\n"                                                           \
    "Jan  1 00:00:02 gpu-a01 kernel: [   11.000000] NVRM: Xid (PCI:0000:3b:00): 79, gone\n"                          \
    "Jan  1 00:00:03 gpu-a01 kernel: [   12.000000] three\n"

static void make_bundle(void)
{
    shell("rm -rf b && mkdir -p b/n07/deep b/empty");
    write_text("b/n07/kern.log", KERNEL_LOG);
    write_text("b/n07/deep/job.log", "hello\nBOOM 1\nbye\nBOOM 2");
    shell("for i in $(seq 1 300); do echo \"flood $i\"; done > b/n07/flood.log");
    write_text("b/zero", "");
    write_text("b/a.txt", "tick one\ntick two\ntick one\n");
    write_bytes("b/bin", "\x00\x01\x02\x03\xff\xfe\x00\x00\x00\x01\x02\x03\x04\x05\x06\x07\x08", 17);
    shell("find b -exec touch -d @1700000000 {} +");
}

TEST(folder_and_every_archive_of_it_are_the_same)
{
    make_bundle();
    shell("tar cf x.tar b; tar czf b.tgz -C b .; tar cJf whatever.tar.xz b; tar c b | zstd -q -o b.tar.zst;"
          "tar c b | lz4 -q > b.tar.lz4; tar cjf y.tar.bz2 b; find b | cpio -o -H newc --quiet > b.cpio;"
          "(cd b && zip -q -r ../b.zip .); zip -q -r inner.zip b");
    const char *packed[] = { "x.tar",     "b.tgz",  "whatever.tar.xz", "b.tar.zst", "b.tar.lz4",
                             "y.tar.bz2", "b.cpio", "b.zip",           "inner.zip" };
    for (size_t i = 0; i < FF_COUNT(packed); i++)
        for (unsigned jobs = 1; jobs <= 3; jobs++)
            CHECK_SAME("b", 1, packed[i], jobs);
    CHECK_SAME("b", 1, "b/", 4);
    CHECK_SAME("b", 1, "b/../b", 2);
    ff_arena arena;
    ff_evidence e = read_one("x.tar", 2, &arena);
    CHECK_TEXT(e.inputs[0].name, "b");
    CHECK_INT(e.n_members, 6);
    CHECK_TEXT(e.members[0].name, "a.txt");
    CHECK_TEXT(e.members[2].name, "n07/deep/job.log");
    CHECK(strcmp(unread_of(member_named(&e, "zero")), "empty") == 0);
    CHECK(strcmp(unread_of(member_named(&e, "bin")), "binary") == 0);
    CHECK_INT(count_kind(&e, KIND(XID)), 1);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 2);
    CHECK_INT(count_kind(&e, KIND(TICK)), 2);
    CHECK_TEXT(limit_named(&e, "signals of one signature")->where, "n07/flood.log");
    ff_arena_done(&arena);
}

/* 20 logs with 100 lines of a kind: with room for 300 signals each keeps 8, whichever thread comes first. */
TEST(many_floods_share_what_may_be_kept)
{
    shell("rm -rf many && mkdir many && for i in $(seq 20); do for k in $(seq 100); do echo \"flood $k\"; done > "
          "many/$i.log; "
          "echo \"BOOM $i\" >> many/$i.log; done; tar czf many.tgz many");
    bench_most_signals = 300;
    ff_arena arena;
    ff_evidence e = read_one("many", 1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 20);
    CHECK_INT(count_kind(&e, KIND(FLOOD)), 20 * 8);
    const ff_signal *last = signal_of_kind(&e, KIND(FLOOD), 7);
    CHECK_INT(last->at.line, 8);
    CHECK_INT(last->count, 93);
    CHECK_INT(last->last_at.line, 100);
    const ff_limit *limit = limit_named(&e, "signals");
    CHECK(limit && limit->count == 20 * 92);
    ff_arena_done(&arena);
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        CHECK_SAME("many", 1, "many", jobs);
        CHECK_SAME("many", 1, "many.tgz", jobs);
    }
    bench_most_signals = 0;
}

TEST(reports_of_firstfault_are_no_evidence)
{
    shell("rm -rf own && mkdir own && printf '{\\n  \"schema\": \"firstfault.report/1\",\\n\"x\": \"BOOM 1\"}\\n' > "
          "own/r.json;"
          "printf '<!doctype html>\\n<title>firstfault: healthy</title>\\nBOOM 2\\n' > own/r.html;"
          "printf '<!doctype html>\\n<title>other</title>\\nBOOM 3\\n' > own/other.html;"
          "mkdir book && echo 'BOOM 4' > 'book/[Content_Types].xml' && (cd book && zip -q ../own/r.xlsx "
          "'[Content_Types].xml')");
    ff_arena arena;
    ff_evidence e = read_one("own", 2, &arena);
    CHECK_INT(e.n_members, 4);
    CHECK(strcmp(unread_of(member_named(&e, "r.json")), "report of firstfault") == 0);
    CHECK(strcmp(unread_of(member_named(&e, "r.html")), "report of firstfault") == 0);
    CHECK(strcmp(unread_of(member_named(&e, "r.xlsx")), "office document") == 0);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    ff_arena_done(&arena);
}

TEST(seven_zip_is_read)
{
    make_bundle();
    shell("rm -f b.7z; 7z a -bd b.7z b > /dev/null");
    CHECK_SAME("b", 1, "b.7z", 2);
    shell("rm -rf q && mkdir q && cp b.7z q/"); /* inside another it cannot be jumped about in */
    shell("tar cf q.tar q");
    CHECK_SAME("q", 1, "q.tar", 2);
}

TEST(standard_input_and_pipes_are_read)
{
    make_bundle();
    shell("tar czf b.tgz b; (cd b && zip -q -r ../b.zip .); mkfifo fifo; cat b.tgz > fifo &");
    CHECK_SAME("fifo", 2, "b", 1);
    const char *packed[] = { "b.tgz", "b.zip" };
    for (size_t i = 0; i < FF_COUNT(packed); i++) {
        ff_arena arena;
        CHECK(freopen(packed[i], "rb", stdin) != NULL);
        ff_evidence e = read_one("-", 2, &arena);
        CHECK_TEXT(e.members[0].name, "a.txt");
        CHECK_INT(e.n_members, 6);
        CHECK_INT(count_kind(&e, KIND(XID)), 1);
        ff_arena_done(&arena);
    }
}

TEST(member_order_does_not_matter)
{
    make_bundle();
    shell("tar cf fore.tar b/a.txt b/n07/kern.log b/n07/deep/job.log b/zero b/bin;"
          "tar cf back.tar b/bin b/zero b/n07/deep/job.log b/n07/kern.log b/a.txt");
    CHECK_SAME("fore.tar", 1, "back.tar", 3);
}

TEST(a_folder_beside_others_is_not_stripped)
{
    make_bundle();
    shell("mkdir -p c; echo hi > c/x; tar cf two.tar b/a.txt c/x");
    ff_arena arena;
    ff_evidence e = read_one("two.tar", 1, &arena);
    CHECK_TEXT(e.inputs[0].name, "two");
    CHECK_TEXT(e.members[0].name, "b/a.txt");
    CHECK_TEXT(e.members[1].name, "c/x");
    ff_arena_done(&arena);
}

TEST(several_inputs_are_told_apart)
{
    make_bundle();
    shell("mkdir -p other; rm -rf other/b; cp -rp b other/");
    ff_arena arena;
    ff_evidence e;
    CHECK_INT(read_two("b", "other/b", 2, &arena, &e), FF_OK);
    CHECK_TEXT(e.inputs[0].name, "b");
    CHECK_TEXT(e.inputs[1].name, "b~2");
    CHECK_INT(e.n_members, 12);
    CHECK_TEXT(e.members[0].name, "b/a.txt");
    CHECK(member_named(&e, "b~2/n07/kern.log") != NULL);
    CHECK(memcmp(e.inputs[0].sha256, e.inputs[1].sha256, 32) == 0);
    ff_arena_done(&arena);
    CHECK_INT(read_two("b/a.txt", "b/n07/kern.log", 2, &arena, &e), FF_OK);
    CHECK_TEXT(e.members[0].name, "a.txt");
    CHECK_TEXT(e.members[1].name, "kern.log");
    ff_arena_done(&arena);
}

/* Several inputs are read side by side; whoever is done first, the evidence is the same. */
TEST(inputs_read_side_by_side_give_the_same)
{
    make_bundle();
    shell("rm -rf s && mkdir s && tar czf s/one.tgz b && tar cf s/two.tar -C b . && cp -r b s/three");
    ff_text first, other;
    ff_text_init(&first, 0);
    ff_text_init(&other, 0);
    for (unsigned jobs = 1; jobs <= 4; jobs++) {
        const char *inputs[] = { "s/one.tgz", "s/missing", "s/two.tar", "s/three" };
        ff_intake_options options = {
            .inputs = inputs, .n_inputs = FF_COUNT(inputs), .jobs = jobs, .first_signature_kind = FF_FACTS
        };
        ff_error error = { { 0 } };
        ff_arena arena;
        ff_evidence e = { 0 };
        ff_arena_init(&arena);
        CHECK_INT(ff_intake(&options, bench_matcher, bench_signatures, SIGNATURES, &arena, &e, &error), FF_OK);
        other.n = 0;
        dump_evidence(jobs == 1 ? &first : &other, &e);
        CHECK(jobs == 1 || ff_equal(ff_text_view(&first), ff_text_view(&other)));
        CHECK(e.inputs[1].truncated && e.inputs[1].n_notes == 1);
        ff_arena_done(&arena);
    }
    ff_text_done(&first);
    ff_text_done(&other);
}

TEST(archives_in_archives_are_named_by_their_way)
{
    make_bundle();
    shell("rm -rf o && mkdir o && tar czf o/logs.tar.gz -C b n07 && (cd b && zip -q -r ../o/more.zip n07);"
          "gzip -c b/a.txt > o/a.1.gz; xz -c b/a.txt > o/a.2.xz; tar cf o/deep.tar -C o logs.tar.gz; tar cf o.tar o");
    ff_arena arena;
    ff_evidence e = read_one("o", 2, &arena);
    CHECK(member_named(&e, "logs.tar.gz!n07/kern.log") != NULL);
    CHECK(member_named(&e, "more.zip!n07/deep/job.log") != NULL);
    CHECK(member_named(&e, "deep.tar!logs.tar.gz!n07/kern.log") != NULL);
    const ff_member *a = member_named(&e, "a.1.gz"), *b = member_named(&e, "a.2.xz");
    CHECK(a && b && a->bytes == 27 && b->print_low == a->print_low);
    CHECK_INT(e.n_members, 11);
    CHECK_INT(count_kind(&e, KIND(XID)), 3);
    ff_arena_done(&arena);
    CHECK_SAME("o", 2, "o.tar", 2);
}

TEST(all_members_of_a_concatenated_gzip_are_read)
{
    shell("rm -f cat.gz; for i in $(seq 1 300); do echo \"BOOM $i\" | gzip >> cat.gz; done; printf '\\0\\0\\0' >> "
          "cat.gz");
    ff_arena arena;
    ff_evidence e = read_one("cat.gz", 2, &arena);
    CHECK_TEXT(e.members[0].name, "cat.gz");
    CHECK_INT(e.members[0].lines, 300);
    CHECK_INT(e.inputs[0].truncated, 0);
    ff_arena_done(&arena);
}

/* Blocks of 4 KiB, two streams, padding behind them: the same at any number of threads, whole or cut. */
TEST(xz_of_many_blocks_is_read_whole_and_what_stands_before_its_damage)
{
    shell("i=0; while [ $i -lt 20000 ]; do echo \"line $i $(( i * 7919 % 10007 ))\"; i=$((i+1)); done > blocks.log;"
          "xz -c -T2 --block-size=4096 blocks.log > one.xz; cat one.xz one.xz > two.log.xz;"
          "printf '\\0\\0\\0\\0' >> two.log.xz; head -c 60000 one.xz > cut.log.xz;"
          "(head -c 60000 one.xz; printf 'XXXXXXXXXXXXXXXX'; tail -c +60017 one.xz) > hurt.log.xz");
    const char *packed[] = { "two.log.xz", "cut.log.xz", "hurt.log.xz" };
    const char *notes[] = { NULL, "cut.log.xz: truncated xz input", "hurt.log.xz: damaged xz data" };
    for (size_t i = 0; i < FF_COUNT(packed); i++) {
        ff_arena arena;
        ff_evidence e = read_one(packed[i], 8, &arena);
        CHECK_INT(e.n_members, 1);
        CHECK(notes[i] ? e.members[0].lines > 5000 && e.members[0].lines < 20000 : e.members[0].lines == 40000);
        CHECK_INT(e.members[0].truncated, notes[i] != NULL);
        CHECK_INT(e.inputs[0].n_notes, notes[i] != NULL);
        if (notes[i])
            CHECK_TEXT(e.inputs[0].notes[0], notes[i]);
        ff_arena_done(&arena);
        CHECK_SAME(packed[i], 1, packed[i], 8);
    }
}

/* A header may ask for a dictionary of 4 GiB: the bytes of its size are the filter's flags. */
TEST(xz_that_wants_gigabytes_is_told)
{
    shell("echo BOOM 1 | xz -c --lzma2=preset=0,dict=1GiB > large.log.xz");
    ff_arena arena;
    ff_evidence e = read_one("large.log.xz", 8, &arena);
    CHECK_INT(e.n_members, 1);
    CHECK_INT(e.members[0].lines, 0);
    CHECK_TEXT(e.inputs[0].notes[0], "large.log.xz: xz data that wants too large a dictionary");
    ff_arena_done(&arena);
}

TEST(what_stands_before_a_cut_is_kept)
{
    make_bundle();
    shell("rm -rf t && mkdir t && cp b/n07/kern.log t/a.log; i=0; while [ $i -lt 3000 ]; do echo \"line $i $(( i * "
          "7919 % 10007 ))"
          " BOOM $i\"; i=$((i+1)); done > t/b.log; tar cf t.tar -C t a.log b.log; gzip -c t.tar > t.tar.gz;"
          "head -c 9000 t.tar.gz > cut.tar.gz; head -c 20000 t.tar > cut.tar; gzip -c t/b.log | head -c 5000 > "
          "b.log.gz");
    const char *cut[] = { "cut.tar.gz", "cut.tar" };
    for (size_t i = 0; i < FF_COUNT(cut); i++) {
        ff_arena arena;
        ff_evidence e = read_one(cut[i], 2, &arena);
        CHECK_INT(e.n_members, 2);
        const ff_member *a = member_named(&e, "a.log"), *b = member_named(&e, "b.log");
        CHECK(a && !a->truncated && b && b->truncated && b->bytes > 10000);
        CHECK_INT(e.inputs[0].truncated, 1);
        CHECK(e.inputs[0].n_notes > 0);
        CHECK_INT(count_kind(&e, KIND(XID)), 1);
        CHECK(count_kind(&e, KIND(BOOM)) > 200);
        ff_arena_done(&arena);
    }
    ff_arena arena;
    ff_evidence e = read_one("b.log.gz", 1, &arena);
    CHECK(e.n_members == 1 && e.members[0].truncated && e.members[0].lines > 300);
    CHECK(e.inputs[0].n_notes == 1);
    CHECK_TEXT(e.inputs[0].notes[0], "b.log.gz: truncated gzip input");
    ff_arena_done(&arena);
}

TEST(damage_in_the_middle_costs_that_piece_only)
{
    make_bundle();
    shell("tar cf hurt.tar b/a.txt b/n07/deep/job.log b/n07/kern.log;"
          "printf 'XXXX' | dd of=hurt.tar bs=1 seek=1174 conv=notrunc 2>/dev/null"); /* the second header's sum */
    ff_arena arena;
    ff_evidence e = read_one("hurt.tar", 1, &arena);
    CHECK_INT(e.n_members, 2);
    CHECK_INT(count_kind(&e, KIND(XID)), 1);
    CHECK_INT(e.inputs[0].truncated, 1);
    ff_arena_done(&arena);
}

TEST(garbage_that_looks_packed_is_only_noted)
{
    shell("rm -rf g && mkdir g; printf '\\037\\213\\010\\000garbage-garbage-garbage' > g/x.gz;"
          "printf 'PK\\003\\004 this is text, BOOM 5\\n' > g/y.zip; printf '\\375"
          "7zXZ\\000nothing' > g/z.xz;"
          "printf '7z\\274\\257\\047\\034 no' > g/w.7z");
    ff_arena arena;
    ff_evidence e = read_one("g", 2, &arena);
    CHECK_INT(e.n_members, 4);
    CHECK_INT(e.inputs[0].truncated, 1);
    ff_arena_done(&arena);
}

TEST(names_are_never_paths)
{
    shell("rm -rf p && mkdir p && echo 'BOOM 1' > p/f && tar cPf p.tar --transform 's,^p/f,../../x,' p/f;"
          "tar cPf abs.tar --transform 's,^p/f,/etc/ff-unit-none,' p/f");
    ff_arena arena;
    ff_evidence e = read_one("p.tar", 1, &arena);
    CHECK_INT(e.n_members, 1);
    CHECK_TEXT(e.members[0].name, "../../x");
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    ff_arena_done(&arena);
    e = read_one("abs.tar", 1, &arena);
    CHECK_TEXT(e.members[0].name, "/etc/ff-unit-none");
    ff_arena_done(&arena);
    CHECK(access("../../x", F_OK) != 0 && access("/etc/ff-unit-none", F_OK) != 0);
}

TEST(links_pipes_and_loops_are_not_followed)
{
    shell("rm -rf l && mkdir -p l/sub && echo 'BOOM 1' > l/real && ln -s real l/link && ln -s . l/sub/loop && mkfifo "
          "l/pipe;"
          "ln -s /etc/passwd l/out; ln -s nowhere l/dangling; tar cf l.tar l");
    ff_arena arena;
    ff_evidence e = read_one("l", 2, &arena);
    CHECK_INT(e.n_members, 6);
    const char *links[] = { "link", "sub/loop", "pipe", "out", "dangling" };
    for (size_t i = 0; i < FF_COUNT(links); i++)
        CHECK(strcmp(unread_of(member_named(&e, links[i])), "not a regular file") == 0);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    ff_arena_done(&arena);
    CHECK_SAME("l", 1, "l.tar", 2);
}

TEST(a_hard_link_is_read_once_under_its_first_name)
{
    shell(
        "rm -rf h && mkdir h && echo 'BOOM 1' > h/m && ln h/m h/a && tar cf h1.tar h/m h/a && tar cf h2.tar h/a h/m");
    CHECK_SAME("h1.tar", 1, "h2.tar", 1);
    CHECK_SAME("h", 1, "h2.tar", 1);
    ff_arena arena;
    ff_evidence e = read_one("h1.tar", 1, &arena);
    CHECK_INT(count_kind(&e, KIND(BOOM)), 1);
    CHECK(member_named(&e, "a")->bytes == 7);
    ff_arena_done(&arena);
}

TEST(a_name_that_comes_twice_is_told_apart)
{
    shell(
        "rm -rf w && mkdir w && echo 'BOOM 1' > w/f && tar cf w.tar w/f && echo 'BOOM 22' > w/f && tar rf w.tar w/f");
    ff_arena arena;
    ff_evidence e = read_one("w.tar", 1, &arena);
    CHECK_INT(e.n_members, 2);
    CHECK_TEXT(e.members[0].name, "f");
    CHECK_TEXT(e.members[1].name, "f~2");
    ff_arena_done(&arena);
}

TEST(names_in_any_bytes_come_through)
{
    shell("rm -rf u && mkdir u && echo 'BOOM 1' > \"u/gr\303\274n\" && echo 'BOOM 2' > \"$(printf 'u/bad\\377')\";"
          "tar cf u.tar u; tar --format=pax -cf u2.tar u");
    CHECK_SAME("u", 1, "u.tar", 1);
    CHECK_SAME("u", 1, "u2.tar", 1);
}

TEST(what_cannot_be_opened_is_said)
{
    ff_arena arena;
    ff_evidence e;
    CHECK_INT(read_two("nothing-here", NULL, 1, &arena, &e), FF_FATAL);
    ff_arena_done(&arena);
    make_bundle();
    CHECK_INT(read_two("nothing-here", "b", 1, &arena, &e), FF_OK);
    CHECK_INT(e.inputs[0].members, 0);
    CHECK_TEXT(e.inputs[0].notes[0], "not read: no such file");
    CHECK(member_named(&e, "b/a.txt") != NULL);
    ff_arena_done(&arena);
}

int main(void)
{
    bench_open();
    RUN(folder_and_every_archive_of_it_are_the_same);
    RUN(many_floods_share_what_may_be_kept);
    RUN(reports_of_firstfault_are_no_evidence);
    RUN(seven_zip_is_read);
    RUN(standard_input_and_pipes_are_read);
    RUN(member_order_does_not_matter);
    RUN(a_folder_beside_others_is_not_stripped);
    RUN(several_inputs_are_told_apart);
    RUN(inputs_read_side_by_side_give_the_same);
    RUN(archives_in_archives_are_named_by_their_way);
    RUN(all_members_of_a_concatenated_gzip_are_read);
    RUN(xz_of_many_blocks_is_read_whole_and_what_stands_before_its_damage);
    RUN(xz_that_wants_gigabytes_is_told);
    RUN(what_stands_before_a_cut_is_kept);
    RUN(damage_in_the_middle_costs_that_piece_only);
    RUN(garbage_that_looks_packed_is_only_noted);
    RUN(names_are_never_paths);
    RUN(links_pipes_and_loops_are_not_followed);
    RUN(a_hard_link_is_read_once_under_its_first_name);
    RUN(a_name_that_comes_twice_is_told_apart);
    RUN(names_in_any_bytes_come_through);
    RUN(what_cannot_be_opened_is_said);
    return bench_close();
}
