/* SPDX-License-Identifier: MIT */
/* The installed pages of the documentation, or those of the source tree. */
#pragma once

#include <stdbool.h>

#include <interfield/arena.h>

#ifndef IFD_DOCS_DIR
#define IFD_DOCS_DIR "/usr/local/share/interfield/docs"
#endif

/* The folder of the pages; NULL: they are not installed. */
const char *pages_folder(void);

typedef void each_page(void *data, const char *group, const char *name, const char *path);
/* Calls `each` for every page, "guide", "drives"; false: a folder cannot be read (errno). */
bool pages_walk(const char *folder, each_page *each, void *data);

/* The first heading; "": none. NULL: out of memory. */
const char *page_title(ifd_arena *arena, const char *path);
/* "guide/drives" of "drives"; NULL: no such page. */
const char *page_find(ifd_arena *arena, const char *folder, const char *name);
