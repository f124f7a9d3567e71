/* Members into a new archive. Owners, groups and anything else of the machine at hand stay out of it. */
#ifndef FF_PACK_H
#define FF_PACK_H

#include "../base/text.h"

typedef struct ff_pack ff_pack;

bool ff_pack_can(ff_bytes path); /* its ending names a kind that can be written: .tar[.gz|.zst|.xz], .tgz, .zip */
/* Writes to path, in the kind that name ends in. spool_folder: where a file without a name may be made. NULL: error.
 */
ff_pack *ff_pack_open(const char *path, ff_bytes name, const char *spool_folder, ff_error *error);
/* One member: begin, add as often as wanted, end. False: the error that open was given is filled. */
bool ff_pack_begin(ff_pack *p, ff_bytes name, int64_t mtime_s);
bool ff_pack_add(ff_pack *p, ff_bytes bytes);
bool ff_pack_end(ff_pack *p);
ff_status ff_pack_close(ff_pack *p); /* writes the end; frees p whatever comes back */

/* Reads an archive that was just written, sums included. For what a library writes that does not ask its disk:
 * FF_FATAL when it is not whole. */
ff_status ff_pack_verify(const char *path, ff_error *error);

#endif
