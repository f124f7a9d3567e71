/* parser_dump FILE [--name MEMBER] [--expect JSON | --accept JSON]
 * Prints what the parsers make of a member, one JSON object a line: which parser took it, its events, facts, skips.
 * With --expect the output is compared, and the first line that differs is shown. */
#include "line_feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../analyzer/base/json.h"

typedef struct dump {
    ff_text out;
} dump;

static const char *const kinds[] = { "none", "utc", "since_boot", "local", "no_year" };

static void begin(dump *d, ff_json *j)
{
    ff_json_init(j, &d->out);
    j->compact = true;
    ff_json_open(j, NULL, '{');
}

static void end(dump *d, ff_json *j)
{
    ff_json_close(j, '}');
    if (d->out.n == 0 || d->out.p[d->out.n - 1] != '\n')
        ff_text_addc(&d->out, '\n');
}

static void write_stamp(ff_json *j, const char *key, ff_stamp stamp)
{
    if (stamp.kind == FF_STAMP_NONE)
        return;
    ff_json_open(j, key, '{');
    ff_json_str(j, "kind", kinds[stamp.kind]);
    ff_json_big(j, "ns", stamp.ns);
    ff_json_int(j, "grain_ns", stamp.grain_ns);
    ff_json_close(j, '}');
}

static void write_bytes(ff_json *j, const char *key, ff_bytes value)
{
    if (!ff_is_empty(value))
        ff_json_bytes(j, key, value);
}

static void write_number(ff_json *j, const char *key, int32_t value)
{
    if (value != FF_NO_NUMBER)
        ff_json_int(j, key, value);
}

static void write_who(ff_json *j, const ff_who *who)
{
    ff_json_open(j, "who", '{');
    write_bytes(j, "host", who->host);
    write_bytes(j, "boot", who->boot);
    write_bytes(j, "unit", who->unit);
    write_bytes(j, "pod", who->pod);
    write_bytes(j, "pod_uid", who->pod_uid);
    write_bytes(j, "container", who->container);
    write_bytes(j, "cgroup", who->cgroup);
    write_bytes(j, "gpu", who->gpu);
    write_bytes(j, "gpu_uuid", who->gpu_uuid);
    write_bytes(j, "process", who->process);
    write_number(j, "pid", who->pid);
    write_number(j, "rank", who->rank);
    write_number(j, "local_rank", who->local_rank);
    write_number(j, "gpu_index", who->gpu_index);
    ff_json_close(j, '}');
}

static void write_streams(ff_json *j, uint32_t streams)
{
    if (streams == FF_STREAM_ANY) {
        ff_json_str(j, "stream", "any");
        return;
    }
    char text[128] = "";
    for (unsigned i = 0; i < FF_STREAMS; i++)
        if (streams >> i & 1) {
            size_t n = strlen(text);
            snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "", ff_stream_name(i));
        }
    ff_json_str(j, "stream", text);
}

static void write_event(dump *d, const ff_event *ev, uint32_t line)
{
    ff_json j;
    begin(d, &j);
    ff_json_int(&j, "line", line);
    write_streams(&j, ev->stream);
    write_stamp(&j, "said", ev->said);
    write_stamp(&j, "also", ev->also);
    ff_json_bytes(&j, "text", ev->text);
    write_bytes(&j, "ident", ev->ident);
    write_who(&j, &ev->who);
    if (ev->continued)
        ff_json_bool(&j, "continued", true);
    end(d, &j);
}

static void on_event(void *owner, const ff_event *ev, uint32_t line) { write_event(owner, ev, line); }

static void on_inner(void *owner, const ff_event *ev, uint32_t line, uint64_t offset, ff_bytes quote)
{
    ff_event inner = *ev;
    (void)offset;
    (void)quote;
    ff_undress(&inner);
    write_event(owner, &inner, line);
}

static void write_field(ff_json *j, const ff_field *f)
{
    ff_json_key(j, f->name);
    if (f->is_float)
        ff_json_bytes(j, NULL, f->s);
    else if (f->type == FF_FIELD_INT || f->type == FF_FIELD_HEX || f->type == FF_FIELD_PID ||
             f->type == FF_FIELD_RANK || f->type == FF_FIELD_LOCAL_RANK || f->type == FF_FIELD_GPU)
        ff_json_int(j, NULL, f->i);
    else
        ff_json_bytes(j, NULL, f->s);
}

static void on_fact(void *owner, const ff_fact *fact)
{
    ff_json j;
    begin(owner, &j);
    ff_json_str(&j, "fact", ff_fact_name(fact->id));
    ff_json_int(&j, "line", fact->line);
    ff_json_big(&j, "offset", (int64_t)fact->offset);
    write_stamp(&j, "said", fact->said);
    ff_json_open(&j, "fields", '{');
    for (uint32_t i = 0; i < fact->n_fields; i++)
        write_field(&j, &fact->fields[i]);
    ff_json_close(&j, '}');
    write_who(&j, &fact->who);
    ff_json_bytes(&j, "quote", fact->quote);
    end(owner, &j);
}

static void on_skip(void *owner, uint32_t line, const char *reason)
{
    ff_json j;
    begin(owner, &j);
    ff_json_str(&j, "skip", reason);
    ff_json_int(&j, "line", line);
    end(owner, &j);
}

static void on_member_who(void *owner, const ff_who *who)
{
    ff_json j;
    begin(owner, &j);
    ff_json_str(&j, "member", "who");
    write_who(&j, who);
    end(owner, &j);
}

static void on_dump(void *owner, struct ff_dump *fr)
{
    ff_json j;
    (void)fr;
    begin(owner, &j);
    ff_json_bool(&j, "dump", true);
    end(owner, &j);
}

static void write_detected(dump *d, const ff_parser *parser, const char *second)
{
    ff_json j;
    begin(d, &j);
    ff_json_str(&j, "parser", parser ? parser->name : NULL);
    if (second)
        ff_json_str(&j, "second", second);
    end(d, &j);
}

static void run(dump *d, ff_bytes name, ff_bytes bytes)
{
    ff_arena arena;
    ff_arena_init(&arena);
    const char *second = NULL;
    ff_probe probe = { .name = name, .head = ff_first_n(bytes, 65536), .whole = bytes.n <= 65536 };
    const ff_parser *parser = ff_detect(&probe, &second);
    ff_sink sink = { .owner = d,
                     .fact = on_fact,
                     .event = on_inner,
                     .skip = on_skip,
                     .member_who = on_member_who,
                     .dump = on_dump,
                     .scratch = &arena };
    write_detected(d, parser, second);
    if (parser && parser->parse) {
        ff_doc doc = { .name = name, .bytes = bytes };
        if (parser->parse(&doc, &sink) != FF_OK)
            on_skip(d, 0, "document not understood");
    } else if (parser) {
        feed f = { .parser = parser, .arena = &arena, .sink = &sink, .event = on_event, .owner = d };
        feed_all(&f, bytes);
    }
    ff_arena_done(&arena);
}

/* The whole file; NULL when it cannot be read. Free with ff_free. */
static char *read_file(const char *path, size_t *n)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t cap = 1 << 16;
    char *p = ff_alloc(cap);
    *n = 0;
    for (size_t got; (got = fread(p + *n, 1, cap - *n, file)) > 0;) {
        *n += got;
        if (*n == cap)
            p = ff_realloc(p, cap *= 2);
    }
    fclose(file);
    return p;
}

static int compare(ff_bytes got, ff_bytes want)
{
    unsigned number = 1;
    for (;; number++) {
        ff_bytes a = { 0 }, b = { 0 };
        bool more_got = ff_take_line(&got, &a), more_want = ff_take_line(&want, &b);
        if (!more_got && !more_want)
            return 0;
        if (more_got == more_want && ff_equal(a, b))
            continue;
        fprintf(stderr, "line %u of the output differs\n got:    %.*s\n wanted: %.*s\n", number, (int)a.n,
                a.n ? a.p : "", (int)b.n, b.n ? b.p : "");
        return 1;
    }
}

static int finish(const dump *d, const char *expect, const char *accept)
{
    if (accept) {
        FILE *file = fopen(accept, "wb");
        if (!file || fwrite(d->out.p, 1, d->out.n, file) != d->out.n || fclose(file) != 0)
            return fprintf(stderr, "cannot write %s\n", accept), 2;
        return 0;
    }
    if (!expect)
        return fwrite(d->out.p, 1, d->out.n, stdout) == d->out.n ? 0 : 2;
    size_t n = 0;
    char *want = read_file(expect, &n);
    if (!want)
        return fprintf(stderr, "cannot read %s\n", expect), 2;
    int result = compare(ff_text_view(&d->out), (ff_bytes){ want, n });
    ff_free(want);
    return result;
}

int main(int argc, char **argv)
{
    const char *file = NULL, *name = NULL, *expect = NULL, *accept = NULL;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--name") == 0 && more)
            name = argv[++i];
        else if (strcmp(argv[i], "--expect") == 0 && more)
            expect = argv[++i];
        else if (strcmp(argv[i], "--accept") == 0 && more)
            accept = argv[++i];
        else
            file = argv[i];
    }
    if (!file)
        return fprintf(stderr, "usage: parser_dump FILE [--name MEMBER] [--expect JSON | --accept JSON]\n"), 2;
    size_t n = 0;
    char *bytes = read_file(file, &n);
    if (!bytes)
        return fprintf(stderr, "cannot read %s\n", file), 2;
    const char *slash = strrchr(file, '/');
    dump d = { .out = { 0 } };
    ff_text_init(&d.out, 0);
    run(&d, ff_str(name ? name : slash ? slash + 1 : file), (ff_bytes){ bytes, n });
    int result = finish(&d, expect, accept);
    ff_text_done(&d.out);
    ff_free(bytes);
    return result;
}
