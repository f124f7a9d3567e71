/* A case: a bundle, what is expected of its report, and how far the report fulfils it. */
#ifndef FF_CASES_H
#define FF_CASES_H

#include "cli.h"
#include "../base/node.h"

typedef enum case_mark { CASE_NOT_ASKED, CASE_YES, CASE_NO } case_mark;

enum { CASE_ROOT, CASE_BLAME, CASE_CLASS, CASE_RANKS, CASE_FIRST, CASE_SYMPTOMS, CASE_CHECKS };

typedef struct case_score {
    case_mark mark[CASE_CHECKS];
    ff_bytes wanted; /* root cause; lives in the tree of expected.json */
} case_score;

/* expected: a tree of expected.json. */
case_score case_compare(const ff_tree *expected, const ff_report *r);
bool case_passed(const case_score *score);

#endif
