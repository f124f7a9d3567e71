/* Pickles: the pull parser alone, and dumps written with it. All data invented. */
#include "doc_catch.h"

#include "../analyzer/base/text.h"
#include "../parsers/pickle.h"

extern const ff_parser ff_parser_fr_pickle;

/* ---- values ---- */

/* What the parser gives, in Python's spelling; "?" for what was passed over. */
static void show(ff_pickle *c, ff_text *out, int depth)
{
    ff_pickle_items items;
    ff_bytes text;
    uint32_t slot;
    int64_t number = -999;
    if (depth < 12 && ff_pickle_list(c, &items)) {
        ff_text_addc(out, '[');
        while (ff_pickle_next(c, &items)) {
            if (items.n > 1)
                ff_text_addc(out, ' ');
            show(c, out, depth + 1);
        }
        ff_text_addc(out, ']');
    } else if (depth < 12 && ff_pickle_map(c, &items)) {
        ff_text_addc(out, '{');
        while (ff_pickle_next(c, &items)) {
            if (items.n > 1)
                ff_text_addc(out, ' ');
            show(c, out, depth + 1);
            ff_text_addc(out, ':');
            show(c, out, depth + 1);
        }
        ff_text_addc(out, '}');
    } else if (ff_pickle_text(c, &text, &slot)) {
        ff_text_add(out, text);
    } else if (ff_pickle_int(c, &number)) {
        ff_text_addf(out, "%lld", (long long)number);
    } else {
        ff_pickle_skip(c);
        ff_text_addc(out, c->problem ? '!' : '?');
    }
}

typedef struct row {
    const char *bytes;
    size_t n;
    const char *shown, *problem;
} row;
#define P(bytes, shown, problem)                                                                                     \
    {                                                                                                                \
        bytes, sizeof(bytes) - 1, shown, problem                                                                     \
    }

static void check_rows(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ff_pickle c;
        ff_text out;
        char *copy = malloc(rows[i].n); /* of exactly their size: a read past the end is seen */
        memcpy(copy, rows[i].bytes, rows[i].n);
        ff_text_init(&out, 4096);
        ff_pickle_open(&c, (ff_bytes){ copy, rows[i].n });
        show(&c, &out, 0);
        CHECK_TEXT(ff_text_view(&out), rows[i].shown);
        CHECK_TEXT(ff_str(c.problem ? c.problem : ""), rows[i].problem);
        ff_text_done(&out);
        ff_pickle_done(&c);
        free(copy);
    }
}

TEST(values_are_read_whatever_wrote_them)
{
    static const row rows[] = {
        /* the C++ pickler: marks even around nothing, memo numbers behind the container */
        P("\x80\x02}(X\x01\0\0\0aq\0](eX\x01\0\0\0bq\1](K\1M\0\2J\xff\xff\xff\xff"
          "e]q\2X\x01\0\0\0cq\3h\0u.",
          "{a:[] b:[1 512 -1] []:c a:!}", "a broken pickle: too few values"),
        P("\x80\x02}(X\x01\0\0\0aq\0](eX\x01\0\0\0bq\1](K\1eq\2X\x01\0\0\0ch\2u.", "{a:[] b:[1] c:[1]}", ""),
        /* Python: memo numbers before the content, one item without a mark, nothing without anything */
        P("\x80\x02}q\0(X\x01\0\0\0aq\1]q\2X\x01\0\0\0bq\3]q\4K\5aX\x01\0\0\0cq\5}q\6X\x01\0\0\0dq\7h\4su.",
          "{a:[] b:[5] c:{d:[5]}}", ""),
        P("\x80\x04\x95\x20\0\0\0\0\0\0\0}\x94(\x8c\1a\x94]\x94]\x94K\3aa\x8c\1b\x94h\2\x8c\1c\x94}\x94u.",
          "{a:[[3]] b:[[3]] c:{}}", ""),
        P("\x80\x02](](]((K\1K\2K\3K\4tK\5eee.", "[[[[1 2 3 4] 5]]]", ""),
        P("\x80\x02](N\x88\x89G\x3f\xf8\0\0\0\0\0\0e.", "[-999 1 0 ?]", ""),
        P("\x80\x02](\x8a\1\xff\x8a\2\0\x80\x8a\0\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\0"
          "\x8a\x09\5\0\0\0\0\0\0\0\0e.",
          "[-1 -32768 0 -999 5]", ""),
        P("\x80\x02](K\1K\2e(K\3K\4e.", "[1 2 3 4]", ""),
    };
    check_rows(rows, FF_COUNT(rows));
}

TEST(pickles_that_do_harm_end_where_they_begin_to)
{
    static const row rows[] = {
        P("\x80\x02](K\1cos\nsystem\n(X\2\0\0\0idtRe.", "[1 !]", "an opcode that would run code"),
        P("\x80\x04](K\1\x93K\2e.", "[1 !]", "an opcode that would run code"),
        P("\x80\x02](K\1\xf0", "[1 !]", "an opcode that is not known"),
        P("\x80\x02](K\1h\7e.", "[1 !]", "a broken pickle: memo number"),
        P("\x80\x02](X\1\0\0\0ar\xff\xff\xff\x7f"
          "e.",
          "[a]", "a broken pickle: memo number"),
        P("\x80\x02](X\xff\xff\xff\xff"
          "xy",
          "[!]", "the pickle ends inside a value"),
        P("\x80\x04](\x8d\xff\xff\xff\xff\xff\xff\xff\xffx", "[!]", "the pickle ends inside a value"),
        P("\x80\x02](K\1", "[1]", "the pickle ends before its last opcode"),
        P("\x80\x02", "!", "the pickle ends before its last opcode"),
        P("\x80\x02"
          "ae.",
          "!", "a broken pickle: too few values"),
    };
    check_rows(rows, FF_COUNT(rows));
}

TEST(pickle_that_contains_itself_ends)
{
    static const char text[] = "\x80\x02]q\0(h\0h\0h\0h\0e.";
    ff_pickle c;
    ff_text out;
    ff_text_init(&out, 1 << 20);
    ff_pickle_open(&c, (ff_bytes){ text, sizeof text - 1 });
    show(&c, &out, 0);
    CHECK(out.n < 1 << 20);
    ff_pickle_done(&c);
    ff_text_done(&out);
}

/* Containers that seem to be empty, one behind the other: where each ends shows only behind the last. */
TEST(tangled_pickle_costs_no_more_than_its_cap)
{
    size_t n = 400000;
    char *bytes = malloc(n);
    memset(bytes, ']', n);
    memcpy(bytes, "\x80\x02}(X\1\0\0\0v", 9);
    ff_pickle c;
    ff_pickle_items items;
    ff_bytes text;
    uint32_t slot, most = 0;
    ff_pickle_open(&c, (ff_bytes){ bytes, n });
    CHECK(ff_pickle_map(&c, &items) && ff_pickle_next(&c, &items) && ff_pickle_text(&c, &text, &slot));
    while (ff_pickle_list(&c, &items) && !c.problem) {
        (void)ff_pickle_next(&c, &items);
        most++;
    }
    CHECK(c.problem != NULL);
    CHECK(c.looked <= 66 * (uint64_t)n + 66 * 4096);
    ff_pickle_done(&c);
    free(bytes);
}

TEST(pairs_are_tuples_or_lists)
{
    static const row rows[] = {
        P("\x80\x02X\1\0\0\0aq\0X\1\0\0\0bq\1\x86.", "a b", ""),
        P("\x80\x02](X\1\0\0\0aX\1\0\0\0be.", "a b", ""),
        P("\x80\x02X\1\0\0\0aq\0h\0.", "", "a broken pickle: too few values"),
    };
    for (size_t i = 0; i < FF_COUNT(rows); i++) {
        ff_pickle c;
        ff_bytes one = { 0 }, two = { 0 };
        ff_text out;
        ff_text_init(&out, 100);
        ff_pickle_open(&c, (ff_bytes){ rows[i].bytes, rows[i].n });
        if (ff_pickle_pair(&c, &one, &two)) {
            ff_text_add(&out, one);
            ff_text_addc(&out, ' ');
            ff_text_add(&out, two);
        }
        CHECK_TEXT(ff_text_view(&out), rows[i].shown);
        CHECK_TEXT(ff_str(c.problem ? c.problem : ""), rows[i].problem);
        ff_text_done(&out);
        ff_pickle_done(&c);
    }
}

/* ---- dumps ---- */

static const uint8_t sample[] = { /* what the C++ pickler writes: one entry, shared strings through the memo */
                                  0x80, 0x02, 0x7d, 0x28, 0x58, 7,    0,    0,    0,    'v',  'e',  'r',  's',  'i',
                                  'o',  'n',  0x71, 0,    0x58, 4,    0,    0,    0,    '2',  '.',  '1',  '0',  0x71,
                                  1,    0x58, 7,    0,    0,    0,    'e',  'n',  't',  'r',  'i',  'e',  's',  0x71,
                                  2,    0x5d, 0x28, 0x7d, 0x28, 0x58, 9,    0,    0,    0,    'r',  'e',  'c',  'o',
                                  'r',  'd',  '_',  'i',  'd',  0x71, 3,    0x4b, 7,    0x58, 13,   0,    0,    0,
                                  'p',  'r',  'o',  'c',  'e',  's',  's',  '_',  'g',  'r',  'o',  'u',  'p',  0x71,
                                  4,    0x58, 1,    0,    0,    0,    '0',  0x71, 5,    0x58, 10,   0,    0,    0,
                                  'd',  'e',  'f',  'a',  'u',  'l',  't',  '_',  'p',  'g',  0x71, 6,    0x86, 0x58,
                                  14,   0,    0,    0,    'p',  'r',  'o',  'f',  'i',  'l',  'i',  'n',  'g',  '_',
                                  'n',  'a',  'm',  'e',  0x71, 7,    0x58, 15,   0,    0,    0,    'n',  'c',  'c',
                                  'l',  ':',  'a',  'l',  'l',  '_',  'r',  'e',  'd',  'u',  'c',  'e',  0x71, 8,
                                  0x58, 15,   0,    0,    0,    't',  'i',  'm',  'e',  '_',  'c',  'r',  'e',  'a',
                                  't',  'e',  'd',  '_',  'n',  's',  0x71, 9,    0x8a, 8,    0x15, 0x0d, 0x89, 0xc1,
                                  0x66, 0xc3, 0x7c, 0x18, 0x58, 11,   0,    0,    0,    'd',  'u',  'r',  'a',  't',
                                  'i',  'o',  'n',  '_',  'm',  's',  0x71, 10,   0x47, 0x3f, 0xf8, 0,    0,    0,
                                  0,    0,    0,    0x58, 11,   0,    0,    0,    'i',  'n',  'p',  'u',  't',  '_',
                                  's',  'i',  'z',  'e',  's',  0x71, 11,   0x5d, 0x28, 0x5d, 0x28, 0x4d, 0x2c, 0x01,
                                  0x4a, 0x70, 0x11, 0x01, 0x00, 0x65, 0x71, 12,   0x65, 0x71, 13,   0x75, 0x71, 14,
                                  0x65, 0x71, 15,   0x75, 0x71, 16,   0x2e
};

/* "time_created_ns" is 15 bytes; its length byte above says so. */
TEST(pickle_of_the_watchdog_becomes_a_row)
{
    catch_reset();
    CHECK_INT(
        catch_parse(&ff_parser_fr_pickle, "nccl_trace_rank_3", (ff_bytes){ (const char *)sample, sizeof sample }),
        FF_OK);
    CHECK_INT(got.skips, 0);
    const ff_dump *d = got.dumps.at[0];
    CHECK_INT(d->rank, 3);
    CHECK(!d->truncated);
    CHECK_TEXT(d->version, "2.10");
    CHECK_INT(d->n_entries, 1);
    const ff_fr_entry *e = &d->entries[0];
    CHECK_INT(ff_fr_record_id(d, e), 7);
    CHECK_INT(d->times[0].created_ns, INT64_C(1764500000123456789));
    CHECK(d->times[0].duration_ms == 1.5f);
    CHECK_TEXT(e->call->op, "all_reduce");
    CHECK_TEXT(e->call->in_sizes, "[[300, 70000]]");
    CHECK_INT(e->call->in_numel, 21000000);
    CHECK_TEXT(d->groups[e->group].name, "0");
    CHECK_TEXT(d->groups[e->group].desc, "default_pg");
    CHECK_INT(e->offset, 45); /* the entry's first opcode */
}

typedef struct writer {
    char bytes[8192];
    size_t n;
} writer;

static void add(writer *w, const char *bytes, size_t n)
{
    memcpy(w->bytes + w->n, bytes, n);
    w->n += n;
}
#define ADD(w, literal) add(w, literal, sizeof(literal) - 1)

static void add_text(writer *w, const char *text, int slot) /* slot < 0: the memo does not keep it */
{
    const char head[5] = { 'X', (char)strlen(text), 0, 0, 0 }, tail[2] = { 'q', (char)slot };
    add(w, head, sizeof head);
    add(w, text, strlen(text));
    add(w, tail, slot < 0 ? 0 : sizeof tail);
}

static void add_key(writer *w, bool first, const char *text, int slot)
{
    const char get[2] = { 'h', (char)slot };
    if (first)
        add_text(w, text, slot);
    else
        add(w, get, sizeof get);
}

/* Entries that differ in their numbers only are read by a stencil; what the memo then holds instead must be seen. */
static void write_alike(writer *w, int entries, int renamed)
{
    w->n = 0;
    ADD(w, "\x80\x02}(");
    add_text(w, "version", -1);
    add_text(w, "2.10", -1);
    add_text(w, "entries", -1);
    ADD(w, "](");
    for (int i = 0; i < entries; i++) {
        const char record[2] = { 'K', (char)i }, ended[2] = { i % 3 ? 'K' : 'N', 5 };
        ADD(w, "}(");
        add_key(w, !i, "record_id", 0);
        add(w, record, sizeof record);
        add_key(w, !i, "profiling_name", 1);
        if (i == renamed)
            add_text(w, "nccl:broadcast", 2);
        else
            add_key(w, !i, "nccl:all_reduce", 2);
        add_key(w, !i, "input_sizes", 3);
        ADD(w, "](](K\4J\1\0\1\0ee");
        add_key(w, !i, "collective_seq_id", 4);
        ADD(w, "M");
        const char seq[2] = { (char)(i + 1), 1 };
        add(w, seq, sizeof seq);
        add_key(w, !i, "time_created_ns", 5);
        ADD(w, "\x8a\x08\x15\x0d\x89\xc1\x66\xc3\x7c\x18");
        add_key(w, !i, "time_discovered_completed_ns", 6);
        add(w, ended, i % 3 ? 2 : 1);
        ADD(w, "u");
    }
    ADD(w, "e");
    add_text(w, "vendor", -1);
    add_text(w, "a text of some length, so that enough stands behind the last entry", -1);
    add_text(w, "more", -1);
    add_text(w, "a text of some length, so that enough stands behind the last entry", -1);
    add_text(w, "most", -1);
    add_text(w, "a text of some length, so that enough stands behind the last entry", -1);
    ADD(w, "u.");
}

TEST(entries_that_repeat_are_read_like_others)
{
    static writer w;
    static const int renamed[] = { -1, 15 };
    for (size_t k = 0; k < FF_COUNT(renamed); k++) {
        write_alike(&w, 24, renamed[k]);
        catch_reset();
        CHECK_INT(catch_parse(&ff_parser_fr_pickle, "nccl_trace_rank_0", (ff_bytes){ w.bytes, w.n }), FF_OK);
        CHECK_INT(got.skips, 0);
        const ff_dump *d = got.dumps.at[0];
        CHECK_INT(d->n_entries, 24);
        for (uint32_t i = 0; i < d->n_entries; i++) {
            const ff_fr_entry *e = &d->entries[i];
            bool after = renamed[k] >= 0 && (int)i >= renamed[k];
            CHECK_TEXT(e->call->op, after ? "broadcast" : "all_reduce");
            CHECK_TEXT(e->call->in_sizes, "[[4, 65537]]");
            CHECK_INT(ff_fr_record_id(d, e), i);
            CHECK_INT(e->seq, 256 + i + 1);
            CHECK(i % 3 ? d->times[i].ended_ms == 0 : d->times[i].ended_ms < 0);
            CHECK_INT(w.bytes[ff_fr_offset(d, e)], '}');
        }
    }
    catch_every_cut(&ff_parser_fr_pickle, "nccl_trace_rank_3", (ff_bytes){ w.bytes, w.n });
}

TEST(hostile_pickles_end_cleanly)
{
    catch_every_cut(&ff_parser_fr_pickle, "nccl_trace_rank_3", (ff_bytes){ (const char *)sample, sizeof sample });
    CHECK_TEXT(ff_str(catch_detect("nccl_trace_rank_3", (ff_bytes){ (const char *)sample, sizeof sample })),
               "fr_pickle");
}

/* Each list holds the one before ten times: read as sizes, it is passed over without being spread out. */
TEST(pickle_bomb_stays_small)
{
    static const char head[] = "\x80\x02}(X\7\0\0\0versionX\4\0\0\0002.10X\7\0\0\0entries](}(X\x0b\0\0\0input_sizes";
    static const char tail[] = "X\x0e\0\0\0profiling_nameX\6\0\0\0nccl:xueu.";
    char bytes[8192];
    size_t n = sizeof head - 1;
    memcpy(bytes, head, n);
    memcpy(bytes + n, "](]q\0", 5);
    n += 5;
    for (int i = 1; i < 250; i++) {
        bytes[n++] = ']';
        bytes[n++] = '(';
        for (int k = 0; k < 10; k++) {
            bytes[n++] = 'h';
            bytes[n++] = (char)(i - 1);
        }
        bytes[n++] = 'e';
        bytes[n++] = 'q';
        bytes[n++] = (char)i;
    }
    bytes[n++] = 'e';
    memcpy(bytes + n, tail, sizeof tail - 1);
    catch_reset();
    CHECK_INT(catch_parse(&ff_parser_fr_pickle, "rank_1", (ff_bytes){ bytes, n + sizeof tail - 1 }), FF_OK);
    CHECK_INT(got.dumps.at[0]->n_entries, 1);
    CHECK(got.dumps.at[0]->entries[0].call->in_sizes.n < 600);
    catch_reset();
}

int main(void)
{
    RUN(values_are_read_whatever_wrote_them);
    RUN(pickles_that_do_harm_end_where_they_begin_to);
    RUN(pickle_that_contains_itself_ends);
    RUN(tangled_pickle_costs_no_more_than_its_cap);
    RUN(pairs_are_tuples_or_lists);
    RUN(pickle_of_the_watchdog_becomes_a_row);
    RUN(entries_that_repeat_are_read_like_others);
    RUN(hostile_pickles_end_cleanly);
    RUN(pickle_bomb_stays_small);
    return DONE();
}
