/* YAML in, to the same tree as JSON. */
#ifndef FF_YAML_H
#define FF_YAML_H

#include "../analyzer/base/node.h"

/* Reads one YAML document from t->source on; *end: offset behind it, where the next one may begin. An alias becomes
 * the node it names, never a copy, and only once that node is complete, so neither size nor depth can explode. A
 * broken end keeps what was read. FF_BAD: there is no document. */
ff_status ff_yaml_read(ff_tree *t, size_t *end);

#endif
