#include "recorder_stencil.h"
#include "recorder_rows.h"

#include <string.h>

#define MOST_STENCILS 8192u
#define MOST_BYTES 2048u /* of an entry */
#define MOST_NEEDS 96u
#define MOST_PUTS 96u
#define WORDS 4u /* compared at once */
#define BLOCK (WORDS * 8u)
#define ROOM (BLOCK + 16u) /* that may be looked at behind an entry */

/* The numbers that an entry has of its own. */
typedef enum place { RECORD_ID, SEQ, P2P_SEQ, CREATED, STARTED, COMPLETED, DURATION, WHOLE_MS, PLACES } place;

typedef struct hole { /* a number between bytes that are fixed */
    uint16_t at;      /* of its first byte, behind the opcode */
    uint8_t op, place;
} hole;

typedef enum need_kind { ANY_VALUE, SAME_MADE, SAME_TEXT, SAME_OPCODE } need_kind;

typedef struct need { /* what the memo must hold */
    uint32_t slot, what;
    need_kind kind;
} need;

typedef struct put {   /* what the entry puts into the memo */
    uint32_t at, made; /* at: from the entry's begin */
} put;

typedef struct ff_stencil {
    const uint64_t *bytes, *mask;
    uint32_t n, blocks; /* bytes of the entry; BLOCKs that are compared */
    uint32_t dump;      /* the last one of which the needs were found to hold */
    uint32_t next[FF_STENCIL_NEXT];
    uint32_t other;    /* of a call with the same remainder; FF_NONE: none */
    uint32_t pattern;  /* number of the same in the store */
    uint32_t group[2]; /* slots of its group's name and description; FF_NONE: they stand in the bytes */
    uint32_t n_holes, n_needs, n_puts, first_put;
    const need *needs;
    const put *puts;
    hole holes[FF_ENTRY_HOLES];
    ff_row row; /* placed in the group of that dump */
} stencil;

static void set_none(uint32_t *next)
{
    for (uint32_t i = 0; i < FF_STENCIL_NEXT; i++)
        next[i] = FF_NONE;
}

void ff_stencils_init(ff_stencils *s, ff_arena *arena)
{
    *s = (ff_stencils){ .last = FF_NONE, .arena = arena };
    set_none(s->begin);
    for (size_t i = 0; i < FF_COUNT(s->first); i++)
        s->first[i] = FF_NONE;
}

void ff_stencils_done(ff_stencils *s) { ff_free(s->all.at); }

/* Where ranks have so little in common that the table is full, those of former dumps are of no use. */
void ff_stencils_begin(ff_stencils *s)
{
    uint32_t dump = s->dump + 1;
    if (s->all.n == MOST_STENCILS) {
        ff_arena *arena = s->arena;
        ff_stencils_done(s);
        ff_stencils_init(s, arena);
    }
    s->last = FF_NONE;
    s->dump = dump;
}

/* ---- laying it on ---- */

static inline bool is_same(const stencil *t, const uint8_t *p)
{
    const uint64_t *bytes = t->bytes, *mask = t->mask;
    for (uint32_t i = 0; i < t->blocks; i++, p += BLOCK, bytes += WORDS, mask += WORDS) {
        uint64_t here[WORDS], odd = 0;
        memcpy(here, p, sizeof here);
        for (uint32_t k = 0; k < WORDS; k++)
            odd |= (here[k] ^ bytes[k]) & mask[k];
        if (odd)
            return false;
    }
    return true;
}

static bool holds(const ff_pickle *c, const ff_rows *rows, const need *n)
{
    ff_bytes text;
    if (n->slot >= c->memo.n)
        return false;
    switch (n->kind) {
    case ANY_VALUE:
        return true;
    case SAME_MADE:
        return c->memo.at[n->slot].made == n->what;
    case SAME_TEXT:
        return ff_memo_text(c, n->slot, &text) && ff_equal(text, ff_rows_text(rows, n->what));
    case SAME_OPCODE:
        return ff_memo_opcode(c, n->slot) == n->what;
    }
    return false;
}

/* Does it mean in this dump what it meant in that of which it was made? Asked once a dump: what the memo holds stays.
 * Its group is another one there. */
static bool means_the_same(stencil *t, ff_stencils *s, ff_pickle *c, ff_rows *rows)
{
    if (t->dump == s->dump)
        return true;
    for (uint32_t i = 0; i < t->n_needs; i++)
        if (!holds(c, rows, &t->needs[i]))
            return false;
    uint32_t words[2] = { t->row.group_name, t->row.group_desc };
    for (uint32_t i = 0; i < 2; i++)
        if (t->group[i] != FF_NONE && !ff_memo_word(c, &rows->store->words, t->group[i], &words[i]))
            return false;
    t->row.group_name = words[0];
    t->row.group_desc = words[1];
    ff_rows_place(rows, &t->row);
    t->dump = s->dump;
    return true;
}

static bool put_all(const stencil *t, ff_pickle *c)
{
    if (c->memo.n != t->first_put || t->first_put + t->n_puts > FF_CAP_NODES)
        return false;
    uint32_t from = (uint32_t)(c->p - c->from);
    for (uint32_t i = 0; i < t->n_puts; i++)
        FF_PUSH(&c->memo, ((ff_pickle_slot){ from + t->puts[i].at, t->puts[i].made }));
    return true;
}

static inline int64_t number_at(const uint8_t *p, uint8_t op)
{
    switch (op) {
    case 'K':
        return *p;
    case 'M':
        return p[0] | p[1] << 8;
    case 'J':
        return (int32_t)ff_pickle_u32(p);
    case 'G': {
        uint64_t bits = 0;
        for (int i = 0; i < 8; i++)
            bits = bits << 8 | p[i];
        return (int64_t)bits;
    }
    default:
        return (int64_t)ff_pickle_u64(p);
    }
}

/* What has no hole is as in the entry it was made of. */
static inline void read_numbers(const stencil *t, const uint8_t *p, ff_row *row)
{
    ff_fr_entry *e = &row->entry;
    int64_t v[PLACES] = { row->record_id,        e->seq,          e->p2p_seq,
                          row->times.created_ns, row->started_ns, row->completed_ns };
    uint32_t has = 0;
    for (uint32_t i = 0; i < t->n_holes; i++) {
        v[t->holes[i].place] = number_at(p + t->holes[i].at, t->holes[i].op);
        has |= 1u << t->holes[i].place;
    }
    row->record_id = v[RECORD_ID];
    e->seq = ff_row_seq(v[SEQ]);
    e->p2p_seq = ff_row_seq(v[P2P_SEQ]);
    row->times.created_ns = v[CREATED];
    row->started_ns = v[STARTED];
    row->completed_ns = v[COMPLETED];
    if (has >> DURATION & 1) {
        double ms;
        memcpy(&ms, &v[DURATION], sizeof ms);
        row->times.duration_ms = ff_row_ms(ms);
    } else if (has >> WHOLE_MS & 1) {
        row->times.duration_ms = ff_row_ms((double)v[WHOLE_MS]);
    }
}

static uint32_t *followers(ff_stencils *s) { return s->last == FF_NONE ? s->begin : s->all.at[s->last].next; }

static inline void follow(ff_stencils *s, uint32_t number)
{
    uint32_t *next = followers(s);
    if (next[0] != number)
        ff_next_put(next, FF_STENCIL_NEXT, number);
    s->last = number;
}

bool ff_stencils_take(ff_stencils *s, ff_pickle *c, ff_rows *rows, ff_row *row, uint32_t *pattern)
{
    const uint32_t *next = followers(s);
    size_t left = ff_pickle_left(c);
    if (!ff_entry_is_plain(c))
        return false;
    for (uint32_t k = 0; k < FF_STENCIL_NEXT && next[k] != FF_NONE; k++) {
        stencil *t = &s->all.at[next[k]];
        if (left < t->n + ROOM || !is_same(t, c->p) || !means_the_same(t, s, c, rows) ||
            (t->n_puts && !put_all(t, c)))
            continue;
        *row = t->row;
        row->entry.offset = (uint32_t)(c->p - c->from);
        read_numbers(t, c->p, row);
        c->p += t->n;
        *pattern = t->pattern;
        follow(s, next[k]);
        return true;
    }
    return false;
}

/* ---- making one ---- */

typedef struct making {
    const ff_pickle *c;
    ff_rows *rows;
    const ff_entry_holes *holes;
    stencil t;
    need needs[MOST_NEEDS];
    put puts[MOST_PUTS];
    uint32_t fields; /* that have a hole: a bit each */
    uint64_t mask[(MOST_BYTES + BLOCK) / 8];
} making;

/* Where a number of that field goes; PLACES: nowhere. */
static place place_of(uint32_t field, uint8_t op)
{
    switch (field) {
    case FF_ROW_RECORD_ID:
        return RECORD_ID;
    case FF_ROW_COLLECTIVE_SEQ:
        return SEQ;
    case FF_ROW_P2P_SEQ:
        return P2P_SEQ;
    case FF_ROW_CREATED:
        return CREATED;
    case FF_ROW_STARTED:
        return STARTED;
    case FF_ROW_COMPLETED:
        return COMPLETED;
    case FF_ROW_DURATION:
        return op == 'G' ? DURATION : WHOLE_MS;
    default:
        return PLACES;
    }
}

/* Numbers that nobody needs are only masked; one that says "none" is like any other byte. A field that is given twice
 * is the reader's. */
static bool make_hole(making *m, const uint8_t *from, uint32_t at, uint32_t width, uint32_t field)
{
    uint8_t op = from[at];
    uint32_t head = op == 0x8a ? 2 : 1;
    hole h = { .at = (uint16_t)(at + head), .op = op, .place = (uint8_t)place_of(field, op) };
    if (width > 1)
        memset((uint8_t *)m->mask + at + head, 0, width - head);
    if (field == FF_ROW_PASSED)
        return true;
    if (h.place == PLACES || m->fields >> field & 1)
        return false;
    m->fields |= 1u << field;
    if (width > 1)
        m->t.holes[m->t.n_holes++] = h;
    return true;
}

static bool make_put(making *m, uint32_t slot, uint32_t from)
{
    const ff_pickle *c = m->c;
    uint32_t i = m->t.n_puts;
    if (slot >= c->memo.n || i == MOST_PUTS || c->memo.at[slot].at == FF_NONE || c->memo.at[slot].at < from)
        return false;
    uint8_t op = ff_memo_opcode(c, slot);
    if (op == 't' || (op >= 0x85 && op <= 0x87)) /* of a tuple the memo says where it begins */
        return false;
    m->t.first_put = i ? m->t.first_put : slot;
    m->puts[i] = (put){ c->memo.at[slot].at - from, c->memo.at[slot].made };
    m->t.n_puts++;
    return slot == m->t.first_put + i;
}

static bool is_any(const ff_entry_holes *h, uint32_t at)
{
    for (uint32_t i = 0; i < h->n_any; i++)
        if (h->any[i] == at)
            return true;
    return false;
}

/* at: where the value is asked for, from the entry's begin. */
static bool make_need(making *m, uint32_t slot, uint32_t at)
{
    const ff_entry_holes *h = m->holes;
    ff_bytes text;
    need n = { .slot = slot, .kind = ANY_VALUE };
    if (slot >= m->c->memo.n || (m->t.n_puts && slot >= m->t.first_put))
        return slot < m->c->memo.n; /* it is the entry's own */
    for (uint32_t i = 0; i < 2; i++) {
        if (h->group[i] == at) {
            m->t.group[i] = slot;
            return true;
        }
    }
    uint8_t op = ff_memo_opcode(m->c, slot);
    if (is_any(h, at)) {
        n.kind = ANY_VALUE;
    } else if (m->c->memo.at[slot].made) {
        n.kind = SAME_MADE;
        n.what = m->c->memo.at[slot].made;
    } else if (op == ']' || op == '}') {
        n.kind = SAME_OPCODE;
        n.what = op;
    } else if (ff_memo_text(m->c, slot, &text)) {
        n.kind = SAME_TEXT;
        n.what = ff_rows_word(m->rows, text);
    } else {
        return false;
    }
    for (uint32_t i = 0; i < m->t.n_needs; i++)
        if (m->needs[i].slot == slot && m->needs[i].kind == n.kind)
            return true;
    if (m->t.n_needs == MOST_NEEDS)
        return false;
    m->needs[m->t.n_needs++] = n;
    return true;
}

static bool make_memo(making *m, const uint8_t *from)
{
    const uint8_t *end = from + m->t.n;
    uint32_t begin = (uint32_t)(from - m->c->from);
    ff_pickle_span span;
    for (const uint8_t *p = from; p < end; p += span.head + span.body) {
        ff_bytes rest = { (const char *)p, (size_t)(end - p) };
        if (!ff_pickle_measure(rest, &span) || span.body > rest.n - span.head)
            return false;
        if ((*p == 'h' || *p == 'j') && !make_need(m, *p == 'h' ? p[1] : ff_pickle_u32(p + 1), (uint32_t)(p - from)))
            return false;
        if ((*p == 'q' || *p == 'r') && !make_put(m, *p == 'q' ? p[1] : ff_pickle_u32(p + 1), begin))
            return false;
    }
    return !m->t.n_puts || m->t.first_put + m->t.n_puts == m->c->memo.n;
}

static const void *copy_of(ff_stencils *s, const void *from, size_t n)
{
    return ff_arena_str(s->arena, (ff_bytes){ from, n });
}

static bool make(making *m, const uint8_t *from)
{
    memset(m->mask, 0xff, m->t.n);
    memset((uint8_t *)m->mask + m->t.n, 0, sizeof m->mask - m->t.n);
    for (uint32_t i = 0; i < m->holes->n; i++)
        if (!make_hole(m, from, m->holes->hole[i].at, m->holes->hole[i].width, m->holes->hole[i].field))
            return false;
    return make_memo(m, from);
}

static void keep(ff_stencils *s, making *m, const uint8_t *from, uint32_t *first)
{
    uint64_t bytes[(MOST_BYTES + BLOCK) / 8] = { 0 };
    memcpy(bytes, from, m->t.n);
    m->t.bytes = copy_of(s, bytes, m->t.blocks * (size_t)BLOCK);
    m->t.mask = copy_of(s, m->mask, m->t.blocks * (size_t)BLOCK);
    m->t.needs = copy_of(s, m->needs, m->t.n_needs * sizeof *m->needs);
    m->t.puts = copy_of(s, m->puts, m->t.n_puts * sizeof *m->puts);
    m->t.other = *first;
    *first = s->all.n;
    FF_PUSH(&s->all, m->t);
}

/* One that was made of other entries fits this one, but had not followed yet. */
static bool find_made(ff_stencils *s, const ff_pickle *c, ff_rows *rows, const uint8_t *from, uint32_t n,
                      const ff_row *row)
{
    ff_pickle here = *c;
    here.p = from;
    for (uint32_t i = s->first[row->entry.call->id % FF_COUNT(s->first)]; i != FF_NONE; i = s->all.at[i].other) {
        stencil *t = &s->all.at[i];
        if (t->n == n && t->row.entry.call == row->entry.call && is_same(t, from) &&
            means_the_same(t, s, &here, rows)) {
            follow(s, i);
            return true;
        }
    }
    return false;
}

void ff_stencils_learn(ff_stencils *s, const ff_pickle *c, ff_rows *rows, const uint8_t *from, const ff_row *row,
                       const ff_entry_holes *holes, uint32_t pattern)
{
    size_t n = (size_t)(c->p - from);
    if (holes->n_any > FF_ENTRY_ANY || ff_pickle_left(c) < ROOM || n > MOST_BYTES ||
        find_made(s, c, rows, from, (uint32_t)n, row) || s->all.n == MOST_STENCILS)
        return;
    making m = { .c = c, .rows = rows, .holes = holes };
    m.t = (stencil){ .n = (uint32_t)n,
                     .blocks = (uint32_t)((n + BLOCK - 1) / BLOCK),
                     .dump = s->dump,
                     .pattern = pattern,
                     .group = { FF_NONE, FF_NONE },
                     .row = *row };
    set_none(m.t.next);
    if (!make(&m, from))
        return;
    uint32_t number = s->all.n;
    keep(s, &m, from, &s->first[row->entry.call->id % FF_COUNT(s->first)]);
    follow(s, number);
}
