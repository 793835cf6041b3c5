/* SPDX-License-Identifier: MIT */
/* Machine, program and time that a record names. */
#include "record/result.h"

#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "algebra/kernels.h"
#include "algebra/team.h"

static void cpu_name(char *out, size_t size)
{
    snprintf(out, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (!colon || (strncmp(line, "model name", 10) != 0 && strncmp(line, "Hardware", 8) != 0))
            continue;
        char *start = colon + 1, *end = colon + strlen(colon);
        while (isspace((unsigned char)*start))
            start++;
        while (end > start && isspace((unsigned char)end[-1]))
            *--end = '\0';
        snprintf(out, size, "%s", start);
        break;
    }
    fclose(file);
}

void ifd__host_ask(ifd__host *out)
{
    memset(out, 0, sizeof *out);
    cpu_name(out->cpu, sizeof out->cpu);
    struct utsname names;
    if (uname(&names) == 0)
        snprintf(out->system, sizeof out->system, "%.32s %.64s %.32s", names.sysname, names.release, names.machine);
    out->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    out->kernels = ifd__kernels_best()->name;
    snprintf(out->blas, sizeof out->blas, "%s", ifd__blas_name());
}

void ifd__time_of_day(char out[32])
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    size_t used = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + used, 32 - used, ".%06ldZ", now.tv_nsec / 1000);
}

bool ifd__utc_text(int64_t ns, char out[64])
{
    time_t whole = (time_t)(ns / 1000000000);
    struct tm utc;
    char date[32];
    if (ns <= 0 || !gmtime_r(&whole, &utc) || !strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc))
        return false;
    snprintf(out, 64, "%s.%09ldZ", date, (long)(ns % 1000000000));
    return true;
}

/* The library, or the program that contains it. */
static bool own_file(char *path, size_t size)
{
    char line[4096];
    uint64_t here = (uint64_t)(uintptr_t)&ifd__program_hash, from, to;
    FILE *maps = fopen("/proc/self/maps", "r");
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) {
        const char *slash = strchr(line, '/');
        found = slash && sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2 && here >= from && here < to;
        if (found)
            snprintf(path, size, "%.*s", (int)strcspn(slash, "\n"), slash);
    }
    if (maps)
        fclose(maps);
    return found;
}

bool ifd__file_hash(const char *path, uint64_t *hash)
{
    struct stat facts;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    size_t size = fstat(file, &facts) == 0 && facts.st_size > 0 ? (size_t)facts.st_size : 0;
    void *text = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (text == MAP_FAILED)
        return false;
    *hash = ifd__hash_bytes(*hash, text, size);
    munmap(text, size);
    return true;
}

uint64_t ifd__program_hash(void)
{
    char path[4096];
    uint64_t hash = IFD__HASH_START;
    return own_file(path, sizeof path) && ifd__file_hash(path, &hash) ? hash : 0;
}
