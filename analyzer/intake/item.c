/* A stream of bytes with a name: a member, something compressed, or an archive with more of them inside. */
#include "intake_private.h"

#include <string.h>

#define TELL_BYTES ((uint64_t)4 << 20)

void ff_walk_init(ff_walk *w, ff_shared *sh, ff_pipe *pipe)
{
    *w = (ff_walk){ .shared = sh, .pipe = pipe, .unpackers = 1 };
    ff_arena_init(&w->arena);
}

/* Call when everything that was read is scanned: until then results are still being filled. */
void ff_walk_done(ff_walk *w)
{
    ff_shared *sh = w->shared;
    pthread_mutex_lock(&sh->lock);
    for (uint32_t i = 0; i < w->results.n; i++)
        FF_PUSH(&sh->results, w->results.at[i]);
    ff_arena_adopt(sh->arena, &w->arena);
    pthread_mutex_unlock(&sh->lock);
    ff_free(w->results.at);
}

void ff_give_up(ff_shared *sh, const ff_error *error)
{
    pthread_mutex_lock(&sh->lock);
    if (!sh->failed)
        (void)ff_fail(sh->error, "%s", error->text);
    sh->failed = true;
    pthread_mutex_unlock(&sh->lock);
}

void ff_note_limit(ff_shared *sh, const char *cap, uint32_t input, ff_bytes where, uint64_t count)
{
    pthread_mutex_lock(&sh->lock);
    FF_PUSH(&sh->remarks, ((ff_remark){ cap, input, ff_arena_copy(sh->arena, where), { NULL, 0 }, count }));
    pthread_mutex_unlock(&sh->lock);
}

void ff_note_input(ff_shared *sh, uint32_t input, ff_bytes where, ff_bytes text)
{
    pthread_mutex_lock(&sh->lock);
    FF_PUSH(&sh->remarks,
            ((ff_remark){ NULL, input, ff_arena_copy(sh->arena, where), ff_arena_copy(sh->arena, text), 0 }));
    pthread_mutex_unlock(&sh->lock);
}

void ff_note_damage(ff_shared *sh, uint32_t input, ff_bytes where, ff_bytes text)
{
    ff_note_input(sh, input, where, text);
    pthread_mutex_lock(&sh->lock);
    sh->inputs[input].truncated = true;
    pthread_mutex_unlock(&sh->lock);
}

static bool refuse(ff_walk *w, ff_bytes name, const char *cap, uint64_t count)
{
    if (!w->stop)
        ff_note_limit(w->shared, cap, w->input, name, count);
    w->stop = true;
    pthread_mutex_lock(&w->shared->lock);
    w->shared->inputs[w->input].truncated = true;
    pthread_mutex_unlock(&w->shared->lock);
    return false;
}

bool ff_walk_spend(ff_walk *w, ff_bytes name, size_t n)
{
    w->unpacked += n;
    uint64_t total = atomic_fetch_add(&w->shared->unpacked, n) + n;
    uint64_t most = w->shared->options->most_bytes;
    if (total > (most ? most : (uint64_t)FF_CAP_TOTAL))
        return refuse(w, name, "bytes unpacked", total);
    if (w->unpacked > FF_CAP_RATIO_FLOOR && w->unpacked / FF_CAP_RATIO > w->packed)
        return refuse(w, name, "unpacked to packed ratio", w->unpacked);
    return true;
}

static void tell(ff_walk *w, ff_bytes name, size_t n)
{
    const ff_intake_options *o = w->shared->options;
    w->told += n;
    if (!o->progress || w->told < TELL_BYTES)
        return;
    pthread_mutex_lock(&w->shared->lock);
    o->progress(o->progress_owner, w->told, name);
    pthread_mutex_unlock(&w->shared->lock);
    w->told = 0;
}

ff_result *ff_walk_result(ff_walk *w, ff_item item)
{
    ff_shared *sh = w->shared;
    unsigned n = atomic_fetch_add(&sh->members, 1) + 1;
    if (n > (sh->options->most_members ? sh->options->most_members : FF_CAP_MEMBERS)) {
        (void)refuse(w, item.name, "members", n);
        return NULL;
    }
    if (item.name.n > FF_CAP_PATH) {
        ff_note_limit(sh, "path length", w->input, ff_first_n(item.name, 256), item.name.n);
        item.name.n = FF_CAP_PATH;
    }
    if (item.top)
        sh->lone[w->input] = true;
    ff_result *r = FF_NEW(&w->arena, ff_result);
    r->member = (ff_member){ .name = ff_arena_copy(&w->arena, item.name),
                             .input = w->input,
                             .mtime_s = item.mtime_s,
                             .who = FF_WHO_NOBODY,
                             .clock = FF_NONE };
    r->hint = item.in_root ? ff_without_root(&sh->roots[w->input], r->member.name, &r->root) : r->member.name;
    FF_PUSH(&w->results, r);
    return r;
}

void ff_walk_unread(ff_walk *w, ff_item item, const char *why)
{
    ff_result *r = ff_walk_result(w, item);
    if (r)
        r->member.unread = why;
}

static bool worth_unpacking(ff_walk *w, ff_item item, ff_bytes head)
{
    if (item.plain || ff_is_office(head) || (!ff_is_gzip(head) && !ff_is_xz(head) && !ff_is_archive(head)))
        return false;
    if (item.depth < FF_CAP_DEPTH && item.filters < FF_CAP_DEPTH)
        return true;
    ff_note_limit(w->shared, "archive depth", w->input, item.name, item.depth);
    return false;
}

static void walk_gzip(ff_walk *w, ff_item item, ff_source *source, ff_buffer *b)
{
    ff_source *inner = ff_gzip_open(source, (ff_bytes){ b->bytes, b->n });
    ff_pipe_give_back(w->pipe, b);
    item.filters++;
    ff_walk_item(w, item, inner);
    ff_gzip_close(inner);
}

static void walk_xz(ff_walk *w, ff_item item, ff_source *source, ff_buffer *b)
{
    ff_source *inner = ff_xz_open(source, (ff_bytes){ b->bytes, b->n }, w->unpackers);
    ff_pipe_give_back(w->pipe, b);
    item.filters++;
    ff_walk_item(w, item, inner);
    ff_xz_close(inner);
}

/* Members that hold text in another form, and how they are read as text. */
typedef struct text_form {
    bool (*is)(ff_bytes head);
    ff_source *(*open)(ff_source *below, ff_bytes head);
    void (*close)(ff_source *s);
    const char *note;
} text_form;

static const text_form *text_form_of(ff_bytes head)
{
    static const text_form forms[] = { { ff_is_utf16, ff_utf16_open, ff_utf16_close, "UTF-16 text, read as UTF-8" },
                                       { ff_is_journal, ff_journal_open, ff_journal_close,
                                         "binary journal, read as journalctl -o export prints it" } };
    for (size_t i = 0; i < FF_COUNT(forms); i++)
        if (forms[i].is(head))
            return &forms[i];
    return NULL;
}

static void walk_as_text(ff_walk *w, ff_item item, ff_source *source, ff_buffer *b, const text_form *form)
{
    ff_source *inner = form->open(source, (ff_bytes){ b->bytes, b->n });
    ff_pipe_give_back(w->pipe, b);
    item.plain = true;
    ff_note_input(w->shared, w->input, item.name, ff_str(form->note));
    ff_walk_item(w, item, inner);
    form->close(inner);
}

/* What is wrong with the stream is said of the member, and of the input that holds it. */
static bool note_problem(ff_walk *w, ff_bytes name, const ff_source *source)
{
    if (source->problem.n)
        ff_note_damage(w->shared, w->input, name, source->problem);
    return source->problem.n || w->stop;
}

static bool tap_begin(ff_walk *w, const ff_result *r)
{
    const ff_tap *tap = w->shared->options->tap;
    return !tap || tap->begin(tap->owner, &r->member, w->shared->inputs[w->input].file);
}

static bool tap_end(ff_walk *w)
{
    const ff_tap *tap = w->shared->options->tap;
    return !tap || tap->end(tap->owner);
}

/* To the scan, or to whoever taps the walk. */
static bool hand_on(ff_walk *w, ff_buffer *b)
{
    const ff_tap *tap = w->shared->options->tap;
    bool good = true;
    if (tap)
        good = b->n == 0 || tap->bytes(tap->owner, (ff_bytes){ b->bytes, b->n });
    if (tap || b->n == 0)
        ff_pipe_give_back(w->pipe, b);
    else
        ff_pipe_push(w->pipe, b);
    return good;
}

static void stop_all(ff_walk *w)
{
    w->stop = true;
    w->shared->failed = true;
}

static void walk_member(ff_walk *w, ff_item item, ff_source *source, ff_buffer *b)
{
    ff_result *r = ff_walk_result(w, item);
    if (!r) {
        ff_pipe_give_back(w->pipe, b);
        return;
    }
    ff_bytes name = r->member.name; /* the result belongs to the scan from here on */
    bool good = tap_begin(w, r);
    ff_pipe_begin(w->pipe, r);
    for (;;) {
        size_t n = b->n;
        bool more = ff_walk_spend(w, name, n) && n == FF_WINDOW_BODY;
        good = hand_on(w, b) && good;
        tell(w, name, n);
        if (!more || !good)
            break;
        b = ff_pipe_buffer(w->pipe);
        b->n = ff_source_fill(source, b->bytes, FF_WINDOW_BODY);
    }
    ff_pipe_end(w->pipe, note_problem(w, name, source));
    if (!good || !tap_end(w))
        stop_all(w);
}

void ff_walk_item(ff_walk *w, ff_item item, ff_source *source)
{
    ff_buffer *b = ff_pipe_buffer(w->pipe);
    b->n = ff_source_fill(source, b->bytes, FF_WINDOW_BODY);
    ff_bytes head = { b->bytes, b->n };
    const text_form *form = item.plain ? NULL : text_form_of(head);
    if (form)
        walk_as_text(w, item, source, b, form);
    else if (!worth_unpacking(w, item, head))
        walk_member(w, item, source, b);
    else if (ff_is_gzip(head))
        walk_gzip(w, item, source, b);
    else if (ff_is_xz(head))
        walk_xz(w, item, source, b);
    else
        ff_unpack(w, item, source, b);
}
