/* firstfault collectives: where the ranks of each process group stand, what differs, and who waits for whom. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../parsers/align.h"
#include "../../parsers/recorder.h"

static const char *const standings[] = {
    "at rest", "waits", "done", "NOT THERE", "its dump does not say", "NO DUMP", "CAME LATE", "DID SOMETHING ELSE"
};

static bool is_same_row(const ff_stand *a, const ff_stand *b)
{
    return a->standing == b->standing && a->issued == b->issued && a->started == b->started &&
           a->completed == b->completed && a->open_p2p == b->open_p2p && a->inside == b->inside &&
           (a->waits_in.n != 0) == (b->waits_in.n != 0);
}

/* How many of ranks, from i on, stand one step apart. */
static uint32_t run_of(const int32_t *ranks, uint32_t n, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < n && (end == i + 1 || ranks[end] - ranks[end - 1] == ranks[i + 1] - ranks[i]))
        end++;
    return end - i;
}

/* "0-4,6,8-248 by 8": the groups of a parallel layout are such combs. */
static void add_ranks(ff_text *out, const int32_t *ranks, uint32_t n)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t run = run_of(ranks, n, i);
        bool comb = run > 3 && ranks[i + 1] != ranks[i] + 1;
        if (!comb && (run < 2 || ranks[i + 1] != ranks[i] + 1))
            run = 1;
        ff_text_addf(out, "%s%" PRId32, i ? "," : "", ranks[i]);
        if (run > 1)
            ff_text_addf(out, "%s%" PRId32, run > 2 ? "-" : ",", ranks[i + run - 1]);
        if (comb)
            ff_text_addf(out, " by %" PRId32, ranks[i + 1] - ranks[i]);
        i += run;
    }
}

static void add_number(ff_text *out, int64_t n)
{
    char text[24] = "-";
    if (n >= 0)
        (void)snprintf(text, sizeof text, "%" PRId64, n);
    cli_add_cell(out, ff_str(text), 10);
}

/* others: ranks of this row that are held up in another group than the first is. */
static void add_row(ff_text *out, const ff_group_view *v, const ff_stand *s, const int32_t *ranks, uint32_t n,
                    uint32_t others)
{
    ff_text names;
    ff_text_init(&names, 600);
    add_ranks(&names, ranks, n);
    ff_text_adds(out, "    ");
    cli_add_cell(out, ff_text_view(&names), 20);
    ff_text_done(&names);
    add_number(out, s->issued);
    add_number(out, s->started);
    add_number(out, s->completed);
    ff_text_adds(out, standings[s->standing]);
    if (s->standing == FF_STANDS_WAITING) {
        ff_text_adds(out, " in ");
        ff_text_add_clean(out, v->op);
        ff_text_addf(out, " #%" PRId64 "%s", v->seq, s->inside ? ", its call has not returned" : "");
    }
    if (s->open_p2p)
        ff_text_addf(out, "; %" PRIu32 " sends or receives open", s->open_p2p);
    if (s->waits_in.n) {
        ff_text_adds(out, "; held up in group ");
        ff_text_add_clean(out, s->waits_in);
        if (others)
            ff_text_addf(out, ", %" PRIu32 " of them in other groups", others);
    }
    ff_text_addc(out, '\n');
}

/* Ranks that stand alike share a row; those that the others wait for come first. */
static void add_rows(ff_text *out, const ff_group_view *v, ff_arena *arena)
{
    bool *told = FF_NEW_N(arena, bool, v->n_ranks + 1);
    int32_t *ranks = FF_NEW_N(arena, int32_t, v->n_ranks + 1);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < v->n_ranks; i++) {
            ff_standing now = v->ranks[i].standing;
            bool first = now == FF_STANDS_MISSING || now == FF_STANDS_UNKNOWN || now == FF_STANDS_NO_DUMP ||
                         now == FF_STANDS_LATE || now == FF_STANDS_ODD;
            uint32_t n = 0, others = 0;
            if (told[i] || first != (pass == 0))
                continue;
            for (uint32_t k = i; k < v->n_ranks; k++) {
                if (told[k] || !is_same_row(&v->ranks[i], &v->ranks[k]))
                    continue;
                told[k] = true;
                ranks[n++] = v->ranks[k].rank;
                others += !ff_equal(v->ranks[k].waits_in, v->ranks[i].waits_in);
            }
            add_row(out, v, &v->ranks[i], ranks, n, others);
        }
    }
}

/* What to read first: 0 where somebody is missed who waits for nobody, 1 where somebody is odd or nobody knows, 2
 * where the missing are held up themselves, 3 where all came; 4: nothing is open. */
static uint32_t order_of(const ff_group_view *v)
{
    uint32_t open = 0, best = 3;
    for (uint32_t i = 0; i < v->n_ranks; i++) {
        const ff_stand *s = &v->ranks[i];
        bool missing = s->standing == FF_STANDS_MISSING;
        bool odd = s->standing == FF_STANDS_LATE || s->standing == FF_STANDS_ODD ||
                   s->standing == FF_STANDS_NO_DUMP || s->standing == FF_STANDS_UNKNOWN;
        uint32_t here = missing && !s->waits_in.n ? 0 : odd ? 1 : missing ? 2 : 3;
        best = here < best ? here : best;
        open += s->open_p2p;
    }
    return v->seq < 0 && !open ? 4 : best;
}

static void add_group(ff_text *out, const ff_group_view *v, ff_arena *arena)
{
    ff_text_adds(out, "Group ");
    ff_text_add_clean(out, v->name);
    if (v->desc.n) {
        ff_text_adds(out, " (");
        ff_text_add_clean(out, v->desc);
        ff_text_adds(out, ")");
    }
    if (v->n_members)
        ff_text_addf(out, ": %" PRIu32 " of %" PRIu32 " ranks left a dump", v->n_dumps, v->n_members);
    if (v->seq >= 0) {
        ff_text_addf(out, "; stands at #%" PRId64 " ", v->seq);
        ff_text_add_clean(out, v->op);
        if (v->frame.n) {
            ff_text_adds(out, ", ");
            ff_text_add_clean(out, v->frame);
        }
    }
    ff_text_adds(out, "\n    ");
    cli_add_cell(out, FF_LIT("RANKS"), 20);
    cli_add_cell(out, FF_LIT("ISSUED"), 10);
    cli_add_cell(out, FF_LIT("STARTED"), 10);
    cli_add_cell(out, FF_LIT("COMPLETED"), 10);
    ff_text_adds(out, "STANDS\n");
    add_rows(out, v, arena);
}

/* ---- what alignment found ---- */

static void add_field(ff_text *out, const char *before, const ff_signal *s, const char *name)
{
    ff_bytes value = ff_signal_text(s, name);
    if (!value.n)
        return;
    ff_text_adds(out, before);
    ff_text_add_clean(out, value);
}

/* Ranks as a fact lists them, in the words of the table: "0-4,8-248 by 8". verb: what one of them does. */
static void add_ranks_field(ff_text *out, const ff_signal *s, const char *name, bool capital, const char *verb)
{
    enum { MOST = 4096 };
    int32_t ranks[MOST];
    uint32_t n = 0;
    ff_bytes text = ff_signal_text(s, name);
    uint64_t from = 0, to = 0;
    while (n < MOST && ff_take_uint(&text, &from)) {
        to = from;
        if (ff_take_lit(&text, FF_LIT("-")))
            (void)ff_take_uint(&text, &to);
        for (uint64_t r = from; r <= to && r < INT32_MAX && n < MOST; r++)
            ranks[n++] = (int32_t)r;
        (void)ff_take_lit(&text, FF_LIT(","));
    }
    ff_text_addf(out, "%sank%s ", capital ? "R" : "r", n == 1 ? "" : "s");
    if (text.n) /* more than one list holds, or no numbers */
        ff_text_add_clean(out, ff_signal_text(s, name));
    else
        add_ranks(out, ranks, n);
    if (verb)
        ff_text_addf(out, " %s%s", verb, n == 1 ? "s" : "");
}

static void add_place(ff_text *out, const ff_signal *s)
{
    add_field(out, " in group ", s, "group");
    add_field(out, " at #", s, "seq");
    add_field(out, " ", s, "op");
}

static void add_mismatch(ff_text *out, const ff_signal *s)
{
    bool shape = s->kind == FF_FACT_FR_SHAPE_MISMATCH;
    ff_text_adds(out, shape ? "Different sizes or types" : "Different operations");
    add_field(out, " (", s, "kind");
    ff_text_adds(out, ")");
    add_place(out, s);
    ff_text_adds(out, "\n    ");
    if (!ff_signal_text(s, "odd_ranks").n) { /* sends and receives in a circle: there are no two sides */
        add_ranks_field(out, s, "ranks", false, "wait");
        ff_text_adds(out, " for each other\n");
        return;
    }
    add_ranks_field(out, s, "odd_ranks", false, NULL);
    add_field(out, ": ", s, shape ? "sizes" : "op");
    add_field(out, ", ", s, "frame");
    ff_text_adds(out, "\n    ");
    add_ranks_field(out, s, "majority_ranks", false, NULL);
    add_field(out, ": ", s, shape ? "majority_sizes" : "majority_op");
    add_field(out, ", ", s, "majority_frame");
    ff_text_adds(out,
                 ff_equal(ff_signal_text(s, "majority"), FF_LIT("1")) ? "\n" : "\n    no majority: nobody is odd\n");
}

static void add_wait(ff_text *out, const ff_signal *s)
{
    bool missing = s->kind == FF_FACT_FR_MISSING, no_dump = s->kind == FF_FACT_FR_INCOMPLETE;
    add_ranks_field(out, s, "waiting", true, "wait");
    ff_text_adds(out, no_dump ? "; no whole dump of " : " for ");
    add_ranks_field(out, s, no_dump ? "ranks" : "rank", false, NULL);
    add_place(out, s);
    if (missing)
        ff_text_adds(out, ": it waits for nobody, it is the HEAD");
    add_field(out, "; its last was ", s, "last_op");
    add_field(out, " #", s, "last_seq");
    add_field(out, ", ", s, "last_frame");
    add_field(out, "; it is held up itself, in group ", s, "waits_in");
    add_field(out, " #", s, "waits_seq");
    ff_text_addc(out, '\n');
}

static void add_other(ff_text *out, const ff_signal *s)
{
    if (s->kind == FF_FACT_FR_STALLED) {
        ff_text_adds(out, "All came, and it does not end: ");
        add_ranks_field(out, s, "waiting", false, NULL);
        add_place(out, s);
        add_field(out, "; lag ", s, "lag");
        if (ff_signal_text(s, "behind").n) {
            ff_text_adds(out, ", behind: ");
            add_ranks_field(out, s, "behind", false, NULL);
        }
    } else if (s->kind == FF_FACT_FR_STRAGGLER) {
        add_field(out, "Rank ", s, "rank");
        add_field(out, " came last in ", s, "last_in");
        add_field(out, " of ", s, "turns");
        add_field(out, " collectives of group ", s, "group");
        add_field(out, ", and the others waited ", s, "behind_ms");
        ff_text_adds(out, " ms each time");
    } else {
        add_field(out, "Slower than before: ", s, "op");
        add_field(out, " of group ", s, "group");
        add_field(out, " from #", s, "seq");
        add_field(out, ", ", s, "steady_ms");
        add_field(out, " ms, then ", s, "slow_ms");
        ff_text_adds(out, " ms");
    }
    ff_text_addc(out, '\n');
}

static void add_findings(ff_text *out, const ff_evidence *e, bool verbose)
{
    static const struct {
        uint32_t kind;
        void (*add)(ff_text *out, const ff_signal *s);
    } rows[] = { { FF_FACT_FR_OP_MISMATCH, add_mismatch }, { FF_FACT_FR_SHAPE_MISMATCH, add_mismatch },
                 { FF_FACT_FR_MISSING, add_wait },         { FF_FACT_FR_WAITS, add_wait },
                 { FF_FACT_FR_INCOMPLETE, add_wait },      { FF_FACT_FR_STALLED, add_other },
                 { FF_FACT_FR_STRAGGLER, add_other },      { FF_FACT_FR_SLOW_TAIL, add_other } };
    enum { MOST = 8 };
    for (size_t k = 0; k < FF_COUNT(rows); k++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < e->n_signals; i++) {
            if (e->signals[i].kind == rows[k].kind && (n++ < MOST || verbose))
                rows[k].add(out, &e->signals[i]);
        }
        if (n > MOST && !verbose)
            ff_text_addf(out, "    and %" PRIu32 " more of this kind; --verbose shows them\n", n - MOST);
    }
}

static void add_groups(ff_text *out, const ff_group_views *views, bool verbose, ff_arena *arena)
{
    enum { MOST = 12 };
    uint32_t shown = 0, left[5] = { 0 };
    for (uint32_t order = 0; order < FF_COUNT(left); order++) {
        for (uint32_t i = 0; i < views->n; i++) {
            if (order_of(&views->at[i]) != order)
                continue;
            bool show = verbose || views->n <= 8 || (order < 4 && shown < MOST);
            if (show)
                add_group(out, &views->at[i], arena);
            else
                left[order]++;
            shown += show;
        }
    }
    if (left[0] + left[1] + left[2] + left[3])
        ff_text_addf(out, "%" PRIu32 " more groups that stand still; --verbose shows them\n",
                     left[0] + left[1] + left[2] + left[3]);
    if (left[4])
        ff_text_addf(out, "%" PRIu32 " more groups in which nothing is open; --verbose shows them\n", left[4]);
}

/* ---- what operations take ---- */

static int slowest_first(const void *left, const void *right)
{
    const ff_signal *a = *(const ff_signal *const *)left, *b = *(const ff_signal *const *)right;
    double x = ff_signal_number(a, "usual_ms", 0), y = ff_signal_number(b, "usual_ms", 0);
    return x != y ? (x < y) - (x > y) : (a->ref > b->ref) - (a->ref < b->ref);
}

static void add_operation(ff_text *out, const ff_signal *s)
{
    static const struct {
        const char *field;
        unsigned width;
    } cells[] = { { "op", 18 },       { "group", 10 },    { "ranks", 14 }, { "turns", 7 },
                  { "usual_ms", 10 }, { "worst_ms", 10 }, { "busbw", 10 } };
    ff_text_adds(out, "    ");
    for (size_t i = 0; i < FF_COUNT(cells); i++) {
        ff_bytes text = ff_signal_text(s, cells[i].field);
        cli_add_cell(out, text.n ? text : FF_LIT("-"), cells[i].width);
    }
    ff_text_add_clean(out, ff_signal_text(s, "sizes"));
    ff_text_adds(out, ff_equal(ff_signal_text(s, "baseline"), FF_LIT("1")) ? "  (baseline)\n" : "\n");
}

static void add_operations(ff_text *out, const ff_evidence *e, bool verbose, ff_arena *arena)
{
    enum { MOST = 12 };
    const ff_signal **at = FF_NEW_N(arena, const ff_signal *, e->n_signals + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_signals; i++)
        if (e->signals[i].kind == FF_FACT_FR_PACE)
            at[n++] = &e->signals[i];
    if (!n)
        return;
    qsort(at, n, sizeof *at, slowest_first);
    ff_text_adds(out,
                 "\nWhat operations take, measured at the rank that came last\n"
                 "    OPERATION          GROUP      RANKS          TIMES   USUAL MS   WORST MS   BUS GB/S   SIZES\n");
    for (uint32_t i = 0; i < n && (verbose || i < MOST); i++)
        add_operation(out, at[i]);
    if (n > MOST && !verbose)
        ff_text_addf(out, "    and %" PRIu32 " more; --verbose shows them\n", n - MOST);
}

/* What was found, then the groups, those that matter first. */
static void add_all(ff_text *out, const ff_evidence *e, bool verbose)
{
    ff_arena arena;
    ff_arena_init(&arena);
    ff_group_views views = ff_align_view(e->dumps, &arena);
    size_t had = ff_text_view(out).n;
    add_findings(out, e, verbose);
    if (ff_text_view(out).n != had)
        ff_text_addc(out, '\n');
    add_groups(out, &views, verbose, &arena);
    add_operations(out, e, verbose, &arena);
    ff_arena_done(&arena);
}

static cli_exit tell(const cli_settings *s, const ff_run *run)
{
    const ff_evidence *e = &run->evidence;
    if (!e->dumps || !e->dumps->n) {
        cli_complain("there is no Flight Recorder dump in the bundle");
        return CLI_NO;
    }
    if (s->perfetto && !cli_write_trace(s->perfetto, e))
        return CLI_FAILED;
    if (s->quiet || (s->perfetto && s->perfetto[0] == '-' && !s->perfetto[1]))
        return CLI_OK;
    ff_text out;
    ff_text_init(&out, 0);
    add_all(&out, e, s->verbose);
    bool good = cli_say(&out);
    ff_text_done(&out);
    return good ? CLI_OK : CLI_FAILED;
}

cli_exit cli_collectives(const cli_settings *s) { return cli_tell_read(s, tell); }
