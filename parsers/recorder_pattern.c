#include "recorder_pattern.h"
#include "recorder_rows.h"

#include <string.h>

#define MOST_TOKENS 240u
#define MOST_PATTERNS 16384u
#define MOST_DEPTH 8u
#define ROOM 16u /* bytes that are read at once at most, but for texts */
#define NEXT 4u  /* patterns that followed one, the latest first */

typedef enum kind {
    IS_BYTE,
    IS_NUMBER,
    IS_HOLE,
    IS_TEXT,
    IS_ANY_TEXT,
    IS_GROUP,
    IS_SHAPE,
    IS_CONTAINER,
    IS_END
} kind;

typedef struct token {
    uint8_t kind;
    uint8_t code;    /* opcode; of a hole and of sizes the field */
    uint16_t inside; /* of a container: tokens up to its end; 0: it was met in the memo only */
    uint32_t made;   /* what the memo says of it, 0 nothing */
    int64_t value;   /* a number; number of a text */
} token;

typedef struct ff_pattern {
    const token *tokens;
    uint32_t n;
    uint32_t next[NEXT];
    uint32_t other; /* of a key with the same remainder; FF_NONE: none */
    bool open;      /* its sizes are the entry's own, so its call is */
    ff_row row;
} pattern;

void ff_patterns_init(ff_patterns *s, ff_arena *arena)
{
    *s = (ff_patterns){ .last = FF_NONE, .arena = arena };
    for (size_t i = 0; i < FF_COUNT(s->first); i++)
        s->first[i] = FF_NONE;
}

void ff_patterns_done(ff_patterns *s) { ff_free(s->all.at); }

/* ---- places in the source ---- */

static inline bool is_get(const uint8_t *p) { return *p == 'h' || *p == 'j'; }
static inline uint32_t slot_at(const uint8_t *p) { return *p == 'h' ? p[1] : ff_pickle_u32(p + 1); }
static inline const uint8_t *behind_get(const uint8_t *p) { return p + (*p == 'h' ? 2 : 5); }

/* Passes the end of a pair. False: there is none, or it goes into the memo, and then it is the reader's. */
static bool pass_pair(const uint8_t **p)
{
    if (**p != 0x86)
        return false;
    const uint8_t *put = ++*p;
    return *put != 'q' && *put != 'r' && *put != 0x94;
}

/* Notes the number at p, for which there is room, and passes it. False: none that a hole takes. */
static inline bool take_hole(ff_entry_holes *h, const uint8_t *from, const uint8_t **p, uint32_t field,
                             int64_t *value)
{
    bool none = false;
    uint32_t width = ff_hole_number(*p, value, &none);
    if (!width)
        return false;
    h->hole[h->n].at = (uint32_t)(*p - from);
    h->hole[h->n].width = (uint8_t)width;
    h->hole[h->n++].field = (uint8_t)field;
    *p += width;
    return true;
}

/* Passes sizes as the watchdog writes them: nothing of them goes into the memo. False: something else stands there.
 */
static bool pass_shape(const uint8_t **at, const uint8_t *end, ff_shape *s)
{
    const uint8_t *p = *at, *last = end - ROOM;
    ff_shape_init(s);
    if (p > last || p[0] != ']' || p[1] != '(')
        return false;
    for (p += 2; p <= last && p[0] == ']' && p[1] == '('; p++) {
        ff_shape_tensor(s);
        for (p += 2; p <= last && *p != 'e';) {
            int64_t size = 0;
            bool none = false;
            uint32_t width = *p == 'G' ? 0 : ff_hole_number(p, &size, &none);
            if (!width || none)
                return false;
            ff_shape_size(s, size);
            p += width;
        }
    }
    if (p > last || p[0] != 'e' || p[1] == 'q' || p[1] == 'r' || p[1] == 0x94)
        return false;
    *at = p + 1;
    return true;
}

static void begin_holes(ff_entry_holes *h) { *h = (ff_entry_holes){ .group = { FF_NONE, FF_NONE } }; }

static void add_any(ff_entry_holes *h, uint32_t at)
{
    if (h->n_any < FF_ENTRY_ANY)
        h->any[h->n_any] = at;
    h->n_any += h->n_any <= FF_ENTRY_ANY;
}

/* ---- does an entry fit? ---- */

typedef struct fitting {
    ff_pickle *c;
    ff_rows *rows;
    const uint8_t *from, *p;
    struct {
        uint32_t at, made;
    } open[MOST_DEPTH];
    uint32_t depth;
    int64_t values[FF_ENTRY_HOLES];
    uint32_t group[2]; /* words */
    uint32_t sizes[2]; /* what goes in, and what comes out */
    ff_entry_holes *holes;
} fitting;

/* What the value that began at `at` is put into the memo as. False: in a way that only the reader understands. */
static inline bool put_all(fitting *f, uint32_t at, uint32_t made)
{
    ff_pickle *c = f->c;
    for (; *f->p == 'q' || *f->p == 'r'; f->p += *f->p == 'q' ? 2 : 5) {
        uint32_t slot = *f->p == 'q' ? f->p[1] : ff_pickle_u32(f->p + 1);
        if (c->end - f->p < (ptrdiff_t)ROOM || slot > c->memo.n || slot >= FF_CAP_NODES ||
            (slot < c->memo.n && c->memo.at[slot].at != at))
            return false;
        if (slot == c->memo.n)
            FF_PUSH(&c->memo, ((ff_pickle_slot){ at, made }));
        c->memo.at[slot].made = made;
    }
    return *f->p != 0x94;
}

static inline bool fit_text(fitting *f, const token *t, bool any)
{
    ff_pickle *c = f->c;
    ff_bytes text, want = any ? (ff_bytes){ 0 } : ff_rows_text(f->rows, (uint32_t)t->value);
    if (is_get(f->p)) {
        uint32_t slot = slot_at(f->p);
        if (any)
            add_any(f->holes, (uint32_t)(f->p - f->from));
        f->p = behind_get(f->p);
        if (slot >= c->memo.n || any || (t->made && c->memo.at[slot].made == t->made))
            return slot < c->memo.n;
        if (!ff_memo_text(c, slot, &text) || !ff_equal(text, want))
            return false;
        c->memo.at[slot].made = t->made ? t->made : c->memo.at[slot].made;
        return true;
    }
    uint32_t at = (uint32_t)(f->p - c->from);
    const uint8_t *end = ff_memo_text_at(c, f->p, &text);
    if (!end || c->end - end < (ptrdiff_t)ROOM || (!any && !ff_equal(text, want)))
        return false;
    f->p = end;
    return put_all(f, at, t->made);
}

/* Which word of its group it is that stands there. */
static bool take_word(fitting *f, uint32_t i)
{
    ff_pickle *c = f->c;
    ff_bytes text;
    uint32_t *word = &f->group[i];
    if (is_get(f->p)) {
        uint32_t slot = slot_at(f->p);
        f->holes->group[i] = (uint32_t)(f->p - f->from);
        f->p = behind_get(f->p);
        return ff_memo_word(c, &f->rows->store->words, slot, word);
    }
    uint32_t at = (uint32_t)(f->p - c->from);
    const uint8_t *end = ff_memo_text_at(c, f->p, &text);
    if (!end || c->end - end < (ptrdiff_t)ROOM)
        return false;
    *word = ff_rows_word(f->rows, text);
    f->p = end;
    return put_all(f, at, *word <= FF_MADE_MASK ? FF_MADE_WORD | *word : 0);
}

static bool fit_group(fitting *f) { return take_word(f, 0) && take_word(f, 1) && pass_pair(&f->p); }

/* Whatever sizes stand there. */
static bool fit_shape(fitting *f, uint32_t field)
{
    uint32_t *word = &f->sizes[field == FF_ROW_OUT_SIZES];
    ff_shape s;
    if (is_get(f->p)) {
        uint32_t slot = slot_at(f->p), made = slot < f->c->memo.n ? f->c->memo.at[slot].made : 0;
        f->p = behind_get(f->p);
        *word = made & FF_MADE_MASK;
        return (made & ~FF_MADE_MASK) == FF_MADE_SHAPE;
    }
    if (!pass_shape(&f->p, f->c->end, &s))
        return false;
    *word = ff_rows_shape(f->rows, &s);
    return true;
}

/* skipped: its tokens are not needed, the memo holds it. */
static inline bool fit_container(fitting *f, const token *t, bool *skipped)
{
    ff_pickle *c = f->c;
    *skipped = is_get(f->p);
    if (*skipped) {
        uint32_t slot = slot_at(f->p);
        f->p = behind_get(f->p);
        return slot < c->memo.n && (t->made ? c->memo.at[slot].made == t->made : ff_memo_opcode(c, slot) == t->code);
    }
    if (f->p[0] != t->code || f->p[1] != '(' || !t->inside || f->depth == MOST_DEPTH)
        return false;
    f->open[f->depth].at = (uint32_t)(f->p - c->from);
    f->open[f->depth++].made = t->made;
    f->p += 2;
    return true;
}

static inline bool fit_hole(fitting *f, const token *t)
{
    return take_hole(f->holes, f->from, &f->p, t->code, &f->values[f->holes->n]);
}

static inline bool fit_number(fitting *f, const token *t)
{
    int64_t value = 0;
    bool none = false;
    uint32_t width = *f->p == 'G' ? 0 : ff_hole_number(f->p, &value, &none);
    f->p += width;
    return width && !none && value == t->value;
}

/* Most of an entry are places in the memo that mean the same as they did: keys, words, frames. Gives the first token
 * that is something else; f->p moves with it. */
static inline const token *pass_known(fitting *f, const token *k, const token *end)
{
    const uint8_t *p = f->p, *last = f->c->end - ROOM;
    const ff_pickle_slot *memo = f->c->memo.at;
    uint32_t n = f->c->memo.n;
    while (k < end && p <= last && is_get(p) && k->made) {
        uint32_t slot = slot_at(p);
        if (slot >= n || memo[slot].made != k->made)
            break;
        p = behind_get(p);
        k += 1 + k->inside;
    }
    f->p = p;
    return k;
}

static inline bool fit_one(fitting *f, const token *k, bool *skipped)
{
    switch ((kind)k->kind) {
    case IS_BYTE:
        return *f->p++ == k->code;
    case IS_NUMBER:
        return fit_number(f, k);
    case IS_HOLE:
        return fit_hole(f, k);
    case IS_TEXT:
    case IS_ANY_TEXT:
        return fit_text(f, k, k->kind == IS_ANY_TEXT);
    case IS_GROUP:
        return fit_group(f);
    case IS_SHAPE:
        return fit_shape(f, k->code);
    case IS_CONTAINER:
        return fit_container(f, k, skipped);
    case IS_END:
        f->depth--;
        return *f->p++ == k->code && put_all(f, f->open[f->depth].at, f->open[f->depth].made);
    }
    return false;
}

static inline bool fit_all(const pattern *t, fitting *f)
{
    const token *end = t->tokens + t->n;
    for (const token *k = pass_known(f, t->tokens, end); k < end; k = pass_known(f, k, end)) {
        bool skipped = false;
        if (f->c->end - f->p < (ptrdiff_t)ROOM || !fit_one(f, k, &skipped))
            return false;
        k += skipped ? 1 + k->inside : 1;
    }
    return true;
}

/* end: behind it. */
static bool fit(const pattern *t, ff_pickle *c, ff_rows *rows, ff_row *row, ff_entry_holes *holes,
                const uint8_t **end)
{
    fitting f;
    f.c = c;
    f.rows = rows;
    f.from = f.p = c->p;
    f.holes = holes;
    f.depth = f.group[0] = f.group[1] = f.sizes[0] = f.sizes[1] = 0;
    begin_holes(holes);
    if (c->end - c->p < (ptrdiff_t)ROOM || *c->p != '}' || !fit_all(t, &f))
        return false;
    *row = t->row;
    for (uint32_t i = 0; i < holes->n; i++)
        if (!ff_hole_put(row, holes->hole[i].field, f.from[holes->hole[i].at], f.values[i]))
            return false;
    row->entry.offset = (uint32_t)(f.from - c->from);
    row->group_name = f.group[0];
    row->group_desc = f.group[1];
    if (t->open) {
        row->call.in_sizes = f.sizes[0];
        row->call.out_sizes = f.sizes[1];
    }
    *end = f.p;
    return true;
}

static void follow(ff_patterns *s, uint32_t number)
{
    if (s->last != FF_NONE)
        ff_next_put(s->all.at[s->last].next, NEXT, number);
    s->last = number;
}

void ff_patterns_begin(ff_patterns *s) { s->last = s->all.n ? 0 : FF_NONE; }

bool ff_patterns_take(ff_patterns *s, ff_pickle *c, ff_rows *rows, ff_row *row, ff_entry_holes *holes)
{
    const uint8_t *end = NULL;
    if (s->last == FF_NONE || !ff_entry_is_plain(c))
        return false;
    for (uint32_t k = 0; k < NEXT; k++) {
        uint32_t number = s->all.at[s->last].next[k];
        if (number == FF_NONE || !fit(&s->all.at[number], c, rows, row, holes, &end))
            continue;
        c->p = end;
        follow(s, number);
        return true;
    }
    return false;
}

/* ---- making one ---- */

typedef struct making {
    const ff_pickle *c;
    ff_rows *rows;
    const uint8_t *from, *p, *end;
    bool open;
    token tokens[MOST_TOKENS];
    uint32_t n;
    ff_entry_holes *holes;
} making;

static token *add(making *m, kind k, uint8_t code, uint32_t made, int64_t value)
{
    if (m->n == MOST_TOKENS)
        return NULL;
    m->tokens[m->n] = (token){ .kind = (uint8_t)k, .code = code, .made = made, .value = value };
    return &m->tokens[m->n++];
}

/* What the memo says of the value that was just met. */
static uint32_t made_here(making *m)
{
    uint32_t made = 0;
    for (; *m->p == 'q' || *m->p == 'r'; m->p += *m->p == 'q' ? 2 : 5) {
        uint32_t slot = *m->p == 'q' ? m->p[1] : ff_pickle_u32(m->p + 1);
        made = slot < m->c->memo.n ? m->c->memo.at[slot].made : made;
    }
    return made;
}

static bool take_text(making *m, ff_bytes *text, uint32_t *made)
{
    if (is_get(m->p)) {
        uint32_t slot = slot_at(m->p);
        *made = slot < m->c->memo.n ? m->c->memo.at[slot].made : 0;
        m->p = behind_get(m->p);
        return ff_memo_text(m->c, slot, text);
    }
    const uint8_t *end = ff_memo_text_at(m->c, m->p, text);
    if (!end)
        return false;
    m->p = end;
    *made = made_here(m);
    return true;
}

static bool make_text(making *m, bool any)
{
    ff_bytes text;
    uint32_t made = 0;
    if (any && is_get(m->p))
        add_any(m->holes, (uint32_t)(m->p - m->from));
    return take_text(m, &text, &made) &&
           add(m, any ? IS_ANY_TEXT : IS_TEXT, 0, any ? 0 : made, any ? 0 : ff_rows_word(m->rows, text));
}

static bool make_hole(making *m, uint32_t field)
{
    int64_t value;
    return m->holes->n < FF_ENTRY_HOLES && take_hole(m->holes, m->from, &m->p, field, &value) &&
           add(m, IS_HOLE, (uint8_t)field, 0, 0);
}

static bool make_number(making *m)
{
    int64_t value = 0;
    bool none = false;
    uint32_t width = ff_hole_number(m->p, &value, &none);
    if (!width || *m->p == 'G')
        return false;
    m->p += width;
    return add(m, none ? IS_BYTE : IS_NUMBER, 'N', 0, value) != NULL;
}

static bool make_group(making *m)
{
    ff_bytes text;
    uint32_t made;
    for (uint32_t i = 0; i < 2; i++) {
        m->holes->group[i] = is_get(m->p) ? (uint32_t)(m->p - m->from) : FF_NONE;
        if (!take_text(m, &text, &made))
            return false;
    }
    return pass_pair(&m->p) && add(m, IS_GROUP, 0, 0, 0);
}

static bool make_shape(making *m, uint32_t field)
{
    ff_shape s;
    if (is_get(m->p))
        m->p = behind_get(m->p);
    else if (!pass_shape(&m->p, m->c->end, &s))
        return false;
    return add(m, IS_SHAPE, (uint8_t)field, 0, 0);
}

/* One value, or all of a container; any: what it is nobody asks. */
static bool make_value(making *m, bool any)
{
    uint32_t open[MOST_DEPTH], depth = 0;
    do {
        uint8_t op = *m->p, held = is_get(m->p) ? ff_memo_opcode(m->c, slot_at(m->p)) : 0;
        if (m->p >= m->end)
            return false;
        if (held == ']' || held == '}') {
            if (!add(m, IS_CONTAINER, held, m->c->memo.at[slot_at(m->p)].made, 0))
                return false;
            m->p = behind_get(m->p);
        } else if ((op == ']' || op == '}') && m->p[1] == '(') {
            if (depth == MOST_DEPTH - 1 || !add(m, IS_CONTAINER, op, 0, 0))
                return false;
            open[depth++] = m->n - 1;
            m->p += 2;
        } else if (depth && (op == 'e' || op == 'u')) {
            m->p++;
            token *t = &m->tokens[open[--depth]];
            if (!add(m, IS_END, op, 0, 0))
                return false;
            t->inside = (uint16_t)(m->n - open[depth] - 1);
            t->made = made_here(m);
        } else if (op == 0x88 || op == 0x89) {
            m->p++;
            if (!add(m, IS_BYTE, op, 0, 0))
                return false;
        } else if (!(any && make_hole(m, FF_ROW_PASSED)) && !make_number(m) && !make_text(m, any)) {
            return false;
        }
    } while (depth);
    return true;
}

/* }( key value key value ... u */
static bool make_entry(making *m)
{
    if (m->p[0] != '}' || m->p[1] != '(' || !add(m, IS_CONTAINER, '}', 0, 0))
        return false;
    m->p += 2;
    while (m->p < m->end && *m->p != 'u') {
        ff_bytes key;
        uint32_t made;
        if (!take_text(m, &key, &made))
            return false;
        uint32_t field = (uint32_t)ff_rows_field(key);
        bool any = field == FF_ROW_PASSED || field == FF_ROW_OTHER;
        if (!add(m, IS_TEXT, 0, FF_MADE_KEY | field, ff_rows_word(m->rows, key)))
            return false;
        bool sizes = field == FF_ROW_IN_SIZES || field == FF_ROW_OUT_SIZES;
        bool made_one = field == FF_ROW_PROCESS_GROUP ? make_group(m)
                        : m->open && sizes            ? make_shape(m, field)
                                           : (ff_hole_takes(field) && make_hole(m, field)) || make_value(m, any);
        if (!made_one)
            return false;
    }
    m->p++;
    m->tokens[0].inside = (uint16_t)m->n;
    return m->p == m->end && add(m, IS_END, 'u', 0, 0);
}

static bool is_for(const pattern *t, const ff_row *row)
{
    if (t->open != row->seldom)
        return false;
    return t->open ? t->row.call.name == row->call.name && t->row.call.frame == row->call.frame
                   : t->row.entry.call == row->entry.call;
}

static uint32_t keep(ff_patterns *s, const making *m, const ff_row *row, uint32_t *first)
{
    ff_bytes tokens = { (const char *)m->tokens, m->n * sizeof *m->tokens };
    pattern t = { .tokens = (const token *)(const void *)ff_arena_str(s->arena, tokens),
                  .n = m->n,
                  .next = { FF_NONE, FF_NONE, FF_NONE, FF_NONE },
                  .other = *first,
                  .open = m->open,
                  .row = *row };
    t.row.known = !m->open;
    t.row.seldom = false;
    *first = s->all.n;
    FF_PUSH(&s->all, t);
    return *first;
}

bool ff_patterns_learn(ff_patterns *s, ff_pickle *c, ff_rows *rows, const uint8_t *from, const ff_row *row,
                       ff_entry_holes *holes)
{
    ff_row again;
    const uint8_t *end = NULL, *behind = c->p;
    if (!row->known || !ff_entry_is_plain(c) || c->end - c->p < (ptrdiff_t)ROOM)
        return false;
    uint32_t key = row->seldom ? row->call.name * 31 + row->call.frame : row->entry.call->id;
    uint32_t *first = &s->first[key % FF_COUNT(s->first)];
    c->p = from;
    for (uint32_t i = *first; i != FF_NONE; i = s->all.at[i].other) { /* it may be there, and not have followed yet */
        if (is_for(&s->all.at[i], row) && fit(&s->all.at[i], c, rows, &again, holes, &end) && end == behind) {
            c->p = behind;
            follow(s, i);
            return true;
        }
    }
    c->p = behind;
    making m = { .c = c, .rows = rows, .from = from, .p = from, .end = behind, .open = row->seldom, .holes = holes };
    begin_holes(holes);
    if (s->all.n == MOST_PATTERNS || !make_entry(&m))
        return false;
    follow(s, keep(s, &m, row, first));
    return true;
}
