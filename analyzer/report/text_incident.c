/* What else an incident could be, and what to do about it. */
#include "text_private.h"

#include <inttypes.h>
#include <stdio.h>

#define NAMES_SHOWN 4u /* of several that compete or are broken too */

void ff_summary_rivals(ff_summary *s, const ff_incident *in)
{
    ff_text *t = ff_summary_fresh(s);
    uint32_t told = 0;
    for (uint32_t i = 0; i < in->n_other_roots && told < NAMES_SHOWN; i++) {
        const ff_finding *f = ff_view_finding(s->r, in->other_roots[i]);
        bool again = !f;
        for (uint32_t k = 0; k < i && !again; k++) {
            const ff_finding *g = ff_view_finding(s->r, in->other_roots[k]);
            again = g && g->cause == f->cause;
        }
        if (again)
            continue;
        ff_text_adds(t, told++ ? ", " : "");
        ff_text_add(t, ff_view_cause_id(s->r, f->cause));
    }
    if (!told)
        return;
    if (in->decide.n) {
        ff_text_adds(t, ". To decide: ");
        ff_text_add(t, in->decide);
    }
    ff_summary_flow(s, FF_INK_WARN, "  Or        ", 12, s->verbose ? 0 : 2);
}

/* ---- what else it could be ---- */
static void tell_rulings(ff_summary *s, const char *title, const ff_ruling *at, uint32_t n)
{
    uint32_t told = ff_summary_head(s, title, n, s->room->rulings);
    for (uint32_t i = 0; i < told; i++) {
        ff_text *t = ff_summary_fresh(s);
        ff_text_add(t, at[i].text);
        for (uint32_t c = 0; !at[i].text.n && c < at[i].n_causes; c++) {
            ff_text_adds(t, c ? ", " : "");
            ff_text_add(t, ff_view_cause_id(s->r, at[i].causes[c]));
        }
        ff_summary_flow(s, FF_INK_PLAIN, "  - ", 4, s->room->item_lines);
        if (!s->verbose || !at[i].n_by)
            continue;
        t = ff_summary_fresh(s);
        for (uint32_t b = 0; b < at[i].n_by; b++) {
            ff_text_adds(t, b ? ", " : "");
            ff_text_add(t, at[i].by[b]);
        }
        ff_summary_flow(s, FF_INK_FAINT, "    ", 4, 0);
    }
}

void ff_summary_rulings(ff_summary *s, const ff_incident *in)
{
    if (in->n_ruled_out)
        tell_rulings(s, "Ruled out", in->ruled_out, in->n_ruled_out);
    if (in->n_not_ruled_out)
        tell_rulings(s, "Not ruled out", in->not_ruled_out, in->n_not_ruled_out);
}

/* ---- what to do ---- */
static void tell_asks(ff_summary *s, const ff_incident *in)
{
    if (!in->n_asks)
        return;
    uint32_t told = ff_summary_head(s, "What would settle it", in->n_asks, s->room->asks);
    for (uint32_t i = 0; i < told; i++) {
        const ff_ask *ask = &in->asks[i];
        ff_text *t = ff_summary_fresh(s);
        ff_text_add(t, ask->host);
        ff_text_adds(t, ask->host.n ? " $ " : "$ ");
        ff_text_add(t, ask->command);
        /* A command must be whole to be copied. */
        ff_summary_flow(s, FF_INK_STRONG, "  ", 4, 0);
        if (ask->why.n)
            ff_page_flow(&s->page, FF_INK_FAINT, "      ", 6, ask->why, s->room->item_lines);
    }
}

void ff_summary_next(ff_summary *s, const ff_incident *in)
{
    const ff_finding *root = ff_view_finding(s->r, in->root);
    const ff_cause *cause = root ? ff_view_cause(s->r, root->cause) : NULL;
    tell_asks(s, in);
    if (!cause)
        return;
    ff_summary_list(s, "Do now", cause->act, cause->n_act, s->room->acts);
    if (!s->verbose)
        return;
    ff_summary_list(s, "Then check", cause->verify, cause->n_verify, 0);
    ff_summary_list(s, "Do not", cause->avoid, cause->n_avoid, 0);
    ff_summary_list(s, "Save first", cause->save, cause->n_save, 0);
}
