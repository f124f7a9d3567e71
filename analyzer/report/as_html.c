/* The HTML report: one file, no network, complete without script. page.html is the frame; each {{name}} in it is
 * filled by one part. Styles and script stand in the page as they are in the source tree, and the content security
 * policy names them by hash: nothing that a log might smuggle in could run or restyle the page. */
#include "html_private.h"

#include "../base/digest.h"
#include "../base/embedded.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

typedef struct section {
    const char *name;  /* placeholder, and id of the section */
    const char *title; /* in the list of sections; NULL: not listed */
    void (*write)(ff_html *h);
} section;

static const section sections[] = {
    { "verdict", "Verdict", ff_html_verdict },
    { "incident", "What led to what", ff_html_incident },
    { "timeline", "Time line", ff_html_timeline },
    { "memory", "Memory", ff_html_memory },
    { "next", "What to do now", ff_html_next },
    { "rulings", "What else it could be", ff_html_rulings },
    { "collectives", "Where each rank stood", ff_html_collectives },
    { "gpus", "What the GPUs did", ff_html_gpus },
    { "bandwidth", "Bus bandwidth", ff_html_bandwidth },
    { "topology", "GPU topology", ff_html_topology },
    { "others", "Other incidents", ff_html_others },
    { "notes", "Side notes", ff_html_notes },
    { "contradictions", "Contradictions", ff_html_contradictions },
    { "findings", "All findings", ff_html_findings },
    { "environment", "Environment", ff_html_environment },
    { "identity", "Names", ff_html_identity },
    { "clocks", "Clocks", ff_html_clocks },
    { "coverage", "Coverage", ff_html_coverage },
    { "limits", "Limits", ff_html_limits },
    { "about", "About", ff_html_about },
};
#define SECTIONS FF_COUNT(sections)

typedef struct page {
    ff_html h;
    ff_text parts[SECTIONS];
    ff_text *out;
} page;

static ff_bytes embedded(const char *name)
{
    for (const ff_embedded *e = ff_embedded_page; e->name; e++)
        if (ff_ends(ff_str(e->name), ff_str(name)))
            return (ff_bytes){ e->bytes, e->n };
    assert(false && "part of the page was not compiled in");
    return (ff_bytes){ 0 };
}

static void add_base64(ff_text *t, const uint8_t *p, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
        ff_text_addc(t, digits[v >> 18]);
        ff_text_addc(t, digits[v >> 12 & 63]);
        ff_text_addc(t, i + 1 < n ? digits[v >> 6 & 63] : '=');
        ff_text_addc(t, i + 2 < n ? digits[v & 63] : '=');
    }
}

static void add_source(ff_text *t, const char *directive, const char *file)
{
    uint8_t sum[32];
    ff_sha256(embedded(file), sum);
    ff_text_addf(t, "; %s 'sha256-", directive);
    add_base64(t, sum, sizeof sum);
    ff_text_addc(t, '\'');
}

static void add_policy(page *p)
{
    ff_text_adds(p->out, "default-src 'none'");
    add_source(p->out, "style-src", "page.css");
    add_source(p->out, "script-src", "page.js");
    ff_text_adds(p->out, "; base-uri 'none'; form-action 'none'");
}

static void add_title(page *p)
{
    ff_html_raw(&p->h, "firstfault: ");
    ff_html_cut(&p->h, ff_view_verdict_title(p->h.r), FF_HTML_CONTEXT);
    if (p->h.r->evidence->n_inputs) {
        ff_html_raw(&p->h, ", ");
        ff_html_text(&p->h, ff_first_n(ff_view_no_path(p->h.r->evidence->inputs[0].name), 120));
    }
}

static void add_inputs(page *p)
{
    const ff_evidence *e = p->h.r->evidence;
    for (uint32_t i = 0; i < e->n_inputs && i < 4; i++) {
        ff_html_raw(&p->h, i ? ", " : "");
        ff_html_cut(&p->h, ff_view_no_path(e->inputs[i].name), FF_HTML_CONTEXT);
    }
    if (e->n_inputs > 4)
        ff_html_f(&p->h, " and %" PRIu32 " more", e->n_inputs - 4);
}

static void add_nav(page *p)
{
    ff_html_raw(&p->h, "<ul>\n");
    for (size_t i = 0; i < SECTIONS; i++) {
        if (!p->parts[i].n || !sections[i].title)
            continue;
        const char *id = sections[i].write == ff_html_incident ? "chain" : sections[i].name;
        ff_html_f(&p->h, "<li><a href=\"#%s\">%s</a></li>\n", id, sections[i].title);
    }
    ff_html_raw(&p->h, "</ul>");
}

static void fill(page *p, ff_bytes name)
{
    for (size_t i = 0; i < SECTIONS; i++) {
        if (ff_equal(name, ff_str(sections[i].name))) {
            ff_text_add(p->out, ff_text_view(&p->parts[i]));
            return;
        }
    }
    if (ff_equal(name, FF_LIT("policy")))
        add_policy(p);
    else if (ff_equal(name, FF_LIT("title")))
        add_title(p);
    else if (ff_equal(name, FF_LIT("style")))
        ff_text_add(p->out, embedded("page.css"));
    else if (ff_equal(name, FF_LIT("script")))
        ff_text_add(p->out, embedded("page.js"));
    else if (ff_equal(name, FF_LIT("inputs")))
        add_inputs(p);
    else if (ff_equal(name, FF_LIT("nav")))
        add_nav(p);
    else if (ff_equal(name, FF_LIT("footer")))
        ff_text_adds(p->out, "firstfault " FF_VERSION);
    else
        assert(false && "page.html names a part that nobody writes");
}

static void fill_frame(page *p)
{
    ff_bytes rest = embedded("page.html"), text, name;
    p->h.out = p->out;
    while (rest.n) {
        size_t at = ff_find(rest, FF_LIT("{{"));
        text = ff_first_n(rest, at);
        ff_text_add(p->out, text);
        rest = ff_skip_n(rest, at + 2 < rest.n ? at + 2 : rest.n);
        if (!rest.n || !ff_take_until(&rest, '}', &name))
            break;
        (void)ff_take_char(&rest, '}');
        fill(p, name);
    }
}

/* ---- what must be known before the first part is written ---- */
/* Chains are written once for nothing: that tells which findings get their anchor there, so that a link written
 * earlier in the page knows where to go, and only the others keep their evidence in the table. */
static void find_homes(ff_html *h)
{
    const ff_report *r = h->r;
    ff_text nowhere;
    h->home = FF_NEW_N(&h->arena, uint8_t, r->n_findings + 1);
    h->owner = FF_NEW_N(&h->arena, uint32_t, r->n_findings + 1);
    ff_text_init(&nowhere, 1);
    h->out = &nowhere;
    ff_html_incident(h);
    ff_html_others(h);
    ff_text_done(&nowhere);
}

static void choose_rows(ff_html *h)
{
    const ff_report *r = h->r;
    h->rows = FF_NEW_N(&h->arena, uint32_t, FF_HTML_ROWS);
    for (int severity = FF_SEV_CRITICAL; severity >= FF_SEV_NOTE; severity--) {
        for (uint32_t i = 0; i < r->n_findings && h->n_rows < FF_HTML_ROWS; i++) {
            if ((int)r->findings[i].severity != severity)
                continue;
            h->rows[h->n_rows++] = i;
            if (h->home[i] == FF_HOME_NONE)
                h->home[i] = FF_HOME_TABLE;
        }
    }
}

void ff_write_html(const ff_report *r, ff_text *out)
{
    page p = { .h = { .r = r, .main = ff_view_incident(r) }, .out = out };
    ff_arena_init(&p.h.arena);
    ff_text_init(&p.h.clean, 0);
    ff_html_find_starts(&p.h);
    ff_html_find_roles(&p.h);
    find_homes(&p.h);
    choose_rows(&p.h);
    for (size_t i = 0; i < SECTIONS; i++) {
        ff_text_init(&p.parts[i], 0);
        p.h.out = &p.parts[i];
        sections[i].write(&p.h);
        p.h.written += p.parts[i].n;
    }
    fill_frame(&p);
    for (size_t i = 0; i < SECTIONS; i++)
        ff_text_done(&p.parts[i]);
    ff_text_done(&p.h.clean);
    ff_arena_done(&p.h.arena);
}
