/* Runs a fuzz target on files: inputs that once hurt stay tests, in every build.  replay_X FILE...
 * replay_X --mutate SECONDS KEEP FOLDER...: on spoiled copies of the files there instead. */
#include "fuzz.h"
#include "mutate.h"

#include <stdio.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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

#define MOST_FILES 4096

/* Every file of the folders, in whatever order. */
static int list(char **folders, char **files)
{
    int n = 0;
    for (; *folders; folders++) {
        DIR *d = opendir(*folders);
        for (struct dirent *e = d ? readdir(d) : NULL; e && n < MOST_FILES; e = readdir(d)) {
            size_t room = strlen(*folders) + strlen(e->d_name) + 2;
            if (e->d_name[0] == '.' || !(files[n] = malloc(room)))
                continue;
            (void)snprintf(files[n++], room, "%s/%s", *folders, e->d_name);
        }
        if (d)
            closedir(d);
    }
    return n;
}

static int mutate(char **arguments)
{
    static char *files[MOST_FILES];
    int n = list(arguments + 2, files);
    int bad = ff_mutate((unsigned)strtoul(arguments[0], NULL, 10), arguments[1], files, n);
    while (n)
        free(files[--n]);
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0;
    if (argc > 4 && strcmp(argv[1], "--mutate") == 0)
        return mutate(argv + 2);
    for (int i = 1; i < argc; i++)
        bad |= replay(argv[i]);
    printf("%d inputs replayed\n", argc - 1);
    return bad;
}
