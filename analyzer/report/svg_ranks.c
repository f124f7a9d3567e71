/* Rank by sequence: each row is a rank (or ranks that look alike), each column a collective of the group. */
#include "svg_ranks_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define BANDS 64u
#define MAP_WIDE 64u
#define NAMES 150.0
#define TOP 26.0
#define CELL 22.0
#define ROW 18.0

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

static void band_name(const ff_matrix *m, const band *b, double y)
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

static void draw_run(const ff_matrix *m, const band *b, uint32_t c, uint32_t end, double y)
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

static void draw_band(const ff_matrix *m, const band *b, double y)
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

static void draw_head(const ff_matrix *m, double bottom)
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

static void legend(const ff_matrix *m)
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

static void say_front(const ff_matrix *m)
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
static char look_of(const ff_matrix *m, const row *r)
{
    for (uint32_t c = m->front < 0 ? 0 : (uint32_t)(m->front - m->first); c < m->n_columns; c++)
        if (r->state[c] == ODD || r->state[c] == NOT_HERE)
            return r->state[c];
    return r->state[m->n_columns - 1];
}

static void draw_map(ff_matrix *m, uint32_t number)
{
    static const char all[] = { DONE, STARTED, QUEUED, ASKED, NOT_HERE, ODD, NO_DUMP, NOT_KNOWN };
    ff_html *h = m->h;
    qsort(m->rows, m->n_rows, sizeof *m->rows, ff_matrix_by_rank);
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
    ff_matrix m = { .h = h };
    if (!n || !ff_matrix_fill(&m, seats, n))
        return;
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
