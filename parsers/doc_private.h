/* What the document parsers share; only files of this folder include it. */
#ifndef FF_DOC_PRIVATE_H
#define FF_DOC_PRIVATE_H

#include "parser.h"

/* Lines of a document while facts are given in the order of the text: each byte is counted once. */
typedef struct doc_lines {
    ff_bytes text;
    uint64_t at;   /* begin of the current line */
    uint32_t line; /* its number, from 1 */
} doc_lines;

void doc_lines_init(doc_lines *l, ff_bytes text);
/* Number of the line around offset; *whole: that line, cut at FF_CAP_EVIDENCE_TEXT, *begin: where it begins. */
uint32_t doc_line_at(doc_lines *l, uint64_t offset, ff_bytes *whole, uint64_t *begin);

/* A fact at a byte of the document: line, offset of the line, quote. Sets what the caller left out of f. */
void doc_fact(const ff_sink *out, doc_lines *l, uint64_t offset, ff_fact *f, const ff_fields *fields);

/* Normalises "00000000:3B:00.0", "0000:3b:00" or "3b:00.0" to "0000:3b:00"; empty view: it is none. */
ff_bytes doc_pci(ff_bytes text, ff_arena *arena);
/* Kubernetes quantity ("640Gi", "600M", "88", "1e9") of bytes, in KiB; false: it is none. */
bool doc_quantity_kib(ff_bytes text, int64_t *kib);
/* Removes "containerd://", "cri-o://", "docker://". */
ff_bytes doc_container_id(ff_bytes text);
/* For probes: 8 bits for each byte of those words that stand in it; does it begin like JSON? */
int doc_count_found(ff_bytes head, const char *const *words);
bool doc_begins_json(ff_bytes head);

#endif
