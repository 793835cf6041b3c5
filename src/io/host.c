/* SPDX-License-Identifier: MIT */
#include "io/result.h"

#include <ctype.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/kernels.h"

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
}
