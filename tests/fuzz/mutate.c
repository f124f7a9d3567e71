/* The bounded fuzzing of every test run: seeds are spoiled at random and tried, without any compiler's help, in
 * whatever build there is. A child tries; what it holds when it dies is in a file that both map, and the parent says
 * where it put it. */
#include "mutate.h"

#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ROOM ((size_t)1 << 16)
#define SLOWEST 30u /* seconds for one input */

typedef struct shared { /* between child and parent */
    uint64_t runs;
    size_t n;
    uint8_t bytes[ROOM];
} shared;

static uint64_t next_random(uint64_t *state) /* xorshift64* */
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(2685821657736338717);
}

static size_t below(uint64_t *state, size_t bound) { return bound ? (size_t)(next_random(state) >> 20) % bound : 0; }

static size_t load(const char *path, uint8_t *to)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(to, 1, ROOM, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static void spoil(uint64_t *r, shared *s, const uint8_t *other, size_t n_other)
{
    static const uint8_t odd[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', '"', '<', '{', '[', '\\', '=' };
    size_t at = below(r, s->n), most = s->n - at, length = 1 + below(r, 1 + below(r, most ? most : 1));
    switch (below(r, 8)) {
    case 0:
        s->bytes[at] ^= (uint8_t)(1u << below(r, 8));
        break;
    case 1:
        s->bytes[at] = odd[below(r, sizeof odd)];
        break;
    case 2: /* cut out */
        length = length < most ? length : most;
        memmove(s->bytes + at, s->bytes + at + length, most - length);
        s->n -= length;
        break;
    case 3: /* double */
        length = length < most ? length : most;
        length = length < ROOM - s->n ? length : ROOM - s->n;
        memmove(s->bytes + at + length, s->bytes + at, most);
        s->n += length;
        break;
    case 4: /* a piece of another seed over it */
        length = length < n_other ? length : n_other;
        length = length < most ? length : most;
        if (length)
            memcpy(s->bytes + at, other + below(r, n_other - length + 1), length);
        break;
    case 5: /* the end is missing */
        s->n = at;
        break;
    case 6: /* a number at its end */
        memset(s->bytes + at, below(r, 2) ? 0xff : 0, most < 8 ? most : 8);
        break;
    default:
        s->bytes[at] = (uint8_t)next_random(r);
        break;
    }
}

static void try_one(const shared *s)
{
    uint8_t *exact = malloc(s->n ? s->n : 1); /* its own block, so that a read past the end is seen */
    if (!exact)
        _exit(1);
    memcpy(exact, s->bytes, s->n);
    alarm(SLOWEST);
    (void)LLVMFuzzerTestOneInput(exact, s->n);
    alarm(0);
    free(exact);
}

static void try_for(unsigned seconds, uint64_t seed, shared *s, char **files, int n_files)
{
    uint64_t r = seed | 1;
    static uint8_t other[ROOM];
    for (clock_t end = clock() + (clock_t)seconds * CLOCKS_PER_SEC; clock() < end; s->runs++) {
        s->n = load(files[below(&r, (size_t)n_files)], s->bytes);
        size_t n_other = load(files[below(&r, (size_t)n_files)], other);
        for (size_t i = 1 + below(&r, 6); i && s->n; i--)
            spoil(&r, s, other, n_other);
        try_one(s);
    }
}

static int tell_end(int status, const shared *s, const char *keep)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        printf("%llu inputs tried\n", (unsigned long long)s->runs);
        return 0;
    }
    FILE *f = fopen(keep, "wb");
    size_t written = f ? fwrite(s->bytes, 1, s->n, f) : 0;
    int bad = !f || fclose(f) != 0 || written != s->n;
    printf("%s after %llu inputs: the input is in %s%s\n", WIFSIGNALED(status) ? "killed or hung" : "failed",
           (unsigned long long)s->runs, keep, bad ? " (not whole)" : "");
    return 1;
}

int ff_mutate(unsigned seconds, const char *keep, char **files, int n_files)
{
    const char *wish = getenv("FF_FUZZ_SEED");
    /* The same inputs each time, so that a run that fails says something of the change. */
    uint64_t seed = wish ? (uint64_t)strtoull(wish, NULL, 10) : 1;
    FILE *room = tmpfile();
    if (n_files < 1 || !room || ftruncate(fileno(room), sizeof(shared)) != 0)
        return 1;
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(room), 0);
    if (s == MAP_FAILED)
        return 1;
    printf("FF_FUZZ_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        try_for(seconds, seed, s, files, n_files);
        exit(0); /* with the leak check of the sanitizers */
    }
    int status = 0;
    return child < 0 || waitpid(child, &status, 0) != child ? 1 : tell_end(status, s, keep);
}
