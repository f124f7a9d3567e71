/* The one way text gets into the page, and the small pieces that every part is made of. */
#include "html_private.h"

#include <inttypes.h>
#include <stdio.h>

static const ff_cause no_cause = { .id = { "unknown", 7 }, .title = { "unknown", 7 } };

const ff_cause *ff_html_cause(const ff_html *h, uint32_t cause)
{
    const ff_cause *c = ff_view_cause(h->r, cause);
    return c ? c : &no_cause;
}

void ff_html_raw(ff_html *h, const char *ours) { ff_text_adds(h->out, ours); }

void ff_html_f(ff_html *h, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n > 0)
        ff_text_add(h->out, (ff_bytes){ small, (size_t)n < sizeof small ? (size_t)n : sizeof small - 1 });
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Control and bidi characters go first, so what is escaped is valid UTF-8 that reads in the order it stands. */
void ff_html_text(ff_html *h, ff_bytes text)
{
    h->clean.n = 0;
    ff_text_add_clean(&h->clean, text);
    ff_bytes b = ff_text_view(&h->clean);
    size_t from = 0;
    for (size_t i = 0; i < b.n; i++) {
        const char *as = entity(b.p[i]);
        if (!as)
            continue;
        ff_text_add(h->out, (ff_bytes){ b.p + from, i - from });
        ff_text_adds(h->out, as);
        from = i + 1;
    }
    if (b.n > from)
        ff_text_add(h->out, (ff_bytes){ b.p + from, b.n - from });
}

/* Not in the middle of a UTF-8 sequence. */
static size_t cut_at(ff_bytes text, size_t most)
{
    if (text.n <= most)
        return text.n;
    size_t n = most;
    while (n && most - n < 4 && ((unsigned char)text.p[n] & 0xC0) == 0x80)
        n--;
    return n;
}

void ff_html_cut(ff_html *h, ff_bytes text, size_t most)
{
    size_t n = cut_at(text, most);
    ff_html_text(h, ff_first_n(text, n));
    if (n < text.n)
        ff_html_f(h, "<span class=\"dim\"> \xE2\x80\xA6 %zu more bytes</span>", text.n - n);
}

/* A plain word: "rank", but not "ncclCommInitRank", "train_process" or "/dev/shm", which keep their first letter. */
static bool begins_with_word(ff_bytes text)
{
    size_t n = 0;
    while (n < text.n && text.p[n] >= 'a' && text.p[n] <= 'z')
        n++;
    return n > 0 && (n == text.n || text.p[n] == ' ' || text.p[n] == ',' || text.p[n] == ':');
}

/* Titles and sentences of rules begin small, so that they fit into others. */
void ff_html_sentence(ff_html *h, ff_bytes text, size_t most)
{
    bool small = begins_with_word(text);
    if (small)
        ff_text_addc(h->out, (char)(text.p[0] - 'a' + 'A'));
    ff_html_cut(h, ff_skip_n(text, small), most);
}

void ff_html_or_dash(ff_html *h, ff_bytes text)
{
    if (ff_is_empty(text))
        ff_html_raw(h, "<span class=\"dim\">\xE2\x80\x93</span>");
    else
        ff_html_cut(h, text, FF_CAP_EVIDENCE_TEXT);
}

void ff_html_open(ff_html *h, const char *id, const char *title)
{
    ff_html_f(h, "<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", id, id, id, title);
}

void ff_html_close(ff_html *h) { ff_html_raw(h, "</section>\n"); }

/* A head that starts with '#' is a column of numbers. A wide table scrolls by itself and can be reached by keyboard.
 */
void ff_html_table(ff_html *h, const char *id, const char *caption, const char *const *heads, unsigned n)
{
    bool tall = ff_equal(ff_str(id), FF_LIT("moments")) || ff_equal(ff_str(id), FF_LIT("findings-table")) ||
                ff_equal(ff_str(id), FF_LIT("members")) || ff_equal(ff_str(id), FF_LIT("joins")) ||
                ff_equal(ff_str(id), FF_LIT("versions")) || ff_equal(ff_str(id), FF_LIT("variables"));
    ff_html_f(h, "<div class=\"wide%s\" role=\"region\" tabindex=\"0\" aria-label=\"%s\">\n<table id=\"%s\">\n",
              tall ? " tall" : "", caption, id);
    ff_html_f(h, "<caption>%s</caption>\n<thead><tr>", caption);
    for (unsigned i = 0; i < n; i++)
        ff_html_f(h, "<th scope=\"col\"%s>%s</th>", heads[i][0] == '#' ? " class=\"num\"" : "",
                  heads[i] + (heads[i][0] == '#'));
    ff_html_raw(h, "</tr></thead>\n<tbody>\n");
}

void ff_html_table_end(ff_html *h) { ff_html_raw(h, "</tbody>\n</table>\n</div>\n"); }

void ff_html_filter(ff_html *h, const char *table, const char *facets, const char *hint)
{
    ff_html_f(h,
              "<p class=\"filter\" data-filters=\"%s\" data-facets=\"%s\" hidden><label for=\"%s-filter\">Show rows "
              "with</label> <input id=\"%s-filter\" type=\"search\" placeholder=\"%s\"> <output "
              "for=\"%s-filter\"></output></p>\n",
              table, facets, table, table, hint, table);
}

void ff_html_more(ff_html *h, uint64_t shown, uint64_t all, const char *what)
{
    if (all <= shown)
        return;
    ff_html_raw(h, "<p class=\"note\">");
    ff_say_count(h->out, all - shown);
    ff_html_f(h, " more %s in report.json.</p>\n", what);
}

void ff_html_utc(ff_html *h, bool known, int64_t ns)
{
    if (!known) {
        ff_html_raw(h, "<span class=\"dim\">no UTC</span>");
        return;
    }
    ff_html_raw(h, "<time datetime=\"");
    ff_text_add_utc(h->out, ns);
    ff_html_raw(h, "\">");
    ff_say_utc(h->out, ns);
    ff_html_raw(h, "</time>");
}

void ff_html_place(ff_html *h, ff_record at)
{
    ff_text place;
    ff_text_init(&place, FF_CAP_PATH + 16);
    ff_say_place(&place, h->r, at);
    ff_html_raw(h, "<span class=\"place\">");
    ff_html_text(h, ff_text_view(&place));
    ff_html_raw(h, "</span>");
    ff_text_done(&place);
}

void ff_html_link(ff_html *h, uint32_t finding)
{
    if (finding >= h->r->n_findings)
        return;
    if (h->home[finding] == FF_HOME_NONE)
        ff_html_f(h, "F%" PRIu32, finding + 1);
    else
        ff_html_f(h, "<a href=\"#f%" PRIu32 "\">F%" PRIu32 "</a>", finding + 1, finding + 1);
}

void ff_html_permanent(ff_html *h, uint32_t finding)
{
    if (h->home[finding] == FF_HOME_NONE)
        ff_html_f(h, "F%" PRIu32, finding + 1);
    else
        ff_html_f(h, "<a class=\"perma\" title=\"Link to this finding\" href=\"#f%" PRIu32 "\">F%" PRIu32 "</a>",
                  finding + 1, finding + 1);
}

void ff_html_severity(ff_html *h, ff_severity s)
{
    ff_html_f(h, "<span class=\"badge sev-%s\">%s</span>", ff_severity_name(s), ff_severity_name(s));
}

void ff_html_who(ff_html *h, const ff_who *who)
{
    ff_text t;
    ff_text_init(&t, 1024);
    ff_say_who(&t, who);
    ff_html_or_dash(h, ff_text_view(&t));
    ff_text_done(&t);
}

void ff_html_when(ff_html *h, const ff_signal *s)
{
    if (!ff_say_offset(h->out, h, s)) {
        ff_html_raw(h, "<span class=\"dim\">no time</span>");
        return;
    }
    if (s->has_utc && s->utc_err >= 1000000) {
        ff_html_raw(h, " <span class=\"dim\">\xC2\xB1 ");
        ff_text_add_span(h->out, s->utc_err);
        ff_html_raw(h, "</span>");
    } else if (!s->has_utc) {
        ff_html_raw(h, " <span class=\"dim\">own clock</span>");
    }
}

void ff_html_list(ff_html *h, const char *tag, const ff_bytes *items, uint32_t n)
{
    if (!n)
        return;
    ff_html_f(h, "<%s>\n", tag);
    for (uint32_t i = 0; i < n && i < FF_HTML_ROWS; i++) {
        ff_html_raw(h, "<li>");
        ff_html_cut(h, items[i], FF_CAP_EVIDENCE_TEXT);
        ff_html_raw(h, "</li>\n");
    }
    ff_html_f(h, "</%s>\n", tag);
    ff_html_more(h, FF_HTML_ROWS, n, "items");
}
