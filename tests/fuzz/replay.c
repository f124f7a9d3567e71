/* Runs a fuzz target on files: inputs that once hurt stay tests, in every build.  replay_X FILE... */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    static uint8_t bytes[1 << 22];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    uint8_t *exact = malloc(n ? n : 1); /* its own block, so that a read past the end is seen */
    if (!exact)
        return 1;
    for (size_t i = 0; i < n; i++)
        exact[i] = bytes[i];
    (void)LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    return 0;
}

int main(int argc, char **argv)
{
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%d inputs replayed\n", argc - 1);
    return bad;
}
