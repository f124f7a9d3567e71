/* What folders say of the host of their members: one of them names it for all, or folders of hosts stand side by
 * side. */
#include "intake_private.h"
#include "layout_private.h"
#include "../base/sorted.h"

#include <stdlib.h>

/* ---- hostname and uname outputs speak for their folder ---- */

typedef struct speaker {
    ff_bytes folder, host;
} speaker;

typedef struct below { /* all names that begin with `folder` and `separator` */
    ff_bytes folder;
    char separator;
    bool end; /* the place behind them, not the first */
} below;

static int by_below(const void *member, const void *key)
{
    const below *b = key;
    ff_bytes name = ((const ff_member *)member)->name;
    int order = ff_compare(ff_first_n(name, b->folder.n), b->folder);
    if (order == 0)
        order =
            name.n <= b->folder.n ? -1 : (int)(unsigned char)name.p[b->folder.n] - (int)(unsigned char)b->separator;
    return order == 0 && b->end ? -1 : order;
}

typedef struct range { /* members [from, to) */
    uint32_t from, to;
} range;

/* Members stand in name order, so that those below a folder stand together: one range behind '/', one behind '!'. */
static range members_below(const ff_evidence *e, ff_bytes folder, char separator)
{
    below first = { folder, separator, false }, end = { folder, separator, true };
    return (range){ ff_sorted_slot(&first, e->members, e->n_members, sizeof *e->members, by_below),
                    ff_sorted_slot(&end, e->members, e->n_members, sizeof *e->members, by_below) };
}

static const char separators[] = { '!', '/' };

typedef struct spoken { /* what is said of a member: by the innermost folder that has a speaker */
    ff_bytes folder, host;
    bool doubt;
} spoken;

static void speak_for(const ff_evidence *e, const speaker *s, char separator, spoken *of_member)
{
    range r = members_below(e, s->folder, separator);
    for (uint32_t i = r.from; i < r.to; i++) {
        spoken *best = &of_member[i];
        if (best->folder.n > s->folder.n)
            continue;
        best->doubt = best->folder.n == s->folder.n && (best->doubt || !ff_equal(best->host, s->host));
        best->folder = s->folder;
        best->host = s->host;
    }
}

/* Only below the top: what stands loose in a bundle of many hosts speaks for nobody else. */
void ff_layout_speakers(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    spoken *of_member = FF_NEW_N(l->arena, spoken, (size_t)e->n_members + 1);
    for (uint32_t i = 0; i < e->n_members; i++) {
        ff_bytes folder = ff_name_speaks_for(e->members[i].name);
        if (!ff_equal(e->members[i].host_why, ff_why_head) || !folder.n)
            continue;
        for (unsigned k = 0; k < FF_COUNT(separators); k++)
            speak_for(e, &(speaker){ folder, e->members[i].who.host }, separators[k], of_member);
    }
    for (uint32_t i = 0; i < e->n_members; i++)
        if (of_member[i].host.n && !of_member[i].doubt)
            ff_layout_set(&e->members[i], of_member[i].host, FF_LIT("a host name output in the same folder"));
}

/* ---- a folder for each host ---- */

typedef struct place { /* one part of a member's name: "all/n1/sys/dmesg" has all > n1 > sys/dmesg */
    ff_bytes parent, child, rest;
    uint32_t member;
} place;

static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    int order = ff_compare(x->parent, y->parent);
    order = order ? order : ff_compare(x->rest, y->rest);
    order = order ? order : ff_compare(x->child, y->child);
    return order ? order : x->member < y->member ? -1 : x->member > y->member;
}

#define MOST_PLACES 200000u
#define MOST_FOLDERS 65536u /* that stand beside each other and hold the same file */

static void add_places(const ff_evidence *e, uint32_t member, place **all, uint32_t *n)
{
    ff_bytes name = e->members[member].name;
    for (size_t begin = 0, i = 0; i < name.n && *n < MOST_PLACES; i++) {
        if (name.p[i] != '/' && name.p[i] != '!')
            continue;
        (*all)[(*n)++] = (place){
            ff_first_n(name, begin ? begin - 1 : 0), { name.p + begin, i - begin }, ff_skip_n(name, i + 1), member
        };
        begin = i + 1;
    }
}

/* What the members of a folder call their host, when they agree; else the folder's own name. */
static ff_bytes host_of_folder(const ff_evidence *e, ff_bytes folder, ff_bytes name)
{
    ff_bytes said = { NULL, 0 };
    for (unsigned k = 0; k < FF_COUNT(separators); k++) {
        range r = members_below(e, folder, separators[k]);
        for (uint32_t i = r.from; i < r.to; i++) {
            ff_bytes host = e->members[i].who.host;
            if (host.n && said.n && !ff_equal(said, host))
                return (ff_bytes){ NULL, 0 };
            said = host.n ? host : said;
        }
    }
    return said.n ? said : name;
}

/* p[0..n): the same file in folders beside each other. They are hosts' when one of them is called like a known host,
 * or when the file is of a kind that is taken on hosts and all names could be theirs. */
static bool are_hosts(const ff_layout *l, const place *p, uint32_t n)
{
    bool known = false, possible = true;
    for (uint32_t i = 0; i < n; i++) {
        known = known || ff_equal(ff_hosts_find(&l->known, p[i].child), p[i].child);
        possible = possible && ff_name_may_be_host(p[i].child);
    }
    return n > 1 && possible && (known || ff_guess_name(p[0].rest).of_host);
}

void ff_layout_folders(ff_layout *l)
{
    ff_evidence *e = l->evidence;
    place *all = ff_alloc(MOST_PLACES * sizeof *all);
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->n_members; i++)
        add_places(e, i, &all, &n);
    if (n)
        qsort(all, n, sizeof *all, by_place);
    FF_VEC(speaker) folders = { 0 };
    for (uint32_t i = 0, end; i < n && folders.n < MOST_FOLDERS; i = end) {
        for (end = i + 1; end < n && ff_equal(all[end].parent, all[i].parent) && ff_equal(all[end].rest, all[i].rest);
             end++)
            ;
        if (!are_hosts(l, &all[i], end - i))
            continue;
        for (uint32_t k = i; k < end; k++) {
            ff_bytes folder = ff_first_n(e->members[all[k].member].name,
                                         (size_t)(all[k].rest.p - e->members[all[k].member].name.p) - 1);
            ff_bytes host = host_of_folder(e, folder, all[k].child);
            if (host.n)
                FF_PUSH(&folders, ((speaker){ folder, host }));
        }
    }
    for (uint32_t k = 0; k < folders.n; k++)
        for (unsigned b = 0; b < FF_COUNT(separators); b++) {
            range r = members_below(e, folders.at[k].folder, separators[b]);
            for (uint32_t i = r.from; i < r.to; i++)
                ff_layout_set(&e->members[i], folders.at[k].host,
                              FF_LIT("its folder, beside folders of other hosts"));
        }
    ff_free(folders.at);
    ff_free(all);
}
