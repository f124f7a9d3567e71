#define _DEFAULT_SOURCE /* madvise */
#include "arena.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define CHUNK (64u * 1024u)
#define HUGE_PAGE (2048u * 1024u)
#define LARGE (4u * 1024u * 1024u) /* of an arena: from here on it grows by huge pages */
#define ALIGN 16u
#define KEPT (4 * 1024 * 1024) /* more costs memory and saves nothing */
#define HEAP (12 * 1024 * 1024) /* of the address space; what is touched of it counts */

struct ff_arena_chunk {
    struct ff_arena_chunk *below;
    size_t used, size; /* of the bytes behind this header */
};

static void (*before_the_end)(void);

void ff_last_of_memory(void (*last)(void)) { before_the_end = last; }

/* Other threads may be anywhere, also inside what exit() would tidy up: so nothing is tidied up. */
static _Noreturn void out_of_memory(size_t n)
{
    if (before_the_end)
        before_the_end();
    (void)fprintf(stderr, "firstfault: out of memory (%zu bytes wanted)\n", n);
    _exit(3);
}

/* The heap begins with room for most runs, in huge pages: the rules alone would be a thousand faults in small ones. */
static void widen_heap(void)
{
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
    (void)mallopt(M_TOP_PAD, HEAP);
    void *volatile more = malloc(KEPT / 2); /* than is left of it: so it grows, if the compiler leaves it be */
    free(more);
    (void)mallopt(M_TOP_PAD, 0);
    uintptr_t end = (uintptr_t)sbrk(0) / HUGE_PAGE * HUGE_PAGE;
    (void)madvise((char *)end - (HEAP - HUGE_PAGE), HEAP - HUGE_PAGE, MADV_HUGEPAGE);
#endif
}

void ff_memory_stays(void)
{
#ifdef __GLIBC__
    (void)mallopt(M_MMAP_THRESHOLD, KEPT);
    (void)mallopt(M_TRIM_THRESHOLD, HEAP + KEPT);
    widen_heap();
#endif
}

void *ff_alloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p)
        out_of_memory(n);
    return p;
}

void *ff_realloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);
    if (!q)
        out_of_memory(n);
    return q;
}

void *ff_alloc_aligned(size_t align, size_t n)
{
    void *p = NULL;
    if (posix_memalign(&p, align, n ? n : 1) != 0)
        out_of_memory(n);
    return p;
}

void ff_free(void *p) { free(p); }

void ff_arena_init(ff_arena *a) { *a = (ff_arena){ 0 }; }

void ff_arena_done(ff_arena *a)
{
    while (a->top) {
        struct ff_arena_chunk *below = a->top->below;
        free(a->top);
        a->top = below;
    }
    a->used = 0;
}

#if defined(__SANITIZE_ADDRESS__)
#define SEES_STALE 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SEES_STALE 1
#endif
#endif
#ifndef SEES_STALE
#define SEES_STALE 0
#endif

/* Builds with sanitizers keep nothing: there, whoever still reads what stood in it is seen. */
void ff_arena_reset(ff_arena *a)
{
    if (SEES_STALE) {
        ff_arena_done(a);
        return;
    }
    struct ff_arena_chunk *keep = NULL;
    while (a->top) {
        struct ff_arena_chunk *below = a->top->below;
        if (!keep || a->top->size > keep->size) {
            free(keep);
            keep = a->top;
        } else {
            free(a->top);
        }
        a->top = below;
    }
    if (keep) {
        keep->below = NULL;
        keep->used = 0;
    }
    a->top = keep;
    a->used = 0;
}

void ff_arena_adopt(ff_arena *a, ff_arena *from)
{
    if (!from->top)
        return;
    struct ff_arena_chunk *last = from->top;
    while (last->below)
        last = last->below;
    /* Below our own top chunk, which stays the one that is handed out from. */
    if (a->top) {
        last->below = a->top->below;
        a->top->below = from->top;
    } else {
        a->top = from->top;
    }
    a->used += from->used;
    *from = (ff_arena){ 0 };
}

static size_t header_size(void) { return (sizeof(struct ff_arena_chunk) + ALIGN - 1) / ALIGN * ALIGN; }

/* Memory is dear where it is touched first: page by page, each with its own fault. */
static struct ff_arena_chunk *take_huge_page(void)
{
    void *p = ff_alloc_aligned(HUGE_PAGE, HUGE_PAGE);
#ifdef MADV_HUGEPAGE
    (void)madvise(p, HUGE_PAGE, MADV_HUGEPAGE); /* only advice: without it all is the same, and slower */
#endif
    return p;
}

static void grow(ff_arena *a, size_t n)
{
    /* Chunks double up to 1 MiB, so that a small arena stays small and a large one has few chunks. */
    size_t size = a->top ? a->top->size * 2 : CHUNK / 16;
    size = size > 16 * CHUNK ? 16 * CHUNK : size;
    size = n > size ? n : size;
    if (size > SIZE_MAX - header_size())
        out_of_memory(n);
    bool huge = a->used >= LARGE && size <= HUGE_PAGE - header_size();
    size = huge ? HUGE_PAGE - header_size() : size;
    struct ff_arena_chunk *c = huge ? take_huge_page() : ff_alloc(header_size() + size);
    *c = (struct ff_arena_chunk){ .below = a->top, .used = 0, .size = size };
    a->top = c;
}

/* Not cleared: for callers that write every byte of it. */
static void *take_raw(ff_arena *a, size_t n)
{
    if (n > SIZE_MAX - ALIGN)
        out_of_memory(n);
    n = (n + ALIGN - 1) / ALIGN * ALIGN;
    if (!a->top || a->top->size - a->top->used < n)
        grow(a, n);
    void *p = (char *)a->top + header_size() + a->top->used;
    a->top->used += n;
    a->used += n;
    return p;
}

void *ff_arena_take(ff_arena *a, size_t n)
{
    void *p = take_raw(a, n);
    return memset(p, 0, n);
}

char *ff_arena_str(ff_arena *a, ff_bytes b)
{
    if (b.n == SIZE_MAX)
        out_of_memory(b.n);
    char *p = take_raw(a, b.n + 1);
    if (b.n)
        memcpy(p, b.p, b.n);
    p[b.n] = '\0';
    return p;
}

ff_bytes ff_arena_copy(ff_arena *a, ff_bytes b) { return (ff_bytes){ ff_arena_str(a, b), b.n }; }

ff_bytes ff_arena_format(ff_arena *a, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    char small[128];
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    char *p = take_raw(a, n > 0 ? (size_t)n + 1 : 1);
    if (n > 0 && (size_t)n < sizeof small)
        memcpy(p, small, (size_t)n);
    else if (n > 0)
        (void)vsnprintf(p, (size_t)n + 1, format, again);
    p[n > 0 ? n : 0] = '\0';
    va_end(again);
    return (ff_bytes){ p, n > 0 ? (size_t)n : 0 };
}
