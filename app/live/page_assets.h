/* SPDX-License-Identifier: MIT */
/* The files of app/live/page, made part of the program by the build (cmake/embed.cmake). */
#ifndef APP_PAGE_ASSETS_H
#define APP_PAGE_ASSETS_H

#include <stddef.h>

typedef struct page_asset {
    const char *path; /* "/page.js"; NULL ends the list */
    const char *type;
    const unsigned char *data;
    size_t size;
} page_asset;

extern const page_asset page_assets[];

#endif
