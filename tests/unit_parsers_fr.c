/* Alignment of Flight Recorder dumps over several groups: waits that lead on, circles, votes, what cut dumps prove.
 */
#include <stdarg.h>

#include "doc_catch.h"

extern const ff_parser ff_parser_fr_json;

typedef struct writer {
    char text[32768];
    size_t n;
    int entries, first;
} writer;

static writer w;

static void put(const char *format, ...) FF_PRINTF(1, 2);

static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    w.n += (size_t)vsnprintf(w.text + w.n, sizeof w.text - w.n, format, args);
    va_end(args);
}

static void begin(int first)
{
    w.n = 0;
    w.entries = 0;
    w.first = first;
    put("{\"entries\":[");
}

static void entry(int group, int seq, const char *name, const char *sizes, const char *state, double at_ms,
                  double took_ms)
{
    bool done = strcmp(state, "completed") == 0, p2p = strchr(name, ' ') != NULL;
    int64_t created = INT64_C(1764500000000000000) + (int64_t)(at_ms * 1e6);
    put("%s{\"record_id\":%d,\"pg_id\":%d,\"process_group\":[\"%d\",\"\"],\"collective_seq_id\":%d,\"p2p_seq_id\":%d,"
        "\"profiling_name\":\"nccl:%s\",\"time_created_ns\":%lld,\"input_sizes\":%s,\"input_dtypes\":[\"Float\"],"
        "\"output_sizes\":%s,\"output_dtypes\":[\"Float\"],\"state\":\"%s\",\"retired\":%s,\"timeout_ms\":10000,"
        "\"is_p2p\":%s",
        w.entries ? "," : "", w.first + w.entries, group, group, p2p ? 0 : seq, p2p ? seq : 0, name,
        (long long)created, sizes, sizes, state, done ? "true" : "false", p2p ? "true" : "false");
    if (done)
        put(",\"duration_ms\":%.3f,\"time_discovered_completed_ns\":%lld", took_ms,
            (long long)(created + (int64_t)(took_ms * 1e6)));
    put("}");
    w.entries++;
}

/* groups: "0:[0, 1]" pairs as they stand in pg_config. */
static void end(int rank, const char *config)
{
    char name[64];
    snprintf(name, sizeof name, "fr_rank_%d.json", rank);
    put("],\"pg_config\":{%s},\"version\":\"2.10\"}", config);
    CHECK_INT(catch_parse(&ff_parser_fr_json, name, (ff_bytes){ w.text, w.n }), FF_OK);
}

#define G(name, ranks) "\"" name "\":{\"name\":\"" name "\",\"desc\":\"\",\"ranks\":\"" ranks "\"}"
#define S "[[8]]"

TEST(rank_that_sits_in_a_receive_is_not_missing)
{
    /* 0 and 1 reduce; 1 still waits to receive from 2, and 2 does nothing. */
    catch_reset();
    begin(0);
    entry(0, 1, "all_reduce", S, "started", 1, 0);
    end(0, G("0", "[0, 1]"));
    begin(0);
    entry(1, 1, "recv 0<-1", S, "started", 1, 0);
    end(1, G("0", "[0, 1]") "," G("1", "[1, 2]"));
    begin(0);
    entry(2, 1, "barrier", S, "completed", 0, 1);
    end(2, G("1", "[1, 2]") "," G("2", "[2, 3]"));
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 1);
    CHECK_INT(nth_fact(FF_FACT_FR_MISSING, 0)->who.rank, 2);
    CHECK_INT(count_facts(FF_FACT_FR_WAITS), 1);
    CHECK_INT(nth_fact(FF_FACT_FR_WAITS, 0)->who.rank, 1);
}

static void reduce_until(int rank, int n, const char *last, int keep)
{
    begin(0);
    for (int i = 1; i <= n; i++)
        entry(0, i, "all_reduce", S, i == n ? last : "completed", i, 1);
    if (keep) {
        char name[64];
        snprintf(name, sizeof name, "fr_rank_%d.json", rank);
        w.n -= (size_t)keep;
        CHECK_INT(catch_parse(&ff_parser_fr_json, name, (ff_bytes){ w.text, w.n }), FF_OK);
        return;
    }
    end(rank, G("0", "[0, 1, 2]"));
}

TEST(cut_dump_is_no_proof)
{
    catch_reset();
    reduce_until(0, 5, "started", 0);
    reduce_until(1, 5, "started", 0);
    reduce_until(2, 5, "started", 300); /* cut inside its last entry */
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_MISSING), 0);
    CHECK_INT(count_facts(FF_FACT_FR_STALLED), 0);
    CHECK_INT(count_facts(FF_FACT_FR_OP_MISMATCH), 0);
}

TEST(silent_members_could_turn_the_vote)
{
    /* 2 : 1 of five members: the two without a dump could side with the one. */
    for (int members = 3; members <= 5; members += 2) {
        const char *config = members == 3 ? G("0", "[0, 1, 2]") : G("0", "[0, 1, 2, 3, 4]");
        catch_reset();
        for (int r = 0; r < 3; r++) {
            begin(0);
            entry(0, 1, r == 2 ? "broadcast" : "all_reduce", S, "started", 1, 0);
            end(r, config);
        }
        catch_align();
        CHECK_INT(count_facts(FF_FACT_FR_OP_MISMATCH), 1);
        CHECK_INT(field_int(nth_fact(FF_FACT_FR_OP_MISMATCH, 0), "majority"), members == 3);
    }
}

TEST(skipped_operation_is_named_so)
{
    static const char *const names[] = { "all_reduce", "broadcast", "all_gather", "barrier" };
    catch_reset();
    for (int r = 0; r < 3; r++) {
        begin(0);
        for (int i = 0, seq = 1; i < 4; i++)
            if (r != 1 || i != 1)
                entry(0, seq++, names[i], S, i < 1 ? "completed" : "started", i, 1);
        end(r, G("0", "[0, 1, 2]"));
    }
    catch_align();
    const ff_fact *f = nth_fact(FF_FACT_FR_OP_MISMATCH, 0);
    CHECK_INT(f->who.rank, 1);
    CHECK_TEXT(field_text(f, "kind"), "skipped");
}

TEST(two_roots_of_a_gather)
{
    catch_reset();
    for (int r = 0; r < 3; r++) {
        begin(0);
        put("{\"record_id\":0,\"pg_id\":0,\"process_group\":[\"0\",\"\"],\"collective_seq_id\":1,\"profiling_name\":"
            "\"nccl:gather\",\"input_sizes\":[[4]],\"output_sizes\":%s,\"state\":\"started\"}",
            r < 2 ? "[[4],[4],[4]]" : "[[0]]");
        end(r, G("0", "[0, 1, 2]"));
    }
    catch_align();
    CHECK_TEXT(field_text(nth_fact(FF_FACT_FR_SHAPE_MISMATCH, 0), "kind"), "root");
}

static void pace(int rank, int n, double mine)
{
    begin(0);
    for (int i = 1; i <= n; i++)
        entry(0, i, "all_reduce", S, "completed", i * 100 + rank, mine);
    end(rank, G("0", "[0, 1, 2, 3]"));
}

TEST(last_one_in_has_the_shortest_operations)
{
    catch_reset();
    for (int r = 0; r < 4; r++)
        pace(r, 12, r == 2 ? 1 : 61);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_STRAGGLER), 1);
    CHECK_INT(nth_fact(FF_FACT_FR_STRAGGLER, 0)->who.rank, 2);
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_STRAGGLER, 0), "behind_ms"), 60);
    catch_reset(); /* everyday differences are none */
    for (int r = 0; r < 4; r++)
        pace(r, 12, r == 2 ? 1 : 5);
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_STRAGGLER), 0);
}

TEST(same_operation_that_became_slow)
{
    catch_reset();
    for (int r = 0; r < 2; r++) {
        begin(0);
        for (int i = 1; i <= 24; i++)
            entry(0, i, "all_reduce", S, "completed", i * 100, i > 20 ? 80 : 2);
        end(r, G("0", "[0, 1]"));
    }
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_SLOW_TAIL), 1);
}

TEST(call_that_did_not_return_is_behind)
{
    catch_reset();
    for (int r = 0; r < 3; r++) {
        begin(0);
        entry(0, 1, "all_reduce", S, "completed", 0, 1);
        entry(0, 2, "all_reduce", S, "scheduled", 5, 0);
        put("],\"pg_status\":{\"0\":{\"last_enqueued_collective\":\"%d\",\"last_started_collective\":\"1\","
            "\"last_completed_collective\":\"1\"}},\"x\":[",
            r == 1 ? 1 : 2);
        end(r, G("0", "[0, 1, 2]"));
    }
    catch_align();
    CHECK_TEXT(field_text(nth_fact(FF_FACT_FR_STALLED, 0), "lag"), "enqueued");
    CHECK_TEXT(field_text(nth_fact(FF_FACT_FR_STALLED, 0), "behind"), "1");
}

TEST(members_that_do_not_agree_on_their_group)
{
    catch_reset();
    for (int r = 0; r < 4; r++) {
        begin(0);
        entry(1, 1, "all_reduce", S, "started", 1, 0);
        end(r, r == 2 ? G("1", "[1, 2, 3]") : G("1", "[0, 1, 2, 3]"));
    }
    catch_align();
    const ff_fact *f = nth_fact(FF_FACT_FR_OP_MISMATCH, 0);
    CHECK_TEXT(field_text(f, "kind"), "members");
    CHECK_INT(f->who.rank, 2);
    CHECK_TEXT(field_text(f, "odd_list"), "1-3");
    catch_reset(); /* the halves of a split group have one name, and are two groups */
    for (int r = 0; r < 4; r++) {
        begin(0);
        entry(1, 1, "all_reduce", S, "started", 1, 0);
        end(r, r < 2 ? G("1", "[0, 1]") : G("1", "[2, 3]"));
    }
    catch_align();
    CHECK_INT(count_facts(FF_FACT_FR_OP_MISMATCH), 0);
}

static void exchange(int rank, const char *in, const char *out)
{
    begin(0);
    put("{\"record_id\":0,\"pg_id\":0,\"process_group\":[\"0\",\"\"],\"collective_seq_id\":1,\"profiling_name\":"
        "\"nccl:all_to_all\",\"input_sizes\":%s,\"output_sizes\":%s,\"state\":\"started\"}",
        in, out);
    end(rank, G("0", "[0, 1, 2]"));
}

TEST(parts_of_an_exchange_that_do_not_fit)
{
    catch_reset(); /* 1 sends to both others what neither expects */
    exchange(0, "[[1],[2],[3]]", "[[1],[4],[7]]");
    exchange(1, "[[5],[5],[9]]", "[[2],[5],[8]]");
    exchange(2, "[[7],[8],[9]]", "[[3],[6],[9]]");
    catch_align();
    const ff_fact *f = nth_fact(FF_FACT_FR_SHAPE_MISMATCH, 0);
    CHECK_TEXT(field_text(f, "kind"), "exchange");
    CHECK_INT(f->who.rank, 1);
    catch_reset(); /* one pair, and nobody knows who of them is right */
    exchange(0, "[[1],[2],[3]]", "[[1],[4],[7]]");
    exchange(1, "[[5],[5],[6]]", "[[2],[5],[8]]");
    exchange(2, "[[7],[8],[9]]", "[[3],[6],[9]]");
    catch_align();
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_SHAPE_MISMATCH, 0), "majority"), 0);
}

TEST(how_many_of_the_waiting_are_known_to_have_queued)
{
    catch_reset();
    for (int r = 0; r < 2; r++) {
        begin(0);
        entry(0, 1, "all_reduce", S, r ? "scheduled" : "started", 1, 0);
        end(r, G("0", "[0, 1, 2]"));
    }
    catch_align();
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_INCOMPLETE, 0), "n_ranks"), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_INCOMPLETE, 0), "n_queued"), 1);
    CHECK_INT(field_int(nth_fact(FF_FACT_FR_INCOMPLETE, 0), "circle"), 0);
}

int main(void)
{
    RUN(members_that_do_not_agree_on_their_group);
    RUN(parts_of_an_exchange_that_do_not_fit);
    RUN(how_many_of_the_waiting_are_known_to_have_queued);
    RUN(rank_that_sits_in_a_receive_is_not_missing);
    RUN(cut_dump_is_no_proof);
    RUN(silent_members_could_turn_the_vote);
    RUN(skipped_operation_is_named_so);
    RUN(two_roots_of_a_gather);
    RUN(last_one_in_has_the_shortest_operations);
    RUN(same_operation_that_became_slow);
    RUN(call_that_did_not_return_is_behind);
    catch_reset();
    return DONE();
}
