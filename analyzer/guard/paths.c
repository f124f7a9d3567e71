/* Landlock: from here on the kernel refuses every path that the plan does not name. The C library has no calls for
 * it, and the headers of a build may be older than the kernel, so rights that came later are numbered here. */
/* O_PATH and syscall are no part of POSIX. */
#define _GNU_SOURCE

#include "guard_private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t refer = UINT64_C(1) << 13;     /* since ABI 2 */
static const uint64_t truncate_ = UINT64_C(1) << 14; /* since ABI 3 */

static const uint64_t read_file = LANDLOCK_ACCESS_FS_READ_FILE;
static const uint64_t read_folder = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
static const uint64_t write_file = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | truncate_;
static const uint64_t make_files = LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                                   LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_REMOVE_DIR;

static uint64_t rights_of(long abi)
{
    uint64_t first = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    return first | (abi >= 2 ? refer : 0) | (abi >= 3 ? truncate_ : 0);
}

static bool allow(int rules, const char *path, uint64_t for_file, uint64_t for_folder)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return true;
    struct stat st;
    bool good = fstat(fd, &st) == 0;
    if (good) {
        struct landlock_path_beneath_attr rule = { .allowed_access = S_ISDIR(st.st_mode) ? for_folder : for_file,
                                                   .parent_fd = fd };
        /* EBADFD: a pipe by its name in /proc, which needs no rule. */
        good = syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 || errno == EBADFD;
    }
    int why = errno;
    (void)close(fd);
    errno = why;
    return good;
}

static bool allow_all(int rules, const ff_guard_plan *plan, uint64_t known)
{
    bool good = true;
    for (uint32_t i = 0; good && i < plan->n_reads; i++)
        good = allow(rules, plan->reads[i], read_file, read_folder);
    for (uint32_t i = 0; good && i < plan->n_writes; i++)
        good = allow(rules, plan->writes[i], write_file & known, (write_file | read_folder | make_files) & known);
    return good;
}

void ff_guard_paths(const ff_guard_plan *plan, ff_text *missing)
{
    static const char what[] = "file access is not confined";
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1) {
        ff_guard_miss(missing, what, errno);
        return;
    }
    uint64_t known = rights_of(abi);
    struct landlock_ruleset_attr attr = { .handled_access_fs = known };
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    bool good = rules >= 0 && allow_all(rules, plan, known) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    if (!good)
        ff_guard_miss(missing, what, errno);
    if (rules >= 0)
        (void)close(rules);
}
