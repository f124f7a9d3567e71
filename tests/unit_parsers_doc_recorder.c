/* Flight Recorder dumps: JSON, and what several ranks show together. All data invented. */
#include <stdarg.h>

#include "doc_catch.h"

extern const ff_parser ff_parser_fr_json;

/* ---- JSON dumps, built ---- */

typedef struct builder {
    char text[65536];
    size_t n;
    int entries, first; /* first: record_id of the first entry */
    const char *ranks;
} builder;

static void add(builder *b, const char *format, ...) FF_PRINTF(2, 3);

static void add(builder *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    b->n += (size_t)vsnprintf(b->text + b->n, sizeof b->text - b->n, format, args);
    va_end(args);
}

static builder *begin(const char *ranks)
{
    static builder b;
    b.n = 0;
    b.entries = b.first = 0;
    b.ranks = ranks;
    add(&b, "{\"entries\":[");
    return &b;
}

#define SECOND INT64_C(1000000000)
#define T0 (INT64_C(1764500000) * SECOND)

static void entry(builder *b, const char *group, int seq, const char *op, const char *in, const char *out,
                  const char *state, double at_s)
{
    bool done = strcmp(state, "completed") == 0;
    add(b,
        "%s{\"record_id\":%d,\"pg_id\":%d,\"process_group\":[\"%s\",\"\"],\"collective_seq_id\":%d,\"p2p_seq_id\":0,"
        "\"op_id\":%d,"
        "\"profiling_name\":\"nccl:%s\",\"time_created_ns\":%lld,\"duration_ms\":1.0,\"input_sizes\":%s,\"input_"
        "dtypes\":[\"Float\"],"
        "\"output_sizes\":%s,\"output_dtypes\":[\"Float\"],\"state\":\"%s\",\"time_discovered_started_ns\":0,"
        "\"time_discovered_completed_ns\":%lld,\"retired\":%s,\"timeout_ms\":10000,\"is_p2p\":false,"
        "\"frames\":[{\"name\":\"all_reduce\",\"filename\":\"/x/site-packages/torch/distributed/"
        "c10d.py\",\"line\":9},"
        "{\"name\":\"step\",\"filename\":\"/srv/job/train.py\",\"line\":%d}]}",
        b->entries ? "," : "", b->first + b->entries, atoi(group), group, seq, seq, op,
        (long long)(T0 + (int64_t)(at_s * 1e9)), in, out, state,
        done ? (long long)(T0 + (int64_t)(at_s * 1e9) + 1000000) : 0LL, done ? "true" : "false", 100 + seq);
    b->entries++;
}

static void p2p(builder *b, const char *name, int seq, const char *state, double at_s)
{
    add(b,
        "%s{\"record_id\":%d,\"pg_id\":0,\"process_group\":[\"0\",\"\"],\"collective_seq_id\":0,\"p2p_seq_id\":%d,"
        "\"profiling_name\":\"nccl:%s\",\"time_created_ns\":%lld,\"input_sizes\":[[8]],\"output_sizes\":[[8]],"
        "\"state\":\"%s\","
        "\"retired\":%s,\"timeout_ms\":10000,\"is_p2p\":true}",
        b->entries ? "," : "", b->entries, seq, name, (long long)(T0 + (int64_t)(at_s * 1e9)), state,
        strcmp(state, "completed") ? "false" : "true");
    b->entries++;
}

static void done(builder *b, int rank, const char *more)
{
    char name[64];
    snprintf(name, sizeof name, "dumps/fr_rank_%d.json", rank);
    add(b,
        "],\"pg_config\":{\"0\":{\"name\":\"0\",\"desc\":\"default_pg\",\"ranks\":\"%s\"}%s},\"version\":\"2.10\"}",
        b->ranks, more);
    CHECK_INT(catch_parse(&ff_parser_fr_json, name, (ff_bytes){ b->text, b->n }), FF_OK);
}

#define SIZES "[[4,16]]"

static void rank_with(int rank, int n, const char *last)
{
    builder *b = begin("[0, 1, 2, 3]");
    for (int i = 1; i <= n; i++)
        entry(b, "0", i, "all_reduce", SIZES, SIZES, i == n ? last : "completed", i);
    done(b, rank, "");
}

TEST(dump_becomes_rows)
{
    catch_reset();
    rank_with(2, 3, "started");
    CHECK_INT(got.dumps.n, 1);
    const ff_dump *d = got.dumps.at[0];
    CHECK_INT(d->rank, 2);
    CHECK_INT(got.member_rank, 2);
    CHECK_TEXT(d->version, "2.10");
    CHECK_TEXT(d->backend, "nccl");
    CHECK(d->timing);
    CHECK_INT(d->n_groups, 1);
    CHECK_INT(d->groups[0].n_ranks, 4);
    CHECK_INT(d->n_entries, 3);
    const ff_fr_entry *e = &d->entries[2];
    CHECK_INT(e->seq, 3);
    CHECK_TEXT(e->call->op, "all_reduce");
    CHECK(memcmp(begin("")->text + e->offset, "all_reduce", 10) == 0); /* the builder's bytes are still there */
    CHECK_TEXT(e->call->in_sizes, "[[4, 16]]");
    CHECK_INT(e->call->in_numel, 64);
    CHECK_TEXT(e->call->dtypes, "Float");
    CHECK_TEXT(e->call->frame, "step at train.py:103");
    CHECK_INT(e->state, FF_FR_STARTED);
    CHECK_INT(d->times[2].created_ns, T0 + 3 * SECOND);
    const ff_fact *f = nth_fact(FF_FACT_FR_DUMP, 0);
    CHECK_INT(field_int(f, "entries"), 3);
    CHECK_INT(field_int(f, "rank"), 2);
}

TEST(ranks_come_from_names)
{
    static const struct {
        const char *name;
        int32_t rank;
    } rows[] = {
        { "a/nccl_trace_rank_trn-a17_5", 5 },       { "x.tar!b/_dump_12.json", 12 },        { "fr_rank0.pkl", 0 },
        { "comm_lib_trace_rank_-1", FF_NO_NUMBER }, { "dump_20260101.json", FF_NO_NUMBER }, { "dump", FF_NO_NUMBER }
    };
    static const char text[] = "{\"entries\":[],\"version\":\"2.10\"}";
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        catch_reset();
        CHECK_INT(catch_parse(&ff_parser_fr_json, rows[i].name, FF_LIT(text)), FF_OK);
        CHECK_INT(got.dumps.at[0]->rank, rows[i].rank);
    }
}

TEST(rank_in_the_content_comes_before_the_name)
{
    static const struct {
        const char *text;
        int32_t rank;
    } rows[] = {
        { "{\"rank\":3,\"pg_config\":{\"0\":{\"name\":\"0\",\"ranks\":\"[0, 1, 2, 3]\"}},\"entries\":[]}", 3 },
        { "{\"rank\":\"2\",\"pg_config\":{\"0\":{\"name\":\"0\",\"ranks\":\"[0, 1, 2, 3]\"}},\"entries\":[]}", 2 },
        { "{\"rank\":7,\"pg_config\":{\"0\":{\"name\":\"0\",\"ranks\":\"[0, 1, 2, 3]\"}},\"entries\":[]}", 1 },
        { "{\"pg_config\":{\"0\":{\"name\":\"0\",\"ranks\":\"[0, 1, 2, 3]\"}},\"entries\":[]}", 1 },
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        catch_reset();
        CHECK_INT(catch_parse(&ff_parser_fr_json, "nccl_trace_rank_1", ff_str(rows[i].text)), FF_OK);
        CHECK_INT(got.dumps.at[0]->rank, rows[i].rank);
    }
}

TEST(old_versions_are_read)
{
    static const char v14[] =
        "{\"version\":\"1.4\",\"pg_config\":{\"0\":[0,1],\"1\":[1]},\"entries\":[{\"record_id\":0,\"pg_id\":0,"
        "\"seq_id\":4,\"profiling_name\":\"nccl:broadcast\",\"input_sizes\":[[2]],\"state\":\"scheduled\"}]}";
    static const char list[] = "[{\"seq_id\":9,\"profiling_name\":\"nccl:all_reduce\",\"time_created_us\":"
                               "1764500000000001,\"state\":\"completed\"}]";
    catch_reset();
    CHECK_INT(catch_parse(&ff_parser_fr_json, "rank_1", FF_LIT(v14)), FF_OK);
    CHECK_INT(got.dumps.at[0]->entries[0].seq, 4);
    CHECK_INT(got.dumps.at[0]->groups[got.dumps.at[0]->entries[0].group].n_ranks, 2);
    CHECK_INT(catch_parse(&ff_parser_fr_json, "rank_2", FF_LIT(list)), FF_OK);
    CHECK_INT(got.dumps.at[1]->entries[0].seq, 9);
    CHECK_INT(got.dumps.at[1]->times[0].created_ns, INT64_C(1764500000000001000));
}

TEST(healthy_dumps_say_nothing)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_with(r, 5, "completed");
    catch_align();
    CHECK_INT(got.facts.n, 4);
    CHECK_INT(count_facts(FF_FACT_FR_DUMP), 4);
}

TEST(missing_rank_is_the_one_whose_dump_ends_before)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_with(r, r == 2 ? 4 : 5, r == 2 ? "completed" : "started");
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 1);
    const ff_fact *f = nth_fact(FF_FACT_FR_MISSING, 0);
    CHECK_INT(f->who.rank, 2);
    CHECK_INT(field_int(f, "rank"), 2);
    CHECK_INT(field_int(f, "seq"), 5);
    CHECK_INT(field_int(f, "last_seq"), 4);
    CHECK_TEXT(field_text(f, "op"), "all_reduce");
    CHECK_TEXT(field_text(f, "waiting"), "0,1,3");
    CHECK_INT(field_int(f, "n_waiting"), 3);
    CHECK_TEXT(field_text(f, "last_frame"), "step at train.py:104");
    CHECK_TEXT(field_text(f, "waiting_frame"), "step at train.py:105");
    CHECK_INT(field_int(f, "timeout_ms"), 10000);
    CHECK_INT(field_int(f, "dump_missing"), 0);
    CHECK_TEXT(f->quote, "all_reduce");
    CHECK_INT(count_facts(FF_FACT_FR_STALLED) + count_facts(FF_FACT_FR_INCOMPLETE) +
                  count_facts(FF_FACT_FR_OP_MISMATCH),
              0);
}

TEST(rank_without_dump_is_not_called_missing)
{
    catch_reset();
    for (int r = 0; r < 3; r++)
        rank_with(r, 5, "started");
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 0);
    const ff_fact *f = nth_fact(FF_FACT_FR_INCOMPLETE, 0);
    CHECK_TEXT(field_text(f, "ranks"), "3");
    CHECK_INT(field_int(f, "rank"), 3);
    CHECK_INT(field_int(f, "seq"), 5);
    CHECK_TEXT(field_text(f, "waiting"), "0-2");
}

TEST(all_joined_and_nobody_finished_is_a_stall)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_with(r, 5, "started");
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_STALLED), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_STALLED, 0), "n_waiting"), 4);
    CHECK_INT(got.facts.n, 5);
}

static void rank_ends_with(int rank, const char *op, const char *in, const char *out)
{
    builder *b = begin("[0, 1, 2, 3]");
    entry(b, "0", 1, "all_reduce", SIZES, SIZES, "completed", 1);
    entry(b, "0", 2, op, in, out, "started", 2);
    done(b, rank, "");
}

TEST(majority_decides_who_is_odd)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, r == 0 ? "all_gather" : "all_reduce", SIZES, r == 0 ? "[[4,64]]" : SIZES);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_OP_MISMATCH), 1);
    const ff_fact *f = nth_fact(FF_FACT_FR_OP_MISMATCH, 0);
    CHECK_INT(f->who.rank, 0);
    CHECK_TEXT(field_text(f, "op"), "all_gather");
    CHECK_TEXT(field_text(f, "majority_op"), "all_reduce");
    CHECK_TEXT(field_text(f, "ranks"), "0");
    CHECK_INT(field_int(f, "seq"), 2);
    CHECK_INT(count_facts(FF_FACT_FR_MISSING) + count_facts(FF_FACT_FR_STALLED), 0);
}

TEST(tie_blames_nobody)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, r < 2 ? "all_gather" : "all_reduce", SIZES, SIZES);
    catch_align();
    const ff_fact *f = nth_fact(FF_FACT_FR_OP_MISMATCH, 0);
    CHECK_INT(f->who.rank, FF_NO_NUMBER);
    CHECK_INT(field_int(f, "majority"), 0);
    CHECK_TEXT(field_text(f, "ranks"), "0,1,2,3");
}

TEST(sizes_follow_each_operations_rule)
{
    catch_reset(); /* same number of elements in another shape is the same */
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, "all_reduce", r ? "[[64]]" : SIZES, r ? "[[64]]" : SIZES);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_SHAPE_MISMATCH), 0);
    catch_reset(); /* another number is not */
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, "all_reduce", r == 3 ? "[[65]]" : SIZES, r == 3 ? "[[65]]" : SIZES);
    catch_align();
    const ff_fact *f = nth_fact(FF_FACT_FR_SHAPE_MISMATCH, 0);
    CHECK_INT(f->who.rank, 3);
    CHECK_TEXT(field_text(f, "sizes"), "[[65]] Float");
    CHECK_TEXT(field_text(f, "majority_sizes"), "[[4, 16]] Float");
    catch_reset(); /* all_to_all and the output of gather may differ */
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, "all_to_all", r ? "[[64]]" : "[[1]]", r == 1 ? "[[1]]" : "[[64]]");
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_SHAPE_MISMATCH), 0);
    catch_reset();
    for (int r = 0; r < 4; r++)
        rank_ends_with(r, "gather", SIZES, r ? "[]" : "[[256]]");
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_SHAPE_MISMATCH), 0);
}

TEST(own_rule_breaks_a_tie)
{
    catch_reset();
    for (int r = 0; r < 2; r++) {
        builder *b = begin("[0, 1]");
        entry(b, "0", 1, "_all_gather_base", r ? "[[8]]" : "[[4]]", "[[8]]", "started", 1);
        done(b, r, "");
    }
    catch_align();
    CHECK_INT(nth_fact(FF_FACT_FR_SHAPE_MISMATCH, 0)->who.rank, 1);
}

TEST(turns_older_than_the_ring_are_unknown)
{
    catch_reset();
    for (int r = 0; r < 2; r++) {
        builder *b = begin("[0, 1]");
        b->first = r ? 0 : 4;
        for (int i = r ? 1 : 5; i <= 8; i++)
            entry(b, "0", i, "all_reduce", SIZES, SIZES, r && i < 3 ? "scheduled" : "completed", i);
        done(b, r, "");
    }
    catch_align();
    CHECK_INT(got.facts.n, 2);
}

TEST(wait_chain_leads_to_its_head)
{
    /* 0 waits for 1 in group 0; 1 waits for 2 in group 1; 2 does nothing. Only 2 is missing. */
    static const char more[] = ",\"1\":{\"name\":\"1\",\"desc\":\"tp\",\"ranks\":\"[1, 2]\"}";
    catch_reset();
    builder *b = begin("[0, 1]");
    entry(b, "0", 1, "all_reduce", SIZES, SIZES, "started", 1);
    done(b, 0, "");
    b = begin("[0, 1]");
    entry(b, "1", 1, "all_reduce", SIZES, SIZES, "started", 1);
    done(b, 1, more);
    b = begin("[2, 3]");
    add(b, " ");
    done(b, 2, more);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 1);
    CHECK_INT(nth_fact(FF_FACT_FR_MISSING, 0)->who.rank, 2);
    CHECK_INT(count_facts(FF_FACT_FR_WAITS), 1);
    CHECK_INT(nth_fact(FF_FACT_FR_WAITS, 0)->who.rank, 1);
    CHECK_TEXT(field_text(nth_fact(FF_FACT_FR_WAITS, 0), "waits_in"), "1");
}

TEST(groups_entered_in_other_order_are_a_mismatch)
{
    static const char more[] = ",\"1\":{\"name\":\"1\",\"desc\":\"tp\",\"ranks\":\"[0, 1]\"}";
    catch_reset();
    builder *b = begin("[0, 1]");
    entry(b, "0", 1, "all_reduce", SIZES, SIZES, "started", 1);
    done(b, 0, more);
    b = begin("[0, 1]");
    entry(b, "1", 1, "broadcast", SIZES, SIZES, "started", 1);
    done(b, 1, more);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_OP_MISMATCH), 1);
    CHECK_TEXT(field_text(nth_fact(FF_FACT_FR_OP_MISMATCH, 0), "kind"), "order");
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 0);
}

TEST(receive_without_send_names_the_sender)
{
    catch_reset();
    builder *b = begin("[0, 1]");
    p2p(b, "recv 0<-1", 1, "started", 1);
    done(b, 0, "");
    b = begin("[0, 1]");
    entry(b, "0", 1, "all_reduce", SIZES, SIZES, "completed", 0);
    done(b, 1, "");
    catch_align();
    bool found = false;
    for (uint32_t i = 0; i < count_facts(FF_FACT_FR_MISSING); i++)
        found = found || (nth_fact(FF_FACT_FR_MISSING, i)->who.rank == 1 &&
                          field_int(nth_fact(FF_FACT_FR_MISSING, i), "p2p") == 1);
    CHECK(found);
}

TEST(newest_dump_of_a_rank_counts)
{
    catch_reset();
    rank_with(0, 3, "started"); /* an earlier dump of the same rank */
    for (int r = 0; r < 4; r++)
        rank_with(r, 6, "completed");
    catch_align();
    CHECK_INT(got.facts.n, 5);
}

TEST(hostile_json_dumps_end_cleanly)
{
    builder *b = begin("[0, 1]");
    entry(b, "0", 1, "all_reduce", SIZES, SIZES, "started", 1);
    p2p(b, "send 0->1", 1, "scheduled", 2);
    add(b, "],\"pg_status\":{\"0\":{\"last_enqueued_collective\":\"1\"}},\"pg_config\":{\"0\":{\"ranks\":\"%s\"}}}",
        b->ranks);
    catch_every_cut(&ff_parser_fr_json, "fr_rank_0.json", (ff_bytes){ b->text, b->n });
}

int main(void)
{
    RUN(dump_becomes_rows);
    RUN(ranks_come_from_names);
    RUN(rank_in_the_content_comes_before_the_name);
    RUN(old_versions_are_read);
    RUN(healthy_dumps_say_nothing);
    RUN(missing_rank_is_the_one_whose_dump_ends_before);
    RUN(rank_without_dump_is_not_called_missing);
    RUN(all_joined_and_nobody_finished_is_a_stall);
    RUN(majority_decides_who_is_odd);
    RUN(tie_blames_nobody);
    RUN(sizes_follow_each_operations_rule);
    RUN(own_rule_breaks_a_tie);
    RUN(turns_older_than_the_ring_are_unknown);
    RUN(wait_chain_leads_to_its_head);
    RUN(groups_entered_in_other_order_are_a_mismatch);
    RUN(receive_without_send_names_the_sender);
    RUN(newest_dump_of_a_rank_counts);
    RUN(hostile_json_dumps_end_cleanly);
    catch_reset();
    return DONE();
}
