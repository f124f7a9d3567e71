/* Smallest possible test frame: CHECK counts and prints; each test program is a list of cases and a main.
 *     TEST(line_without_newline_is_returned) { CHECK_INT(n, 3); }
 *     int main(void) { RUN(line_without_newline_is_returned); return DONE(); } */
#ifndef FF_CHECK_H
#define FF_CHECK_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "../analyzer/base/bytes.h"

static int check_failed, check_passed;

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (condition) {                                                                                              \
            check_passed++;                                                                                           \
        } else {                                                                                                      \
            check_failed++;                                                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                 \
        }                                                                                                             \
    } while (0)
#define CHECK_INT(got, want)                                                                                          \
    do {                                                                                                              \
        int64_t check_got = (int64_t)(got), check_want = (int64_t)(want);                                             \
        if (check_got == check_want) {                                                                                \
            check_passed++;                                                                                           \
        } else {                                                                                                      \
            check_failed++;                                                                                           \
            fprintf(stderr, "%s:%d: %s is %" PRId64 ", wanted %" PRId64 "\n", __FILE__, __LINE__, #got, check_got,    \
                    check_want);                                                                                      \
        }                                                                                                             \
    } while (0)
#define CHECK_TEXT(got, want)                                                                                         \
    do {                                                                                                              \
        ff_bytes check_got = (got), check_want = ff_str(want);                                                        \
        if (ff_equal(check_got, check_want)) {                                                                        \
            check_passed++;                                                                                           \
        } else {                                                                                                      \
            check_failed++;                                                                                           \
            fprintf(stderr, "%s:%d: %s is \"%.*s\", wanted \"%s\"\n", __FILE__, __LINE__, #got, (int)check_got.n,     \
                    check_got.p ? check_got.p : "", want);                                                            \
        }                                                                                                             \
    } while (0)
#define TEST(name) static void test_##name(void)
#define RUN(name) test_##name()
#define DONE() (fprintf(stderr, "%d checks passed, %d failed\n", check_passed, check_failed), check_failed != 0)

#endif
