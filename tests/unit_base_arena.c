/* Memory that is handed out and dropped as a whole. */
#include "../analyzer/base/arena.h"

#include "check.h"

static bool is_zero(const void *p, size_t n)
{
    const unsigned char *b = p;
    for (size_t i = 0; i < n; i++)
        if (b[i])
            return false;
    return true;
}

TEST(pieces_are_zeroed_aligned_and_apart)
{
    ff_arena a;
    ff_arena_init(&a);
    unsigned char *before = NULL;
    for (size_t n = 0; n < 300; n++) {
        unsigned char *p = ff_arena_take(&a, n);
        CHECK(p != NULL);
        CHECK_INT((uintptr_t)p % _Alignof(max_align_t), 0);
        CHECK(is_zero(p, n));
        CHECK(n < 2 || p != before);
        memset(p, 0xff, n);
        before = p;
    }
    CHECK(a.used >= 300 * 299 / 2);
    ff_arena_done(&a);
    CHECK(a.top == NULL);
    CHECK_INT(a.used, 0);
}

TEST(large_pieces)
{
    ff_arena a;
    ff_arena_init(&a);
    char *small = ff_arena_take(&a, 8);
    memcpy(small, "before", 7);
    char *large = ff_arena_take(&a, 5u << 20);
    CHECK(is_zero(large, 5u << 20));
    memset(large, 1, 5u << 20);
    CHECK(strcmp(small, "before") == 0);
    ff_arena_done(&a);
}

TEST(reset_gives_zeroed_memory_again)
{
    ff_arena a;
    ff_arena_init(&a);
    for (int turn = 0; turn < 3; turn++) {
        unsigned char *p = ff_arena_take(&a, 100000);
        CHECK(is_zero(p, 100000));
        memset(p, 0xee, 100000);
        (void)ff_arena_take(&a, 10);
        ff_arena_reset(&a);
        CHECK_INT(a.used, 0);
    }
    ff_arena_reset(&a);
    ff_arena_done(&a);
    ff_arena_done(&a); /* of an empty one: nothing happens */
}

TEST(copies_are_terminated)
{
    ff_arena a;
    ff_arena_init(&a);
    ff_bytes c = ff_arena_copy(&a, FF_LIT("ab\0c"));
    CHECK_INT(c.n, 4);
    CHECK(memcmp(c.p, "ab\0c", 5) == 0);
    c = ff_arena_copy(&a, (ff_bytes){ 0 });
    CHECK(c.n == 0 && c.p && c.p[0] == 0);
    CHECK(strcmp(ff_arena_str(&a, FF_LIT("xyz")), "xyz") == 0);
    CHECK(strcmp(ff_arena_str(&a, (ff_bytes){ 0 }), "") == 0);
    ff_arena_done(&a);
}

TEST(format)
{
    ff_arena a;
    ff_arena_init(&a);
    CHECK_TEXT(ff_arena_format(&a, "%d %s", 7, "lines"), "7 lines");
    CHECK_TEXT(ff_arena_format(&a, "%s", ""), "");
    ff_bytes wide = ff_arena_format(&a, "%5000d", 1);
    CHECK_INT(wide.n, 5000);
    CHECK(wide.p[4999] == '1' && wide.p[5000] == 0);
    ff_arena_done(&a);
}

TEST(adopted_pieces_stay_where_they_are)
{
    ff_arena a, b;
    ff_arena_init(&a);
    ff_arena_init(&b);
    char *mine = ff_arena_str(&a, FF_LIT("mine")), *yours = ff_arena_str(&b, FF_LIT("yours"));
    size_t used = a.used + b.used;
    ff_arena_adopt(&a, &b);
    CHECK(b.top == NULL);
    CHECK_INT(b.used, 0);
    CHECK_INT(a.used, used);
    for (int i = 0; i < 2000; i++)
        memset(ff_arena_take(&a, 100), 1, 100);
    CHECK(strcmp(mine, "mine") == 0);
    CHECK(strcmp(yours, "yours") == 0);
    ff_arena_adopt(&a, &b); /* an empty one */
    ff_arena_adopt(&b, &a); /* into an empty one */
    CHECK(strcmp(yours, "yours") == 0);
    CHECK(a.top == NULL);
    ff_arena_done(&a);
    ff_arena_done(&b);
}

TEST(growing_array)
{
    FF_VEC(uint32_t) v = { 0 };
    for (uint32_t i = 0; i < 1000; i++)
        FF_PUSH(&v, i * i);
    CHECK_INT(v.n, 1000);
    CHECK_INT(v.at[0], 0);
    CHECK_INT(v.at[999], 998001);
    ff_free(v.at);
}

TEST(plain_memory)
{
    void *p = ff_alloc(0);
    CHECK(p != NULL);
    p = ff_realloc(p, 0);
    CHECK(p != NULL);
    ff_free(p);
    p = ff_alloc_aligned(4096, 10);
    CHECK_INT((uintptr_t)p % 4096, 0);
    ff_free(p);
    ff_free(NULL);
}

int main(void)
{
    RUN(pieces_are_zeroed_aligned_and_apart);
    RUN(large_pieces);
    RUN(reset_gives_zeroed_memory_again);
    RUN(copies_are_terminated);
    RUN(format);
    RUN(adopted_pieces_stay_where_they_are);
    RUN(growing_array);
    RUN(plain_memory);
    return DONE();
}
