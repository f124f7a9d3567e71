/* The chain at a glance: the root on the left, what followed to the right, each box a link to its evidence. Deep or
 * wide chains are cut here, and the list below has everything. */
#include "html_chain.h"

#include <inttypes.h>

#define WIDTH 1000.0
#define HEIGHT 62.0 /* of a box */
#define GAP 14.0    /* between rows */
#define ARROW 40.0  /* between columns */
#define COLUMNS 5u
#define ROWS 7u
#define SHOWN_ERR 100000000 /* ns: what is less would only crowd a box */
#define CHAR 7.3            /* wide enough for the fonts that the page asks for */

typedef struct picture {
    ff_html *h;
    const ff_chain_box *boxes;
    uint32_t n, rows, columns, left_out;
    uint32_t *row; /* of each box; FF_NONE: not in the picture */
    double width;
} picture;

/* A parent stands in the row of its first child. Teardown says least, so it goes first where room is short. */
static void place(picture *p, bool teardown)
{
    p->rows = p->columns = p->left_out = 0;
    uint32_t last = FF_NONE;
    for (uint32_t i = 0; i < p->n; i++) {
        const ff_chain_box *b = &p->boxes[i];
        bool fits = b->depth < COLUMNS && (teardown || b->role != FF_ROLE_TEARDOWN) &&
                    (b->parent == FF_NONE || p->row[b->parent] != FF_NONE);
        bool same_row = last != FF_NONE && b->parent == last;
        p->row[i] = FF_NONE;
        if (!fits || (!same_row && p->rows == ROWS)) {
            p->left_out += b->n;
            continue;
        }
        p->row[i] = same_row ? p->row[last] : p->rows++;
        last = i;
        if (b->depth + 1 > p->columns)
            p->columns = b->depth + 1;
    }
}

static double x_of(const picture *p, const ff_chain_box *b) { return 2 + b->depth * (p->width + ARROW); }

static double y_of(const picture *p, uint32_t i) { return 2 + p->row[i] * (HEIGHT + GAP); }

static void draw_arrow(const picture *p, uint32_t i)
{
    const ff_chain_box *b = &p->boxes[i];
    double x = x_of(p, b), y = y_of(p, i) + HEIGHT / 2, from = y_of(p, b->parent) + HEIGHT / 2;
    ff_html_f(p->h, "<path class=\"c-arrow%s\" d=\"M%.0f %.0fH%.0fV%.0fH%.0f\"/>", b->link->proven ? "" : " maybe",
              x - ARROW, from, x - ARROW / 2, y, x - 8);
    ff_html_f(p->h, "<path class=\"c-head\" d=\"M%.0f %.0fl-9 -5v10z\"/>\n", x, y);
}

/* As many whole words as fit, at least one character. */
static size_t line_end(ff_bytes text, size_t most)
{
    if (text.n <= most)
        return text.n;
    size_t n = most;
    while (n && text.p[n] != ' ')
        n--;
    if (n)
        return n;
    n = most;
    while (n > 1 && ((unsigned char)text.p[n] & 0xC0) == 0x80)
        n--;
    return n;
}

static void draw_title(const picture *p, ff_bytes title, double x, double y)
{
    size_t most = (size_t)((p->width - 20) / CHAR);
    for (int line = 0; line < 2 && title.n; line++) {
        size_t n = line_end(title, line ? most - 1 : most);
        ff_html_f(p->h, "<text class=\"c-name\" font-size=\"13\" x=\"%.0f\" y=\"%.0f\">", x, y + 17 * line);
        if (line == 0)
            ff_html_sentence(p->h, ff_first_n(title, n), FF_HTML_CONTEXT);
        else
            ff_html_text(p->h, ff_first_n(title, n));
        title = ff_skip_n(title, n);
        while (title.n && title.p[0] == ' ')
            title = ff_skip_n(title, 1);
        ff_html_raw(p->h, line && title.n ? "\xE2\x80\xA6</text>" : "</text>");
    }
}

/* When, and who: ranks, else the host. */
static void draw_meta(const picture *p, const ff_chain_box *b, double x, double y)
{
    const ff_finding *f = &p->h->r->findings[b->findings[0]];
    const ff_signal *s = ff_view_first_of(p->h->r, f);
    uint32_t n_ranks = 0;
    const int32_t *ranks = ff_chain_ranks(p->h, b, &n_ranks);
    ff_text t;
    ff_text_init(&t, (size_t)((p->width - (b->n > 1 ? 62 : 32)) / (CHAR * 11.5 / 13)));
    if (!s || !ff_say_offset(&t, p->h, s))
        ff_text_adds(&t, "no time");
    if (s && s->has_utc && s->utc_err >= SHOWN_ERR) {
        ff_text_adds(&t, " \xC2\xB1 ");
        ff_text_add_span(&t, s->utc_err);
    }
    if (n_ranks) {
        ff_text_adds(&t, n_ranks == 1 ? ", rank " : ", ranks ");
        ff_say_ranks(&t, ranks, n_ranks);
    } else if (!ff_is_empty(f->who.host)) {
        ff_text_adds(&t, ", ");
        ff_text_add(&t, f->who.host);
    }
    ff_html_f(p->h, "<text class=\"c-meta\" font-size=\"11.5\" x=\"%.0f\" y=\"%.0f\">%s ", x, y,
              ff_chain_mark(b->role));
    ff_html_text(p->h, ff_text_view(&t));
    ff_html_raw(p->h, t.cut ? "\xE2\x80\xA6</text>" : "</text>");
    ff_text_done(&t);
}

static void draw_box(const picture *p, uint32_t i)
{
    ff_html *h = p->h;
    const ff_chain_box *b = &p->boxes[i];
    const ff_finding *f = &h->r->findings[b->findings[0]];
    double x = x_of(p, b), y = y_of(p, i);
    bool links = h->home[f->id] != FF_HOME_NONE;
    if (links)
        ff_html_f(h, "<a href=\"#f%" PRIu32 "\">", f->id + 1);
    ff_html_raw(h, "<title>");
    ff_html_f(h, "%s: ", ff_say_role(b->role));
    ff_html_text(h, ff_first_n(f->summary, 200));
    ff_html_f(h, "</title><rect class=\"c-box c-%s\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\" rx=\"6\"/>",
              ff_role_name(b->role), x, y, p->width, HEIGHT);
    draw_meta(p, b, x + 10, y + 17);
    draw_title(p, ff_view_headline(h->r, f), x + 10, y + 35);
    if (b->n > 1)
        ff_html_f(
            h,
            "<text class=\"c-meta\" font-size=\"11.5\" text-anchor=\"end\" x=\"%.0f\" y=\"%.0f\">\xC3\x97 %" PRIu32
            "</text>",
            x + p->width - 8, y + 17, b->n);
    ff_html_raw(h, links ? "</a>\n" : "\n");
}

void ff_svg_chain(ff_html *h, const ff_incident *in)
{
    picture p = { .h = h };
    p.boxes = ff_chain_boxes(h, in, &p.n);
    if (p.n < 2)
        return;
    p.row = FF_NEW_N(&h->arena, uint32_t, p.n);
    place(&p, true);
    if (p.left_out)
        place(&p, false);
    if (p.columns < 2)
        return;
    p.width = (WIDTH - 4 - ARROW * (p.columns - 1)) / p.columns;
    p.width = p.width < 280 ? p.width : 280;
    ff_html_f(
        h,
        "<div class=\"picture\" id=\"chain-picture\" role=\"region\" tabindex=\"0\" aria-label=\"The chain at a "
        "glance\">\n<svg viewBox=\"0 0 1000 %.0f\" role=\"group\" aria-label=\"Boxes from the root cause to "
        "what followed; the list below says the same\">\n",
        4 + p.rows * (HEIGHT + GAP) - GAP);
    for (uint32_t i = 1; i < p.n; i++)
        if (p.row[i] != FF_NONE)
            draw_arrow(&p, i);
    for (uint32_t i = 0; i < p.n; i++)
        if (p.row[i] != FF_NONE)
            draw_box(&p, i);
    ff_html_raw(
        h, "</svg>\n</div>\n<p class=\"note\">A solid arrow: the clocks prove the order. A dashed arrow: the order "
           "is possible, but not proven. A box leads to its evidence.");
    if (p.left_out) {
        ff_html_raw(h, " Only in the list: ");
        ff_say_count(h->out, p.left_out);
        ff_html_raw(h, p.left_out == 1 ? " more finding." : " more findings.");
    }
    ff_html_raw(h, "</p>\n");
}
