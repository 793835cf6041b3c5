/* SPDX-License-Identifier: MIT */
/* Files of app/live/page and app/report/page, embedded in the program by the build (cmake/embed.cmake). */
#pragma once

#include <stddef.h>

typedef struct asset {
    const char *path; /* "/page.js"; NULL ends the list */
    const char *type;
    const unsigned char *data;
    size_t size;
} asset;

extern const asset live_assets[], report_assets[];
