/* JSON out: a writer with stable layout; the caller decides the key order. Numbers that can pass 2^53 go out with
 * ff_json_big, as strings. Log text is cleaned on the way (ff_text_add_clean), so the output is always valid UTF-8. */
#ifndef FF_JSON_H
#define FF_JSON_H

#include "text.h"

typedef struct ff_json {
    ff_text *out;
    unsigned depth;
    uint64_t has_item; /* bit per level */
    bool after_key;
    bool compact; /* no line breaks: for NDJSON */
} ff_json;

void ff_json_init(ff_json *j, ff_text *out);
void ff_json_open(ff_json *j, const char *key, char bracket);  /* bracket '{' or '['; key NULL inside arrays */
void ff_json_close(ff_json *j, char bracket);                  /* '}' or ']' */
void ff_json_bytes(ff_json *j, const char *key, ff_bytes value);
void ff_json_str(ff_json *j, const char *key, const char *value); /* NULL writes null */
void ff_json_int(ff_json *j, const char *key, int64_t value);
void ff_json_big(ff_json *j, const char *key, int64_t value);     /* as a string */
void ff_json_bool(ff_json *j, const char *key, bool value);
void ff_json_null(ff_json *j, const char *key);
void ff_json_utc(ff_json *j, const char *key, bool known, int64_t ns);
void ff_json_key(ff_json *j, ff_bytes key);  /* a key that comes from data; the next call passes key NULL */

#endif
