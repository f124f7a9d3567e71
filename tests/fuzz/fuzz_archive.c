/* The walk through archives in archives by itself: what comes out goes to a tap, nothing is looked at. Every member
 * begins, gets its bytes and ends; the result knows as many members as the tap saw or more (links, unread ones), and
 * all within the caps. */
#include "fuzz.h"

#include "../../analyzer/intake/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct seen {
    uint32_t begun, ended;
    uint64_t bytes;
} seen;

static bool begin(void *owner, const ff_member *member, ff_bytes input)
{
    seen *s = owner;
    if (s->begun != s->ended || !member->name.n || member->name.n > FF_CAP_PATH + 64 || input.n > FF_CAP_PATH)
        __builtin_trap();
    s->begun++;
    return true;
}

static bool add(void *owner, ff_bytes bytes)
{
    ((seen *)owner)->bytes += bytes.n;
    return true;
}

static bool end(void *owner)
{
    seen *s = owner;
    if (++s->ended != s->begun)
        __builtin_trap();
    return true;
}

static ff_matcher *matcher;
static char path[] = "/tmp/firstfault-fuzz-XXXXXX";
static int fd = -1;

static void forget(void) { (void)unlink(path); }

/* A matcher that looks for nothing: the walk asks for one. */
static void open_once(void)
{
    ff_error error = { 0 };
    if (fd >= 0)
        return;
    matcher = ff_matcher_open(NULL, 0, NULL, 0, &(ff_match_options){ 0 }, &error);
    fd = mkstemp(path);
    if (!matcher || fd < 0 || atexit(forget) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    open_once();
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    seen s = { 0 };
    ff_tap tap = { begin, add, end, &s };
    const char *inputs[] = { path };
    ff_arena arena;
    ff_arena_init(&arena);
    ff_evidence evidence = { 0 };
    ff_error error = { 0 };
    ff_intake_options options = { .inputs = inputs, .n_inputs = 1, .jobs = 1, .tap = &tap };
    if (ff_intake(&options, matcher, NULL, 0, &arena, &evidence, &error) == FF_OK &&
        (s.begun != s.ended || s.begun > evidence.n_members))
        __builtin_trap();
    ff_arena_done(&arena);
    return 0;
}
