/* SPDX-License-Identifier: MIT */
/* A disk that hangs: as long as the file named by IFD_FROZEN exists, writes to regular files do not return. The same
 * with IFD_IDLE_WORKER and the jobs of workers, which begin with a call of fesetenv. For LD_PRELOAD; compiled by
 * tests/app/test_conduct.sh and test_hang.sh. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void wait_while(const char *name)
{
    const char *path = getenv(name);
    while (path && access(path, F_OK) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static void wait_while_frozen(int file)
{
    struct stat facts;
    if (fstat(file, &facts) == 0 && S_ISREG(facts.st_mode))
        wait_while("IFD_FROZEN");
}

ssize_t write(int file, const void *data, size_t size)
{
    ssize_t (*real)(int, const void *, size_t) = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    wait_while_frozen(file);
    return real(file, data, size);
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at)
{
    ssize_t (*real)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    wait_while_frozen(file);
    return real(file, data, size, at);
}

int fdatasync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    wait_while_frozen(file);
    return real(file);
}

int fsync(int file)
{
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    wait_while_frozen(file);
    return real(file);
}

int fesetenv(const fenv_t *environment)
{
    int (*real)(const fenv_t *) = (int (*)(const fenv_t *))dlsym(RTLD_NEXT, "fesetenv");
    wait_while("IFD_IDLE_WORKER");
    return real(environment);
}
