/* Quoted log lines: the place, the captures marked, and what stood around. */
#include "html_private.h"

#include <inttypes.h>

typedef struct span { /* a capture inside the quote */
    size_t from, to;
    ff_bytes name;
} span;
#define SPANS 24

static int class_of(char c)
{
    if (c >= '0' && c <= '9')
        return 1;
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 2 : 0;
}

static bool joins(char left, char right) { return class_of(left) && class_of(left) == class_of(right); }

/* A capture is kept as text, not as a place, so it is looked up again; "4" inside "41234" is not it, "640" of "640kB"
 * is. One character proves little, so it must stand alone: "0" is not in "0xcc0". */
static bool stands_alone(ff_bytes quote, size_t from, size_t to)
{
    if (to - from == 1 && ((from > 0 && class_of(quote.p[from - 1])) || (to < quote.n && class_of(quote.p[to]))))
        return false;
    if (from > 0 && joins(quote.p[from - 1], quote.p[from]))
        return false;
    return to >= quote.n || !joins(quote.p[to - 1], quote.p[to]);
}

static bool overlaps(const span *spans, unsigned n, size_t from, size_t to)
{
    for (unsigned i = 0; i < n; i++)
        if (from < spans[i].to && spans[i].from < to)
            return true;
    return false;
}

static bool find_span(ff_bytes quote, const ff_field *f, const span *spans, unsigned n, span *out)
{
    for (size_t base = 0; f->s.n && base < quote.n;) {
        ff_bytes rest = ff_skip_n(quote, base);
        size_t at = ff_find(rest, f->s);
        if (at > rest.n)
            return false;
        size_t from = base + at, to = from + f->s.n;
        if (stands_alone(quote, from, to) && !overlaps(spans, n, from, to)) {
            *out = (span){ from, to, f->name };
            return true;
        }
        base = from + 1;
    }
    return false;
}

static unsigned find_spans(ff_bytes quote, const ff_signal *s, span *spans)
{
    unsigned n = 0;
    for (uint32_t i = 0; i < s->n_fields && n < SPANS; i++) {
        span found;
        if (!find_span(quote, &s->fields[i], spans, n, &found))
            continue;
        unsigned at = n++;
        for (; at > 0 && spans[at - 1].from > found.from; at--)
            spans[at] = spans[at - 1];
        spans[at] = found;
    }
    return n;
}

static void marked(ff_html *h, const ff_signal *s)
{
    ff_bytes quote = ff_first_n(s->quote, FF_CAP_EVIDENCE_TEXT);
    span spans[SPANS];
    unsigned n = find_spans(quote, s, spans);
    size_t done = 0;
    for (unsigned i = 0; i < n; i++) {
        ff_html_text(h, ff_first_n(ff_skip_n(quote, done), spans[i].from - done));
        ff_html_raw(h, "<mark title=\"");
        ff_html_text(h, spans[i].name);
        ff_html_raw(h, "\">");
        ff_html_text(h, ff_first_n(ff_skip_n(quote, spans[i].from), spans[i].to - spans[i].from));
        ff_html_raw(h, "</mark>");
        done = spans[i].to;
    }
    ff_html_cut(h, ff_skip_n(s->quote, done), FF_CAP_EVIDENCE_TEXT - (done < FF_CAP_EVIDENCE_TEXT ? done : 0));
}

static void neighbours(ff_html *h, const ff_bytes *lines, uint8_t n)
{
    for (uint8_t i = 0; i < n && i < FF_CONTEXT_LINES; i++) {
        ff_html_raw(h, "<span class=\"ctx\">");
        ff_html_cut(h, lines[i], FF_HTML_CONTEXT);
        ff_html_raw(h, "\n</span>");
    }
}

static void caption(ff_html *h, const ff_signal *s)
{
    ff_text place;
    ff_text_init(&place, FF_CAP_PATH + 16);
    ff_say_place(&place, h->r, s->at);
    ff_html_raw(h, "<figcaption><span class=\"place\">");
    ff_html_text(h, ff_text_view(&place));
    ff_html_raw(h, "</span>");
    place.n = 0;
    ff_say_who(&place, &s->who);
    if (place.n) {
        ff_html_raw(h, " \xC2\xB7 ");
        ff_html_text(h, ff_text_view(&place));
    }
    ff_html_raw(h, " \xC2\xB7 ");
    ff_html_when(h, s);
    if (s->has_utc) {
        ff_html_raw(h, " \xC2\xB7 ");
        ff_html_utc(h, true, s->utc);
        ff_html_raw(h, FF_HTML_Z);
    } else if (s->said.kind != FF_STAMP_NONE) {
        ff_html_raw(h, " \xC2\xB7 ");
        ff_say_stamp(h->out, s->said);
    }
    if (s->count > 1) {
        ff_html_raw(h, " \xC2\xB7 <b>");
        ff_say_count(h->out, s->count);
        ff_html_f(h, " such lines</b>, the last at line %" PRIu32, s->last_at.line);
    }
    ff_html_raw(h, "</figcaption>\n");
    ff_text_done(&place);
}

void ff_html_fields(ff_html *h, const ff_signal *s)
{
    if (!s->n_fields)
        return;
    ff_text value;
    ff_text_init(&value, 512);
    ff_html_raw(h, "<p class=\"fields\">read from it: ");
    for (uint32_t i = 0; i < s->n_fields && i < SPANS; i++) {
        value.n = 0;
        value.cut = false;
        ff_say_value(&value, &s->fields[i]);
        ff_html_raw(h, i ? ", " : "");
        ff_html_text(h, s->fields[i].name);
        ff_html_raw(h, " <b>");
        ff_html_text(h, ff_text_view(&value));
        ff_html_raw(h, value.cut ? "\xE2\x80\xA6</b>" : "</b>");
    }
    ff_html_raw(h, "</p>\n");
    ff_text_done(&value);
}

void ff_html_quote(ff_html *h, uint32_t ref, bool context)
{
    const ff_signal *s = ff_view_signal(h->r, ref);
    if (!s)
        return;
    ff_html_raw(h, "<figure>\n");
    caption(h, s);
    ff_html_raw(h, "<pre class=\"quote\">");
    if (context && s->context)
        neighbours(h, s->context->before, s->context->n_before);
    ff_html_raw(h, "<span class=\"hit\">");
    marked(h, s);
    ff_html_raw(h, "\n</span>");
    if (context && s->context)
        neighbours(h, s->context->after, s->context->n_after);
    ff_html_raw(h, "</pre>\n");
    if (context)
        ff_html_fields(h, s);
    ff_html_raw(h, "</figure>\n");
}

/* Names the first place even while closed: that is all a print without script keeps of it. */
static void summary_of(ff_html *h, const ff_finding *f)
{
    const ff_signal *first = ff_view_first_of(h->r, f);
    ff_html_f(h, "<details><summary>Evidence of F%" PRIu32 ": ", f->id + 1);
    ff_say_count(h->out, f->n_evidence);
    ff_html_raw(h, f->n_evidence == 1 ? " line" : " lines");
    if (first) {
        ff_text place;
        ff_text_init(&place, FF_CAP_PATH + 16);
        ff_say_place(&place, h->r, first->at);
        ff_html_raw(h, f->n_evidence == 1 ? ", <span class=\"place\">" : ", first <span class=\"place\">");
        ff_html_text(h, ff_text_view(&place));
        ff_html_raw(h, "</span>");
        ff_text_done(&place);
    }
    ff_html_raw(h, "</summary>\n");
}

void ff_html_evidence(ff_html *h, const ff_finding *f, uint32_t quotes)
{
    if (!f->n_evidence)
        return;
    summary_of(h, f);
    ff_html_raw(h, "<p class=\"note\">Rule <code>");
    ff_html_text(h, f->rule);
    ff_html_raw(h, "</code>.");
    if (!ff_is_empty(f->confidence_why)) {
        ff_html_f(h, " %s: ", ff_say_confidence(f->confidence));
        ff_html_cut(h, f->confidence_why, FF_CAP_EVIDENCE_TEXT);
    }
    ff_html_raw(h, "</p>\n");
    for (uint32_t i = 0; i < f->n_evidence && i < quotes; i++)
        ff_html_quote(h, f->evidence[i], true);
    ff_html_more(h, quotes, f->n_evidence, "evidence lines");
    ff_html_raw(h, "</details>\n");
}
