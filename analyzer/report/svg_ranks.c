/* Rank by sequence: each row is a rank (or ranks that look alike), each column a collective of the group. The front,
 * where the rows stop being finished, is what the eye looks for: a rank that never came there is a hole in its row.
 */
#include "svg_ranks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 32u
#define SINGLE 64u /* ranks up to which each has a row of its own */
#define BANDS 64u
#define MAP_WIDE 64u
#define NAMES 150.0
#define TOP 26.0
#define CELL 22.0
#define ROW 18.0

enum {
    DONE = 'c',
    STARTED = 's',
    QUEUED = 'q',
    ASKED = 'u',
    NOT_HERE = 'n',
    ODD = 'x',
    NOT_KNOWN = '-',
    NO_DUMP = 'd'
};

typedef struct row {
    int32_t rank;
    const ff_seat *seat; /* NULL: no dump */
    int64_t last;        /* last collective that it issued, -1 not known */
    char state[COLUMNS + 1];
} row;

typedef struct band { /* rows that look alike */
    uint32_t from, n;
} band;

typedef struct matrix {
    ff_html *h;
    row *rows;
    uint32_t n_rows;
    int64_t first, front; /* sequence number of column 0; of the first that not all finished, or -1 */
    uint32_t n_columns;
    ff_bytes op[COLUMNS];
    band *bands;
    uint32_t n_bands;
} matrix;

static uint32_t group_index(const ff_seat *s) { return (uint32_t)(s->group - s->dump->groups); }

/* The group's own counters count point-to-point operations too, so the entries come first. */
static int64_t last_of(const ff_seat *s)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < s->dump->n_entries; i++) {
        const ff_fr_entry *e = &s->dump->entries[i];
        if (e->group == group_index(s) && !e->call->is_p2p && e->seq > last)
            last = e->seq;
    }
    return last >= 0 ? last : s->group->last_enqueued;
}

static int by_rank(const void *left, const void *right)
{
    const row *a = left, *b = right;
    int order = (a->rank > b->rank) - (a->rank < b->rank);
    if (order == 0 && a->seat && b->seat)
        order = (a->seat->dump->member > b->seat->dump->member) - (a->seat->dump->member < b->seat->dump->member);
    return order;
}

static bool has_rank(const matrix *m, int32_t rank)
{
    row key = { .rank = rank };
    return m->n_rows && bsearch(&key, m->rows, m->n_rows, sizeof key, by_rank);
}

/* A rank may have dumped twice, or as pickle and as JSON: the one that goes further counts. */
static void drop_copies(matrix *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        row *last = n ? &m->rows[n - 1] : NULL;
        if (!last || last->rank != m->rows[i].rank || last->rank == FF_NO_NUMBER)
            m->rows[n++] = m->rows[i];
        else if (m->rows[i].last > last->last)
            *last = m->rows[i];
    }
    m->n_rows = n;
}

/* Rows for the dumps, and for ranks that the group has and nobody dumped. */
static void take_rows(matrix *m, const ff_seat *seats, uint32_t n)
{
    const ff_fr_group *widest = seats[0].group;
    for (uint32_t i = 1; i < n; i++)
        if (seats[i].group->n_ranks > widest->n_ranks)
            widest = seats[i].group;
    m->rows = FF_NEW_N(&m->h->arena, row, n + widest->n_ranks);
    for (uint32_t i = 0; i < n; i++)
        m->rows[m->n_rows++] = (row){ .rank = seats[i].dump->rank, .seat = &seats[i], .last = last_of(&seats[i]) };
    qsort(m->rows, m->n_rows, sizeof *m->rows, by_rank);
    drop_copies(m);
    uint32_t all = m->n_rows;
    for (uint32_t i = 0; i < widest->n_ranks; i++)
        if (!has_rank(m, widest->ranks[i]))
            m->rows[all++] = (row){ .rank = widest->ranks[i], .last = -1 };
    m->n_rows = all;
    qsort(m->rows, m->n_rows, sizeof *m->rows, by_rank);
}

/* The last collectives, from a little before the slowest rank; what came before is the same everywhere. */
static bool take_columns(matrix *m)
{
    int64_t most = -1, least = -1, oldest = -1;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        int64_t last = m->rows[i].last;
        const ff_seat *s = m->rows[i].seat;
        if (last < 0)
            continue;
        most = last > most ? last : most;
        least = least < 0 || last < least ? last : least;
        for (uint32_t k = 0; k < s->dump->n_entries; k++) {
            const ff_fr_entry *e = &s->dump->entries[k];
            if (e->group == group_index(s) && !e->call->is_p2p && e->seq >= 0 && (oldest < 0 || e->seq < oldest))
                oldest = e->seq;
        }
    }
    if (most < 0)
        return false;
    m->first = least - 5 > most - 11 ? most - 11 : least - 5;
    m->first = m->first < most - (int64_t)COLUMNS + 1 ? most - (int64_t)COLUMNS + 1 : m->first;
    m->first = m->first < oldest ? oldest : m->first;
    m->first = m->first > most ? most : m->first < 0 ? 0 : m->first;
    m->n_columns = (uint32_t)(most - m->first + 1);
    return true;
}

/* Without start events "scheduled" only says that the end was not seen. */
static char state_of(const ff_dump *d, const ff_fr_entry *e)
{
    switch (e->state) {
    case FF_FR_COMPLETED:
        return DONE;
    case FF_FR_STARTED:
        return STARTED;
    case FF_FR_SCHEDULED:
        return d->timing ? QUEUED : ASKED;
    case FF_FR_UNKNOWN:
        break;
    }
    return e->retired ? DONE : ASKED;
}

/* What a dump says in no entry: before its ring it is finished if a later one is, behind its last it was not issued.
 */
static void fill_row(matrix *m, row *r, const ff_fr_entry **at)
{
    int64_t done = r->seat ? r->seat->group->last_completed : -1;
    for (uint32_t c = 0; c < m->n_columns; c++) {
        int64_t seq = m->first + c;
        at[c] = NULL;
        r->state[c] = (char)(!r->seat || r->last < 0 ? NO_DUMP
                             : seq > r->last         ? NOT_HERE
                             : seq <= done           ? DONE
                                                     : NOT_KNOWN);
    }
    for (uint32_t i = 0; r->seat && i < r->seat->dump->n_entries; i++) {
        const ff_fr_entry *e = &r->seat->dump->entries[i];
        if (e->group != group_index(r->seat) || e->call->is_p2p || e->seq < m->first ||
            e->seq >= m->first + (int64_t)m->n_columns)
            continue;
        uint32_t c = (uint32_t)(e->seq - m->first);
        at[c] = e;
        r->state[c] = state_of(r->seat->dump, e);
    }
}

/* What most ranks did in a column; those that did something else are odd. Without a majority all that differ are. */
static void mark_odd(matrix *m, const ff_fr_entry *const *at, uint32_t c)
{
    ff_bytes candidate = { 0 };
    uint32_t lead = 0, n = 0, same = 0;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        const ff_fr_entry *e = at[(size_t)i * COLUMNS + c];
        if (!e)
            continue;
        n++;
        if (!lead)
            candidate = e->call->op;
        lead = ff_equal(e->call->op, candidate) ? lead + 1 : lead - 1;
    }
    m->op[c] = candidate;
    for (uint32_t i = 0; i < m->n_rows; i++)
        same += at[(size_t)i * COLUMNS + c] && ff_equal(at[(size_t)i * COLUMNS + c]->call->op, candidate);
    for (uint32_t i = 0; i < m->n_rows && same < n; i++) {
        const ff_fr_entry *e = at[(size_t)i * COLUMNS + c];
        if (e && (same * 2 <= n || !ff_equal(e->call->op, candidate)))
            m->rows[i].state[c] = ODD;
    }
}

static void find_front(matrix *m)
{
    /* Some backends never record an end: there only what was not issued, or differs, makes a front. */
    bool ends = false;
    m->front = -1;
    for (uint32_t i = 0; i < m->n_rows && !ends; i++)
        ends = memchr(m->rows[i].state, DONE, m->n_columns) != NULL;
    const char open[] = { STARTED, QUEUED, NOT_HERE, ODD, ends ? ASKED : ODD };
    for (uint32_t c = 0; c < m->n_columns && m->front < 0; c++)
        for (uint32_t i = 0; i < m->n_rows && m->front < 0; i++)
            if (memchr(open, m->rows[i].state[c], sizeof open))
                m->front = m->first + c;
}

static void fill(matrix *m)
{
    const ff_fr_entry **at = FF_NEW_N(&m->h->arena, const ff_fr_entry *, (size_t)m->n_rows *COLUMNS);
    for (uint32_t i = 0; i < m->n_rows; i++)
        fill_row(m, &m->rows[i], at + (size_t)i * COLUMNS);
    for (uint32_t c = 0; c < m->n_columns; c++)
        mark_odd(m, at, c);
    find_front(m);
}

/* Those behind come first, then those without a dump: that is what the picture is looked at for. */
static int by_look(const void *left, const void *right)
{
    const row *a = left, *b = right;
    int64_t x = a->last < 0 ? INT64_MAX : a->last, y = b->last < 0 ? INT64_MAX : b->last;
    int order = (x > y) - (x < y);
    if (order == 0)
        order = strcmp(a->state, b->state);
    return order ? order : by_rank(left, right);
}

static void take_bands(matrix *m)
{
    m->bands = FF_NEW_N(&m->h->arena, band, m->n_rows);
    bool merge = m->n_rows > SINGLE;
    if (merge)
        qsort(m->rows, m->n_rows, sizeof *m->rows, by_look);
    for (uint32_t i = 0; i < m->n_rows; i++) {
        band *last = m->n_bands ? &m->bands[m->n_bands - 1] : NULL;
        if (merge && last && strcmp(m->rows[last->from].state, m->rows[i].state) == 0)
            last->n++;
        else
            m->bands[m->n_bands++] = (band){ i, 1 };
    }
}

static const char *words_of(char state)
{
    switch (state) {
    case DONE:
        return "finished";
    case STARTED:
        return "started, not finished";
    case QUEUED:
        return "queued, not started";
    case ASKED:
        return "issued; its end was not recorded";
    case NOT_HERE:
        return "never issued";
    case ODD:
        return "another operation than the others";
    case NO_DUMP:
        return "no dump of this rank";
    default:
        return "not known";
    }
}

static const char *sign_of(char state)
{
    switch (state) {
    case STARTED:
        return "\xE2\x96\xB6";
    case QUEUED:
        return "\xE2\x80\xA6";
    case NOT_HERE:
        return "\xE2\x9C\x95";
    case ODD:
        return "\xE2\x89\xA0";
    case NO_DUMP:
        return "?";
    default:
        return NULL;
    }
}

static void ranks_text(ff_text *t, const row *rows, uint32_t n)
{
    int32_t few[SINGLE];
    uint32_t k = 0;
    for (uint32_t i = 0; i < n && k < FF_COUNT(few); i++)
        if (rows[i].rank != FF_NO_NUMBER)
            few[k++] = rows[i].rank;
    if (!k)
        ff_text_adds(t, "rank not known");
    else
        ff_text_adds(t, k == 1 ? "rank " : "ranks ");
    ff_say_ranks(t, few, k);
}

static void band_name(const matrix *m, const band *b, double y)
{
    ff_html *h = m->h;
    ff_text t;
    ff_text_init(&t, 20);
    if (b->n > 6)
        ff_text_addf(&t, "%" PRIu32 " ranks", b->n);
    else
        ranks_text(&t, m->rows + b->from, b->n);
    ff_html_f(h, "<text x=\"%.0f\" y=\"%.1f\" font-size=\"13\" text-anchor=\"end\"", NAMES - 8, y + 13);
    ff_html_raw(h, m->rows[b->from].state[m->n_columns - 1] == NOT_HERE ? " class=\"t-bad\">" : ">");
    ff_html_text(h, ff_text_view(&t));
    ff_html_raw(h, t.cut ? "\xE2\x80\xA6</text>" : "</text>");
    ff_text_done(&t);
}

static void draw_run(const matrix *m, const band *b, uint32_t c, uint32_t end, double y)
{
    ff_html *h = m->h;
    char state = m->rows[b->from].state[c];
    double x = NAMES + CELL * c, wide = CELL * (end - c);
    const char *sign = sign_of(state);
    ff_html_f(h, "<g><title>");
    ff_text t;
    ff_text_init(&t, 400);
    ranks_text(&t, m->rows + b->from, b->n);
    ff_text_addf(&t, ", no. %" PRId64, m->first + c);
    if (end - c > 1)
        ff_text_addf(&t, " to %" PRId64, m->first + end - 1);
    ff_text_adds(&t, end - c == 1 && m->op[c].n ? " " : "");
    if (end - c == 1)
        ff_text_add(&t, ff_first_n(m->op[c], 60));
    ff_html_text(h, ff_text_view(&t));
    ff_text_done(&t);
    ff_html_f(h, ": %s</title><rect class=\"q q-%c\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>",
              words_of(state), state == NOT_KNOWN ? 'z' : state, x + 1, y + 1, wide - 2, ROW - 2);
    for (uint32_t k = c; sign && k < end && (end - c <= 4 || k == c + (end - c) / 2); k++)
        ff_html_f(
            h, "<text class=\"q-sign s-%c\" x=\"%.0f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"middle\">%s</text>",
            state, NAMES + CELL * k + CELL / 2, y + 13, sign);
    ff_html_raw(h, "</g>\n");
}

static void draw_band(const matrix *m, const band *b, double y)
{
    const char *state = m->rows[b->from].state;
    band_name(m, b, y);
    for (uint32_t c = 0; c < m->n_columns;) {
        uint32_t end = c + 1;
        while (end < m->n_columns && state[end] == state[c])
            end++;
        draw_run(m, b, c, end, y);
        c = end;
    }
}

static void draw_head(const matrix *m, double bottom)
{
    for (uint32_t c = 0; c < m->n_columns; c++) {
        int64_t seq = m->first + c;
        bool here = seq == m->front;
        if (!here && (m->n_columns - 1 - c) % 4)
            continue;
        if (m->front >= 0 && !here && seq - m->front < 3 && m->front - seq < 3)
            continue;
        ff_html_f(m->h,
                  "<text x=\"%.0f\" y=\"17\" font-size=\"12\" text-anchor=\"middle\" class=\"%s\">%" PRId64 "</text>",
                  NAMES + CELL * c + CELL / 2, here ? "t-bad" : "t-dim", seq);
    }
    if (m->front < 0)
        return;
    double x = NAMES + CELL * (double)(m->front - m->first);
    ff_html_f(m->h, "<rect class=\"front\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n", x, TOP - 4,
              CELL, bottom - TOP + 8);
}

static void legend(const matrix *m)
{
    static const char all[] = { DONE, STARTED, QUEUED, ASKED, NOT_HERE, ODD, NO_DUMP, NOT_KNOWN };
    ff_html_raw(m->h, "<ul class=\"legend\">\n");
    for (size_t i = 0; i < sizeof all; i++) {
        bool used = false;
        for (uint32_t k = 0; k < m->n_rows && !used; k++)
            used = memchr(m->rows[k].state, all[i], m->n_columns) != NULL;
        if (!used)
            continue;
        const char *sign = sign_of(all[i]);
        ff_html_f(m->h,
                  "<li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><rect class=\"q q-%c\" x=\"1\" y=\"1\" "
                  "width=\"18\" height=\"18\"/>",
                  all[i] == NOT_KNOWN ? 'z' : all[i]);
        if (sign)
            ff_html_f(
                m->h,
                "<text class=\"q-sign s-%c\" x=\"10\" y=\"15\" font-size=\"14\" text-anchor=\"middle\">%s</text>",
                all[i], sign);
        ff_html_f(m->h, "</svg>%s</li>\n", words_of(all[i]));
    }
    ff_html_raw(m->h, "</ul>\n");
}

static void say_front(const matrix *m)
{
    ff_html *h = m->h;
    if (m->front < 0)
        return;
    uint32_t c = (uint32_t)(m->front - m->first), missing = 0, odd = 0, dumps = 0;
    for (uint32_t i = 0; i < m->n_rows; i++) {
        missing += m->rows[i].state[c] == NOT_HERE;
        odd += m->rows[i].state[c] == ODD;
        dumps += m->rows[i].seat != NULL;
    }
    ff_html_f(h, "<p><b>The front is no. %" PRId64, m->front);
    if (!ff_is_empty(m->op[c])) {
        ff_html_raw(h, ", ");
        ff_html_cut(h, m->op[c], 120);
    }
    ff_html_f(h, "</b>: the first that not all finished. ");
    if (missing)
        ff_html_f(h, "%" PRIu32 " of %" PRIu32 " ranks never issued it", missing, dumps);
    else if (odd)
        ff_html_f(h, "%" PRIu32 " of %" PRIu32 " ranks differ in it", odd, dumps);
    else
        ff_html_f(h, "All %" PRIu32 " ranks issued it", dumps);
    if (dumps < m->n_rows)
        ff_html_f(h, "; %" PRIu32 " more have no dump", m->n_rows - dumps);
    ff_html_raw(h, ".</p>\n");
}

/* ---- one square for each rank, where there are too many for rows ---- */
/* What sets it apart from the front on; else how far it was in the end. */
static char look_of(const matrix *m, const row *r)
{
    for (uint32_t c = m->front < 0 ? 0 : (uint32_t)(m->front - m->first); c < m->n_columns; c++)
        if (r->state[c] == ODD || r->state[c] == NOT_HERE)
            return r->state[c];
    return r->state[m->n_columns - 1];
}

static void draw_map(matrix *m, uint32_t number)
{
    static const char all[] = { DONE, STARTED, QUEUED, ASKED, NOT_HERE, ODD, NO_DUMP, NOT_KNOWN };
    ff_html *h = m->h;
    qsort(m->rows, m->n_rows, sizeof *m->rows, by_rank);
    uint32_t tall = (m->n_rows + MAP_WIDE - 1) / MAP_WIDE;
    ff_html_f(h,
              "<div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"Map of ranks, group %" PRIu32
              "\">\n<svg viewBox=\"0 0 830 %" PRIu32 "\" role=\"img\" aria-label=\"One square for each of %" PRIu32
              " ranks by its state; rank 0 is top left, %u in a row\">\n",
              number, tall * 12 + 8, m->n_rows, MAP_WIDE);
    for (uint32_t y = 0; y < tall; y += 8)
        ff_html_f(h,
                  "<text class=\"t-dim\" x=\"44\" y=\"%" PRIu32 "\" font-size=\"10\" text-anchor=\"end\">%" PRId32
                  "</text>",
                  y * 12 + 13, m->rows[y * MAP_WIDE].rank);
    for (size_t k = 0; k < sizeof all; k++) {
        bool any = false;
        for (uint32_t i = 0; i < m->n_rows; i++) {
            if (look_of(m, &m->rows[i]) != all[k])
                continue;
            if (!any)
                ff_html_f(h, "<path class=\"q q-%c\" d=\"", all[k] == NOT_KNOWN ? 'z' : all[k]);
            any = true;
            ff_html_f(h, "M%" PRIu32 " %" PRIu32 "h10v10h-10z", 50 + i % MAP_WIDE * 12, 4 + i / MAP_WIDE * 12);
        }
        if (any)
            ff_html_f(h, "\"><title>%s</title></path>\n", words_of(all[k]));
    }
    ff_html_raw(h, "</svg>\n</div>\n");
}

void ff_svg_ranks(ff_html *h, const ff_seat *seats, uint32_t n, uint32_t number)
{
    matrix m = { .h = h };
    if (!n)
        return;
    take_rows(&m, seats, n);
    if (!take_columns(&m))
        return;
    fill(&m);
    take_bands(&m);
    uint32_t shown = m.n_bands < BANDS ? m.n_bands : BANDS;
    double bottom = TOP + ROW * shown, wide = NAMES + CELL * (m.n_columns < 24 ? 24 : m.n_columns) + 10;
    say_front(&m);
    ff_html_f(
        h,
        "<div class=\"picture ranks\" role=\"region\" tabindex=\"0\" aria-label=\"Ranks by sequence, group %" PRIu32
        "\">\n<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%" PRIu32 " ranks by the last %" PRIu32
        " collectives\">\n",
        number, wide, bottom + 10, m.n_rows, m.n_columns);
    for (uint32_t i = 0; i < shown; i++)
        draw_band(&m, &m.bands[i], TOP + ROW * i);
    draw_head(&m, bottom);
    ff_html_raw(h, "</svg>\n</div>\n");
    legend(&m);
    ff_html_more(h, shown, m.n_bands, "rows");
    if (m.n_rows > SINGLE)
        draw_map(&m, number);
}
