/* Pickle (protocols 2 to 5) in: only data, never code. */
#ifndef FF_PICKLE_H
#define FF_PICKLE_H

#include "../analyzer/base/node.h"

/* Reads one pickle from t->source on. Strings stay views of the source; what the memo shares is one node. Tuples and
 * sets become lists. An opcode that would import, call or build anything ends the reading there, as does a cut end:
 * what was read until then is closed and kept, and t->problem says why. FF_BAD: not one value could be read. */
ff_status ff_pickle_read(ff_tree *t);

#endif
