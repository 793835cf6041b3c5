/* SPDX-License-Identifier: MIT */
/* A failed write inside HDF5 leaves a file that cannot be opened, and a library that may crash at exit. The space
 * for each flush is therefore claimed from the file system first. If the claim fails, HDF5 is not called and the
 * file remains valid. */
#include "record/result.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* 0 or the error number. */
static int claim(int fd, size_t bytes)
{
    struct stat facts;
    if (fstat(fd, &facts) != 0)
        return errno;
    struct rlimit limit; /* claiming space does not check this limit */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < (rlim_t)facts.st_size + (rlim_t)bytes)
        return EFBIG;
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, facts.st_size, (off_t)bytes) == 0)
        return 0;
    if (errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR)
        return errno;
    struct statvfs space; /* the file system cannot claim space: compare with the free space */
    if (fstatvfs(fd, &space) != 0)
        return 0;
    return (double)space.f_bavail * (double)space.f_frsize < (double)bytes ? ENOSPC : 0;
}

int ifd__file_claim(const char *path, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    int why = fd < 0 ? errno : claim(fd, bytes);
    if (fd >= 0)
        close(fd);
    return why;
}

bool ifd__reserve(ifd_result *res, size_t bytes)
{
    int why = ifd__file_claim(res->file_path, bytes);
    if (why && !res->reason)
        res->reason = ifd_arena_print(res->arena, "result.h5: %s", strerror(why));
    return why == 0;
}
