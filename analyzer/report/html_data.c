/* Rows beyond a table: data in the page, which the script searches and shows on demand. Without script nobody misses
 * them unsaid: a note tells how many there are. */
#include "html_private.h"

void ff_html_data_open(ff_html_data *d, ff_html *h, size_t most_bytes, const char *const *facets, unsigned n)
{
    *d = (ff_html_data){ .h = h, .most = most_bytes };
    ff_text_init(&d->json, 0);
    ff_text_init(&d->cell, 0);
    ff_json_init(&d->j, &d->json);
    d->j.compact = true;
    ff_json_open(&d->j, NULL, '{');
    ff_json_open(&d->j, "facets", '[');
    for (unsigned i = 0; i < n; i++)
        ff_json_str(&d->j, NULL, facets[i]);
    ff_json_close(&d->j, ']');
    ff_json_open(&d->j, "rows", '[');
}

bool ff_html_data_row(ff_html_data *d)
{
    if (d->json.n > d->most)
        return false;
    ff_json_open(&d->j, NULL, '[');
    d->n++;
    return true;
}

void ff_html_data_cell(ff_html_data *d)
{
    ff_json_bytes(&d->j, NULL, ff_text_view(&d->cell));
    d->cell.n = 0;
}

void ff_html_data_row_end(ff_html_data *d) { ff_json_close(&d->j, ']'); }

/* "<" is escaped: no text can end the element that holds the data. */
static void put(ff_html *h, ff_bytes json)
{
    for (ff_bytes part; json.n;) {
        size_t at = ff_find(json, FF_LIT("<"));
        part = ff_first_n(json, at);
        ff_text_add(h->out, part);
        if (at >= json.n)
            break;
        ff_html_raw(h, "\\u003c");
        json = ff_skip_n(json, at + 1);
    }
}

void ff_html_data_close(ff_html_data *d, const char *table, const char *what)
{
    ff_html *h = d->h;
    ff_json_close(&d->j, ']');
    ff_json_close(&d->j, '}');
    if (d->n) {
        ff_html_raw(h, "<p class=\"note more-data\">");
        ff_say_count(h->out, d->n);
        ff_html_f(h, " more %s are in this page, for search with script.</p>\n", what);
        ff_html_f(h, "<script type=\"application/json\" id=\"%s-data\">", table);
        put(h, ff_text_view(&d->json));
        ff_html_raw(h, "</script>\n");
    }
    ff_text_done(&d->json);
    ff_text_done(&d->cell);
}
