/* SPDX-License-Identifier: MIT */
/* Compares the memory of a full matrix with what the machine has. */
#include "base/memory.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double SMALL = 2e6, GB = 1e9; /* SMALL: bytes that need no look; thousands of such requests fit */

static bool read_text(const char *path, size_t room, char *text)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = file >= 0 ? read(file, text, room - 1) : -1;
    if (file >= 0)
        close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The number that follows a word of a file of the kernel; NAN if there is none ("max"). */
static double number_in(const char *path, const char *word)
{
    char text[4096], *end;
    const char *at = read_text(path, sizeof text, text) ? strstr(text, word) : NULL;
    double value = at ? strtod(at + strlen(word), &end) : 0.0;
    return at && end != at + strlen(word) ? value : (double)NAN;
}

double ifd__memory_available(void)
{
    double machine = 1024.0 * number_in("/proc/meminfo", "MemAvailable:");
    double group = number_in("/sys/fs/cgroup/memory.max", "") - number_in("/sys/fs/cgroup/memory.current", "");
    double least = fmin(machine, group); /* fmin ignores a NAN */
    return isnan(least) ? (double)INFINITY : fmax(0.0, least);
}

ifd_status ifd__memory_check(double bytes, const char *what, ifd_note *note)
{
    double available = bytes > SMALL ? ifd__memory_available() : (double)INFINITY;
    if (bytes <= available)
        return IFD_OK;
    return ifd_note_add(note, IFD_NO_MEMORY, NULL, "%s needs %.3g GB of memory; %.3g GB are available", what,
                        bytes / GB, available / GB);
}
