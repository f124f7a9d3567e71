/* Part of the build: the digest of the embedded rule files, as the report tells it.
 *     digest_rules ROOT OUT.c ROOT/rules/gpu/xid.lua ...     writes ff_embedded_rules_sha256
 * The files come from the source tree, which is trusted; they are as long as the rule engine allows. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../engine_private.h"

static int fail(const char *what, const char *why)
{
    (void)fprintf(stderr, "digest_rules: %s: %s\n", what, why);
    return 1;
}

static int add_file(ff_rule_file_list *list, ff_arena *arena, const char *root, const char *path)
{
    size_t n = strlen(root), size = FF_RULE_FILE_BYTES;
    if (strncmp(path, root, n) != 0 || path[n] != '/')
        return fail(path, "not below the root");
    FILE *in = fopen(path, "rb");
    char *bytes = ff_arena_take(arena, size);
    size_t got = in ? fread(bytes, 1, size, in) : 0;
    if (in)
        (void)fclose(in);
    if (!in || got == size)
        return fail(path, "cannot be read");
    ff_rule_file file = { .name = ff_str(path + n + 1), .bytes = { bytes, got } };
    FF_PUSH(list, file);
    return 0;
}

static int write_digest(const char *path, const uint8_t digest[32])
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return fail(path, "cannot be written");
    (void)fprintf(out, "#include \"analyzer/base/embedded.h\"\nconst unsigned char ff_embedded_rules_sha256[32] = {");
    for (int i = 0; i < 32; i++)
        (void)fprintf(out, "%" PRIu8 ",", digest[i]);
    (void)fprintf(out, "};\n");
    return fclose(out) == 0 ? 0 : fail(path, "cannot be written");
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return fail("arguments", "ROOT OUT FILE...");
    ff_arena arena;
    ff_arena_init(&arena);
    ff_rule_file_list list = { 0 };
    int status = 0;
    for (int i = 3; i < argc && status == 0; i++)
        status = add_file(&list, &arena, argv[1], argv[i]);
    uint8_t digest[32];
    ff_rule_files_digest(&list, digest);
    status = status == 0 ? write_digest(argv[2], digest) : status;
    ff_free(list.at);
    ff_arena_done(&arena);
    return status;
}
