/* SPDX-License-Identifier: MIT */
/* One line of progress on a terminal, or one in ten seconds in a log. */
#include "status_line.h"

#include <stdarg.h>
#include <unistd.h>

static const uint64_t ON_TERMINAL = UINT64_C(200000000), IN_LOG = UINT64_C(10000000000); /* ns between two lines */

status_line status_line_begin(const app *a)
{
    bool terminal = isatty(STDERR_FILENO), talks = app_talks(a);
    return (status_line){.terminal = talks && terminal, .log = talks && !terminal, .shown = clock_now()};
}

bool status_line_due(status_line *l, uint64_t now)
{
    bool due = (l->terminal && now - l->shown > ON_TERMINAL) || (l->log && now - l->shown >= IN_LOG);
    l->shown = due ? now : l->shown;
    return due;
}

void status_line_put(const status_line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs(l->terminal ? "\r" : "progress ", stderr);
    vfprintf(stderr, format, args);
    fputs(l->terminal ? "\033[K" : "\n", stderr);
    va_end(args);
}

void status_line_end(const status_line *l)
{
    if (l->terminal)
        fputs("\r\033[K", stderr);
}

const char *status_line_bar(double share, int width, char *text)
{
    for (int i = 0; i < width; i++)
        text[i] = i < share * width ? '#' : '-';
    text[width] = '\0';
    return text;
}
