/* Seeds spoiled at random, for a time. */
#ifndef FF_FUZZ_MUTATE_H
#define FF_FUZZ_MUTATE_H

/* Tries spoiled seeds for so many seconds of CPU; always the same ones, unless FF_FUZZ_SEED in the environment (a
 * number) asks for others. What makes the target fail is written to keep. 0: nothing did. */
int ff_mutate(unsigned seconds, const char *keep, char **files, int n_files);

#endif
