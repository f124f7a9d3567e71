/* Private things in log text, and consistent pseudonyms for them. Twice over the text: it is learned what there is,
 * then each thing is replaced, everywhere it stands, by the same name. The shapes that rules read stay: an address is
 * an address, two addresses of one /24 stay in one, a rank's number at the end of a pod's name stays. */
#ifndef FF_REDACT_H
#define FF_REDACT_H

#include "../base/text.h"

typedef enum ff_secret {
    FF_SECRET_HOST,
    FF_SECRET_NAME, /* a pod, a job, a namespace, an account */
    FF_SECRET_USER,
    FF_SECRET_IPV4,
    FF_SECRET_IPV6,
    FF_SECRET_MAC,
    FF_SECRET_GUID,
    FF_SECRET_UUID,
    FF_SECRET_SERIAL,
    FF_SECRET_EMAIL,
    FF_SECRET_PATH,      /* a part of a path below a home, a mount or a project */
    FF_SECRET_CREDENTIAL /* key, token, password: all become one word, and none enters the map */
} ff_secret;
#define FF_SECRETS 12
const char *ff_secret_name(ff_secret kind); /* "host", "name", ... */

typedef struct ff_redactor ff_redactor;
ff_redactor *ff_redactor_open(void); /* owned by the caller */
void ff_redactor_close(ff_redactor *r);

/* A host, name or user that the evidence knows. Ignored when it says nothing ("localhost") or is an everyday word
 * that cannot be replaced wherever it stands. Copied. */
void ff_redactor_name(ff_redactor *r, ff_secret kind, ff_bytes value);
/* Whole lines. */
void ff_redactor_learn(ff_redactor *r, ff_bytes text);
/* Gives each thing its pseudonym, from the order of all of them, whatever order they were learned in. FF_FATAL: more
 * things than there is room for, and nothing may be replaced by halves. Learning ends here. */
ff_status ff_redactor_settle(ff_redactor *r, ff_error *error);
/* Adds text with pseudonyms. *in_key: false at the start of a member; keeps track of a private key over several
 * calls. */
void ff_redactor_apply(ff_redactor *r, ff_bytes text, bool *in_key, ff_text *out);

/* The same for a whole pickle: only its strings count, and each pseudonym has the length of what it replaces, so that
 * it stays the pickle it was. What follows the last opcode that is one is dropped, as nobody can say what it is. */
void ff_redactor_learn_pickle(ff_redactor *r, ff_bytes pickle);
void ff_redactor_apply_pickle(ff_redactor *r, ff_bytes pickle, ff_text *out);

uint32_t ff_redactor_count(const ff_redactor *r, ff_secret kind);
/* Adds "kind,original,pseudonym" lines: the key to everything, for the one who keeps it. */
void ff_redactor_add_map(const ff_redactor *r, ff_text *out);
/* Adds up to `most` values of this kind that are no pseudonyms: what a check of redacted text shows. Number of all.
 * Credentials are counted only.
 */
uint32_t ff_redactor_add_residue(const ff_redactor *r, ff_secret kind, uint32_t most, ff_text *out);

#endif
